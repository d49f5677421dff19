//! Static trees, each asked the way that suits it best.

use std::ops::ControlFlow;

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use static_aabb2d_index::{
    Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder,
};
use throng_core::{Aabb, Boxes, NearestQuery, Segment, Serial};
use throng_quadtree::{PackedConfig, PackedQuadtree};

/// What answers come to: how many were found, and sums of what tells them apart.
///
/// Rows are summed as integers: a sum of floats waits four cycles for the one before it, as long as some trees take to
/// find the next row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    /// How many were found.
    pub found: u64,
    /// The sum of their rows, where all answer with the same ones.
    pub rows: u64,
    /// The sum of distances or fractions, where two rows may be equally near.
    pub distances: f64,
}

impl Answer {
    #[inline]
    fn add_row(&mut self, row: u32) {
        self.found += 1;
        self.rows += u64::from(row);
    }

    #[inline]
    fn add_distance(&mut self, distance: f64) {
        self.found += 1;
        self.distances += distance;
    }

    /// Whether both found the same, but for the rounding of distances.
    pub fn agrees(&self, other: &Self) -> bool {
        let near = (self.distances - other.distances).abs() <= 1e-5 * self.distances.abs();
        self.found == other.found && self.rows == other.rows && near
    }
}

/// A tree that was built once.
pub trait Tree {
    /// Who it is.
    const NAME: &'static str;

    /// Built on one thread.
    fn build(boxes: Boxes<'_>) -> Self;

    /// Finds what touches each window.
    fn touching(&mut self, windows: &[Aabb]) -> Answer;

    /// Finds what holds each point.
    fn at(&mut self, points: &[[f32; 2]]) -> Answer;

    /// Finds the nearest to each point.
    fn nearest(&mut self, points: &[[f32; 2]]) -> Answer;
}

/// Ours.
pub struct Packed {
    tree: PackedQuadtree,
    nearest: Vec<throng_core::Ranked<Aabb>>,
}

impl Packed {
    /// What it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.tree.memory_bytes()
    }

    /// Finds what each segment hits first, and sums how far along it that is.
    pub fn first_hits(&self, segments: &[Segment]) -> Answer {
        let mut answer = Answer::default();
        for hit in segments
            .iter()
            .filter_map(|segment| self.tree.find_first_hit(segment))
        {
            answer.add_distance(hit.fraction.into());
        }
        answer
    }

    /// The tree itself.
    pub fn tree(&self) -> &PackedQuadtree {
        &self.tree
    }
}

impl Tree for Packed {
    const NAME: &'static str = "packed quadtree";

    fn build(boxes: Boxes<'_>) -> Self {
        let tree = PackedQuadtree::build(boxes, PackedConfig::new(), &Serial);
        Self {
            tree: tree.expect("a tree of boxes"),
            nearest: Vec::new(),
        }
    }

    fn touching(&mut self, windows: &[Aabb]) -> Answer {
        let mut answer = Answer::default();
        for window in windows {
            let _ = self
                .tree
                .query_box(window, |row, _| count(&mut answer, row));
        }
        answer
    }

    fn at(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &point in points {
            let found = self
                .tree
                .query_point(point, |row, _| count(&mut answer, row));
            let _ = found.expect("a point");
        }
        answer
    }

    fn nearest(&mut self, points: &[[f32; 2]]) -> Answer {
        let mut answer = Answer::default();
        for &point in points {
            let query = NearestQuery {
                point,
                k: 1,
                max_distance: f32::INFINITY,
            };
            let found = self.tree.nearest(query, &mut self.nearest);
            found.expect("a point");
            answer.add_distance(f64::from(self.nearest[0].distance_squared).sqrt());
        }
        answer
    }
}

fn count(answer: &mut Answer, row: u32) -> ControlFlow<()> {
    answer.add_row(row);
    ControlFlow::Continue(())
}

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
