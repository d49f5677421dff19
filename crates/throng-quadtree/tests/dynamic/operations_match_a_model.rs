//! Random changes against a list of boxes. Search results do not depend on clean-ups, and ids of removed elements are
//! refused.

use crate::any_boxes::{any_box, any_config};
use crate::common::{pairs, validate};
use proptest::prelude::*;
use std::collections::BTreeSet;
use throng_core::Aabb;
use throng_quadtree::{ElementId, Quadtree, QuadtreeError};
use throng_scenes::sorted;

#[derive(Clone, Debug)]
enum Operation {
    Insert(Aabb),
    /// Of the element at this position in the model.
    Set(usize, Aabb),
    /// A small step that mostly stays in the same nodes.
    Nudge(usize),
    Remove(usize),
    /// Many at once, so that whole branches become empty.
    RemoveHalf,
    CleanUp,
    Clear,
}

fn any_operation() -> BoxedStrategy<Operation> {
    let place = || 0..usize::MAX;
    prop_oneof![
        12 => any_box().prop_map(Operation::Insert),
        6 => (place(), any_box()).prop_map(|(place, aabb)| Operation::Set(place, aabb)),
        4 => place().prop_map(Operation::Nudge),
        5 => place().prop_map(Operation::Remove),
        1 => Just(Operation::RemoveHalf),
        3 => Just(Operation::CleanUp),
        1 => Just(Operation::Clear),
    ]
    .boxed()
}

/// What is in the tree, and ids of what was removed.
#[derive(Default)]
struct Model {
    elements: Vec<(ElementId, Aabb, u32)>,
    stale: Vec<ElementId>,
    inserted: u32,
}

impl Model {
    fn remove(&mut self, tree: &mut Quadtree<u32>, place: usize) {
        let (id, _, value) = self.elements.swap_remove(place);
        assert_eq!(tree.remove(id), Ok(value));
        self.stale.push(id);
    }

    fn apply(&mut self, tree: &mut Quadtree<u32>, operation: &Operation) {
        let len = self.elements.len().max(1);
        match *operation {
            Operation::Insert(aabb) => {
                let value = self.inserted;
                self.inserted += 1;
                let id = tree.insert(aabb, value).unwrap();
                self.elements.push((id, aabb, value));
            }
            Operation::Set(place, aabb) => {
                if let Some((id, old, _)) = self.elements.get_mut(place % len) {
                    assert_eq!(tree.set_aabb(*id, aabb), Ok(()));
                    *old = aabb;
                }
            }
            Operation::Nudge(place) => {
                if let Some((id, old, _)) = self.elements.get_mut(place % len)
                    && let (min, max) = (old.min(), old.max().map(|side| side + 0.1))
                    && let Ok(aabb) = Aabb::new(min, max)
                {
                    assert_eq!(tree.set_aabb(*id, aabb), Ok(()));
                    *old = aabb;
                }
            }
            Operation::Remove(place) => {
                if place % len < self.elements.len() {
                    self.remove(tree, place % len);
                }
            }
            Operation::RemoveHalf => {
                for _ in 0..self.elements.len() / 2 {
                    self.remove(tree, 0);
                }
            }
            Operation::CleanUp => tree.clean_up(),
            Operation::Clear => {
                tree.clear();
                self.stale
                    .extend(self.elements.drain(..).map(|(id, ..)| id));
            }
        }
    }

    fn assert_same(&mut self, tree: &mut Quadtree<u32>, window: &Aabb) {
        validate(tree, "drawn");
        assert_eq!(tree.len(), self.elements.len());
        assert_eq!(tree.is_empty(), self.elements.is_empty());
        for &(id, aabb, value) in &self.elements {
            assert!(tree.contains(id));
            assert_eq!((tree.aabb(id), tree.get(id)), (Ok(aabb), Ok(&value)));
        }
        for &id in &self.stale {
            assert!(!tree.contains(id));
            assert_eq!(tree.get(id), Err(QuadtreeError::Stale { id }));
            assert_eq!(tree.get_mut(id), Err(QuadtreeError::Stale { id }));
            assert_eq!(tree.aabb(id), Err(QuadtreeError::Stale { id }));
            assert_eq!(tree.set_aabb(id, *window), Err(QuadtreeError::Stale { id }));
            assert_eq!(tree.remove(id), Err(QuadtreeError::Stale { id }));
        }
        let mut expected = Vec::new();
        for (k, (_, a_box, a)) in self.elements.iter().enumerate() {
            let others = self.elements[k + 1..].iter();
            let met = others.filter(|(_, b_box, _)| a_box.overlaps(b_box));
            expected.extend(met.map(|(_, _, b)| [*a.min(b), *a.max(b)]));
        }
        assert_eq!(pairs(tree), sorted(expected));
        let touching = self
            .elements
            .iter()
            .filter(|(_, aabb, _)| aabb.overlaps(window));
        let expected: BTreeSet<_> = touching.map(|(id, ..)| *id).collect();
        let found = tree.find_in_aabb(window);
        assert_eq!(found.len(), expected.len());
        assert_eq!(BTreeSet::from_iter(found), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_is_a_list_of_boxes(
        operations in prop::collection::vec((any_operation(), any_box()), 1..150),
        config in any_config(),
    ) {
        let mut tree = Quadtree::new(config).unwrap();
        let mut model = Model::default();
        for (operation, window) in &operations {
            model.apply(&mut tree, operation);
            model.assert_same(&mut tree, window);
        }
        tree.clean_up();
        model.assert_same(&mut tree, &Aabb::EVERYWHERE);
    }
}

#[test]
fn values_can_be_anything_and_change() {
    let unit = Aabb::new([0.0; 2], [1.0; 2]).unwrap();
    let mut tree = Quadtree::new(Default::default()).unwrap();
    let dragon = tree.insert(unit, String::from("dragon")).unwrap();
    let ent = tree.insert(unit, String::from("ent")).unwrap();
    tree.get_mut(dragon).unwrap().push_str(" of the north");
    let names: Vec<&String> = tree.iter().map(|element| element.value()).collect();
    assert_eq!(names, ["dragon of the north", "ent"]);
    let copy = tree.clone();
    assert_eq!(tree.remove(dragon).as_deref(), Ok("dragon of the north"));
    assert_eq!(copy.find_pairs(), [[dragon, ent]]);
    assert!(tree.find_pairs().is_empty());
}
