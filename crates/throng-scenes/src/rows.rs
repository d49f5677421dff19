//! What the oracle needs of a scene of either kind.

use throng_core::{Aabb, MaskWords};

use crate::box_scene::BoxScene;
use crate::scene::Scene;

/// Rows that have masks and may have a box: methods that scenes already have.
pub trait Rows {
    /// How many rows there are.
    fn row_count(&self) -> usize;

    /// A row's box; `None` if it has none.
    fn aabb(&self, row: usize) -> Option<Aabb>;

    /// A row's masks.
    fn masks_of(&self, row: usize) -> MaskWords;
}

impl Rows for Scene {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn aabb(&self, row: usize) -> Option<Aabb> {
        self.aabb(row)
    }

    fn masks_of(&self, row: usize) -> MaskWords {
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

    fn masks_of(&self, row: usize) -> MaskWords {
        self.masks_of(row)
    }
}
