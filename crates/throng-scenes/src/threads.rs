//! Threads without a pool.

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
            for thread in 1..self.0 {
                scope.spawn(move || (thread..tasks).step_by(self.0).for_each(task));
            }
            (0..tasks).step_by(self.0).for_each(task);
        });
    }
}
