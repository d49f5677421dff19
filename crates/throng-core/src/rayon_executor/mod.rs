//! The executor that runs tasks in a rayon pool.
//!
//! A caller who is in the pool joins its workers anew for each list. One join around all lists of a step was tried as well, in which
//! workers stay awake from list to list: they were at the second list some twenty microseconds earlier, but a step of 5,000 to
//! 100,000 rows took no less time. What takes time is to wake them for the first.

mod list;
mod outside;
mod wait;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::executor::{Executor, Serial};
use list::TaskList;
use wait::Patience;

/// Runs tasks in the rayon pool that the caller is in (`pool.install(..)`), or in the global one.
///
/// Each worker has a range of the tasks and claims them one at a time, lowest first; when it has none left, it claims from the
/// end of another's range, so that uneven tasks balance. The ranges are the same in every run of as many tasks, so that a
/// worker finds in its cache what it wrote in the run before, where one run reads what another wrote. A single task, or a pool
/// of one thread, runs on the calling thread.
///
/// A caller who is in no pool does its share of the tasks itself, and workers of the global pool help. So it begins at once and does
/// not fall asleep, and if the system is slow to wake the others, it does their share too. Waking each of them allocates a few
/// bytes; nothing is allocated for a caller who is one of the pool's threads (`rayon::ThreadPoolBuilder::use_current_thread`) or
/// comes by `install`.
///
/// Whoever called for a list stays awake for a while when its own part is done, because the others usually finish soon and the
/// next list is not far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rayon;

impl Executor for Rayon {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    fn threads_sleep(&self) -> bool {
        true
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let workers = self.threads().min(tasks);
        let Some(list) = TaskList::new(tasks, workers, task).filter(|_| workers > 1) else {
            return Serial.run(tasks, task);
        };
        if rayon::current_thread_index().is_none() {
            return outside::run(&list, workers - 1);
        }
        let unfinished = Unfinished(AtomicUsize::new(tasks));
        let work = || {
            let own = rayon::current_thread_index().unwrap_or(0);
            list.work_as(own, |task| unfinished.one_less_after(task));
        };
        rayon::join(
            || {
                work();
                unfinished.wait_awake();
            },
            || on_workers(workers - 1, &work),
        );
    }
}

/// Runs tasks in this pool. A caller who is in no pool sleeps meanwhile; one in another pool does other work there.
impl Executor for rayon::ThreadPool {
    fn threads(&self) -> usize {
        self.current_num_threads()
    }

    fn threads_sleep(&self) -> bool {
        true
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.install(|| Rayon.run(tasks, task));
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.install(work);
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
        let mut patience = Patience::default();
        while self.0.load(Ordering::Relaxed) > 0 {
            // Other workers' tasks may have tasks of their own, which whoever waits has to help with.
            if rayon::yield_now() != Some(rayon::Yield::Executed) && !patience.wait() {
                return;
            }
        }
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

    use super::{Rayon, Unfinished};
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
}
