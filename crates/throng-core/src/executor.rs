//! A list of numbered tasks, and who runs it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Anything that can run numbered tasks: rayon, one thread, or an engine's own job system.
///
/// An executor only has to call the tasks and wait for them; [`run_all`] and [`run_each`](crate::run_each) make up
/// for one that repeats or forgets some. If a task panics, `run` should panic too, once no task is running any more.
///
/// A list of tasks often reads what the list before wrote, and tasks at the same fraction of both lists touch about the same
/// memory. So an executor does well to give each thread the same share of every list, and to let threads that are done
/// help others from the end of theirs.
///
/// ```
/// use throng_core::{Executor, run_all};
///
/// /// Runs the second half of the tasks on a thread of its own.
/// struct TwoThreads;
///
/// impl Executor for TwoThreads {
///     fn threads(&self) -> usize {
///         2
///     }
///     fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             scope.spawn(|| (tasks / 2..tasks).for_each(task));
///             (0..tasks / 2).for_each(task);
///         });
///     }
/// }
///
/// let done = std::sync::atomic::AtomicUsize::new(0);
/// run_all(&TwoThreads, 10, &|_| {
///     done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
/// });
/// assert_eq!(done.into_inner(), 10);
/// ```
pub trait Executor: Sync {
    /// How many tasks may run at the same time, at least 1. It decides how much scratch memory there is, and into how many
    /// parts rows are cut. No result depends on this number.
    fn threads(&self) -> usize;

    /// Calls `task(i)` for every `i < tasks` exactly once, on any thread, in any order, and returns
    /// when all calls have returned. [`run_all`] and [`run_each`](crate::run_each) ask for two or
    /// more, unless there is only one thread.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));

    /// Whether idle threads fall asleep, so that it takes microseconds until they help. A step too short for that to pay then runs
    /// on the calling thread, unless the call itself names the executor.
    fn threads_sleep(&self) -> bool {
        false
    }

    /// Calls `work` once, and returns when it has returned. `work` calls [`run`](Self::run) several times. An executor whose
    /// `run` is cheaper on a thread of its own calls `work` there; by default it runs on the calling thread.
    ///
    /// Called by way of [`run_inside`], which makes up for an executor that repeats or forgets it.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}

/// Runs every task on the calling thread, in order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Serial;

impl Executor for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(task);
    }
}

/// The executor of a caller who names none: `Rayon`; without the `parallel` feature, [`Serial`].
pub fn default_executor() -> &'static dyn Executor {
    #[cfg(feature = "parallel")]
    return &crate::rayon_executor::Rayon;
    #[cfg(not(feature = "parallel"))]
    return &Serial;
}

/// Calls `work` from where the executor's tasks are best called from, exactly once, whatever the executor does.
///
/// For whoever calls [`run_each`](crate::run_each) or [`run_all`] several times in a row.
///
/// ```
/// use throng_core::{Serial, run_all, run_inside};
///
/// let done = run_inside(&Serial, || {
///     run_all(&Serial, 2, &|_| {});
///     run_all(&Serial, 3, &|_| {});
///     5
/// });
/// assert_eq!(done, 5);
/// ```
///
/// # Panics
///
/// If `work` panics.
pub fn run_inside<R: Send>(executor: &dyn Executor, work: impl FnOnce() -> R + Send) -> R {
    let mut result = None;
    let mut work = Some(work);
    executor.enter(&mut || {
        if let Some(work) = work.take() {
            result = Some(work());
        }
    });
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(forgotten)) => forgotten(),
        (None, None) => panic!("what ran inside the executor has panicked"),
    }
}

/// Runs every task exactly once, whatever the executor does.
///
/// An index that the executor repeats, or that is out of range, is ignored. Tasks that the executor forgot run on the calling thread,
/// in order, and so does a single one, if the executor has several threads. Costs one atomic operation per task, and allocates only for
/// more than 65,536 tasks.
///
/// # Panics
///
/// If a task panics and the executor passes that on. Some tasks may not have run then.
pub fn run_all(executor: &dyn Executor, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    const WORDS_ON_STACK: usize = 1024;
    if is_for_the_caller(executor, tasks) {
        return (0..tasks).for_each(task);
    }
    let words = tasks.div_ceil(Claims::BITS);
    if words <= WORDS_ON_STACK {
        let bits = [const { AtomicU64::new(0) }; WORDS_ON_STACK];
        Claims(&bits[..words]).run(executor, tasks, task);
    } else {
        let bits: Vec<_> = (0..words).map(|_| AtomicU64::new(0)).collect();
        Claims(&bits).run(executor, tasks, task);
    }
}

/// Whether there is nothing to share: to wake one of several threads for it would take longer. (An executor with one thread may have it so
/// that everything runs there.)
pub(crate) fn is_for_the_caller(executor: &dyn Executor, tasks: usize) -> bool {
    tasks <= 1 && executor.threads() > 1
}

/// One bit per task, set by whichever thread runs it.
struct Claims<'a>(&'a [AtomicU64]);

