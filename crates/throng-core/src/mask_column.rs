//! The masks of many rows. As a rule few of them differ, so each row stores only a small index.

use std::collections::{HashMap, TryReserveError};

use crate::columns::Column;
use crate::executor::Executor;
use crate::masks::Masks;
use crate::optional_column::OptionalColumn;
use crate::permutation::Permutation;

/// The masks of all rows of a structure, as stored.
///
/// A search reads masks in spatial order, which need not be the order of rows, so every read may be a cache miss.
/// Classes are a quarter of the size of masks, and several times faster to read at random.
#[derive(Clone, Copy, Debug)]
pub enum RowMasks<'a> {
    /// Each row has its own masks.
    Each(&'a [Masks]),
    /// Each row has a class, and each class has masks.
    Classes {
        /// One per row: an index into `palette`.
        classes: &'a [u16],
        /// The masks of each class.
        palette: &'a [Masks],
    },
}

impl RowMasks<'_> {
    /// The masks of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row, or its class has no masks.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Masks {
        match self {
            RowMasks::Each(masks) => masks[row],
            RowMasks::Classes { classes, palette } => palette[classes[row] as usize],
        }
    }
}

/// A column of masks. It costs nothing while every row has [`Masks::ALL`], 2 bytes a row for up to some tens of
/// thousands of different masks, and 8 bytes a row for more. Nothing else depends on how many there are.
///
/// Invariants, checked by [`validate`](MaskColumn::validate): at most one of the two columns is allocated; class 0 is
/// [`Masks::ALL`]; every class is in the palette, and no two classes have the same masks.
#[derive(Clone, Debug, Default)]
pub struct MaskColumn {
    classes: OptionalColumn<u16>,
    /// Empty until a class other than 0 is needed.
    palette: Vec<Masks>,
    class_of: HashMap<Masks, u16>,
    each: OptionalColumn<Masks>,
}

