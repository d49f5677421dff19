//! The loops that compare boxes, once per instruction set, and the one place that chooses among them.
//!
//! | loop | does |
//! |---|---|
//! | `within` | all overlapping pairs of a run with itself |
//! | `cross` | all overlapping pairs of two runs |
//! | `touching` | picks the boxes that touch a window |
//!
//! [`scalar`] is the readable twin of the others and the reference in every test. All of them walk the
//! same sixteen logical lanes and emit pairs in the same order. Nothing but `<=` on sides as stored is
//! used, so there is nothing to argue about rounding.
#![allow(
    unsafe_code,
    reason = "calling a function compiled for an instruction set that was detected"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(test)]
mod tests;

use crate::box_run::BoxRun;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use crate::simd::SimdLevel;

/// An instruction set that this machine has, and the loops written for it. Only [`BoxKernels::new`] makes
/// one, so holding it is the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxKernels(SimdLevel);

/// Calls the named function of the chosen instruction set.
macro_rules! dispatch {
    ($self:ident, $($call:tt)*) => {
        match $self.0 {
            // SAFETY: `BoxKernels::new` accepts a level only if the machine was found to have it.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512::$($call)* },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { avx2::$($call)* },
            _ => scalar::$($call)*,
        }
    };
}

impl BoxKernels {
    /// The level asked for, or the best there is; `None` if the machine lacks what was asked for.
    #[must_use]
    pub fn new(level: Option<SimdLevel>) -> Option<Self> {
        let level = level.unwrap_or_else(SimdLevel::detect);
        level.is_available().then_some(Self(level))
    }

    /// The instruction set in use.
    #[must_use]
    pub fn level(self) -> SimdLevel {
        self.0
    }

    /// Finds every overlapping pair of a finished run with itself, the lower row first. Box by box, each
    /// with those behind it. O(len² / 16). Returns how many comparisons that took, idle lanes included.
    ///
    /// Where the run has masks, both must agree before a pair is made.
    ///
    /// # Panics
    ///
    /// If the run is not finished.
    pub fn within(self, run: &BoxRun<'_>, out: &mut PairBuffer<'_>) -> u64 {
        let view = run.view();
        if run.is_masked() {
            dispatch!(self, within::<true>(view, out))
        } else {
            dispatch!(self, within::<false>(view, out))
        }
    }

    /// Finds every overlapping pair of a box of `left` with a box of `right`, both finished; neither need
    /// be sorted.
    ///
    /// One run is cut into blocks of sixteen, whose bounds are asked first, sixteen blocks at a time, and the
    /// other is gone through box by box; whichever way round is fewer rounds. O(short · (long / 256 + 1) +
    /// blocks that touch). The order depends on the runs alone. Returns how many comparisons that took, idle
    /// lanes and blocks included.
    ///
    /// # Panics
    ///
    /// If a run is not finished, or only one of them has masks.
    pub fn cross(
        self,
        left: &BoxRun<'_>,
        right: &BoxRun<'_>,
        order: PairOrder,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        assert_eq!(
            left.is_masked(),
            right.is_masked(),
            "masks on one side only"
        );
        let rounds =
            |blocks: &BoxRun<'_>, boxes: &BoxRun<'_>| boxes.len() * blocks.len().div_ceil(LANES);
        let (left, right, order) = if rounds(left, right) <= rounds(right, left) {
            (left, right, order)
        } else {
            (right, left, order.flipped())
        };
        let (masked, left, right) = (left.is_masked(), left.view(), right.view());
        if masked {
            dispatch!(self, cross::<true>(left, right, order, out))
        } else {
            dispatch!(self, cross::<false>(left, right, order, out))
        }
    }

    /// Appends to `into`, which has room for all of them, those boxes that touch a window: a slice for
    /// each side of theirs (min x, min y, max x, max y), their rows, and the corners of the window.
    ///
    /// # Panics
    ///
    /// If there is no room, or the slices are not of one length.
    pub fn touching(
        self,
        from: [&[f32]; 4],
        rows: &[u32],
        window: &[[f32; 2]; 2],
        into: &mut BoxRun<'_>,
    ) {
        assert!(into.has_room(rows.len()), "the caller makes room");
        assert!(
            from.iter().all(|side| side.len() == rows.len()),
            "columns of one length"
        );
        let kept = into.len();
        let (sides, into_rows) = into.columns_mut();
        let len = dispatch!(self, touching(from, rows, window, kept, sides, into_rows));
        into.set_len(len);
    }
}
