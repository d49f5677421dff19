//! What is measured, and what of it.

use std::time::Duration;

use super::Found;

/// Somebody with circles of their own, in whatever form, and a way to find contacts.
pub trait Engine {
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// Whether it is another library.
    fn is_peer(&self) -> bool;

    /// Moves everything to where it is in the next frame. It is the engine's own work, and no part of the frame.
    fn advance(&mut self);

    /// Finds and keeps all contacts, from centres that have just moved. Takes its own times, and afterwards the sum of what it
    /// found.
    fn frame(&mut self) -> (Times, Found);
}

/// A part of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Rows are put into the order of space, if that is due, and all arrays with them.
    Sort,
    /// Centres are given to the broadphase.
    Fill,
    /// An index of them is made, or brought up to date.
    Index,
    /// Pairs of boxes are found.
    Pairs,
    /// Circles are tested, and contacts kept.
    Narrowphase,
    /// The whole frame.
    All,
}

/// Every one, in the order of a frame.
pub const STAGES: [Stage; 6] = [
    Stage::Sort,
    Stage::Fill,
    Stage::Index,
    Stage::Pairs,
    Stage::Narrowphase,
    Stage::All,
];

impl Stage {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Sort => "sort",
            Stage::Fill => "fill",
            Stage::Index => "index",
            Stage::Pairs => "pairs",
            Stage::Narrowphase => "narrowphase",
            Stage::All => "all",
        }
    }
}

/// How long each stage of a frame took, by `Stage as usize`; `None` if there is no such stage, or no knowing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Times(pub [Option<Duration>; STAGES.len()]);

impl Times {
    /// With a stage filled in.
    #[must_use]
    pub fn with(mut self, stage: Stage, time: Duration) -> Self {
        self.0[stage as usize] = Some(time);
        self
    }

    /// How long a stage took.
    pub fn of(&self, stage: Stage) -> Option<Duration> {
        self.0[stage as usize]
    }

    /// How long the whole frame took.
    pub fn all(&self) -> Duration {
        self.of(Stage::All).unwrap_or_default()
    }
}
