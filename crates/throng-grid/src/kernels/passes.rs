//! The passes of a build and of a mend, and of asking, compiled for each instruction set.

use crate::MovedRow;
use crate::ask::ReachedCells;
use crate::layout::Layout;
use crate::leaf::{Bounds, Leaf};
use crate::mend::{Columns, Mend};
use crate::partition::{Part, Pass, RowWords};
use crate::refit::{Refitted, list_strays, measure_leaf, refit_leaf};
use crate::row_word::RowWord;
use crate::sort::{Bucket, SortScratch, sort_bucket};
use crate::view::View;
use std::ops::Range;
use throng_core::Simd;
use throng_core::lanes::{Kernel, Lanes};

/// Appends a part's rows to its buckets.
pub(crate) fn partition<const WORDS: usize, W: RowWords>(
    simd: Simd,
    pass: &Pass<'_, W>,
    part: &mut Part,
) {
    simd.run(Partition::<WORDS, W> { pass, part });
}

struct Partition<'a, const WORDS: usize, W> {
    pass: &'a Pass<'a, W>,
    part: &'a mut Part,
}

impl<const WORDS: usize, W: RowWords> Kernel for Partition<'_, WORDS, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.pass.run::<WORDS>(self.part);
    }
}

/// Finds out which cells, and which x, boxes reach.
pub(crate) fn reached_cells(
    simd: Simd,
    view: &View<'_>,
    sides: [&[f32]; 4],
    cells: &mut ReachedCells<'_>,
) {
    simd.run(ReachCells { view, sides, cells });
}

struct ReachCells<'a, 'c> {
    view: &'a View<'a>,
    sides: [&'a [f32]; 4],
    cells: &'a mut ReachedCells<'c>,
}

impl Kernel for ReachCells<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.view.reach_cells(self.sides, self.cells);
    }
}

/// Sorts a bucket and appends its leaves.
pub(crate) fn sort<const WORDS: usize>(
    simd: Simd,
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    simd.run(Sort::<WORDS> {
        layout,
        bucket,
        runs,
        scratch,
        leaves,
    });
}

struct Sort<'a, 's, const WORDS: usize> {
    layout: &'a Layout,
    bucket: Bucket<'a>,
    runs: &'a [Range<usize>],
    scratch: &'a mut SortScratch<'s>,
    leaves: &'a mut Vec<Leaf>,
}

impl<const WORDS: usize> Kernel for Sort<'_, '_, WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self {
            layout,
            bucket,
            runs,
            scratch,
            leaves,
        } = self;
        sort_bucket::<WORDS, L>(lanes, layout, bucket, runs, scratch, leaves);
    }
}

/// Mends an index as far as its leaves go. Returns whether it did; see [`Mend::run`].
pub(crate) fn mend<const WORDS: usize>(
    simd: Simd,
    mend: &mut Mend<'_, WORDS>,
    moved: &[MovedRow],
    most_movers: usize,
) -> bool {
    simd.run(Mending::<WORDS> {
        mend,
        moved,
        most_movers,
    })
}

struct Mending<'a, 'g, const WORDS: usize> {
    mend: &'a mut Mend<'g, WORDS>,
    moved: &'a [MovedRow],
    most_movers: usize,
}

impl<const WORDS: usize> Kernel for Mending<'_, '_, WORDS> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        self.mend.run(self.moved, self.most_movers)
    }
}

/// Reads the rows of a leaf anew; see [`refit_leaf`].
pub(crate) fn refit(
    simd: Simd,
    words: &mut [u32],
    leaf: &Leaf,
    columns: &Columns<'_>,
    said: RowWord,
) -> Refitted {
    simd.run(Refit {
        words,
        leaf,
        columns,
        said,
    })
}

struct Refit<'a, 'c> {
    words: &'a mut [u32],
    leaf: &'a Leaf,
    columns: &'a Columns<'c>,
    said: RowWord,
}

impl Kernel for Refit<'_, '_> {
    type Output = Refitted;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Refitted {
        refit_leaf(self.words, self.leaf, self.columns, self.said)
    }
}

/// Measures a leaf whose rows have been read anew; see [`measure_leaf`].
pub(crate) fn measure(simd: Simd, centers: [&[f32]; 2]) -> Refitted {
    simd.run(Measure(centers))
}

struct Measure<'a>([&'a [f32]; 2]);

impl Kernel for Measure<'_> {
    type Output = Refitted;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Refitted {
        measure_leaf(self.0)
    }
}

/// Lists the rows of a leaf that have strayed; see [`list_strays`].
pub(crate) fn strays(
    simd: Simd,
    centers: [&[f32]; 2],
    near: &Bounds,
    far: f32,
    list: impl FnMut(usize),
) {
    simd.run(Strays {
        centers,
        near,
        far,
        list,
    });
}

struct Strays<'a, F> {
    centers: [&'a [f32]; 2],
    near: &'a Bounds,
    far: f32,
    list: F,
}

impl<F: FnMut(usize)> Kernel for Strays<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, _: L) {
        list_strays(self.centers, self.near, self.far, &mut self.list);
    }
}
