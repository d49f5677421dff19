//! Whether a step is long enough for other threads to be worth waking.
//!
//! That depends on the processor, and on what the threads of the executor did before. Those that have just run an engine's own work are
//! awake; those that have slept for a frame take a while to help. (Circles, a pair for each, on one thread and on two: with nothing
//! between steps, 4,000 take 37 microseconds and 28, 10,000 take 86 and 56, and 20,000 take 133 and 104; with a millisecond of other work on the
//! calling thread between steps, 39 and 54, 86 and 104, and 159 and 132.) So where steps are of middling length, the other way is tried
//! out now and then: for a few steps in a row, beside as many before.

use std::time::Duration;

/// A step that keeps workers busy for less time than this is never worth it, and one of more than [`LONG`] always.
const SHORT: Duration = Duration::from_micros(25);
const LONG: Duration = Duration::from_micros(1000);
/// As long as nothing has been tried out, a step that is longer than this is worth it.
const MIDDLING: Duration = Duration::from_micros(250);
/// If the last step was not measured, a step with fewer proxies than this is taken to be short.
const FEW_PROXIES: usize = 16_384;
/// What was measured says nothing of a world with this many times the proxies.
const GROWN: usize = 2;

/// So many steps in a row are tried out.
const TRIAL: usize = 4;
/// So many steps are between two trials at first, and at most: twice as many after each that has changed nothing.
const PAUSES: [usize; 2] = [8, 512];
/// The other way has to be faster by one part in so many.
const WORTH_IT: u32 = 16;

/// What is known of the length of steps. Decides where a step runs, and so when its result is there, but not what it is.
#[derive(Clone, Default)]
pub(crate) struct ShortSteps {
    /// How many proxies there were in the last step, if that was measured.
    proxies: Option<usize>,
    is_short: bool,
    /// While steps are of middling length.
    trials: Option<Trials>,
}

/// How long a step took.
#[derive(Clone, Copy)]
pub(crate) struct StepTime {
    /// From its begin to its end.
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
            *self = Self::default();
            return;
        }
        let is_first = self.proxies.replace(proxies).is_none();
        if step.busy < SHORT || step.busy > LONG {
            (self.is_short, self.trials) = (step.busy < SHORT, None);
            return;
        }
        if is_first {
            self.is_short = step.busy < MIDDLING;
        }
        let is_as_usual = step.alone == self.is_short;
        let trials = self.trials.get_or_insert_default();
        if trials.is_other_better(step.whole, is_as_usual) {
            self.is_short = !self.is_short;
        }
    }

    /// Whether a step with this many proxies is to be run as one that is short.
    pub(crate) fn is_short(&self, proxies: usize) -> bool {
        match self.proxies {
            Some(then) if proxies <= then.saturating_mul(GROWN) => {
                let is_trial = self.trials.as_ref().is_some_and(Trials::is_due);
                self.is_short != is_trial
            }
            _ => proxies < FEW_PROXIES,
        }
    }
}

/// Which of two ways to run a step is faster: the usual, or the other.
#[derive(Clone)]
struct Trials {
    /// How many steps have run as usual since the last trial, and how long the last few took.
    usual: usize,
    times: [Duration; TRIAL],
    /// How many have run the other way in this trial, and how long they took.
    others: usize,
    other_times: [Duration; TRIAL],
    pause: usize,
}

impl Default for Trials {
    fn default() -> Self {
        Self {
            usual: 0,
            times: Default::default(),
            others: 0,
            other_times: Default::default(),
            pause: PAUSES[0],
        }
    }
}

impl Trials {
    /// Whether the next step is to run the other way.
    fn is_due(&self) -> bool {
        self.usual >= self.pause
    }

