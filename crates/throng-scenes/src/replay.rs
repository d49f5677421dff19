//! A real crowd, recorded from above: the annotations of the Stanford Drone Dataset (Robicquet and
//! others, "Learning Social Etiquette: Human Trajectory Understanding in Crowded Scenes", 2016).

mod error;
mod parse;
mod tiled;

use std::path::Path;

pub use error::ReplayError;
use throng_core::Aabb;
pub use tiled::{ReplayFrame, TiledReplay};

/// Where everyone was, frame by frame, in pixels of the picture; somebody is visible at least once.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// Who is visible, by frame, then by track.
    sightings: Vec<Sighting>,
    /// The box around all of them.
    bounds: Aabb,
    frame_count: u32,
    track_count: usize,
}

/// A track visible in a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Sighting {
    frame: u32,
    track: u32,
    aabb: Aabb,
}

impl Replay {
    /// Reads a file of annotations.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Unreadable`], or as [`Replay::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Replay, ReplayError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| ReplayError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Replay::parse(&text)
    }

    /// Parses the text of annotations, one line for each track in each frame, in any order:
    /// `track xmin ymin xmax ymax frame lost occluded generated "label"`. Where `lost` is 1 the track is out of the
    /// picture and its box means nothing. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// [`ReplayError`], with the offending line.
    pub fn parse(text: &str) -> Result<Replay, ReplayError> {
        parse::parse(text)
    }

    /// How many frames there are, from frame 0 to the last in the text; at least 1.
    #[must_use]
    pub fn frame_count(&self) -> u32 {
        self.frame_count
    }

    /// How many tracks the text has, visible or not.
    #[must_use]
    pub fn track_count(&self) -> usize {
        self.track_count
    }

    /// How many boxes there are, over all frames; at least 1.
    #[must_use]
    pub fn sighting_count(&self) -> usize {
        self.sightings.len()
    }

    /// The smallest box around everyone in every frame.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Who is visible in a frame, and where; by track. Nobody if there is no such frame.
    pub fn visible_in(&self, frame: u32) -> impl Iterator<Item = (u32, Aabb)> {
        let start = self.sightings.partition_point(|s| s.frame < frame);
        let from = self.sightings[start..].iter();
        from.take_while(move |sighting| sighting.frame == frame)
            .map(|sighting| (sighting.track, sighting.aabb))
    }

    /// The crowd repeated over a plane as often as needed for about `agents` to be visible in each frame.
    #[must_use]
    pub fn tiled(self, agents: usize) -> TiledReplay {
        TiledReplay::new(self, agents)
    }
}

#[cfg(test)]
mod tests;
