//! How many workers there is memory for.

use throng_core::Executor;

/// How many workers to keep memory for: at most one per chunk, whatever the executor reports.
pub(crate) fn workers(executor: &dyn Executor, chunks: usize) -> usize {
    executor.threads().min(chunks).max(1)
}
