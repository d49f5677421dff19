//! Runs a search that is split into chunks in one go.

use crate::arena::Arena;
use crate::search_stats::SearchStats;

/// Searches all chunks on the calling thread, in order, and visits what they find pair by pair.
///
/// `search` gets a chunk, an arena for it, and a visitor for its pairs.
pub fn search_chunks(
    chunks: usize,
    scratch_bytes: usize,
    mut search: impl FnMut(usize, &mut Arena, &mut dyn FnMut(&[[u32; 2]])) -> SearchStats,
    mut visit: impl FnMut(u32, u32),
) -> SearchStats {
    let mut arena = Arena::with_capacity(scratch_bytes);
    let mut total = SearchStats::default();
    for chunk in 0..chunks {
        let mut visit_all = |batch: &[[u32; 2]]| batch.iter().for_each(|&[a, b]| visit(a, b));
        total += search(chunk, &mut arena, &mut visit_all);
    }
    total
}
