//! What a search needs of a structure whose rows each sit in exactly one leaf.

use std::ops::ControlFlow;
use throng_core::BoxKernels;

/// The lower and the upper corner of a box.
pub(crate) type Corners = [[f32; 2]; 2];

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
    /// The kernels that compare the leaves' boxes.
    fn kernels(&self) -> BoxKernels;

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

/// Whether two boxes touch, as the overlap test has it.
#[inline(always)]
pub(crate) fn touches(a: &Corners, b: &Corners) -> bool {
    let along =
        |axis: usize| throng_core::overlaps_1d(a[0][axis], a[1][axis], b[0][axis], b[1][axis]);
    along(0) & along(1)
}

/// The box that holds both.
#[inline(always)]
pub(crate) fn union(a: &Corners, b: &Corners) -> Corners {
    [
        [a[0][0].min(b[0][0]), a[0][1].min(b[0][1])],
        [a[1][0].max(b[1][0]), a[1][1].max(b[1][1])],
    ]
}

/// Corners of a box that holds nothing and disappears in a [`union`].
pub(crate) const NOTHING: Corners = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
