//! One buffer cut into many slices, each of which belongs to one of several owners who write at once.
//!
//! Splitting a buffer gives each task one stretch of it. Where a task's slices lie all over the buffer, safe code would
//! have to make it a buffer of atomics and write it word by word, or write elsewhere first and copy, which is what this
//! avoids.
#![allow(
    unsafe_code,
    reason = "that two owners never hold the same slice follows from data: from a checked table of slices and their owners"
)]

use crate::prefetch::{prefetch_all_for_writing, prefetch_for_reading};
use std::marker::PhantomData;
use std::ops::Range;

/// A buffer, where each of its slices begins and the last ends, and to which owner each slice belongs.
#[derive(Debug)]
pub struct Scattered<'t, T> {
    all: &'t mut [T],
    starts: &'t [usize],
    owners: &'t [u32],
}

/// The slices of one owner.
#[derive(Debug)]
pub struct Share<'t, T> {
    owner: u32,
    all: *mut T,
    starts: &'t [usize],
    owners: &'t [u32],
    borrows: PhantomData<&'t mut [T]>,
}

/// The share of each owner, once.
#[derive(Debug)]
pub struct Shares<'t, T> {
    owners: Range<u32>,
    /// Handed out only as a copy with the next number.
    all: Share<'t, T>,
}

// SAFETY: a share is a number of mutable slices that no other share has (see `slice`), and those may be sent where `T` may.
unsafe impl<T: Send> Send for Share<'_, T> {}

impl<'t, T> Scattered<'t, T> {
    /// Slice `k` is `all[starts[k]..starts[k + 1]]`, and belongs to `owners[k]`. `None` unless these are slices of `all`, one for
    /// each owner in the list: as many and one more starts, which ascend and lie inside. O(`starts`).
    #[must_use]
    pub fn new(all: &'t mut [T], starts: &'t [usize], owners: &'t [u32]) -> Option<Self> {
        let fits = starts.len() == owners.len() + 1
            && starts.is_sorted()
            && starts.last().is_some_and(|&end| end <= all.len());
        fits.then_some(Self {
            all,
            starts,
            owners,
        })
    }

    /// A share for each of the first owners, by number.
    pub fn shares(&mut self, owners: u32) -> Shares<'_, T> {
        Shares {
            owners: 0..owners,
            all: Share {
                owner: 0,
                all: self.all.as_mut_ptr(),
                starts: self.starts,
                owners: self.owners,
                borrows: PhantomData,
            },
        }
    }
}

impl<'t, T> Iterator for Shares<'t, T> {
    type Item = Share<'t, T>;

    fn next(&mut self) -> Option<Self::Item> {
        let owner = self.owners.next()?;
        Some(Share { owner, ..self.all })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.owners.size_hint()
    }
}

impl<T> ExactSizeIterator for Shares<'_, T> {}

impl<T> Share<'_, T> {
    /// Hints that slice `k` will soon be written.
    #[inline(always)]
    pub fn prefetch(&self, k: usize) {
        if let Some(&[start, end]) = self.starts.get(k..).and_then(<[usize]>::first_chunk) {
            prefetch_all_for_writing(self.all.wrapping_add(start), end - start);
        }
    }

    /// Hints that slice `k` will be asked for, or [prefetched](Self::prefetch), which has to look up where it is.
    #[inline(always)]
    pub fn prefetch_place(&self, k: usize) {
        if let (Some(start), Some(owner)) = (self.starts.get(k), self.owners.get(k)) {
            prefetch_for_reading(start);
            prefetch_for_reading(owner);
        }
    }

    /// Slice `k`; `None` if it belongs to another owner, or if there is none.
    #[inline(always)]
    pub fn slice(&mut self, k: usize) -> Option<&mut [T]> {
        if *self.owners.get(k)? != self.owner {
            return None;
        }
        let (start, end) = (self.starts[k], self.starts[k + 1]);
        // SAFETY: `Scattered::new` found `starts` to ascend up to at most the buffer's length, so this slice lies inside the buffer,
        // which is borrowed uniquely as long as any share lives, and no other slice overlaps it. It belongs to this owner alone,
        // as just checked. Nobody else is this owner: `Shares` hands out each number once, and `shares` borrows `Scattered`
        // uniquely as long as any share lives. And this one has lent no other slice, since lending borrows it uniquely.
        Some(unsafe { std::slice::from_raw_parts_mut(self.all.add(start), end - start) })
    }
}

#[cfg(test)]
mod tests {
    use super::Scattered;
    use crate::executor::Serial;
    use crate::run_each;

    #[test]
    fn each_owner_gets_its_own_slices() {
        let mut all = [9_u32; 12];
        let (starts, owners) = ([1, 3, 3, 6, 10, 11], [2, 0, 1, 2, 0]);
        let mut scattered = Scattered::new(&mut all, &starts, &owners).expect("it fits");
        run_each(&Serial, scattered.shares(3), |owner, mut share| {
            for (k, &its) in owners.iter().enumerate() {
                let slice = share.slice(k);
                assert_eq!(slice.is_some(), its as usize == owner);
                if let Some(slice) = slice {
                    assert_eq!(slice.len(), starts[k + 1] - starts[k]);
                    slice.fill(owner as u32);
                }
            }
            (0..9).for_each(|k| share.prefetch_place(k));
            assert!(share.slice(5).is_none() && share.slice(usize::MAX).is_none());
        });
        assert_eq!(all, [9, 2, 2, 1, 1, 1, 2, 2, 2, 2, 0, 9]);
    }

    #[test]
    fn many_threads_write_at_once() {
        let (slices, workers) = (3000, 7);
        let starts: Vec<usize> = (0..=slices).map(|k| k * (k % 2 + 2) / 2).collect();
        let starts: Vec<usize> = starts
            .iter()
            .scan(0, |most, &start| {
                *most = start.max(*most);
                Some(*most)
            })
            .collect();
        let owners: Vec<u32> = (0..slices).map(|k| (k * k % workers) as u32).collect();
        let mut all = vec![u32::MAX; starts[slices]];
        let mut scattered = Scattered::new(&mut all, &starts, &owners).expect("it fits");
        std::thread::scope(|scope| {
            for mut share in scattered.shares(workers as u32) {
                scope.spawn(move || {
                    for k in 0..slices {
                        if let Some(slice) = share.slice(k) {
                            slice.fill(k as u32);
                        }
                    }
                });
            }
        });
        let expected = (0..slices).flat_map(|k| vec![k as u32; starts[k + 1] - starts[k]]);
        assert!(all.into_iter().eq(expected));
    }

    #[test]
    fn what_are_no_slices_is_refused() {
        let mut all = [0_u8; 4];
        let mut fits =
            |starts: &[usize], owners: &[u32]| Scattered::new(&mut all, starts, owners).is_some();
        assert!(fits(&[0], &[]) && fits(&[0, 4], &[7]) && fits(&[2, 2, 3], &[7, 7]));
        assert!(!fits(&[], &[]), "no end");
        assert!(!fits(&[0, 5], &[0]), "beyond the end");
        assert!(!fits(&[0, 3, 2], &[0, 0]), "descending");
        assert!(
            !fits(&[0, 1], &[0, 0]) && !fits(&[0, 1, 2], &[0]),
            "as many"
        );
    }
}
