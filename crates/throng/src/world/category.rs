//! A configured category with its columns and its structure.

use fixedbitset::FixedBitSet;
use throng_core::{Aabb, Columns, Executor, Masks, SimdLevel};

use crate::tune::activity::ActivityLog;
use crate::tune::sizes::SizeCounts;
use crate::world::columns::{ProxyColumns, corners, finite_or_zero};
use crate::world::config::{CategoryConfig, CategoryKind, PairMode};
use crate::world::ids::{ProxyId, ProxyPool, Row};
use crate::world::journal::RowJournal;
use crate::world::proxy::Extent;
use crate::world::routing::Place;
use crate::world::scenery_index::Scenery;
use crate::world::structure::{Indexed, Structure};

/// The most proxies in one category: as many rows as every structure can number.
pub const MAX_ROWS: usize = throng_loose::MOST_ROWS;
const _: () = assert!(MAX_ROWS <= throng_grid::MOST_ROWS);

/// One category of a living world.
///
/// Invariants, checked by [`validate`](Self::validate): all columns are of one length; centres are
/// finite and own half extents within the bound, and so are boxes of scenery around their centres;
/// `disabled` counts the bits of `absent`, none of which lies beyond the last row; the slot of every row
/// names that row; where sizes are stored, `sizes` counts them.
pub(crate) struct Category {
    pub(crate) columns: ProxyColumns,
    /// Disabled rows. Empty, and unallocated, until one is.
    absent: FixedBitSet,
    disabled: usize,
    /// The upper bound of half extents.
    pub(crate) bound: [f32; 2],
    /// The largest half extents, per axis, of any proxy since the category was last empty: all that
    /// is known of sizes where none are stored.
    pub(crate) largest: [f32; 2],
    /// What is known of sizes, by size.
    pub(crate) sizes: SizeCounts,
    pub(crate) activity: ActivityLog,
    /// Whether a row has come, gone, moved or changed since the last index, other than by a column write.
    written: bool,
    pub(crate) structure: Structure,
    pub(crate) indexed: Indexed,
    pub(crate) journal: RowJournal,
}

