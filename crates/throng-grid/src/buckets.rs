//! The memory of a build: every bucket's records, then every leaf's runs.

use crate::Points;
use crate::kernels;
use crate::layout::Layout;
use crate::leaf::Leaf;
use crate::partition::{Part, Pass, Reach};
use crate::sort::{Bucket, SortScratch};
use std::ops::Range;
use throng_core::{Executor, FrameArenas, Simd, as_atomics, run_each};

/// Rows that make another part worth its own runs of the buckets.
const ROWS_PER_PART: usize = 16384;
/// Parts beyond this would make the runs short.
const MOST_PARTS: usize = 16;
/// Rows that make another sort task worth handing out, and the most tasks.
const ROWS_PER_SORT: usize = 4096;
const MOST_SORTS: usize = 64;

/// All buckets of a grid. See the headers of `partition` and `sort` for the two states of its memory.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    parts: Vec<Part>,
    words: Vec<u32>,
    /// Where each bucket begins, in records, and the end.
    starts: Vec<u32>,
    reach: Reach,
    rejected: Vec<u32>,
    /// Leaves as each sort task found them.
    sorted: Vec<Vec<Leaf>>,
    arenas: FrameArenas,
}

impl Buckets {
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub fn rejected(&self) -> &[u32] {
        &self.rejected
    }

    pub fn outside(&self) -> usize {
        self.parts.iter().map(|part| part.outside as usize).sum()
    }

    /// Bytes of the records themselves, slack included.
    pub fn record_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }

    /// Bytes of everything else.
    pub fn scratch_bytes(&self) -> usize {
        let parts = self.parts.iter().map(Part::memory_bytes).sum::<usize>();
        let sorted = self
            .sorted
            .iter()
            .map(|leaves| leaves.capacity() * size_of::<Leaf>())
            .sum::<usize>();
        let lists = (self.starts.capacity() + self.rejected.capacity()) * size_of::<u32>();
        parts + sorted + lists + self.arenas.memory_bytes()
    }

    /// Starts from no expectations, as a new layout must.
    pub fn forget_counts(&mut self) {
        self.parts.clear();
    }

    /// Puts every row into its bucket. Returns whether that took a second pass.
    pub fn distribute<const WORDS: usize>(
        &mut self,
        points: Points<'_>,
        bound: [f32; 2],
        layout: Layout,
        simd: Simd,
        executor: &dyn Executor,
    ) -> bool {
        self.cut_rows(points.xs.len(), layout.buckets(), executor.threads());
        let mut repeated = false;
        loop {
            self.make_room::<WORDS>(layout.buckets());
            let pass = Pass {
                points,
                bound,
                layout,
                words: as_atomics(&mut self.words),
            };
            run_each(executor, &mut self.parts, |_, part| {
                kernels::partition::<WORDS>(simd, &pass, part)
            });
            if !self.parts.iter().any(Part::overflowed) {
                break;
            }
            // The counts are now exact, so the second pass fits.
            repeated = true;
        }
        self.reach = Reach::default();
        self.rejected.clear();
        for part in &self.parts {
            self.reach.merge(part.reach);
            self.rejected.extend(&part.rejected);
        }
        repeated
    }

    /// Cuts the rows into one part per worker, in whole words of a bit set.
    fn cut_rows(&mut self, rows: usize, buckets: usize, threads: usize) {
        let parts = (rows / ROWS_PER_PART + 1).min(threads).clamp(1, MOST_PARTS);
        if self.parts.len() != parts {
            self.parts.clear();
            self.parts.resize_with(parts, || Part::new(buckets));
        }
        let share = rows.div_ceil(parts).next_multiple_of(64);
        for (index, part) in self.parts.iter_mut().enumerate() {
            let first = (index * share).min(rows);
            part.rows = first as u32..(first + share).min(rows) as u32;
        }
    }

    /// Gives every part room in every bucket for what it counted last.
    fn make_room<const WORDS: usize>(&mut self, buckets: usize) {
        self.starts.clear();
        let mut at = 0;
        for bucket in 0..buckets {
            self.starts.push(at);
            for part in &mut self.parts {
                at = part.make_room(bucket, at);
            }
        }
        self.starts.push(at);
        let needed = at as usize * WORDS;
        if self.words.len() < needed || self.words.len() / 4 > needed {
            // A little more, so that a count that creeps up does not move everything each time.
            self.words = Vec::new();
            self.words.resize(needed + needed / 32, 0);
        }
    }

    /// Sorts every bucket in place and collects the leaves.
    pub fn sort<const WORDS: usize>(
        &mut self,
        layout: &Layout,
        simd: Simd,
        executor: &dyn Executor,
        leaves: &mut Vec<Leaf>,
    ) {
        let Self {
            parts,
            words,
            starts,
            reach,
            sorted,
            arenas,
            ..
        } = self;
        let total = *starts.last().expect("starts end with the end") as usize;
        let tasks = (total / ROWS_PER_SORT + 1).min(MOST_SORTS);
        if sorted.len() < tasks {
            sorted.resize_with(tasks, Vec::default);
        }
        let may_wrap = reach.wraps(layout);
        let largest = starts
            .windows(2)
            .map(|ends| (ends[1] - ends[0]) as usize)
            .max()
            .unwrap_or(0);
        arenas.prepare(
            executor.threads().min(tasks),
            SortScratch::bytes(largest, WORDS, may_wrap),
        );

        // Consecutive buckets of about equal room for each task, and the memory that is theirs alone.
        let mut rest = &mut words[..total * WORDS];
        let mut first = 0;
        let shares = (0..tasks).map(|task| {
            let until = (total * (task + 1)).div_ceil(tasks) as u32;
            let end = if task + 1 < tasks {
                starts
                    .partition_point(|&start| start < until)
                    .clamp(first, starts.len() - 1)
            } else {
                starts.len() - 1
            };
            let room = (starts[end] - starts[first]) as usize * WORDS;
            let (mine, later) = std::mem::take(&mut rest).split_at_mut(room);
            rest = later;
            (std::mem::replace(&mut first, end)..end, mine)
        });
        let runs_of = |bucket: usize, start: u32| -> [Range<usize>; MOST_PARTS] {
            std::array::from_fn(|part| {
                let part = parts.get(part);
                part.map_or(0..0, |part| part.run_of(bucket, start))
            })
        };
        let shares = shares.zip(&mut sorted[..tasks]);
        run_each(executor, shares, |_, ((buckets, memory), leaves)| {
            leaves.clear();
            let Some(&base) = starts.get(buckets.start) else {
                return;
            };
            arenas.with(|arena| {
                let mut scratch = SortScratch::new(arena, largest, WORDS, may_wrap);
                for bucket in buckets {
                    let [start, end] = [starts[bucket], starts[bucket + 1]];
                    let words =
                        &mut memory[(start - base) as usize * WORDS..(end - base) as usize * WORDS];
                    let bucket_words = Bucket {
                        words,
                        offset: start * WORDS as u32,
                        may_wrap,
                    };
                    kernels::sort::<WORDS>(
                        simd,
                        layout,
                        bucket_words,
                        &runs_of(bucket, start)[..parts.len()],
                        &mut scratch,
                        leaves,
                    );
                }
            });
        });
        leaves.clear();
        for found in &mut sorted[..tasks] {
            leaves.append(found);
        }
    }
}
