//! Structure-of-arrays columns that grow and swap-remove in step.

use std::collections::TryReserveError;

use crate::executor::Executor;
use crate::permutation::Permutation;

/// An array with one element per row, as [`Columns`] drives it.
pub trait Column {
    /// How many rows there are.
    fn rows(&self) -> usize;
    /// Adds `count` rows at the end, each with the default value. Amortised O(`count`).
    fn push_defaults(&mut self, count: usize);
    /// Removes a row by moving the last one into its place. O(1).
    ///
    /// # Panics
    ///
    /// If there is no such row.
    fn swap_remove_row(&mut self, row: usize);
    /// Drops the rows from `rows` on; keeps the memory. Does nothing if there are fewer rows.
    fn truncate_rows(&mut self, rows: usize);
    /// Puts the rows into another order. Keeps the capacity. O(rows), in parallel.
    ///
    /// # Panics
    ///
    /// If there are not as many rows as the permutation has.
    fn reorder_rows(&mut self, order: &Permutation, executor: &dyn Executor);
    /// Makes room for `additional` more rows.
    ///
    /// # Errors
    ///
    /// If there is not enough memory; the rows are as before.
    fn try_reserve_rows(&mut self, additional: usize) -> Result<(), TryReserveError>;
    /// Gives back what memory it can. O(rows).
    fn shrink_to_fit(&mut self);
    /// Bytes owned by the column.
    fn memory_bytes(&self) -> usize;
}

impl<T: Clone + Default + Send + Sync> Column for Vec<T> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn push_defaults(&mut self, count: usize) {
        if self.capacity() == 0 {
            // Zeros come from the system, which makes a page of them when it is first written to.
            *self = vec![T::default(); count];
        } else {
            self.resize(self.len() + count, T::default());
        }
    }

    fn swap_remove_row(&mut self, row: usize) {
        self.swap_remove(row);
    }

    fn truncate_rows(&mut self, rows: usize) {
        self.truncate(rows);
    }

    fn reorder_rows(&mut self, order: &Permutation, executor: &dyn Executor) {
        let mut spare = Vec::with_capacity(self.capacity());
        order
            .clone_on(executor, self, &mut spare)
            .expect("a permutation of as many rows");
    }

    fn try_reserve_rows(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        Vec::shrink_to_fit(self);
    }

    fn memory_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

