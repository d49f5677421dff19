//! A category: its columns and its structure.
//!
//! | file | has |
//! |---|---|
//! | `mod.rs` | the rows: how they come, move and go |
//! | `boxes.rs` | the boxes of rows: written one by one, or as a column |
//! | `sizes.rs` | their sizes: whether they are known, and how many there are of each |
//! | `changes.rs` | who is told when rows change |
//! | `index.rs` | how the index is built |
//! | `validate.rs` | what is always true |

mod boxes;
mod changes;
mod index;
mod sizes;
mod validate;

pub(crate) use index::IndexPart;

use educe::Educe;
use throng_core::{
    Aabb, Column, Columns, Executor, Handle, Handles, InfiniteSides, Permutation, SimdLevel,
    for_both, prefetch, prefetch_for_reading,
};

use crate::frame::events::rows_then::RowsThen;
use crate::frame::prediction::swept::SweptBoxes;
use crate::frame::resting::stillness::Stillness;
use crate::tune::activity::ActivityLog;
use crate::tune::row_order::RowScatter;
use crate::tune::sizes::SizeCounts;
use crate::world::columns::{ProxyColumns, corners, finite_or_zero, without_end};
use crate::world::config::{CategoryConfig, CategoryKind, PairMode};
use crate::world::disabled_rows::DisabledRows;
use crate::world::exclusions::Partners;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};
use crate::world::journal::RowJournal;
use crate::world::loaded_boxes::{write_boxes, write_centers};
use crate::world::masks::Masks;
use crate::world::proxy::Extent;
use crate::world::resting::Resting;
use crate::world::routing::under;
use crate::world::rows_now::RowsNow;
use crate::world::scenery_index::Scenery;
use crate::world::spacing::Spacing;
use crate::world::standing::Standing;
use crate::world::structure::{Indexed, Structure};

/// The most proxies in one category: as many rows as every structure can number.
pub const MAX_ROWS: usize = throng_loose::MOST_ROWS;
const _: () =
    assert!(MAX_ROWS <= throng_grid::MOST_ROWS && MAX_ROWS <= throng_quadtree::MOST_PACKED_ROWS);

/// What is stored of a proxy besides its place and size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes {
    pub(crate) key: u64,
    pub(crate) masks: Masks,
    pub(crate) owner: u64,
    pub(crate) velocity: [f32; 2],
    pub(crate) excluded: Partners,
    pub(crate) enabled: bool,
    pub(crate) told_to_rest: bool,
}

impl Default for Attributes {
    fn default() -> Self {
        Self {
            key: 0,
            masks: Masks::ALL,
            owner: 0,
            velocity: [0.0; 2],
            excluded: Partners::default(),
            enabled: true,
            told_to_rest: false,
        }
    }
}

/// One category of a living world.
///
/// Invariants, checked by [`validate`](Self::validate): all columns have the same length. Centers are finite. Half
/// extents are within the bound, and so are boxes of scenery around their centers. The id of every row is valid, and its slot
/// names that row. Where sizes are known, `sizes` counts them. `unlike` is the number of rows of an exact category that are not
/// as large as the bound.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct Category {
    pub(crate) id: CategoryId,
    pub(crate) columns: ProxyColumns,
    disabled: DisabledRows,
    /// The upper bound of half extents.
    pub(crate) bound: [f32; 2],
    /// Whether it is uniform, and every row counts as its own box.
    exact: bool,
    /// Rows whose half extents are not the bound, if it is exact. Sizes are indexed only while there are any.
    unlike: usize,
    /// The largest half extents, per axis, of any proxy since the category was last empty: all that is known about
    /// sizes where none are stored.
    pub(crate) largest: [f32; 2],
    pub(crate) simd: Option<SimdLevel>,
    /// How many proxies there are of each size, as far as known.
    pub(crate) sizes: SizeCounts,
    pub(crate) activity: ActivityLog,
    /// How the rows lie compared with the order of space.
    pub(crate) scatter: RowScatter,
    /// Whether anything but a write of a column of centers has changed rows since the last index.
    written: bool,
    /// Whether the next index is to depend on the rows alone.
    pub(crate) forgets: bool,
    pub(crate) structure: Structure,
    /// The index of those that rest, if they have one of their own.
    pub(crate) standing: Option<Box<Standing>>,
    /// Whether the last search for the category's own pairs had masks to test. Then the next index of a uniform
    /// category carries their classes, which makes that search faster and the index a little slower.
    pub(crate) tests_own_masks: bool,
    pub(crate) indexed: Indexed,
    /// How far apart the rows in the index are.
    pub(crate) spacing: Spacing,
    pub(crate) journal: RowJournal,
    /// The rows as of the last step, if any of their pairs have events.
    pub(crate) then: Option<Box<RowsThen>>,
    /// How much larger its boxes count when pairs are predicted.
    pub(crate) margin: f32,
    /// What pairs are predicted with, if any row of it ever looked ahead, or of one that it meets.
    pub(crate) swept: Option<Box<SweptBoxes>>,
    /// Whether any row may have been moved, or given another velocity, since the last index.
    pub(crate) has_moved: bool,
    /// Whether rows, masks or enabled flags have changed since the search was planned.
    pub(crate) has_changed: bool,
    /// Whether its pairs come only as events.
    pub(crate) is_sensor: bool,
    /// Who has moved when, if its rows ever rest.
    pub(crate) stillness: Option<Box<Stillness>>,
}

