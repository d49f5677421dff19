//! What static trees are asked, and ours, asked the way that suits it best.

use std::ops::ControlFlow;

use throng_core::{Aabb, Boxes, NearestQuery, RayCast, Serial};
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
    /// Adds a row that was found.
    #[inline]
    pub fn add_row(&mut self, row: u32) {
        self.found += 1;
        self.rows += u64::from(row);
    }

    /// Adds something found at a distance.
    #[inline]
    pub fn add_distance(&mut self, distance: f64) {
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

    /// Finds what each ray hits first, and sums how far along it that is.
    pub fn first_hits(&self, rays: &[RayCast]) -> Answer {
        let mut answer = Answer::default();
        for hit in rays.iter().filter_map(|ray| self.tree.cast_first(ray)) {
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
                .query_aabb(window, |row, _| count(&mut answer, row));
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
            let found = self.tree.find_nearest(query, &mut self.nearest);
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
