//! The memory of the partition.

use std::ops::Range;

use educe::Educe;

use super::part::Part;
use super::pass::{GROUP, Pass, Placement};
use crate::executor::Executor;
use crate::run_each::run_each;
use crate::shared::as_atomics;

/// How many rows make another part, with its own run in every bucket, worthwhile.
const ROWS_PER_PART: usize = 4096;
/// Parts are of whole words of a bit set of rows, and of whole groups, or their number would change what is in a group.
const ROWS_PER_WORD: usize = u64::BITS as usize;
const _: () = assert!(ROWS_PER_WORD.is_multiple_of(GROUP));
/// The most parts: more would make the runs short.
pub const MOST_PARTS: usize = 16;

/// Rows in buckets: their records, and what was noted about them. See the [module](super).
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub struct Partition<N> {
    parts: Vec<Part<N>>,
    words: Vec<u32>,
    /// Where each bucket begins, in records; the last element is the end.
    starts: Vec<u32>,
    rejected: Vec<u32>,
}

impl<N: Default + Send> Partition<N> {
    /// Puts a record of `WORDS` words for each of `rows` rows into each of its buckets. Returns whether that took a
    /// second pass.
    ///
    /// `run` must call [`Pass::run`], from a function compiled for the instruction set in use.
    pub fn fill<const WORDS: usize, P: Placement<WORDS, Notes = N>>(
        &mut self,
        placement: P,
        rows: usize,
        buckets: usize,
        executor: &dyn Executor,
        run: impl Fn(&Pass<'_, P>, &mut Part<N>) + Sync,
    ) -> bool {
        self.cut_rows(rows, buckets, executor.threads());
        let mut repeated = false;
        loop {
            self.make_room(buckets, P::ROOM_FOR_NONE);
            let records = self.starts.last().map_or(0, |&end| end as usize);
            fit_words(&mut self.words, records * WORDS);
            let pass = Pass {
                placement,
                words: as_atomics(&mut self.words),
            };
            run_each(executor, &mut self.parts, |_, part| run(&pass, part));
            if !self.parts.iter().any(|part| part.has_overflowed) {
                break;
            }
            // The counts are now exact, so the second pass fits.
            repeated = true;
        }
        self.rejected.clear();
        for part in &self.parts {
            self.rejected.extend(&part.rejected);
        }
        repeated
    }

    /// Cuts the rows into one part per worker, or less if they are few.
    fn cut_rows(&mut self, rows: usize, buckets: usize, threads: usize) {
        let parts = (rows / ROWS_PER_PART + 1).min(threads).clamp(1, MOST_PARTS);
        // Counts of other buckets, or of other parts, tell nothing about these.
        if self.parts.len() != parts || self.parts[0].starts.len() != buckets {
            self.parts.clear();
            self.parts.resize_with(parts, || Part::new(buckets));
        }
        let share = rows.div_ceil(parts).next_multiple_of(ROWS_PER_WORD);
        for (index, part) in self.parts.iter_mut().enumerate() {
            let first = (index * share).min(rows);
            part.rows = first as u32..(first + share).min(rows) as u32;
        }
    }

    /// Gives every part room in every bucket for what it counted last time. Part by part, so that it vectorizes: bucket by bucket,
    /// with sixteen parts, it took as long as a part takes to be filled.
    fn make_room(&mut self, buckets: usize, for_none: u32) {
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for part in &mut self.parts {
            part.plan_rooms(for_none, &mut self.starts[..buckets]);
        }
        let mut at = 0;
        for start in &mut self.starts {
            at += std::mem::replace(start, at);
        }
        let mut before = &self.starts[..buckets];
        for part in &mut self.parts {
            part.begin_at(before);
            before = &part.ends;
        }
    }
}

impl<N> Partition<N> {
    /// Forgets all counts, which do not fit other buckets.
    pub fn forget_counts(&mut self) {
        self.parts.clear();
    }

    /// Forgets which rows were rejected.
    pub fn forget_rejected(&mut self) {
        self.rejected.clear();
    }

    /// Rows that could not be held when the buckets were last filled, ascending.
    pub fn rejected(&self) -> &[u32] {
        &self.rejected
    }

    /// The same, for whoever changes records after the buckets were filled. To be kept ascending.
    pub fn rejected_mut(&mut self) -> &mut Vec<u32> {
        &mut self.rejected
    }

    /// How many rows were held when the buckets were last filled: all that were neither disabled nor rejected.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.held as usize).sum()
    }

    /// What was noted about each part.
    pub fn notes(&self) -> impl Iterator<Item = &N> {
        self.parts.iter().map(|part| &part.notes)
    }

    /// The buckets' memory.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The buckets' memory, which may be made longer: what is behind the [end](Self::end) is nobody's.
    pub fn words_mut(&mut self) -> &mut Vec<u32> {
        &mut self.words
    }

    /// Where the room of the last bucket ends, in records.
    pub fn end(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The buckets' memory, and where the records are in it.
    pub fn filled_mut(&mut self) -> (Filled<'_, N>, &mut [u32]) {
        let filled = Filled {
            parts: &self.parts,
            starts: &self.starts,
        };
        (filled, &mut self.words)
    }

    /// Bytes of the records, including slack.
    pub fn record_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }

    /// Bytes of everything else.
    pub fn scratch_bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Part::memory_bytes).sum();
        parts + (self.starts.capacity() + self.rejected.capacity()) * size_of::<u32>()
    }
}

/// Which records are in which buckets.
#[derive(Debug)]
pub struct Filled<'a, N> {
    parts: &'a [Part<N>],
    starts: &'a [u32],
}

impl<'a, N> Filled<'a, N> {
    /// Where the room of each bucket begins, in records; the last element is the end.
    pub fn starts(&self) -> &'a [u32] {
        self.starts
    }

    /// How many runs of records a bucket has.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The runs of a bucket, in records after `from`: as many as there are parts, followed by empty ones.
    #[inline]
    pub fn runs_of(&self, bucket: usize, from: u32) -> [Range<usize>; MOST_PARTS] {
        std::array::from_fn(|part| {
            let part = self.parts.get(part);
            part.map_or(0..0, |part| part.run_of(bucket, from))
        })
    }

    /// How many records a bucket holds.
    pub fn count(&self, bucket: usize) -> u32 {
        self.parts.iter().map(|part| part.count(bucket)).sum()
    }
}

/// Makes `words` long enough, and not many times longer. May lose its contents.
pub fn fit_words(words: &mut Vec<u32>, needed: usize) {
    if words.len() < needed || words.len() / 4 > needed {
        // A little more, so that a slowly growing count does not reallocate each time.
        *words = Vec::new();
        words.resize(needed + needed / 32, 0);
    }
}
