//! The first pass of a build: every row is appended to its bucket.
//!
//! There is no counting pass. Each bucket is given last build's count and some slack. A row too many is
//! appended all the same, over a neighbour's records: nothing is asked in the inner loop, and a pass that
//! overflowed has counted every bucket exactly for its own repetition. The first build is nothing special:
//! every bucket starts with room for a few.
//!
//! The input is cut into as many parts as there are workers, each with its own run of every bucket, and
//! a bucket's runs lie side by side in part order:
//!
//! ```text
//! words:  │ bucket 0                        │ bucket 1                        │ …
//!         │ part 0 ▓▓▓▓▓░ │ part 1 ▓▓▓▓░░ │ part 0 ▓▓▓░░ │ part 1 ▓▓▓▓▓▓░ │
//! ```
//!
//! Parts are ascending ranges of rows and a part appends in row order, so a bucket read from left to
//! right is in row order however many parts there were: the number of workers cannot show.

use crate::Points;
use crate::layout::Layout;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use throng_core::prefetch_for_writing;

/// Rows converted at a time. Enough that the first bucket's memory has come by the time the last has been
/// asked for.
const GROUP: usize = 32;
/// How far ahead of an append its bucket's memory is asked for, in records. It is asked for twice: then,
/// to come from wherever it is, and shortly before the append, because thousands of appends to other buckets
/// lie between the two and the first cache does not hold that much.
const PREFETCH_AHEAD: u32 = 8;

/// One worker's share of the rows, and its run of each bucket.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub rows: Range<u32>,
    /// Where the part's run of each bucket begins, in records.
    pub starts: Vec<u32>,
    /// Where the next record of each bucket goes.
    pub cursors: Vec<u32>,
    /// Where the room of each bucket ends.
    pub ends: Vec<u32>,
    pub reach: Reach,
    pub rejected: Vec<u32>,
    pub outside: u32,
}

/// The strips and blocks that rows were seen in: tells whether buckets can have wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub strips: [i32; 2],
    pub blocks: [i32; 2],
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            strips: [i32::MAX, i32::MIN],
            blocks: [i32::MAX, i32::MIN],
        }
    }
}

impl Reach {
    pub fn merge(&mut self, other: Reach) {
        for (mine, theirs) in [
            (&mut self.strips, other.strips),
            (&mut self.blocks, other.blocks),
        ] {
            *mine = [mine[0].min(theirs[0]), mine[1].max(theirs[1])];
        }
    }

    /// Whether two different places can share a bucket of `layout`.
    pub fn wraps(&self, layout: &Layout) -> bool {
        let beyond =
            |seen: [i32; 2], bits: u32| i64::from(seen[1]) - i64::from(seen[0]) >= 1_i64 << bits;
        beyond(self.strips, layout.strip_bits) || beyond(self.blocks, layout.block_bits)
    }
}

impl Part {
    pub fn new(buckets: usize) -> Self {
        Self {
            starts: vec![0; buckets],
            cursors: vec![0; buckets],
            ends: vec![0; buckets],
            ..Self::default()
        }
    }

    /// Lays the part's run of a bucket at `start`, with room for what it counted last. Returns its end.
    pub fn make_room(&mut self, bucket: usize, start: u32) -> u32 {
        let end = start + Self::capacity_for(self.count(bucket));
        self.starts[bucket] = start;
        self.cursors[bucket] = start;
        self.ends[bucket] = end;
        end
    }

    /// The part's run of a bucket, in records from where the bucket begins.
    #[inline]
    pub fn run_of(&self, bucket: usize, bucket_start: u32) -> Range<usize> {
        (self.starts[bucket] - bucket_start) as usize
            ..(self.cursors[bucket] - bucket_start) as usize
    }

    pub fn memory_bytes(&self) -> usize {
        let lists = [&self.starts, &self.cursors, &self.ends, &self.rejected];
        lists
            .map(|list| list.capacity() * size_of::<u32>())
            .iter()
            .sum()
    }

    /// Room for `last` records to come back, give or take what Poisson noise and motion change.
    pub fn capacity_for(last: u32) -> u32 {
        if last == 0 {
            4
        } else {
            last + last / 32 + (1.5 * (last as f32).sqrt()) as u32 + 8
        }
    }

    /// How many rows the last pass found for a bucket, whether or not they fitted.
    pub fn count(&self, bucket: usize) -> u32 {
        self.cursors[bucket] - self.starts[bucket]
    }

    pub fn overflowed(&self) -> bool {
        let mut runs = self.cursors.iter().zip(&self.ends);
        runs.any(|(next, end)| next > end)
    }
}

/// What all parts of a pass share.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    pub points: Points<'a>,
    pub bound: [f32; 2],
    pub layout: Layout,
    /// The buckets' memory. Parts write disjoint ranges of it; atomics let them do so in safe code, and
    /// a relaxed store is an ordinary store to the machine.
    pub words: &'a [AtomicU32],
}

/// Words in a record: x, y and row, and the row's own half extents in an exact grid.
pub(crate) const COARSE_WORDS: usize = 3;
pub(crate) const EXACT_WORDS: usize = 5;

