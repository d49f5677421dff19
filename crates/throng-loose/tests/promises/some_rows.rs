//! A structure of some rows alone holds exactly these, under their own numbers: as if the others were absent.

use crate::changeable::{CHANGEABLE, Fineness};
use crate::common::{
    STRUCTURES, build, pairs, query, rows_touching, update, update_from, validate,
};
use crate::scenes::{row_masks, scenes, with_kinds};
use fixedbitset::FixedBitSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use throng_core::{Aabb, Boxes, Executor, Serial, SimdLevel};
use throng_loose::{BoxStrips, LooseStructure, MOST_ROWS, StripsConfig, UpdateReport};
use throng_scenes::{
    BoxScene, Failing, THREADS, Threads, log_uniform_boxes, overlapping_pairs, sorted,
    step_box_motion,
};

/// Brings a structure to some rows of a scene.
fn update_rows(
    structure: &mut dyn LooseStructure,
    scene: &BoxScene,
    rows: &[u32],
    executor: &dyn Executor,
) -> UpdateReport {
    let columns = scene.boxes().columns();
    let sides: [Vec<f32>; 4] =
        columns.map(|column| rows.iter().map(|&row| column[row as usize]).collect());
    let [x0, y0, x1, y1] = &sides;
    let boxes = Boxes::new([x0, y0], [x1, y1]).unwrap();
    structure.update_rows(boxes, rows, executor).unwrap()
}

/// Checks a structure of some rows of a scene against the oracle.
fn check(structure: &dyn LooseStructure, scene: &BoxScene, rows: &[u32], name: &str) {
    validate(structure, name);
    let is_in: FixedBitSet = rows.iter().map(|&row| row as usize).collect();
    let others = (0..scene.len()).filter(|&row| !is_in.contains(row));
    let found = sorted(pairs(structure, row_masks(scene), &Serial));
    assert!(found == overlapping_pairs(&scene.without(others)), "{name}");
    let sound = |row: &u32| scene.aabb(*row as usize).is_some();
    let held: Vec<u32> = rows.iter().copied().filter(sound).collect();
    assert_eq!(rows_touching(structure, &Aabb::EVERYWHERE), held, "{name}");
    assert_eq!(structure.len(), held.len(), "{name}");
    for (row, aabb) in query(structure, &Aabb::EVERYWHERE, usize::MAX) {
        assert_eq!(scene.aabb(row as usize), Some(aabb), "{name}: row {row}");
    }
}

#[test]
fn some_rows_are_as_all_without_the_others() {
    for scene in scenes(400, 31) {
        let scene = with_kinds(&scene);
        let all = 0..scene.len() as u32;
        // Many of all numbers, and few: a structure may treat these in different ways.
        let many: Vec<u32> = all
            .clone()
            .filter(|row| row % 5 < 2 || (90..200).contains(row))
            .collect();
        let few: Vec<u32> = all.filter(|row| row % 11 == 3).collect();
        for (structure, make) in STRUCTURES {
            for threads in THREADS {
                let name = format!("{structure}, {}, {threads} threads", scene.name);
                let (mut some, executor) = (make(SimdLevel::detect()), Threads(threads));
                for rows in [&few, &many, &many, &few] {
                    let report = update_rows(&mut *some, &scene, rows, &executor);
                    assert_eq!(report.rows + report.rejected, rows.len(), "{name}");
                    check(&*some, &scene, rows, &name);
                }
                // All rows again: nothing is left of the numbers.
                update_from(&mut *some, scene.boxes(), &name, &executor);
                update_rows(&mut *some, &scene, &few, &executor);
                check(&*some, &scene, &few, &name);
                update_rows(&mut *some, &scene, &[], &executor);
                assert!(some.is_empty() && some.chunks() == 0, "{name}");
            }
        }
    }
}

/// Rows come and go, and those that stay move.
#[test]
fn rows_come_go_and_move() {
    for (structure, make) in STRUCTURES {
        let mut scene = log_uniform_boxes(600, [1.0, 30.0], 2.0, 34);
        let mut some = make(SimdLevel::detect());
        let mut rows: Vec<u32> = Vec::new();
        for frame in 0..40_u32 {
            step_box_motion(&mut scene, 3.0, u64::from(frame));
            let before = std::mem::take(&mut rows);
            rows.extend((0..600).filter(|row| (row + 7 * frame) % 41 < 1 + frame % 9));
            let report = update_rows(&mut *some, &scene, &rows, &Serial);
            let stayed = rows.iter().filter(|row| before.contains(row)).count();
            if structure != "strips" {
                assert_eq!(report.removed, before.len() - stayed, "{structure}");
                assert_eq!(report.inserted, rows.len() - stayed, "{structure}");
                assert!(report.moved <= stayed, "{structure}");
            }
            check(
                &*some,
                &scene,
                &rows,
                &format!("{structure}, frame {frame}"),
            );
        }
    }
}

