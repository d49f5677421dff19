//! The passes of an update and of a query, compiled for each instruction set.

use crate::sides::Corners;
use crate::strips::gather::{Reach, gather_reached};
use crate::strips::partition::{Part, Pass, WORDS};
use crate::strips::sort::{Columns, SortScratch, sort_bucket};
use std::ops::Range;
use throng_core::lanes::{Kernel, Lanes};
use throng_core::{Arena, BoxRun, Simd};

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
    fn run<L: Lanes>(self, _: L) -> f32 {
        let Self {
            records,
            runs,
            scratch,
            sorted,
        } = self;
        sort_bucket(records, runs, scratch, sorted)
    }
}

/// Appends those copies that touch the window and are to be reported from their slot.
pub(crate) fn gather<'a>(
    simd: Simd,
    reach: &Reach<'_>,
    window: &Corners,
    arena: &'a Arena,
    found: &mut BoxRun<'a>,
) {
    simd.run(Gather {
        reach,
        window,
        arena,
        found,
    });
}

struct Gather<'g, 'a> {
    reach: &'g Reach<'g>,
    window: &'g Corners,
    arena: &'a Arena,
    found: &'g mut BoxRun<'a>,
}

impl Kernel for Gather<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        gather_reached(self.reach, self.window, self.arena, self.found);
    }
}
