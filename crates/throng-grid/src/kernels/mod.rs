//! The inner loops, once per instruction set, and the one place that chooses among them.
//!
//! | loop | does |
//! |---|---|
//! | `partition` | appends rows to buckets |
//! | `sort` | sorts a bucket by column |
//! | `fill` | turns centres into boxes |
//! | `pick` | picks the centres that can touch a window |
//! | `sweep` | all overlapping pairs of a run with itself |
//! | `join` | all overlapping pairs of two runs |
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
use crate::leaf::Leaf;
use crate::pair_buffer::PairBuffer;
use crate::partition::{Part, Pass};
use crate::run::{Centers, Picked, Run};
use crate::sort::{Bucket, SortScratch};
use std::ops::Range;
use throng_core::SimdLevel;

/// Which member of a pair comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOrder {
    /// The lower row: both come from one grid.
    LowerRow,
    /// The one from the left run.
    Left,
    /// The one from the right run.
    Right,
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
        match level {
            None => Some(Self(SimdLevel::detect())),
            Some(level) => SimdLevel::available()
                .contains(&level)
                .then_some(Self(level)),
        }
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

    /// Appends the boxes of `centers` to `run`, which has room for them and is of the same kind.
    pub fn fill(self, run: &mut Run<'_>, centers: &Centers<'_>) {
        assert!(run.has_room(centers.rows.len()), "the caller has made room");
        if centers.is_exact() {
            dispatch!(self, fill::<true>(run, centers))
        } else {
            dispatch!(self, fill::<false>(run, centers))
        }
    }

    /// Picks those of up to a stretch of centres whose boxes of the bound touch the window along y.
    pub fn pick(self, centers: &Centers<'_>, window: [f32; 2], picked: &mut Picked<'_>) {
        assert!(centers.rows.len() <= Picked::STRETCH, "a stretch at a time");
        if centers.is_exact() {
            dispatch!(self, pick::<true>(centers, window, picked))
        } else {
            dispatch!(self, pick::<false>(centers, window, picked))
        }
    }

    /// Every overlapping pair of one of the first `own` boxes with a box behind it. Returns how many
    /// comparisons that took.
    pub fn sweep(self, run: &Run<'_>, own: usize, slack: f32, out: &mut PairBuffer<'_>) -> u64 {
        if run.is_masked() {
            dispatch!(self, sweep::<true>(run, own, slack, out))
        } else {
            dispatch!(self, sweep::<false>(run, own, slack, out))
        }
    }

    /// Every overlapping pair of a box of `left` with a box of `right`.
    pub fn join(
        self,
        left: &Run<'_>,
        right: &Run<'_>,
        slack: [f32; 2],
        order: PairOrder,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        debug_assert_eq!(left.is_masked(), right.is_masked());
        if left.is_masked() {
            dispatch!(self, join::<true>(left, right, slack, order, out))
        } else {
            dispatch!(self, join::<false>(left, right, slack, order, out))
        }
    }
}
