//! The first pass of an update: every box is appended to the buckets of the strips it touches.
//!
//! There is no counting pass. Each bucket is given last update's count and some slack. A copy too many is
//! appended all the same, over a neighbour's records: nothing is asked in the inner loop, and a pass that
//! overflowed has counted every bucket exactly for its own repetition. The first update is nothing special:
//! every bucket starts with room for a few.
//!
//! The input is cut into as many parts as there are workers, each with its own run of every bucket, and
//! a bucket's runs lie side by side in part order. Parts are ascending ranges of whole groups of rows, so
//! what is in a bucket, read from left to right, does not depend on how many parts there were.

use super::layers::{Layer, Layers, MOST_CROSSED};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use throng_core::{Boxes, prefetch_for_writing};

/// Rows compared and converted at a time.
const GROUP: usize = 32;
const ALL_LANES: u32 = u32::MAX;
const _: () = assert!(GROUP == u32::BITS as usize);

/// How far ahead of an append its bucket's memory is asked for, in records. It is asked for twice: then,
/// to come from wherever it is, and shortly before the append, because thousands of appends to other buckets
/// lie between the two and the first cache does not hold that much.
const PREFETCH_AHEAD: u32 = 5;

/// Words in a record: left, lower, right and upper side (lower, left, upper and right where boxes lie across),
/// and the row with its [`BEGINS_HERE`] bit.
pub(crate) const WORDS: usize = 5;

/// Set in the row word of the copy that lies in the strip of the box's lower side: every box has exactly
/// one such copy. Kept rather than worked out later, so that the arithmetic that chose the strips is
/// done once.
pub(crate) const BEGINS_HERE: u32 = 1 << 31;
/// The bits of a row word that are the row.
pub(crate) const ROW: u32 = !BEGINS_HERE;

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
    pub rejected: Vec<u32>,
    /// Rows that have copies.
    pub held: u32,
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
    #[inline]
    pub fn make_room(&mut self, bucket: usize, start: u32) -> u32 {
        let end = start + Self::capacity_for(self.count(bucket));
        self.starts[bucket] = start;
        self.cursors[bucket] = start;
        self.ends[bucket] = end;
        end
    }

    /// The part's run of a bucket, in records.
    #[inline]
    pub fn run_of(&self, bucket: usize) -> Range<usize> {
        self.starts[bucket] as usize..self.cursors[bucket] as usize
    }

    /// How many copies the last pass found for a bucket, whether or not they fitted.
    #[inline]
    pub fn count(&self, bucket: usize) -> u32 {
        self.cursors[bucket] - self.starts[bucket]
    }

    pub fn overflowed(&self) -> bool {
        let mut runs = self.cursors.iter().zip(&self.ends);
        runs.any(|(next, end)| next > end)
    }

    pub fn memory_bytes(&self) -> usize {
        let lists = [&self.starts, &self.cursors, &self.ends, &self.rejected];
        let words: usize = lists.iter().map(|list| list.capacity()).sum();
        words * size_of::<u32>()
    }

    /// Room for `last` copies to come back, give or take what Poisson noise and motion change.
    fn capacity_for(last: u32) -> u32 {
        if last == 0 {
            2
        } else {
            last + last / 32 + (1.5 * (last as f32).sqrt()) as u32 + 8
        }
    }
}

/// What all parts of a pass share.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    pub boxes: Boxes<'a>,
    pub layers: &'a Layers,
    /// The buckets' memory. Parts write disjoint ranges of it; atomics let them do so in safe code, and
    /// a relaxed store is an ordinary store to the machine.
    pub words: &'a [AtomicU32],
}

/// A group of boxes and where they go in the lowest layer.
struct Group<'a> {
    sides: [&'a [f32; GROUP]; 4],
    first_row: u32,
    first_strip: [i32; GROUP],
    crossed: [u32; GROUP],
    /// The first strip's bucket, and the block.
    buckets: [u32; GROUP],
    blocks: [u32; GROUP],
    /// Lanes that the lowest layer takes, as bits. It asks for no least height.
    fits: u32,
    /// Lanes that cross a border.
    crosses: u32,
}

