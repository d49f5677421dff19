//! When categories are chosen anew.

use throng::{Advice, Report};

/// Steps from one look at the advice to the next, while it helps to follow it.
const LOOK_AFTER: u32 = 64;
/// And at most.
const LOOK_AT_LEAST_AFTER: u32 = 4096;
/// So few colliders are fine in any category.
const FEW: usize = 256;

/// Chooses categories when there are twice as many to choose them for as the last time, and when throng's advice says that
/// sizes are no longer what they were. Where following the advice changes nothing, it is looked at less and less often.
#[derive(Debug)]
pub(crate) struct Tuning {
    /// How many boxes the categories were chosen for.
    chosen_for: usize,
    steps: u32,
    look_after: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            chosen_for: FEW / 2,
            steps: 0,
            look_after: LOOK_AFTER,
        }
    }
}

impl Tuning {
    /// Whether to choose now, before the next step, for so many that move.
    pub(crate) fn is_due(&mut self, moving: usize, report: &Report) -> bool {
        if moving >= 2 * self.chosen_for {
            return true;
        }
        self.steps += 1;
        if self.steps < self.look_after {
            return false;
        }
        self.steps = 0;
        report.advice().iter().any(is_about_sizes)
    }

    /// To be told what came of it.
    pub(crate) fn note_choice(&mut self, moving: usize, has_changed: bool) {
        self.chosen_for = moving.max(FEW / 2);
        self.steps = 0;
        self.look_after = if has_changed {
            LOOK_AFTER
        } else {
            (2 * self.look_after).min(LOOK_AT_LEAST_AFTER)
        };
    }
}

fn is_about_sizes(advice: &Advice) -> bool {
    matches!(
        advice,
        Advice::LowerBound { .. } | Advice::Split { .. } | Advice::MakeUniform { .. }
    )
}

#[cfg(test)]
mod tests {
    use throng::{Broadphase, CountPairs, Proxy};

    use super::*;
    use crate::categories::config_for;

    /// Of a world in which everything is in a category for any size, and could be in a better one.
    fn report_with_advice() -> Report {
        let mut world = Broadphase::new(config_for(&[], 0)).unwrap();
        for k in 0..4000 {
            let place = [(k % 64) as f32, (k / 64) as f32];
            world
                .insert(Proxy::centered(place, [0.5; 2]).unwrap())
                .unwrap();
        }
        for _ in 0..2 {
            world.step(&CountPairs);
        }
        world.report().clone()
    }

    #[test]
    fn twice_as_many_are_chosen_for_at_once() {
        let (mut tuning, report) = (Tuning::default(), Report::default());
        assert!(!tuning.is_due(FEW - 1, &report), "so few are not worth it");
        assert!(tuning.is_due(FEW, &report));
        tuning.note_choice(1000, true);
        assert!(!tuning.is_due(1999, &report));
        assert!(tuning.is_due(2000, &report));
    }

    #[test]
    fn advice_is_looked_at_now_and_then_and_less_often_where_it_does_not_help() {
        let (mut tuning, report) = (Tuning::default(), report_with_advice());
        assert!(report.advice().iter().any(is_about_sizes));
        let steps_until_due = |tuning: &mut Tuning| {
            (1..)
                .find(|_| tuning.is_due(100, &report))
                .expect("it is due some time")
        };
        assert_eq!(steps_until_due(&mut tuning), LOOK_AFTER);
        for waits in [2, 4, 8, 16, 32, 64, 64] {
            tuning.note_choice(100, false);
            assert_eq!(steps_until_due(&mut tuning), waits * LOOK_AFTER);
        }
        tuning.note_choice(100, true);
        assert_eq!(steps_until_due(&mut tuning), LOOK_AFTER);
    }

    #[test]
    fn without_advice_nothing_is_due() {
        let (mut tuning, report) = (Tuning::default(), Report::default());
        assert!((0..10 * LOOK_AFTER).all(|_| !tuning.is_due(100, &report)));
    }
}
