//! A few blocks of a level, and the list of their children that the search visits next.

use throng_core::LANES;
use throng_core::lanes::{Lanes, NUMBERS, chunk_mut};

/// How many blocks a search looks into before it goes down to their children. One to eight are equally fast.
pub(super) const TOGETHER: usize = 4;

/// Room for the children of that many blocks, and for what a vector store writes past them. How many children there
/// are stands beside the array and not in a struct with it: visitors get the array's address, so that a length next to
/// it would be kept in memory instead of a register (a point query took a fifth longer).
pub(super) type Children = [u32; (TOGETHER + 1) * LANES];

/// No children yet.
pub(super) const NO_CHILDREN: Children = [0; (TOGETHER + 1) * LANES];

/// Writes the children of a block whose lanes are in the set after the first `len`. Returns how many there are now.
#[inline(always)]
pub(super) fn append<L: Lanes>(
    lanes: L,
    children: &mut Children,
    len: usize,
    set: u32,
    block: u32,
) -> usize {
    let first = lanes.splat_words(block * LANES as u32);
    let own = lanes.add_words(first, lanes.load_words(&NUMBERS));
    lanes.store_kept_words(chunk_mut(children, len), set, own);
    len + set.count_ones() as usize
}

/// The numbers of [`TOGETHER`] blocks from `first` on.
#[inline(always)]
pub(super) fn few_from(first: usize) -> [u32; TOGETHER] {
    let mut few = [0; TOGETHER];
    for (k, block) in few.iter_mut().enumerate() {
        *block = (first + k) as u32;
    }
    few
}