/// A struct of columns that all have the same number of rows.
///
/// Declare one with the macro `columns!`. Rows are dense and numbered from 0; they change
/// only by pushing at the end and by swap-removal, so a row keeps its number until it, or the last
/// row, is removed.
///
/// The methods here keep the columns the same length, and [`Columns::validate`] checks it. Code that has a column
/// mutably can break this by changing that column's length alone.
///
/// ```
/// use throng_core::{Columns, OptionalColumn, columns};
///
/// columns! {
///     /// One row per orc.
///     pub struct Orcs {
///         /// Where it stands, x.
///         pub xs: Vec<f32>,
///         /// The engine's name for it; costs nothing until one is set.
///         pub keys: OptionalColumn<u64>,
///     }
/// }
///
/// let mut orcs = Orcs::default();
/// for x in [10.0, 20.0, 30.0] {
///     let row = orcs.push_row();
///     orcs.xs[row] = x;
/// }
/// assert_eq!(orcs.keys.values(), None);
/// assert_eq!(orcs.swap_remove_row(0), Some(2), "row 2 moved to row 0");
/// assert_eq!(orcs.xs, [30.0, 20.0]);
/// ```
pub trait Columns {
    /// Visits every column, with its name, in the order of declaration.
    fn for_each_column(&self, visit: impl FnMut(&'static str, &dyn Column));

    /// Visits every column mutably, with its name, in the order of declaration.
    fn for_each_column_mut(&mut self, visit: impl FnMut(&'static str, &mut dyn Column));

    /// How many rows there are; 0 if there are no columns.
    fn rows(&self) -> usize {
        let mut rows = None;
        self.for_each_column(|_, column| {
            rows.get_or_insert(column.rows());
        });
        rows.unwrap_or(0)
    }

    /// Adds a row of defaults at the end and returns its index. Amortised O(columns).
    fn push_row(&mut self) -> usize {
        self.push_rows(1)
    }

    /// Adds `count` rows of defaults at the end and returns the index of the first.
    fn push_rows(&mut self, count: usize) -> usize {
        let first = self.rows();
        self.for_each_column_mut(|_, column| column.push_defaults(count));
        first
    }

    /// Removes a row by moving the last one into its place. Returns which row moved there: the former last one, or
    /// `None` if the removed row was itself the last. O(columns).
    ///
    /// # Panics
    ///
    /// If there is no such row. No column has changed then.
    fn swap_remove_row(&mut self, row: usize) -> Option<usize> {
        let rows = self.rows();
        assert!(row < rows, "row {row} of {rows} rows cannot be removed");
        self.for_each_column_mut(|_, column| column.swap_remove_row(row));
        let last = rows - 1;
        (row != last).then_some(last)
    }

    /// Drops the rows from `rows` on; keeps the memory. Does nothing if there are fewer rows.
    fn truncate_rows(&mut self, rows: usize) {
        self.for_each_column_mut(|_, column| column.truncate_rows(rows));
    }

    /// Drops every row; keeps the memory.
    fn clear_rows(&mut self) {
        self.truncate_rows(0);
    }

    /// Puts the rows into another order. O(rows · columns), in parallel.
    ///
    /// # Panics
    ///
    /// If there are not as many rows as the permutation has.
    fn reorder_rows(&mut self, order: &Permutation, executor: &dyn Executor) {
        self.for_each_column_mut(|_, column| column.reorder_rows(order, executor));
    }

    /// Makes room for `additional` more rows, in every column that is in use.
    ///
    /// # Errors
    ///
    /// If there is not enough memory. Columns before the one that failed keep their room.
    fn try_reserve_rows(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let mut reserved = Ok(());
        self.for_each_column_mut(|_, column| {
            if reserved.is_ok() {
                reserved = column.try_reserve_rows(additional);
            }
        });
        reserved
    }

    /// Gives back what memory the columns can. O(rows).
    fn shrink_to_fit(&mut self) {
        self.for_each_column_mut(|_, column| column.shrink_to_fit());
    }

    /// Bytes owned by all columns.
    fn memory_bytes(&self) -> usize {
        let mut bytes = 0;
        self.for_each_column(|_, column| bytes += column.memory_bytes());
        bytes
    }

    /// Checks that every column has the same number of rows. O(columns).
    ///
    /// # Errors
    ///
    /// Names the first column that differs.
    fn validate(&self) -> Result<(), String> {
        let rows = self.rows();
        let mut answer = Ok(());
        self.for_each_column(|name, column| {
            if column.rows() != rows && answer.is_ok() {
                let found = column.rows();
                answer = Err(format!(
                    "column `{name}` has {found} rows instead of {rows}"
                ));
            }
        });
        answer
    }
}

/// Declares a struct whose fields are all columns, and implements `Clone`, `Debug`, `Default` and [`Columns`] for it.
/// See [`Columns`] for an example.
#[doc(hidden)]
#[macro_export]
macro_rules! columns {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[$field_attribute:meta])*
                $field_visibility:vis $field:ident: $column:ty
            ),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Default)]
        $visibility struct $name {
            $(
                $(#[$field_attribute])*
                $field_visibility $field: $column,
            )+
        }

        /// Column by column, so that `clone_from` keeps the memory of each.
        impl Clone for $name {
            fn clone(&self) -> Self {
                Self {
                    $($field: self.$field.clone(),)+
                }
            }

            fn clone_from(&mut self, source: &Self) {
                $(self.$field.clone_from(&source.$field);)+
            }
        }

        impl $crate::Columns for $name {
            #[inline]
            fn for_each_column(
                &self,
                mut visit: impl FnMut(&'static str, &dyn $crate::Column),
            ) {
                $(visit(stringify!($field), &self.$field);)+
            }

            #[inline]
            fn for_each_column_mut(
                &mut self,
                mut visit: impl FnMut(&'static str, &mut dyn $crate::Column),
            ) {
                $(visit(stringify!($field), &mut self.$field);)+
            }
        }
    };
}
