//! Memory is bounded for each row, whatever its size and wherever it is, and comes back when rows go.

use crate::changeable::{CHANGEABLE, Fineness};
use crate::common::{STRUCTURES, build, update, validate};
use crate::scenes::scenes;
use throng_core::{Aabb, Serial, SimdLevel};
use throng_loose::{BoxStrips, LooseStructure, StripsConfig};
use throng_scenes::{log_uniform_boxes, no_boxes};

#[test]
fn memory_depends_on_rows_and_not_on_places_or_sizes() {
    for scene in scenes(4000, 20) {
        for (structure, make) in STRUCTURES {
            let mut built = build(make, &scene, SimdLevel::detect(), &Serial);
            update(&mut *built, &scene, &Serial);
            let per_row = built.memory_bytes() / scene.len().max(64);
            let name = &scene.name;
            assert!(
                per_row < 640,
                "{structure}, {name}: {per_row} bytes per row"
            );
        }
    }
}

#[test]
fn memory_comes_back_after_a_crowd_has_gone() {
    let few = log_uniform_boxes(100, [1.0, 100.0], 1.0, 21);
    let many = log_uniform_boxes(50_000, [1.0, 100.0], 1.0, 22);
    for (structure, make) in STRUCTURES {
        let mut built = build(make, &few, SimdLevel::detect(), &Serial);
        for _ in 0..2 {
            update(&mut *built, &many, &Serial);
            let most = built.memory_bytes();
            for _ in 0..3 {
                update(&mut *built, &few, &Serial);
            }
            let least = built.memory_bytes();
            assert!(least * 8 < most, "{structure}: {least} of {most} bytes");
        }
        update(&mut *built, &no_boxes(), &Serial);
    }
}

/// Everything in, everything out, again and again.
#[test]
fn churn_leaves_nothing_behind() {
    const ROWS: u32 = 20_000;
    let scene = log_uniform_boxes(ROWS as usize + 5, [1.0, 90.0], 1.0, 23);
    let at = |row: u32| -> Aabb { scene.aabb(row as usize).expect("all are boxes") };
    for (structure, make) in CHANGEABLE {
        let mut built = make(Fineness::Chosen);
        let empty = built.cells();
        let mut most = 0;
        for round in 0..4 {
            for row in 0..ROWS {
                built.insert(row, at(row + round)).unwrap();
            }
            built.clean_up();
            most = built.memory_bytes();
            for row in (0..ROWS).rev() {
                built.set(row, at(row + round + 1)).unwrap();
                built.remove(row).unwrap();
            }
            built.clean_up();
            validate(&*built, structure);
            assert_eq!((built.len(), built.cells()), (0, empty), "{structure}");
        }
        // Row numbers up to the highest are all that is kept without an update.
        update(&mut *built, &no_boxes(), &Serial);
        let least = built.memory_bytes();
        assert!(least * 10 < most, "{structure}: {least} of {most} bytes");
    }
}

#[test]
fn strips_copy_a_box_a_few_times_whatever_its_size() {
    let strips = |scene: &throng_scenes::BoxScene| {
        let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
        update(&mut strips, scene, &Serial);
        strips
    };
    for scene in scenes(2000, 24) {
        let strips = strips(&scene);
        assert!(strips.copies() <= 8 * strips.len(), "{}", scene.name);
    }
    for largest in [10.0, 100.0, 1000.0] {
        let strips = strips(&log_uniform_boxes(30_000, [1.0, largest], 1.0, 25));
        let copies = strips.copies() as f64 / strips.len() as f64;
        let usual = (1.05..1.6).contains(&copies);
        assert!(usual, "{copies} copies of 1 to {largest}");
    }
}
