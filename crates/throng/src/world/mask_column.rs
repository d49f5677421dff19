//! The masks of many rows. As a rule few of them differ, so each row stores only a small index.

use std::collections::{HashMap, TryReserveError};

use educe::Educe;
use throng_core::{Column, Executor, MaskWords, OptionalColumn, Permutation, RowMasks};
use throng_grid::RowClasses;

use crate::world::index_map::table_bytes;
use crate::world::masks::Masks;

/// A column of masks. It costs nothing while every row has [`Masks::ALL`], 2 bytes a row for up to some tens of
/// thousands of different masks, and 32 bytes a row for more.
///
/// ```text
/// classes   0 0 2 1 2 0 …           one per row
/// palette   ALL  orc  arrow         one per class; class 0 is ALL
/// folded    the same as words       what kernels may go by where nothing better is known
/// rows      3    1    2             how many rows each class has
/// ```
///
/// Invariants, checked by [`validate`](MaskColumn::validate): at most one of `classes` and `each` is allocated; class 0 is
/// [`Masks::ALL`]; classes are counted; one that no row has is vacant, unless it is class 0; no two others have the same
/// masks; words are those of the masks beside them.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(crate) struct MaskColumn {
    classes: OptionalColumn<u16>,
    /// Empty until a class other than 0 is needed.
    palette: Vec<Masks>,
    folded: Vec<MaskWords>,
    rows: Vec<u32>,
    vacant: Vec<u16>,
    class_of: HashMap<Masks, u16>,
    /// How many classes in use have words that say less than their masks.
    lossy: usize,
    each: OptionalColumn<Masks>,
    each_folded: OptionalColumn<MaskWords>,
    /// Whether no row has had masks of its own whose words say less.
    each_folds_exactly: bool,
    version: u64,
}

/// Which masks the rows of a column have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MasksInUse {
    /// All have [`Masks::ALL`], and nothing is stored.
    All,
    /// Some classes of masks, which are stored.
    Classes,
    /// More than there are classes.
    Each,
}

