//! A category: its columns and its structure.

use throng_core::{
    Aabb, Column, Columns, Executor, Handle, Handles, InfiniteSides, Permutation, SimdLevel,
    for_both, prefetch_for_reading,
};

use crate::frame::events::look::RowsNow;
use crate::frame::events::rows_then::RowsThen;
use crate::frame::prediction::swept::SweptBoxes;
use crate::frame::resting::stillness::{RESTING, Stillness, TOLD};
use crate::tune::activity::ActivityLog;
use crate::tune::row_order::RowScatter;
use crate::tune::sizes::SizeCounts;
use crate::world::columns::{ProxyColumns, corners, finite_or_zero};
use crate::world::config::{CategoryConfig, CategoryKind, PairMode};
use crate::world::disabled_rows::DisabledRows;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};
use crate::world::journal::RowJournal;
use crate::world::loaded_boxes::{write_boxes, write_centers};
use crate::world::masks::Masks;
use crate::world::proxy::Extent;
use crate::world::routing::{Routed, under};
use crate::world::scenery_changes::IndexedBox;
use crate::world::scenery_index::Scenery;
use crate::world::spacing::Spacing;
use crate::world::structure::{Indexed, IndexedRows, Structure};

/// The most proxies in one category: as many rows as every structure can number.
pub const MAX_ROWS: usize = throng_loose::MOST_ROWS;
const _: () = assert!(MAX_ROWS <= throng_grid::MOST_ROWS);

/// What is stored of a proxy besides its place and size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes {
    pub(crate) key: u64,
    pub(crate) masks: Masks,
    pub(crate) owner: u64,
    pub(crate) velocity: [f32; 2],
    pub(crate) excluded: bool,
    pub(crate) enabled: bool,
}

impl Default for Attributes {
    fn default() -> Self {
        Self {
            key: 0,
            masks: Masks::ALL,
            owner: 0,
            velocity: [0.0; 2],
            excluded: false,
            enabled: true,
        }
    }
}

/// One category of a living world.
///
/// Invariants, checked by [`validate`](Self::validate): all columns have the same length. Centers are finite. Half
/// extents are within the bound, and so are boxes of scenery around their centers. The id of every row is valid, and its slot
/// names that row. Where sizes are known, `sizes` counts them. `unlike` is the number of rows of an exact category that are not
/// as large as the bound.
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
    simd: Option<SimdLevel>,
    /// How many proxies there are of each size, as far as known.
    pub(crate) sizes: SizeCounts,
    pub(crate) activity: ActivityLog,
    /// How the rows lie compared with the order of space.
    pub(crate) scatter: RowScatter,
    /// Whether anything but a column write has changed rows since the last index.
    written: bool,
    pub(crate) structure: Structure,
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
    /// The boxes of those rows that look ahead, if any ever did.
    pub(crate) swept: Option<Box<SweptBoxes>>,
    /// Whether any row may have been moved, or given another velocity, since the last index.
    pub(crate) has_moved: bool,
    /// Whether its pairs come only as events.
    pub(crate) is_sensor: bool,
    /// Who has moved when, if its rows ever rest.
    pub(crate) stillness: Option<Box<Stillness>>,
    /// Whether it is scenery, and what some of it may meet has changed since the last step or refresh.
    pub(crate) meets_others: bool,
}

impl Category {
    /// An empty category; the config must be checked.
    pub(crate) fn new(id: CategoryId, config: &CategoryConfig, simd: Option<SimdLevel>) -> Self {
        let mut columns = ProxyColumns::default();
        match config.kind {
            CategoryKind::Uniform => {}
            CategoryKind::Oversized => drop(columns.half_extents.values_mut()),
            CategoryKind::Scenery => drop(columns.boxes.values_mut()),
        }
        let stillness = Stillness::new(config);
        if stillness.is_some() {
            let _ = columns.still.values_mut();
            let _ = columns.last_xs.values_mut();
            let _ = columns.last_ys.values_mut();
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
            structure: Structure::new(config, simd),
            tests_own_masks: false,
            indexed: Indexed::default(),
            spacing: Spacing::default(),
            journal: RowJournal::default(),
            then: None,
            margin: config.margin,
            swept: None,
            has_moved: false,
            is_sensor: config.sensor,
            stillness,
            meets_others: false,
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
            let kept = self.columns.half_extents.get(row);
            return for_both(|axis| {
                if half[axis] < f32::INFINITY && kept[axis] > 0.0 {
                    kept[axis]
                } else {
                    half[axis]
                }
            });
        }
        let own = self.columns.half_extents.values();
        let half = own.map_or(all, |own| own[row]);
        let infinite = self.columns.infinite.get(row);
        for_both(|axis| {
            if infinite.min[axis] || infinite.max[axis] {
                f32::INFINITY
            } else {
                half[axis]
            }
        })
    }

