//! Who looks on while a frame runs.

use std::time::Duration;

use throng::Step;

use crate::{bodies::Kind, contacts::Found};

/// Somebody who looks on while a frame runs, and lends the swarm what it has not got of its own.
pub trait Witness {
    /// The time since some fixed moment. Nothing but the figures of a frame depends on it: without a clock, they are zero.
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    /// How many blocks of memory were asked for so far, if anybody counts them.
    fn allocations(&self) -> u64 {
        0
    }

    /// Looks at what a step has found, before the bodies move on. This does not count as part of the frame.
    fn look(&mut self, kinds: &[Kind], step: &Step<'_, Found>) {
        let _ = (kinds, step);
    }
}

/// Nobody looks on.
pub struct Nobody;

impl Witness for Nobody {}