/// What was inserted or removed one by one is not forgotten.
#[test]
fn rows_change_in_between() {
    let scene = log_uniform_boxes(400, [1.0, 30.0], 2.0, 35);
    let rows: Vec<u32> = (0..400).filter(|row| row % 13 == 0).collect();
    let columns = scene.boxes().columns();
    let sides: [Vec<f32>; 4] =
        columns.map(|column| rows.iter().map(|&row| column[row as usize]).collect());
    let [x0, y0, x1, y1] = &sides;
    for (structure, make) in CHANGEABLE {
        let mut some = make(Fineness::Chosen);
        for round in 0..3 {
            let boxes = Boxes::new([x0, y0], [x1, y1]).unwrap();
            let report = some.update_rows(boxes, &rows, &Serial).unwrap();
            assert_eq!(report.removed, usize::from(round > 0), "{structure}");
            check(&*some, &scene, &rows, structure);
            some.remove(rows[5]).unwrap();
            some.insert(7, scene.aabb(7).unwrap()).unwrap();
        }
    }
}

#[test]
fn rows_that_are_no_boxes_keep_their_numbers() {
    let scene = log_uniform_boxes(300, [1.0, 20.0], 2.0, 32).spoiled();
    let rows: Vec<u32> = (0..300).filter(|row| row % 2 == 0).collect();
    let no_boxes: Vec<u32> = (0..300).filter(|row| row % 2 == 0 && row % 9 < 5).collect();
    for (structure, make) in STRUCTURES {
        let mut some = make(SimdLevel::detect());
        for rows in [&rows[..], &rows[140..], &rows] {
            let report = update_rows(&mut *some, &scene, rows, &Serial);
            let rejected = rows.iter().filter(|row| no_boxes.contains(row)).count();
            assert_eq!(report.rejected, rejected, "{structure}");
            check(&*some, &scene, rows, structure);
        }
    }
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    update_rows(&mut strips, &scene, &rows, &Serial);
    assert_eq!(strips.rejected_rows(), no_boxes);
    let held = |row: &u32| strips.contains(*row);
    let sound = |row: &u32| rows.contains(row) && !no_boxes.contains(row);
    assert!((0..310).filter(held).eq((0..310).filter(sound)));
    strips.clear();
    assert!((0..300).all(|row| !strips.contains(row)));
}

#[test]
fn rows_that_make_no_sense_are_refused_and_nothing_changes() {
    let scene = log_uniform_boxes(3, [1.0, 2.0], 9.0, 33);
    let [x0, y0, x1, y1] = scene.boxes().columns();
    let boxes = Boxes::new([x0, y0], [x1, y1]).unwrap();
    let too_high = MOST_ROWS as u32;
    let refused = [
        (&[1, 5][..], "2 rows were given for 3 boxes"),
        (&[1, 5, 5], "row 5 was given after row 5"),
        (&[9, 5, 7], "row 5 was given after row 9"),
        (&[1, 5, too_high], "row 134217728 was given"),
    ];
    for (structure, make) in STRUCTURES {
        let mut some = make(SimdLevel::detect());
        some.update_rows(boxes, &[1, 5, 7], &Serial).unwrap();
        let before = query(&*some, &Aabb::EVERYWHERE, usize::MAX);
        for (rows, said) in refused {
            let error = some.update_rows(boxes, rows, &Serial).unwrap_err();
            assert!(error.to_string().contains(said), "{structure}: {error}");
            let after = query(&*some, &Aabb::EVERYWHERE, usize::MAX);
            assert_eq!(after, before, "{structure}");
            validate(&*some, structure);
        }
    }
    // Only strips do not number rows in columns.
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    strips
        .update_rows(boxes, &[1, 5, too_high - 1], &Serial)
        .unwrap();
    assert!(strips.contains(too_high - 1) && !strips.contains(7));
}

#[test]
fn an_executor_that_panics_leaves_nothing() {
    let scene = log_uniform_boxes(3000, [1.0, 30.0], 1.0, 36);
    for (structure, make) in STRUCTURES {
        for every in [2, 7] {
            let rows: Vec<u32> = (0..3000).filter(|row| row % every == 1).collect();
            let mut some = build(make, &scene, SimdLevel::detect(), &Serial);
            let failing = Failing::at(0);
            let failed = catch_unwind(AssertUnwindSafe(|| {
                update_rows(&mut *some, &scene, &rows, &failing);
            }));
            assert_eq!(failed.is_err(), failing.has_failed(), "{structure}");
            if failed.is_err() {
                assert_eq!((some.len(), some.chunks()), (0, 0), "{structure}");
            }
            update_rows(&mut *some, &scene, &rows, &Serial);
            check(&*some, &scene, &rows, structure);
            update(&mut *some, &scene, &Serial);
        }
    }
}
