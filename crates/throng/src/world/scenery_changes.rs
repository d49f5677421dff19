//! What has changed in a category of scenery since its last index, so that the index can be brought up to date at a price in
//! proportion.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{Aabb, Executor, Handle};
use throng_quadtree::{BoxChange, PackedForest};

use crate::world::columns::ProxyColumns;
use crate::world::ids::Row;
use crate::world::index_map::{IndexMap, clear_table, table_bytes};
use crate::world::scenery_index::Scenery;

/// The trees are mended as long as no more than one row in so many has changed. Beyond that, packing all is cheaper: on one thread,
/// from a fifth on if all have moved, and from a third on if all have gone or got another row.
const FEW: usize = 4;

/// If more trees than this are added before a step, one tree is packed of all rows.
const MOST_ADDED: usize = 1024;

/// Added trees are divided into no more than about this many places in all.
const MOST_PLACES_ADDED: usize = 2048;

/// If more boxes than this are touched without a step in between, one around all of them is kept in their place.
const MOST_TOUCHED: usize = 1 << 14;

/// A box of the index, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexedBox {
    pub(crate) aabb: Aabb,
    pub(crate) id: Handle,
}

/// The rows that have changed, and the trees that were added.
///
/// ```text
/// indexed      0:a 1:b 2:c
/// remove(b)    0:a 1:c              noted: 1 -> b, 2 -> c
/// add a tree   0:a 1:c 2:x 3:y      added: from row 2    gone before it: 2 -> c
/// remove(x)    0:a 1:c 2:y          noted: 1 -> b, 2 -> x, 3 -> y
/// the index    c gets row 1; then comes the tree; then b and x go, and y gets row 2
/// ```
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct SceneryChanges {
    /// Rows that may hold another box or proxy than the index says, or will say when it has the added trees; and what it
    /// says of them, if anything.
    noted: IndexMap<Option<IndexedBox>>,
    /// Trees that were added, one after the other.
    added: Vec<AddedTree>,
    /// Boxes of which something else has changed: whom they meet.
    touched: Vec<Aabb>,
    /// Whether these are all the changes. If not, everything is packed anew.
    are_all: bool,
    /// Whether there are so many that everything is packed anew, and they only say where.
    are_many: bool,
}

/// A tree that was added.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct AddedTree {
    pub(crate) tree: Scenery,
    /// Which row of the category its first row is.
    pub(crate) first: Row,
    /// Rows that it got and that had been noted before, and what the index has in them until this tree comes.
    gone: Vec<(Row, IndexedBox)>,
}

impl SceneryChanges {
    /// Notes that one of `rows` rows is about to change, to hold another proxy, or to be there no more. `indexed` is what
    /// the index has in it, unless that was noted before.
    pub(crate) fn note(&mut self, row: Row, indexed: Option<IndexedBox>, rows: usize) {
        if !self.are_all {
            return;
        }
        self.noted.entry(row).or_insert(indexed);
        self.are_many |= self.noted.len() * FEW > rows + FEW;
    }

    /// Notes that whoever is at a box may meet it from here on, or meet it no more.
    pub(crate) fn note_touched(&mut self, aabb: Aabb) {
        if self.touched.len() == MOST_TOUCHED {
            let all = self.touched.drain(..).reduce(|a, b| a.union(&b));
            self.touched.extend(all);
        }
        self.touched.push(aabb);
    }

    /// Notes that any rows may have changed.
    pub(crate) fn note_all(&mut self) {
        self.restart();
        self.are_all = false;
    }

    /// Notes that the boxes of a tree have got new last rows, from `first` on.
    pub(crate) fn note_added(&mut self, tree: Scenery, first: Row) {
        if !self.are_all {
            return;
        }
        let last = first + tree.rows() as Row;
        let again = self.noted.extract_if(|row, _| (first..last).contains(row));
        let gone = again.filter_map(|(row, indexed)| Some((row, indexed?)));
        let mut gone: Vec<_> = gone.collect();
        if self.added.len() > MOST_ADDED {
            // All is packed anew in any case, and trees may come and go for ever before that: only where they are counts.
            for (_, indexed) in gone {
                self.note_touched(indexed.aabb);
            }
            tree.for_each_part(1, |bounds| self.note_touched(bounds));
            return;
        }
        gone.sort_unstable_by_key(|&(row, _)| row);
        self.added.push(AddedTree { tree, first, gone });
        self.are_many |= self.added.len() > MOST_ADDED;
    }

    /// Whether nothing has changed.
    pub(crate) fn are_none(&self) -> bool {
        self.are_all && self.noted.is_empty() && self.added.is_empty()
    }

    /// The trees that were added, if nothing else has changed.
    pub(crate) fn are_added_trees(&self) -> Option<&[AddedTree]> {
        let are_no_others =
            self.noted.is_empty() && self.added.iter().all(|added| added.gone.is_empty());
        (self.are_all && !self.are_many && are_no_others).then_some(&self.added)
    }

