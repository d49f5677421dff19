//! The recorded crowd repeated side by side until it is big enough.

use throng_core::Aabb;

use super::Replay;
use crate::box_scene::BoxScene;

/// A recorded crowd repeated over a plane: tiles of the size of the crowd's bounds, roughly in a square, that meet at
/// their borders. Each tile starts at a different frame, so that no two are in step; after the last frame comes the
/// first again.
///
/// People come and go, and only those who are visible have a row, so rows change from frame to frame:
/// [`ReplayFrame::agents`] says who each row is.
#[derive(Clone, PartialEq, Debug)]
pub struct TiledReplay {
    replay: Replay,
    tiles: u32,
    per_row: u32,
}

/// Everyone visible in a frame of a [`TiledReplay`], tile by tile.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayFrame {
    /// Their boxes.
    pub boxes: BoxScene,
    /// The tile and track of each row: identifies an agent for as long as it is visible.
    pub agents: Vec<[u32; 2]>,
}

impl TiledReplay {
    pub(super) fn new(replay: Replay, agents: usize) -> TiledReplay {
        let visible_per_frame = replay.sighting_count() as f64 / f64::from(replay.frame_count());
        let tiles = (agents as f64 / visible_per_frame).ceil() as u32;
        let [width, height] = extent(&replay);
        let per_row = (f64::from(tiles) * f64::from(height / width)).sqrt().ceil();
        TiledReplay {
            per_row: (per_row as u32).clamp(1, tiles.max(1)),
            replay,
            tiles,
        }
    }

    /// The recorded crowd, which every tile shows.
    #[must_use]
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// How many tiles there are.
    #[must_use]
    pub fn tile_count(&self) -> u32 {
        self.tiles
    }

    /// How far a tile is shifted from where the crowd was recorded: whole multiples of its width and height, rounded
    /// to `f32`.
    #[must_use]
    pub fn offset(&self, tile: u32) -> [f32; 2] {
        let [width, height] = extent(&self.replay);
        let (column, row) = (tile % self.per_row, tile / self.per_row);
        [column as f32 * width, row as f32 * height]
    }

    /// Which frame of the recording a tile shows in frame `frame`.
    #[must_use]
    pub fn frame_of(&self, tile: u32, frame: u64) -> u32 {
        // 2^32 divided by the golden ratio: its multiples are evenly spread, however many are used.
        const GOLDEN: u32 = 0x9e37_79b9;
        let count = u64::from(self.replay.frame_count());
        let start = (u64::from(tile.wrapping_mul(GOLDEN)) * count) >> 32;
        ((start + frame % count) % count) as u32
    }

    /// Everyone visible in a frame.
    #[must_use]
    pub fn at_frame(&self, frame: u64) -> ReplayFrame {
        let (mut boxes, mut agents) = (Vec::new(), Vec::new());
        for tile in 0..self.tiles {
            let offset = self.offset(tile);
            for (track, aabb) in self.replay.visible_in(self.frame_of(tile, frame)) {
                boxes.push(shifted(aabb, offset));
                agents.push([tile, track]);
            }
        }
        let name = format!("recorded crowd, {} tiles", self.tiles);
        let boxes = BoxScene::from_sides(name, boxes);
        ReplayFrame { boxes, agents }
    }
}

/// The width and height of a tile; for a crowd on one line, enough to keep tiles apart.
fn extent(replay: &Replay) -> [f32; 2] {
    let (min, max) = replay.bounds().into();
    [max[0] - min[0], max[1] - min[1]].map(|side| if side > 0.0 { side } else { 1.0 })
}

fn shifted(aabb: Aabb, by: [f32; 2]) -> [[f32; 2]; 2] {
    [aabb.min(), aabb.max()].map(|[x, y]| [x + by[0], y + by[1]])
}