impl Category {
    /// An empty category; the config is checked.
    pub(crate) fn new(config: &CategoryConfig, simd: Option<SimdLevel>) -> Self {
        let mut columns = ProxyColumns::default();
        if config.pairs == PairMode::Exact || config.kind == CategoryKind::Oversized {
            columns.half_extents.values_mut();
        }
        if config.kind == CategoryKind::Scenery {
            columns.half_extents.forget();
            columns.boxes.values_mut();
        }
        Self {
            columns,
            absent: FixedBitSet::new(),
            disabled: 0,
            bound: config.half_extents,
            largest: [0.0; 2],
            sizes: SizeCounts::default(),
            activity: ActivityLog::default(),
            written: false,
            structure: Structure::new(config, simd),
            indexed: Indexed::default(),
            journal: RowJournal::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is a row left for one more.
    pub(crate) fn has_room(&self) -> bool {
        self.len() < MAX_ROWS
    }

    /// A row's half extents: its own, or those of `all` where none are stored. Infinite on an axis with an
    /// infinite side.
    #[inline]
    pub(crate) fn half_extents(&self, row: usize, all: [f32; 2]) -> [f32; 2] {
        if let Some(half) = self.given_half_extents(row) {
            let moved = self.columns.half_extents.values();
            let kept = moved.map_or(half, |kept| kept[row]);
            return [0, 1].map(|axis| {
                if half[axis] < f32::INFINITY {
                    kept[axis]
                } else {
                    half[axis]
                }
            });
        }
        let own = self.columns.half_extents.values();
        let half = own.map_or(all, |own| own[row]);
        let infinite = self.columns.infinite.get(row);
        [0, 1].map(|axis| {
            if infinite.min[axis] || infinite.max[axis] {
                f32::INFINITY
            } else {
                half[axis]
            }
        })
    }

    /// A row's box as given, in scenery.
    fn fixed_box(&self, row: usize) -> Option<Aabb> {
        let [min, max] = self.columns.boxes.values()?[row];
        Some(Aabb::new(min, max).expect("what is stored was a box"))
    }

    /// Half extents of a box of scenery as it was given: no more than the bound, which half its width may be over where
    /// sides are rounded. So the box is no larger than the bound when it is moved to where they are not.
    #[inline]
    fn given_half_extents(&self, row: usize) -> Option<[f32; 2]> {
        let half = Extent::of(self.fixed_box(row)?).half_extents;
        Some([0, 1].map(|axis| {
            if half[axis] < f32::INFINITY {
                half[axis].min(self.bound[axis])
            } else {
                half[axis]
            }
        }))
    }

    /// A row's box: its own, or one of `all` where no sizes are stored.
    pub(crate) fn aabb(&self, row: usize, all: [f32; 2]) -> Aabb {
        if let Some(aabb) = self.fixed_box(row) {
            return aabb;
        }
        let own = self.columns.half_extents.values();
        let (center, half) = (self.columns.center(row), own.map_or(all, |own| own[row]));
        let infinite = self.columns.infinite.get(row);
        let [min, max] = corners(center, half, infinite);
        Aabb::new(min, max).expect("centres are finite, sizes are sizes")
    }

    #[inline]
    pub(crate) fn is_enabled(&self, row: usize) -> bool {
        !self.absent.contains(row)
    }

    /// The proxy in a row.
    #[inline]
    pub(crate) fn id_in_row(&self, row: usize, pool: &ProxyPool) -> ProxyId {
        let handle = pool.handle_at(self.columns.slots[row]);
        ProxyId(handle.expect("every row's slot is occupied"))
    }

    /// Takes a proxy in, in a new row at the end.
    pub(crate) fn push(
        &mut self,
        slot: u32,
        place: &Place,
        key: u64,
        masks: Masks,
        enabled: bool,
    ) -> Row {
        let row = self.columns.push_row();
        self.columns.slots[row] = slot;
        self.columns.write_key(row, key);
        self.columns.write_masks(row, masks);
        if !enabled {
            self.set_enabled(row, false);
        }
        self.settle(row as Row, place);
        row as Row
    }

    /// Moves and resizes a row.
    pub(crate) fn write_place(&mut self, row: Row, place: &Place) {
        self.uncount_size(row as usize);
        self.settle(row, place);
    }

    /// Writes where a row is and how big, and counts it by its size.
    fn settle(&mut self, row: Row, place: &Place) {
        self.columns.write_place(row, place);
        self.changed();
        self.largest = [0, 1].map(|axis| self.largest[axis].max(place.half_extents[axis]));
        let size = self.half_extents(row as usize, place.half_extents);
        self.sizes.add(size, 1);
    }

    /// A row's size counts no more.
    fn uncount_size(&mut self, row: usize) {
        if self.stores_sizes() {
            let size = self.half_extents(row, self.bound);
            self.sizes.take_off(size, 1);
        } else {
            self.sizes.forget_one(self.len() - 1);
        }
    }

    /// Takes over what another category knew of sizes that neither stores, all of whose rows came here and were counted
    /// as its largest.
    pub(crate) fn learn_sizes(&mut self, other: &Self) {
        if !self.stores_sizes() && !other.stores_sizes() {
            self.sizes.take_off(other.largest, other.len() as u64);
            self.sizes.merge(&other.sizes);
        }
    }

    /// Whether every row's own size is known.
    pub(crate) fn stores_sizes(&self) -> bool {
        self.columns.half_extents.is_allocated() || self.columns.boxes.is_allocated()
    }

    /// A row has come, gone, moved or changed, by something else than a column write.
    fn changed(&mut self) {
        self.written = true;
        self.structure.changed();
    }

    /// Moves a row.
    #[inline]
    pub(crate) fn write_center(&mut self, row: usize, center: [f32; 2]) {
        let before = self.columns.center(row);
        [self.columns.xs[row], self.columns.ys[row]] = center;
        let moved = before != center;
        self.written |= moved;
        if moved && self.structure.is_scenery() {
            self.move_box(row, center);
        }
    }

    /// Moves a box of scenery. Its size is remembered from then on, so that it comes back the same from wherever sides
    /// are rounded.
    #[cold]
    fn move_box(&mut self, row: usize, center: [f32; 2]) {
        if !self.columns.half_extents.is_allocated() {
            for row in 0..self.len() {
                // As given, whatever is written beside it so far.
                let given = self
                    .given_half_extents(row)
                    .expect("scenery keeps its boxes");
                self.columns.half_extents.values_mut()[row] = finite_or_zero(given);
            }
        }
        let infinite = self.fixed_box(row).map(|aabb| aabb.infinite_sides());
        let infinite = infinite.expect("scenery keeps its boxes");
        let half = self.columns.half_extents.get(row);
        self.columns.boxes.set(row, corners(center, half, infinite));
        self.structure.changed();
    }

    /// Takes `id` out of its row; the last row moves in, and its proxy, if there is one, is
    /// returned.
    pub(crate) fn take_out(
        &mut self,
        row: Row,
        id: ProxyId,
        pool: &mut ProxyPool,
    ) -> Option<ProxyId> {
        let last = self.len() - 1;
        let last_id = self.id_in_row(last, pool);
        self.uncount_size(row as usize);
        self.changed();
        self.journal.note(row, id);
        self.journal.note(last as Row, last_id);
        self.move_absent_bit(last, row as usize);
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

    pub(crate) fn set_enabled(&mut self, row: usize, enabled: bool) {
        if self.is_enabled(row) == enabled {
            return;
        }
        self.changed();
        if enabled {
            self.disabled -= 1;
        } else {
            self.disabled += 1;
            self.absent.grow(row + 1);
        }
        self.absent.set(row, !enabled);
    }

    /// The bit of the last row goes where the row goes.
    fn move_absent_bit(&mut self, last: usize, row: usize) {
        if self.disabled > 0 {
            let enabled = self.is_enabled(last);
            self.set_enabled(row, enabled);
            self.set_enabled(last, true);
        }
    }

    /// Drops every row, and the index of them.
    pub(crate) fn clear(&mut self) {
        self.columns.clear_rows();
        self.absent.clear();
        self.disabled = 0;
        self.largest = [0.0; 2];
        self.sizes.clear();
        self.written = true;
        self.forget_index();
    }

    /// Empties the index: queries find nothing until the next one.
    fn forget_index(&mut self) {
        self.structure.clear();
        self.indexed = Indexed::default();
        self.journal.restart(0);
    }

    /// Gives back the memory that rows once took which are there no more. Queries find nothing, or the wrong rows, until
    /// the next index.
    pub(crate) fn shrink_to_fit(&mut self, config: &CategoryConfig, simd: Option<SimdLevel>) {
        Columns::shrink_to_fit(&mut self.columns);
        if self.disabled == 0 {
            self.absent = FixedBitSet::new();
        }
        self.journal = RowJournal::default();
        if !self.structure.is_scenery() {
            self.structure = Structure::new(config, simd);
        }
    }

    /// Builds the index from the columns as they are.
    pub(crate) fn index(&mut self, executor: &dyn Executor) {
        let absent = (self.disabled > 0).then_some(&self.absent);
        self.indexed = self.structure.index(&self.columns, absent, executor);
        self.indexed.bounds = self.structure.bounds();
        self.indexed.spacing = self.columns.spacing();
        self.journal.restart(self.columns.len());
        let written = std::mem::take(&mut self.written);
        self.activity
            .note(&self.columns, self.indexed.packed > 0, written);
    }

    /// The scenery as a tree of its own, without what is disabled; `None` if this is none.
    pub(crate) fn packed(&self) -> Option<Scenery> {
        match &self.structure {
            Structure::Scenery(index) => {
                let absent = (self.disabled > 0).then_some(&self.absent);
                Some(index.packed(&self.columns, absent))
            }
            Structure::Points(_) | Structure::Boxes(_) => None,
        }
    }

    pub(crate) fn absent_bytes(&self) -> usize {
        size_of_val(self.absent.as_slice())
    }

    /// What is kept for advice: some hundred bytes, however many rows there are.
    pub(crate) fn tuning_bytes(&self) -> usize {
        self.sizes.memory_bytes() + self.activity.memory_bytes()
    }

    /// Checks the invariants. O(rows).
    pub(crate) fn validate(&self, category: usize, pool: &ProxyPool) -> Result<(), String> {
        self.columns.validate()?;
        self.structure.validate()?;
        let disabled = self.absent.ones().filter(|&row| row < self.len()).count();
        if disabled != self.disabled || self.absent.count_ones(..) != disabled {
            return Err(format!(
                "{} rows count as disabled, {disabled} are",
                self.disabled
            ));
        }
        if self.stores_sizes() {
            let sizes = (0..self.len()).map(|row| self.half_extents(row, self.bound));
            if !SizeCounts::of(sizes).steps().eq(self.sizes.steps()) {
                return Err(format!("sizes are counted as {:?}", self.sizes));
            }
        }
        for row in 0..self.len() {
            let slot = pool
                .get_at(self.columns.slots[row])
                .ok_or_else(|| format!("row {row} has a vacant slot"))?;
            if slot.row_index() != row || slot.category_index() != category {
                return Err(format!("the slot of row {row} says {slot:?}"));
            }
            let (center, half) = (self.columns.center(row), self.half_extents(row, self.bound));
            let fits = match self.fixed_box(row) {
                // As routing has it: half the width may be over the bound where sides are rounded.
                Some(aabb) => {
                    Aabb::from_center(center, self.bound).is_ok_and(|most| most.contains(&aabb))
                }
                None => (0..2).all(|axis| (0.0..=self.bound[axis]).contains(&half[axis])),
            };
            if !(is_finite(center) && fits) {
                return Err(format!(
                    "row {row} stands at {center:?} with half extents of {half:?}"
                ));
            }
        }
        Ok(())
    }
}

/// Whether a point is somewhere.
#[inline(always)]
pub(crate) fn is_finite(point: [f32; 2]) -> bool {
    point[0].is_finite() & point[1].is_finite()
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};

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
            broken.contains("\"huts\": row 0 stands at [5.0, 5.0]"),
            "{broken}"
        );
    }
}