    /// Takes note of a step. Returns whether a trial has ended with it, and the other way is to be the usual one.
    fn is_other_better(&mut self, took: Duration, is_as_usual: bool) -> bool {
        // Whoever names executors runs steps in any order.
        if is_as_usual == self.is_due() {
            return false;
        }
        if is_as_usual {
            self.times[self.usual % TRIAL] = took;
            self.usual += 1;
            return false;
        }
        self.other_times[self.others] = took;
        self.others += 1;
        if self.others < TRIAL {
            return false;
        }
        let [usual, other] = [self.times, self.other_times].map(typical);
        let is_better = other.saturating_add(other / WORTH_IT) < usual;
        let pause = match is_better {
            true => PAUSES[0],
            false => PAUSES[1].min(2 * self.pause),
        };
        *self = Self {
            pause,
            ..Self::default()
        };
        is_better
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

    /// A step that takes so many microseconds on one thread, and so many on several, which are all its workers are busy.
    fn step(steps: &mut ShortSteps, [alone, shared]: [u64; 2]) -> bool {
        let is_alone = steps.is_short(PROXIES);
        let step = StepTime {
            whole: Duration::from_micros(if is_alone { alone } else { shared }),
            busy: Duration::from_micros(alone),
            alone: is_alone,
        };
        steps.note(step, PROXIES);
        is_alone
    }

    /// How many of so many steps run on one thread.
    fn alone(steps: &mut ShortSteps, count: usize, times: [u64; 2]) -> usize {
        (0..count).filter(|_| step(steps, times)).count()
    }

    #[test]
    fn before_anything_is_measured_proxies_count() {
        let mut steps = ShortSteps::default();
        let few = |steps: &ShortSteps| [0, 16_383, 16_384].map(|n| steps.is_short(n));
        assert_eq!(few(&steps), [true, true, false]);
        step(&mut steps, [249, 249]);
        assert!(
            steps.is_short(20_000) && !steps.is_short(40_000),
            "far more proxies than were measured"
        );
        step(&mut steps, [0, 0]);
        assert_eq!(
            few(&steps),
            [true, true, false],
            "no more is known than before"
        );
        step(&mut steps, [250, 250]);
        assert!(!steps.is_short(10) && !steps.is_short(20_000));
    }

    #[test]
    fn what_is_certain_is_not_tried_out() {
        let mut steps = ShortSteps::default();
        assert_eq!(alone(&mut steps, 5000, [24, 1]), 5000);
        assert_eq!(alone(&mut steps, 1, [1001, 9999]), 1, "it is not known yet");
        assert_eq!(alone(&mut steps, 5000, [1001, 9999]), 0);
    }

    #[test]
    fn steps_of_middling_length_run_where_they_are_faster() {
        let mut steps = ShortSteps::default();
        assert_eq!(alone(&mut steps, 9, [100, 60]), 8);
        assert_eq!(
            alone(&mut steps, 11, [100, 60]),
            0,
            "three of the trial, then as usual"
        );
        assert_eq!(alone(&mut steps, 4, [100, 60]), 4, "the next trial");
        assert_eq!(alone(&mut steps, 16, [100, 60]), 0);
        assert_eq!(alone(&mut steps, 1000, [100, 60]), 5 * TRIAL);
        assert!(
            alone(&mut steps, 2000, [60, 100]) > 900,
            "the threads sleep now"
        );
        assert!(alone(&mut steps, 10_000, [60, 100]) > 9900);
        assert!(alone(&mut steps, 10_000, [100, 95]) > 9900, "hardly faster");
    }

    #[test]
    fn a_step_or_two_that_were_disturbed_change_nothing() {
        let mut steps = ShortSteps::default();
        for k in 0..1000 {
            let is_disturbed = k % TRIAL < 2;
            let alone = if is_disturbed { 900 } else { 100 };
            step(&mut steps, [alone, 150]);
        }
        assert!(alone(&mut steps, 100, [100, 150]) >= 100 - TRIAL);
    }

    #[test]
    fn whoever_names_executors_changes_nothing() {
        let mut steps = ShortSteps::default();
        step(&mut steps, [100, 100]);
        for _ in 0..1000 {
            let step = StepTime {
                whole: Duration::from_micros(50),
                busy: Duration::from_micros(100),
                alone: false,
            };
            steps.note(step, PROXIES);
        }
        assert!(steps.is_short(PROXIES));
    }
}
