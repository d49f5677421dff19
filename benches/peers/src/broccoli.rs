//! A peer: broccoli 6.3, a k-d tree with sweep and prune.

use broccoli::aabb::BBox;
use broccoli::{Tree, bbox, rect};
use broccoli_rayon::prelude::*;
use throng_benches::Population;

use crate::{Found, PairSum, Peer, Stopwatch};

/// A broccoli frame: the tree is built anew, then asked for all colliding pairs.
///
/// What makes it fair, or kinder than that: bots carry their box and their row in 20 bytes, the layout its own
/// documentation recommends; they are made anew before every frame, because a tree permutes them, and
/// **making them is not timed**; nothing is stored.
#[derive(Default)]
pub struct Broccoli {
    bots: Vec<BBox<f32, u32>>,
    movers: u32,
}

impl Peer for Broccoli {
    fn name(&self) -> &'static str {
        "broccoli"
    }

    fn way(&self) -> &'static str {
        "`Tree::new` and `find_colliding_pairs` on boxes with their row inside, made before the frame; on more threads \
         `par_new` and `par_find_colliding_pairs_acc_closure` of broccoli-rayon"
    }

    fn prepare(&mut self, population: &Population) {
        self.movers = population.movers() as u32;
        self.bots.clear();
        let rows = population.boxes().zip(0..);
        self.bots
            .extend(rows.map(|([min_x, min_y, max_x, max_y], row)| {
                bbox(rect(min_x, max_x, min_y, max_y), row)
            }));
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let Self { bots, movers } = self;
        let movers = *movers;
        let add = |sum: &mut S, a: u32, b: u32| {
            if a.min(b) < movers {
                sum.add(a, b);
            }
        };
        let started = Stopwatch::start(threads);
        let sum = if threads == 1 {
            let mut sum = S::default();
            Tree::new(bots).find_colliding_pairs(|a, b| {
                add(&mut sum, *a.unpack_inner(), *b.unpack_inner());
            });
            sum
        } else {
            Tree::par_new(bots).par_find_colliding_pairs_acc_closure(
                S::default(),
                |_| S::default(),
                |sum, other| sum.merge(other),
                move |sum, a, b| add(sum, *a.unpack_inner(), *b.unpack_inner()),
            )
        };
        Found::since(started, sum)
    }
}
