//! The nearest few, found by looking at ever larger boxes around a point.
//!
//! Any structure that can say what touches a box can be asked: the loop here needs nothing else of it.

use std::collections::BinaryHeap;

use crate::aabb::Aabb;
use crate::query::window_around;

/// What is asked for: up to `k` things around `point`, none farther than `max_distance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestQuery {
    /// Where to look. Not NaN.
    pub point: [f32; 2],
    /// How many to find.
    pub k: usize,
    /// How far to look; may be infinite. Not NaN, not negative.
    pub max_distance: f32,
}

/// Something with its distance. Ordered by distance, then by row.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<T> {
    /// The squared distance from the point to the row's box, 0 if it holds the point.
    pub distance_squared: f32,
    /// The row, which settles equal distances.
    pub row: u32,
    /// What was found.
    pub item: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_distance = self.distance_squared.total_cmp(&other.distance_squared);
        by_distance.then(self.row.cmp(&other.row))
    }
}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The nearest things, in order.
///
/// `look` calls back with everything that touches a box, and returns whether that box holds everything
/// there is. The first box reaches `first_reach` around the point, each further one twice as far, until
/// one surely holds the answer. `accept` is asked only of what would be among the nearest so far, once for
/// each box looked at.
pub fn nearest_by_boxes<T>(
    query: NearestQuery,
    first_reach: f32,
    mut accept: impl FnMut(&T) -> bool,
    mut look: impl FnMut(&Aabb, &mut dyn FnMut(Ranked<T>)) -> bool,
) -> Vec<Ranked<T>> {
    let NearestQuery {
        point,
        k,
        max_distance,
    } = query;
    let limit = max_distance * max_distance;
    let mut best: BinaryHeap<Ranked<T>> = BinaryHeap::new();
    let mut reach = first_reach.max(f32::MIN_POSITIVE).min(max_distance);
    if k == 0 {
        return Vec::new();
    }
    loop {
        best.clear();
        let holds_everything = look(&window_around(point, reach), &mut |candidate| {
            let full = best.len() == k;
            if candidate.distance_squared <= limit
                && (!full || best.peek().is_some_and(|worst| candidate < *worst))
                && accept(&candidate.item)
            {
                if full {
                    best.pop();
                }
                best.push(candidate);
            }
        });
        // Whatever lies outside the box is farther than `reach`.
        let worst = best.peek().filter(|_| best.len() == k);
        let surely = worst.is_some_and(|worst| worst.distance_squared <= reach * reach);
        if surely || holds_everything || reach >= max_distance || reach == f32::INFINITY {
            break;
        }
        reach = (reach * 2.0).min(max_distance);
    }
    best.into_sorted_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;
    use proptest::prelude::*;

    fn plainly(boxes: &[Aabb], query: NearestQuery) -> Vec<(u32, f32)> {
        let limit = query.max_distance * query.max_distance;
        let mut all: Vec<_> = (0..)
            .zip(boxes.iter().map(|b| b.distance_squared(query.point)))
            .collect();
        all.retain(|&(_, distance)| distance <= limit);
        all.sort_by(|a: &(u32, f32), b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        all.truncate(query.k);
        all
    }

    fn place() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => -10.0_f32..10.0,
            1 => prop_oneof![Just(1e30_f32), Just(-f32::MAX), Just(0.0), Just(1e-30)],
        ]
    }

    proptest! {
        #[test]
        fn the_nearest_of_a_list(
            boxes in prop::collection::vec((place(), place(), 0.0_f32..3.0), 0..30),
            x in place(), y in place(), k in 0_usize..6,
            max_distance in prop_oneof![Just(f32::INFINITY), 0.0_f32..20.0],
            first_reach in prop_oneof![Just(0.0_f32), Just(f32::INFINITY), 0.0_f32..5.0],
        ) {
            let boxes: Vec<_> = boxes
                .into_iter()
                .map(|(x, y, half)| Aabb::from_center([x, y], [half, half]).unwrap())
                .collect();
            let query = NearestQuery { point: [x, y], k, max_distance };
            let found = nearest_by_boxes(query, first_reach, |_| true, |window, visit| {
                for (row, aabb) in (0..).zip(&boxes).filter(|(_, aabb)| aabb.overlaps(window)) {
                    let distance_squared = aabb.distance_squared(query.point);
                    visit(Ranked { distance_squared, row, item: () });
                }
                boxes.iter().all(|aabb| window.contains(aabb))
            });
            let found: Vec<_> = found.iter().map(|r| (r.row, r.distance_squared)).collect();
            prop_assert_eq!(found, plainly(&boxes, query));
        }
    }
}
