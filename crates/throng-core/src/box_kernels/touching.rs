//! The boxes that touch a window, collected in columns.

use crate::box_run::BoxRun;
use crate::lanes::{Kernel, Lanes, Sides, Simd, chunk, chunk_mut, overlapping};
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
        let (sides, into_rows) = into.columns_mut();
        let len = self.run(Touching {
            from,
            rows,
            window: *window,
            kept,
            sides,
            into_rows,
        });
        into.set_len(len);
    }
}

struct Touching<'a> {
    from: [&'a [f32]; 4],
    rows: &'a [u32],
    window: [[f32; 2]; 2],
    kept: usize,
    sides: [&'a mut [f32]; 4],
    into_rows: &'a mut [u32],
}

impl Kernel for Touching<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> usize {
        let window = Sides::splat(lanes, self.window);
        let whole = self.rows.len() / LANES * LANES;
        for at in (0..whole).step_by(LANES) {
            let boxes = Sides::load(lanes, self.from, at);
            let rows = lanes.load_words(chunk(self.rows, at));
            self.keep_touching(lanes, &window, &boxes, rows);
        }
        if whole < self.rows.len() {
            let [min_x, min_y, max_x, max_y] = self.from;
            let last = [
                &min_x[whole..],
                &min_y[whole..],
                &max_x[whole..],
                &max_y[whole..],
            ];
            let boxes = Sides::load_some(lanes, last);
            let rows = lanes.load_some_words(&self.rows[whole..]);
            self.keep_touching(lanes, &window, &boxes, rows);
        }
        self.kept
    }
}

impl Touching<'_> {
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
        lanes.store_kept_words(chunk_mut(self.into_rows, self.kept), keep, rows);
        self.kept += keep.count_ones() as usize;
    }
}
