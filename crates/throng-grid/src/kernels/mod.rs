//! The inner loops, once per instruction set, and the one place that chooses among them.
//!
//! | loop | does |
//! |---|---|
//! | `partition` | appends rows to buckets |
//! | `sort` | sorts a bucket by column |
//! | `pick` | picks the centres that can touch a window |
//! | `touching` | makes boxes of the centres whose boxes touch a window |
//! | `sweep` | all overlapping pairs of a run with itself |
//! | `join` | all overlapping pairs of two runs |
//! | `probe` | all overlapping pairs of a piece where it lies with boxes of any size |
//!
//! The first two are plain Rust compiled for each instruction set; the others are written with
//! intrinsics, and [`scalar`] is their readable twin and the reference in every test. All of them walk
//! the same sixteen logical lanes and emit pairs in the same order.
#![allow(
    unsafe_code,
    reason = "calling a function compiled for an instruction set that was detected"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod scalar;

use crate::layout::Layout;
use crate::leaf::{Bounds, Leaf};
use crate::partition::{COARSE_WORDS, EXACT_WORDS, Part, Pass};
use crate::probe::Probe;
use crate::run::{Centers, Run, RunView};
use crate::sort::{Bucket, SortScratch};
use std::ops::Range;
use throng_core::{BoxRun, Masks, PairBuffer, PairOrder, RowMasks, SimdLevel};

/// What `pick` asks: does a box of the bound touch a window along y? Own boxes are no larger, so what is
/// turned away cannot touch it.
#[derive(Clone, Copy, Debug)]
struct HeightTest {
    half_height: f32,
    window: [f32; 2],
    /// How many words ahead the centres begin that are likely to be picked from next.
    ahead: usize,
}

/// An instruction set that this machine has. Only [`Kernels::new`] makes one, so holding it is the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernels(SimdLevel);

/// Calls the named function of the chosen instruction set.
macro_rules! dispatch {
    ($self:ident, $($call:tt)*) => {
        match $self.0 {
            // SAFETY: `Kernels::new` accepts a level only if the machine was found to have it.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512::$($call)* },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { avx2::$($call)* },
            _ => scalar::$($call)*,
        }
    };
}

impl Kernels {
    /// The level asked for, or the best there is; `None` if the machine lacks what was asked for.
    pub fn new(level: Option<SimdLevel>) -> Option<Self> {
        let level = level.unwrap_or_else(SimdLevel::detect);
        level.is_available().then_some(Self(level))
    }

    pub fn level(self) -> SimdLevel {
        self.0
    }

    pub fn partition<const WORDS: usize>(self, pass: &Pass<'_>, part: &mut Part) {
        dispatch!(self, partition::<WORDS>(pass, part))
    }

    pub fn sort<const WORDS: usize>(
        self,
        layout: &Layout,
        bucket: Bucket<'_>,
        runs: &[Range<usize>],
        scratch: &mut SortScratch<'_>,
        leaves: &mut Vec<Leaf>,
    ) {
        dispatch!(self, sort::<WORDS>(layout, bucket, runs, scratch, leaves))
    }

    /// Appends those centres whose boxes of the bound touch the window along y; there is room for all.
    pub fn pick(self, centers: &Centers<'_>, window: [f32; 2], run: &mut Run<'_>) {
        assert!(run.has_room(centers.len()), "the caller has made room");
        run.len = if centers.own.is_some() {
            self.pick_columns::<EXACT_WORDS>(centers, window, run)
        } else {
            self.pick_columns::<COARSE_WORDS>(centers, window, run)
        };
    }

    fn pick_columns<const COLUMNS: usize>(
        self,
        centers: &Centers<'_>,
        window: [f32; 2],
        run: &mut Run<'_>,
    ) -> usize {
        let test = HeightTest {
            half_height: centers.bound[1],
            window,
            ahead: centers.ahead,
        };
        let (kept, from) = (run.len, centers.columns::<COLUMNS>());
        dispatch!(
            self,
            pick(test, centers.ys, from, kept, run.columns_mut::<COLUMNS>())
        )
    }