impl Pass<'_> {
    /// Appends the part's rows to its buckets. Inlined into a function per instruction set.
    #[inline(always)]
    pub fn run<const WORDS: usize>(&self, part: &mut Part) {
        part.reach = Reach::default();
        part.rejected.clear();
        part.outside = 0;
        let rows = part.rows.start as usize..part.rows.end as usize;
        let (xs, ys) = (&self.points.xs[rows.clone()], &self.points.ys[rows.clone()]);
        let (x_groups, x_rest) = xs.as_chunks::<GROUP>();
        let (y_groups, _) = ys.as_chunks::<GROUP>();
        let mut lanes = LaneReach::default();
        let mut row = part.rows.start;
        for (x, y) in x_groups.iter().zip(y_groups) {
            if all_finite(x, y) & self.points.are_plain::<GROUP>(row as usize, self.bound) {
                let mut buckets = [0_u32; GROUP];
                for lane in 0..GROUP {
                    let place = self.layout.place(x[lane], y[lane]);
                    lanes.see(lane, place.strip, place.block());
                    buckets[lane] = self.layout.bucket(place.strip, place.block());
                }
                let cursors = &mut part.cursors[..];
                for &bucket in &buckets {
                    prefetch_for_writing(self.words, cursors[bucket as usize] as usize * WORDS);
                }
                for lane in 0..GROUP {
                    let row = row + lane as u32;
                    self.append::<WORDS>(cursors, buckets[lane], x[lane], y[lane], row);
                }
            } else {
                (row..row + GROUP as u32).for_each(|row| self.append_checked::<WORDS>(part, row));
            }
            row += GROUP as u32;
        }
        (row..row + x_rest.len() as u32).for_each(|row| self.append_checked::<WORDS>(part, row));
        part.reach.merge(lanes.total());
        let edge = |seen: [i32; 2]| seen[0] <= -EDGE || seen[1] >= EDGE;
        if edge(part.reach.strips)
            || edge(part.reach.blocks.map(|b| b << crate::layout::COLUMN_BITS))
        {
            let clamped = |&row: &usize| {
                self.points.is_present(row)
                    && self.points.is_sound(row, self.bound)
                    && (self.layout.columns.is_clamped(self.points.xs[row])
                        || self.layout.strips.is_clamped(self.points.ys[row]))
            };
            part.outside = rows.filter(clamped).count() as u32;
        }
    }

    /// The same for one row that may be absent, unsound, or have extents of its own.
    #[inline(always)]
    fn append_checked<const WORDS: usize>(&self, part: &mut Part, row: u32) {
        let index = row as usize;
        if !self.points.is_present(index) {
            return;
        }
        if !self.points.is_sound(index, self.bound) {
            part.rejected.push(row);
            return;
        }
        let (x, y) = (self.points.xs[index], self.points.ys[index]);
        let place = self.layout.place(x, y);
        let (strip, block) = (place.strip, place.block());
        part.reach.merge(Reach {
            strips: [strip; 2],
            blocks: [block; 2],
        });
        self.append::<WORDS>(
            &mut part.cursors,
            self.layout.bucket(strip, block),
            x,
            y,
            row,
        );
    }

    #[inline(always)]
    fn append<const WORDS: usize>(
        &self,
        cursors: &mut [u32],
        bucket: u32,
        x: f32,
        y: f32,
        row: u32,
    ) {
        let cursor = &mut cursors[bucket as usize];
        let at = *cursor;
        *cursor = at + 1;
        let (records, _) = self.words.as_chunks::<WORDS>();
        if let Some(record) = records.get(at as usize) {
            record[0].store(x.to_bits(), Relaxed);
            record[1].store(y.to_bits(), Relaxed);
            record[2].store(row, Relaxed);
            if WORDS == EXACT_WORDS
                && let Some(own) = self.points.half_extents
            {
                let half = own[row as usize];
                record[3].store(half[0].to_bits(), Relaxed);
                record[4].store(half[1].to_bits(), Relaxed);
            }
            prefetch_for_writing(self.words, (at + PREFETCH_AHEAD) as usize * WORDS);
        }
    }
}

/// Cells at and beyond this are at the edge of what a `CellMap` tells apart, or close to it.
const EDGE: i32 = (1 << 30) - crate::layout::COLUMNS as i32;

#[inline(always)]
fn all_finite(x: &[f32; GROUP], y: &[f32; GROUP]) -> bool {
    let mut finite = true;
    for lane in 0..GROUP {
        finite &= (x[lane].abs() < f32::INFINITY) & (y[lane].abs() < f32::INFINITY);
    }
    finite
}

/// [`Reach`] kept per lane, so that it costs vector minima and maxima.
struct LaneReach {
    strips: [[i32; GROUP]; 2],
    blocks: [[i32; GROUP]; 2],
}

impl Default for LaneReach {
    fn default() -> Self {
        Self {
            strips: [[i32::MAX; GROUP], [i32::MIN; GROUP]],
            blocks: [[i32::MAX; GROUP], [i32::MIN; GROUP]],
        }
    }
}

impl LaneReach {
    #[inline(always)]
    fn see(&mut self, lane: usize, strip: i32, block: i32) {
        for (seen, cell) in [(&mut self.strips, strip), (&mut self.blocks, block)] {
            seen[0][lane] = seen[0][lane].min(cell);
            seen[1][lane] = seen[1][lane].max(cell);
        }
    }

    fn total(&self) -> Reach {
        let mut total = Reach::default();
        for lane in 0..GROUP {
            total.merge(Reach {
                strips: [self.strips[0][lane], self.strips[1][lane]],
                blocks: [self.blocks[0][lane], self.blocks[1][lane]],
            });
        }
        total
    }
}
