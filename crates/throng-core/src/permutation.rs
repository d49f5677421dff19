//! Rows in another order.

use crate::executor::{Executor, default_executor};
use crate::run_each::run_each;

/// The most tasks that a column is cut into, and the fewest rows in one of them.
const MOST_TASKS: usize = 64;
const FEWEST_ROWS: usize = 8192;

/// How rows were put into another order: what an engine needs to put arrays of its own into the same.
///
/// ```text
/// rows before    0:a 1:b 2:c 3:d
/// old_rows       2   0   3   1
/// rows after     0:c 1:a 2:d 3:b
/// ```
///
/// A struct of arrays follows with a line for each array. One spare array for each type is enough, as it takes part in
/// turn, and it can be kept for the next time:
///
/// ```
/// use throng_core::{Permutation, PermutationError};
///
/// #[derive(Default)]
/// struct Orcs { xs: Vec<f32>, ys: Vec<f32>, speeds: Vec<f32>, health: Vec<u16>, names: Vec<String> }
///
/// #[derive(Default)]
/// struct Spare { floats: Vec<f32>, words: Vec<u16> }
///
/// fn follow(orcs: &mut Orcs, sorted: &Permutation, spare: &mut Spare) -> Result<(), PermutationError> {
///     sorted.apply(&mut orcs.xs, &mut spare.floats)?;
///     sorted.apply(&mut orcs.ys, &mut spare.floats)?;
///     sorted.apply(&mut orcs.speeds, &mut spare.floats)?;
///     sorted.apply(&mut orcs.health, &mut spare.words)?;
///     sorted.apply_in_place(&mut orcs.names)
/// }
///
/// let sorted = Permutation::from_old_rows(vec![2, 0, 1])?;
/// let mut orcs = Orcs {
///     xs: vec![0.0, 1.0, 2.0],
///     ys: vec![5.0, 6.0, 7.0],
///     speeds: vec![1.0; 3],
///     health: vec![10, 20, 30],
///     names: ["Ugluk", "Grishnakh", "Shagrat"].map(String::from).to_vec(),
/// };
/// follow(&mut orcs, &sorted, &mut Spare::default())?;
/// assert_eq!((orcs.xs, orcs.health), (vec![2.0, 0.0, 1.0], vec![30, 10, 20]));
/// assert_eq!(orcs.names, ["Shagrat", "Ugluk", "Grishnakh"]);
/// # Ok::<(), PermutationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation {
    /// By new row. Invariant: each row once.
    old_rows: Vec<u32>,
}

/// Why a permutation was not made, or not applied. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PermutationError {
    /// The array has not one element for each row.
    #[error(
        "an array of {given} elements cannot follow {rows} rows; it needs one element for each row"
    )]
    Length {
        /// How many elements it has.
        given: usize,
        /// How many rows were put into another order.
        rows: usize,
    },
    /// A row is listed twice, or there is no such row.
    #[error(
        "the old row of row {at} is given as {row}, which is listed before or not below {rows}; every row below {rows} must be \
         listed exactly once"
    )]
    NotOnce {
        /// The row that is listed.
        row: u32,
        /// Where.
        at: usize,
        /// How many rows there are.
        rows: usize,
    },
}

impl Permutation {
    /// From the old row of each new one. O(rows).
    ///
    /// # Errors
    ///
    /// [`PermutationError::NotOnce`].
    pub fn from_old_rows(old_rows: Vec<u32>) -> Result<Self, PermutationError> {
        let rows = old_rows.len();
        let mut is_listed = vec![false; rows];
        for (at, &row) in old_rows.iter().enumerate() {
            match is_listed.get_mut(row as usize) {
                Some(listed) if !*listed => *listed = true,
                _ => return Err(PermutationError::NotOnce { row, at, rows }),
            }
        }
        Ok(Self { old_rows })
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.old_rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old_rows.is_empty()
    }

    /// Whether every row is where it was. O(rows).
    #[must_use]
    pub fn is_identity(&self) -> bool {
        (0..).zip(&self.old_rows).all(|(row, &old)| row == old)
    }

    /// Which row each row was before, in the new order.
    #[must_use]
    pub fn old_rows(&self) -> &[u32] {
        &self.old_rows
    }

    /// Which row each row is now, in the old order: for row numbers that an engine keeps. O(rows).
    #[must_use]
    pub fn new_rows(&self) -> Vec<u32> {
        let mut new_rows = vec![0; self.len()];
        for (row, &old) in (0..).zip(&self.old_rows) {
            new_rows[old as usize] = row;
        }
        new_rows
    }

    /// Puts an array into the new order, in the rayon pool the caller is in, or without the `parallel` feature on the
    /// calling thread. `spare` becomes the array, and the array the spare: keep it for the next one, whatever is in it.
    /// O(rows).
    ///
    /// # Errors
    ///
    /// [`PermutationError::Length`].
    pub fn apply<T: Copy + Send + Sync>(
        &self,
        column: &mut Vec<T>,
        spare: &mut Vec<T>,
    ) -> Result<(), PermutationError> {
        self.apply_on(default_executor(), column, spare)
    }

