//! Who runs a frame: the calling thread, or a pool.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use throng_core::{Executor, Rayon, Serial};

/// A number of threads, ready to work.
pub struct Workers {
    /// `None` is the calling thread.
    pool: Option<ThreadPool>,
}

impl Workers {
    /// One thread is the calling one; more are a rayon pool of their own.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = match threads {
            0 | 1 => None,
            _ => Some(ThreadPoolBuilder::new().num_threads(threads).build()?),
        };
        Ok(Self { pool })
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, ThreadPool::current_num_threads)
    }

    /// Calls `job` inside the pool, as an engine does that lives in one. Take times inside the job: a
    /// frame does not wait for its own thread to wake.
    pub fn run<R: Send>(&self, job: impl FnOnce(&dyn Executor) -> R + Send) -> R {
        match &self.pool {
            None => job(&Serial),
            Some(pool) => pool.install(|| job(&Rayon)),
        }
    }
}
