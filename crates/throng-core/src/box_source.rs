//! A structure as another structure sees it.

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::box_run::BoxRun;
use std::ops::ControlFlow;

/// A structure that can be asked which of its boxes touch a window.
///
/// It is all that one structure must know of another to be searched together: whoever has more rows walks
/// its own, leaf by leaf, and asks once per leaf, not once per box.
pub trait BoxSource: Sync {
    /// Appends every row whose box touches `window`, once, in an order that depends on the data alone.
    /// Makes the room it needs in `arena`, and does not [`finish`](BoxRun::finish) the run.
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>);

    /// Fills `found`, which is empty, with the middles of boxes, as boxes of no size: every one that lies in `window`, and
    /// perhaps others whose boxes touch it. Otherwise as [`gather`](Self::gather).
    ///
    /// A structure of points gives the points as they are. Elsewhere a middle is [`Aabb::center`].
    fn gather_middles<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather(window, arena, found);
        found.replace_each(middle);
    }

    /// Whether there is no box.
    fn is_empty(&self) -> bool;

    /// Bounds of all boxes; `None` if there is none. They may be wider than the boxes, never narrower.
    fn bounds(&self) -> Option<Aabb>;
}

/// A structure whose boxes can be had piece by piece, each box once, as they lie in memory.
///
/// For a search of a kind that the structure does not know itself: take a piece, ask another structure for what is
/// around it, compare.
pub trait BoxPieces: BoxSource {
    /// In how many chunks the pieces come. A function of the data alone.
    fn piece_chunks(&self) -> usize;

    /// Visits the pieces of a chunk, in an order that depends on the data alone, until the visitor breaks. Each piece is
    /// put into `piece`, in place of what was there, not [`finish`](BoxRun::finish)ed: at most some two thousand boxes,
    /// near each other.
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

    /// As [`visit_pieces`](Self::visit_pieces), with the middles of boxes, as boxes of no size: those of
    /// [`gather_middles`](BoxSource::gather_middles).
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
            piece.replace_each(middle);
            visit(piece)
        })
    }
}

/// A box's middle, as a box.
fn middle(aabb: Aabb) -> Aabb {
    let center = aabb.center();
    Aabb::of_corners(center, center)
}