impl Claims<'_> {
    const BITS: usize = u64::BITS as usize;

    fn run(&self, executor: &dyn Executor, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        executor.run(tasks, &|i| {
            if i < tasks && self.claim(i) {
                task(i);
            }
        });
        for i in self.unclaimed(tasks) {
            if self.claim(i) {
                task(i);
            }
        }
    }

    /// True for one caller only. Relaxed ordering is enough: the bit decides nothing else, and the return of the
    /// executor is what makes the task's own writes visible.
    fn claim(&self, i: usize) -> bool {
        let bit = 1 << (i % Self::BITS);
        self.0[i / Self::BITS].fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    fn unclaimed(&self, tasks: usize) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(move |(word, bits)| {
            let first = word * Self::BITS;
            let mut left = !bits.load(Ordering::Relaxed);
            std::iter::from_fn(move || {
                let i = first + left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (i < tasks && i < first + Self::BITS).then_some(i)
            })
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Executor, Serial, run_all, run_inside};

    /// Task counts around the edges of the claim words and of the array on the stack.
    pub(crate) const COUNTS: [usize; 9] = [0, 1, 2, 63, 64, 65, 4096, 4097, 10_000];

    /// Runs the tasks that `plan` lists.
    pub(crate) struct Careless<P>(pub(crate) P);

    impl<P: Fn(usize) -> Vec<usize> + Sync> Executor for Careless<P> {
        fn threads(&self) -> usize {
            1
        }
        fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            (self.0)(tasks).into_iter().for_each(task);
        }
    }

    pub(crate) fn assert_each_runs_once(executor: &dyn Executor) {
        for tasks in COUNTS {
            let runs: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            run_all(executor, tasks, &|i| {
                runs[i].fetch_add(1, Ordering::Relaxed);
            });
            for (i, runs) in runs.into_iter().enumerate() {
                assert_eq!(runs.into_inner(), 1, "runs of task {i} of {tasks}");
            }
        }
    }

    #[test]
    fn serial_runs_each_once() {
        assert_each_runs_once(&Serial);
        assert_eq!(Serial.threads(), 1);
    }

    #[test]
    fn careless_executors_are_made_up_for() {
        assert_each_runs_once(&Careless(|_| vec![]));
        assert_each_runs_once(&Careless(|tasks| (0..tasks).step_by(3).collect()));
        assert_each_runs_once(&Careless(|tasks| [0, 0, 1, tasks, usize::MAX].to_vec()));
        assert_each_runs_once(&Careless(|tasks| {
            (0..tasks).rev().chain(0..tasks).collect()
        }));
    }

    /// Has two threads, and is not to be bothered with fewer than two tasks.
    pub(crate) struct ForMany;

    impl Executor for ForMany {
        fn threads(&self) -> usize {
            2
        }
        fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            assert!(tasks > 1, "it is not worth a call");
            (0..tasks).for_each(task);
        }
    }

    #[test]
    fn a_single_task_stays_where_it_is() {
        let runs = AtomicUsize::new(0);
        for tasks in [0, 1] {
            run_all(&ForMany, tasks, &|_| {
                runs.fetch_add(1, Ordering::Relaxed);
            });
        }
        assert_eq!(runs.into_inner(), 1);
    }

    #[test]
    fn forgotten_tasks_run_in_order() {
        let order = std::sync::Mutex::new(Vec::new());
        run_all(&Careless(|_| vec![70, 3]), 100, &|i| {
            order.lock().unwrap().push(i);
        });
        let order = order.into_inner().unwrap();
        assert_eq!(order[..2], [70, 3]);
        assert!(order[2..].is_sorted() && order.len() == 100);
    }

    /// Calls what is to run inside so many times.
    struct Enters(usize);

    impl Executor for Enters {
        fn threads(&self) -> usize {
            1
        }
        fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            (0..tasks).for_each(task);
        }
        fn enter(&self, work: &mut (dyn FnMut() + Send)) {
            (0..self.0).for_each(|_| work());
        }
    }

    #[test]
    fn work_runs_once_inside_however_often_it_is_called() {
        for times in [0, 1, 2] {
            let mut runs = 0;
            let result = run_inside(&Enters(times), || {
                runs += 1;
                "done"
            });
            assert_eq!((result, runs), ("done", 1), "called {times} times");
        }
        assert_eq!(run_inside(&Serial, || 7), 7);
    }

    /// Runs tasks in order, and hides a panic of the work that it was entered with.
    struct Hides;

    impl Executor for Hides {
        fn threads(&self) -> usize {
            1
        }
        fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
            (0..tasks).for_each(task);
        }
        fn enter(&self, work: &mut (dyn FnMut() + Send)) {
            drop(catch_unwind(AssertUnwindSafe(work)));
        }
    }

    #[test]
    fn a_panic_inside_reaches_the_caller_even_if_it_is_hidden() {
        for executor in [&Serial as &dyn Executor, &Hides] {
            let inside = || run_inside(executor, || assert_eq!(1, 2, "meant to panic"));
            assert!(catch_unwind(AssertUnwindSafe(inside)).is_err());
        }
    }
}
