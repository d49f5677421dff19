//! The rows of a category as of the last step: their boxes, and who was in those that have changed.

use std::collections::{HashMap, HashSet};

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{Executor, Permutation, Simd, Spare, run_each};

use crate::frame::events::listed::ListedPairs;
use crate::frame::events::lists::Lists;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};
use crate::world::index_map::{IndexHashing, IndexMap, clear_table, table_bytes};
use crate::world::row_boxes::RowBoxes;
use crate::world::rows_now::RowsNow;

/// In pairs of the last step, a row with this bit is the number of one of the [`Departed`].
const DEPARTED: Row = 1 << 31;
const _: () = assert!(crate::MAX_ROWS < DEPARTED as usize);

fn is_departed(row: Row) -> bool {
    row & DEPARTED != 0
}

/// Who is or was in a row, with the last key known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupant {
    pub(crate) id: ProxyId,
    pub(crate) key: u64,
}

impl Occupant {
    /// Who is in a row now.
    #[inline]
    pub(crate) fn now(category: &Category, row: usize) -> Self {
        Self {
            id: category.id_in_row(row),
            key: category.columns.key(row),
        }
    }
}

/// Up to so many rows that have changed are looked for in lists of pairs all at once: a quarter of a nanosecond a pair for each of them,
/// where looking each row of a pair up takes two to three.
const FEW_CHANGED: usize = 8;

/// Who was in a row that has changed.
#[derive(Clone)]
pub(super) struct Changed {
    who: Occupant,
    /// What stands for the row in pairs of the last step, once they have been [marked](Departed::mark_changed).
    departed: Option<Row>,
}

/// What is remembered of the rows of a category.
///
/// A row has *changed* if it holds another proxy than then, or the same one but what it may meet is not what it was. Where a
/// row has merely moved or grown, its box says so.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct RowsThen {
    /// The boxes as of the last step; none for rows that have changed.
    pub(crate) boxes: RowBoxes,
    /// The boxes as of this step, while it ends; none for rows that have changed. Scenery has no need of them.
    pub(crate) next_boxes: Spare<RowBoxes>,
    /// How many rows there were.
    pub(super) rows: usize,
    /// Who was in the rows that have changed.
    pub(super) changed: IndexMap<Changed>,
    /// The same rows as bits, which are asked for of many rows.
    changed_rows: FixedBitSet,
    /// The same rows, ascending, once they have been [marked](Departed::mark_changed), if they are [few](FEW_CHANGED).
    few_changed: Vec<Row>,
    /// Whether any row has changed; also one that was not there then, or that has lost its number with all others, none of which are in
    /// `changed`.
    pub(super) is_changed: bool,
    /// Whether all rows have been put into another order.
    pub(super) are_reordered: bool,
}

impl RowsThen {
    /// To be called before a row changes, with who is in it.
    pub(crate) fn note(&mut self, row: usize, occupant: Occupant) {
        self.is_changed = true;
        if row < self.rows {
            self.changed.entry(row as Row).or_insert(Changed {
                who: occupant,
                departed: None,
            });
            self.changed_rows.grow_and_insert(row);
        }
        self.boxes.forget(row);
    }

    /// Whether any row has changed, or there are others than then.
    pub(crate) fn has_changes(&self, rows: usize) -> bool {
        self.is_changed || self.rows != rows
    }

    /// Records the boxes of those rows of scenery that have changed or are new; no others have moved. O(such rows).
    pub(super) fn record_changed(&mut self, now: RowsNow<'_>) {
        self.boxes.begin_corners(now.len());
        let new = self.rows..now.len();
        let changed = self.changed.keys().map(|&row| row as usize);
        for row in changed.filter(|&row| row < now.len()).chain(new) {
            if now.has(row) {
                self.boxes
                    .set(row, now.corners(row), now.columns.center(row));
            } else {
                self.boxes.forget(row);
            }
        }
    }

