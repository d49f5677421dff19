//! Brings an index up to date without sorting it again: each row stays where the last build put it, and only its center is
//! read anew, as a tree of boxes is refitted.
//!
//! While rows move a little, most are still in the strip and about at the place along it where they were. So a search that
//! allows for how far they have come is exact, and reading a center again takes a third of the time of a partition and a sort,
//! or a fifth where rows are in the order of space. What it costs is that each row is compared with a few more. How far rows
//! have come is measured in the same pass, and not added up from frame to frame: rows that go to and fro stay near.
//!
//! Three numbers are all that a search has to allow for ([`Drift`]). When the comparisons that they have cost since the build come
//! near what a build costs, it is time for one ([`RefitLog`]). All of this depends on the data, and on no number of threads.
//!
//! In a game a few things come and go in most frames, rows change hands, and somebody teleports. Rows that are new, gone, absent or
//! back are [carried over](PointGrid::carry_over) first, then all others are read anew, and those that are far from where they were
//! put are [brought home](PointGrid::bring_home). If too many come or go, or are too far, the index is built.
//!
//! What was considered instead: to carry rows that have left their strip over to another, as a [mend](crate::PointGrid::mend)
//! does, which takes as long as a build does for sixteen rows for each that moves; and to keep the pairs found with a margin,
//! which `docs/performance.md` tells of.

mod drift;
mod log;
mod read;
mod strays;

pub(crate) use drift::Drift;
pub(crate) use log::RefitLog;
pub(crate) use read::{Refitted, measure_leaf, refit_leaf};
pub(crate) use strays::list_strays;

use crate::grid::check_columns;
use crate::leaf::{Bounds, Leaf};
use crate::mend::Columns;
use crate::{GridError, PointGrid, Points, RowClasses, kernels};
use educe::Educe;
use fixedbitset::FixedBitSet;
use std::mem;
use throng_core::buckets::even_shares;
use throng_core::{Executor, LANES, run_each};

/// Columns of up to this many rows are in the caches near a core.
const FEW_ROWS: usize = 1 << 17;
/// How many leaves of a larger index are looked at, and how many rows of each.
const SAMPLED_LEAVES: usize = 64;
const SAMPLED_ROWS: usize = 12;
/// Rows this near each other are often in one cache line.
const NEAR: u32 = LANES as u32;
/// A row counts as near if one of so many before it is near: strips need not be those that rows were sorted by.
const LOOKED_BACK: usize = 4;

/// Memory of refits.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(crate) struct RefitScratch {
    /// The leaves as they lie in memory. Empty until the first refit after a build.
    by_memory: Vec<u32>,
    /// Where the memory of each of them begins, in records, and where all memory ends.
    starts: Vec<u32>,
    /// What was found in each of them.
    found: Vec<Refitted>,
    /// Which rows of the columns are not in the index, because they were absent.
    absent: FixedBitSet,
}

impl RefitScratch {
    /// To be called when there are other leaves.
    pub fn restart(&mut self) {
        self.by_memory.clear();
    }

    pub fn memory_bytes(&self) -> usize {
        (self.by_memory.capacity() + self.starts.capacity()) * size_of::<u32>()
            + self.found.capacity() * size_of::<Refitted>()
            + size_of_val(self.absent.as_slice())
    }

    /// To be called when these rows of the columns are left out of the index, and no others.
    pub fn note_absent(&mut self, absent: Option<&FixedBitSet>) {
        match absent {
            Some(absent) => self.absent.clone_from(absent),
            None => self.absent.clear(),
        }
    }

    /// Whether a row was left out.
    pub fn was_absent(&self, row: usize) -> bool {
        self.absent.contains(row)
    }

    /// The rows that were left out and would not be now, or the other way round.
    pub fn changed_presence<'a>(
        &'a self,
        now: Option<&'a FixedBitSet>,
    ) -> impl Iterator<Item = usize> {
        let [then, now] =
            [Some(&self.absent), now].map(|set| set.map_or(&[][..], FixedBitSet::as_slice));
        let word = |words: &[usize], at: usize| words.get(at).copied().unwrap_or(0);
        (0..then.len().max(now.len())).flat_map(move |at| {
            let mut changed = word(then, at) ^ word(now, at);
            std::iter::from_fn(move || {
                let bit = changed.trailing_zeros();
                (changed > 0).then(|| {
                    changed &= changed - 1;
                    at * usize::BITS as usize + bit as usize
                })
            })
        })
    }

    /// Takes the memory that a refit of so many leaves will need, so that the first takes no more.
    pub fn reserve(&mut self, leaves: usize) {
        self.by_memory.reserve(leaves);
        self.starts.clear();
        self.starts.reserve(leaves + 1);
        self.found.clear();
        self.found.reserve(leaves);
    }

    /// `words` is how many there are to a record, and `end` where the last bucket ends, in records.
    fn prepare(&mut self, leaves: &[Leaf], words: u32, end: u32) {
        if self.by_memory.is_empty() {
            let start = |leaf: &u32| leaves[*leaf as usize].start;
            self.by_memory.extend(0..leaves.len() as u32);
            self.by_memory.sort_unstable_by_key(start);
            self.starts.clear();
            self.starts
                .extend(self.by_memory.iter().map(|leaf| start(leaf) / words));
            self.starts.push(end);
        }
        self.found.clear();
        self.found.resize(leaves.len(), Refitted::NONE);
    }
}

