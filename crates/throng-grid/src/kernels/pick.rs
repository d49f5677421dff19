//! The centers whose boxes can touch a window.

use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use crate::run::{Centers, Run};
use throng_core::lanes::{Kernel, Lanes, chunk, chunk_mut};
use throng_core::{LANES, Simd, prefetch_ahead};

/// Appends the centers whose boxes of the bound touch the window along y. There must be room for all. A row's own box
/// is no larger, so a skipped one cannot touch the window.
pub(crate) fn pick(simd: Simd, centers: &Centers<'_>, window: [f32; 2], run: &mut Run<'_>) {
    assert!(run.has_room(centers.len()), "the caller has made room");
    run.begin_append(centers);
    run.len = if centers.own.is_some() {
        simd.run(Pick::<EXACT_WORDS>::new(centers, window, run))
    } else {
        simd.run(Pick::<COARSE_WORDS>::new(centers, window, run))
    };
}

struct Pick<'a, const COLUMNS: usize> {
    window: [f32; 2],
    half_height: f32,
    ys: &'a [f32],
    from: [&'a [u32]; COLUMNS],
    /// How many words ahead the next centers begin, which are probably picked from next.
    ahead: usize,
    to: [&'a mut [u32]; COLUMNS],
    kept: usize,
}

impl<'a, const COLUMNS: usize> Pick<'a, COLUMNS> {
    fn new(centers: &Centers<'a>, window: [f32; 2], run: &'a mut Run<'_>) -> Self {
        Self {
            window,
            half_height: centers.bound[1],
            ys: centers.ys,
            from: centers.columns::<COLUMNS>(),
            ahead: centers.ahead,
            kept: run.len,
            to: run.columns_mut::<COLUMNS>(),
        }
    }

    /// The lanes in which a box of the bound touches the window along y.
    #[inline(always)]
    fn touching<L: Lanes>(&self, lanes: L, y: L::Floats) -> u32 {
        let half_height = lanes.splat(self.half_height);
        let (low, high) = (lanes.sub(y, half_height), lanes.add(y, half_height));
        let below = lanes.le(lanes.every_lane(), low, lanes.splat(self.window[1]));
        lanes.bits(lanes.le(below, lanes.splat(self.window[0]), high))
    }
}

impl<const COLUMNS: usize> Kernel for Pick<'_, COLUMNS> {
    type Output = usize;

    /// Returns the end of what was collected.
    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> usize {
        // All of one length, so that one bounds check covers them.
        let (ys, room) = (self.ys, self.to[0].len());
        for column in 0..COLUMNS {
            self.from[column] = &self.from[column][..ys.len()];
            self.to[column] = &mut std::mem::take(&mut self.to[column])[..room];
        }
        let whole = ys.len() / LANES * LANES;
        let mut kept = self.kept;
        for at in (0..whole).step_by(LANES) {
            let keep = self.touching(lanes, lanes.load(chunk(ys, at)));
            for column in 0..COLUMNS {
                prefetch_ahead(self.from[column], at + self.ahead);
                let words = lanes.load_words(chunk(self.from[column], at));
                lanes.store_kept_words(chunk_mut(self.to[column], kept), keep, words);
            }
            kept += keep.count_ones() as usize;
        }
        if whole < ys.len() {
            let keep = self.touching(lanes, lanes.load_some(&ys[whole..]));
            for column in 0..COLUMNS {
                prefetch_ahead(self.from[column], whole + self.ahead);
                let words = lanes.load_some_words(&self.from[column][whole..]);
                lanes.store_kept_words(chunk_mut(self.to[column], kept), keep, words);
            }
            kept += keep.count_ones() as usize;
        }
        kept
    }
}