impl Pass<'_> {
    /// Appends the part's rows to its buckets. Inlined into a function per instruction set.
    #[inline(always)]
    pub fn run(&self, part: &mut Part) {
        part.rejected.clear();
        part.held = part.rows.len() as u32;
        let rows = part.rows.start as usize..part.rows.end as usize;
        let [x0, y0, x1, y1] = self.boxes.columns();
        let (x0, x_rest) = x0[rows.clone()].as_chunks::<GROUP>();
        let (y0, _) = y0[rows.clone()].as_chunks::<GROUP>();
        let (x1, _) = x1[rows.clone()].as_chunks::<GROUP>();
        let (y1, _) = y1[rows].as_chunks::<GROUP>();
        let lowest = self.layers.as_slice()[0];
        let mut row = part.rows.start;
        for (((x0, y0), x1), y1) in x0.iter().zip(y0).zip(x1).zip(y1) {
            let sides = [x0, y0, x1, y1];
            if lowest.has_strips() & all_sound(sides) & self.are_present(row as usize) {
                let group = Group::place(&lowest, sides, row);
                self.append_group(part, &lowest, &group);
            } else {
                (row..row + GROUP as u32).for_each(|row| self.append_checked(part, row));
            }
            row += GROUP as u32;
        }
        (row..row + x_rest.len() as u32).for_each(|row| self.append_checked(part, row));
    }

    /// First everybody's first copy, which most boxes' only one is, and then the others: a loop per box
    /// would be mispredicted for each that has two.
    #[inline(always)]
    fn append_group(&self, part: &mut Part, lowest: &Layer, group: &Group<'_>) {
        for &bucket in &group.buckets {
            let next = part.cursors[bucket as usize] as usize;
            prefetch_for_writing(self.words, next * WORDS);
        }
        if group.fits == ALL_LANES {
            let cursors = &mut part.cursors[..];
            for lane in 0..GROUP {
                let row = group.row(lane) | BEGINS_HERE;
                self.append(cursors, group.buckets[lane], group.record(lane, row));
            }
        } else {
            for lane in 0..GROUP {
                if group.fits >> lane & 1 == 1 {
                    let row = group.row(lane) | BEGINS_HERE;
                    self.append(
                        &mut part.cursors,
                        group.buckets[lane],
                        group.record(lane, row),
                    );
                } else {
                    self.append_anywhere(part, group.row(lane));
                }
            }
        }
        let mut crosses = group.crosses & group.fits;
        while crosses != 0 {
            let lane = crosses.trailing_zeros() as usize & (GROUP - 1);
            crosses &= crosses - 1;
            for crossed in 1..=group.crossed[lane] {
                let strip = group.first_strip[lane].wrapping_add(crossed as i32);
                let bucket = lowest.bucket(strip, group.blocks[lane]);
                let record = group.record(lane, group.row(lane));
                self.append(&mut part.cursors, bucket, record);
            }
        }
    }

    /// The same for one row that may be absent or unsound.
    #[inline(never)]
    fn append_checked(&self, part: &mut Part, row: u32) {
        if !self.boxes.is_present(row as usize) {
            part.held -= 1;
        } else if self.boxes.is_sound(row as usize) {
            self.append_anywhere(part, row);
        } else {
            part.held -= 1;
            part.rejected.push(row);
        }
    }

    /// Appends a box to the strips it touches in the layer that takes it.
    #[inline(never)]
    fn append_anywhere(&self, part: &mut Part, row: u32) {
        let [min, max] = self.boxes.corners(row as usize);
        let (layer, place) = self.layers.place([min, max]);
        let layer = &self.layers.as_slice()[layer];
        let [x, y] = if layer.lies_across() { [1, 0] } else { [0, 1] };
        let sides = [min[x], min[y], max[x], max[y]].map(f32::to_bits);
        for strip in place.first..=place.last {
            let begins = if strip == place.first { BEGINS_HERE } else { 0 };
            let record = [sides[0], sides[1], sides[2], sides[3], row | begins];
            self.append(&mut part.cursors, layer.bucket(strip, place.block), record);
        }
    }

    #[inline(always)]
    fn append(&self, cursors: &mut [u32], bucket: u32, values: [u32; WORDS]) {
        let cursor = &mut cursors[bucket as usize];
        let at = *cursor;
        *cursor = at + 1;
        let (records, _) = self.words.as_chunks::<WORDS>();
        if let Some(record) = records.get(at as usize) {
            for word in 0..WORDS {
                record[word].store(values[word], Relaxed);
            }
            prefetch_for_writing(self.words, (at + PREFETCH_AHEAD) as usize * WORDS);
        }
    }

    /// Whether all rows of a group are present.
    #[inline(always)]
    fn are_present(&self, first: usize) -> bool {
        // Spelled out rather than with closures, which would not be inlined into the vector code.
        match self.boxes.absent() {
            Some(absent) => {
                let end = absent.len().min(first + GROUP);
                first >= end || !absent.contains_any_in_range(first..end)
            }
            None => true,
        }
    }
}

