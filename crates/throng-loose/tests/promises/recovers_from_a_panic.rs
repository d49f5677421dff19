//! An executor that panics in the middle of an update leaves nothing that could be wrong, and spoils no later
//! update.

use crate::common::{STRUCTURES, build, pairs, rows_touching, update};
use std::panic::{AssertUnwindSafe, catch_unwind};
use throng_core::{Aabb, Serial, SimdLevel};
use throng_scenes::{Failing, log_uniform_boxes, overlapping_pairs, sorted, step_box_motion};

#[test]
fn an_update_after_a_panic_is_right() {
    let before = log_uniform_boxes(3000, [1.0, 30.0], 1.0, 14);
    let mut after = before.clone();
    step_box_motion(&mut after, 10.0, 15);
    let expected = overlapping_pairs(&after);
    let everything = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]).unwrap();
    for (structure, make) in STRUCTURES {
        for fails_at in 0..4 {
            let mut built = build(make, &before, SimdLevel::detect(), &Serial);
            let failing = Failing::at(fails_at);
            let failed = catch_unwind(AssertUnwindSafe(|| built.update(after.boxes(), &failing)));
            let panics = failing.has_failed();
            assert_eq!(failed.is_err(), panics, "{structure}");
            assert!(panics || fails_at > 0, "{structure} runs no task at all");
            if panics {
                // Half of it is as before and half as it is to be: nothing is better than that.
                assert_eq!((built.len(), built.chunks()), (0, 0), "{structure}");
                assert_eq!(rows_touching(&*built, &everything), [], "{structure}");
                assert_eq!(
                    (built.validate(), built.bounds()),
                    (Ok(()), None),
                    "{structure}"
                );
            }
            update(&mut *built, &after, &Serial);
            let found = sorted(pairs(&*built, None, &Serial));
            assert!(found == expected, "{structure}, run {fails_at}");
        }
    }
}
