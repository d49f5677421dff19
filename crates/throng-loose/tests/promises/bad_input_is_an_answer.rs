//! What cannot be held is left out and counted; what makes no sense is refused with a reason, and changes
//! nothing.

use crate::changeable::{CHANGEABLE, Fineness};
use crate::common::{STRUCTURES, build, pairs, rows_touching, update_from, validate};
use crate::scenes::scenes;
use fixedbitset::FixedBitSet;
use throng_core::{Aabb, Boxes, Serial, SimdLevel, SimdUnavailable};
use throng_loose::{
    BoxStrips, DoubleGrid, DoubleGridConfig, LooseError, LooseQuadtree, LooseQuadtreeConfig,
    LooseStructure, MOST_ROWS, StripsConfig,
};
use throng_scenes::{log_uniform_boxes, overlapping_pairs, sorted};

#[test]
fn sizes_that_make_no_sense_are_refused() {
    for size in [f32::NAN, f32::INFINITY, 0.0, -1.0] {
        let strips = StripsConfig::new().strip_height(size);
        let [loose, tight] = [
            DoubleGridConfig::new().loose_cell(size),
            DoubleGridConfig::new().tight_cell(size),
        ];
        let errors = [
            ("strip_height", BoxStrips::new(strips).err()),
            ("loose_cell", DoubleGrid::new(loose).err()),
            ("tight_cell", DoubleGrid::new(tight).err()),
        ];
        for (field, error) in errors {
            let error = error.expect("it makes no sense");
            assert!(error.to_string().starts_with(field), "{error}");
            assert!(matches!(error, LooseError::Size { .. }), "{error}");
            assert!(error.to_string().contains("above zero"), "{error}");
        }
    }
}

#[test]
fn counts_out_of_range_are_refused() {
    let refused = |config| LooseQuadtree::new(config).unwrap_err().to_string();
    assert!(refused(LooseQuadtreeConfig::new().split_above(0)).contains("1 to 65536"));
    assert!(refused(LooseQuadtreeConfig::new().split_above(65537)).contains("65537"));
    assert!(refused(LooseQuadtreeConfig::new().max_depth(0)).contains("1 to 24"));
    assert!(refused(LooseQuadtreeConfig::new().max_depth(25)).contains("25"));
}

#[test]
fn levels_that_are_not_there_are_refused() {
    for level in SimdLevel::ALL {
        let errors = [
            BoxStrips::new(StripsConfig::new().simd(level)).err(),
            DoubleGrid::new(DoubleGridConfig::new().simd(level)).err(),
            LooseQuadtree::new(LooseQuadtreeConfig::new().simd(level)).err(),
        ];
        let best = SimdLevel::detect();
        let expected = (!level.is_available())
            .then_some(LooseError::Simd(SimdUnavailable { given: level, best }));
        for error in errors {
            assert_eq!(error, expected, "{level}");
        }
    }
}

#[test]
fn rows_that_are_no_boxes_are_listed() {
    let scene = log_uniform_boxes(300, [1.0, 20.0], 2.0, 16).spoiled();
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    update_from(&mut strips, scene.boxes(), &scene.name, &Serial);
    let no_boxes: Vec<u32> = (0..300).filter(|row| row % 9 < 5).collect();
    assert_eq!(strips.rejected_rows(), no_boxes);
    let held = |row: u32| row < 300 && row % 9 >= 5;
    assert!((0..310).all(|row| strips.contains(row) == held(row)));
}

#[test]
fn absent_rows_are_not_there() {
    for scene in scenes(300, 17) {
        let rows = scene.len().saturating_sub(30);
        let mut absent = FixedBitSet::with_capacity(rows);
        absent.extend((0..rows).filter(|row| row % 3 == 0 || (100..160).contains(row)));
        let rest = scene.without(absent.ones());
        let held: Vec<u32> = (0..scene.len() as u32)
            .filter(|&row| rest.aabb(row as usize).is_some())
            .collect();
        for (structure, make) in STRUCTURES {
            let name = format!("{structure}, {}", scene.name);
            let mut built = make(SimdLevel::detect());
            for _ in 0..2 {
                update_from(&mut *built, scene.boxes().without(&absent), &name, &Serial);
                let masks = crate::scenes::row_masks(&scene);
                let found = sorted(pairs(&*built, masks, &Serial));
                assert!(found == overlapping_pairs(&rest), "{name}");
                assert_eq!(rows_touching(&*built, &Aabb::EVERYWHERE), held, "{name}");
            }
            // Nothing is absent any more.
            update_from(&mut *built, scene.boxes(), &name, &Serial);
        }
    }
}

#[test]
fn strips_know_which_rows_are_absent() {
    let scene = log_uniform_boxes(400, [1.0, 20.0], 3.0, 18);
    let absent: FixedBitSet = (0..350).filter(|row| row % 3 == 0).collect();
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    strips
        .update(scene.boxes().without(&absent), &Serial)
        .unwrap();
    assert!((0..400).all(|row| strips.contains(row) != absent.contains(row as usize)));
    strips.update(scene.boxes(), &Serial).unwrap();
    assert!((0..400).all(|row| strips.contains(row)));
}

#[test]
fn rows_that_are_there_or_not_are_errors() {
    let unit = Aabb::new([0.0; 2], [1.0; 2]).unwrap();
    for (structure, make) in CHANGEABLE {
        let mut built = make(Fineness::Chosen);
        built.insert(3, unit).unwrap();
        assert_eq!(built.insert(3, unit), Err(LooseError::Present { row: 3 }));
        assert_eq!(built.set(2, unit), Err(LooseError::Absent { row: 2 }));
        for given in [MOST_ROWS as u32, u32::MAX] {
            let refused = built.insert(given, unit).unwrap_err();
            assert_eq!(refused, LooseError::RowTooHigh { given });
            let highest = (MOST_ROWS - 1).to_string();
            assert!(refused.to_string().contains(&highest), "{refused}");
            assert_eq!(built.remove(given), Err(LooseError::Absent { row: given }));
        }
        assert_eq!(
            (built.len(), built.get(3), built.get(2)),
            (1, Some(unit), None)
        );
        validate(&*built, structure);
    }
    let said = |error: LooseError| error.to_string();
    assert!(said(LooseError::Present { row: 3 }).contains("row 3 is there already"));
    assert!(said(LooseError::Absent { row: 3 }).contains("row 3 is not there"));
}

/// One column serves as all four, and is memory that nobody touches: rows are counted before they are read.
#[test]
fn too_many_rows_are_refused_and_nothing_changes() {
    let column = vec![0.0_f32; MOST_ROWS + 1];
    let too_many = Boxes::new([&column; 2], [&column; 2]).unwrap();
    let scene = log_uniform_boxes(200, [1.0, 20.0], 2.0, 19);
    for (structure, make) in STRUCTURES {
        let mut built = build(make, &scene, SimdLevel::detect(), &Serial);
        let refused = built.update(too_many, &Serial).unwrap_err();
        let given = MOST_ROWS + 1;
        assert_eq!(refused, LooseError::TooManyRows { given }, "{structure}");
        validate(&*built, structure);
        let found = sorted(pairs(&*built, None, &Serial));
        assert!(found == overlapping_pairs(&scene), "{structure}");
    }
}
