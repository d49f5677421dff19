//! The boxes that touch a window, made from centers.

use super::boxes::{boxes, last_boxes};
use crate::leaf::Bounds;
use crate::run::{Centers, RunView};
use throng_core::lanes::{Kernel, Lanes, Sides, chunk, chunk_mut, overlapping};
use throng_core::{BoxRun, LANES, Simd};

/// Appends the boxes that touch a window: the rows' own, or boxes of the bound in a coarse grid. There must be room for
/// all.
pub(crate) fn touching(simd: Simd, centers: &Centers<'_>, window: &Bounds, found: &mut BoxRun<'_>) {
    assert!(found.has_room(centers.len()), "the caller has made room");
    let (run, kept) = (centers.view(), found.len());
    let (sides, rows) = found.columns_mut();
    let window = [window.min, window.max];
    let len = if centers.own.is_some() {
        simd.run(Touching::<true> {
            run,
            window,
            sides,
            rows,
            kept,
        })
    } else {
        simd.run(Touching::<false> {
            run,
            window,
            sides,
            rows,
            kept,
        })
    };
    found.set_len(len);
}

struct Touching<'a, const EXACT: bool> {
    run: RunView<'a>,
    window: [[f32; 2]; 2],
    sides: [&'a mut [f32]; 4],
    rows: &'a mut [u32],
    kept: usize,
}

impl<const EXACT: bool> Kernel for Touching<'_, EXACT> {
    type Output = usize;

    /// Returns the end of the boxes.
    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> usize {
        let window = Sides::splat(lanes, self.window);
        let whole = self.run.len / LANES * LANES;
        for at in (0..whole).step_by(LANES) {
            let boxes = boxes(lanes, EXACT, &self.run, at);
            let rows = lanes.load_words(chunk(self.run.rows, at));
            self.keep_touching(lanes, &window, &boxes, rows);
        }
        if whole < self.run.len {
            let boxes = last_boxes(lanes, EXACT, &self.run, whole);
            let rows = lanes.load_some_words(&self.run.rows[whole..]);
            self.keep_touching(lanes, &window, &boxes, rows);
        }
        self.kept
    }
}

impl<const EXACT: bool> Touching<'_, EXACT> {
    #[inline(always)]
    fn keep_touching<L: Lanes>(
        &mut self,
        lanes: L,
        window: &Sides<L>,
        boxes: &Sides<L>,
        rows: L::Words,
    ) {
        let keep = lanes.bits(overlapping(lanes, lanes.every_lane(), boxes, window));
        boxes.store_kept(lanes, &mut self.sides, self.kept, keep);
        lanes.store_kept_words(chunk_mut(self.rows, self.kept), keep, rows);
        self.kept += keep.count_ones() as usize;
    }
}