    /// Whether a row, by its number then, has changed.
    #[inline]
    fn has_changed(&self, row: Row) -> bool {
        self.changed_rows.contains(row as usize)
    }

    pub(super) fn are_changes_few(&self) -> bool {
        self.changed.len() <= FEW_CHANGED
    }

    /// Lists the rows that have changed, if they are few.
    fn list_few(&mut self) {
        self.few_changed.clear();
        if self.are_changes_few() {
            self.few_changed.extend(self.changed.keys());
            self.few_changed.sort_unstable();
        }
    }

    /// To be called when the last step is the one that has just ended, and boxes are those of now.
    pub(crate) fn restart(&mut self, rows: usize) {
        self.rows = rows;
        self.is_changed = false;
        self.are_reordered = false;
        if !self.changed.is_empty() {
            self.changed_rows.clear();
        }
        self.few_changed.clear();
        clear_table(&mut self.changed);
    }

    /// Forgets all rows: they have lost their numbers.
    pub(crate) fn forget(&mut self) {
        self.boxes.clear();
        self.restart(0);
        self.is_changed = true;
    }

    /// Follows the rows into another order.
    pub(crate) fn reorder(&mut self, order: &Permutation) {
        self.boxes.reorder(order);
        self.restart(order.len());
        self.is_changed = true;
        self.are_reordered = true;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let changed = table_bytes::<(Row, Changed)>(self.changed.capacity());
        let few = self.few_changed.capacity() * size_of::<Row>();
        let rows = size_of_val(self.changed_rows.as_slice()) + few;
        self.boxes.memory_bytes() + self.next_boxes.memory_bytes() + changed + rows
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.boxes.shrink_to_fit();
        self.next_boxes = Spare::default();
        self.changed.shrink_to_fit();
        if self.changed.is_empty() {
            self.changed_rows = FixedBitSet::new();
        }
    }
}

/// Those of the last step who are not under their numbers any more.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct Departed {
    list: Vec<Occupant>,
    /// The last keys of those who were removed, by id.
    keys: HashMap<u64, u64, IndexHashing>,
    /// When there are more keys than this, it is time to find out who was in no pair.
    most_keys: usize,
}

/// So many keys are kept without a look at whose they are.
const FEW_KEYS: usize = 1024;

impl Departed {
    /// Writes somebody down. Returns what stands in a pair for the row.
    pub(crate) fn push(&mut self, who: Occupant) -> Row {
        self.list.push(who);
        DEPARTED | (self.list.len() - 1) as Row
    }

    /// Writes down who was in rows that have changed, and puts them in place of these rows in pairs of the last step. From here on, pairs of
    /// then and of now that have the same rows are the same. O(pairs) if rows have changed.
    pub(super) fn mark_changed(
        &mut self,
        lists: &mut Lists,
        categories: &mut [Category],
        executor: &dyn Executor,
        simd: Simd,
    ) {
        let mut is_any = false;
        for then in categories.iter_mut().filter_map(|of| of.then.as_mut()) {
            then.list_few();
            for changed in then.changed.values_mut() {
                is_any = true;
                let who = changed.who;
                changed.departed.get_or_insert_with(|| self.push(who));
            }
        }
        if !is_any {
            return;
        }
        let categories = &*categories;
        let rows_then = |id: CategoryId| {
            let then = categories.get(id.index())?.then.as_deref()?;
            Some(then).filter(|then| !then.changed.is_empty())
        };
        run_each(executor, lists.used_mut(), |_, list| {
            let sides = list.categories.map(rows_then);
            let are_few = |then: &Option<&RowsThen>| then.is_none_or(RowsThen::are_changes_few);
            if sides.iter().all(are_few) {
                mark_few(list, sides, simd);
            } else {
                mark_many(list, sides);
            }
        });
    }

    /// To be called before somebody is removed.
    pub(super) fn note_removal(&mut self, who: Occupant) {
        self.keys.insert(who.id.to_bits(), who.key);
    }

