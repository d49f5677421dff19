//! Who is measured: each does a frame of the same scene in its own way.

mod broccoli;
mod fingerprint;
mod grid_alone;
mod whole_step;

use std::time::Duration;

use throng_scenes::Scene;

pub use broccoli::Broccoli;
pub use fingerprint::Fingerprint;
pub use grid_alone::GridAlone;
pub use whole_step::WholeStep;

/// Something that finds all pairs of a scene, frame after frame.
pub trait Contender {
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// How many threads it works on.
    fn threads(&self) -> usize;

    /// Takes over where everything is now, in whatever form it wants. Not part of the frame for anybody.
    fn prepare(&mut self, scene: &Scene);

    /// Finds all pairs of the scene that was prepared, and takes its own time.
    fn frame(&mut self, scene: &Scene) -> Frame;

    /// All pairs of the scene that was prepared, as one number. Not for timing.
    fn fingerprint(&mut self, scene: &Scene) -> Fingerprint;
}

/// What a frame came to.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// How long it took.
    pub time: Duration,
    /// How many pairs were found.
    pub pairs: u64,
}
