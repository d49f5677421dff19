//! The inner loops of a search, once per instruction set, and the one place that chooses among them.
//!
//! | loop | does |
//! |---|---|
//! | `walk` | visits the slots, or the leaves, that touch a window |
//! | `walk_probe` | visits the slots that a [`Probe`] meets |
//! | `closest` | offers slots in about the order of a probe's answers, and skips what is beyond a limit |
//! | `touching_lanes` | compares one block with a window |
//!
//! [`scalar`] is the readable twin of the others and the reference in every test. What differs are four small
//! functions in each module; the walks made of them are written once, in the macro `walks`.
#![allow(
    unsafe_code,
    reason = "calling a function compiled for an instruction set that was detected"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use super::header::NODE;
use super::probes::Probe;
use super::view::{Column, View};
use std::ops::ControlFlow;
use throng_core::{BoxKernels, LANES, SimdLevel};

/// Blocks that a search looks into before it goes down to their children. From one to eight are alike.
pub(crate) const TOGETHER: usize = 4;
/// Room for the children of as many blocks, and for a vector's surplus behind them.
pub(crate) const ROOM: usize = (TOGETHER + 1) * LANES;

/// Is told numbers of leaves, or of slots: sixteen times the leaf, and the lane.
pub(crate) type Visit<'v> = dyn FnMut(&[u32]) -> ControlFlow<()> + 'v;

/// Is told the key of a slot that is within the limit, and its number; says what the limit is from now on.
pub(crate) type Offer<'o> = dyn FnMut(f32, u32) -> f32 + 'o;

/// The least key of those in a set of lanes; infinity of none. Halves side by side, which makes vectors.
#[inline(always)]
fn least_key(keys: &[f32; LANES], among: u32) -> f32 {
    let mut left = [f32::INFINITY; LANES];
    for lane in 0..LANES {
        left[lane] = if among >> lane & 1 == 1 {
            keys[lane]
        } else {
            f32::INFINITY
        };
    }
    for half in [LANES / 2, LANES / 4, LANES / 8, 1] {
        for lane in 0..half {
            let (a, b) = (left[lane], left[lane + half]);
            left[lane] = if b < a { b } else { a };
        }
    }
    left[0]
}

/// Calls the named function of the chosen instruction set.
macro_rules! dispatch {
    ($kernels:expr, $($call:tt)*) => {
        match $kernels.level() {
            // SAFETY: `BoxKernels` are made only of what the machine was found to have.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512::$($call)* },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { avx2::$($call)* },
            _ => scalar::$($call)*,
        }
    };
}

