//! Which rows of a category are disabled.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::Permutation;

/// The disabled rows. Nothing is allocated until there is one.
///
/// Invariant, checked by [`validate`](Self::validate): `count` is the number of set bits, none of which is after the last row.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct DisabledRows {
    rows: FixedBitSet,
    count: usize,
}

impl DisabledRows {
    #[inline]
    pub(crate) fn contains(&self, row: usize) -> bool {
        self.rows.contains(row)
    }

    /// All of them, if there are any.
    pub(crate) fn any(&self) -> Option<&FixedBitSet> {
        (self.count > 0).then_some(&self.rows)
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: usize) {
        self.rows.grow(row + 1);
        self.count += usize::from(!self.rows.put(row));
    }

    /// Removes a row.
    pub(crate) fn remove(&mut self, row: usize) {
        if self.contains(row) {
            self.rows.remove(row);
            self.count -= 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.count = 0;
    }

    /// Follows the rows into another order.
    pub(crate) fn reorder(&mut self, order: &Permutation) {
        if self.count > 0 {
            let before = std::mem::take(&mut self.rows);
            let old_rows = order.old_rows().iter().enumerate();
            let disabled = old_rows.filter(|(_, old)| before.contains(**old as usize));
            self.rows = disabled.map(|(row, _)| row).collect();
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        if self.count == 0 {
            self.rows = FixedBitSet::new();
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }

    /// Checks the invariant for so many rows.
    pub(crate) fn validate(&self, rows: usize) -> Result<(), String> {
        let disabled = self.rows.ones().filter(|&row| row < rows).count();
        if disabled != self.count || self.rows.count_ones(..) != disabled {
            return Err(format!(
                "{} rows count as disabled, {disabled} are",
                self.count
            ));
        }
        Ok(())
    }
}
