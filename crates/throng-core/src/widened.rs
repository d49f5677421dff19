//! A structure as if its boxes were larger.

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::box_run::BoxRun;
use crate::box_source::{BoxSource, PairsAtOnce};

/// The boxes of a source, each [widened](Aabb::widened) by a distance; by 0, they are as they are.
#[derive(Clone, Copy)]
pub struct Widened<'s> {
    source: &'s dyn BoxSource,
    by: f32,
}

impl<'s> Widened<'s> {
    /// The boxes of a source, larger by a distance that is not NaN.
    #[must_use]
    pub fn new(source: &'s dyn BoxSource, by: f32) -> Self {
        Self { source, by }
    }

    fn is_wider(&self) -> bool {
        self.by > 0.0
    }
}

impl BoxSource for Widened<'_> {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        if !self.is_wider() {
            self.source.gather(window, arena, found);
            return;
        }
        let first = found.len();
        let window = window.widened(self.by);
        self.source.gather(&window, arena, found);
        found.replace_from(first, |aabb| aabb.widened(self.by));
    }

    /// Only without widening: a structure that compares many boxes at once compares its own as they are.
    fn at_once(&self) -> Option<&dyn PairsAtOnce> {
        self.source.at_once().filter(|_| !self.is_wider())
    }

    fn spacing(&self) -> Option<f32> {
        self.source.spacing()
    }

    fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        let bounds = self.source.bounds()?;
        Some(if self.is_wider() {
            bounds.widened(self.by)
        } else {
            bounds
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::box_list::BoxList;

    #[test]
    fn boxes_reach_farther_and_others_in_a_run_stay_as_they_are() {
        let mut list = BoxList::default();
        list.push([[0.0; 2], [1.0; 2]], 7);
        list.push([[8.0; 2], [9.0; 2]], 8);
        let window = Aabb::new([1.5, 0.0], [2.0, 1.0]).unwrap();
        let arena = Arena::default();
        for (by, expected) in [(0.0, 0), (0.25, 0), (0.5, 1), (7.0, 2)] {
            let wide = Widened::new(&list, by);
            let mut found = BoxRun::with_capacity(&arena, 4, false);
            found.push([[-3.0; 2], [-2.0; 2]], 1);
            wide.gather(&window, &arena, &mut found);
            assert_eq!(found.len(), 1 + expected, "{by}");
            assert_eq!(found.corners(0), [[-3.0; 2], [-2.0; 2]]);
            for k in 1..found.len() {
                let [min, max] = found.corners(k);
                assert!(Aabb::of_corners(min, max).overlaps(&window));
            }
            let bounds = wide.bounds().unwrap();
            let wide = Aabb::new([-by; 2], [9.0 + by; 2]).unwrap();
            assert!(bounds.contains(&wide));
            assert_eq!(bounds.max()[0] == 9.0, by == 0.0);
        }
        assert!(Widened::new(&BoxList::default(), 1.0).is_empty());
    }
}
