//! What changes in a forest, and how.

use super::{PackedForest, Tree};
use crate::packed::header::{HEADER, LEAF};
use crate::packed::kernels::walk;
use crate::packed::view::{Column, NO_ROW, View};
use crate::packed::{MOST_PACKED_ROWS, PackedError, PackedQuadtree};
use std::ops::ControlFlow;
use throng_core::{Aabb, Executor, LANES};

use super::bytes::ForestBytes;

/// Something that has changed since the last [`PackedForest::apply`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoxChange {
    /// A box has come.
    Insert {
        /// Its row, which no other box has.
        row: u32,
        /// The box.
        aabb: Aabb,
    },
    /// A box has gone.
    Remove {
        /// Its row before.
        row: u32,
        /// The box.
        aabb: Aabb,
    },
    /// A box has another row.
    Rename {
        /// Its row before.
        row: u32,
        /// The box, as it was and is.
        aabb: Aabb,
        /// Its row from now on.
        to: u32,
    },
    /// The box of a row has changed.
    Move {
        /// The row, before and from now on.
        row: u32,
        /// The box before.
        from: Aabb,
        /// The box from now on.
        to: Aabb,
    },
}

impl BoxChange {
    /// The row and the box to be changed, as they were; none for one that comes.
    fn changed(&self) -> Option<(u32, Aabb)> {
        match *self {
            Self::Insert { .. } => None,
            Self::Remove { row, aabb } | Self::Rename { row, aabb, .. } => Some((row, aabb)),
            Self::Move { row, from, .. } => Some((row, from)),
        }
    }
}

/// Why changes were not applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ForestError {
    /// There is no such box.
    #[error(
        "row {row} does not have the box {aabb}; a change names the row and the box as they were after the last call"
    )]
    NoSuchBox {
        /// The row given.
        row: u32,
        /// The box given.
        aabb: Aabb,
    },
    /// Two changes are of the same box.
    #[error("row {row} with the box {aabb} is changed twice at once; give one change for each box")]
    ChangedTwice {
        /// The row given.
        row: u32,
        /// The box given.
        aabb: Aabb,
    },
    /// A tree of the boxes cannot be packed.
    #[error(transparent)]
    Packed(#[from] PackedError),
}

/// Where a box is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    tree: usize,
    slot: u32,
}

impl PackedForest {
    /// Brings the forest up to date. Returns how many boxes were packed for that.
    ///
    /// All changes happen at once: [`BoxChange::Remove`], [`BoxChange::Rename`] and [`BoxChange::Move`] name boxes as they
    /// were, and each at most once. The rows that there are when it is searched must differ; before that, two boxes may have
    /// one row, and a change goes by the row and the box. The first change of a tree whose bytes are shared copies them.
    ///
    /// # Errors
    ///
    /// If a box to be changed is not there, or is changed twice, or a row has too high a number. The forest is unchanged then.
    pub fn apply(
        &mut self,
        changes: &[BoxChange],
        executor: &dyn Executor,
    ) -> Result<usize, ForestError> {
        // To look through all slots once instead, where many change, took as long.
        let mut places = Vec::with_capacity(changes.len());
        for change in changes {
            places.push(self.place_of(change)?);
        }
        check_once(changes, &places)?;
        let mut fresh = Vec::new();
        // All that go are struck before any that come are packed: a box may come to where another was.
        for (change, place) in changes.iter().zip(places) {
            match (*change, place) {
                (BoxChange::Insert { row, aabb }, _) => fresh.push((row, aabb)),
                (BoxChange::Remove { .. }, Some(place)) => self.tree(place).strike(place.slot),
                (BoxChange::Rename { to, .. }, Some(place)) => {
                    self.tree(place).rename(place.slot, to);
                }
                (BoxChange::Move { row, to, .. }, Some(place)) => {
                    if !self.tree(place).move_within(place.slot, &to) {
                        self.tree(place).strike(place.slot);
                        fresh.push((row, to));
                    }
                }
                (_, None) => unreachable!("all but inserts have a place"),
            }
        }
        Ok(self.merge(fresh, executor)?)
    }

    /// Where the box to be changed is; `None` for one that comes.
    fn place_of(&self, change: &BoxChange) -> Result<Option<Place>, ForestError> {
        let (BoxChange::Insert { row: last_row, .. }
        | BoxChange::Remove { row: last_row, .. }
        | BoxChange::Rename { to: last_row, .. }
        | BoxChange::Move { row: last_row, .. }) = *change;
        check_rows((last_row as usize).saturating_add(1))?;
        let Some((row, aabb)) = change.changed() else {
            return Ok(None);
        };
        // What has changed lately is more likely to change again.
        for (index, tree) in self.trees.iter().enumerate().rev() {
            if tree.bounds.contains(&aabb)
                && let Some(slot) = tree.packed.slot_of(row, &aabb)
            {
                return Ok(Some(Place { tree: index, slot }));
            }
        }
        Err(ForestError::NoSuchBox { row, aabb })
    }

