//! The memory of an update: the records of every bucket, and the sorted columns of every strip.

use super::kernels;
use super::layers::{Layers, MOST_LAYERS};
use super::partition::{BoxPlacement, ROW, WORDS};
use super::sort::SortScratch;
use educe::Educe;
use std::ops::Range;
use throng_core::buckets::{Partition, even_shares, fit_words};
use throng_core::lanes::HitRoom;
use throng_core::{Boxes, Executor, FrameArenas, LANES, Simd, Spare, run_each};

/// All buckets of the strips: unsorted, as in the [`Partition`], and sorted.
///
/// ```text
/// sorted:    │ NaN × 16 │ slot 0: bucket 0 ┆ bucket 1 ┆ NaN × 16 │ slot 1: … │ …    left sides
///            │          │ slot 0: bucket 0 ┆ bucket 1 ┆          │ slot 1: … │ …    lower sides
///            │                                                                │ …    right, upper, row words
///            └ column k begins at k · stride
/// ```
///
/// Every empty slot is said to start at 0, where there is nothing but sentinels.
///
/// Sorting is not in place, which takes twice the memory: in the memory of the records, a strip's columns would have
/// gaps after every bucket, and every search would have to put them together again.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(crate) struct Buckets {
    partition: Partition<()>,
    sorted: Vec<u32>,
    stride: usize,
    slots: Vec<Slot>,
    in_layer: [u32; MOST_LAYERS],
    /// Where each bucket's sorted run begins; the last element is the end.
    starts: Vec<u32>,
    /// The width of the widest box in each bucket.
    widest: Vec<f32>,
    arenas: Spare<FrameArenas>,
}

/// A slot of a layer: the strips that share the same buckets, as one run of copies. Sorted by left side; by lower side
/// in the transposed layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub layer: u32,
    pub start: u32,
    pub len: u32,
    /// At least the width, as stored, of every box in it.
    pub widest: f32,
    /// Whether boxes are stored with x and y swapped.
    pub transposed: bool,
}

/// How many words follow the last row of [`Copies`], with any value: a sweep reads that far.
pub(crate) const ROWS_BEHIND: usize = HitRoom::MEMBERS;

/// Copies of boxes, sorted by left side as stored. After the last one follow [`LANES`] more elements: later copies of
/// the slot, or NaN at its end, which is never less than or equal to anything. After the last row follow [`ROWS_BEHIND`] words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies<'a> {
    pub len: usize,
    pub min_x: &'a [f32],
    pub min_y: &'a [f32],
    pub max_x: &'a [f32],
    pub max_y: &'a [f32],
    /// Rows, including [`BEGINS_HERE`](super::partition::BEGINS_HERE) bits.
    pub rows: &'a [u32],
}

impl<'a> Copies<'a> {
    /// A range of them.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let cut = range.start..range.end + LANES;
        let rows = range.start..range.end + ROWS_BEHIND;
        Self {
            len: range.len(),
            min_x: &self.min_x[cut.clone()],
            min_y: &self.min_y[cut.clone()],
            max_x: &self.max_x[cut.clone()],
            max_y: &self.max_y[cut],
            rows: &self.rows[rows],
        }
    }

    /// The same with x and y as in the boxes; transposed copies are then no longer sorted by left side.
    #[inline]
    pub fn untransposed(self, transposed: bool) -> Self {
        if !transposed {
            return self;
        }
        Self {
            min_x: self.min_y,
            min_y: self.min_x,
            max_x: self.max_y,
            max_y: self.max_x,
            ..self
        }
    }

    #[inline(always)]
    pub fn corners(&self, k: usize) -> [[f32; 2]; 2] {
        [
            [self.min_x[k], self.min_y[k]],
            [self.max_x[k], self.max_y[k]],
        ]
    }
}

impl Buckets {
    pub fn rejected(&self) -> &[u32] {
        self.partition.rejected()
    }

    /// The slots of every layer, layer by layer.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// How many copies a layer holds.
    pub fn copies_in_layer(&self, layer: usize) -> usize {
        self.in_layer[layer] as usize
    }

    /// How many rows were held, that is, neither disabled nor rejected, when they were last distributed.
    pub fn rows(&self) -> usize {
        self.partition.rows()
    }

