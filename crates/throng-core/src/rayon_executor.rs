//! The executor that runs tasks in a rayon pool.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::executor::{Executor, Serial};

/// Runs tasks in the rayon pool that the caller is in (`pool.install(..)`), or in the global one.
///
/// Each worker has a range of the tasks and claims them one at a time, lowest first; when it has none left, it claims from the
/// end of another's range, so that uneven tasks balance. The ranges are the same in every run of as many tasks, so that a
/// worker finds in its cache what it wrote in the run before, where one run reads what another wrote. A single task, or a pool
/// of one thread, runs on the calling thread.
///
/// A caller who is outside of the pool falls asleep until its tasks are done, so a frame [`enter`](Executor::enter)s the pool once.
/// It is faster to be one of the pool's threads (`rayon::ThreadPoolBuilder::use_current_thread`): then one thread less has to be woken
/// and to be found a processor.
/// The worker that called for a list stays awake for a while when it is done, because the others usually finish soon and the
/// next list is not far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rayon;

impl Executor for Rayon {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let workers = self.threads().min(tasks);
        let ranges = workers.min(MOST_RANGES);
        let Ok(end) = u32::try_from(tasks) else {
            return Serial.run(tasks, task);
        };
        if workers <= 1 {
            return Serial.run(tasks, task);
        }
        let bound = |k: usize| (u64::from(end) * k as u64 / ranges as u64) as u32;
        let range = |k: usize| {
            if k < ranges {
                bound(k)..bound(k + 1)
            } else {
                0..0
            }
        };
        let list: [_; MOST_RANGES] = std::array::from_fn(|k| TaskRange::new(range(k)));
        let list = &list[..ranges];
        let unfinished = Unfinished(AtomicUsize::new(tasks));
        let work = || {
            let own = rayon::current_thread_index().unwrap_or(0) % ranges;
            while let Some(i) = list[own].claim_first() {
                unfinished.one_less_after(|| task(i as usize));
            }
            // The one after it first, so that not all help the same.
            for k in 1..ranges {
                while let Some(i) = list[(own + k) % ranges].claim_last() {
                    unfinished.one_less_after(|| task(i as usize));
                }
            }
        };
        rayon::join(
            || {
                work();
                unfinished.wait_awake();
            },
            || on_workers(workers - 1, &work),
        );
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        if self.threads() <= 1 || rayon::current_thread_index().is_some() {
            work();
        } else {
            // A join, because it is the way into a pool that allocates nothing.
            rayon::join(work, || ());
        }
    }
}

/// How many tasks of a list are not done yet.
struct Unfinished(AtomicUsize);

impl Unfinished {
    /// Runs a task and counts it as done, even if it panics.
    #[inline]
    fn one_less_after(&self, task: impl FnOnce()) {
        struct OneLess<'a>(&'a AtomicUsize);
        impl Drop for OneLess<'_> {
            fn drop(&mut self) {
                // What tasks have written is made visible by the join.
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let _done = OneLess(&self.0);
        task();
    }

    /// Waits for the tasks of other workers, but not for longer than it pays to stay awake. Nothing depends on it: the join
    /// waits for whatever is left, but falls asleep within microseconds. To be woken again takes as long as thousands of rows do,
    /// and the next list of a frame is only a moment away.
    fn wait_awake(&self) {
        /// First it only spins, some tens of microseconds in all: so many rounds, and pauses in each.
        const SPINS: usize = 64;
        const PAUSES: usize = 16;
        /// Then others may have the processor, so many times; after that the join may put it to sleep.
        const YIELDS: usize = 512;
        for round in 0..SPINS + YIELDS {
            if self.0.load(Ordering::Relaxed) == 0 {
                return;
            }
            // Other workers' tasks may have tasks of their own, which whoever waits has to help with.
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                continue;
            }
            if round < SPINS {
                (0..PAUSES).for_each(|_| std::hint::spin_loop());
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// The most ranges that tasks are cut into.
const MOST_RANGES: usize = 64;

/// Tasks that nobody has claimed yet: the first of them, and where they end, in one word. No two share a cache line.
#[repr(align(64))]
struct TaskRange(AtomicU64);

impl TaskRange {
    fn new(tasks: std::ops::Range<u32>) -> Self {
        Self(AtomicU64::new(Self::word(tasks.start, tasks.end)))
    }

    fn word(first: u32, end: u32) -> u64 {
        u64::from(first) << 32 | u64::from(end)
    }

    /// Claims the first task; `None` if there are no more.
    fn claim_first(&self) -> Option<u32> {
        self.claim(|first, end| Self::word(first + 1, end))
            .map(|[first, _]| first)
    }

    /// Claims the last task; `None` if there are no more.
    fn claim_last(&self) -> Option<u32> {
        self.claim(|first, end| Self::word(first, end - 1))
            .map(|[_, end]| end - 1)
    }

    /// The range before it was changed.
    fn claim(&self, rest: impl Fn(u32, u32) -> u64) -> Option<[u32; 2]> {
        let split = |word: u64| [(word >> 32) as u32, word as u32];
        let claimed = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
                let [first, end] = split(word);
                (first < end).then(|| rest(first, end))
            });
        claimed.ok().map(split)
    }
}

/// Offers `work` to `workers` workers. A tree of joins, because a join keeps its job on the stack, where a scope's
/// spawn would allocate one.
fn on_workers(workers: usize, work: &(dyn Fn() + Sync)) {
    if workers <= 1 {
        return work();
    }
    let half = workers / 2;
    rayon::join(
        || on_workers(workers - half, work),
        || on_workers(half, work),
    );
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Rayon, TaskRange, Unfinished};
    use crate::executor::tests::{COUNTS, assert_each_runs_once};
    use crate::executor::{Executor, run_all};

