//! Who runs a frame: the calling thread, or a pool.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use throng_core::{Executor, Rayon, Serial};

/// Makes the calling thread one of the workers of rayon's global pool, and starts the others.
///
/// Every program that compares does this, so that only the other workers have to be woken for a frame. A peer called from outside of the
/// pool would wake all workers, one for each processor; if two of them wake on the same processor, as often happens on a virtual machine
/// with two, a short frame is over before the system moves one. (throng itself does not need this.)
///
/// # Errors
///
/// If there is a global pool already, or the threads cannot be started.
pub fn work_on(threads: usize) -> Result<(), ThreadPoolBuildError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.use_current_thread().build_global()
}

/// A number of threads, ready to work.
pub struct Workers(Who);

enum Who {
    Caller,
    /// The pool that the caller is a worker of.
    OwnPool,
    Pool(ThreadPool),
}

impl Workers {
    /// One thread is the calling one; more are the pool that it belongs to, if that has as many, or else a rayon pool of their own.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        if threads <= 1 {
            return Ok(Self(Who::Caller));
        }
        let is_worker = rayon::current_thread_index().is_some();
        if is_worker && rayon::current_num_threads() == threads {
            return Ok(Self(Who::OwnPool));
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self(Who::Pool(pool)))
    }

    /// One thread as well is a rayon pool, of one. For libraries that would use the pool of the process if they found it.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started.
    pub fn in_a_pool(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        if threads > 1 {
            return Self::new(threads);
        }
        let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
        Ok(Self(Who::Pool(pool)))
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        match &self.0 {
            Who::Caller => 1,
            Who::OwnPool => rayon::current_num_threads(),
            Who::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Calls `job` inside the pool, as an engine does that lives in one. Take times inside the job: a
    /// frame does not wait for its own thread to wake.
    pub fn run<R: Send>(&self, job: impl FnOnce(&dyn Executor) -> R + Send) -> R {
        match &self.0 {
            Who::Caller => job(&Serial),
            Who::OwnPool => job(&Rayon),
            Who::Pool(pool) => pool.install(|| job(&Rayon)),
        }
    }
}
