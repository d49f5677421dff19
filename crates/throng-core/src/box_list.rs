//! A handful of boxes, as other structures see them.

use educe::Educe;

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::box_run::BoxRun;
use crate::box_source::BoxSource;

/// Boxes in a list, each of which is looked at in every search: for a few of them.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub struct BoxList {
    boxes: Vec<(Aabb, u32)>,
}

impl BoxList {
    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.boxes.clear();
    }

    /// Adds a box.
    pub fn push(&mut self, [min, max]: [[f32; 2]; 2], row: u32) {
        self.boxes.push((Aabb::of_corners(min, max), row));
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Bytes of memory that the list holds.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<(Aabb, u32)>()
    }
}

/// In the order in which they were added.
impl BoxSource for BoxList {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        for (aabb, row) in &self.boxes {
            if aabb.overlaps(window) {
                found.make_room(arena, 1);
                found.push([aabb.min(), aabb.max()], *row);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        let boxes = self.boxes.iter().map(|(aabb, _)| *aabb);
        boxes.reduce(|all, aabb| all.union(&aabb))
    }
}
