//! The tree as other structures see it: collects the boxes that touch a window.

use super::PackedQuadtree;
use super::kernels::{gather, walk_leaves};
use std::ops::ControlFlow;
use throng_core::{Aabb, Arena, BoxRun, BoxSource, LANES, spacing_of_parts};

impl<B: AsRef<[u8]> + Sync> BoxSource for PackedQuadtree<B> {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        let view = self.view();
        let corners = [window.min(), window.max()];
        let _ = walk_leaves(self.simd, &view, &corners, &mut |leaves| {
            found.make_room(arena, leaves.len() * LANES);
            gather(self.simd, &view, leaves, &corners, found);
            ControlFlow::Continue(())
        });
    }

    fn spacing(&self) -> Option<f32> {
        let view = self.view();
        spacing_of_parts(self.leaves(), |leaf| Some((view.leaf_corners(leaf), LANES)))
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        self.bounds()
    }
}