impl MaskColumn {
    /// The masks of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Masks {
        match self.classes.values() {
            Some(classes) => self.palette[usize::from(classes[row])],
            None => self.each.get(row),
        }
    }

    /// Writes the masks of a row. O(1) amortised; O(rows) for the first masks other than [`Masks::ALL`], and when
    /// there are too many different ones for classes.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub(crate) fn set(&mut self, row: usize, masks: Masks) {
        if !self.each.is_allocated() {
            if self.get(row) == masks {
                return;
            }
            self.begin_classes();
            // First, because its class may be the only one to be had.
            self.leave_class(self.classes.get(row));
            if let Some(class) = self.class(masks) {
                self.join_class(class);
                self.classes.set(row, class);
                return;
            }
            self.give_each_its_own();
        }
        self.each.set(row, masks);
        self.each_folded.set(row, masks.folded());
        self.note_each(masks);
    }

    /// Whether anything is allocated.
    #[inline]
    pub(crate) fn is_allocated(&self) -> bool {
        self.classes.is_allocated() || self.each.is_allocated()
    }

    /// Which masks there are.
    pub(crate) fn in_use(&self) -> MasksInUse {
        if self.classes.is_allocated() {
            MasksInUse::Classes
        } else if self.each.is_allocated() {
            MasksInUse::Each
        } else {
            MasksInUse::All
        }
    }

    /// Whether folded words say exactly who meets whom, among columns that are all like this one.
    pub(crate) fn folds_exactly(&self) -> bool {
        match self.in_use() {
            MasksInUse::All => true,
            MasksInUse::Classes => self.lossy == 0,
            MasksInUse::Each => self.each_folds_exactly,
        }
    }

    /// The classes that some row has, and their masks, ascending by class. Empty if rows have no classes of masks.
    pub(crate) fn classes_in_use(&self) -> impl Iterator<Item = (usize, Masks)> + Clone {
        let classes = self.rows.iter().zip(&self.palette).enumerate();
        classes.filter_map(|(class, (&rows, &masks))| (rows > 0).then_some((class, masks)))
    }

    /// How many classes there are, of which some may not be in use.
    pub(crate) fn palette_len(&self) -> usize {
        self.palette.len()
    }

    /// The class of each row, for an index; `None` if rows have no classes. O(classes).
    pub(crate) fn classes_of_rows(&self) -> Option<RowClasses<'_>> {
        let of_rows = self.classes.values()?;
        let is_in_use = |&rows: &u32| rows > 0;
        let first = self.rows.iter().position(is_in_use).unwrap_or(0);
        let end = self
            .rows
            .iter()
            .rposition(is_in_use)
            .map_or(0, |last| last + 1);
        Some(RowClasses {
            of_rows,
            in_use: first..end,
        })
    }

    /// Changes whenever a mask comes into use or goes out of use.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// All rows with the words of their masks: `palette` has those of each class, if it is given, otherwise they are
    /// folded. `None` if every row has [`Masks::ALL`] and nothing is allocated.
    #[inline]
    pub(crate) fn words<'a>(&'a self, palette: Option<&'a [MaskWords]>) -> Option<RowMasks<'a>> {
        if let Some(classes) = self.classes.values() {
            let palette = palette.unwrap_or(&self.folded);
            return Some(RowMasks::Classes { classes, palette });
        }
        self.each_folded.values().map(RowMasks::Each)
    }

    /// Allocates classes, with all rows in the first.
    fn begin_classes(&mut self) {
        if !self.classes.is_allocated() {
            self.classes.allocate();
            self.palette = vec![Masks::ALL];
            self.folded = vec![MaskWords::ALL];
            self.rows = vec![self.classes.rows() as u32];
            self.version += 1;
        }
    }

    /// The class of the given masks, which may have no rows; `None` if there is no room for another.
    fn class(&mut self, masks: Masks) -> Option<u16> {
        if masks == Masks::ALL {
            return Some(0);
        }
        if let Some(&class) = self.class_of.get(&masks) {
            return Some(class);
        }
        let class = match self.vacant.pop() {
            Some(class) => class,
            None => {
                let class = u16::try_from(self.palette.len()).ok()?;
                self.palette.push(masks);
                self.folded.push(masks.folded());
                self.rows.push(0);
                class
            }
        };
        self.palette[usize::from(class)] = masks;
        self.folded[usize::from(class)] = masks.folded();
        self.class_of.insert(masks, class);
        Some(class)
    }

    fn join_class(&mut self, class: u16) {
        let rows = &mut self.rows[usize::from(class)];
        if *rows == 0 {
            self.version += 1;
            self.lossy += usize::from(!self.palette[usize::from(class)].folds_exactly());
        }
        *rows += 1;
    }

    fn leave_class(&mut self, class: u16) {
        let rows = &mut self.rows[usize::from(class)];
        *rows -= 1;
        if *rows == 0 {
            self.version += 1;
            self.lossy -= usize::from(!self.palette[usize::from(class)].folds_exactly());
            if class != 0 {
                self.class_of.remove(&self.palette[usize::from(class)]);
                self.vacant.push(class);
            }
        }
    }

    fn note_each(&mut self, masks: Masks) {
        let exact = self.each_folds_exactly & masks.folds_exactly();
        self.version += u64::from(exact != self.each_folds_exactly);
        self.each_folds_exactly = exact;
    }

    fn give_each_its_own(&mut self) {
        self.each_folds_exactly = true;
        let (each, folded) = (self.each.values_mut(), self.each_folded.values_mut());
        if let Some(classes) = self.classes.values() {
            for ((masks, words), &class) in each.iter_mut().zip(folded).zip(classes) {
                *masks = self.palette[usize::from(class)];
                *words = self.folded[usize::from(class)];
                self.each_folds_exactly &= masks.folds_exactly();
            }
        }
        self.classes.forget();
        *self = Self {
            classes: std::mem::take(&mut self.classes),
            each: std::mem::take(&mut self.each),
            each_folded: std::mem::take(&mut self.each_folded),
            each_folds_exactly: self.each_folds_exactly,
            version: self.version + 1,
            ..Self::default()
        };
    }

    /// Checks the invariants. O(rows).
    ///
    /// # Errors
    ///
    /// The first invariant found broken, in words.
    pub(crate) fn validate(&self) -> Result<(), String> {
        if self.classes.is_allocated() && self.each.is_allocated() {
            return Err("both classes and masks are allocated".into());
        }
        if self.each.is_allocated() != self.each_folded.is_allocated() {
            return Err("masks have no words".into());
        }
        let each = self.each.values().unwrap_or_default();
        let words = self.each_folded.values().unwrap_or_default();
        let beside = each
            .iter()
            .zip(words)
            .chain(self.palette.iter().zip(&self.folded));
        for (masks, words) in beside {
            if masks.folded() != *words {
                return Err(format!("{masks:?} are folded to {words:?}"));
            }
        }
        if self.each_folds_exactly && !each.iter().all(|masks| masks.folds_exactly()) {
            return Err("some masks do not fold exactly".into());
        }
        let mut rows = vec![0; self.palette.len()];
        for &class in self.classes.values().unwrap_or_default() {
            match rows.get_mut(usize::from(class)) {
                Some(rows) => *rows += 1,
                None => return Err(format!("class {class} is not in the palette")),
            }
        }
        let in_use = self.classes_in_use().map(|(_, masks)| masks);
        if in_use.filter(|masks| !masks.folds_exactly()).count() != self.lossy {
            return Err(format!("{} classes are said to be lossy", self.lossy));
        }
        if rows != self.rows {
            return Err(format!("classes have {rows:?} rows, not {:?}", self.rows));
        }
        if self
            .palette
            .first()
            .is_some_and(|&first| first != Masks::ALL)
        {
            return Err("class 0 is not ALL".into());
        }
        let mut listed = 0;
        for (class, rows) in rows.iter().enumerate().skip(1) {
            let entry = self.class_of.get(&self.palette[class]).copied();
            let (is_listed, is_vacant) = (
                entry.map(usize::from) == Some(class),
                self.vacant
                    .iter()
                    .any(|&vacant| usize::from(vacant) == class),
            );
            if is_listed != (*rows > 0) || is_vacant != (*rows == 0) {
                return Err(format!(
                    "class {class} with {rows} rows is listed: {is_listed}"
                ));
            }
            listed += usize::from(is_listed);
        }
        if listed != self.class_of.len() {
            return Err("some masks are listed that no class has".into());
        }
        Ok(())
    }
}

