//! The boxes that touch a window, made from centers.

use super::boxes::{boxes, last_boxes};
use crate::leaf::Bounds;
use crate::run::{Centers, RunView};
use throng_core::lanes::{Kernel, Lanes, Sides, chunk, keep_touching};
use throng_core::{BoxRun, LANES, Simd};

/// Appends the boxes that touch a window: the rows' own, or boxes of the bound in a coarse grid. There must be room for
/// all.
pub(crate) fn touching(simd: Simd, centers: &Centers<'_>, window: &Bounds, found: &mut BoxRun<'_>) {
    assert!(found.has_room(centers.len()), "the caller has made room");
    let (run, kept) = (centers.view(), found.len());
    let (mut sides, rows) = found.columns_mut();
    let sides = &mut sides;
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

struct Touching<'a, 'f, const EXACT: bool> {
    run: RunView<'a>,
    window: [[f32; 2]; 2],
    sides: &'a mut [&'f mut [f32]; 4],
    rows: &'a mut [u32],
    kept: usize,
}

impl<const EXACT: bool> Kernel for Touching<'_, '_, EXACT> {
    type Output = usize;

    /// Returns the end of the boxes.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self {
            run,
            window,
            sides,
            rows,
            mut kept,
        } = self;
        let window = Sides::splat(lanes, window);
        let whole = run.len / LANES * LANES;
        for at in (0..whole).step_by(LANES) {
            let boxes = boxes(lanes, EXACT, &run, at);
            let own_rows =
                lanes.shift_right(lanes.load_words(chunk(run.names, at)), run.name_shift);
            let to = (&mut *sides, &mut *rows);
            kept += keep_touching(lanes, [&window, &boxes], own_rows, to, kept);
        }
        if whole < run.len {
            let boxes = last_boxes(lanes, EXACT, &run, whole);
            let own_rows =
                lanes.shift_right(lanes.load_some_words(&run.names[whole..]), run.name_shift);
            kept += keep_touching(lanes, [&window, &boxes], own_rows, (sides, rows), kept);
        }
        kept
    }
}