impl Category {
    /// An empty category; the config must be checked.
    pub(crate) fn new(id: CategoryId, config: &CategoryConfig, simd: Option<SimdLevel>) -> Self {
        let mut columns = ProxyColumns::default();
        match config.kind {
            CategoryKind::Uniform => {}
            CategoryKind::Oversized => columns.half_extents.allocate(),
            CategoryKind::Scenery => columns.boxes.allocate(),
        }
        let stillness = Stillness::new(config);
        if stillness.is_some() {
            columns.still.allocate();
            columns.last_xs.allocate();
            columns.last_ys.allocate();
        }
        Self {
            id,
            columns,
            disabled: DisabledRows::default(),
            bound: config.half_extents,
            exact: config.kind == CategoryKind::Uniform && config.pairs == PairMode::Exact,
            unlike: 0,
            largest: [0.0; 2],
            simd,
            sizes: SizeCounts::default(),
            activity: ActivityLog::default(),
            scatter: RowScatter::default(),
            written: false,
            forgets: false,
            structure: Structure::new(config, simd),
            standing: new_standing(config, simd),
            tests_own_masks: false,
            indexed: Indexed::default(),
            spacing: Spacing::default(),
            journal: RowJournal::default(),
            then: None,
            margin: config.margin,
            swept: None,
            has_moved: false,
            has_changed: true,
            is_sensor: config.sensor,
            stillness,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is room for one more row.
    pub(crate) fn has_room(&self) -> bool {
        self.len() < MAX_ROWS
    }

    /// A row's half extents: its own, or `all` if none are stored. Infinite on an axis with an infinite side.
    #[inline]
    pub(crate) fn half_extents(&self, row: usize, all: [f32; 2]) -> [f32; 2] {
        if let Some(half) = self.given_half_extents(row) {
            // Also of a box that has a side at infinity only because it is too far out.
            let kept = self.columns.half_extents.get(row);
            return for_both(|axis| {
                if kept[axis] > 0.0 {
                    kept[axis]
                } else {
                    half[axis]
                }
            });
        }
        let half = self.columns.half_extents_or(all, row);
        without_end(half, self.columns.infinite.get(row))
    }

    /// Half extents of a box of scenery as given, but no more than the bound: half its width may exceed that where
    /// sides are rounded. So the box is within the bound after it is moved to where sides are not rounded.
    #[inline]
    fn given_half_extents(&self, row: usize) -> Option<[f32; 2]> {
        let half = Extent::of(self.columns.fixed_box(row)?).half_extents;
        Some(under(self.bound, half))
    }

    /// A row's box: its own, or one with half extents `all` if no sizes are stored.
    #[inline]
    pub(crate) fn aabb(&self, row: usize, all: [f32; 2]) -> Aabb {
        let [min, max] = self.columns.corners(row, all);
        // Centers are finite, and half extents not negative.
        Aabb::of_corners(min, max)
    }

    #[inline]
    pub(crate) fn is_enabled(&self, row: usize) -> bool {
        !self.disabled.contains(row)
    }

    /// Prefetches what a hit on a row is told by, unless there is no such row any more.
    #[inline]
    pub(crate) fn prefetch(&self, row: Row) {
        let row = row as usize;
        if let Some(id) = self.columns.ids.get(row) {
            prefetch_for_reading(id);
        }
        if let Some(key) = self.columns.keys.values().and_then(|keys| keys.get(row)) {
            prefetch_for_reading(key);
        }
    }

    /// Prefetches the box of a row.
    #[inline]
    pub(crate) fn prefetch_box(&self, row: Row) {
        let columns = &self.columns;
        prefetch(&columns.xs, row);
        prefetch(&columns.ys, row);
        if let Some(half_extents) = columns.half_extents.values() {
            prefetch(half_extents, row);
        }
    }

    /// The proxy in a row.
    #[inline]
    pub(crate) fn id_in_row(&self, row: usize) -> ProxyId {
        ProxyId(self.columns.ids[row])
    }

    /// The proxies in the rows of a pair.
    #[inline]
    pub(crate) fn ids_of_pair(sides: [&Self; 2], pair: [Row; 2]) -> [ProxyId; 2] {
        for_both(|side| sides[side].id_in_row(pair[side] as usize))
    }

    /// What a proxy takes along from its row.
    pub(crate) fn attributes(&self, row: usize) -> Attributes {
        Attributes {
            key: self.columns.key(row),
            masks: self.columns.masks(row),
            owner: self.columns.owners.get(row),
            velocity: self.columns.velocities.get(row),
            excluded: self.columns.excluded.get(row),
            enabled: self.is_enabled(row),
            told_to_rest: self.is_told_to_rest(row),
        }
    }

    /// Adds a proxy in a new last row.
    pub(crate) fn push(&mut self, id: Handle, extent: &Extent, attributes: &Attributes) -> Row {
        let row = self.columns.push_row();
        self.columns.ids[row] = id;
        self.columns.write_key(row, attributes.key);
        self.columns.write_masks(row, attributes.masks);
        self.columns.write_owner(row, attributes.owner);
        if !self.structure.is_scenery() {
            self.columns.write_velocity(row, attributes.velocity);
        }
        self.columns.write_excluded(row, attributes.excluded);
        if !attributes.enabled {
            self.set_enabled(row, false);
        }
        self.store_extent(row as Row, extent);
        if let Some(stillness) = &mut self.stillness {
            stillness.note_new(row, self.columns.len());
        }
        if attributes.told_to_rest {
            self.tell_to_rest(row);
        }
        if let Structure::Scenery(index) = &mut self.structure {
            index.changes.note(row as Row, None, self.columns.len());
        }
        row as Row
    }

    /// Adds the boxes of a tree, each of which has a proxy, in new last rows of scenery; returns the first. All must fit. They
    /// do not count as changed: the index is to be told of the tree.
    pub(crate) fn append(
        &mut self,
        ids: &Handles,
        scenery: &Scenery,
        executor: &dyn Executor,
    ) -> Row {
        let first = self.columns.push_rows(ids.len());
        let columns = &mut self.columns;
        ids.write(&mut columns.ids[first..]);
        let boxes = &mut columns.boxes.values_mut()[first..];
        write_boxes(scenery, boxes, executor);
        let centers = [&mut columns.xs[first..], &mut columns.ys[first..]];
        let measured = write_centers(boxes, centers, self.bound, executor);
        self.sizes.merge(&measured.sizes);
        self.largest = for_both(|axis| self.largest[axis].max(measured.largest[axis]));
        self.written = true;
        first as Row
    }

    /// Moves a row.
    #[inline]
    pub(crate) fn write_center(&mut self, row: usize, center: [f32; 2]) {
        let before = self.columns.center(row);
        [self.columns.xs[row], self.columns.ys[row]] = center;
        // By bits, as rows that rest are compared: what is handed over with pairs has the sign of a zero as well.
        let moved = before.map(f32::to_bits) != center.map(f32::to_bits);
        self.written |= moved;
        if moved && self.structure.is_scenery() {
            self.note_then(row);
            self.note_change(row);
            self.move_box(row, center);
        }
        if moved {
            self.note_written(row);
        }
    }

    /// Gives a row a velocity.
    #[inline]
    pub(crate) fn write_velocity(&mut self, row: usize, velocity: [f32; 2]) {
        self.has_moved |= self.columns.velocities.get(row) != velocity;
        self.columns.write_velocity(row, velocity);
    }

    /// Gives every row a velocity, and those whose velocity is not finite the one they have. Returns whether that was all. It was not if
    /// some are not finite, or if the column has to be made first: then the caller writes them one by one.
    pub(crate) fn fill_velocities(&mut self, given: impl Iterator<Item = [f32; 2]>) -> bool {
        if !self.columns.velocities.is_allocated() {
            return given.fold(true, |all, velocity| all & (velocity == [0.0; 2]));
        }
        // Until it is known better: whoever gives them may panic after some are written.
        let had_moved = std::mem::replace(&mut self.has_moved, true);
        // Without a branch per row, so that the compiler makes vector code of it.
        let (mut differ, mut wrong) = (0, 0);
        let velocities = self.columns.velocities.allocated_mut();
        for (velocity, given) in velocities.iter_mut().zip(given) {
            let is_good = is_finite(given);
            let given = [
                if is_good { given[0] } else { velocity[0] },
                if is_good { given[1] } else { velocity[1] },
            ];
            differ |= u32::from((given[0] != velocity[0]) | (given[1] != velocity[1]));
            wrong |= u32::from(!is_good);
            *velocity = given;
        }
        self.has_moved = had_moved | (differ != 0);
        wrong == 0
    }

    /// The sides of a box of scenery that are at infinity, but for those that are there only because it is too far out.
    fn endless_sides(&self, row: usize, size: [f32; 2]) -> InfiniteSides {
        let aabb = self.columns.fixed_box(row);
        let mut infinite = aabb.expect("scenery keeps its boxes").infinite_sides();
        for (axis, &half) in size.iter().enumerate() {
            let is_endless = half == f32::INFINITY;
            infinite.min[axis] &= is_endless;
            infinite.max[axis] &= is_endless;
        }
        infinite
    }

    /// The extent of a row of scenery. If it was moved, or given by its center, it has center and size as stored, and not what its
    /// sides would give.
    pub(crate) fn fixed_extent(&self, row: usize) -> Extent {
        let from_sides = self.columns.half_extents.get(row) == [0.0; 2];
        let mut extent = Extent::of(self.aabb(row, self.largest));
        let center = self.columns.center(row);
        for axis in [0, 1] {
            // Two sides at infinity do not say where it is.
            if !from_sides || (extent.infinite.min[axis] && extent.infinite.max[axis]) {
                extent.center[axis] = center[axis];
            }
        }
        if from_sides {
            return extent;
        }
        let half_extents = self.half_extents(row, self.bound);
        Extent {
            half_extents,
            infinite: self.endless_sides(row, half_extents),
            from_sides,
            ..extent
        }
    }

    /// Moves a box of scenery. From then on its size is stored, so that it does not change through rounding wherever
    /// the box goes.
    #[cold]
    fn move_box(&mut self, row: usize, center: [f32; 2]) {
        let size = self.half_extents(row, self.bound);
        self.columns.half_extents.set(row, finite_or_zero(size));
        let infinite = self.endless_sides(row, size);
        let half = self.columns.half_extents.get(row);
        self.columns.boxes.set(row, corners(center, half, infinite));
    }

    /// Removes `id` from its row. The last row moves there, and its proxy is returned, unless that was the last row
    /// itself.
    pub(crate) fn take_out(
        &mut self,
        row: Row,
        id: ProxyId,
        pool: &mut ProxyPool,
    ) -> Option<ProxyId> {
        let last = self.len() - 1;
        let last_id = self.id_in_row(last);
        self.uncount_size(row as usize);
        self.written = true;
        self.journal.note(row, id);
        self.journal.note(last as Row, last_id);
        self.note_then(row as usize);
        self.note_then(last);
        self.wake_unless_scenery(row as usize);
        self.note_change(row as usize);
        self.note_change(last);
        self.note_written(row as usize);
        self.move_disabled_bit(last, row as usize);
        let moved = self.columns.swap_remove_row(row as usize);
        if self.columns.len() == 0 {
            self.largest = [0.0; 2];
            self.sizes.clear();
        }
        moved.map(|_| {
            if let Some(slot) = pool.get_at_mut(last_id.index()) {
                slot.row = row;
            }
            last_id
        })
    }

    /// The rows as they are.
    pub(crate) fn rows_now(&self) -> RowsNow<'_> {
        RowsNow {
            columns: &self.columns,
            bound: self.bound,
            disabled: self.disabled.any(),
            are_scenery: self.structure.is_scenery(),
        }
    }

    /// The half extents of all rows, if they are compared as boxes of one size.
    pub(crate) fn all_compared_alike(&self) -> Option<[f32; 2]> {
        let is_coarse = !self.exact && matches!(self.structure, Structure::Points(_));
        (is_coarse || self.all_alike()).then_some(self.bound)
    }

    /// The rows as of the last step, and as they are; `None` if none of their pairs have events.
    pub(crate) fn then_and_now(&mut self) -> Option<(&mut RowsThen, RowsNow<'_>)> {
        let now = RowsNow {
            columns: &self.columns,
            bound: self.bound,
            disabled: self.disabled.any(),
            are_scenery: self.structure.is_scenery(),
        };
        Some((self.then.as_mut()?, now))
    }

    pub(crate) fn set_enabled(&mut self, row: usize, enabled: bool) {
        if self.is_enabled(row) == enabled {
            return;
        }
        self.written = true;
        if enabled {
            self.disabled.remove(row);
        } else {
            self.disabled.add(row);
        }
    }

    /// The bit of the last row moves with the row.
    fn move_disabled_bit(&mut self, last: usize, row: usize) {
        if self.disabled.any().is_some() {
            let enabled = self.is_enabled(last);
            self.set_enabled(row, enabled);
            self.set_enabled(last, true);
        }
    }

    /// Removes every row and empties the index.
    pub(crate) fn clear(&mut self) {
        self.columns.clear_rows();
        self.disabled.clear();
        self.unlike = 0;
        self.largest = [0.0; 2];
        self.sizes.clear();
        self.written = true;
        if let Some(then) = &mut self.then {
            then.forget();
        }
        self.forget_index();
    }

    /// Frees memory of rows that are gone. Until the next index, queries find nothing, or the wrong rows.
    pub(crate) fn shrink_to_fit(&mut self, config: &CategoryConfig, simd: Option<SimdLevel>) {
        if self.all_alike() {
            self.columns.half_extents.forget();
        }
        Columns::shrink_to_fit(&mut self.columns);
        self.disabled.shrink_to_fit();
        self.journal = RowJournal::default();
        if let Some(then) = &mut self.then {
            then.shrink_to_fit();
        }
        if let Some(stillness) = &mut self.stillness {
            stillness.shrink_to_fit();
        }
        self.swept = None;
        if !self.structure.is_scenery() {
            self.structure = Structure::new(config, simd);
            self.standing = new_standing(config, simd);
        }
    }

    /// Puts all rows into another order. Until the next index, queries find the wrong rows.
    pub(crate) fn reorder_rows(
        &mut self,
        order: &Permutation,
        pool: &mut ProxyPool,
        executor: &dyn Executor,
    ) {
        self.columns.reorder_rows(order, executor);
        self.disabled.reorder(order);
        for (row, &id) in (0..).zip(&self.columns.ids) {
            if let Some(slot) = pool.get_mut(id) {
                slot.row = row;
            }
        }
        if let Some(then) = &mut self.then {
            then.reorder(order);
        }
        // Nothing has moved, so this is no write.
        self.note_all_changed();
        self.activity.rows_changed();
    }

    /// The scenery as a tree of its own, without disabled rows; `None` if this category is not scenery.
    pub(crate) fn packed(&self) -> Option<Scenery> {
        match &self.structure {
            Structure::Scenery(index) => Some(index.packed(&self.columns, self.disabled.any())),
            Structure::Points(_) | Structure::Boxes(_) => None,
        }
    }

    pub(crate) fn index_bytes(&self) -> usize {
        let standing = self.standing.as_ref();
        self.structure.memory_bytes() + standing.map_or(0, |standing| standing.memory_bytes())
    }

    pub(crate) fn disabled_bytes(&self) -> usize {
        self.disabled.memory_bytes()
    }

    pub(crate) fn stillness_bytes(&self) -> usize {
        let columns = &self.columns;
        let last = columns.last_xs.memory_bytes() + columns.last_ys.memory_bytes();
        let lists = self
            .stillness
            .as_ref()
            .map_or(0, |stillness| stillness.memory_bytes());
        columns.still.memory_bytes() + last + lists
    }

    /// Bytes kept for advice: a few hundred, however many rows there are.
    pub(crate) fn tuning_bytes(&self) -> usize {
        self.sizes.memory_bytes() + self.activity.memory_bytes()
    }
}

/// An empty index for those that rest, if they are to have one.
fn new_standing(config: &CategoryConfig, simd: Option<SimdLevel>) -> Option<Box<Standing>> {
    (config.rests != Resting::Never)
        .then(|| Box::new(Standing::new(Structure::new_standing(config, simd))))
}

/// Whether both coordinates are finite.
#[inline(always)]
pub(crate) fn is_finite(point: [f32; 2]) -> bool {
    point[0].is_finite() & point[1].is_finite()
}