    fn pool(threads: usize) -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    /// Of two tasks that wait for each other, each needs a worker of its own.
    #[test]
    fn rayon_runs_tasks_side_by_side() {
        let pool = pool(2);
        let (arrived, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.install(|| {
            run_all(&Rayon, 2, &|_| {
                arrived.fetch_add(1, Ordering::SeqCst);
                let started = std::time::Instant::now();
                while arrived.load(Ordering::SeqCst) < 2 && started.elapsed().as_secs() < 20 {
                    std::thread::yield_now();
                }
                met.fetch_add(
                    usize::from(arrived.load(Ordering::SeqCst) == 2),
                    Ordering::SeqCst,
                );
            });
        });
        assert_eq!(met.into_inner(), 2, "one ran after the other");
    }

    #[test]
    fn a_range_is_claimed_from_both_ends() {
        let range = TaskRange::new(3..8);
        let claimed = [
            range.claim_first(),
            range.claim_last(),
            range.claim_last(),
            range.claim_first(),
        ];
        assert_eq!(claimed, [Some(3), Some(7), Some(6), Some(4)]);
        assert_eq!(
            [range.claim_last(), range.claim_first(), range.claim_last()],
            [Some(5), None, None]
        );
        assert_eq!(TaskRange::new(4..4).claim_first(), None);
    }

    /// Without what `run_all` makes up for.
    #[test]
    fn rayon_itself_runs_each_once() {
        for threads in [1, 2, 3, 8, 70] {
            let pool = pool(threads);
            for tasks in COUNTS {
                let runs: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                pool.install(|| {
                    Rayon.run(tasks, &|i| {
                        runs[i].fetch_add(1, Ordering::Relaxed);
                    });
                });
                let wrong = runs
                    .iter()
                    .position(|runs| runs.load(Ordering::Relaxed) != 1);
                assert_eq!(wrong, None, "{tasks} tasks on {threads} threads");
            }
        }
    }

    #[test]
    fn rayon_runs_each_once_on_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            pool(threads).install(|| {
                assert_eq!(Rayon.threads(), threads);
                assert_each_runs_once(&Rayon);
            });
        }
    }

    #[test]
    fn a_panic_in_a_task_reaches_the_caller() {
        let pool = pool(2);
        let run = || run_all(&Rayon, 10, &|i| assert_ne!(i, 5, "meant to panic"));
        let in_pool = AssertUnwindSafe(|| pool.install(run));
        let outcome = catch_unwind(in_pool);
        assert!(outcome.is_err());
    }

    #[test]
    fn tasks_are_done_even_if_one_panics() {
        let unfinished = Unfinished(AtomicUsize::new(3));
        unfinished.one_less_after(|| {});
        let panics = AssertUnwindSafe(|| unfinished.one_less_after(|| panic!("meant to panic")));
        assert!(catch_unwind(panics).is_err());
        assert_eq!(unfinished.0.load(Ordering::Relaxed), 1);
        // Nobody does the last one, and nobody waits for ever.
        unfinished.wait_awake();
    }

    /// Lists inside of tasks, and joins of the tasks' own, on pools that are busy with others.
    #[test]
    fn tasks_may_run_lists_and_join() {
        for threads in [1, 2, 3, 8] {
            let (pool, runs) = (pool(threads), AtomicUsize::new(0));
            let count = |by: usize| {
                runs.fetch_add(by, Ordering::Relaxed);
            };
            let frame = || {
                Rayon.enter(&mut || {
                    for _ in 0..20 {
                        Rayon.run(7, &|_| {
                            rayon::join(|| count(1), || Rayon.run(5, &|_| count(1)));
                        });
                    }
                });
            };
            pool.install(|| rayon::join(frame, frame));
            assert_eq!(runs.into_inner(), 2 * 20 * 7 * 6, "{threads} threads");
        }
    }

    #[test]
    fn a_caller_from_outside_enters_the_pool_and_one_inside_stays() {
        let inside = || {
            let mut at = None;
            Rayon.enter(&mut || at = rayon::current_thread_index());
            at
        };
        assert!(rayon::current_thread_index().is_none());
        assert_eq!(inside().is_some(), Rayon.threads() > 1);
        pool(2).install(|| assert_eq!(inside(), rayon::current_thread_index()));
    }
}
