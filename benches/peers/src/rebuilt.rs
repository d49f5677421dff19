//! Static trees as peers of what moves: built anew in every frame, then joined with themselves, or asked once for each row.

use throng_benches::{BoxColumns, Population, Sides, Tree};

use crate::queries::{Joined, SpatialOrder, Touching, pairs_by_queries};
use crate::{Found, PairSum, Peer, Stopwatch};

/// A frame of a static tree; on more threads, of one that is faster there.
pub struct Rebuilt<T, Many = T> {
    tree: Option<T>,
    for_many: Option<Many>,
    columns: BoxColumns,
    boxes: Vec<Sides>,
    order: SpatialOrder,
}

impl<T, Many> Default for Rebuilt<T, Many> {
    fn default() -> Self {
        Self {
            tree: None,
            for_many: None,
            columns: BoxColumns::default(),
            boxes: Vec::new(),
            order: SpatialOrder::default(),
        }
    }
}

impl<T: Tree + Joined + Send, Many: Tree + Touching + Send> Peer for Rebuilt<T, Many> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn way(&self) -> &'static str {
        T::WAY
    }

    fn prepare(&mut self, population: &Population) {
        self.columns.fill_from(population);
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        self.order.refreshed(&self.boxes, population.movers());
        self.tree = None;
        self.for_many = None;
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let started = Stopwatch::start(threads);
        let (columns, order) = (self.columns.boxes(), self.order.rows());
        let sum = if threads == 1 {
            let tree = self.tree.insert(T::build(columns));
            tree.pairs(order, &self.boxes)
        } else {
            let tree = self.for_many.insert(Many::build(columns));
            pairs_by_queries(tree, order, &self.boxes, threads)
        };
        Found::since(started, sum)
    }
}
