//! Whether it is time for a refit or for a build.

/// What decides between a refit and a build.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefitLog {
    /// Whether the index has all rows of its columns, under their numbers there, and nobody wants it built.
    pub is_allowed: bool,
    /// With how many more rows each was compared, in all refits since the build.
    extra: f32,
    /// How many refits in a row have found a row too far.
    failed: u32,
    /// How many more times there is no point in trying.
    wait: u32,
}

/// It is time for a build when refits have compared each row with so many more in all. A build takes about as long as twice as many
/// comparisons, but how many there are is an estimate. From half to twice this number, steps take equally long; the higher it is,
/// the longer pairs keep their order, which saves time where they have events.
const MOST_EXTRA: f32 = 6.0;
/// No single refit may cost more than half of that.
pub(super) const MOST_AT_ONCE: f32 = MOST_EXTRA / 2.0;
/// After each failed refit, twice as many builds pass until the next is tried, up to two to this power.
const LONGEST_WAIT: u32 = 6;

impl RefitLog {
    /// To be called when the index is built or emptied.
    pub fn restart(&mut self) {
        (self.is_allowed, self.extra) = (false, 0.0);
    }

    /// Whether to try a refit now. If it is too early, counts the build that comes instead.
    pub fn may_try(&mut self) -> bool {
        let waits = self.wait > 0;
        self.wait -= u32::from(waits);
        !waits && self.extra <= MOST_EXTRA
    }

    /// Notes with how many more rows each is compared. Returns whether that is worth it.
    pub fn accepts(&mut self, extra: f32) -> bool {
        self.extra += extra;
        // Not so if it is NaN.
        let accepts = extra <= MOST_AT_ONCE;
        if accepts {
            self.failed = 0;
        } else {
            self.wait = (1 << self.failed) - 1;
            self.failed = LONGEST_WAIT.min(self.failed + 1);
        }
        accepts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_follow_refits_that_fail_and_each_time_more_of_them() {
        let mut log = RefitLog::default();
        let mut waits = Vec::new();
        for _ in 0..9 {
            let mut builds = 1;
            while !log.may_try() {
                builds += 1;
            }
            waits.push(builds);
            assert!(!log.accepts(f32::NAN));
            log.restart();
        }
        assert_eq!(waits, [1, 1, 2, 4, 8, 16, 32, 64, 64]);
        while !log.may_try() {}
        assert!(log.accepts(0.1));
        assert!(!log.accepts(f32::INFINITY));
        log.restart();
        assert!(log.may_try(), "it has been successful in between");
    }

    #[test]
    fn refits_may_cost_so_much_before_there_is_a_build() {
        let mut log = RefitLog::default();
        let refits = (0..100).take_while(|_| log.may_try() && log.accepts(MOST_EXTRA / 4.0));
        assert_eq!(refits.count(), 5);
        log.restart();
        assert!(log.may_try());
    }
}
