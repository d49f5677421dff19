//! Who is measured: each does a frame of the same population in its own way.

mod alone;
mod fingerprint;
mod whole_step;

use std::time::Duration;

use crate::Population;

pub use alone::{Alone, Loose};
pub use fingerprint::{Fingerprint, mixed};
pub use whole_step::WholeStep;

/// Something that finds all pairs of a population, frame after frame.
pub trait Contender {
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// How many threads it works on.
    fn threads(&self) -> usize {
        1
    }

    /// Takes over where everything is now, in whatever form it wants.
    fn prepare(&mut self, population: &Population);

    /// Whether that is what an engine does in every frame, and so counts as a part of it.
    fn prepares_in_frame(&self) -> bool {
        false
    }

    /// Finds all pairs of the population that was prepared, and takes its own time.
    fn frame(&mut self, population: &Population) -> Frame;

    /// All pairs of the population that was prepared, as one number. Not for timing.
    fn fingerprint(&mut self, population: &Population) -> Fingerprint;

    /// Whether it keeps something from frame to frame, which has to have been through some before it is what it will be.
    fn keeps(&self) -> bool {
        false
    }

    /// What went into the last frame, if it can say.
    fn shares(&self) -> Vec<Share> {
        Vec::new()
    }

    /// Bytes that it holds, by part, if it can say.
    fn memory(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }
}

/// What a frame came to.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// How long it took.
    pub time: Duration,
    /// What came on top to get from what it finds to the exact pairs, where it answers a wider question.
    pub filter: Duration,
    /// How many pairs were found.
    pub pairs: u64,
}

/// A part of the work of a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Share {
    /// What was done.
    pub name: String,
    /// Worker time: with two of them busy, twice the wall clock.
    pub time: Duration,
    /// Whether it is a meeting of two different categories.
    pub is_between: bool,
}
