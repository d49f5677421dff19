//! Many windows that lie close together, answered in one walk.

use super::PackedQuadtree;
use super::header::NODE;
use super::kernels::{touching_lanes, walk_leaves};
use super::view::Column;
use std::ops::ControlFlow;
use throng_core::{Aabb, LANES};

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// Visits every row whose box touches one of the windows, once for each window that it touches, with the window's
    /// number, the row and the box. Allocates nothing.
    ///
    /// Each sixteen consecutive windows share a walk, so they should lie close together, as those of neighbors do.
    /// It goes to every leaf that touches the bounds of the sixteen, finds which of the windows touch that leaf, and
    /// searches for those only. Within a walk, visits come leaf by leaf, and in a leaf window by window.
    pub fn query_aabbs<R>(
        &self,
        windows: &[Aabb],
        mut visit: impl FnMut(usize, u32, Aabb) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        let view = self.view();
        let mut outcome = ControlFlow::Continue(());
        for (block, windows) in windows.chunks(LANES).enumerate() {
            let Some(around) = windows
                .iter()
                .copied()
                .reduce(|all, window| all.union(&window))
            else {
                break;
            };
            let sides = side_by_side(windows);
            let _ = walk_leaves(self.simd, &view, &corners(&around), &mut |leaves| {
                for &leaf in leaves {
                    let touched =
                        touching_lanes(self.simd, &sides, &view.leaf_corners(leaf as usize));
                    for k in lanes(touched) {
                        let boxes = view.sides(0, leaf as usize);
                        let found = touching_lanes(self.simd, boxes, &corners(&windows[k]));
                        for lane in lanes(found) {
                            let slot = leaf * LANES as u32 + lane as u32;
                            if let Some((row, aabb)) = view.slot(slot) {
                                outcome = visit(block * LANES + k, row, aabb);
                                if outcome.is_break() {
                                    return ControlFlow::Break(());
                                }
                            }
                        }
                    }
                }
                ControlFlow::Continue(())
            });
            if outcome.is_break() {
                break;
            }
        }
        outcome
    }
}

fn corners(aabb: &Aabb) -> [[f32; 2]; 2] {
    [aabb.min(), aabb.max()]
}

/// The lanes in a bit set, ascending.
#[inline(always)]
fn lanes(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        lane
    })
}

/// Up to sixteen windows, as a column for each side.
fn side_by_side(windows: &[Aabb]) -> [Column; NODE] {
    let mut sides = [[f32::NAN; LANES]; NODE];
    for (lane, window) in windows.iter().enumerate() {
        for axis in 0..2 {
            sides[axis][lane] = window.min()[axis];
            sides[axis + 2][lane] = window.max()[axis];
        }
    }
    sides
}