/// Defines the walks of a module that has `splat`, `touching`, `reached` and `append`. A macro, because functions
/// of this size are not inlined into code for an instruction set.
macro_rules! walks {
    ($(#[$target:meta])?) => {
        $(#[$target])?
        pub(super) fn touching_lanes(sides: &[Column; NODE], window: &[[f32; 2]; 2]) -> u32 {
            touching(sides, &splat(window))
        }

        $(#[$target])?
        pub(super) fn walk<const TO_LEAVES: bool>(
            view: &View<'_>,
            window: &[[f32; 2]; 2],
            visit: &mut Visit<'_>,
        ) -> ControlFlow<()> {
            let window = splat(window);
            from_the_top!(view, |top, few| {
                descend::<TO_LEAVES>(view, top, few, &window, visit)?;
            });
            ControlFlow::Continue(())
        }

        /// From a list of blocks down. As deep as there are levels.
        $(#[$target])?
        fn descend<const TO_LEAVES: bool>(
            view: &View<'_>,
            level: usize,
            blocks: &[u32],
            window: &Sides,
            visit: &mut Visit<'_>,
        ) -> ControlFlow<()> {
            if TO_LEAVES && level == 0 {
                return visit(blocks);
            }
            let mut children = [0; ROOM];
            // While some are searched the next are fetched, and of leaves the rows, which only a hit reads.
            let ahead = blocks.chunks(TOGETHER).skip(1).chain(std::iter::once(&[][..]));
            view.ask_for(level, &blocks[..TOGETHER.min(blocks.len())]);
            for (few, next) in blocks.chunks(TOGETHER).zip(ahead) {
                view.ask_for(level, next);
                let mut len = 0;
                for &block in few {
                    let hit = touching(view.sides(level, block as usize), window);
                    len = append(hit, block, &mut children, len);
                }
                if len > 0 {
                    let found = &children[..len];
                    match level {
                        0 => visit(found)?,
                        _ => descend::<TO_LEAVES>(view, level - 1, found, window, visit)?,
                    }
                }
            }
            ControlFlow::Continue(())
        }

        $(#[$target])?
        pub(super) fn walk_probe<P: Probe>(
            view: &View<'_>,
            probe: &P,
            visit: &mut Visit<'_>,
        ) -> ControlFlow<()> {
            from_the_top!(view, |top, few| descend_probe(view, top, few, probe, visit)?);
            ControlFlow::Continue(())
        }

        /// As [`descend`].
        $(#[$target])?
        fn descend_probe<P: Probe>(
            view: &View<'_>,
            level: usize,
            blocks: &[u32],
            probe: &P,
            visit: &mut Visit<'_>,
        ) -> ControlFlow<()> {
            let mut children = [0; ROOM];
            for few in blocks.chunks(TOGETHER) {
                let mut len = 0;
                for &block in few {
                    let keys = probe.keys(view.sides(level, block as usize));
                    len = append(reached(&keys, f32::INFINITY), block, &mut children, len);
                }
                if len > 0 {
                    let found = &children[..len];
                    match level {
                        0 => visit(found)?,
                        _ => descend_probe(view, level - 1, found, probe, visit)?,
                    }
                }
            }
            ControlFlow::Continue(())
        }

        $(#[$target])?
        pub(super) fn closest<P: Probe>(view: &View<'_>, probe: &P, limit: f32, offer: &mut Offer<'_>) {
            let mut limit = limit;
            from_the_top!(view, |top, few| {
                let mut keys = [f32::NAN; LANES];
                for (key, &block) in keys.iter_mut().zip(few) {
                    let own = probe.keys(view.sides(top, block as usize));
                    let met = reached(&own, f32::INFINITY);
                    *key = if met == 0 { f32::NAN } else { least_key(&own, met) };
                }
                in_order!(keys, limit, |k| closest_below(view, top, few[k] as usize, probe, &mut limit, offer));
            });
        }

        /// From a block down, the nearest child first. As deep as there are levels.
        $(#[$target])?
        fn closest_below<P: Probe>(
            view: &View<'_>,
            level: usize,
            block: usize,
            probe: &P,
            limit: &mut f32,
            offer: &mut Offer<'_>,
        ) {
            let keys = probe.keys(view.sides(level, block));
            in_order!(keys, *limit, |lane| {
                let child = block * LANES + lane;
                match level {
                    0 => *limit = offer(keys[lane], child as u32),
                    _ => closest_below(view, level - 1, child, probe, limit, offer),
                }
            });
        }
    };
}

/// Goes down from the blocks of the top level, a few at a time.
macro_rules! from_the_top {
    ($view:expr, |$level:ident, $few:ident| $down:expr) => {
        if let Some($level) = $view.levels.len().checked_sub(1) {
            let blocks = $view.levels.blocks($level);
            for first in (0..blocks).step_by(TOGETHER) {
                let few: [u32; TOGETHER] = std::array::from_fn(|k| (first + k) as u32);
                let $few = &few[..TOGETHER.min(blocks - first)];
                $down
            }
        }
    };
}
pub(crate) use from_the_top;

/// Does something for each lane whose key is at most the limit, least first, the limit as it is by then.
macro_rules! in_order {
    ($keys:expr, $limit:expr, |$lane:ident| $visit:expr) => {
        let mut left = !0;
        loop {
            left &= reached(&$keys, $limit);
            if left == 0 {
                break;
            }
            let least = reached(&$keys, least_key(&$keys, left)) & left;
            let $lane = least.trailing_zeros() as usize;
            left &= !(1 << $lane);
            $visit;
        }
    };
}
pub(crate) use in_order;
pub(crate) use walks;

/// Visits the slots of all boxes that touch the window, in order, a few leaves' at a time.
pub(crate) fn walk(
    kernels: BoxKernels,
    view: &View<'_>,
    window: &[[f32; 2]; 2],
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    dispatch!(kernels, walk::<false>(view, window, visit))
}

/// Visits all leaves whose bounds touch the window, in order, a few at a time; in a tree without nodes, all leaves.
pub(crate) fn walk_leaves(
    kernels: BoxKernels,
    view: &View<'_>,
    window: &[[f32; 2]; 2],
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    dispatch!(kernels, walk::<true>(view, window, visit))
}

/// Visits the slots of all boxes that the probe meets, in order, a few leaves' at a time.
pub(crate) fn walk_probe<P: Probe>(
    kernels: BoxKernels,
    view: &View<'_>,
    probe: &P,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    dispatch!(kernels, walk_probe(view, probe, visit))
}

/// Offers the slots of boxes whose keys are at most `limit`, about the least first; what `offer` returns is the
/// limit from then on.
pub(crate) fn closest<P: Probe>(
    kernels: BoxKernels,
    view: &View<'_>,
    probe: &P,
    limit: f32,
    offer: &mut Offer<'_>,
) {
    dispatch!(kernels, closest(view, probe, limit, offer))
}

/// The lanes whose boxes touch the window, as a bit set.
#[inline]
pub(crate) fn touching_lanes(
    kernels: BoxKernels,
    sides: &[Column; NODE],
    window: &[[f32; 2]; 2],
) -> u32 {
    dispatch!(kernels, touching_lanes(sides, window))
}
