//! Whether a step is long enough for other threads to be worth waking.
//!
//! That depends on the processor, and on what the threads of the executor did before. Those that have just run an engine's own
//! work are awake; those that have slept for a frame take a while to help. (Circles, a pair for each, on one thread and on two:
//! with nothing between steps, 4,000 take 37 microseconds and 28, 10,000 take 86 and 56, and 20,000 take 133 and 104; with a
//! millisecond of other work on the calling thread between steps, 39 and 54, 86 and 104, and 159 and 132.) So where steps are of
//! middling length, the other way is tried out now and then: for a few steps in a row, which are compared with as many before.

use std::time::Duration;

/// Steps that keep workers busy for less time than this are never worth it, and those of more than [`LONG`] always.
const SHORT: Duration = Duration::from_micros(25);
const LONG: Duration = Duration::from_micros(1000);
/// As long as nothing has been tried out, steps of at least this length are worth it.
const MIDDLING: Duration = Duration::from_micros(250);
/// If the last step was not measured, a step with fewer proxies than this is taken to be short.
const FEW_PROXIES: usize = 16_384;
/// What was found out says nothing of a world with this many times the proxies, or of one that has shrunk as much.
const GROWN: usize = 2;

/// So many steps in a row are tried out, and so many are looked at to tell how long they are.
const TRIAL: usize = 4;
/// So many steps are between two trials at first, and at most: twice as many after each that has changed nothing.
const PAUSES: [usize; 2] = [8, 512];
/// The other way has to be faster by one part in so many.
const WORTH_IT: u32 = 16;

/// What is known of the length of steps. Decides where a step runs, and so when its result is there, but not what it is.
#[derive(Default)]
pub(crate) struct ShortSteps(Option<Measured>);

impl Clone for ShortSteps {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Where a world's steps are faster stays known when another world is copied into it.
    fn clone_from(&mut self, _source: &Self) {}
}

/// How long a step took.
#[derive(Clone, Copy)]
pub(crate) struct StepTime {
    /// From its beginning to its end.
    pub(crate) whole: Duration,
    /// How long it kept workers busy: the index as long as it took, all else added up over the workers. Zero says nothing: there is
    /// no clock, or a coarse one.
    pub(crate) busy: Duration,
    /// Whether it ran on the calling thread.
    pub(crate) alone: bool,
}

impl ShortSteps {
    /// Takes note of a step with so many proxies.
    pub(crate) fn note(&mut self, step: StepTime, proxies: usize) {
        if step.busy.is_zero() {
            self.0 = None;
            return;
        }
        match &mut self.0 {
            Some(measured) if measured.says_something_of(proxies) => measured.note(step),
            unknown => *unknown = Some(Measured::new(step, proxies)),
        }
    }

    /// Whether what takes about as long as a step with this many proxies is to run on the calling thread.
    pub(crate) fn is_short(&self, proxies: usize) -> bool {
        self.measured(proxies)
            .map_or(proxies < FEW_PROXIES, |measured| measured.is_short)
    }

    /// Whether the next step with this many proxies is to run there: unlike others in a trial.
    pub(crate) fn is_next_short(&self, proxies: usize) -> bool {
        let is_trial = self.measured(proxies).is_some_and(Measured::is_trial);
        self.is_short(proxies) != is_trial
    }

    /// What is known of steps with this many proxies.
    fn measured(&self, proxies: usize) -> Option<&Measured> {
        let measured = self.0.as_ref();
        measured.filter(|measured| measured.says_something_of(proxies))
    }
}

/// Steps with about as many proxies.
#[derive(Clone)]
struct Measured {
    /// How many there were in the first.
    proxies: usize,
    is_short: bool,
    /// How long the last few kept workers busy, the latest first.
    busy: [Duration; TRIAL],
    /// Whether a trial has ended.
    is_tried: bool,
    /// How many have run as usual since the last trial, and how long the last few took.
    usual: usize,
    times: [Duration; TRIAL],
    /// How many have run in this trial; how many of them ran the other way, and how long these took.
    tried: usize,
    others: usize,
    other_times: [Duration; TRIAL],
    pause: usize,
}

impl Measured {
    fn new(step: StepTime, proxies: usize) -> Self {
        Self {
            proxies,
            is_short: step.busy < MIDDLING,
            busy: [step.busy; TRIAL],
            is_tried: false,
            usual: 0,
            times: Default::default(),
            tried: 0,
            others: 0,
            other_times: Default::default(),
            pause: PAUSES[0],
        }
    }

    fn says_something_of(&self, proxies: usize) -> bool {
        let is_more = |a: usize, b: usize| a > b.saturating_mul(GROWN);
        !is_more(proxies, self.proxies) && !is_more(self.proxies, proxies)
    }

    /// Whether the next step is part of a trial.
    fn is_trial(&self) -> bool {
        self.usual >= self.pause
    }

    fn note(&mut self, step: StepTime) {
        self.busy.rotate_right(1);
        self.busy[0] = step.busy;
        let busy = typical(self.busy);
        if busy < SHORT || busy > LONG {
            self.is_short = busy < SHORT;
            self.end_trial(false);
            return;
        }
        if !self.is_tried && !self.is_trial() {
            self.is_short = busy < MIDDLING;
        }
        let is_usual = step.alone == self.is_short;
        if !self.is_trial() {
            // Whoever names executors runs steps in any way.
            if is_usual {
                self.times[self.usual % TRIAL] = step.whole;
                self.usual += 1;
            }
            return;
        }
        self.tried += 1;
        if !is_usual {
            self.other_times[self.others] = step.whole;
            self.others += 1;
        }
        if self.tried == TRIAL {
            let [usual, other] = [self.times, self.other_times].map(typical);
            let is_better = other.saturating_add(other / WORTH_IT) < usual;
            let has_changed = self.others == TRIAL && is_better;
            self.is_short ^= has_changed;
            self.is_tried = true;
            self.end_trial(has_changed);
        }
    }

