//! The recorded crowd over and over, side by side, until it is big enough.

use throng_core::Aabb;

use super::Replay;
use crate::box_scene::BoxScene;

/// A recorded crowd repeated over a plane: tiles as wide and high as the crowd's bounds, in about a
/// square, that meet at their borders. Each starts at another frame, so that no two are in step; after
/// the last frame comes the first.
///
/// People come and go, and only who is visible has a row, so rows do not keep their places from frame to
/// frame: [`ReplayFrame::agents`] says who each is.
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
    /// Tile and track of each row: the name that an agent keeps for as long as it is visible.
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

    /// The crowd of one tile.
    #[must_use]
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// How many tiles there are.
    #[must_use]
    pub fn tile_count(&self) -> u32 {
        self.tiles
    }

    /// How far a tile is shifted from where the crowd was recorded: by whole widths and heights, rounded
    /// to `f32`.
    #[must_use]
    pub fn offset(&self, tile: u32) -> [f32; 2] {
        let [width, height] = extent(&self.replay);
        let (column, row) = (tile % self.per_row, tile / self.per_row);
        [column as f32 * width, row as f32 * height]
    }

    /// Which of the crowd's frames a tile shows in frame `frame`.
    #[must_use]
    pub fn frame_of(&self, tile: u32, frame: u64) -> u32 {
        // The golden ratio of 2^32: its multiples spread evenly, however many are taken.
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

/// Width and height of a tile; of a crowd that stands on one line, as much as keeps tiles apart.
fn extent(replay: &Replay) -> [f32; 2] {
    let (min, max) = replay.bounds().into();
    [max[0] - min[0], max[1] - min[1]].map(|side| if side > 0.0 { side } else { 1.0 })
}

fn shifted(aabb: Aabb, by: [f32; 2]) -> [[f32; 2]; 2] {
    [aabb.min(), aabb.max()].map(|[x, y]| [x + by[0], y + by[1]])
}
