//! The nearest few, found by searching larger and larger boxes around a point.
//!
//! Works for any structure that can say what touches a box.

use std::cmp::Ordering;

use crate::aabb::Aabb;
use crate::query::window_around;

/// What to search for: up to `k` things around `point`, none farther than `max_distance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestQuery {
    /// Where to look. Not NaN.
    pub point: [f32; 2],
    /// How many to find.
    pub k: usize,
    /// How far to look; may be infinite. Not NaN, not negative. Squares decide, as `f32`: a box at the distance `d` is near enough if
    /// `d * d <= max_distance * max_distance`. So from `1.8e19` on everything is near enough, and with less than `2.6e-23` everything that
    /// is no farther than that.
    pub max_distance: f32,
}

/// A result with its distance. Ordered by distance, then by row.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<T> {
    /// The squared distance from the point to the row's box, 0 if the point is inside.
    pub distance_squared: f32,
    /// The row, which breaks ties.
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

/// Visits what is around a point, roughly nearest first, each thing once.
///
/// `look` is given a window. It calls back with the row, the box and any other data of everything that touches the
/// window, and returns whether the window holds everything there is. The first window reaches `first_reach` around
/// the point, each further one twice as far. `visit` returns the squared distance beyond which nothing is of interest
/// any more. This starts at `limit` and must not grow: nothing beyond it is visited, and no window reaches much
/// farther.
pub fn visit_by_boxes<T>(
    point: [f32; 2],
    first_reach: f32,
    limit: f32,
    mut look: impl FnMut(&Aabb, &mut dyn FnMut(u32, &Aabb, T)) -> bool,
    mut visit: impl FnMut(Ranked<T>) -> f32,
) {
    let mut limit = limit;
    let mut before: Option<Aabb> = None;
    // Its square is no less than the limit, because a square root is off by less than one step.
    let farthest = |limit: f32| limit.sqrt().next_up();
    let mut reach = first_reach.max(f32::MIN_POSITIVE).min(farthest(limit));
    loop {
        let window = window_around(point, reach);
        let holds_everything = look(&window, &mut |row, aabb, item| {
            let distance_squared = aabb.distance_squared(point);
            let again = before.is_some_and(|before| before.overlaps(aabb));
            if !again && distance_squared <= limit {
                limit = visit(Ranked {
                    distance_squared,
                    row,
                    item,
                });
            }
        });
        // Everything outside the window is farther than `reach`.
        if limit <= reach * reach || holds_everything {
            break;
        }
        before = Some(window);
        reach = (reach * 2.0).min(farthest(limit));
    }
}

/// The `k` least of the items offered, kept at the end of the caller's vector, after what was already there: a heap
/// with the greatest of them on top. (Williams, "Algorithm 232: Heapsort", 1964.)
///
/// Allocates nothing once the vector has room.
pub struct Least<'v, T, F> {
    kept: &'v mut Vec<T>,
    /// Where the heap begins.
    first: usize,
    k: usize,
    order: F,
}

impl<'v, T, F: Fn(&T, &T) -> Ordering> Least<'v, T, F> {
    /// Keeps at most `k` items; none so far.
    pub fn new(k: usize, kept: &'v mut Vec<T>, order: F) -> Self {
        Self {
            first: kept.len(),
            kept,
            k,
            order,
        }
    }

    /// The greatest of the `k` least; `None` while there are fewer than `k`.
    #[inline]
    #[must_use]
    pub fn greatest(&self) -> Option<&T> {
        let heap = &self.kept[self.first..];
        heap.first().filter(|_| heap.len() == self.k)
    }

    /// Whether a candidate would be among the `k` least so far.
    #[inline]
    #[must_use]
    pub fn takes(&self, candidate: &T) -> bool {
        let is_less = |greatest| (self.order)(candidate, greatest).is_lt();
        self.kept.len() - self.first < self.k || self.greatest().is_some_and(is_less)
    }

    /// Adds an item if it is among the `k` least so far, dropping the greatest if there are then more than `k`.
    pub fn push(&mut self, item: T) {
        self.push_if(item, |_| true);
    }

    /// Like [`push`](Self::push), but the item must also be accepted. `accept` is not called for what would not be
    /// among the least.
    pub fn push_if(&mut self, item: T, accept: impl FnOnce(&T) -> bool) {
        if !self.takes(&item) || !accept(&item) {
            return;
        }
        let len = self.kept.len() - self.first;
        if len < self.k {
            self.kept.push(item);
            rise(&mut self.kept[self.first..], len, &self.order);
        } else {
            self.kept[self.first] = item;
            sink(&mut self.kept[self.first..], &self.order);
        }
    }

