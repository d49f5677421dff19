//! What the oracle asks of a scene, of whichever kind.

use throng_core::{Aabb, Masks};

use crate::box_scene::BoxScene;
use crate::scene::Scene;

/// Rows that may have a box and have masks; the methods that scenes have themselves.
pub trait Rows {
    /// How many rows there are.
    fn row_count(&self) -> usize;

    /// A row's box; `None` for a row that has none.
    fn aabb(&self, row: usize) -> Option<Aabb>;

    /// A row's masks.
    fn masks_of(&self, row: usize) -> Masks;
}

impl Rows for Scene {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn aabb(&self, row: usize) -> Option<Aabb> {
        self.aabb(row)
    }

    fn masks_of(&self, row: usize) -> Masks {
        self.masks_of(row)
    }
}

impl Rows for BoxScene {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn aabb(&self, row: usize) -> Option<Aabb> {
        self.aabb(row)
    }

    fn masks_of(&self, row: usize) -> Masks {
        self.masks_of(row)
    }
}