    /// [`apply`](Self::apply) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`PermutationError::Length`].
    pub fn apply_on<T: Copy + Send + Sync>(
        &self,
        executor: &dyn Executor,
        column: &mut Vec<T>,
        spare: &mut Vec<T>,
    ) -> Result<(), PermutationError> {
        self.clone_on(executor, column, spare)
    }

    /// The same for elements that are cloned.
    pub(crate) fn clone_on<T: Clone + Send + Sync>(
        &self,
        executor: &dyn Executor,
        column: &mut Vec<T>,
        spare: &mut Vec<T>,
    ) -> Result<(), PermutationError> {
        self.check_length(column.len())?;
        let Some(any) = column.first() else {
            return Ok(());
        };
        // The room that the column has stays with it.
        spare.reserve(column.capacity().saturating_sub(spare.len()));
        spare.resize(column.len(), any.clone());
        let rows = self.len();
        let each = rows.div_ceil(MOST_TASKS).max(FEWEST_ROWS);
        let parts = spare.chunks_mut(each).zip(self.old_rows.chunks(each));
        let from = &column[..];
        run_each(executor, parts, |_, (to, old_rows)| {
            for (to, &old) in to.iter_mut().zip(old_rows) {
                to.clone_from(&from[old as usize]);
            }
        });
        std::mem::swap(column, spare);
        Ok(())
    }

    /// Puts an array into the new order by swapping its elements, which need not be `Copy`. Takes a bit of memory for
    /// each row, runs on the calling thread, and is slower than [`apply`](Self::apply). O(rows).
    ///
    /// # Errors
    ///
    /// [`PermutationError::Length`].
    pub fn apply_in_place<T>(&self, column: &mut [T]) -> Result<(), PermutationError> {
        self.check_length(column.len())?;
        let mut is_done = fixedbitset::FixedBitSet::with_capacity(self.len());
        for start in 0..self.len() {
            // Along a cycle: each swap puts one element where it belongs.
            let mut row = start;
            while !is_done.put(row) {
                let old = self.old_rows[row] as usize;
                if old != start {
                    column.swap(row, old);
                }
                row = old;
            }
        }
        Ok(())
    }

    fn check_length(&self, given: usize) -> Result<(), PermutationError> {
        let rows = self.len();
        if given == rows {
            Ok(())
        } else {
            Err(PermutationError::Length { given, rows })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Serial;
    use proptest::prelude::*;

    fn shuffled(rows: usize, seed: u64) -> Permutation {
        let mut old_rows: Vec<u32> = (0..rows as u32).collect();
        old_rows.sort_by_key(|&row| (u64::from(row) ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Permutation::from_old_rows(old_rows).unwrap()
    }

    proptest! {
        #[test]
        fn every_form_puts_each_element_where_it_belongs(
            rows in prop_oneof![0..50_usize, 20_000..40_000_usize],
            seed in any::<u64>(),
            spare in 0..100_usize,
        ) {
            let order = shuffled(rows, seed);
            let before: Vec<u64> = (0..rows as u64).map(|row| row * 7).collect();
            let expected: Vec<u64> = order.old_rows().iter().map(|&old| before[old as usize]).collect();

            let (mut column, mut spare) = (before.clone(), vec![1; spare]);
            order.apply(&mut column, &mut spare).unwrap();
            prop_assert_eq!(&column, &expected);
            let mut column = before.clone();
            order.apply_on(&Serial, &mut column, &mut spare).unwrap();
            prop_assert_eq!(&column, &expected);

            let mut column: Vec<_> = before.iter().map(|value| Box::new(*value)).collect();
            order.apply_in_place(&mut column).unwrap();
            prop_assert!(column.iter().map(|value| **value).eq(expected));

            let back = Permutation::from_old_rows(order.new_rows()).unwrap();
            let mut column = before.clone();
            order.apply(&mut column, &mut spare).unwrap();
            back.apply(&mut column, &mut spare).unwrap();
            prop_assert_eq!(column, before);
            prop_assert_eq!(back.new_rows(), order.old_rows());
        }
    }

    #[test]
    fn what_is_no_permutation_is_refused() {
        let not_once = |row, at| Err(PermutationError::NotOnce { row, at, rows: 3 });
        assert_eq!(Permutation::from_old_rows(vec![0, 1, 1]), not_once(1, 2));
        assert_eq!(Permutation::from_old_rows(vec![0, 3, 1]), not_once(3, 1));
        let order = Permutation::from_old_rows(vec![1, 0]).unwrap();
        let length = PermutationError::Length { given: 3, rows: 2 };
        let wrong = Err(length);
        let (mut column, mut spare) = (vec![1, 2, 3], Vec::new());
        assert_eq!(order.apply(&mut column, &mut spare), wrong);
        assert_eq!(order.apply_in_place(&mut column), wrong);
        assert_eq!((&column[..], &spare[..]), (&[1, 2, 3][..], &[][..]));
        assert_eq!(
            length.to_string(),
            "an array of 3 elements cannot follow 2 rows; it needs one element for each row"
        );
    }

    #[test]
    fn the_identity_is_told_from_others() {
        assert!(Permutation::default().is_identity() && Permutation::default().is_empty());
        assert!(
            Permutation::from_old_rows(vec![0, 1, 2])
                .unwrap()
                .is_identity()
        );
        assert!(
            !Permutation::from_old_rows(vec![0, 2, 1])
                .unwrap()
                .is_identity()
        );
    }
}
