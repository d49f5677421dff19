//! Work on items that each belong to only one task: elements of a slice, its chunks, several slices in step.
//!
//! Each item waits in a slot of its own behind a lock, and the executor's task `i` takes item `i`. So each item is handed out
//! once whatever the executor does, without `unsafe` and without memory for each item; and an executor that gives a worker the
//! same tasks in run after run, as [`Rayon`](crate::Rayon) does, gives it the same items: what it wrote in one pass of a frame is
//! in its cache when it reads it in the next. On two threads a frame of a million is a quarter faster than with items that go to
//! whoever comes next. A slot costs 8 to 13 ns; tasks take microseconds.
//!
//! There is room for 256 slots, on the stack. More items go to whoever comes next, from an iterator behind one lock.
//!
//! A counter of claimed items would need `unsafe` to get from an index to its item, and would work for one slice only:
//! several in step would first have to be cut up into an array.
//!
//! A lock is held for one step, so a thread that finds it taken spins briefly and gets it. If it still has to sleep, because the
//! holder was interrupted, it uses a table that `parking_lot` allocates once for a given number of threads. Where the standard
//! library's lock is not a futex, that one would allocate in each call.

use parking_lot::Mutex;

use crate::executor::{Executor, is_for_the_caller};

/// Up to this many items, each has a slot of its own.
const MOST_SLOTS: usize = 256;

/// Runs `each` on every item exactly once, with the item's position, whatever the executor does.
///
/// Item `i` goes to the executor's task `i`; of more than 256 items, each goes to whichever task comes next, in order. Items that
/// the executor forgot run on the calling thread, in order, and so does a single one, if the executor has several threads. Costs a short
/// lock per item, and allocates nothing; up to 256 items are kept on the stack meanwhile, so they should be small.
///
/// A step of the iterator should be cheap, as that of `&mut slice`, `slice.chunks_mut(n)` or a `zip` of several is: up to 256
/// are taken before the first item runs, and the others under a lock.
///
/// ```
/// use throng_core::{Serial, run_each};
///
/// let (mut squares, mut done) = ([1, 2, 3, 4, 5], [false; 3]);
/// run_each(&Serial, squares.chunks_mut(2).zip(&mut done), |i, (chunk, done)| {
///     chunk.iter_mut().for_each(|v| *v *= *v);
///     *done = i < 3;
/// });
/// assert_eq!((squares, done), ([1, 4, 9, 16, 25], [true; 3]));
/// ```
///
/// # Panics
///
/// If `each` panics and the executor passes that on. Some items may not have been handed out then.
pub fn run_each<I>(executor: &dyn Executor, items: I, each: impl Fn(usize, I::Item) + Sync)
where
    I: IntoIterator<Item: Send, IntoIter: ExactSizeIterator + Send>,
{
    let items = items.into_iter();
    let tasks = items.len();
    if is_for_the_caller(executor, tasks) {
        return items.for_each(|item| each(0, item));
    }
    match tasks {
        0 | 1 => return run_slots::<_, 1>(executor, items, each),
        2..=16 => return run_slots::<_, 16>(executor, items, each),
        17..=64 => return run_slots::<_, 64>(executor, items, each),
        65..=MOST_SLOTS => return run_slots::<_, MOST_SLOTS>(executor, items, each),
        _ => {}
    }
    let rest = Mutex::new(items.enumerate());
    executor.run(tasks, &|_| {
        // A separate statement: the lock is released at its end.
        let next = rest.lock().next();
        if let Some((index, item)) = next {
            each(index, item);
        }
    });
    rest.into_inner()
        .for_each(|(index, item)| each(index, item));
}

