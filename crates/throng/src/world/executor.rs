//! The default executor of a world, and how many workers there is memory for.

use throng_core::Executor;

/// The rayon pool that the caller is in, or the calling thread.
pub(crate) fn default_executor() -> &'static dyn Executor {
    #[cfg(feature = "parallel")]
    return &throng_core::Rayon;
    #[cfg(not(feature = "parallel"))]
    return &throng_core::Serial;
}

/// How many workers to keep memory for: at most one per chunk, whatever the executor reports.
pub(crate) fn workers(executor: &dyn Executor, chunks: usize) -> usize {
    executor.threads().min(chunks).max(1)
}
