//! A peer: the dynamic tree of Box2D 3, by itself.

#![allow(
    unsafe_code,
    reason = "the bindings are C functions that take pointers"
)]

use std::ffi::{c_int, c_void};

use boxdd_sys::ffi;
use throng_benches::Sides;

use crate::kept::{MovingTree, contains};
use crate::queries::Touching;

/// The tree, the number of each row's leaf in it, and each leaf's box.
pub struct Box2d {
    tree: ffi::b2DynamicTree,
    leaves: Vec<c_int>,
    boxes: Vec<Sides>,
}

// SAFETY: the tree owns all that its pointers lead to, and C code changes it only in functions that take `&mut self` here.
unsafe impl Send for Box2d {}
// SAFETY: as above; a query only reads, and has its stack on the stack.
unsafe impl Sync for Box2d {}

const CATEGORY: u64 = 1;

fn aabb(&[min_x, min_y, max_x, max_y]: &Sides) -> ffi::b2AABB {
    ffi::b2AABB {
        lowerBound: ffi::b2Vec2 { x: min_x, y: min_y },
        upperBound: ffi::b2Vec2 { x: max_x, y: max_y },
    }
}

/// What Box2D calls for a leaf that it has found: `context` is the closure.
unsafe extern "C" fn found<F: FnMut(u32)>(_: c_int, row: u64, context: *mut c_void) -> bool {
    // SAFETY: `touching` gives a pointer to its closure of this type, which lives until the query has returned.
    let visit = unsafe { &mut *context.cast::<F>() };
    visit(row as u32);
    true
}

fn query<F: FnMut(u32)>(tree: &ffi::b2DynamicTree, window: &Sides, mut visit: F) {
    let context = (&raw mut visit).cast::<c_void>();
    // SAFETY: the tree is sound, and the callback is the one for this type of closure.
    unsafe {
        ffi::b2DynamicTree_Query(tree, aabb(window), CATEGORY, Some(found::<F>), context);
    }
}

impl Box2d {
    /// A leaf that its old box holds stays as it is: Box2D wants it so.
    fn change(&mut self, boxes: &[Sides], changed: &[u32]) {
        for &row in changed {
            let (leaf, own) = (&mut self.boxes[row as usize], &boxes[row as usize]);
            if !contains(leaf, own) {
                *leaf = *own;
                // SAFETY: the leaf is one of the tree's, and the box is larger somewhere.
                unsafe {
                    ffi::b2DynamicTree_EnlargeProxy(
                        &mut self.tree,
                        self.leaves[row as usize],
                        aabb(own),
                    );
                }
            }
        }
        // SAFETY: the tree is sound.
        unsafe { ffi::b2DynamicTree_Rebuild(&mut self.tree, false) };
    }
}

impl Drop for Box2d {
    fn drop(&mut self) {
        // SAFETY: nobody uses it after this.
        unsafe { ffi::b2DynamicTree_Destroy(&mut self.tree) };
    }
}

impl Touching for Box2d {
    type Scratch = ();

    const EXACT: bool = false;

    fn touching(&self, window: &Sides, _scratch: &mut (), visit: impl FnMut(u32)) {
        query(&self.tree, window, visit);
    }
}

impl MovingTree for Box2d {
    const NAME: &'static str = "Box2D tree";
    const WAY: &'static str = "`b2DynamicTree` of Box2D 3: moved leaves enlarged, a partial rebuild, as its own step does it; where most move, a query \
         for each row in the order of space; where few do, queries for what has left its enlarged box, and pairs kept in the \
         time shown as \"filter\"";

    fn build(boxes: &[Sides]) -> Self {
        // SAFETY: it takes nothing but a number.
        let mut tree = unsafe { ffi::b2DynamicTree_Create(boxes.len().max(16) as c_int) };
        let rows = (0_u64..).zip(boxes);
        let leaves = rows.map(|(row, sides)| {
            // SAFETY: the tree is sound, and boxes are.
            unsafe { ffi::b2DynamicTree_CreateProxy(&mut tree, aabb(sides), CATEGORY, row) }
        });
        let leaves = leaves.collect();
        // SAFETY: the tree is sound.
        unsafe { ffi::b2DynamicTree_Rebuild(&mut tree, true) };
        Self {
            tree,
            leaves,
            boxes: boxes.to_vec(),
        }
    }

    fn change_most(&mut self, boxes: &[Sides], changed: &[u32]) {
        self.change(boxes, changed);
    }

    fn change_few(&mut self, boxes: &[Sides], changed: &[u32]) {
        self.change(boxes, changed);
    }
}
