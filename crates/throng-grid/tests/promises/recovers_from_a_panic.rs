//! An executor that panics in the middle of a build leaves nothing wrong behind, and spoils no later build.

use crate::common::{build, pairs, rebuild};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use throng_core::{Aabb, Executor, Serial, SimdLevel};
use throng_grid::Points;
use throng_scenes::{overlapping_pairs_sweep, sorted, step_motion, uniform};

/// Panics in one of its runs of tasks, after the first task.
struct Failing {
    runs: AtomicUsize,
    fails_at: usize,
}

impl Executor for Failing {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if self.runs.fetch_add(1, Relaxed) == self.fails_at {
            if tasks > 0 {
                task(0);
            }
            panic!("meant to panic");
        }
        (0..tasks).for_each(task);
    }
}

#[test]
fn a_build_after_a_panic_is_right() {
    let before = uniform(20_000, 4.0, 1);
    let mut after = before.clone();
    step_motion(&mut after, 5.0, 2);
    let expected = overlapping_pairs_sweep(&after);
    for fails_at in 0..2 {
        let mut grid = build(&before, SimdLevel::detect(), &Serial);
        let failing = Failing {
            runs: 0.into(),
            fails_at,
        };
        let points = Points::new(&after.xs, &after.ys);
        let failed = catch_unwind(AssertUnwindSafe(|| grid.build(points, &failing)));
        assert!(failed.is_err(), "run {fails_at}");
        // Half of the memory is old and half is new, so the grid must be empty.
        assert_eq!((grid.len(), grid.leaves(), grid.chunks()), (0, 0, 0));
        assert_eq!(grid.validate(), Ok(()));
        let found = grid.query_aabb(&Aabb::EVERYWHERE, ControlFlow::Break);
        assert!(found.is_continue(), "run {fails_at}: {found:?}");
        let mut nearest = Vec::new();
        grid.find_nearest([0.0; 2], 1, f32::INFINITY, &mut nearest)
            .unwrap();
        assert_eq!(nearest, []);

        rebuild(&mut grid, &after, &Serial);
        let found = sorted(pairs(&grid, &after, &Serial));
        assert!(found == expected, "run {fails_at}");
    }
}