    /// Half extents of a box of scenery as given, but no more than the bound: half its width may exceed that where
    /// sides are rounded. So the box is within the bound after it is moved to where sides are not rounded.
    #[inline]
    fn given_half_extents(&self, row: usize) -> Option<[f32; 2]> {
        let half = Extent::of(self.columns.fixed_box(row)?).half_extents;
        Some(under(self.bound, half))
    }

    /// A row's box: its own, or one with half extents `all` if no sizes are stored.
    pub(crate) fn aabb(&self, row: usize, all: [f32; 2]) -> Aabb {
        if let Some(aabb) = self.columns.fixed_box(row) {
            return aabb;
        }
        let own = self.columns.half_extents.values();
        let (center, half) = (self.columns.center(row), own.map_or(all, |own| own[row]));
        let infinite = self.columns.infinite.get(row);
        let [min, max] = corners(center, half, infinite);
        Aabb::new(min, max).expect("centers are finite, and half extents not negative")
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

    /// The proxy in a row.
    #[inline]
    pub(crate) fn id_in_row(&self, row: usize) -> ProxyId {
        ProxyId(self.columns.ids[row])
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
        }
    }

    /// Adds a proxy in a new last row.
    pub(crate) fn push(&mut self, id: Handle, placement: &Routed, attributes: &Attributes) -> Row {
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
        self.settle(row as Row, placement);
        if let Some(stillness) = &mut self.stillness {
            stillness.note_new(row, self.columns.len());
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

    /// Moves and resizes a row.
    pub(crate) fn write_placement(&mut self, row: Row, placement: &Routed) {
        if self.structure.is_scenery() {
            self.note_then(row as usize);
        }
        let size = self.size_and_sides(row as usize);
        self.note_change(row as usize);
        self.uncount_size(row as usize);
        self.settle(row, placement);
        self.note_written(row as usize);
        if self.size_and_sides(row as usize) != size {
            self.wake_unless_scenery(row as usize);
        }
    }

    /// The half extents of a row as stored, and which of its sides are at infinity.
    fn size_and_sides(&self, row: usize) -> ([f32; 2], InfiniteSides) {
        let own = self.columns.half_extents.values();
        let half_extents = own.map_or(self.bound, |own| own[row]);
        (half_extents, self.columns.infinite.get(row))
    }

    /// To be called before a row changes in another way than by a write of its center, or comes to hold another proxy.
    pub(crate) fn note_change(&mut self, row: usize) {
        let is_enabled = self.is_enabled(row);
        if let Some(stillness) = &mut self.stillness {
            let [x, y] = [&self.columns.last_xs, &self.columns.last_ys];
            let from = is_enabled.then(|| [x.get(row), y.get(row)]);
            stillness.note_change(row, from);
        }
        if let (Structure::Scenery(index), Some(aabb)) =
            (&mut self.structure, self.columns.fixed_box(row))
        {
            let id = self.columns.ids[row];
            let indexed = is_enabled.then_some(IndexedBox { aabb, id });
            index.changes.note(row as Row, indexed, self.columns.len());
        }
    }

    /// To be called when any rows may be other than the index says.
    fn note_all_changed(&mut self) {
        self.structure.note_all_changed();
        if let Some(stillness) = &mut self.stillness {
            stillness.note_all_changed();
        }
    }

    /// From here on, a row counts as if it had not moved.
    pub(crate) fn keep_center(&mut self, row: usize) {
        self.note_change(row);
        self.columns.keep_center(row);
    }

    /// To be called when a row is written, or comes to hold another proxy.
    #[inline]
    fn note_written(&mut self, row: usize) {
        self.has_moved = true;
        if let Some(stillness) = &mut self.stillness {
            stillness.note_written(row, self.columns.len());
        }
    }

    /// To be called when some rows are written, each by its number; there may be no such rows.
    #[inline]
    pub(crate) fn note_rows_written(&mut self, rows: &[Row]) {
        self.has_moved = true;
        if let Some(stillness) = &mut self.stillness {
            let all = self.columns.len();
            rows.iter()
                .for_each(|&row| stillness.note_written(row as usize, all));
        }
    }

    /// To be called when any rows may be written.
    #[inline]
    pub(crate) fn note_all_written(&mut self) {
        self.has_moved = true;
        if let Some(stillness) = &mut self.stillness {
            stillness.note_all_written();
        }
    }

    /// To be called when something other than its center changes for a row.
    #[inline]
    pub(crate) fn wake(&mut self, row: usize) {
        if let Some(stillness) = &mut self.stillness {
            stillness.wake(ProxyId(self.columns.ids[row]));
        }
        self.meets_others |= self.structure.is_scenery();
    }

    /// To be called when it is noted where a row changes, so that those who are near scenery are found there.
    pub(crate) fn wake_unless_scenery(&mut self, row: usize) {
        if !self.structure.is_scenery() {
            self.wake(row);
        }
    }

    /// Lets a row count as new, if rows ever rest here and it was not told to.
    pub(crate) fn count_as_new(&mut self, row: usize) {
        if self.stillness.is_some() && self.columns.still.get(row) != TOLD {
            self.set_awake(row, 0);
        }
    }

    /// Sets how long a row that is awake from here on has not moved.
    pub(crate) fn set_awake(&mut self, row: usize, still: u8) {
        if let Some(stillness) = &mut self.stillness
            && self.columns.still.get(row) == RESTING
        {
            stillness.note_awake(row);
        }
        self.columns.still.set(row, still);
    }

    /// Tells a row to rest, if rows ever rest here and it does not, nor is about to.
    pub(crate) fn tell_to_rest(&mut self, row: usize) {
        let Some(stillness) = &mut self.stillness else {
            return;
        };
        if self.columns.still.get(row) < TOLD {
            self.columns.still.set(row, TOLD);
            stillness.note_told();
            self.keep_center(row);
        }
    }

    /// Whether a row was told to rest and has not moved since, nor taken part in a step.
    pub(crate) fn is_told_to_rest(&self, row: usize) -> bool {
        let last = [self.columns.last_xs.get(row), self.columns.last_ys.get(row)];
        self.columns.still.get(row) == TOLD && self.columns.center(row) == last
    }

    /// Counts who rests; no other category has more than `others` rows.
    pub(crate) fn count_resting(&mut self, others: usize) {
        if let Some(stillness) = &mut self.stillness {
            stillness.count(&self.columns, self.disabled.any(), others);
        }
    }

    /// Plans how the rows that ask look for pairs here, if the index has leaves. To be called when it is up to date.
    pub(crate) fn plan_asking(&mut self) {
        if let (Some(stillness), Structure::Points(grid)) = (&mut self.stillness, &self.structure) {
            stillness.plan_asking(grid, &self.columns);
        }
    }

    /// Writes center and size of a row, and counts the size.
    fn settle(&mut self, row: Row, placement: &Routed) {
        if self.exact && placement.half_extents != self.bound {
            if !self.columns.half_extents.is_allocated() {
                self.columns.store_half_extents(self.bound);
            }
            self.unlike += 1;
        }
        self.columns.write_placement(row, placement);
        self.written = true;
        self.largest = for_both(|axis| self.largest[axis].max(placement.half_extents[axis]));
        let size = self.half_extents(row as usize, placement.half_extents);
        self.sizes.add(size, 1);
    }

    /// Stops counting the size of a row.
    fn uncount_size(&mut self, row: usize) {
        if self.knows_sizes() {
            let size = self.half_extents(row, self.bound);
            self.sizes.take_off(size, 1);
            self.unlike -= usize::from(self.exact && size != self.bound);
        } else {
            self.sizes.forget_one(self.len() - 1);
        }
    }

    /// Takes over what another category knew about sizes, when neither stores them and all rows of the other moved
    /// here, counted as its largest.
    pub(crate) fn learn_sizes(&mut self, other: &Self) {
        if !self.knows_sizes() && !other.knows_sizes() {
            self.sizes.take_off(other.largest, other.len() as u64);
            self.sizes.merge(&other.sizes);
        }
    }

    /// Whether the size of every row is known.
    pub(crate) fn knows_sizes(&self) -> bool {
        self.exact || self.columns.half_extents.is_allocated() || self.columns.boxes.is_allocated()
    }

    /// Whether the bound says the size of every row.
    fn all_alike(&self) -> bool {
        self.exact && self.unlike == 0
    }

    /// Moves a row.
    #[inline]
    pub(crate) fn write_center(&mut self, row: usize, center: [f32; 2]) {
        let before = self.columns.center(row);
        [self.columns.xs[row], self.columns.ys[row]] = center;
        let moved = before != center;
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

    /// Moves a box of scenery. From then on its size is stored, so that it does not change through rounding wherever
    /// the box goes.
    #[cold]
    fn move_box(&mut self, row: usize, center: [f32; 2]) {
        let size = self.half_extents(row, self.bound);
        self.columns.half_extents.set(row, finite_or_zero(size));
        let infinite = self
            .columns
            .fixed_box(row)
            .map(|aabb| aabb.infinite_sides());
        let infinite = infinite.expect("scenery keeps its boxes");
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
            alike: None,
            disabled: self.disabled.any(),
            are_scenery: self.structure.is_scenery(),
        }
    }

    /// The rows as of the last step, and as they are; `None` if none of their pairs have events.
    pub(crate) fn then_and_now(&mut self) -> Option<(&mut RowsThen, RowsNow<'_>)> {
        let are_alike = if self.exact {
            self.unlike == 0
        } else {
            matches!(self.structure, Structure::Points(_))
        };
        let now = RowsNow {
            columns: &self.columns,
            bound: self.bound,
            alike: are_alike.then_some(self.bound),
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

    /// Empties the index: queries find nothing until the next one is built.
    fn forget_index(&mut self) {
        self.structure.clear();
        self.swept = None;
        self.indexed = Indexed::default();
        self.spacing = Spacing::default();
        self.journal.restart(0);
        if let Some(stillness) = &mut self.stillness {
            stillness.note_all_changed();
        }
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

    /// Makes the next index depend on the rows alone, and on nothing that earlier ones have left.
    pub(crate) fn forget_history(&mut self) {
        self.forget_index();
        self.note_all_changed();
    }

    /// Builds the index from the columns as they are.
    pub(crate) fn index(&mut self, executor: &dyn Executor) {
        self.rebuild(executor);
        let written = std::mem::take(&mut self.written);
        self.activity
            .note(&self.columns, self.indexed.packed, written);
    }

    /// The same, not counted as a frame.
    pub(crate) fn rebuild(&mut self, executor: &dyn Executor) {
        self.rebuild_index(executor);
        self.rebuild_swept(executor);
        self.has_moved = false;
    }

    /// Builds the index of those that look ahead, if any may.
    fn rebuild_swept(&mut self, executor: &dyn Executor) {
        if self.swept.is_none() && !self.has_prediction() {
            return;
        }
        let mut swept = (self.swept.take()).unwrap_or_else(|| Box::new(SweptBoxes::new(self.simd)));
        swept.update(self, executor);
        self.swept = Some(swept);
    }

    fn rebuild_index(&mut self, executor: &dyn Executor) {
        let stillness = self.stillness.as_ref();
        if stillness.is_some_and(|stillness| stillness.changes.are_none()) {
            return;
        }
        let disabled = self.disabled.any();
        let all_alike = self.all_alike();
        let half_extents = self.columns.half_extents.values().filter(|_| !all_alike);
        // Only a grid carries them.
        let carries_classes =
            self.tests_own_masks && matches!(self.structure, Structure::Points(_));
        let masks = &self.columns.masks;
        let classes = carries_classes.then(|| masks.classes_of_rows()).flatten();
        let rows = IndexedRows {
            columns: &self.columns,
            half_extents,
            classes,
            disabled,
        };
        let stillness = self.stillness.as_mut();
        let changes = stillness.and_then(|still| still.changes.list(rows.columns.len(), disabled));
        let is_as_it_was = self.structure.is_up_to_date() && self.columns.len() > 0;
        let changed = match changes {
            _ if is_as_it_was => 0,
            Some(changes) => changes.len(),
            None => usize::MAX,
        };
        self.indexed = self.structure.index(&rows, changes, executor);
        self.indexed.bounds = self.structure.bounds();
        self.journal.restart(self.columns.len());
        if let Some(stillness) = &mut self.stillness {
            stillness.changes.restart();
        }
        // Looks at hundreds of rows, most of which have to be fetched: longer than a step in which ten move.
        if self.spacing.note(changed) {
            self.spacing.look(&self.columns);
            self.scatter
                .look(&self.columns, &self.structure, &self.spacing);
        }
    }

    /// The scenery as a tree of its own, without disabled rows; `None` if this category is not scenery.
    pub(crate) fn packed(&self) -> Option<Scenery> {
        match &self.structure {
            Structure::Scenery(index) => Some(index.packed(&self.columns, self.disabled.any())),
            Structure::Points(_) | Structure::Boxes(_) => None,
        }
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

    /// Checks the invariants. O(rows).
    pub(crate) fn validate(&self, category: usize, pool: &ProxyPool) -> Result<(), String> {
        self.columns.validate()?;
        self.columns.masks.validate()?;
        self.structure.validate()?;
        self.disabled.validate(self.len())?;
        let unlike =
            (0..self.len()).filter(|&row| self.half_extents(row, self.bound) != self.bound);
        if self.exact && self.unlike != unlike.count() {
            return Err(format!("{} rows count as unlike the bound", self.unlike));
        }
        if self.knows_sizes() {
            let sizes = (0..self.len()).map(|row| self.half_extents(row, self.bound));
            if !SizeCounts::of(sizes).steps().eq(self.sizes.steps()) {
                return Err(format!("sizes are counted as {:?}", self.sizes));
            }
        }
        for row in 0..self.len() {
            let slot = pool
                .get(self.columns.ids[row])
                .ok_or_else(|| format!("row {row} has a stale id"))?;
            if slot.row_index() != row || slot.category_index() != category {
                return Err(format!("the slot of row {row} says {slot:?}"));
            }
            let (center, half) = (self.columns.center(row), self.half_extents(row, self.bound));
            let fits = match self.columns.fixed_box(row) {
                // As in routing: half the width may exceed the bound where sides are rounded.
                Some(aabb) => {
                    Aabb::from_center(center, self.bound).is_ok_and(|most| most.contains(&aabb))
                }
                None => (0..2).all(|axis| (0.0..=self.bound[axis]).contains(&half[axis])),
            };
            if !(is_finite(center) && fits) {
                return Err(format!(
                    "row {row} is at {center:?} with half extents of {half:?}"
                ));
            }
        }
        Ok(())
    }
}

/// Whether both coordinates are finite.
#[inline(always)]
pub(crate) fn is_finite(point: [f32; 2]) -> bool {
    point[0].is_finite() & point[1].is_finite()
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Masks, Proxy};

    /// Whether the next index carries classes, after a step in which the n-th of four has the masks that are `given`.
    fn tests_masks(given: fn(u32) -> Masks) -> bool {
        let bees = CategoryConfig::uniform("bees", 1.0);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(bees)).unwrap();
        for n in 0..4 {
            let bee = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
            world.insert(bee.masks(given(n))).unwrap();
        }
        world.refresh();
        world.categories[0].tests_own_masks
    }

    #[test]
    fn classes_are_carried_only_where_masks_keep_some_apart() {
        assert!(tests_masks(|n| Masks::new(1 << n, !(1 << n))));
        assert!(!tests_masks(|_| Masks::ALL));
        assert!(
            !tests_masks(|n| Masks::new(1 << n, !0)),
            "nobody is kept apart"
        );
        assert!(
            !tests_masks(|n| Masks::new(1 << n, 0)),
            "everybody is kept apart"
        );
    }

    #[test]
    fn a_box_of_scenery_over_the_bound_is_broken() {
        let huts = CategoryConfig::scenery("huts").half_extents([1.0; 2]);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(huts)).unwrap();
        let hut = Aabb::from_center([5.0; 2], [1.0; 2]).unwrap();
        world.insert(Proxy::fixed(hut)).unwrap();
        assert_eq!(world.validate(), Ok(()));
        let boxes = &mut world.categories[0].columns.boxes;
        boxes.set(0, [hut.min(), [hut.max()[0], hut.max()[1].next_up()]]);
        let broken = world.validate().unwrap_err();
        assert!(
            broken.contains("\"huts\": row 0 is at [5.0, 5.0]"),
            "{broken}"
        );
    }
}
