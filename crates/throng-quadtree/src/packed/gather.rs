//! The tree as other structures see it: collects the boxes that touch a window.

use super::PackedQuadtree;
use super::kernels::walk_leaves;
use std::ops::ControlFlow;
use throng_core::{Aabb, Arena, BoxRun, BoxSource, LANES};

impl<B: AsRef<[u8]> + Sync> BoxSource for PackedQuadtree<B> {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        let view = self.view();
        let corners = [window.min(), window.max()];
        let _ = walk_leaves(self.simd, &view, &corners, &mut |leaves| {
            found.make_room(arena, leaves.len() * LANES);
            for &leaf in leaves {
                let sides = view
                    .sides(0, leaf as usize)
                    .each_ref()
                    .map(|side| &side[..]);
                self.simd
                    .touching(sides, view.rows(leaf as usize), &corners, found);
            }
            ControlFlow::Continue(())
        });
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        self.bounds()
    }
}