    /// Sorts the items in place.
    pub fn sort(self) {
        self.kept[self.first..].sort_unstable_by(self.order);
    }
}

/// Moves an item up until the one above it is no less.
fn rise<T>(heap: &mut [T], mut here: usize, order: &impl Fn(&T, &T) -> Ordering) {
    while here > 0 {
        let above = (here - 1) / 2;
        if order(&heap[here], &heap[above]).is_le() {
            break;
        }
        heap.swap(here, above);
        here = above;
    }
}

/// Moves the top item down until those below it are no greater.
fn sink<T>(heap: &mut [T], order: &impl Fn(&T, &T) -> Ordering) {
    let mut here = 0;
    loop {
        let below = 2 * here + 1..heap.len().min(2 * here + 3);
        let Some(greater) = below.max_by(|&a, &b| order(&heap[a], &heap[b])) else {
            break;
        };
        if order(&heap[greater], &heap[here]).is_le() {
            break;
        }
        heap.swap(here, greater);
        here = greater;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;
    use proptest::prelude::*;

    /// A window is a square, and its corners are farther away than its sides: something found in a corner is not yet
    /// the nearest, however slightly farther it is.
    #[test]
    fn what_lies_in_a_corner_of_the_window_may_be_farther_than_what_lies_beside_it() {
        let boxes = [[0.8, 0.6002], [1.0001, 0.0]].map(|point| Aabb::point(point).unwrap());
        let look = |window: &Aabb, visit: &mut dyn FnMut(u32, &Aabb, ())| {
            for (row, aabb) in (0..).zip(&boxes).filter(|(_, aabb)| aabb.overlaps(window)) {
                visit(row, aabb, ());
            }
            false
        };
        let mut visited = Vec::new();
        visit_by_boxes([0.0; 2], 1.0, f32::INFINITY, look, |candidate| {
            visited.push(candidate.row);
            candidate.distance_squared
        });
        assert_eq!(visited, [0, 1]);
    }

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

    fn place() -> BoxedStrategy<f32> {
        prop_oneof![
            4 => -10.0_f32..10.0,
            1 => prop_oneof![Just(1e30_f32), Just(-f32::MAX), Just(0.0), Just(1e-30)],
        ]
        .boxed()
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
            let mut found = vec![Ranked { distance_squared: 0.0, row: 77, item: () }];
            let mut visited = Vec::new();
            if k > 0 {
                let mut best = Least::new(k, &mut found, Ranked::cmp);
                let limit = max_distance * max_distance;
                let look = |window: &Aabb, visit: &mut dyn FnMut(u32, &Aabb, ())| {
                    for (row, aabb) in (0..).zip(&boxes).filter(|(_, aabb)| aabb.overlaps(window)) {
                        visit(row, aabb, ());
                    }
                    boxes.iter().all(|aabb| window.contains(aabb))
                };
                visit_by_boxes([x, y], first_reach, limit, look, |candidate| {
                    visited.push(candidate.row);
                    best.push(candidate);
                    best.greatest().map_or(limit, |greatest| greatest.distance_squared)
                });
                best.sort();
            }
            visited.sort_unstable();
            prop_assert!(visited.windows(2).all(|two| two[0] < two[1]), "once: {visited:?}");
            prop_assert_eq!(found.remove(0).row, 77, "what was there stays");
            let found: Vec<_> = found.iter().map(|r| (r.row, r.distance_squared)).collect();
            prop_assert_eq!(found, plainly(&boxes, query));
        }

        #[test]
        fn the_least_of_what_is_offered(offered in prop::collection::vec(0_u8..20, 0..60), k in 0_usize..9) {
            let mut kept = Vec::new();
            let mut least = Least::new(k, &mut kept, u8::cmp);
            for (before, &item) in offered.iter().enumerate() {
                let no_greater = offered[..before].iter().filter(|&&other| other <= item).count();
                prop_assert_eq!(least.takes(&item), no_greater < k);
                least.push(item);
            }
            least.sort();
            let mut expected = offered;
            expected.sort_unstable();
            expected.truncate(k);
            prop_assert_eq!(kept, expected);
        }
    }
}
