//! Who runs the tasks of a world, and for how many at once there is memory.

use throng_core::Executor;

/// The pool the caller is in, or the calling thread.
pub(crate) fn default_executor() -> &'static dyn Executor {
    #[cfg(feature = "parallel")]
    return &throng_core::Rayon;
    #[cfg(not(feature = "parallel"))]
    return &throng_core::Serial;
}

/// How many workers to keep memory for: no more than have a chunk to search, whatever the executor
/// says.
pub(crate) fn workers(executor: &dyn Executor, chunks: usize) -> usize {
    executor.threads().min(chunks).max(1)
}
