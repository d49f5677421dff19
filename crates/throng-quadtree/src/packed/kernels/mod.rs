//! The inner loops of a search, over [`Lanes`](throng_core::lanes::Lanes).
//!
//! | loop | does |
//! |---|---|
//! | `walk` | visits the slots, or the leaves, that touch a window |
//! | `walk_probe` | visits the slots that a [`Probe`](super::probes::Probe) touches |
//! | `closest` | offers slots in roughly the order of a probe's keys, and skips those beyond a limit |
//! | `gather` | collects the boxes of leaves that touch a window |
//! | `touching_lanes` | compares one block with a window |

mod children;
mod closest;
mod gather;
mod walk;
mod walk_probe;

#[cfg(test)]
mod tests;

pub(crate) use closest::closest;
pub(crate) use gather::gather;
pub(crate) use walk::{touching_lanes, walk, walk_leaves};
pub(crate) use walk_probe::walk_probe;

use std::ops::ControlFlow;
use throng_core::LANES;
use throng_core::lanes::Lanes;

/// A callback that gets numbers of leaves or of slots. A slot's number is sixteen times its leaf's, plus its lane.
pub(crate) type Visit<'v> = dyn FnMut(&[u32]) -> ControlFlow<()> + 'v;

/// A callback that gets the key of a slot that is within the limit, and its number; returns the new limit.
pub(crate) type Offer<'o> = dyn FnMut(f32, u32) -> f32 + 'o;

/// The lanes whose key is at most the limit, as a bit set.
#[inline(always)]
fn reached<L: Lanes>(lanes: L, keys: &[f32; LANES], limit: f32) -> u32 {
    lanes.bits(lanes.le(lanes.every_lane(), lanes.load(keys), lanes.splat(limit)))
}