    /// Lists the places in which a box has come, gone or changed, and forgets those that were [touched](Self::note_touched).
    /// Returns whether these are all the places. A box that has only got another row has not changed. In an added tree with
    /// many boxes, one place may hold several boxes.
    pub(crate) fn take_places(
        &mut self,
        columns: &ProxyColumns,
        disabled: Option<&FixedBitSet>,
        places: &mut Vec<Aabb>,
    ) -> bool {
        places.append(&mut self.touched);
        let gone = self.added.iter().flat_map(|added| &added.gone);
        let then = (self.noted.values().flatten()).chain(gone.map(|(_, indexed)| indexed));
        let present =
            (self.noted.keys().copied()).filter(|&row| is_present(row, columns, disabled));
        let now = present.filter_map(|row| {
            let (aabb, id) = (columns.fixed_box(row as usize)?, columns.ids[row as usize]);
            Some(IndexedBox { aabb, id })
        });
        let mut boxes: Vec<_> = then.copied().chain(now).collect();
        let key = |of: &IndexedBox| {
            let corners = [of.aabb.min(), of.aabb.max()];
            (
                of.id.to_bits(),
                corners.map(|corner| corner.map(f32::to_bits)),
            )
        };
        boxes.sort_unstable_by_key(key);
        // A box that is where it was is in the list twice.
        let changed = boxes
            .chunk_by(|a, b| key(a) == key(b))
            .filter(|same| same.len() == 1);
        places.extend(changed.map(|one| one[0].aabb));
        let most = MOST_PLACES_ADDED / self.added.len().max(1);
        for AddedTree { tree, .. } in &self.added {
            tree.for_each_part(most, |bounds| places.push(bounds));
        }
        self.are_all
    }

    /// Whether anything has changed in any place.
    pub(crate) fn has_places(&self) -> bool {
        !self.are_none() || !self.touched.is_empty()
    }

    /// Brings the forest up to date. Returns how many rows were packed for that; `None`, with nothing done, if not all changes
    /// are known, or if there are too many.
    pub(crate) fn apply_to(
        &self,
        forest: &mut PackedForest,
        columns: &ProxyColumns,
        disabled: Option<&FixedBitSet>,
        executor: &dyn Executor,
    ) -> Option<usize> {
        if !self.are_all || self.are_many {
            return None;
        }
        let mut now = NotedRows::new(columns, disabled, self.noted.keys());
        // In an order that does not depend on how rows were noted.
        let mut before: Vec<_> = self
            .noted
            .iter()
            .filter_map(|(&row, &indexed)| Some((row, indexed?)))
            .collect();
        before.sort_unstable_by_key(|&(row, _)| row);
        let mut packed = 0;
        for AddedTree { tree, first, gone } in &self.added {
            let changes: Vec<_> = gone
                .iter()
                .map(|(row, indexed)| now.change(*row, indexed))
                .collect();
            packed += forest.apply(&changes, executor).expect(NOTED);
            forest.adopt(tree, *first).expect("as many rows as fit");
        }
        let changes = before
            .iter()
            .map(|(row, indexed)| now.change(*row, indexed));
        let mut changes: Vec<_> = changes.collect();
        changes.extend(now.others());
        packed += forest.apply(&changes, executor).expect(NOTED);
        Some(packed)
    }

    /// To be called when the index is up to date. Keeps the memory, unless there were many changes.
    pub(crate) fn restart(&mut self) {
        if self.are_many {
            self.noted = IndexMap::default();
        } else {
            clear_table(&mut self.noted);
        }
        self.added.clear();
        self.touched.clear();
        (self.are_all, self.are_many) = (true, false);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let gone = self.added.iter();
        let gone = gone.map(|added| added.gone.capacity() * size_of::<(Row, IndexedBox)>());
        table_bytes::<(Row, Option<IndexedBox>)>(self.noted.capacity())
            + self.added.capacity() * size_of::<AddedTree>()
            + self.touched.capacity() * size_of::<Aabb>()
            + gone.sum::<usize>()
    }
}

/// Why the forest accepts changes.
const NOTED: &str = "what is noted is what the index has, and every row can be numbered";

/// Whether there is somebody in a row, enabled.
fn is_present(row: Row, columns: &ProxyColumns, disabled: Option<&FixedBitSet>) -> bool {
    let row = row as usize;
    row < columns.len() && disabled.is_none_or(|disabled| !disabled.contains(row))
}

/// Who is now in the rows that were noted.
struct NotedRows<'c> {
    columns: &'c ProxyColumns,
    /// By the index of their slot.
    rows: IndexMap<Row>,
}

impl<'c> NotedRows<'c> {
    fn new<'r>(
        columns: &'c ProxyColumns,
        disabled: Option<&FixedBitSet>,
        noted: impl Iterator<Item = &'r Row>,
    ) -> Self {
        let present = noted
            .copied()
            .filter(|&row| is_present(row, columns, disabled));
        let rows = present
            .map(|row| (columns.ids[row as usize].index(), row))
            .collect();
        Self { columns, rows }
    }

    fn aabb(&self, row: Row) -> Aabb {
        let aabb = self.columns.fixed_box(row as usize);
        aabb.expect("scenery keeps its boxes")
    }

    /// What has become of a box that the index has in a row.
    fn change(&mut self, row: Row, indexed: &IndexedBox) -> BoxChange {
        let IndexedBox { aabb, id } = *indexed;
        let is_same = |now: &Row| self.columns.ids[*now as usize] == id;
        let Some(now) = self.rows.get(&id.index()).copied().filter(is_same) else {
            return BoxChange::Remove { row, aabb };
        };
        let to = self.aabb(now);
        if now == row {
            self.rows.remove(&id.index());
            BoxChange::Move {
                row,
                from: aabb,
                to,
            }
        } else if to == aabb {
            self.rows.remove(&id.index());
            BoxChange::Rename { row, aabb, to: now }
        } else {
            // It comes again as one of the others, in its new row.
            BoxChange::Remove { row, aabb }
        }
    }

    /// Those who have come: all who are left when every noted box was asked for.
    fn others(self) -> Vec<BoxChange> {
        let mut rows: Vec<_> = self.rows.values().copied().collect();
        rows.sort_unstable();
        let insert = |row| BoxChange::Insert {
            row,
            aabb: self.aabb(row),
        };
        rows.into_iter().map(insert).collect()
    }
}
