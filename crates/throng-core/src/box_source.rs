//! A structure as another structure sees it.

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::box_run::BoxRun;

/// A structure that can be asked which of its boxes touch a window.
///
/// It is all that one structure must know of another to be searched together: whoever has more rows walks
/// its own, leaf by leaf, and asks once per leaf, not once per box.
pub trait BoxSource: Sync {
    /// Appends every row whose box touches `window`, once, in an order that depends on the data alone.
    /// Makes the room it needs in `arena`, and does not [`finish`](BoxRun::finish) the run.
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>);

    /// Whether there is no box.
    fn is_empty(&self) -> bool;

    /// Bounds of all boxes; `None` if there is none. They may be wider than the boxes, never narrower.
    fn bounds(&self) -> Option<Aabb>;
}
