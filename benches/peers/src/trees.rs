//! Static trees of others, each asked the way that suits it best.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use geo_index::rtree::sort::{HilbertSort, STRSort, Sort};
use geo_index::rtree::{NeighborsOptions, RTreeBuilder, RTreeIndex, SimpleDistanceMetric};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use static_aabb2d_index::{
    Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder,
};
use throng_benches::{Answer, Sides, Tree};
use throng_core::{Aabb, Boxes};

use crate::PairSum;
use crate::queries::{Joined, Touching, sum_of_join};

/// A packed Hilbert R-tree, whose nodes have so many children.
pub struct StaticIndex<const CHILDREN: usize = 16> {
    index: StaticAABB2DIndex<f32>,
    stack: Vec<usize>,
    queue: NeighborPriorityQueue<f32>,
}

impl<const CHILDREN: usize> Tree for StaticIndex<CHILDREN> {
    const NAME: &'static str = "static_aabb2d_index";

    fn build(boxes: Boxes<'_>) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new_with_node_size(boxes.len(), CHILDREN);
        for row in 0..boxes.len() {
            let [min, max] = boxes.corners(row);
            builder.add(min[0], min[1], max[0], max[1]);
        }
        Self {
            index: builder.build().expect("as many boxes as announced"),
            stack: Vec::new(),
            queue: NeighborPriorityQueue::new(),
        }
    }

    fn touching(&mut self, windows: &[Aabb]) -> Answer {
        let mut answer = Answer::default();
        for window in windows {
            let (min, max) = (window.min(), window.max());
            let mut visit = |row: usize| answer.add_row(row as u32);
            let stack = &mut self.stack;
            self.index
                .visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visit, stack);
        }
        answer
    }

    fn at(&mut self, points: &[[f32; 2]]) -> Answer {
        let points = points
            .iter()
            .map(|&point| Aabb::point(point).expect("a point"));
        let windows: Vec<_> = points.collect();
        self.touching(&windows)
    }

    fn nearest(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &[x, y] in points {
            let mut visit = |_: usize, squared: f32| {
                answer.add_distance(f64::from(squared).sqrt());
                Control::Break(())
            };
            let _ = self
                .index
                .visit_neighbors_with_queue(x, y, &mut visit, &mut self.queue);
        }
        answer
    }
}

impl<const CHILDREN: usize> Touching for StaticIndex<CHILDREN> {
    type Scratch = Vec<usize>;

    fn touching(
        &self,
        &[min_x, min_y, max_x, max_y]: &Sides,
        stack: &mut Vec<usize>,
        mut visit: impl FnMut(u32),
    ) {
        let mut visit = |row: usize| visit(row as u32);
        self.index
            .visit_query_with_stack(min_x, min_y, max_x, max_y, &mut visit, stack);
    }
}

impl<const CHILDREN: usize> Joined for StaticIndex<CHILDREN> {
    const WAY: &'static str = "built anew in every frame, with nodes of six, then a query for each row, in the order \
         of space; on more threads the queries in parts";
}

/// Another packed R-tree, in one buffer of bytes, sorted along a Hilbert curve or in another way.
///
/// On one thread it is joined with itself after `STRSort`, which takes 0.88 of the time of a query for each row after `HilbertSort`
/// in 2k even boxes, 0.68 in 100k, 0.5 in 1M and in towns, 0.75 in boxes of many sizes; and 1.09 where there are walls, since a
/// join finds the pairs of two walls as well. Tried: a join after `HilbertSort`, which takes 1.06 times as long in 100k even boxes,
/// 1.18 in 1M, and 2.2 in towns; queries after `STRSort`, which take 0.92 of the time in even boxes, and 1.65 times as long in boxes
/// of many sizes.
pub struct GeoIndex<const CHILDREN: u16 = 16, S = HilbertSort>(
    geo_index::rtree::RTree<f32>,
    PhantomData<fn() -> S>,
);

impl<const CHILDREN: u16, S: Sort<f32>> Tree for GeoIndex<CHILDREN, S> {
    const NAME: &'static str = "geo-index";

    fn build(boxes: Boxes<'_>) -> Self {
        let mut builder = RTreeBuilder::new_with_node_size(boxes.len() as u32, CHILDREN);
        for row in 0..boxes.len() {
            let [min, max] = boxes.corners(row);
            builder.add(min[0], min[1], max[0], max[1]);
        }
        Self(builder.finish::<S>(), PhantomData)
    }

    fn touching(&mut self, windows: &[Aabb]) -> Answer {
        let mut answer = Answer::default();
        for window in windows {
            let (min, max) = (window.min(), window.max());
            let sides = [min[0], min[1], max[0], max[1]];
            Touching::touching(self, &sides, &mut (), |row| answer.add_row(row));
        }
        answer
    }

