//! Slots in roughly the order of a probe's keys, nearest child first.

use super::children::{TOGETHER, few_from};
use super::{Offer, reached};
use crate::packed::probes::Probe;
use crate::packed::view::View;
use throng_core::lanes::{Kernel, Lanes};
use throng_core::{LANES, Simd};

/// Offers the slots of boxes whose keys are at most `limit`, roughly the lowest key first. `offer` returns the new
/// limit each time.
pub(crate) fn closest<P: Probe>(
    simd: Simd,
    view: &View<'_>,
    probe: &P,
    limit: f32,
    offer: &mut Offer<'_>,
) {
    simd.run(Closest {
        view,
        probe,
        limit,
        offer,
    });
}

/// The search, for any level.
struct Closest<'w, 'o, P> {
    view: &'w View<'w>,
    probe: &'w P,
    limit: f32,
    offer: &'w mut Offer<'o>,
}

impl<P: Probe> Kernel for Closest<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let (view, probe) = (self.view, self.probe);
        let Some(level) = view.levels.len().checked_sub(1) else {
            return;
        };
        let blocks = view.levels.blocks(level);
        for first in (0..blocks).step_by(TOGETHER) {
            let few = few_from(first);
            let mut keys = [f32::NAN; LANES];
            for (key, &block) in keys.iter_mut().zip(&few[..TOGETHER.min(blocks - first)]) {
                let own = probe.keys(view.sides(level, block as usize));
                let met = reached(lanes, &own, f32::INFINITY);
                *key = if met == 0 {
                    f32::NAN
                } else {
                    least_key(&own, met)
                };
            }
            let mut ascending = Ascending::of(keys);
            while let Some(k) = ascending.next(lanes, self.limit) {
                lanes.call(Below {
                    search: &mut self,
                    level,
                    block: few[k] as usize,
                });
            }
        }
    }
}

/// Searches from a block down, the nearest child first. The recursion is as deep as there are levels.
struct Below<'b, 'w, 'o, P> {
    search: &'b mut Closest<'w, 'o, P>,
    level: usize,
    block: usize,
}

impl<P: Probe> Kernel for Below<'_, '_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self {
            search,
            level,
            block,
        } = self;
        let keys = search.probe.keys(search.view.sides(level, block));
        let mut ascending = Ascending::of(keys);
        while let Some(lane) = ascending.next(lanes, search.limit) {
            let child = block * LANES + lane;
            match level {
                0 => search.limit = (search.offer)(keys[lane], child as u32),
                _ => lanes.call(Below {
                    search: &mut *search,
                    level: level - 1,
                    block: child,
                }),
            }
        }
    }
}

/// The lanes of some keys, lowest key first, up to a limit that may change on the way.
struct Ascending {
    keys: [f32; LANES],
    left: u32,
}

impl Ascending {
    #[inline(always)]
    fn of(keys: [f32; LANES]) -> Self {
        Self { keys, left: !0 }
    }

    #[inline(always)]
    fn next<L: Lanes>(&mut self, lanes: L, limit: f32) -> Option<usize> {
        self.left &= reached(lanes, &self.keys, limit);
        if self.left == 0 {
            return None;
        }
        let least = least_key(&self.keys, self.left);
        let lane = (reached(lanes, &self.keys, least) & self.left).trailing_zeros() as usize;
        self.left &= !(1 << lane);
        Some(lane)
    }
}

/// The lowest key in a set of lanes; infinity if the set is empty. Compares halves side by side, which vectorizes.
#[inline(always)]
fn least_key(keys: &[f32; LANES], among: u32) -> f32 {
    let mut left = [f32::INFINITY; LANES];
    for lane in 0..LANES {
        left[lane] = if among >> lane & 1 == 1 {
            keys[lane]
        } else {
            f32::INFINITY
        };
    }
    for half in [LANES / 2, LANES / 4, LANES / 8, 1] {
        for lane in 0..half {
            let (a, b) = (left[lane], left[lane + half]);
            left[lane] = if b < a { b } else { a };
        }
    }
    left[0]
}
