//! A column that costs nothing until something other than the default is written to it.

use std::collections::TryReserveError;

use educe::Educe;

use crate::columns::Column;
use crate::executor::Executor;
use crate::permutation::Permutation;

/// A column that is not allocated as long as every row has the default value.
///
/// Writing the first other value allocates it, filled with the default; from then on it is a plain array until
/// [`OptionalColumn::forget`]. Invariant: if it is allocated, it has one value per row.
#[derive(PartialEq, Debug, Default, Educe)]
#[educe(Clone)]
pub struct OptionalColumn<T> {
    rows: usize,
    values: Option<Vec<T>>,
}

impl<T: Copy + Default + PartialEq> OptionalColumn<T> {
    /// A column with no rows.
    #[must_use]
    pub const fn new() -> Self {
        OptionalColumn {
            rows: 0,
            values: None,
        }
    }

    /// The value of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> T {
        assert!(row < self.rows, "row {row} of {} rows", self.rows);
        match &self.values {
            Some(values) => values[row],
            None => T::default(),
        }
    }

    /// Writes the value of a row. O(1), but O(rows) for the first value that is not the default.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn set(&mut self, row: usize, value: T) {
        assert!(row < self.rows, "row {row} of {} rows", self.rows);
        if self.values.is_some() || value != T::default() {
            self.values_mut()[row] = value;
        }
    }

    /// All values in row order, or `None` if every row has the default and nothing is allocated.
    #[inline]
    #[must_use]
    pub fn values(&self) -> Option<&[T]> {
        self.values.as_deref()
    }

    /// All values in row order, [allocated](Self::allocate) if they were not.
    pub fn values_mut(&mut self) -> &mut [T] {
        self.values
            .get_or_insert_with(|| vec![T::default(); self.rows])
    }

    /// All values in row order, or an empty slice if nothing is allocated: for code that writes only stored values.
    #[inline]
    pub fn allocated_mut(&mut self) -> &mut [T] {
        self.values.as_deref_mut().unwrap_or_default()
    }

    /// Allocates the column, filled with the default, so that it is a plain array whatever is written to it.
    pub fn allocate(&mut self) {
        self.values_mut();
    }

    /// Whether the column is allocated.
    #[inline]
    #[must_use]
    pub fn is_allocated(&self) -> bool {
        self.values.is_some()
    }

    /// Gives every row the default value, and frees the memory.
    pub fn forget(&mut self) {
        self.values = None;
    }
}

impl<T: Copy + Default + PartialEq + Send + Sync> Column for OptionalColumn<T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn push_defaults(&mut self, count: usize) {
        self.rows += count;
        if let Some(values) = &mut self.values {
            values.push_defaults(count);
        }
    }

    fn swap_remove_row(&mut self, row: usize) {
        assert!(row < self.rows, "row {row} of {} rows", self.rows);
        self.rows -= 1;
        if let Some(values) = &mut self.values {
            values.swap_remove(row);
        }
    }

    fn truncate_rows(&mut self, rows: usize) {
        self.rows = self.rows.min(rows);
        if let Some(values) = &mut self.values {
            values.truncate(rows);
        }
    }

    fn reorder_rows(&mut self, order: &Permutation, executor: &dyn Executor) {
        assert_eq!(self.rows, order.len(), "a permutation of as many rows");
        if let Some(values) = &mut self.values {
            values.reorder_rows(order, executor);
        }
    }

    /// Reserves only if allocated: room for values that may never come is not paid for.
    fn try_reserve_rows(&mut self, additional: usize) -> Result<(), TryReserveError> {
        match &mut self.values {
            Some(values) => values.try_reserve(additional),
            None => Ok(()),
        }
    }

    fn shrink_to_fit(&mut self) {
        if let Some(values) = &mut self.values {
            values.shrink_to_fit();
        }
    }

    fn memory_bytes(&self) -> usize {
        self.values.as_ref().map_or(0, Column::memory_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::OptionalColumn;
    use crate::{Column, MaskWords};

    #[test]
    fn defaults_cost_nothing() {
        let mut column = OptionalColumn::new();
        column.push_defaults(1000);
        column.set(10, MaskWords::ALL);
        assert_eq!(column.try_reserve_rows(usize::MAX), Ok(()));
        assert_eq!((column.rows(), column.memory_bytes()), (1000, 0));
        assert_eq!((column.get(999), column.values()), (MaskWords::ALL, None));
    }

    #[test]
    fn the_first_other_value_fills_the_rest_with_the_default() {
        let mut column = OptionalColumn::new();
        column.push_defaults(3);
        column.set(1, MaskWords::NONE);
        let expected = [MaskWords::ALL, MaskWords::NONE, MaskWords::ALL];
        assert_eq!(column.values(), Some(&expected[..]));
        column.push_defaults(1);
        column.swap_remove_row(1);
        assert_eq!(column.values(), Some(&[MaskWords::ALL; 3][..]));
        assert!(column.is_allocated() && column.memory_bytes() >= 24);
        assert!(column.try_reserve_rows(usize::MAX).is_err());
        column.forget();
        assert_eq!((column.rows(), column.memory_bytes()), (3, 0));
    }

    #[test]
    #[should_panic(expected = "row 3 of 3 rows")]
    fn a_row_beyond_the_last_is_refused_even_while_unallocated() {
        let mut column = OptionalColumn::<u64>::new();
        column.push_defaults(3);
        let _ = column.get(3);
    }
}
