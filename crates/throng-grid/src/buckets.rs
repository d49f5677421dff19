//! The memory of a build: first every bucket's records, then every leaf's runs.

use crate::Points;
use crate::kernels;
use crate::layout::Layout;
use crate::leaf::Leaf;
use crate::partition::{Given, Numbers, PointPlacement, Reach, RowWords, Seen, WithClasses};
use crate::sort::{Bucket, SortScratch};
use educe::Educe;
use throng_core::buckets::{Partition, even_shares};
use throng_core::{Executor, FrameArenas, Simd, Spare, run_each};

/// What records are to say of their rows.
#[derive(Clone, Copy)]
pub(crate) enum Said<'a> {
    /// Their numbers alone.
    Numbers,
    /// Their classes as well.
    Classes(WithClasses<'a>),
    /// These words, one for each row given. The numbers in them are not places in the given columns.
    Words(&'a [u32]),
}

/// All buckets of a grid. See [`Partition`] and the header of `sort` for the two states of its memory.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(crate) struct Buckets {
    partition: Partition<Seen>,
    /// The leaves that each sort task made.
    sorted: Vec<Vec<Leaf>>,
    arenas: Spare<FrameArenas>,
}

impl Buckets {
    pub fn words(&self) -> &[u32] {
        self.partition.words()
    }

    /// The memory, which may be made longer: what is behind the [end](Self::end) is nobody's.
    pub fn words_mut(&mut self) -> &mut Vec<u32> {
        self.partition.words_mut()
    }

    /// Where the last bucket ends, in records.
    pub fn end(&self) -> u32 {
        self.partition.end()
    }

    pub fn rejected(&self) -> &[u32] {
        self.partition.rejected()
    }

    pub fn rejected_mut(&mut self) -> &mut Vec<u32> {
        self.partition.rejected_mut()
    }

    pub fn outside(&self) -> usize {
        self.partition
            .notes()
            .map(|seen| seen.outside as usize)
            .sum()
    }

    /// Bytes of the records themselves, including slack.
    pub fn record_bytes(&self) -> usize {
        self.partition.record_bytes()
    }

    /// Bytes of everything else.
    pub fn scratch_bytes(&self) -> usize {
        let sorted = self
            .sorted
            .iter()
            .map(|leaves| leaves.capacity() * size_of::<Leaf>())
            .sum::<usize>();
        self.partition.scratch_bytes() + sorted + self.arenas.memory_bytes()
    }

    /// Forgets all counts, which do not fit a new layout.
    pub fn forget_counts(&mut self) {
        self.partition.forget_counts();
    }

    /// Appends every row to its bucket, with what is said of it. Returns whether that took a second pass.
    pub fn distribute<const WORDS: usize>(
        &mut self,
        points: Points<'_>,
        said: Said<'_>,
        geometry: ([f32; 2], Layout),
        simd: Simd,
        executor: &dyn Executor,
    ) -> bool {
        match said {
            Said::Numbers => self.place::<WORDS, _>(points, Numbers, geometry, simd, executor),
            Said::Classes(words) => self.place::<WORDS, _>(points, words, geometry, simd, executor),
            Said::Words(words) => {
                self.place::<WORDS, _>(points, Given(words), geometry, simd, executor)
            }
        }
    }

    fn place<const WORDS: usize, W: RowWords>(
        &mut self,
        points: Points<'_>,
        words: W,
        (bound, layout): ([f32; 2], Layout),
        simd: Simd,
        executor: &dyn Executor,
    ) -> bool {
        let placement = PointPlacement {
            points,
            words,
            bound,
            layout,
        };
        let (rows, buckets) = (points.xs.len(), layout.buckets());
        self.partition
            .fill::<WORDS, _>(placement, rows, buckets, executor, |pass, part| {
                kernels::partition::<WORDS, W>(simd, pass, part)
            })
    }

    /// Sorts every bucket in place and collects the leaves.
    pub fn sort<const WORDS: usize>(
        &mut self,
        layout: &Layout,
        simd: Simd,
        executor: &dyn Executor,
        leaves: &mut Vec<Leaf>,
    ) {
        let reach = self.partition.notes().map(Seen::reach);
        let may_wrap = reach
            .reduce(Reach::merge)
            .is_some_and(|reach| reach.wraps(layout));
        let (filled, words) = self.partition.filled_mut();
        let starts = filled.starts();
        let largest = starts
            .windows(2)
            .map(|ends| (ends[1] - ends[0]) as usize)
            .max()
            .unwrap_or(0);
        let shares = even_shares(starts);
        let tasks = shares.len();
        if self.sorted.len() < tasks {
            self.sorted.resize_with(tasks, Vec::default);
        }
        self.arenas.prepare(
            executor.threads().min(tasks),
            SortScratch::bytes(largest, WORDS, may_wrap),
        );

        // Each task gets the memory of its buckets.
        let mut rest = words;
        let shares = shares.map(|buckets| {
            let room = (starts[buckets.end] - starts[buckets.start]) as usize * WORDS;
            let memory = rest.split_off_mut(..room).unwrap_or_default();
            (buckets, memory)
        });
        let arenas = &self.arenas;
        let shares = shares.zip(&mut self.sorted);
        run_each(executor, shares, |_, ((buckets, memory), leaves)| {
            leaves.clear();
            let base = starts[buckets.start];
            arenas.with(|arena| {
                let mut scratch = SortScratch::new(arena, largest, WORDS, may_wrap);
                for bucket in buckets {
                    // Most buckets are empty where rows are few or the crowd is uneven.
                    if filled.count(bucket) == 0 {
                        continue;
                    }
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
                        &filled.runs_of(bucket, start)[..filled.parts()],
                        &mut scratch,
                        leaves,
                    );
                }
            });
        });
        leaves.clear();
        for found in &mut self.sorted[..tasks] {
            leaves.append(found);
        }
    }
}
