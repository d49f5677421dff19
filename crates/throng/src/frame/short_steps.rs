//! Whether a step is long enough for other threads to be worth waking.

use std::time::Duration;

/// A step that keeps workers busy for less time than this is hardly faster on two workers: waking the other, and moving rows between the
/// caches of processors, costs as much as it saves. (With three milliseconds of other work between steps, as in a game: 4,000
/// circles take 84 microseconds on one worker and 85 on two; 10,000 take 205 and 191; 20,000 take 362 and 316; 60,000 take 984 and
/// 678.) Two bounds, so that a step near them does not change its ways in every frame.
const SHORT: Duration = Duration::from_micros(200);
const LONG: Duration = Duration::from_micros(350);
/// If the last step was not measured, a step with fewer proxies than this is taken to be short.
const FEW_PROXIES: usize = 16_384;
/// What was measured says nothing of a world with this many times the proxies.
const GROWN: usize = 2;

/// What is known of the length of steps. Decides where a step runs, and so when its result is there, but not what it is.
#[derive(Clone, Default)]
pub(crate) struct ShortSteps {
    /// How many proxies there were in the last step, if that was measured.
    proxies: Option<usize>,
    is_short: bool,
}

impl ShortSteps {
    /// Takes note of how long a step kept workers busy: the index as long as it took, all else added up over the workers. Zero says
    /// nothing: there is no clock, or a coarse one.
    pub(crate) fn note(&mut self, busy: Duration, proxies: usize) {
        let bound = if self.is_short { LONG } else { SHORT };
        self.is_short = busy < bound;
        self.proxies = (!busy.is_zero()).then_some(proxies);
    }

    /// Whether a step with this many proxies is short.
    pub(crate) fn is_short(&self, proxies: usize) -> bool {
        match self.proxies {
            Some(then) if proxies <= then.saturating_mul(GROWN) => self.is_short,
            _ => proxies < FEW_PROXIES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_counts_and_before_that_how_many_there_are() {
        let micros = Duration::from_micros;
        let mut steps = ShortSteps::default();
        assert_eq!(
            [0, 16_383, 16_384].map(|n| steps.is_short(n)),
            [true, true, false]
        );
        steps.note(micros(199), 10_000);
        assert!(
            steps.is_short(20_000) && !steps.is_short(40_000),
            "far more proxies than were measured"
        );
        steps.note(micros(349), 10_000);
        assert!(steps.is_short(10_000), "it was short, and is not yet long");
        steps.note(micros(350), 10_000);
        assert!(!steps.is_short(10_000));
        steps.note(micros(200), 10_000);
        assert!(!steps.is_short(10_000), "it was long, and is not yet short");
        steps.note(micros(199), 10_000);
        assert!(steps.is_short(10_000) && steps.is_short(0));
        steps.note(Duration::ZERO, 10_000);
        assert_eq!(
            [10, 16_384].map(|n| steps.is_short(n)),
            [true, false],
            "no more is known than before the first"
        );
    }
}