/// The same for items that fit into as many slots.
fn run_slots<I, const SLOTS: usize>(
    executor: &dyn Executor,
    mut items: I,
    each: impl Fn(usize, I::Item) + Sync,
) where
    I: ExactSizeIterator<Item: Send>,
{
    let tasks = items.len();
    let mut next = |slot| if slot < tasks { items.next() } else { None };
    let slots: [_; SLOTS] = std::array::from_fn(|slot| Mutex::new(next(slot)));
    let take = |index: usize| {
        // A separate statement, as above.
        let item = slots.get(index).and_then(|slot| slot.lock().take());
        if let Some(item) = item {
            each(index, item);
        }
    };
    executor.run(tasks, &take);
    (0..tasks).for_each(take);
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::run_each;
    use crate::executor::tests::{COUNTS, Careless, ForMany};
    use crate::executor::{Executor, Serial};

    fn assert_each_is_handed_out_once(executor: &dyn Executor) {
        for len in COUNTS {
            let mut seen = vec![(0, usize::MAX); len];
            run_each(executor, &mut seen, |position, (times, at)| {
                *times += 1;
                *at = position;
            });
            for (k, seen) in seen.into_iter().enumerate() {
                assert_eq!(seen, (1, k), "times and position of item {k} of {len}");
            }
        }
    }

    #[test]
    fn serial_hands_out_each_once() {
        assert_each_is_handed_out_once(&Serial);
    }

    #[test]
    fn careless_executors_are_made_up_for() {
        assert_each_is_handed_out_once(&Careless(|_| vec![]));
        assert_each_is_handed_out_once(&Careless(|tasks| (0..tasks).step_by(3).collect()));
        assert_each_is_handed_out_once(&Careless(|tasks| [0, 0, 1, tasks, usize::MAX].to_vec()));
        assert_each_is_handed_out_once(&Careless(|tasks| {
            (0..tasks).rev().chain(0..tasks).collect()
        }));
    }

    #[test]
    fn a_single_item_stays_where_it_is() {
        let mut single = [7];
        run_each(&ForMany, &mut single, |position, item| *item = position);
        run_each(&ForMany, &mut [(); 0], |_, _| unreachable!("there is none"));
        assert_eq!(single, [0]);
    }

    /// Calls every task from each of three threads.
    struct ThreeTimes;

    impl Executor for ThreeTimes {
        fn threads(&self) -> usize {
            3
        }
        fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| (0..tasks).for_each(task));
                }
            });
        }
    }

    #[test]
    fn threads_that_repeat_each_others_tasks_share_the_items() {
        assert_each_is_handed_out_once(&ThreeTimes);
    }

    #[test]
    fn slices_go_in_step_and_items_may_be_owned() {
        let (mut words, mut sums) = (vec![1_u32; 1000], [0; 8]);
        let parts = words.chunks_mut(128).zip(&mut sums);
        run_each(&ThreeTimes, parts, |part, (words, sum)| {
            words.fill(part as u32);
            *sum = words.iter().sum();
        });
        assert_eq!(sums, [0, 128, 256, 384, 512, 640, 768, 7 * 104]);

        let lists: Vec<_> = (0..10).map(|k| (vec![k; k], k)).collect();
        run_each(&ThreeTimes, lists, |k, (list, len)| {
            assert_eq!((list.len(), len), (k, k))
        });
    }

    /// Runs the tasks in order, and swallows their panics.
    struct Silent;

    impl Executor for Silent {
        fn threads(&self) -> usize {
            1
        }
        fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            for i in 0..tasks {
                drop(catch_unwind(AssertUnwindSafe(|| task(i))));
            }
        }
    }

    #[test]
    fn a_panic_costs_one_item_and_no_other() {
        let mut times = [0; 10];
        run_each(&Silent, &mut times, |k, times| {
            *times += 1;
            assert_ne!(k, 5, "meant to panic");
        });
        assert_eq!(times, [1; 10]);
    }

    #[test]
    fn a_panic_that_is_passed_on_reaches_the_caller() {
        let mut times = [0; 10];
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            run_each(&Serial, &mut times, |k, times| {
                *times += 1;
                assert_ne!(k, 5, "meant to panic");
            });
        }));
        assert!(outcome.is_err());
        assert_eq!(times, [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn rayon_hands_out_each_once_on_any_number_of_threads() {
        use crate::Rayon;
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build()
                .unwrap()
                .install(|| assert_each_is_handed_out_once(&Rayon));
        }
    }
}
