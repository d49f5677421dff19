//! An executor that panics in the middle of a build leaves nothing wrong behind, and spoils no later build.

use crate::common::{build, near, pairs, rebuild};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use throng_core::{Aabb, Serial, SimdLevel};
use throng_grid::Points;
use throng_scenes::{Failing, overlapping_pairs_sweep, sorted, step_motion, uniform};

#[test]
fn a_build_after_a_panic_is_right() {
    let before = uniform(20_000, 4.0, 1);
    let mut after = before.clone();
    step_motion(&mut after, 5.0, 2);
    let expected = overlapping_pairs_sweep(&after);
    for fails_at in 0..2 {
        let mut grid = build(&before, SimdLevel::detect(), &Serial);
        let failing = Failing::at(fails_at);
        let points = Points::new(&after.xs, &after.ys);
        let failed = catch_unwind(AssertUnwindSafe(|| grid.build(points, &failing)));
        assert!(failed.is_err(), "run {fails_at}");
        // Half of the memory is old and half is new, so the grid must be empty.
        assert_eq!((grid.len(), grid.leaves(), grid.chunks()), (0, 0, 0));
        assert_eq!(grid.validate(), Ok(()));
        let found = grid.query_aabb(&Aabb::EVERYWHERE, ControlFlow::Break);
        assert!(found.is_continue(), "run {fails_at}: {found:?}");
        let mut nearest = Vec::new();
        grid.find_nearest(near([0.0; 2], 1, f32::INFINITY), &mut nearest)
            .unwrap();
        assert_eq!(nearest, []);

        rebuild(&mut grid, &after, &Serial);
        let found = sorted(pairs(&grid, &after, &Serial));
        assert!(found == expected, "run {fails_at}");
    }
}
