//! Every row that a window touches, once, and no other: by query and by gathering. Bounds and cells hold them.

use crate::common::{STRUCTURES, build, query};
use crate::scenes::scenes;
use throng_core::{Aabb, Arena, BoxRun, Serial, SimdLevel};
use throng_loose::LooseStructure;
use throng_scenes::{rows_in_box, sorted, windows};

#[test]
fn windows_of_adversarial_scenes() {
    for scene in scenes(500, 10) {
        let all = STRUCTURES.map(|(structure, make)| {
            let built = build(make, &scene, SimdLevel::detect(), &Serial);
            (structure, built)
        });
        for window in windows(&scene, 29) {
            let expected = rows_in_box(&scene, &window);
            for (structure, built) in &all {
                let name = format!("{structure}, {}: {window}", scene.name);
                let found = query(&**built, &window, usize::MAX);
                let exact = found
                    .iter()
                    .all(|&(row, aabb)| scene.aabb(row as usize) == Some(aabb));
                assert!(exact, "{name}: boxes as they were given");
                let rows = found.iter().map(|(row, _)| *row).collect();
                assert_eq!(sorted(rows), expected, "{name}");
                // A visitor that has enough is asked no more.
                for most in [1, 3].into_iter().filter(|&most| most <= found.len()) {
                    let some = query(&**built, &window, most);
                    assert!(some == found[..most], "{name}: {most} rows");
                }
            }
        }
    }
}

/// What gathering appends, as a query would visit it.
fn gathered(structure: &dyn LooseStructure, window: &Aabb) -> Vec<(u32, Aabb)> {
    let arena = Arena::new();
    let mut run = BoxRun::with_capacity(&arena, 0, false);
    structure.gather(window, &arena, &mut run);
    let boxes = (0..run.len()).map(|k| {
        let [min, max] = run.corners(k);
        (run.rows()[k], Aabb::new(min, max).unwrap())
    });
    boxes.collect()
}

#[test]
fn gathering_finds_what_a_query_finds() {
    for scene in scenes(300, 11) {
        let windows = windows(&scene, 29);
        for (structure, make) in STRUCTURES {
            for &level in SimdLevel::available() {
                let built = build(make, &scene, level, &Serial);
                for window in &windows {
                    assert!(
                        gathered(&*built, window) == query(&*built, window, usize::MAX),
                        "{structure}, {}, {level}: {window}",
                        scene.name
                    );
                }
            }
        }
    }
}

#[test]
fn bounds_and_cells_hold_everything() {
    for scene in scenes(300, 12) {
        let held = (0..scene.len()).filter_map(|row| scene.aabb(row));
        let around = held.reduce(|all, aabb| all.union(&aabb));
        for (structure, make) in STRUCTURES {
            let name = format!("{structure}, {}", scene.name);
            let built = build(make, &scene, SimdLevel::detect(), &Serial);
            assert_eq!(built.bounds(), around, "{name}");
            assert_eq!(built.is_empty(), around.is_none(), "{name}");
            let (mut rows, mut levels) = (0, 0);
            built.visit_cells(&mut |cell| {
                rows += cell.rows;
                levels = levels.max(cell.level);
                assert!(
                    around.is_some_and(|all| all.contains(&cell.bounds)),
                    "{name}"
                );
            });
            let copies = if structure == "strips" { 8 } else { 1 };
            let expected = built.len()..=copies * built.len();
            assert!(expected.contains(&rows), "{name}: {rows} rows in cells");
            assert!(levels <= 24, "{name}: {levels} levels");
        }
    }
}
