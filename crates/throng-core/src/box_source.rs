//! A structure as other structures see it.

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::box_run::BoxRun;
use crate::mask_words::RowMasks;
use crate::pair_buffer::{PairBuffer, PairOrder};
use std::ops::ControlFlow;

/// A structure that can be asked which of its boxes touch a window.
///
/// This is all that two structures need in order to be searched together: the one with more rows is walked leaf by
/// leaf, and the other is asked once per leaf, not once per box.
pub trait BoxSource: Sync {
    /// Appends every row whose box touches `window`, once each, in an order that depends only on the data. Takes the
    /// room it needs from `arena`, and does not [`finish`](BoxRun::finish) the run.
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>);

    /// Fills `found`, which is empty, with the centers of boxes, as boxes of no size: every center that lies in
    /// `window`, and perhaps others whose boxes touch it. Otherwise like [`gather`](Self::gather).
    ///
    /// A structure of points gives its points as they are. Elsewhere the center is [`Aabb::center`].
    fn gather_middles<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather(window, arena, found);
        found.replace_each(center_box);
    }

    /// The structure as one that finds the pairs of many boxes at once, if that is faster than to be asked for one window after
    /// the other.
    fn at_once(&self) -> Option<&dyn PairsAtOnce> {
        None
    }

    /// About how far apart boxes are where they are dense, if the structure can tell from a few of them. O(1); in a forest O(trees),
    /// from the largest of them.
    fn spacing(&self) -> Option<f32> {
        None
    }

    /// Whether there are no boxes.
    fn is_empty(&self) -> bool;

    /// Bounds of all boxes; `None` if there are none. They may be wider than the boxes, never narrower.
    fn bounds(&self) -> Option<Aabb>;
}

/// A structure that can be asked for the pairs of many boxes at once.
pub trait PairsAtOnce {
    /// Finds every pair of one of some boxes and one of the structure's that overlap; best if the boxes are near each other.
    /// `masks` are those of the given boxes' rows, and of the structure's. For [`PairOrder::Left`] the given box comes first; the
    /// order must not depend on which row is lower. Takes the room it needs from `arena`. Returns the number of comparisons.
    fn pairs_with(
        &self,
        boxes: &BoxRun<'_>,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &Arena,
        out: &mut PairBuffer<'_>,
    ) -> u64;

    /// How much arena memory it takes for so many boxes. If they come to unusually many places, the arena grows.
    fn scratch_bytes_for(&self, boxes: usize) -> usize;
}

/// A structure whose boxes can be read in batches ("pieces"), each box once, as they lie in memory.
///
/// For searches that the structure itself knows nothing about: take a piece, ask another structure what is near it,
/// compare.
pub trait BoxPieces: BoxSource {
    /// How many chunks the pieces come in. Depends only on the data.
    fn piece_chunks(&self) -> usize;

    /// Visits the pieces of a chunk, in an order that depends only on the data, until the visitor breaks. Each piece
    /// replaces the contents of `piece`, and is not [`finish`](BoxRun::finish)ed. It holds about two thousand boxes
    /// at most, all near each other.
    ///
    /// # Panics
    ///
    /// If there is no such chunk.
    fn visit_pieces<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// As [`visit_pieces`](Self::visit_pieces), but with the centers of the boxes, as boxes of no size: the same ones
    /// that [`gather_middles`](BoxSource::gather_middles) gives.
    ///
    /// # Panics
    ///
    /// If there is no such chunk.
    fn visit_middles<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_pieces(chunk, arena, piece, &mut |piece| {
            piece.replace_each(center_box);
            visit(piece)
        })
    }
}

/// A box's center, as a box of no size.
fn center_box(aabb: Aabb) -> Aabb {
    let center = aabb.center();
    Aabb::of_corners(center, center)
}