    /// Whether there are so many keys that most may be of proxies that were in no pair of the last step: without steps,
    /// proxies may come and go for ever.
    pub(super) fn are_keys_many(&self) -> bool {
        self.keys.len() > self.most_keys.max(FEW_KEYS)
    }

    /// Forgets all keys but those of `ids`. So many `pairs` were looked through to find these; that is not done again until there are
    /// more keys than that.
    pub(super) fn keep_keys_of(&mut self, ids: &HashSet<u64, IndexHashing>, pairs: usize) {
        self.keys.retain(|id, _| ids.contains(id));
        self.keys.shrink_to_fit();
        self.most_keys = pairs.max(2 * self.keys.len());
    }

    /// Who it is that a row of a pair stands for, if it does.
    pub(crate) fn get(&self, row: Row) -> Option<Occupant> {
        is_departed(row).then(|| self.list[(row & !DEPARTED) as usize])
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Occupant> {
        self.list.iter_mut()
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        clear_table(&mut self.keys);
        self.most_keys = 0;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let keys = table_bytes::<[u64; 2]>(self.keys.capacity());
        self.list.capacity() * size_of::<Occupant>() + keys
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
        self.keys.shrink_to_fit();
    }
}

/// What stands for a row that has changed.
fn departed(then: Option<&RowsThen>, row: Row) -> Option<Row> {
    then?.changed.get(&row)?.departed
}

/// Marks the rows that have changed, in a list of pairs, where they are few on each side.
fn mark_few(list: &mut ListedPairs, sides: [Option<&RowsThen>; 2], simd: Simd) {
    let [one, other] = list.categories;
    if one == other {
        return mark_few_of(list, sides[0], |_| true, simd);
    }
    for (side, then) in sides.into_iter().enumerate() {
        mark_few_of(list, then, |place| place % 2 == side, simd);
    }
}

/// Marks those of one category, which are at some of the places of a list that is read row by row.
fn mark_few_of(
    list: &mut ListedPairs,
    then: Option<&RowsThen>,
    is_there: impl Fn(usize) -> bool,
    simd: Simd,
) {
    let Some(then) = then else {
        return;
    };
    // What was unmatched in a step that has ended is told: its memory serves again.
    let found = &mut list.unmatched;
    found.clear();
    let rows = list.pairs.as_flattened();
    simd.find_words(rows, 0, &then.few_changed, &mut |place| {
        if is_there(place) {
            found.push([(place / 2) as Row, (place % 2) as Row]);
        }
    });
    for [pair, side] in found.drain(..) {
        let row = &mut list.pairs[pair as usize][side as usize];
        *row = departed(Some(then), *row).unwrap_or(*row);
    }
}

/// The same where they are many.
fn mark_many(list: &mut ListedPairs, sides: [Option<&RowsThen>; 2]) {
    let has_changed = |then: Option<&RowsThen>, row| then.is_some_and(|then| then.has_changed(row));
    for pair in &mut list.pairs {
        // Both at once, since it is seldom either.
        if has_changed(sides[0], pair[0]) | has_changed(sides[1], pair[1]) {
            for (row, then) in pair.iter_mut().zip(sides) {
                *row = departed(then, *row).unwrap_or(*row);
            }
        }
    }
}

/// Whether both rows of a pair of now hold who they held then, and may meet the same: else one has no box of then.
#[inline]
pub(super) fn are_unchanged(then: [&RowsThen; 2], [a, b]: [Row; 2]) -> bool {
    then[0].boxes.has(a as usize) && then[1].boxes.has(b as usize)
}

/// Both sides of the pairs of a list of the last step.
#[derive(Clone, Copy)]
pub(crate) struct SidesThen<'w>(pub(crate) [SideThen<'w>; 2]);

impl<'w> SidesThen<'w> {
    pub(crate) fn new(
        ids: [CategoryId; 2],
        categories: &'w [Category],
        departed: &'w Departed,
        pool: &'w ProxyPool,
    ) -> Self {
        Self(ids.map(|id| SideThen::new(id, categories, departed, pool)))
    }