impl<'a> Group<'a> {
    #[inline(always)]
    fn place(lowest: &Layer, sides: [&'a [f32; GROUP]; 4], first_row: u32) -> Self {
        let [x0, y0, x1, y1] = sides;
        let strips = lowest.strips;
        // A loop for each array, so that every one of them becomes a few vector instructions.
        let mut first_strip = [0; GROUP];
        let mut crossed = [0; GROUP];
        let mut blocks = [0; GROUP];
        let mut buckets = [0; GROUP];
        for lane in 0..GROUP {
            first_strip[lane] = strips.cell(y0[lane]);
        }
        for lane in 0..GROUP {
            crossed[lane] = strips.cell(y1[lane]).wrapping_sub(first_strip[lane]) as u32;
        }
        for lane in 0..GROUP {
            blocks[lane] = lowest.block(x0[lane]);
        }
        for lane in 0..GROUP {
            buckets[lane] = lowest.bucket(first_strip[lane], blocks[lane]);
        }
        let (mut fits, mut crosses) = (0, 0);
        for lane in 0..GROUP {
            let narrow = x1[lane] - x0[lane] <= lowest.widest;
            let fit = narrow & (crossed[lane] <= MOST_CROSSED as u32);
            fits |= u32::from(fit) << lane;
        }
        for (lane, &crossed) in crossed.iter().enumerate() {
            crosses |= u32::from(crossed > 0) << lane;
        }
        Self {
            sides,
            first_row,
            first_strip,
            crossed,
            buckets,
            blocks,
            fits,
            crosses,
        }
    }

    #[inline(always)]
    fn row(&self, lane: usize) -> u32 {
        self.first_row + lane as u32
    }

    #[inline(always)]
    fn record(&self, lane: usize, row: u32) -> [u32; WORDS] {
        let [x0, y0, x1, y1] = self.sides;
        let bits = |side: &[f32; GROUP]| side[lane].to_bits();
        [bits(x0), bits(y0), bits(x1), bits(y1), row]
    }
}

/// Whether all of a group are boxes, as [`Boxes::is_sound`] has it.
#[inline(always)]
fn all_sound([x0, y0, x1, y1]: [&[f32; GROUP]; 4]) -> bool {
    let mut sound = true;
    for lane in 0..GROUP {
        sound &= (x0[lane] <= x1[lane]) & (y0[lane] <= y1[lane]);
        sound &= (x0[lane] < f32::INFINITY) & (y0[lane] < f32::INFINITY);
        sound &= (x1[lane] > f32::NEG_INFINITY) & (y1[lane] > f32::NEG_INFINITY);
    }
    sound
}