impl Column for MaskColumn {
    fn rows(&self) -> usize {
        self.each.rows()
    }

    fn push_defaults(&mut self, count: usize) {
        self.classes.push_defaults(count);
        self.each.push_defaults(count);
        self.each_folded.push_defaults(count);
        if let Some(rows) = self.rows.first_mut() {
            self.version += u64::from(*rows == 0 && count > 0);
            *rows += count as u32;
        }
    }

    fn swap_remove_row(&mut self, row: usize) {
        if self.classes.is_allocated() {
            self.leave_class(self.classes.get(row));
        }
        self.classes.swap_remove_row(row);
        self.each.swap_remove_row(row);
        self.each_folded.swap_remove_row(row);
    }

    fn truncate_rows(&mut self, rows: usize) {
        if self.classes.is_allocated() {
            for row in rows..self.classes.rows() {
                self.leave_class(self.classes.get(row));
            }
        }
        self.classes.truncate_rows(rows);
        self.each.truncate_rows(rows);
        self.each_folded.truncate_rows(rows);
    }

    fn reorder_rows(&mut self, order: &Permutation, executor: &dyn Executor) {
        self.classes.reorder_rows(order, executor);
        self.each.reorder_rows(order, executor);
        self.each_folded.reorder_rows(order, executor);
    }

    fn try_reserve_rows(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.classes.try_reserve_rows(additional)?;
        self.each.try_reserve_rows(additional)?;
        self.each_folded.try_reserve_rows(additional)
    }

