//! What there is to say of one category after a frame.

use crate::tune::activity::Activity;
use crate::tune::sizes::SizeCounts;
use crate::world::category::Category;
use crate::world::config::{CategoryConfig, CategoryKind, OversizedStructure, PairMode};
use crate::world::ids::CategoryId;

/// One category, as of the last step or refresh: how it is configured, and what was measured of it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CategoryReport {
    /// The category.
    pub category: CategoryId,
    /// Its name.
    pub name: String,
    /// What it is kept in.
    pub kind: CategoryKind,
    /// The structure of an oversized one.
    pub structure: OversizedStructure,
    /// Which pairs it reports.
    pub pairs: PairMode,
    /// The bound of its half extents.
    pub bound: [f32; 2],
    /// The largest half extents, per axis, of anything since it was last empty.
    pub largest: [f32; 2],
    /// How many things there are of each size; see [`SizeCounts`] for what is known of a coarse category.
    pub sizes: SizeCounts,
    /// Its rows, the disabled included.
    pub rows: usize,
    /// Leaves of its index that hold any row.
    pub cells: usize,
    /// Rows so far out that their cells cannot be told apart.
    pub outside: usize,
    /// What it did in the last frames.
    pub activity: Activity,
}

impl CategoryReport {
    /// Says what a category is now, in the memory that is there. O(1) in its rows.
    pub(crate) fn describe(&mut self, id: CategoryId, config: &CategoryConfig, now: &Category) {
        self.category = id;
        self.name.clone_from(&config.name);
        (self.kind, self.structure, self.pairs) = (config.kind, config.structure, config.pairs);
        (self.bound, self.largest) = (config.half_extents, now.largest);
        self.sizes.copy_from(&now.sizes);
        self.rows = now.len();
        (self.cells, self.outside) = (now.indexed.cells, now.indexed.outside);
        self.activity = now.activity.summary();
    }
}
