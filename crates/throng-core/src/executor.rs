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
    /// How many tasks may run at the same time, at least 1. It decides how much scratch memory there is, and into how many parts rows are cut: no result depends on
    /// it.
    fn threads(&self) -> usize;

    /// Calls `task(i)` for every `i < tasks` exactly once, on any thread, in any order, and returns
    /// when all calls have returned.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));
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
    return &Rayon;
    #[cfg(not(feature = "parallel"))]
    return &Serial;
}

/// Runs tasks in the rayon pool that the caller is in (`pool.install(..)`), or in the global one.
///
/// Each worker has a range of the tasks and claims them one at a time, lowest first; when it has none left, it claims from the
/// end of another's range, so that uneven tasks balance. The ranges are the same in every run of as many tasks, so that a
/// worker finds in its cache what it wrote in the run before, where one run reads what another wrote. A single task, or a pool
/// of one thread, runs on the calling thread.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rayon;

#[cfg(feature = "parallel")]
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
        let bound = |k: usize| (u64::from(end) * k.min(ranges) as u64 / ranges as u64) as u32;
        let list: [_; MOST_RANGES] =
            std::array::from_fn(|k| TaskRange::new(bound(k)..bound(k + 1)));
        let list = &list[..ranges];
        on_workers(workers, &|| {
            let own = rayon::current_thread_index().unwrap_or(0) % ranges;
            while let Some(i) = list[own].claim_first() {
                task(i as usize);
            }
            // The one after it first, so that not all help the same.
            for k in 1..ranges {
                while let Some(i) = list[(own + k) % ranges].claim_last() {
                    task(i as usize);
                }
            }
        });
    }
}

/// The most ranges that tasks are cut into.
#[cfg(feature = "parallel")]
const MOST_RANGES: usize = 64;

/// Tasks that nobody has claimed yet: the first of them, and where they end, in one word. No two share a cache line.
#[cfg(feature = "parallel")]
#[repr(align(64))]
struct TaskRange(AtomicU64);

#[cfg(feature = "parallel")]
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
#[cfg(feature = "parallel")]
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

/// Runs every task exactly once, whatever the executor does.
///
/// An index that the executor repeats, or that is out of range, is ignored; tasks it forgot run on
/// the calling thread, in order. Costs one atomic operation per task, and allocates only for more
/// than 65,536 tasks.
///
/// # Panics
///
/// If a task panics and the executor passes that on. Some tasks may not have run then.
pub fn run_all(executor: &dyn Executor, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    const WORDS_ON_STACK: usize = 1024;
    let words = tasks.div_ceil(Claims::BITS);
    if words <= WORDS_ON_STACK {
        let bits = [const { AtomicU64::new(0) }; WORDS_ON_STACK];
        Claims(&bits[..words]).run(executor, tasks, task);
    } else {
        let bits: Vec<_> = (0..words).map(|_| AtomicU64::new(0)).collect();
        Claims(&bits).run(executor, tasks, task);
    }
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Executor, Serial, run_all};

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

    /// Of two tasks that wait for each other, each needs a worker of its own.
    #[cfg(feature = "parallel")]
    #[test]
    fn rayon_runs_tasks_side_by_side() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        let (arrived, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.install(|| {
            run_all(&super::Rayon, 2, &|_| {
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

    #[cfg(feature = "parallel")]
    #[test]
    fn a_range_is_claimed_from_both_ends() {
        let range = super::TaskRange::new(3..8);
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
        assert_eq!(super::TaskRange::new(4..4).claim_first(), None);
    }

    /// Without what `run_all` makes up for.
    #[cfg(feature = "parallel")]
    #[test]
    fn rayon_itself_runs_each_once() {
        for threads in [1, 2, 3, 8, 70] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            for tasks in COUNTS {
                let runs: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                pool.install(|| {
                    super::Rayon.run(tasks, &|i| {
                        runs[i].fetch_add(1, Ordering::Relaxed);
                    });
                });
                let twice = runs
                    .iter()
                    .position(|runs| runs.load(Ordering::Relaxed) != 1);
                assert_eq!(twice, None, "{tasks} tasks on {threads} threads");
            }
        }
    }

    fn assert_each_runs_once(executor: &dyn Executor) {
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

    #[cfg(feature = "parallel")]
    #[test]
    fn rayon_runs_each_once_on_any_number_of_threads() {
        use super::Rayon;
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                assert_eq!(Rayon.threads(), threads);
                assert_each_runs_once(&Rayon);
            });
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_panic_in_a_task_reaches_the_caller() {
        use super::Rayon;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        let pool = pool.build().unwrap();
        let run = || run_all(&Rayon, 10, &|i| assert_ne!(i, 5, "meant to panic"));
        let in_pool = std::panic::AssertUnwindSafe(|| pool.install(run));
        let outcome = std::panic::catch_unwind(in_pool);
        assert!(outcome.is_err());
    }
}
