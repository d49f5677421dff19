//! The boxes of leaves that touch a window, collected in columns.

use crate::packed::view::View;
use throng_core::lanes::{Kernel, Lanes, Sides, keep_touching};
use throng_core::{BoxRun, LANES, Simd};

/// Appends the boxes of the leaves that touch the window. There must be room for all boxes of the leaves.
///
/// All leaves in one call: one for each leaf took a third longer, as its arguments went through memory.
pub(crate) fn gather(
    simd: Simd,
    view: &View<'_>,
    leaves: &[u32],
    window: &[[f32; 2]; 2],
    found: &mut BoxRun<'_>,
) {
    assert!(
        found.has_room(leaves.len() * LANES),
        "the caller makes room"
    );
    let kept = found.len();
    let (mut sides, rows) = found.columns_mut();
    let len = simd.run(Gather {
        view,
        leaves,
        window,
        kept,
        sides: &mut sides,
        rows,
    });
    found.set_len(len);
}

struct Gather<'a, 'f> {
    view: &'a View<'a>,
    leaves: &'a [u32],
    window: &'a [[f32; 2]; 2],
    kept: usize,
    sides: &'a mut [&'f mut [f32]; 4],
    rows: &'a mut [u32],
}

impl Kernel for Gather<'_, '_> {
    type Output = usize;

    /// Returns the end of the boxes.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self {
            view,
            leaves,
            window,
            mut kept,
            sides,
            rows,
        } = self;
        let window = Sides::splat(lanes, *window);
        for &leaf in leaves {
            let [min_x, min_y, max_x, max_y] = view.sides(0, leaf as usize);
            let boxes = Sides::load(lanes, [min_x, min_y, max_x, max_y], 0);
            let own_rows = lanes.load_words(view.rows(leaf as usize));
            let to = (&mut *sides, &mut *rows);
            kept += keep_touching(lanes, [&window, &boxes], own_rows, to, kept);
        }
        kept
    }
}
