//! What a frame took and came to.

use std::time::Duration;

use crate::bodies::{Counts, Kind};

/// The stages of a frame, in its order; pairs and narrowphase run together, in all workers at once.
pub const STAGES: [&str; 7] = [
    "sort rows",
    "move",
    "ingest",
    "index",
    "pairs",
    "narrowphase",
    "resolve",
];

/// What can meet, by the kinds of the categories.
pub const MEETINGS: [&str; 5] = [
    "uniform-uniform",
    "uniform-oversized",
    "oversized-oversized",
    "uniform-scenery",
    "oversized-scenery",
];

/// Which of [`MEETINGS`] two kinds have. Scenery does not meet scenery.
pub fn meeting(kinds: [&Kind; 2]) -> usize {
    let oversized = kinds.iter().filter(|kind| kind.is_oversized()).count();
    if kinds.iter().any(|kind| kind.is_scenery()) {
        3 + oversized
    } else {
        oversized
    }
}

/// The figures of one frame. Times are in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameFigures {
    /// What there is in the world.
    pub counts: Counts,
    /// Overlapping pairs found, without those of two that rest.
    pub pairs: u64,
    /// The pairs of each of [`MEETINGS`].
    pub pairs_by_meeting: [u64; MEETINGS.len()],
    /// Pairs that began in it, if the broadphase tells.
    pub began: u64,
    /// Pairs that ended in it, if the broadphase tells.
    pub ended: u64,
    /// Bodies that rest at the end of it.
    pub resting: u64,
    /// Pairs of two that rest at the end of it.
    pub resting_pairs: u64,
    /// Pairs compared to find them.
    pub candidates: u64,
    /// Circles that touched each other.
    pub contacts: u64,
    /// Circles that touched walls.
    pub bumps: u64,
    /// Allocations while writing centres and stepping.
    pub allocations: u64,
    /// Bytes the broadphase holds.
    pub bytes: usize,
    /// How many categories had their rows sorted.
    pub row_sorts: u64,
    /// The whole frame by the clock, without drawing and verifying.
    pub frame: f64,
    /// Each of [`STAGES`]; pairs and narrowphase are summed over the workers.
    pub stages: [f64; STAGES.len()],
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Times what is done one after the other.
pub struct Stopwatch(Duration);

impl Stopwatch {
    /// Starts the first lap, at a time.
    pub fn start(now: Duration) -> Self {
        Self(now)
    }

    /// The milliseconds of the lap that ends at a time; the next one begins.
    pub fn lap(&mut self, now: Duration) -> f64 {
        milliseconds(now.saturating_sub(std::mem::replace(&mut self.0, now)))
    }
}