    /// Also forgets masks that no row has any more.
    fn shrink_to_fit(&mut self) {
        let mut fitting = Self::default();
        fitting.push_defaults(self.rows());
        if self.is_allocated() {
            for row in 0..self.rows() {
                fitting.set(row, self.get(row));
            }
        }
        fitting.classes.shrink_to_fit();
        fitting.each.shrink_to_fit();
        fitting.each_folded.shrink_to_fit();
        fitting.palette.shrink_to_fit();
        fitting.folded.shrink_to_fit();
        fitting.rows.shrink_to_fit();
        fitting.vacant.shrink_to_fit();
        fitting.class_of.shrink_to_fit();
        fitting.version = self.version + 1;
        *self = fitting;
    }

    fn memory_bytes(&self) -> usize {
        let palette = self.palette.capacity() * size_of::<Masks>()
            + self.folded.capacity() * size_of::<MaskWords>()
            + self.rows.capacity() * size_of::<u32>()
            + self.vacant.capacity() * size_of::<u16>()
            + table_bytes::<(Masks, u16)>(self.class_of.capacity());
        self.classes.memory_bytes()
            + self.each.memory_bytes()
            + self.each_folded.memory_bytes()
            + palette
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use throng_core::Serial;

    fn masks(bits: u32) -> Masks {
        Masks::new(u64::from(bits), !u64::from(bits))
    }

    #[test]
    fn all_costs_nothing_and_few_cost_two_bytes() {
        let mut column = MaskColumn::default();
        column.push_defaults(10_000);
        column.set(3, Masks::ALL);
        assert!(!column.is_allocated() && column.memory_bytes() == 0);
        column.set(3, Masks::NONE);
        assert_eq!((column.get(3), column.get(4)), (Masks::NONE, Masks::ALL));
        assert!((20_000..21_000).contains(&column.memory_bytes()));
    }

    #[test]
    fn more_masks_than_classes_are_kept_all_the_same() {
        let rows = 70_000;
        let mut column = MaskColumn::default();
        column.push_defaults(rows);
        (0..rows).for_each(|row| column.set(row, masks(row as u32)));
        assert!((0..rows).all(|row| column.get(row) == masks(row as u32)));
        assert_eq!(column.in_use(), MasksInUse::Each);
        assert!(!column.folds_exactly());
        column.validate().unwrap();
    }

    #[test]
    fn classes_that_nobody_has_are_used_again() {
        let mut column = MaskColumn::default();
        column.push_defaults(10);
        for round in 0..200_000 {
            column.set(round % 10, masks(round as u32));
        }
        assert_eq!(column.in_use(), MasksInUse::Classes);
        assert!(column.palette_len() <= 12, "vacant classes are used again");
        assert!((0..10).all(|row| column.get(row) == masks(199_990 + row as u32)));
        column.validate().unwrap();
    }

    proptest! {
        #[test]
        fn is_a_vec_of_masks(steps in prop::collection::vec((0_u8..6, 0_usize..50, 0_u32..6), 0..200)) {
            let (mut column, mut model) = (MaskColumn::default(), Vec::new());
            for (step, row, bits) in steps {
                match step {
                    0 => {
                        column.push_defaults(row % 4);
                        model.resize(model.len() + row % 4, Masks::ALL);
                    }
                    1 if row < model.len() => {
                        column.swap_remove_row(row);
                        model.swap_remove(row);
                    }
                    2 => {
                        column.truncate_rows(row + 10);
                        model.truncate(row + 10);
                    }
                    3 => {
                        let rows = model.len() as u32;
                        let turned = (0..rows).map(|k| (k + row as u32) % rows).rev().collect();
                        let order = Permutation::from_old_rows(turned).unwrap();
                        column.reorder_rows(&order, &Serial);
                        order.apply_in_place(&mut model).unwrap();
                    }
                    _ if row < model.len() => {
                        let masks = if bits == 0 { Masks::ALL } else { masks(bits) };
                        column.set(row, masks);
                        model[row] = masks;
                    }
                    _ => {}
                }
                prop_assert_eq!(column.rows(), model.len());
                prop_assert!((0..model.len()).all(|row| column.get(row) == model[row]));
                prop_assert_eq!(column.validate(), Ok(()));
            }
        }
    }
}
