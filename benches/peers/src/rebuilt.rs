//! Static trees as peers of what moves: built anew in every frame, then asked once for each row.

use throng_benches::{BoxColumns, Population, Sides, Tree};

use crate::queries::{SpatialOrder, Touching, pairs_by_queries};
use crate::{Found, PairSum, Peer, Stopwatch};

/// A frame of a static tree.
pub struct Rebuilt<T> {
    tree: Option<T>,
    columns: BoxColumns,
    boxes: Vec<Sides>,
    order: SpatialOrder,
}

impl<T> Default for Rebuilt<T> {
    fn default() -> Self {
        Self {
            tree: None,
            columns: BoxColumns::default(),
            boxes: Vec::new(),
            order: SpatialOrder::default(),
        }
    }
}

impl<T: Tree + Touching + Send> Peer for Rebuilt<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn way(&self) -> &'static str {
        "built anew in every frame (nodes of six, where that is a choice), then a query for each row, in the order of \
         space; on more threads the queries in parts"
    }

    fn prepare(&mut self, population: &Population) {
        self.columns.fill_from(population);
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        self.order.refreshed(&self.boxes, population.movers());
        self.tree = None;
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let started = Stopwatch::start(threads);
        let tree = self.tree.insert(T::build(self.columns.boxes()));
        let sum = pairs_by_queries(tree, self.order.rows(), &self.boxes, threads);
        Found::since(started, sum)
    }
}
