//! A peer: parry2d 0.31's `Bvh`, a binary tree that is kept from frame to frame.

use std::hint::black_box;
use std::time::Instant;

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use throng_benches::{Contender, Fingerprint, Frame, Population};

use crate::Upkeep;

/// A parry frame: every leaf is updated, the tree refitted and walked against itself.
///
/// The boxes are given in parry's own form, and **making them is not timed**; what is done with a pair is the least that
/// no compiler can leave out, and nothing is stored.
pub struct Parry {
    upkeep: Upkeep,
    boxes: Vec<Aabb>,
    tree: Bvh,
    workspace: BvhWorkspace,
}

impl Parry {
    /// Without a tree as yet.
    pub fn new(upkeep: Upkeep) -> Self {
        Self {
            upkeep,
            boxes: Vec::new(),
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
        }
    }

    fn update(&mut self) {
        let Self {
            tree, workspace, ..
        } = self;
        if tree.leaf_count() as usize != self.boxes.len() {
            *tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
            return;
        }
        for (&aabb, row) in self.boxes.iter().zip(0..) {
            tree.insert_or_update_partially(aabb, row, 0.0);
        }
        self.upkeep.keep_up(tree, workspace);
    }

    fn for_each_pair(&mut self, mut visit: impl FnMut(u32, u32)) {
        self.update();
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut visit);
    }
}

impl Contender for Parry {
    fn name(&self) -> &'static str {
        match self.upkeep {
            Upkeep::Refit => "parry, refit",
            Upkeep::Optimize => "parry, optimized",
        }
    }

    fn prepare(&mut self, population: &Population) {
        let boxes = population.boxes();
        self.boxes.clear();
        self.boxes.extend(boxes.map(|[min_x, min_y, max_x, max_y]| {
            Aabb::new(Vector::new(min_x, min_y), Vector::new(max_x, max_y))
        }));
    }

    fn frame(&mut self, _population: &Population) -> Frame {
        let (mut pairs, mut rows) = (0, 0_u32);
        let started = Instant::now();
        self.for_each_pair(|a, b| {
            pairs += 1;
            rows = rows.wrapping_add(a ^ b);
        });
        black_box(rows);
        Frame {
            time: started.elapsed(),
            pairs,
        }
    }

    fn fingerprint(&mut self, _population: &Population) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        self.for_each_pair(|a, b| fingerprint.add(a, b));
        fingerprint
    }
}
