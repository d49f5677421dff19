//! Everything that touches a window, from the top down.

use super::Visit;
use super::children::{NO_CHILDREN, TOGETHER, append, few_from};
use crate::packed::header::NODE;
use crate::packed::view::{Column, View};
use std::ops::ControlFlow;
use throng_core::Simd;
use throng_core::lanes::{Kernel, Lanes, Sides, overlapping};

/// Visits the slots of all boxes that touch the window, in order, those of a few leaves at a time.
pub(crate) fn walk(
    simd: Simd,
    view: &View<'_>,
    window: &[[f32; 2]; 2],
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    simd.run(FromTheTop(&mut Walk::<false> {
        view,
        window,
        visit,
    }))
}

/// Visits all leaves whose bounds touch the window, in order, a few at a time; in a tree without nodes, all leaves.
pub(crate) fn walk_leaves(
    simd: Simd,
    view: &View<'_>,
    window: &[[f32; 2]; 2],
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    simd.run(FromTheTop(&mut Walk::<true> {
        view,
        window,
        visit,
    }))
}

/// The lanes whose boxes touch the window, as a bit set.
#[inline]
pub(crate) fn touching_lanes(simd: Simd, sides: &[Column; NODE], window: &[[f32; 2]; 2]) -> u32 {
    simd.run(TouchingLanes { sides, window })
}

/// The search, for any level.
struct Walk<'w, 'v, const TO_LEAVES: bool> {
    view: &'w View<'w>,
    window: &'w [[f32; 2]; 2],
    visit: &'w mut Visit<'v>,
}

/// A search by reference, which is passed in a register: a struct that was just written and is copied as a vector has to wait
/// for the writes.
struct FromTheTop<'s, 'w, 'v, const TO_LEAVES: bool>(&'s mut Walk<'w, 'v, TO_LEAVES>);

impl<const TO_LEAVES: bool> Kernel for FromTheTop<'_, '_, '_, TO_LEAVES> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ControlFlow<()> {
        let Self(walk) = self;
        let Some(level) = walk.view.levels.len().checked_sub(1) else {
            return ControlFlow::Continue(());
        };
        let blocks = walk.view.levels.blocks(level);
        for first in (0..blocks).step_by(TOGETHER) {
            lanes.call(Descend {
                walk: &mut *walk,
                level,
                blocks: &few_from(first)[..TOGETHER.min(blocks - first)],
            })?;
        }
        ControlFlow::Continue(())
    }
}

/// Searches from a list of blocks down. The recursion is as deep as there are levels.
struct Descend<'d, 'w, 'v, const TO_LEAVES: bool> {
    walk: &'d mut Walk<'w, 'v, TO_LEAVES>,
    level: usize,
    blocks: &'d [u32],
}

impl<const TO_LEAVES: bool> Kernel for Descend<'_, '_, '_, TO_LEAVES> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ControlFlow<()> {
        let Self {
            walk,
            level,
            blocks,
        } = self;
        if TO_LEAVES && level == 0 {
            return (walk.visit)(blocks);
        }
        let (view, window) = (walk.view, Sides::splat(lanes, *walk.window));
        let mut children = NO_CHILDREN;
        // While some blocks are searched, the next are prefetched. Of leaves, the rows are too, which only a hit
        // reads.
        let ahead = blocks
            .chunks(TOGETHER)
            .skip(1)
            .chain(std::iter::once(&[][..]));
        view.prefetch(level, &blocks[..TOGETHER.min(blocks.len())]);
        for (few, next) in blocks.chunks(TOGETHER).zip(ahead) {
            view.prefetch(level, next);
            let mut len = 0;
            for &block in few {
                let hit = touching(lanes, view.sides(level, block as usize), &window);
                len = append(lanes, &mut children, len, hit, block);
            }
            if len == 0 {
                continue;
            }
            let found = &children[..len];
            match level {
                0 => (walk.visit)(found)?,
                _ => lanes.call(Descend {
                    walk: &mut *walk,
                    level: level - 1,
                    blocks: found,
                })?,
            }
        }
        ControlFlow::Continue(())
    }
}

struct TouchingLanes<'a> {
    sides: &'a [Column; NODE],
    window: &'a [[f32; 2]; 2],
}

impl Kernel for TouchingLanes<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u32 {
        touching(lanes, self.sides, &Sides::splat(lanes, *self.window))
    }
}

#[inline(always)]
fn touching<L: Lanes>(lanes: L, sides: &[Column; NODE], window: &Sides<L>) -> u32 {
    let [min_x, min_y, max_x, max_y] = sides;
    let boxes = Sides::load(lanes, [min_x, min_y, max_x, max_y], 0);
    lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, window))
}
