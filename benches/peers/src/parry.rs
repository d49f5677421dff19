//! A peer: parry2d 0.31's `Bvh`, a binary tree that is kept from frame to frame.

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};
use rayon::prelude::*;
use throng_benches::{Answer, Population, Sides};

use crate::{Found, PairSum, Peer, Stopwatch, Upkeep};

/// A parry frame: the leaves of what has moved are updated, the tree is refitted and walked against itself.
///
/// The boxes are given in parry's own form, and **making them is not timed**; on one thread nothing is stored.
pub struct Parry {
    upkeep: Upkeep,
    boxes: Vec<Aabb>,
    /// Of what has moved: boxes, rows, and by how much larger a leaf is to be.
    moved: Vec<(Aabb, u32, f32)>,
    statuses: Vec<BvhLeafUpdateStatus>,
    movers: u32,
    tree: Bvh,
    workspace: BvhWorkspace,
}

impl Parry {
    /// Without a tree as yet.
    pub fn new(upkeep: Upkeep) -> Self {
        Self {
            upkeep,
            boxes: Vec::new(),
            moved: Vec::new(),
            statuses: Vec::new(),
            movers: 0,
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
        }
    }

    fn update(&mut self, threads: usize) {
        let Self {
            moved,
            statuses,
            tree,
            workspace,
            ..
        } = self;
        if tree.leaf_count() as usize != self.boxes.len() {
            *tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
            return;
        }
        if threads == 1 {
            for &(aabb, row, margin) in &*moved {
                tree.insert_or_update_partially(aabb, row, margin);
            }
        } else {
            tree.insert_or_update_batch_partially_parallel(moved, statuses);
        }
        self.upkeep.keep_up(tree, workspace, threads);
    }
}

/// A box as parry has it.
pub(crate) fn aabb([min_x, min_y, max_x, max_y]: Sides) -> Aabb {
    Aabb::new(Vector::new(min_x, min_y), Vector::new(max_x, max_y))
}

/// A `Bvh` that was built once, and is asked.
pub struct ParryTree(Bvh);

impl ParryTree {
    /// Who it is.
    pub const NAME: &'static str = "parry";

    /// Built by bins, on one thread.
    pub fn build(boxes: impl Iterator<Item = Sides>) -> Self {
        let boxes: Vec<_> = boxes.map(aabb).collect();
        Self(Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes))
    }

    /// Finds what touches each window.
    pub fn touching(&self, windows: &[throng_core::Aabb]) -> Answer {
        let mut answer = Answer::default();
        for window in windows {
            let ([min_x, min_y], [max_x, max_y]) = (window.min(), window.max());
            let window = aabb([min_x, min_y, max_x, max_y]);
            let found = self.0.intersect_aabb(&window);
            found.for_each(|row| answer.add_row(row));
        }
        answer
    }
}

impl Peer for Parry {
    fn name(&self) -> &'static str {
        match self.upkeep {
            Upkeep::Refit => "parry, refit",
            Upkeep::Optimize => "parry, optimized",
        }
    }

    fn way(&self) -> &'static str {
        match self.upkeep {
            Upkeep::Refit => {
                "a `Bvh`: moved leaves updated (in a `.._batch_partially_parallel` on more threads), `refit_without_opt`, \
                 `traverse_bvtt_single_tree` (`.._parallel` on more threads), in a tree built at most \
                 some two hundred frames ago: it gets slower as things get further from where they were then"
            }
            Upkeep::Optimize => {
                "the same with `optimize_incremental` and `refit` (`refit_parallel` on more threads), as rapier keeps its tree"
            }
        }
    }

    fn prepare(&mut self, population: &Population) {
        self.boxes.clear();
        self.boxes.extend(population.boxes().map(aabb));
        let moved = population.moved.iter();
        self.moved.clear();
        self.moved
            .extend(moved.map(|&row| (self.boxes[row as usize], row, 0.0)));
        self.movers = population.movers() as u32;
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let movers = self.movers;
        let add = |sum: &mut S, a: u32, b: u32| {
            if a.min(b) < movers {
                sum.add(a, b);
            }
        };
        let started = Stopwatch::start(threads);
        let mut sum = S::default();
        self.update(threads);
        if threads == 1 {
            let workspace = &mut self.workspace;
            let mut visit = |a, b| add(&mut sum, a, b);
            self.tree
                .traverse_bvtt_single_tree::<false>(workspace, &mut visit);
        } else {
            let pairs = self.tree.traverse_bvtt_single_tree_parallel::<false>();
            let parts = pairs.par_chunks(1 << 14).map(|part| {
                let mut sum = S::default();
                part.iter().for_each(|&(a, b)| add(&mut sum, a, b));
                sum
            });
            sum = parts.reduce(S::default, |mut a, b| {
                a.merge(b);
                a
            });
        }
        Found::since(started, sum)
    }

    fn keeps(&self) -> bool {
        true
    }
}
