//! Everything that a probe touches, from the top down.

use super::children::{NO_CHILDREN, TOGETHER, append, few_from};
use super::{Visit, reached};
use crate::packed::probes::Probe;
use crate::packed::view::View;
use std::ops::ControlFlow;
use throng_core::Simd;
use throng_core::lanes::{Kernel, Lanes};

/// Visits the slots of all boxes that the probe touches, in order, those of a few leaves at a time.
pub(crate) fn walk_probe<P: Probe>(
    simd: Simd,
    view: &View<'_>,
    probe: &P,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    simd.run(Walk { view, probe, visit })
}

/// The search, for any level.
struct Walk<'w, 'v, P> {
    view: &'w View<'w>,
    probe: &'w P,
    visit: &'w mut Visit<'v>,
}

impl<P: Probe> Kernel for Walk<'_, '_, P> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> ControlFlow<()> {
        let Some(level) = self.view.levels.len().checked_sub(1) else {
            return ControlFlow::Continue(());
        };
        let blocks = self.view.levels.blocks(level);
        for first in (0..blocks).step_by(TOGETHER) {
            lanes.call(Descend {
                walk: &mut self,
                level,
                blocks: &few_from(first)[..TOGETHER.min(blocks - first)],
            })?;
        }
        ControlFlow::Continue(())
    }
}

/// Searches from a list of blocks down. The recursion is as deep as there are levels.
///
/// The loop is that of [`walk`](super::walk) but for the test and prefetching. Written once over both, either search was up
/// to a tenth slower.
struct Descend<'d, 'w, 'v, P> {
    walk: &'d mut Walk<'w, 'v, P>,
    level: usize,
    blocks: &'d [u32],
}

impl<P: Probe> Kernel for Descend<'_, '_, '_, P> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ControlFlow<()> {
        let Self {
            walk,
            level,
            blocks,
        } = self;
        let (view, probe) = (walk.view, walk.probe);
        let mut children = NO_CHILDREN;
        for few in blocks.chunks(TOGETHER) {
            let mut len = 0;
            for &block in few {
                let keys = probe.keys(view.sides(level, block as usize));
                let hit = reached(lanes, &keys, f32::INFINITY);
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