    /// Whether any row of either may have changed or departed.
    pub(crate) fn any_changed(&self) -> bool {
        self.0.iter().any(SideThen::has_changes)
    }

    /// Whether a row of a pair has changed or departed.
    #[inline]
    pub(crate) fn have_changed(&self, [a, b]: [Row; 2]) -> bool {
        self.0[0].has_changed(a) || self.0[1].has_changed(b)
    }

    /// Who was in the rows of a pair.
    pub(crate) fn who(&self, [a, b]: [Row; 2]) -> [Occupant; 2] {
        [self.0[0].who(a), self.0[1].who(b)]
    }
}

/// One side of the pairs of the last step.
#[derive(Clone, Copy)]
pub(crate) struct SideThen<'w> {
    /// All categories, and which one this side is. It may be gone if all its rows have departed.
    categories: &'w [Category],
    category: usize,
    departed: &'w Departed,
    pool: &'w ProxyPool,
}

impl<'w> SideThen<'w> {
    pub(crate) fn new(
        category: CategoryId,
        categories: &'w [Category],
        departed: &'w Departed,
        pool: &'w ProxyPool,
    ) -> Self {
        Self {
            categories,
            category: category.index(),
            departed,
            pool,
        }
    }

    fn rows(&self) -> Option<&'w RowsThen> {
        self.categories.get(self.category)?.then.as_deref()
    }

    /// The boxes of now, by rows then.
    pub(crate) fn boxes_now(&self) -> &'w RowBoxes {
        const NONE: &RowBoxes = &RowBoxes::NONE;
        let Some(then) = self.rows() else {
            return NONE;
        };
        if self.categories[self.category].structure.is_scenery() {
            &then.boxes
        } else {
            &then.next_boxes
        }
    }

    /// Whether any row may have changed or departed.
    pub(crate) fn has_changes(&self) -> bool {
        let has_changes = |then: &RowsThen| then.has_changes(self.categories[self.category].len());
        !self.departed.list.is_empty() || self.rows().is_none_or(has_changes)
    }

    /// Whether a row has changed or departed.
    pub(crate) fn has_changed(&self, row: Row) -> bool {
        is_departed(row) || self.rows().is_none_or(|then| then.has_changed(row))
    }

    /// Whether a row of now was there then, and its pairs of now are compared by its box. One that has changed before all rows
    /// were put into another order has none.
    pub(crate) fn had(&self, row: Row) -> bool {
        let is_known = |then: &RowsThen| {
            let is_there = (row as usize) < then.rows && !then.has_changed(row);
            is_there && then.boxes.has(row as usize)
        };
        self.rows().is_some_and(is_known)
    }

    /// Whether a row held then who is in it now.
    pub(crate) fn held(&self, row: Row, now: ProxyId) -> bool {
        let has_box = |then: &RowsThen| then.boxes.has(row as usize);
        self.rows().is_some_and(has_box) || self.who(row).id == now
    }

    /// Who was in a row.
    pub(crate) fn who(&self, row: Row) -> Occupant {
        let changed = || Some(self.rows()?.changed.get(&row)?.who);
        match self.departed.get(row).or_else(changed) {
            Some(noted) => self.with_last_key(noted),
            None => Occupant::now(&self.categories[self.category], row as usize),
        }
    }

    /// The same with the key that they have now, or had when they were removed.
    pub(crate) fn with_last_key(&self, who: Occupant) -> Occupant {
        let now = key_now(who, self.categories, self.pool);
        let last = || self.departed.keys.get(&who.id.to_bits()).copied();
        Occupant {
            key: now.or_else(last).unwrap_or(who.key),
            ..who
        }
    }
}

/// The key of somebody who was not removed.
pub(crate) fn key_now(who: Occupant, categories: &[Category], pool: &ProxyPool) -> Option<u64> {
    let slot = pool.get(who.id.0)?;
    let columns = &categories[slot.category_index()].columns;
    Some(columns.key(slot.row_index()))
}
