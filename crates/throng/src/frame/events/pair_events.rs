//! The pairs that began, or that ended, one after the other.

use std::fmt;
use std::iter::FusedIterator;
use std::slice;

use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::{ListedPairs, Lists};
use crate::world::category::Category;

/// The pairs that [began](crate::Step::began) or [ended](crate::Step::ended). Ids and keys are looked up as they are read.
#[derive(Clone)]
#[must_use = "iterators do nothing until they are read"]
pub struct PairEvents<'w> {
    categories: &'w [Category],
    lists: slice::Iter<'w, ListedPairs>,
    /// The list that is being read, and the place of the next in it.
    list: Option<(&'w ListedPairs, usize)>,
    left: usize,
}

impl<'w> PairEvents<'w> {
    pub(super) fn of(lists: &'w Lists, categories: &'w [Category]) -> Self {
        Self {
            categories,
            lists: lists.used().iter(),
            list: None,
            left: lists.told(),
        }
    }
}

impl Iterator for PairEvents<'_> {
    type Item = PairEvent;

    #[inline]
    fn next(&mut self) -> Option<PairEvent> {
        loop {
            if let Some((list, place)) = &mut self.list
                && let Some(event) = list.event(*place, self.categories)
            {
                *place += 1;
                self.left -= 1;
                return Some(event);
            }
            self.list = Some((self.lists.next()?, 0));
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for PairEvents<'_> {}
impl FusedIterator for PairEvents<'_> {}

impl fmt::Debug for PairEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
