//! What the page is told, as JSON.

use serde::Serialize;
use throng_swarm::figures::{FrameFigures, STAGES};

/// A frame in figures.
#[derive(Serialize)]
pub struct Report {
    /// Frames since the swarm began.
    pub frames: u64,
    /// Agents, dragons, and boxes of walls.
    pub agents: usize,
    /// See `agents`.
    pub dragons: usize,
    /// See `agents`.
    pub walls: usize,
    /// Overlapping pairs that were found.
    pub pairs: u64,
    /// Pairs that were compared to find them.
    pub candidates: u64,
    /// Circles that touched each other.
    pub contacts: u64,
    /// Circles that touched walls.
    pub bumps: u64,
    /// Leaves, strips and nodes of all indices.
    pub cells: usize,
    /// Bytes that the broadphase holds.
    pub bytes: usize,
    /// Each stage of the frame, in its order, and its milliseconds.
    pub stages: Vec<Stage>,
    /// Milliseconds of the step of the broadphase.
    pub step_ms: f64,
    /// Milliseconds of the whole frame, without drawing.
    pub frame_ms: f64,
    /// The instruction set of the kernels.
    pub level: &'static str,
    /// The hash of the pairs of all frames, in their order.
    pub pair_hash: String,
    /// Whether somebody was pushed, so that no other run is like this one.
    pub pushed: bool,
}

/// A stage of a frame.
#[derive(Serialize)]
pub struct Stage {
    /// What it is called.
    pub name: &'static str,
    /// How long it took.
    pub ms: f64,
}

impl Stage {
    /// The stages of a frame.
    pub fn all(figures: &FrameFigures) -> Vec<Self> {
        let stages = STAGES.into_iter().zip(figures.stages);
        stages.map(|(name, ms)| Self { name, ms }).collect()
    }
}

/// What is under the mouse, or nearest to it.
#[derive(Serialize)]
pub struct Picked {
    /// Its kind.
    pub kind: String,
    /// Its handle in the broadphase.
    pub id: String,
    /// Its row in its category.
    pub row: u32,
    /// Its box in the world: left, top, right, bottom.
    pub bounds: [f32; 4],
    /// The same in pixels of the picture.
    pub pixels: [f32; 4],
    /// How fast it goes, in lengths of the world per second.
    pub speed: f32,
    /// How many boxes overlap its own.
    pub overlaps: usize,
    /// These boxes in pixels, as far as they are shown.
    pub neighbours: Vec<[f32; 4]>,
}
