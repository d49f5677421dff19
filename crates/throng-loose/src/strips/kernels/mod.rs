//! The inner loops, once per instruction set, and the one place that chooses among them.
//!
//! | loop | does |
//! |---|---|
//! | `partition` | appends boxes to buckets |
//! | `sort` | sorts a bucket by left side |
//! | `gather` | picks the boxes that touch a window |
//! | `sweep` | all overlapping pairs of a strip with itself |
//!
//! The first three are plain Rust compiled for each instruction set; the sweep is written with intrinsics,
//! and [`scalar`] is its readable twin and the reference in every test. All of them walk the same sixteen
//! logical lanes and emit pairs in the same order.
//!
//! # The sweep
//!
//! Sixteen consecutive boxes are compared with the same columns shifted by one, by two, and so on, until
//! all of them have ended before the box that they are compared with begins: a step of the loop is a
//! step for each of the sixteen. What the widest of them needs the others do not, so after
//! [`MOST_DIAGONALS`] shifts those that have not ended yet go on alone, each with sixteen boxes at a time.
#![allow(
    unsafe_code,
    reason = "calling a function compiled for an instruction set that was detected"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod scalar;

use super::buckets::Copies;
use super::gather::Reach;
use super::partition::{Part, Pass, WORDS};
use super::sort::{Columns, SortScratch};
use crate::sides::Corners;
use std::ops::Range;
use throng_core::{Arena, BoxKernels, BoxRun, PairBuffer, SimdLevel};

/// Shifts that a group of boxes is compared at together. With 48 finding four pairs for each box takes a
/// tenth longer; 10 and 24 are alike.
const MOST_DIAGONALS: usize = 12;

/// What a sweep compares: copies of one strip or of strips that share its buckets, in order, and their
/// masks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep<'a> {
    pub copies: Copies<'a>,
    /// How many of the first copies are compared with what follows them.
    pub own: usize,
    /// Memberships and filters, as long as the copies' columns; empty where no masks are tested.
    pub masks: [&'a [u32]; 2],
}

/// An instruction set that this machine has. Made of [`BoxKernels`] alone, which there are only of what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StripKernels(SimdLevel);

/// Calls the named function of the chosen instruction set.
macro_rules! dispatch {
    ($self:ident, $($call:tt)*) => {
        match $self.0 {
            // SAFETY: the level is that of `BoxKernels`, which are made only of what the machine was found to have.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512::$($call)* },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { avx2::$($call)* },
            _ => scalar::$($call)*,
        }
    };
}

impl StripKernels {
    /// Those of the instruction set of others, which are the proof.
    pub fn of(kernels: BoxKernels) -> Self {
        Self(kernels.level())
    }

    pub fn level(self) -> SimdLevel {
        self.0
    }

    pub fn partition(self, pass: &Pass<'_>, part: &mut Part) {
        dispatch!(self, partition(pass, part))
    }

    pub fn sort(
        self,
        records: &[[u32; WORDS]],
        runs: &[Range<usize>],
        scratch: &mut SortScratch<'_>,
        sorted: Columns<'_>,
    ) -> f32 {
        dispatch!(self, sort(records, runs, scratch, sorted))
    }

    /// Appends those of the copies that touch the window and are to be reported from their slot.
    pub fn gather<'a>(
        self,
        reach: &Reach<'_>,
        window: &Corners,
        arena: &'a Arena,
        found: &mut BoxRun<'a>,
    ) {
        dispatch!(self, gather(reach, window, arena, found))
    }

    /// Every overlapping pair of one of the first `own` copies with a copy behind it of which at least one
    /// begins in its strip. Returns how many comparisons that took.
    pub fn sweep(self, sweep: &Sweep<'_>, out: &mut PairBuffer<'_>) -> u64 {
        if sweep.masks[0].is_empty() {
            dispatch!(self, sweep::<false>(sweep, out))
        } else {
            dispatch!(self, sweep::<true>(sweep, out))
        }
    }
}
