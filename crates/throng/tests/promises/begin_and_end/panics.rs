//! A step that panics is as if it had not been.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{at, keys, three_pairs};
use throng::{CollectPairs, Executor, Narrowphase, PairBatch};

/// Panics.
struct Panics;

impl Narrowphase for Panics {
    type Scratch = ();
    type Output = ();

    fn collide(&self, _: PairBatch<'_>, _: &mut (), _: &mut ()) {
        panic!("meant to panic");
    }
}

#[test]
fn a_step_that_panics_is_as_if_it_had_not_been() {
    let (mut world, [a, ..]) = three_pairs();
    world.set_center(a, [50.0, 0.0]).unwrap();
    world.insert(at(900.5).key(9)).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        world.step(&Panics);
    }));
    assert!(panicked.is_err());
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[1, 2], [1, 3], [1, 4]]);
    assert_eq!(keys(step.began()), [[0, 9]]);
}

/// Panics instead of starting list number `.1` of those that it is given.
struct Panicking(AtomicUsize, usize);

impl Executor for Panicking {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let list = self.0.fetch_add(1, Ordering::Relaxed);
        assert_ne!(list, self.1, "meant to panic");
        (0..tasks).for_each(task);
    }
}

#[test]
fn a_step_whose_executor_panics_is_as_if_it_had_not_been() {
    let mut panics = 0;
    loop {
        let (mut world, [a, b, ..]) = three_pairs();
        world.set_center(a, [50.0, 0.0]).unwrap();
        world.remove(b).unwrap();
        world.insert(at(900.5).key(9)).unwrap();
        let executor = Panicking(AtomicUsize::new(0), panics);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            world.step_on(&executor, &CollectPairs);
        }));
        if outcome.is_ok() {
            break;
        }
        panics += 1;
        let step = world.step_pairs();
        assert_eq!(
            keys(step.ended()),
            [[1, 2], [1, 3], [1, 4]],
            "list {panics}"
        );
        assert_eq!(keys(step.began()), [[0, 9]], "list {panics}");
    }
    assert!(panics > 5, "{panics}");
}
