//! Threads without a pool.

use std::sync::atomic::{AtomicUsize, Ordering};

use throng_core::Executor;

/// This many threads, of which thread `i` runs tasks `i`, `i + n`, `i + 2n` and so on: what an engine's own job
/// system might look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads(pub usize);

/// Numbers of threads to test with.
pub const THREADS: [usize; 4] = [1, 2, 3, 8];

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for thread in 1..self.0.min(tasks) {
                scope.spawn(move || (thread..tasks).step_by(self.0).for_each(task));
            }
            (0..tasks).step_by(self.0).for_each(task);
        });
    }
}

/// One thread, which panics in one of its runs of tasks, after the first task.
#[derive(Debug)]
pub struct Failing {
    runs: AtomicUsize,
    fails_at: usize,
}

impl Failing {
    /// Fails in this run, the first of which is 0.
    pub fn at(run: usize) -> Self {
        Self {
            runs: AtomicUsize::new(0),
            fails_at: run,
        }
    }

    /// Whether that run has come.
    pub fn has_failed(&self) -> bool {
        self.runs.load(Ordering::Relaxed) > self.fails_at
    }
}

impl Executor for Failing {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if self.runs.fetch_add(1, Ordering::Relaxed) == self.fails_at {
            if tasks > 0 {
                task(0);
            }
            panic!("meant to panic");
        }
        (0..tasks).for_each(task);
    }
}
