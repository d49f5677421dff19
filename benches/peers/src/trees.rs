//! Static trees of others, each asked the way that suits it best.

use std::ops::ControlFlow;

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use static_aabb2d_index::{
    Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder,
};
use throng_benches::{Answer, Tree};
use throng_core::{Aabb, Boxes};

/// A packed Hilbert R-tree.
pub struct StaticIndex {
    index: StaticAABB2DIndex<f32>,
    stack: Vec<usize>,
    queue: NeighborPriorityQueue<f32>,
}

impl Tree for StaticIndex {
    const NAME: &'static str = "static_aabb2d_index";

    fn build(boxes: Boxes<'_>) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(boxes.len());
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

/// An R*-tree, bulk loaded.
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

fn count(answer: &mut Answer, row: u32) -> ControlFlow<()> {
    answer.add_row(row);
    ControlFlow::Continue(())
}
