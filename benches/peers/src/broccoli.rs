//! A peer: broccoli 6.3, a k-d tree with sweep and prune.

use broccoli::aabb::BBox;
use broccoli::build::{DefaultSorter, TreeEmbryo};
use broccoli::{Tree, bbox, num_level, rect};
use broccoli_rayon::build::{SEQ_FALLBACK_DEFAULT, recurse_par};
use broccoli_rayon::prelude::*;
use throng_benches::Population;

use crate::{Found, PairSum, Peer, Stopwatch};

/// A broccoli frame: the tree is built anew, then asked for all colliding pairs.
///
/// What makes it fair, or kinder than that: bots carry their box and their row in 20 bytes, the layout its own
/// documentation recommends; they are made anew before every frame, because a tree permutes them, and
/// **making them is not timed**; nothing is stored.
///
/// Tried: bots that stay in the order of the last tree, with their boxes written anew in place. It was as fast in 2k and 100k of
/// them, within 3 %, and took 1.06 times as long in 1M.
#[derive(Default)]
pub struct Broccoli {
    bots: Vec<Bot>,
    movers: u32,
}

/// A box and its row.
type Bot = BBox<f32, u32>;

/// How many bots there are for each leaf at least; there may be four times as many, since a tree has an odd number of levels. Of 20, 40 and its own 80, this was the best or as good, by 8 % in 20k bots and by 3 % at most in others. With any number
/// of levels, 40 took 1.06 times as long as 80 in 2k.
const LEAF: usize = 40;

/// `Tree::new`, or `par_new` on more threads, with smaller leaves.
fn tree_of(bots: &mut [Bot], threads: usize) -> Tree<'_, Bot> {
    let levels = num_level::with_num_elem_in_leaf(bots.len(), LEAF);
    let (mut embryo, root) = TreeEmbryo::with_num_level(bots, levels);
    if threads == 1 {
        embryo.recurse(root, &mut DefaultSorter);
    } else {
        recurse_par(SEQ_FALLBACK_DEFAULT, &mut DefaultSorter, &mut embryo, root);
    }
    embryo.finish()
}

impl Peer for Broccoli {
    fn name(&self) -> &'static str {
        "broccoli"
    }

    fn way(&self) -> &'static str {
        "`TreeEmbryo::with_num_level` for leaves of 40 to 160 and `find_colliding_pairs` on boxes with their row inside, made before the \
         frame; on more threads the same tree by `recurse_par`, and `par_find_colliding_pairs_acc_closure`, of broccoli-rayon"
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
            tree_of(bots, threads).find_colliding_pairs(|a, b| {
                add(&mut sum, *a.unpack_inner(), *b.unpack_inner());
            });
            sum
        } else {
            tree_of(bots, threads).par_find_colliding_pairs_acc_closure(
                S::default(),
                |_| S::default(),
                |sum, other| sum.merge(other),
                move |sum, a, b| add(sum, *a.unpack_inner(), *b.unpack_inner()),
            )
        };
        Found::since(started, sum)
    }
}