    fn tree(&mut self, place: Place) -> &mut Tree {
        &mut self.trees[place.tree]
    }
}

/// Refuses two changes of the same box.
fn check_once(changes: &[BoxChange], places: &[Option<Place>]) -> Result<(), ForestError> {
    let mut sorted: Vec<_> = changes.iter().zip(places).collect();
    sorted.sort_unstable_by_key(|(_, place)| **place);
    for pair in sorted.windows(2) {
        let [(change, place), (_, next)] = [pair[0], pair[1]];
        if place == next
            && let Some((row, aabb)) = change.changed()
        {
            return Err(ForestError::ChangedTwice { row, aabb });
        }
    }
    Ok(())
}

impl Tree {
    /// Empties a slot.
    fn strike(&mut self, slot: u32) {
        let leaf = self.packed.leaf_mut(slot);
        let lane = slot as usize % LANES;
        let [sides @ .., rows] = leaf;
        sides.iter_mut().for_each(|side| side[lane] = f32::NAN);
        rows[lane] = f32::from_bits(NO_ROW);
        self.packed.header.boxes -= 1;
        self.is_as_packed = false;
    }

    fn rename(&mut self, slot: u32, row: u32) {
        let [.., rows] = self.packed.leaf_mut(slot);
        rows[slot as usize % LANES] = f32::from_bits(row);
        let rows = &mut self.packed.header.rows;
        *rows = (*rows).max(row as usize + 1);
        self.is_as_packed = false;
    }

    /// Replaces the box in a slot, if the bounds of its leaf contain the new one: then searches still find it.
    fn move_within(&mut self, slot: u32, to: &Aabb) -> bool {
        let [min, max] = self.packed.view().leaf_corners(slot as usize / LANES);
        let bounds = Aabb::of_corners(min, max);
        if !bounds.contains(to) {
            return false;
        }
        self.bounds = self.bounds.union(to);
        let [min_x, min_y, max_x, max_y, _] = self.packed.leaf_mut(slot);
        let lane = slot as usize % LANES;
        [min_x[lane], min_y[lane]] = to.min();
        [max_x[lane], max_y[lane]] = to.max();
        self.is_as_packed = false;
        true
    }
}

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// The slot that holds exactly this box for this row.
    fn slot_of(&self, row: u32, aabb: &Aabb) -> Option<u32> {
        let view = self.view();
        let mut found = None;
        let _ = walk(self.simd, &view, &[aabb.min(), aabb.max()], &mut |slots| {
            let slot = slots.iter().find(|&&slot| view.found(slot) == (row, *aabb));
            found = slot.copied();
            if found.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        found
    }
}

impl PackedQuadtree<ForestBytes> {
    /// Gives each row another number.
    pub(super) fn rename_rows(&mut self, name: impl Fn(u32) -> u32) {
        for [.., rows] in self.leaves_mut() {
            for row in rows {
                if row.to_bits() != NO_ROW {
                    *row = f32::from_bits(name(row.to_bits()));
                }
            }
        }
    }

    fn leaf_mut(&mut self, slot: u32) -> &mut [Column; LEAF] {
        &mut self.leaves_mut()[slot as usize / LANES]
    }

    fn leaves_mut(&mut self) -> &mut [[Column; LEAF]] {
        let first = self.header.levels.start(0);
        let len = self.header.levels.leaves() * LEAF;
        let columns: &mut [Column] = bytemuck::cast_slice_mut(&mut self.bytes.make_mut()[HEADER..]);
        columns[first..][..len].as_chunks_mut().0
    }

    /// As [`validate`](Self::validate), for a tree in which slots were emptied and boxes moved within their leaves.
    pub(super) fn validate_changed(&self) -> Result<(), String> {
        let view: View<'_> = self.view();
        let mut boxes = 0;
        for slot in 0..(self.leaves() * LANES) as u32 {
            let (row, aabb) = match view.slot(slot) {
                Some(found) => found,
                None if view.is_struck(slot) => continue,
                None => return Err(format!("slot {slot} holds half a box")),
            };
            boxes += 1;
            let [min, max] = view.leaf_corners(slot as usize / LANES);
            if row as usize >= self.rows() || !Aabb::of_corners(min, max).contains(&aabb) {
                return Err(format!("slot {slot} holds {aabb} of row {row}"));
            }
        }
        if boxes != self.len() {
            return Err(format!("{boxes} boxes rather than {}", self.len()));
        }
        Ok(())
    }
}

/// That so many rows can be numbered.
pub(super) fn check_rows(given: usize) -> Result<(), PackedError> {
    if given > MOST_PACKED_ROWS {
        return Err(PackedError::TooManyRows { given });
    }
    Ok(())
}
