//! Steps on bevy's own threads, so that a game has one thread pool and not two.

use std::sync::atomic::{AtomicUsize, Ordering};

use bevy_tasks::{ComputeTaskPool, TaskPool};
use throng::{Executor, Serial};

/// Runs tasks in bevy's [`ComputeTaskPool`], creating it if there is none yet. The executor of [`Space`](crate::Space), whose
/// searches run on it as steps do.
///
/// Each worker claims one task at a time, lowest first, so that uneven tasks balance. A single task, or a pool of one
/// thread, runs on the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BevyTasks;

impl Executor for BevyTasks {
    fn threads(&self) -> usize {
        pool().thread_num().max(1)
    }

    fn threads_sleep(&self) -> bool {
        true
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let workers = self.threads().min(tasks);
        if workers <= 1 {
            return Serial.run(tasks, task);
        }
        let next = AtomicUsize::new(0);
        let work = async || {
            loop {
                let claimed = next.fetch_add(1, Ordering::Relaxed);
                if claimed >= tasks {
                    break;
                }
                task(claimed);
            }
        };
        pool().scope(|scope| (0..workers).for_each(|_| scope.spawn(work())));
    }
}

fn pool() -> &'static TaskPool {
    ComputeTaskPool::get_or_init(TaskPool::default)
}