    fn end_trial(&mut self, has_changed: bool) {
        if has_changed {
            self.pause = PAUSES[0];
        } else if self.tried > 0 {
            self.pause = PAUSES[1].min(2 * self.pause);
        }
        (self.usual, self.tried, self.others) = (0, 0, 0);
    }
}

/// The second shortest: others may have used the processor meanwhile.
fn typical(mut times: [Duration; TRIAL]) -> Duration {
    times.sort_unstable();
    times[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXIES: usize = 10_000;

    /// How long a step takes in microseconds: on one thread, which is how long it keeps all workers busy in any case, and on several.
    type Times = [u64; 2];

    fn step_of(alone: bool, times: Times) -> StepTime {
        StepTime {
            whole: Duration::from_micros(times[usize::from(!alone)]),
            busy: Duration::from_micros(times[0]),
            alone,
        }
    }

    /// How many of so many steps run on one thread.
    fn alone(steps: &mut ShortSteps, count: usize, times: Times) -> usize {
        let mut alone = 0;
        for _ in 0..count {
            let is_alone = steps.is_next_short(PROXIES);
            steps.note(step_of(is_alone, times), PROXIES);
            alone += usize::from(is_alone);
        }
        alone
    }

    #[test]
    fn before_anything_is_measured_proxies_count() {
        let mut steps = ShortSteps::default();
        let few = |steps: &ShortSteps| [0, 16_383, 16_384].map(|n| steps.is_short(n));
        assert_eq!(few(&steps), [true, true, false]);
        alone(&mut steps, 1, [249, 249]);
        assert!(steps.is_short(20_000) && steps.is_short(5000));
        assert!(!steps.is_short(40_000), "far more than were measured");
        alone(&mut steps, 1, [0, 0]);
        assert_eq!(few(&steps), [true, true, false], "nothing is known again");
        alone(&mut steps, 1, [250, 250]);
        assert!(!steps.is_short(5000) && !steps.is_short(20_000));
        assert!(steps.is_short(4999), "far fewer than were measured");
        steps.note(step_of(true, [249, 249]), 4999);
        assert!(
            steps.is_short(9998),
            "what was found out before is forgotten"
        );
    }

    #[test]
    fn what_is_certain_is_not_tried_out() {
        let mut steps = ShortSteps::default();
        assert_eq!(alone(&mut steps, 5000, [24, 1]), 5000);
        assert_eq!(
            alone(&mut steps, 5000, [1001, 9999]),
            3,
            "one or two may be chance"
        );
        assert_eq!(alone(&mut steps, 5000, [1001, 9999]), 0);
    }

    #[test]
    fn steps_of_middling_length_run_where_they_are_faster() {
        let mut steps = ShortSteps::default();
        assert_eq!(alone(&mut steps, 10, [100, 60]), 9);
        assert!(steps.is_short(PROXIES), "until the trial has ended");
        assert_eq!(
            alone(&mut steps, 11, [100, 60]),
            0,
            "three more, and then as usual"
        );
        assert!(!steps.is_short(PROXIES));
        assert_eq!(alone(&mut steps, 4, [100, 60]), 4, "the next trial");
        assert_eq!(alone(&mut steps, 16, [100, 60]), 0);
        assert_eq!(alone(&mut steps, 1000, [100, 60]), 5 * TRIAL);
        assert!(
            alone(&mut steps, 2000, [60, 100]) > 900,
            "the threads sleep now"
        );
        assert!(alone(&mut steps, 10_000, [60, 100]) > 9800);
        assert!(alone(&mut steps, 10_000, [100, 95]) > 9800, "hardly faster");
    }

    #[test]
    fn a_step_or_two_that_were_disturbed_change_nothing() {
        for disturbed in [2, 900, 5000] {
            let mut steps = ShortSteps::default();
            for k in 0..1000 {
                let time = if k % TRIAL == 1 { disturbed } else { 100 };
                alone(&mut steps, 1, [time, 150]);
                assert!(steps.is_short(PROXIES), "{k}");
            }
            assert!(alone(&mut steps, 500, [100, 150]) >= 500 - TRIAL);
        }
    }

    /// Each trial of a way that takes a step just beyond the bounds is cut short, and is as seldom as others.
    #[test]
    fn steps_near_a_bound_are_not_tried_out_all_the_time() {
        let mut steps = ShortSteps::default();
        let mut alone = 0;
        for _ in 0..5000 {
            let is_alone = steps.is_next_short(PROXIES);
            let time = if is_alone { 1050 } else { 800 };
            steps.note(step_of(is_alone, [time; 2]), PROXIES);
            alone += usize::from(is_alone);
        }
        assert!(alone < 100, "{alone}");
    }

    #[test]
    fn whoever_names_executors_changes_nothing_and_trials_end() {
        for named in [true, false] {
            let mut steps = ShortSteps::default();
            let mut trials = 0;
            for _ in 0..1000 {
                steps.note(step_of(named, [100, 50]), PROXIES);
                trials += usize::from(!steps.is_next_short(PROXIES));
            }
            assert!(steps.is_short(PROXIES) && trials < 50, "{trials}");
        }
    }

    #[test]
    fn a_copy_knows_as_much_and_copying_into_a_world_teaches_nothing() {
        let mut steps = ShortSteps::default();
        alone(&mut steps, 50, [100, 60]);
        let mut copy = ShortSteps::default();
        copy.clone_from(&steps);
        assert!(!steps.is_short(PROXIES) && copy.is_short(PROXIES));
        assert!(!steps.clone().is_short(PROXIES));
    }
}