    /// The copies of a slot, as stored.
    #[inline]
    pub fn copies(&self, slot: &Slot) -> Copies<'_> {
        let column = |word: usize| {
            let start = word * self.stride + slot.start as usize;
            &self.sorted[start..start + slot.len as usize + LANES]
        };
        let rows = (WORDS - 1) * self.stride + slot.start as usize;
        Copies {
            len: slot.len as usize,
            min_x: bytemuck::cast_slice(column(0)),
            min_y: bytemuck::cast_slice(column(1)),
            max_x: bytemuck::cast_slice(column(2)),
            max_y: bytemuck::cast_slice(column(3)),
            rows: &self.sorted[rows..rows + slot.len as usize + ROWS_BEHIND],
        }
    }

    /// Forgets the counts of the last build, which do not fit new layers.
    pub fn forget_counts(&mut self) {
        self.partition.forget_counts();
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.in_layer = [0; MOST_LAYERS];
        self.partition.forget_rejected();
    }

    /// Bytes of the unsorted records, of the sorted columns, and of the rest.
    pub fn memory_bytes(&self) -> [usize; 3] {
        let words = |words: &Vec<u32>| words.capacity() * size_of::<u32>();
        let rest = self.partition.scratch_bytes()
            + words(&self.starts)
            + self.widest.capacity() * size_of::<f32>()
            + self.slots.capacity() * size_of::<Slot>()
            + self.arenas.memory_bytes();
        let records = self.partition.record_bytes();
        [records, words(&self.sorted), rest]
    }

    /// Appends the copies of every row to their buckets.
    pub fn distribute(
        &mut self,
        boxes: Boxes<'_>,
        layers: &Layers,
        simd: Simd,
        executor: &dyn Executor,
    ) {
        let placement = BoxPlacement::new(boxes, layers);
        let (rows, buckets) = (boxes.len(), layers.buckets());
        self.partition
            .fill::<WORDS, _>(placement, rows, buckets, executor, |pass, part| {
                kernels::partition(simd, pass, part)
            });
    }

    /// Replaces the number of each box, which is its place in the columns, by `rows[place]`. To do this in the records, as the grid
    /// does, would save this pass, a twentieth of an update, but cost a test for each record.
    pub fn name_rows(&mut self, rows: &[u32]) {
        let [.., words] = columns_of(&mut self.sorted, self.stride);
        for slot in &self.slots {
            for word in &mut words[slot.start as usize..][..slot.len as usize] {
                *word = rows[(*word & ROW) as usize] | (*word & !ROW);
            }
        }
        for rejected in self.partition.rejected_mut() {
            *rejected = rows[*rejected as usize];
        }
    }

    /// Sorts every bucket into its slot's columns.
    pub fn sort(&mut self, layers: &Layers, simd: Simd, executor: &dyn Executor) {
        self.list_slots(layers);
        let (filled, records) = self.partition.filled_mut();
        let (records, _) = records.as_chunks::<WORDS>();
        let starts = &self.starts[..];
        let room_of = |bucket: usize| (starts[bucket + 1] - starts[bucket]) as usize;
        let largest = |buckets: Range<usize>| buckets.map(room_of).max().unwrap_or(0);
        let shares = even_shares(starts);
        self.arenas.prepare(
            executor.threads().min(shares.len()),
            SortScratch::bytes(largest(0..starts.len() - 1)),
        );

        // Each task gets the memory that its buckets are sorted into.
        let mut rest = columns_of(&mut self.sorted, self.stride);
        fill_with_sentinels(&mut split_off(&mut rest, LANES));
        let mut rest_of_widest = &mut self.widest[..];
        let shares = shares.map(|buckets| {
            let room = (starts[buckets.end] - starts[buckets.start]) as usize;
            let widest = rest_of_widest.split_off_mut(..buckets.len());
            let columns = split_off(&mut rest, room);
            (buckets, columns, widest.unwrap_or_default())
        });
        let arenas = &self.arenas;
        run_each(executor, shares, |_, (buckets, mut columns, widest)| {
            arenas.with(|arena| {
                let mut scratch = SortScratch::new(arena, largest(buckets.clone()));
                for (bucket, widest) in buckets.zip(widest) {
                    // Where boxes are few, most buckets are empty: all of those in all but one or two layers.
                    if room_of(bucket) == 0 {
                        continue;
                    }
                    let runs = &filled.runs_of(bucket, 0)[..filled.parts()];
                    let count = runs.iter().map(Range::len).sum();
                    let mut room = split_off(&mut columns, room_of(bucket));
                    let sorted = split_off(&mut room, count);
                    *widest = kernels::sort(simd, records, runs, &mut scratch, sorted);
                    // At the end of a slot, what is left is for sentinels.
                    fill_with_sentinels(&mut room);
                }
            });
        });
        let mut bucket = 0;
        for slot in &mut self.slots {
            let blocks = 1 << layers.as_slice()[slot.layer as usize].block_bits;
            slot.widest = self.widest[bucket..bucket + blocks]
                .iter()
                .fold(0.0, |a, &b| a.max(b));
            bucket += blocks;
        }
    }

    /// Sets where the sorted runs of the slots are, in bucket order.
    fn list_slots(&mut self, layers: &Layers) {
        self.slots.clear();
        self.starts.clear();
        self.in_layer = [0; MOST_LAYERS];
        let (filled, _) = self.partition.filled_mut();
        let mut at = LANES as u32;
        let mut bucket = 0;
        for (layer, shape) in (0_u32..).zip(layers.as_slice()) {
            for _ in 0..shape.slots() {
                let start = at;
                for _ in 0..1 << shape.block_bits {
                    self.starts.push(at);
                    at += filled.count(bucket);
                    bucket += 1;
                }
                let len = at - start;
                self.slots.push(Slot {
                    layer,
                    start: if len > 0 { start } else { 0 },
                    len,
                    widest: 0.0,
                    transposed: shape.transposed(),
                });
                self.in_layer[layer as usize] += len;
                if len > 0 {
                    at += LANES as u32;
                }
            }
        }
        self.starts.push(at);
        self.stride = at as usize;
        fit_words(&mut self.sorted, self.stride * WORDS + ROWS_BEHIND - LANES);
        self.widest.clear();
        self.widest.resize(bucket, 0.0);
    }
}

/// Fills the sides in these columns with what is never less than or equal to anything.
fn fill_with_sentinels(columns: &mut [&mut [u32]; WORDS]) {
    for side in &mut columns[..4] {
        side.fill(f32::NAN.to_bits());
    }
}

/// Splits `words` into columns.
fn columns_of(words: &mut [u32], stride: usize) -> [&mut [u32]; WORDS] {
    let mut rest = words;
    std::array::from_fn(|_| rest.split_off_mut(..stride).unwrap_or_default())
}

/// Splits off the first elements of every column.
#[inline(always)]
fn split_off<'a>(columns: &mut [&'a mut [u32]; WORDS], count: usize) -> [&'a mut [u32]; WORDS] {
    columns
        .each_mut()
        .map(|column| column.split_off_mut(..count).unwrap_or_default())
}
