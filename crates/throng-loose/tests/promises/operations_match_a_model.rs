//! Random changes against a map of boxes, for every structure that changes row by row. What a search finds does
//! not depend on whether anything was cleaned up.

use crate::any_boxes::any_box;
use crate::changeable::{CHANGEABLE, Changeable, Fineness};
use crate::common::{pairs, rows_touching, validate};
use fixedbitset::FixedBitSet;
use proptest::prelude::*;
use std::collections::BTreeMap;
use throng_core::{Aabb, Serial};
use throng_loose::LooseError;
use throng_scenes::{BoxScene, sorted};

const ROWS: u32 = 60;

type Model = BTreeMap<u32, Aabb>;

#[derive(Clone, Debug)]
enum Operation {
    Insert(u32, Aabb),
    Set(u32, Aabb),
    Remove(u32),
    CleanUp,
    Update(Vec<Option<Aabb>>),
    Clear,
}

fn any_operation() -> BoxedStrategy<Operation> {
    let row = || 0..ROWS;
    prop_oneof![
        8 => (row(), any_box()).prop_map(|(row, aabb)| Operation::Insert(row, aabb)),
        8 => (row(), any_box()).prop_map(|(row, aabb)| Operation::Set(row, aabb)),
        6 => row().prop_map(Operation::Remove),
        3 => Just(Operation::CleanUp),
        2 => prop::collection::vec(prop::option::weighted(0.8, any_box()), 0..ROWS as usize)
            .prop_map(Operation::Update),
        1 => Just(Operation::Clear),
    ]
    .boxed()
}

fn apply(structure: &mut dyn Changeable, model: &mut Model, operation: &Operation) {
    match *operation {
        Operation::Insert(row, aabb) => {
            let expected = match model.contains_key(&row) {
                true => Err(LooseError::Present { row }),
                false => Ok(()),
            };
            assert_eq!(structure.insert(row, aabb), expected);
            model.entry(row).or_insert(aabb);
        }
        Operation::Set(row, aabb) => {
            let held = model.get_mut(&row).map(|held| *held = aabb);
            let expected = held.ok_or(LooseError::Absent { row });
            assert_eq!(structure.set(row, aabb), expected);
        }
        Operation::Remove(row) => {
            let expected = model.remove(&row).ok_or(LooseError::Absent { row });
            assert_eq!(structure.remove(row), expected.map(|_| ()));
        }
        Operation::CleanUp => structure.clean_up(),
        Operation::Update(ref rows) => update(structure, model, rows),
        Operation::Clear => {
            structure.clear();
            model.clear();
        }
    }
}

/// An update to some rows. Every other row that is not to be held is absent, the others are no boxes.
fn update(structure: &mut dyn Changeable, model: &mut Model, rows: &[Option<Aabb>]) {
    const NO_BOX: [[f32; 2]; 2] = [[1.0, f32::NAN], [2.0, 0.0]];
    let sides = rows
        .iter()
        .map(|aabb| aabb.map_or(NO_BOX, |aabb| [aabb.min(), aabb.max()]));
    let scene = BoxScene::from_sides("drawn", sides);
    let unsound = (0..rows.len()).filter(|&row| rows[row].is_none());
    let mut absent = FixedBitSet::with_capacity(rows.len());
    absent.extend(unsound.step_by(2));
    let report = structure
        .update(scene.boxes().without(&absent), &Serial)
        .unwrap();

    let held = (0..)
        .zip(rows)
        .filter_map(|(row, aabb)| Some((row, (*aabb)?)));
    let new: Model = held.collect();
    let stayed = new
        .iter()
        .filter_map(|(row, new)| Some((model.get(row)?, new)));
    assert_eq!(report.rows, new.len());
    assert_eq!(report.inserted, new.len() - stayed.clone().count());
    assert_eq!(report.removed, model.len() - stayed.clone().count());
    assert_eq!(report.rejected, (rows.len() - new.len()) / 2);
    assert_eq!(report.moved, stayed.filter(|(old, new)| old != new).count());
    *model = new;
}

fn assert_same(structure: &dyn Changeable, name: &str, model: &Model, window: &Aabb) {
    validate(structure, name);
    assert_eq!(structure.len(), model.len(), "{name}");
    assert_eq!(structure.is_empty(), model.is_empty(), "{name}");
    for row in 0..ROWS + 10 {
        assert_eq!(
            structure.get(row),
            model.get(&row).copied(),
            "{name}, row {row}"
        );
        assert_eq!(structure.contains(row), model.contains_key(&row), "{name}");
    }
    let expected = model.iter().flat_map(|(&a, a_box)| {
        let later = model.range(a + 1..);
        let met = later.filter(|(_, b_box)| a_box.overlaps(b_box));
        met.map(move |(&b, _)| [a, b])
    });
    let found = sorted(pairs(structure, None, &Serial));
    assert_eq!(found, expected.collect::<Vec<_>>(), "{name}");
    let touching = model.iter().filter(|(_, aabb)| aabb.overlaps(window));
    let expected: Vec<u32> = touching.map(|(&row, _)| row).collect();
    assert_eq!(
        rows_touching(structure, window),
        expected,
        "{name}: {window}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_structure_is_a_map_of_boxes(
        operations in prop::collection::vec((any_operation(), any_box()), 1..120),
        depth in 1..=24_u32,
        fine in any::<bool>(),
    ) {
        let fineness = if fine { Fineness::Fine { depth } } else { Fineness::Chosen };
        for (name, make) in CHANGEABLE {
            let mut structure = make(fineness);
            let mut model = Model::new();
            for (operation, window) in &operations {
                apply(&mut *structure, &mut model, operation);
                assert_same(&*structure, name, &model, window);
            }
            structure.clean_up();
            assert_same(&*structure, name, &model, &Aabb::EVERYWHERE);
        }
    }
}