    fn at(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &[x, y] in points {
            Touching::touching(self, &[x, y, x, y], &mut (), |row| answer.add_row(row));
        }
        answer
    }

    fn nearest(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &[x, y] in points {
            let options = NeighborsOptions::k(1);
            let found = self
                .0
                .neighbors_with_simple_distance(x, y, options, &Squared);
            let (_, squared) = found.first().expect("there are boxes");
            answer.add_distance(f64::from(*squared).sqrt());
        }
        answer
    }
}

/// The squared distance, which is in the same order and costs no root.
struct Squared;

impl SimpleDistanceMetric<f32> for Squared {
    fn distance(&self, x1: f32, y1: f32, x2: f32, y2: f32) -> f32 {
        (x1 - x2).powi(2) + (y1 - y2).powi(2)
    }

    fn distance_to_bbox(
        &self,
        x: f32,
        y: f32,
        min_x: f32,
        min_y: f32,
        max_x: f32,
        max_y: f32,
    ) -> f32 {
        let x = (min_x - x).max(x - max_x).max(0.0);
        let y = (min_y - y).max(y - max_y).max(0.0);
        x * x + y * y
    }
}

impl<const CHILDREN: u16, S: Sort<f32>> Touching for GeoIndex<CHILDREN, S> {
    type Scratch = ();

    fn touching(
        &self,
        &[min_x, min_y, max_x, max_y]: &Sides,
        _scratch: &mut (),
        visit: impl FnMut(u32),
    ) {
        let found = self.0.search(min_x, min_y, max_x, max_y);
        found.into_iter().for_each(visit);
    }
}

impl Joined for GeoIndex<8, STRSort> {
    const WAY: &'static str = "built anew in every frame by `STRSort`, with nodes of eight, then joined with itself by \
         `intersection_candidates_with_other_tree`; on more threads built by `HilbertSort`, with nodes of six, \
         then a query for each row, in the order of space and in parts, as a join uses one thread";

    fn pairs<P: PairSum>(&self, order: &[u32], boxes: &[Sides]) -> P {
        if boxes.len() < 2 {
            // A tree without a node above its boxes cannot be joined.
            return P::default();
        }
        let joined = self.0.intersection_candidates_with_other_tree(&self.0);
        sum_of_join(joined, order.len())
    }
}

/// An R*-tree, bulk loaded.
///
/// On one thread it is joined with itself, which takes 0.94 of the time of a query for each row in 2k even boxes, 0.77 in 100k, 0.57
/// in 1M; and 1.18 where there are walls, since a join finds the pairs of two walls as well.
pub struct Rstar(RTree<GeomWithData<Rectangle<[f32; 2]>, u32>>);

impl Tree for Rstar {
    const NAME: &'static str = "rstar";

    fn build(boxes: Boxes<'_>) -> Self {
        let all = (0..boxes.len()).map(|row| {
            let [min, max] = boxes.corners(row);
            GeomWithData::new(Rectangle::from_corners(min, max), row as u32)
        });
        Self(RTree::bulk_load(all.collect()))
    }

    fn touching(&mut self, windows: &[Aabb]) -> Answer {
        let mut answer = Answer::default();
        for window in windows {
            let window = AABB::from_corners(window.min(), window.max());
            let _ = self.0.locate_in_envelope_intersecting_int(window, |found| {
                count(&mut answer, found.data)
            });
        }
        answer
    }

    fn at(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &point in points {
            let _ = self
                .0
                .locate_all_at_point_int(point, |found| count(&mut answer, found.data));
        }
        answer
    }

    fn nearest(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &point in points {
            let (_, squared) = self
                .0
                .nearest_neighbor_with_distance_2(point)
                .expect("there are boxes");
            answer.add_distance(f64::from(squared).sqrt());
        }
        answer
    }
}

impl Touching for Rstar {
    type Scratch = ();

    fn touching(
        &self,
        &[min_x, min_y, max_x, max_y]: &Sides,
        _scratch: &mut (),
        mut visit: impl FnMut(u32),
    ) {
        let window = AABB::from_corners([min_x, min_y], [max_x, max_y]);
        let _ = self.0.locate_in_envelope_intersecting_int(window, |found| {
            visit(found.data);
            ControlFlow::<()>::Continue(())
        });
    }
}

impl Joined for Rstar {
    const WAY: &'static str = "bulk loaded in every frame, then joined with itself by \
         `intersection_candidates_with_other_tree`; on more threads a query for each row, in the order of space and \
         in parts, as a join uses one thread";

    fn pairs<S: PairSum>(&self, order: &[u32], _boxes: &[Sides]) -> S {
        let joined = self.0.intersection_candidates_with_other_tree(&self.0);
        sum_of_join(joined.map(|(a, b)| (a.data, b.data)), order.len())
    }
}

fn count(answer: &mut Answer, row: u32) -> ControlFlow<()> {
    answer.add_row(row);
    ControlFlow::Continue(())
}
