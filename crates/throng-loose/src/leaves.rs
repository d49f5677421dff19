//! What a search needs of a structure whose rows each sit in exactly one leaf.

use crate::sides::Corners;
use std::ops::ControlFlow;
use throng_core::Simd;

/// Boxes of one leaf that lie side by side in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    /// min x, min y, max x, max y; each as long as `rows`.
    pub sides: [&'a [f32]; 4],
    pub rows: &'a [u32],
}

/// A structure cut into leaves, each row in one of them.
///
/// Leaves are numbered in the order in which a search walks them, which should follow space: then what one
/// leaf finds around it is still in the cache for the next. A number holds only until the next change.
pub(crate) trait Leaves: Sync {
    /// The instruction set that compares the leaves' boxes.
    fn simd(&self) -> Simd;

    /// How many leaves there are; some may hold no row.
    fn leaf_count(&self) -> usize;

    /// How many rows the leaf holds.
    fn leaf_len(&self, leaf: usize) -> usize;

    /// Corners of a box that holds every box in the leaf; anything if there is none.
    fn leaf_bounds(&self, leaf: usize) -> Corners;

    /// All boxes of the leaf.
    fn stretches(&self, leaf: usize) -> impl Iterator<Item = Stretch<'_>>;

    /// Visits every leaf from number `first` on that holds rows and whose bounds touch the window, once, in
    /// an order that depends on the data alone, until the visitor breaks. Allocates nothing.
    fn leaves_touching<B>(
        &self,
        window: &Corners,
        first: usize,
        visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B>;
}