    /// Appends the boxes that touch a window: own ones, or of the bound in a coarse grid. There is room for all.
    pub fn touching(self, centers: &Centers<'_>, window: &Bounds, found: &mut BoxRun<'_>) {
        assert!(found.has_room(centers.len()), "the caller has made room");
        let kept = found.len();
        let (sides, rows) = found.columns_mut();
        let len = if centers.own.is_some() {
            dispatch!(self, touching::<true>(centers, window, kept, sides, rows))
        } else {
            dispatch!(self, touching::<false>(centers, window, kept, sides, rows))
        };
        found.set_len(len);
    }

    /// Every overlapping pair of one of the first `own` boxes with a box behind it. Returns how many
    /// comparisons that took.
    pub fn sweep(self, run: &Run<'_>, own: usize, slack: f32, out: &mut PairBuffer<'_>) -> u64 {
        let (exact, masked, run) = (run.is_exact(), run.is_masked(), run.view());
        match (exact, masked) {
            (false, false) => dispatch!(self, sweep::<false, false>(run, own, slack, out)),
            (false, true) => dispatch!(self, sweep::<false, true>(run, own, slack, out)),
            (true, false) => dispatch!(self, sweep::<true, false>(run, own, slack, out)),
            (true, true) => dispatch!(self, sweep::<true, true>(run, own, slack, out)),
        }
    }

    /// Every overlapping pair of a row of the piece with one of the boxes, box after box. Returns how many
    /// comparisons that took.
    pub fn probe(
        self,
        probe: &Probe<'_>,
        boxes: &BoxRun<'_>,
        with: Probing<'_>,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        let masked = with.masks.iter().any(Option::is_some);
        match (probe.is_exact(), masked) {
            (false, false) => dispatch!(self, probe::<false, false>(probe, boxes, with, out)),
            (false, true) => dispatch!(self, probe::<false, true>(probe, boxes, with, out)),
            (true, false) => dispatch!(self, probe::<true, false>(probe, boxes, with, out)),
            (true, true) => dispatch!(self, probe::<true, true>(probe, boxes, with, out)),
        }
    }

    /// Every overlapping pair of a box of `left` with a box of `right`. Returns how many comparisons that
    /// took.
    pub fn join(
        self,
        left: &Run<'_>,
        right: &Run<'_>,
        slack: [f32; 2],
        order: PairOrder,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        debug_assert_eq!(left.is_masked(), right.is_masked());
        let (masked, left, right) = (left.is_masked(), left.view(), right.view());
        if masked {
            dispatch!(self, join::<true>(left, right, slack, order, out))
        } else {
            dispatch!(self, join::<false>(left, right, slack, order, out))
        }
    }
}

/// How a piece is probed: the masks of its rows and of the boxes', and which of the two comes first.
#[derive(Clone, Copy)]
pub(crate) struct Probing<'a> {
    pub masks: [Option<RowMasks<'a>>; 2],
    pub order: PairOrder,
}

/// Of the lanes in `hit`, those whose rows' masks agree with `theirs`. Fetched for hits alone: a piece has far
/// more rows than a few boxes touch.
#[inline(always)]
fn admitted(hit: u32, rows: &[u32], own: Option<RowMasks<'_>>, theirs: Masks) -> u32 {
    let (mut admitted, mut left) = (hit, hit);
    while left != 0 {
        let lane = left.trailing_zeros();
        left &= left - 1;
        let mine = masks_of(own, rows[lane as usize]);
        admitted &= !(u32::from(!mine.meets(theirs)) << lane);
    }
    admitted
}

/// The masks of a row; those of one without any meet everything that admits them.
#[inline(always)]
fn masks_of(masks: Option<RowMasks<'_>>, row: u32) -> Masks {
    masks.map_or(Masks::ALL, |masks| masks.get(row as usize))
}

/// Skips the boxes of `right`, from `first` on, that end left of `reach`. If nothing that is still to
/// come begins left of `reach`, they are done with for good.
#[inline(always)]
fn skip_before(right: &RunView<'_>, first: usize, reach: f32) -> usize {
    let mut first = first;
    while first < right.len && right.corners(first)[1][0] < reach {
        first += 1;
    }
    first
}

/// The rightmost right side of some boxes.
#[inline(always)]
fn furthest(run: &RunView<'_>, range: Range<usize>) -> f32 {
    range.fold(f32::NEG_INFINITY, |furthest, k| {
        furthest.max(run.corners(k)[1][0])
    })
}
