//! What is asked of trees.

use std::ops::ControlFlow;

use throng_core::{Aabb, RayCast};
use throng_quadtree::PackedQuadtree;

/// Windows or points, all of one kind.
pub enum Queries {
    /// What touches each?
    Windows(Vec<Aabb>),
    /// What holds each?
    Points(Vec<[f32; 2]>),
    /// What is nearest to each?
    Nearest(Vec<[f32; 2]>),
}

/// Windows that find about so many boxes each.
const HITS: [f64; 3] = [1.0, 10.0, 1000.0];
/// The longest side in which queries that follow each other lie together: this part of the world's.
const NEARBY: f32 = 1.0 / 64.0;
const QUERIES: usize = 4096;
/// From how many of them the size of windows is found.
const SAMPLE: usize = 512;

/// Every kind of question, in random order and in the order of space, with its name.
pub fn questions(tree: &PackedQuadtree) -> Vec<(String, Queries)> {
    let bounds = tree.bounds().expect("there are boxes");
    let mut places = places(&bounds, QUERIES);
    let mut all = Vec::new();
    for order in ["random", "space order"] {
        for hits in HITS
            .into_iter()
            .filter(|hits| *hits < tree.len() as f64 / 4.0)
        {
            let half = half_that_finds(hits, tree, &places);
            let windows = places.iter().map(|&place| window(place, half));
            // A thousand hits each are as many as a thousand questions.
            let few = if hits > 100.0 { QUERIES / 16 } else { QUERIES };
            let name = format!("box, {hits} hits, {order}");
            all.push((name, Queries::Windows(windows.take(few).collect())));
        }
        all.push((format!("point, {order}"), Queries::Points(places.clone())));
        all.push((
            format!("nearest, {order}"),
            Queries::Nearest(places.clone()),
        ));
        sort_by_cells(&mut places, &bounds);
    }
    all
}

/// Rays from all over the world, in all directions, each as long as it takes to hit something more often than not.
/// Asked of the packed tree alone: the others have no such search.
pub fn shots(tree: &PackedQuadtree) -> Vec<RayCast> {
    let bounds = tree.bounds().expect("there are boxes");
    let places = places(&bounds, QUERIES);
    let length = 2.0 * half_that_finds(10.0, tree, &places);
    let shots = places.iter().enumerate().map(|(k, &[x, y])| {
        let (sin, cos) = (k as f32).sin_cos();
        RayCast::from_to([x, y], [x + length * cos, y + length * sin]).expect("finite ends")
    });
    shots.collect()
}

/// So many windows all over the world that find about so many boxes each, in random order.
pub fn windows_that_find(hits: f64, tree: &PackedQuadtree, count: usize) -> Vec<Aabb> {
    let places = places(&tree.bounds().expect("there are boxes"), count);
    let half = half_that_finds(hits, tree, &places);
    places.iter().map(|&place| window(place, half)).collect()
}

/// Places all over the world, by the additive recurrence of Roberts (2018), whose points are nowhere crowded; a
/// multiplication takes the order out of them.
fn places(bounds: &Aabb, count: usize) -> Vec<[f32; 2]> {
    let (min, max) = (bounds.min(), bounds.max());
    let at = |k: usize| {
        let k = ((k * 1597) % count) as f64;
        let share =
            [0.754_877_666_246_692_7, 0.569_840_290_998_053_2].map(|step| (0.5 + step * k).fract());
        [0, 1].map(|axis| min[axis] + (max[axis] - min[axis]) * share[axis] as f32)
    };
    (0..count).map(at).collect()
}

fn window(place: [f32; 2], half: f32) -> Aabb {
    Aabb::from_center(place, [half; 2]).expect("places are finite")
}

/// The half side of windows that find so many boxes on average, by halving.
fn half_that_finds(hits: f64, tree: &PackedQuadtree, places: &[[f32; 2]]) -> f32 {
    let mean = |half: f32| {
        let mut found = 0_u64;
        let sample = places.iter().step_by(places.len().div_ceil(SAMPLE));
        let count = sample.len() as f64;
        for &place in sample {
            let every: ControlFlow<()> = tree.query_aabb(&window(place, half), |_, _| {
                found += 1;
                ControlFlow::Continue(())
            });
            debug_assert!(every.is_continue());
        }
        found as f64 / count
    };
    let bounds = tree.bounds().expect("there are boxes");
    let (mut low, mut high) = (0.0, bounds.max()[0] - bounds.min()[0]);
    for _ in 0..24 {
        let middle = (low + high) / 2.0;
        if mean(middle) < hits {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Cell after cell, there and back.
fn sort_by_cells(places: &mut [[f32; 2]], bounds: &Aabb) {
    let cell = |place: [f32; 2], axis: usize| {
        let side = (bounds.max()[axis] - bounds.min()[axis]) * NEARBY;
        ((place[axis] - bounds.min()[axis]) / side) as i32
    };
    places.sort_by_key(|&place| {
        let (column, row) = (cell(place, 0), cell(place, 1));
        (row, if row % 2 == 0 { column } else { -column })
    });
}

impl Queries {
    /// How many are asked.
    pub fn count(&self) -> usize {
        match self {
            Self::Windows(windows) => windows.len(),
            Self::Points(points) | Self::Nearest(points) => points.len(),
        }
    }
}
