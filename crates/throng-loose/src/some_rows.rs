//! Which rows a structure that changes row by row holds, so that those that are not to be in it any more are found without looking
//! at all.

use std::ops::Range;

use educe::Educe;

/// The rows of the last [`update_rows`](crate::LooseStructure::update_rows).
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(crate) struct SomeRows {
    /// Every row that is held, and perhaps others; ascending.
    rows: Vec<u32>,
    are_known: bool,
}

impl SomeRows {
    /// To be called when a row may be held that is not listed.
    #[inline]
    pub fn forget(&mut self) {
        self.are_known = false;
    }

    /// Calls `visit` with the rows that may be held and are not among `now`, which ascends; from here on those are known. If none
    /// are, all numbers in use may be held.
    pub fn replace(&mut self, now: &[u32], in_use: Range<u32>, mut visit: impl FnMut(u32)) {
        let mut kept = now.iter().copied().peekable();
        let mut look_at = |row: u32| {
            while kept.next_if(|&kept| kept < row).is_some() {}
            if kept.peek() != Some(&row) {
                visit(row);
            }
        };
        if self.are_known {
            self.rows.iter().for_each(|&row| look_at(row));
        } else {
            in_use.for_each(look_at);
        }
        self.rows.clear();
        self.rows.extend_from_slice(now);
    }

    /// To be called when no other rows than those last given are held.
    pub fn are_held(&mut self) {
        self.are_known = true;
    }

    /// A list that has every row that is held, and perhaps some that are not. `None` if a row that is not listed may be held.
    pub fn known(&self) -> Option<&[u32]> {
        self.are_known.then_some(&*self.rows)
    }

    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<u32>()
    }
}
