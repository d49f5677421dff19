//! A tree checks itself.

use crate::dynamic::Quadtree;
use crate::dynamic::cursor::{At, Cursor, Siblings};
use crate::dynamic::nodes::Node;
use crate::dynamic::sides::sides_of;
use throng_core::overlaps_1d;

/// What a validation has seen so far.
struct Seen {
    nodes: usize,
    bundles: usize,
    /// How many nodes each element is in, by index.
    copies: Vec<u32>,
}

impl<T> Quadtree<T> {
    /// Checks the invariants stated at [`Quadtree`]. O(elements · depth); for tests.
    ///
    /// # Errors
    ///
    /// The first broken invariant, in words.
    pub fn validate(&self) -> Result<(), String> {
        self.values.validate()?;
        let indices = self.values.slots_len() as usize;
        ensure(
            [self.boxes.len(), self.generations.len(), self.deepest.len()] == [indices; 3],
            || format!("{} boxes for {indices} elements", self.boxes.len()),
        )?;
        for (handle, _) in self.values.iter() {
            let generation = self.generations[handle.index() as usize];
            ensure(generation == handle.generation(), || {
                format!("element {handle} is kept as generation {generation}")
            })?;
        }
        let mut seen = Seen {
            nodes: 0,
            bundles: 0,
            copies: vec![0; indices],
        };
        let mut nodes = Vec::new();
        self.walk(|at, node| nodes.push((*at, node)));
        for (at, node) in nodes {
            self.validate_node(&at, node, &mut seen)?;
        }
        for (index, &copies) in (0..).zip(&seen.copies) {
            let expected = match self.values.get_at(index) {
                Some(_) => self.copies_of(index),
                None => 0,
            };
            ensure(copies == expected, || {
                format!("element {index} is in {copies} nodes instead of {expected}")
            })?;
        }
        ensure(seen.nodes == self.nodes.len(), || {
            format!(
                "{} nodes in the tree, {} counted",
                seen.nodes,
                self.nodes.len()
            )
        })?;
        self.nodes.slots().validate()?;
        self.lists.validate(seen.bundles)
    }

    fn validate_node(&self, at: &At, node: Node, seen: &mut Seen) -> Result<(), String> {
        seen.nodes += 1;
        ensure(at.depth <= self.region.levels, || {
            format!("{at:?} is below the deepest level")
        })?;
        let mut elements: Vec<u32> = self.lists.runs(node.list).flatten().copied().collect();
        seen.bundles += self.lists.validate_list(node.list)?;
        let mut movable = 0;
        let [low, high] = self.region.window(at.low, at.depth);
        for &index in &elements {
            ensure(self.values.get_at(index).is_some(), || {
                format!("element {index} is in {at:?} and was removed")
            })?;
            let sides = sides_of(&self.boxes[index as usize]);
            let level = self.level_of(&sides);
            ensure(at.depth <= level, || {
                format!("element {index} is in {at:?} and may go no deeper than {level}")
            })?;
            ensure(node.is_leaf() || at.depth == level, || {
                format!("element {index} is in {at:?} and belongs below")
            })?;
            let touches = [0, 1]
                .iter()
                .all(|&axis| overlaps_1d(sides[axis], sides[axis + 2], low[axis], high[axis]));
            ensure(touches, || {
                format!("element {index} is in {at:?} and does not touch it")
            })?;
            let deepest = u32::from(self.deepest[index as usize]);
            ensure((at.depth..=level).contains(&deepest), || {
                format!("element {index} is in {at:?}, and no deeper than {deepest}")
            })?;
            movable += u32::from(at.depth < level);
            seen.copies[index as usize] += 1;
        }
        let counted = self.lists.movable(node.list);
        ensure(counted == movable, || {
            format!("{movable} elements of {at:?} could go deeper, {counted} counted")
        })?;
        ensure(!node.is_leaf() || movable <= self.split_above, || {
            format!("{movable} elements of {at:?} could go deeper, and it was not divided")
        })?;
        elements.sort_unstable();
        ensure(elements.is_sorted_by(|a, b| a < b), || {
            format!("an element is in {at:?} twice")
        })
    }

    /// How many nodes an element belongs in.
    fn copies_of(&self, index: u32) -> u32 {
        let sides = sides_of(&self.boxes[index as usize]);
        let level = self.level_of(&sides);
        let mut copies = 0;
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at(at.node);
            if node.is_leaf() || at.depth == level {
                copies += 1;
            } else {
                let split = self.region.split(at.low, at.depth);
                let siblings = Siblings::touched_by(&sides, split);
                cursor.enter(&at, node.children, split, siblings);
            }
        }
        copies
    }
}

/// Checks an invariant; `otherwise` describes what is broken.
pub(super) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