impl PointGrid {
    /// Brings the index up to date with columns of about as many rows as those that it was built from, whatever has changed in
    /// them, provided that few rows are far from where they were put: these are carried over to where they belong, each of the
    /// others stays, and what is stored of it is read anew. Nobody has to say who has gone far, or which row holds another thing
    /// than before. Searches find the same as after a build, in another order. O(rows), in parallel; it takes a third to a fifth of
    /// the time of a build, and each search then a little longer. A row that is carried over takes about as long as building an
    /// index of some hundred rows.
    ///
    /// Returns whether it did. If not, the grid is empty and has to be built. That is so
    ///
    /// - where refits since the last build have made searches slower by about as much as a build takes, or this one alone would by
    ///   half as much, because rows are far from where they were put. Few of these are carried over instead: no more than
    ///   `1 + rows / 384`, if their leaves have no more than half of all rows, or 2,048. Several side by side that go along x
    ///   together are not;
    /// - where more rows than `2 + rows / 256`, or more than 64, are new, gone, absent or back;
    /// - where rows are more than 131,072 and not in the order of space, so that reading them takes as long as a build;
    /// - where there is no index, or it was not built from all rows of its columns that were present;
    /// - where some rows cannot be indexed;
    /// - where rows have half extents that had none, or have none any more.
    ///
    /// All of it depends on the data alone, now and since the grid was [cleared](Self::clear).
    ///
    /// ```
    /// use throng_core::Serial;
    /// use throng_grid::{GridConfig, PointGrid, Points};
    ///
    /// let mut xs: Vec<f32> = (0..1000).map(|k| 3.0 * k as f32).collect();
    /// let ys = [0.0; 1000];
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    ///
    /// // Row 7 is removed, the last one takes its place, and another goes far.
    /// xs.swap_remove(7);
    /// xs[20] = 2400.5;
    /// let points = Points::new(&xs, &ys[1..]);
    /// if !grid.refit(points, None, &Serial)? {
    ///     grid.build(points, &Serial)?;
    /// }
    /// assert_eq!(grid.len(), 999);
    /// let mut pairs = Vec::new();
    /// grid.for_each_pair(None, |a, b| pairs.push((a, b)));
    /// assert_eq!(pairs, [(20, 800)]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for a build. The grid then still holds what it held.
    ///
    /// # Panics
    ///
    /// If the executor panics. The grid is empty then.
    pub fn refit(
        &mut self,
        points: Points<'_>,
        classes: Option<RowClasses<'_>>,
        executor: &dyn Executor,
    ) -> Result<bool, GridError> {
        self.refit_changed(points, classes, std::iter::empty(), executor)
    }

    /// As [`refit`](Self::refit), where some of the rows that hold another thing than before are known. In a grid of up to 32,768
    /// rows they are then carried over in less time, and count towards the limit of those that are new, gone, absent or back. Rows
    /// that are not there or listed twice are ignored.
    ///
    /// # Errors
    ///
    /// As for a build. The grid then still holds what it held.
    ///
    /// # Panics
    ///
    /// If the executor panics. The grid is empty then.
    pub fn refit_changed(
        &mut self,
        points: Points<'_>,
        classes: Option<RowClasses<'_>>,
        changed: impl IntoIterator<Item = u32>,
        executor: &dyn Executor,
    ) -> Result<bool, GridError> {
        check_columns(&points)?;
        let (of_rows, row_word) = self.classes_for(&points, classes)?;
        let columns = Columns {
            points,
            classes: of_rows,
            row_word,
            bound: self.bound,
        };
        let refitted = self.fits(&points)
            && self.refit_log.may_try()
            && self.carry_over(&columns, changed.into_iter())
            && {
                self.read_anew(&columns, executor);
                self.row_word = row_word;
                self.bring_home(&columns) && self.note_drift()
            };
        if !refitted {
            self.forget_index();
        }
        Ok(refitted)
    }

    /// Whether there has been a [refit](Self::refit) since the last build.
    pub fn is_refitted(&self) -> bool {
        !self.drift.is_none() && self.rows > 0
    }

    /// Makes the next [refit](Self::refit) refuse, so that the index is built: for whoever needs rows in the order of a build.
    pub fn refuse_refit(&mut self) {
        self.refit_log.is_allowed = false;
    }

