//! Which elements are in a node: their numbers, a cache line of them at a time.

use crate::dynamic::slots::{Chained, NONE, Slots};
use crate::dynamic::validate::ensure;

/// How many numbers a bundle holds, chosen so that it fills a cache line.
const BUNDLE: usize = 13;

/// Some of a node's elements, by number.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bundle {
    elements: [u32; BUNDLE],
    /// How many there are.
    len: u32,
    /// The next bundle of the same node, which is full; or [`NONE`].
    next: u32,
    /// In the first bundle of a leaf: how many of all its elements could go deeper.
    movable: u32,
}

/// All lists. A list is named by its first bundle, and [`NONE`] is the empty list. Only the first bundle may have
/// room, so adding or removing an element moves at most one other.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    bundles: Slots<Bundle>,
}

impl Lists {
    pub fn with_capacity(bundles: usize) -> Self {
        Self {
            bundles: Slots::with_capacity(bundles),
        }
    }

    pub fn clear(&mut self) {
        self.bundles.clear();
    }

    /// Adds an element; `movable` says whether it could go deeper.
    #[inline]
    pub fn push(&mut self, list: &mut u32, element: u32, movable: bool) {
        let has_room = *list != NONE && (self.bundles.at(*list).len as usize) < BUNDLE;
        if !has_room {
            let movable = self.movable(*list);
            *list = self.bundles.take(Bundle {
                elements: [NONE; BUNDLE],
                len: 0,
                next: *list,
                movable,
            });
        }
        let first = self.bundles.at_mut(*list);
        first.elements[first.len as usize] = element;
        first.len += 1;
        first.movable += u32::from(movable);
    }

    /// Removes an element, which must be there, counted as `movable` or not.
    pub fn remove(&mut self, list: &mut u32, element: u32, movable: bool) {
        let first = *list;
        let mut bundle = first;
        while bundle != NONE {
            let here = self.bundles.at(bundle);
            if let Some(place) = here.elements().iter().position(|&other| other == element) {
                return self.remove_at(list, bundle, place, movable);
            }
            bundle = here.next;
        }
        debug_assert!(false, "element {element} is not in the list");
    }

    /// Removes an element by moving the last of the first bundle into its place.
    fn remove_at(&mut self, list: &mut u32, bundle: u32, place: usize, movable: bool) {
        let first = self.bundles.at_mut(*list);
        first.len -= 1;
        first.movable -= u32::from(movable);
        let last = first.elements[first.len as usize];
        self.bundles.at_mut(bundle).elements[place] = last;
        if self.bundles.at(*list).len == 0 {
            let Bundle { next, movable, .. } = *self.bundles.at(*list);
            self.bundles.give_back(*list);
            *list = next;
            if next != NONE {
                self.bundles.at_mut(next).movable = movable;
            }
        }
    }

    /// How many elements of a list could go deeper.
    #[inline]
    pub fn movable(&self, list: u32) -> u32 {
        if list == NONE {
            return 0;
        }
        self.bundles.at(list).movable
    }

    /// Empties a list.
    pub fn empty(&mut self, list: &mut u32) {
        while *list != NONE {
            let next = self.bundles.at(*list).next;
            self.bundles.give_back(*list);
            *list = next;
        }
    }

    /// Appends the elements of a list to `elements`, and empties the list.
    pub fn take_all(&mut self, list: &mut u32, elements: &mut Vec<u32>) {
        for run in self.runs(*list) {
            elements.extend_from_slice(run);
        }
        self.empty(list);
    }

    /// The elements of a list, a slice at a time.
    #[inline(always)]
    pub fn runs(&self, list: u32) -> impl Iterator<Item = &[u32]> {
        let mut next = list;
        std::iter::from_fn(move || {
            if next == NONE {
                return None;
            }
            let bundle = self.bundles.at(next);
            next = bundle.next;
            Some(bundle.elements())
        })
    }

    /// How many elements a list has. O(length / 13).
    pub fn len(&self, list: u32) -> usize {
        self.runs(list).map(<[u32]>::len).sum()
    }

    /// Copies a list from another set of lists.
    pub fn copy_from(&mut self, other: &Self, list: u32) -> u32 {
        let (mut from, mut first, mut before) = (list, NONE, NONE);
        while from != NONE {
            let bundle = *other.bundles.at(from);
            from = bundle.next;
            let copy = self.bundles.take(Bundle {
                next: NONE,
                ..bundle
            });
            if before == NONE {
                first = copy;
            } else {
                self.bundles.at_mut(before).next = copy;
            }
            before = copy;
        }
        first
    }

    pub fn is_sparse(&self) -> bool {
        self.bundles.is_sparse()
    }

    pub fn used(&self) -> usize {
        self.bundles.used()
    }

    pub fn bytes(&self) -> usize {
        self.bundles.bytes()
    }

    /// Checks that no bundle of a list is empty, and that only the first has room. Returns the number of bundles.
    pub fn validate_list(&self, list: u32) -> Result<usize, String> {
        let lens: Vec<usize> = self.runs(list).map(<[u32]>::len).collect();
        let (first, others) = lens.split_first().unwrap_or((&1, &[]));
        ensure(
            *first > 0 && others.iter().all(|&len| len == BUNDLE),
            || format!("bundles of {lens:?} elements in list {list}"),
        )?;
        Ok(lens.len())
    }

    /// Checks the free list, and that every bundle is either in it or among the `seen` bundles of all nodes.
    pub fn validate(&self, seen: usize) -> Result<(), String> {
        self.bundles.validate()?;
        let used = self.bundles.used();
        ensure(seen == used, || {
            format!("{seen} bundles in nodes, {used} in use")
        })
    }
}

impl Bundle {
    #[inline(always)]
    fn elements(&self) -> &[u32] {
        &self.elements[..self.len as usize]
    }
}

impl Chained for Bundle {
    fn next(&self) -> u32 {
        self.next
    }

    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}
