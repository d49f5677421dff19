//! The inner loops of a search, over [`Lanes`](throng_core::lanes::Lanes).
//!
//! | loop | does |
//! |---|---|
//! | `walk` | visits the slots, or the leaves, that touch a window |
//! | `walk_probe` | visits the slots that a [`Probe`](super::probes::Probe) meets |
//! | `closest` | offers slots in about the order of a probe's answers, and skips what is beyond a limit |
//! | `touching_lanes` | compares one block with a window |

mod children;
mod closest;
mod walk;
mod walk_probe;

#[cfg(test)]
mod tests;

pub(crate) use closest::closest;
pub(crate) use walk::{touching_lanes, walk, walk_leaves};
pub(crate) use walk_probe::walk_probe;

use std::ops::ControlFlow;

/// Is told numbers of leaves, or of slots: sixteen times the leaf, and the lane.
pub(crate) type Visit<'v> = dyn FnMut(&[u32]) -> ControlFlow<()> + 'v;

/// Is told the key of a slot that is within the limit, and its number; says what the limit is from now on.
pub(crate) type Offer<'o> = dyn FnMut(f32, u32) -> f32 + 'o;