    /// Whether these can be the columns of the rows in the index, and reading them would not take as long as a build.
    fn fits(&self, points: &Points<'_>) -> bool {
        let is_outside = || (self.upkeep.as_ref()).is_none_or(|upkeep| upkeep.outside > 0);
        self.refit_log.is_allowed
            && self.has_plan()
            && self.rows > 0
            && !points.xs.is_empty()
            && self.exact == points.half_extents.is_some()
            && !is_outside()
            && (self.rows <= FEW_ROWS || self.are_rows_near())
    }

    /// Whether most rows are near others in the columns that are next to them in the index, judged by a sample.
    fn are_rows_near(&self) -> bool {
        let (mut near, mut all) = (0, 0);
        let every = self.leaves.len().div_ceil(SAMPLED_LEAVES).max(1);
        for leaf in self.leaves.iter().step_by(every) {
            let centers = self.centers(leaf);
            let rows = centers.len().min(SAMPLED_ROWS);
            let is_near = |&at: &usize| {
                let mut earlier = (at - LOOKED_BACK..at).map(|earlier| centers.row(earlier));
                earlier.any(|earlier| earlier.abs_diff(centers.row(at)) <= NEAR)
            };
            near += (LOOKED_BACK..rows).filter(is_near).count();
            all += rows.saturating_sub(LOOKED_BACK);
        }
        all > 0 && 2 * near >= all
    }

    /// Reads all rows anew, each where it is. If the executor panics, the grid is empty.
    fn read_anew(&mut self, columns: &Columns<'_>, executor: &dyn Executor) {
        let mut scratch = mem::take(&mut self.refit_scratch);
        let (leaves, upkeep) = (mem::take(&mut self.leaves), self.upkeep.take());
        let (strips, pieces, chunks) = (
            mem::take(&mut self.strips),
            mem::take(&mut self.pieces),
            mem::take(&mut self.chunks),
        );
        let (rows, simd) = (mem::take(&mut self.rows), self.simd);
        (self.bounds, self.drift) = (Bounds::NONE, Drift::default());
        let (record_words, said) = (self.record_words(), self.row_word);
        let end = upkeep
            .as_ref()
            .map_or(0, |upkeep| upkeep.free / record_words);
        scratch.prepare(&leaves, record_words as u32, end as u32);
        let RefitScratch {
            by_memory,
            starts,
            found,
            absent: _,
        } = &mut scratch;
        // Each task gets the memory of its leaves.
        let place = |leaf: usize| starts[leaf] as usize * record_words;
        let mut memory = &mut self.buckets.words_mut()[place(0)..];
        let mut found = &mut found[..];
        let shares = even_shares(starts).map(|share| {
            let [first, end] = [share.start, share.end].map(place);
            let words = memory.split_off_mut(..end - first).unwrap_or_default();
            let found = found.split_off_mut(..share.len()).unwrap_or_default();
            (&by_memory[share], found, words, first)
        });
        run_each(executor, shares, |_, (share, found, words, first)| {
            for (&leaf, found) in share.iter().zip(found) {
                let leaf = &leaves[leaf as usize];
                let words = &mut words[leaf.start as usize - first..];
                *found = kernels::refit(simd, words, leaf, columns, said);
            }
        });
        (self.leaves, self.upkeep, self.rows) = (leaves, upkeep, rows);
        (self.strips, self.pieces, self.chunks) = (strips, pieces, chunks);
        for (&leaf, found) in scratch.by_memory.iter().zip(&scratch.found) {
            self.leaves[leaf as usize].bounds = found.bounds;
        }
        self.refit_scratch = scratch;
    }

    /// Finds out how far rows are from where they were put. Returns whether the index is worth keeping.
    fn note_drift(&mut self) -> bool {
        let measured = self.measure_drift();
        let extra = measured.map_or(f32::INFINITY, |(drift, extra)| {
            self.drift = drift;
            self.bounds = Bounds::of_leaves(&self.leaves);
            extra
        });
        self.refit_log.accepts(extra)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::Serial;

    /// Rows of two sorted lists in turns are as near as those of one.
    #[test]
    fn rows_are_near_if_one_of_the_last_few_is() {
        let scene = |row_of: &dyn Fn(usize) -> usize| {
            let rows = 5000;
            let mut xs = vec![0.0; rows];
            for place in 0..rows {
                xs[row_of(place)] = place as f32;
            }
            let mut grid = PointGrid::new(crate::GridConfig::new([0.5; 2])).unwrap();
            grid.build(Points::new(&xs, &vec![0.0; rows]), &Serial)
                .unwrap();
            grid.are_rows_near()
        };
        assert!(scene(&|place| place));
        assert!(scene(&|place| place % 2 * 2500 + place / 2));
        assert!(scene(&|place| place % 4 * 1250 + place / 4));
        assert!(!scene(&|place| place % 8 * 625 + place / 8));
        assert!(!scene(&|place| place * 2741 % 5000));
    }
}