impl MaskColumn {
    /// A column with no rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The masks of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Masks {
        match self.values() {
            Some(masks) => masks.get(row),
            None => self.each.get(row),
        }
    }

    /// Writes the masks of a row. O(1) amortised; O(rows) for the first masks other than [`Masks::ALL`], and when
    /// there are too many different ones for classes.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn set(&mut self, row: usize, masks: Masks) {
        if !self.each.is_allocated() {
            if let Some(class) = self.class(masks) {
                self.classes.set(row, class);
                return;
            }
            self.give_each_its_own();
        }
        self.each.set(row, masks);
    }

    /// The masks of all rows, or `None` if every row has [`Masks::ALL`] and nothing is allocated.
    #[inline]
    #[must_use]
    pub fn values(&self) -> Option<RowMasks<'_>> {
        let palette = self.palette.as_slice();
        let classes = self.classes.values();
        let classes = classes.map(|classes| RowMasks::Classes { classes, palette });
        classes.or_else(|| self.each.values().map(RowMasks::Each))
    }

    /// Whether anything is allocated.
    #[inline]
    #[must_use]
    pub fn is_allocated(&self) -> bool {
        self.classes.is_allocated() || self.each.is_allocated()
    }

    /// The class of the given masks, created if need be; `None` if there is no room for another.
    fn class(&mut self, masks: Masks) -> Option<u16> {
        if masks == Masks::ALL {
            return Some(0);
        }
        if let Some(&class) = self.class_of.get(&masks) {
            return Some(class);
        }
        if self.palette.len() > usize::from(u16::MAX) {
            self.forget_unused_classes();
            // Too few were freed: sweeping again and again would cost O(rows) a write.
            if self.palette.len() > usize::from(u16::MAX) / 4 * 3 {
                return None;
            }
        }
        if self.palette.is_empty() {
            self.palette.push(Masks::ALL);
        }
        let class = u16::try_from(self.palette.len()).ok()?;
        self.palette.push(masks);
        self.class_of.insert(masks, class);
        Some(class)
    }

    /// Rebuilds the palette from what rows have.
    fn forget_unused_classes(&mut self) {
        let old = std::mem::take(&mut self.palette);
        self.class_of.clear();
        self.palette.push(Masks::ALL);
        for class in self.classes.values_mut() {
            let masks = old[usize::from(*class)];
            *class = if masks == Masks::ALL {
                0
            } else {
                *self.class_of.entry(masks).or_insert_with(|| {
                    self.palette.push(masks);
                    (self.palette.len() - 1) as u16
                })
            };
        }
    }

    fn give_each_its_own(&mut self) {
        let masks = self.each.values_mut();
        if let Some(classes) = self.classes.values() {
            for (masks, &class) in masks.iter_mut().zip(classes) {
                *masks = self.palette[usize::from(class)];
            }
        }
        self.classes.forget();
        self.palette = Vec::new();
        self.class_of = HashMap::new();
    }

    /// Checks the invariants. O(rows).
    ///
    /// # Errors
    ///
    /// The first invariant found broken, in words.
    pub fn validate(&self) -> Result<(), String> {
        if self.classes.is_allocated() && self.each.is_allocated() {
            return Err("both classes and masks are allocated".into());
        }
        if self
            .palette
            .first()
            .is_some_and(|&first| first != Masks::ALL)
        {
            return Err("class 0 is not ALL".into());
        }
        let classes = self.classes.values().unwrap_or_default();
        if let Some(class) = classes
            .iter()
            .find(|&&class| usize::from(class) >= self.palette.len().max(1))
        {
            return Err(format!(
                "class {class} is not in the palette of {}",
                self.palette.len()
            ));
        }
        let listed = (1_usize..).zip(self.palette.iter().skip(1));
        for (class, masks) in listed {
            if self.class_of.get(masks).map(|&class| usize::from(class)) != Some(class) {
                return Err(format!("class {class} is listed twice or not at all"));
            }
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
    }

    fn swap_remove_row(&mut self, row: usize) {
        self.classes.swap_remove_row(row);
        self.each.swap_remove_row(row);
    }

    fn truncate_rows(&mut self, rows: usize) {
        self.classes.truncate_rows(rows);
        self.each.truncate_rows(rows);
    }

    fn reorder_rows(&mut self, order: &Permutation, executor: &dyn Executor) {
        self.classes.reorder_rows(order, executor);
        self.each.reorder_rows(order, executor);
    }

    fn try_reserve_rows(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.classes.try_reserve_rows(additional)?;
        self.each.try_reserve_rows(additional)
    }

    /// Also forgets masks that no row has any more.
    fn shrink_to_fit(&mut self) {
        let mut fitting = Self::default();
        fitting.push_defaults(self.rows());
        if let Some(masks) = self.values() {
            for row in 0..self.rows() {
                fitting.set(row, masks.get(row));
            }
        }
        fitting.classes.shrink_to_fit();
        fitting.each.shrink_to_fit();
        fitting.palette.shrink_to_fit();
        fitting.class_of.shrink_to_fit();
        *self = fitting;
    }

    fn memory_bytes(&self) -> usize {
        let palette = self.palette.capacity() * size_of::<Masks>()
            + self.class_of.capacity() * size_of::<(Masks, u16)>();
        self.classes.memory_bytes() + self.each.memory_bytes() + palette
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Serial;
    use proptest::prelude::*;

    fn masks(bits: u32) -> Masks {
        Masks {
            memberships: bits,
            filter: !bits,
        }
    }

    #[test]
    fn all_costs_nothing_and_few_cost_two_bytes() {
        let mut column = MaskColumn::new();
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
        let mut column = MaskColumn::new();
        column.push_defaults(rows);
        (0..rows).for_each(|row| column.set(row, masks(row as u32)));
        assert!((0..rows).all(|row| column.get(row) == masks(row as u32)));
        assert!(matches!(column.values(), Some(RowMasks::Each(_))));
        column.validate().unwrap();
    }

    #[test]
    fn classes_that_nobody_has_are_used_again() {
        let mut column = MaskColumn::new();
        column.push_defaults(10);
        for round in 0..200_000 {
            column.set(round % 10, masks(round as u32));
        }
        assert!(matches!(column.values(), Some(RowMasks::Classes { .. })));
        assert!((0..10).all(|row| column.get(row) == masks(199_990 + row as u32)));
        column.validate().unwrap();
    }

    proptest! {
        #[test]
        fn is_a_vec_of_masks(steps in prop::collection::vec((0_u8..6, 0_usize..50, 0_u32..6), 0..200)) {
            let (mut column, mut model) = (MaskColumn::new(), Vec::new());
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
