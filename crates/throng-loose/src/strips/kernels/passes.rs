//! The passes of an update and of a query, compiled for each instruction set.

use crate::strips::gather::Reach;
use crate::strips::partition::{Part, Pass, ROW, WORDS};
use crate::strips::sort::{Columns, SortScratch, sort_bucket};
use std::ops::Range;
use throng_core::lanes::{Kernel, Lanes, Sides, chunk, chunk_mut, lanes_below, overlapping};
use throng_core::{BoxRun, Corners, LANES, Simd};

/// Appends the boxes of the part to its buckets.
pub(crate) fn partition(simd: Simd, pass: &Pass<'_>, part: &mut Part) {
    simd.run(Partition { pass, part });
}

struct Partition<'a> {
    pass: &'a Pass<'a>,
    part: &'a mut Part,
}

impl Kernel for Partition<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.pass.run(self.part);
    }
}

/// Sorts a bucket. Returns the width of its widest box.
pub(crate) fn sort(
    simd: Simd,
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    sorted: Columns<'_>,
) -> f32 {
    simd.run(Sort {
        records,
        runs,
        scratch,
        sorted,
    })
}

struct Sort<'a, 's> {
    records: &'a [[u32; WORDS]],
    runs: &'a [Range<usize>],
    scratch: &'a mut SortScratch<'s>,
    sorted: Columns<'a>,
}

impl Kernel for Sort<'_, '_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f32 {
        let Self {
            records,
            runs,
            scratch,
            sorted,
        } = self;
        sort_bucket(lanes, records, runs, scratch, sorted)
    }
}

/// Appends those copies that touch the window and are to be reported from their slot. There must be room for all.
pub(crate) fn gather(simd: Simd, reach: &Reach<'_>, window: &Corners, found: &mut BoxRun<'_>) {
    assert!(found.has_room(reach.copies.len), "the caller makes room");
    let kept = found.len();
    let (mut sides, rows) = found.columns_mut();
    let len = simd.run(Gather {
        reach,
        window,
        kept,
        sides: &mut sides,
        rows,
    });
    found.set_len(len);
}

struct Gather<'g, 'f> {
    reach: &'g Reach<'g>,
    window: &'g Corners,
    kept: usize,
    sides: &'g mut [&'f mut [f32]; 4],
    rows: &'g mut [u32],
}

impl Kernel for Gather<'_, '_> {
    type Output = usize;

    /// Returns the end of the boxes.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self {
            reach,
            window,
            mut kept,
            sides,
            rows,
        } = self;
        let copies = &reach.copies;
        let from = [copies.min_x, copies.min_y, copies.max_x, copies.max_y];
        let (window, row) = (Sides::splat(lanes, *window), lanes.splat_words(ROW));
        for at in (0..copies.len).step_by(LANES) {
            let boxes = Sides::load(lanes, from, at);
            let hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, &window));
            // After the last copy there are more copies, or sentinels; both are ignored.
            let hit = hit & lanes_below(copies.len - at);
            if hit == 0 {
                continue;
            }
            let keep = reach.reported(hit, chunk(copies.min_y, at));
            boxes.store_kept(lanes, sides, kept, keep);
            let own_rows = lanes.and_words(lanes.load_words(chunk(copies.rows, at)), row);
            lanes.store_kept_words(chunk_mut(rows, kept), keep, own_rows);
            kept += keep.count_ones() as usize;
        }
        kept
    }
}
