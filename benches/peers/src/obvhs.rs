//! A peer: obvhs, a binary tree built by clustering, as avian uses it.

use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::reinsertion::ReinsertionOptimizer;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use throng_benches::Sides;

use crate::kept::MovingTree;
use crate::queries::Touching;

/// The tree, and what it is kept with.
pub struct Obvhs {
    tree: Bvh2,
    builder: PlocBuilder,
    optimizer: ReinsertionOptimizer,
    leaves: Vec<Aabb>,
}

impl Obvhs {
    /// With avian's settings.
    fn build_anew(&mut self, boxes: &[Sides]) {
        self.leaves.clear();
        self.leaves.extend(boxes.iter().map(flat));
        let rows = (0..boxes.len() as u32).collect();
        let (near, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        self.builder
            .build_with_bvh(&mut self.tree, near, &self.leaves, rows, precision, 0);
    }
}

/// In a plane of three dimensions.
fn flat(&[min_x, min_y, max_x, max_y]: &Sides) -> Aabb {
    Aabb::new([min_x, min_y, 0.0].into(), [max_x, max_y, 0.0].into())
}

impl Touching for Obvhs {
    type Scratch = ();

    fn touching(&self, window: &Sides, _scratch: &mut (), mut visit: impl FnMut(u32)) {
        self.tree.aabb_traverse(flat(window), |tree, node| {
            let node = &tree.nodes[node as usize];
            let first = node.first_index as usize;
            let rows = &tree.primitive_indices[first..first + node.prim_count as usize];
            rows.iter().for_each(|&row| visit(row));
            true
        });
    }
}

impl MovingTree for Obvhs {
    const NAME: &'static str = "obvhs";
    const WAY: &'static str = "as avian uses it: where most move, built anew by `PlocBuilder` with `Minimum` and `U64`, a query for each row in the \
         order of space; where few do, moved leaves resized and reinserted, queries for these, and pairs kept in the time \
         shown as \"filter\"";

    fn build(boxes: &[Sides]) -> Self {
        let mut tree = Self {
            tree: Bvh2::default(),
            builder: PlocBuilder::new(),
            optimizer: ReinsertionOptimizer::default(),
            leaves: Vec::new(),
        };
        tree.build_anew(boxes);
        tree
    }

    fn change_most(&mut self, boxes: &[Sides], _changed: &[u32]) {
        self.build_anew(boxes);
    }

    fn change_few(&mut self, boxes: &[Sides], changed: &[u32]) {
        self.tree.init_primitives_to_nodes_if_uninit();
        self.tree.init_parents_if_uninit();
        let mut nodes = Vec::with_capacity(changed.len());
        for &row in changed {
            let node = self.tree.primitives_to_nodes[row as usize];
            self.tree
                .resize_node(node as usize, flat(&boxes[row as usize]));
            nodes.push(node);
        }
        self.optimizer
            .run_with_candidates(&mut self.tree, &nodes, 1);
    }
}
