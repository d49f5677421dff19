//! The boxes that touch a window, collected in columns.

use crate::box_run::BoxRun;
use crate::lanes::{Kernel, Lanes, Sides, Simd, chunk, keep_touching};
use crate::pair_buffer::LANES;

impl Simd {
    /// Appends the boxes that touch a window to `into`, which must have room for all boxes. Takes a slice for each side
    /// of the boxes (min x, min y, max x, max y), their rows, and the corners of the window.
    ///
    /// # Panics
    ///
    /// If there is no room, or the slices differ in length.
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
        let (mut sides, into_rows) = into.columns_mut();
        let len = self.run(Touching {
            from: &from,
            rows,
            window,
            kept,
            sides: &mut sides,
            into_rows,
        });
        into.set_len(len);
    }
}

struct Touching<'a, 'i> {
    from: &'a [&'a [f32]; 4],
    rows: &'a [u32],
    window: &'a [[f32; 2]; 2],
    kept: usize,
    sides: &'a mut [&'i mut [f32]; 4],
    into_rows: &'a mut [u32],
}

impl Kernel for Touching<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self {
            from,
            rows,
            window,
            mut kept,
            sides,
            into_rows,
        } = self;
        let window = Sides::splat(lanes, *window);
        let whole = rows.len() / LANES * LANES;
        for at in (0..whole).step_by(LANES) {
            let boxes = Sides::load(lanes, *from, at);
            let own_rows = lanes.load_words(chunk(rows, at));
            let to = (&mut *sides, &mut *into_rows);
            kept += keep_touching(lanes, [&window, &boxes], own_rows, to, kept);
        }
        if whole < rows.len() {
            let [min_x, min_y, max_x, max_y] = from;
            let last = [
                &min_x[whole..],
                &min_y[whole..],
                &max_x[whole..],
                &max_y[whole..],
            ];
            let boxes = Sides::load_some(lanes, last);
            let own_rows = lanes.load_some_words(&rows[whole..]);
            kept += keep_touching(lanes, [&window, &boxes], own_rows, (sides, into_rows), kept);
        }
        kept
    }
}
