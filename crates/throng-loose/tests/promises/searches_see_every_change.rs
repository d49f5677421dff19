//! A change is seen by every search at once, whether or not there has been a clean-up since.

use crate::changeable::{CHANGEABLE, Changeable, Fineness};
use crate::common::{STRUCTURES, build, meetings, pairs, rows_touching, update, validate};
use crate::scenes::scenes;
use throng_core::{Aabb, PairOrder, Serial, SimdLevel};
use throng_scenes::{
    BoxScene, Threads, log_uniform_boxes, overlapping_pairs, overlapping_pairs_between,
    rows_in_box, sorted,
};

/// Small leaves, as deep as they go.
const FINE: Fineness = Fineness::Fine { depth: 24 };

/// A number below `end` that depends on `k` alone.
fn scattered(k: u32, end: u32) -> u32 {
    (k.wrapping_mul(0x9E37_79B9) >> 7) % end
}

/// Gives rows the boxes of another scene, takes some out and puts some in; the scene follows, with NaN for rows
/// that are out.
fn change_some(structure: &mut dyn Changeable, scene: &mut BoxScene, other: &BoxScene, turn: u32) {
    for k in 0..scene.len().min(200) as u32 {
        let row = scattered(turn * 1000 + k, scene.len() as u32);
        let new = other.aabb(scattered(turn * 1000 + k, other.len() as u32) as usize);
        match (structure.get(row), new) {
            (Some(_), Some(new)) if k % 3 != 0 => {
                structure.set(row, new).unwrap();
                scene.set(row as usize, new);
            }
            (Some(_), _) => {
                structure.remove(row).unwrap();
                scene.min[0][row as usize] = f32::NAN;
            }
            (None, Some(new)) => {
                structure.insert(row, new).unwrap();
                scene.set(row as usize, new);
            }
            (None, None) => {}
        }
    }
}

#[test]
fn pairs_queries_and_meetings_between_clean_ups() {
    let other = log_uniform_boxes(700, [1.0, 200.0], 2.0, 28);
    let window = Aabb::new([0.0, 0.0], [300.0, 200.0]).unwrap();
    for (structure, make) in CHANGEABLE {
        let [_, (_, make_other), _] = STRUCTURES;
        let theirs = build(make_other, &other, SimdLevel::detect(), &Serial);
        for mut scene in scenes(500, 29) {
            scene.masks = None;
            let mut built = make(FINE);
            update(&mut *built, &scene, &Serial);
            for turn in 0..6 {
                let name = format!("{structure}, {}, turn {turn}", scene.name);
                change_some(&mut *built, &mut scene, &other, turn);
                validate(&*built, &name);
                let expected = overlapping_pairs(&scene);
                let found = sorted(pairs(&*built, None, &Threads(2)));
                assert!(found == expected, "{name}");
                let rows = rows_touching(&*built, &window);
                assert_eq!(rows, rows_in_box(&scene, &window), "{name}");
                if turn % 3 == 1 {
                    let met = meetings(&*built, &*theirs, [None; 2], PairOrder::Left, &Serial);
                    assert!(
                        sorted(met) == overlapping_pairs_between(&scene, &other),
                        "{name}"
                    );
                }
                if turn % 2 == 1 {
                    built.clean_up();
                    validate(&*built, &name);
                    let found = sorted(pairs(&*built, None, &Serial));
                    assert!(found == expected, "{name}, cleaned up");
                }
            }
        }
    }
}

#[test]
fn changes_row_by_row_and_updates_come_to_the_same() {
    let other = log_uniform_boxes(1500, [1.0, 50.0], 1.0, 30);
    for (structure, make) in CHANGEABLE {
        let mut scene = log_uniform_boxes(1500, [1.0, 50.0], 1.0, 31);
        let (mut by_row, mut by_update) = (make(FINE), make(FINE));
        update(&mut *by_row, &scene, &Serial);
        for turn in 0..10 {
            change_some(&mut *by_row, &mut scene, &other, turn);
            by_row.clean_up();
            let report = update(&mut *by_update, &scene, &Serial);
            assert_eq!(report.rows, by_row.len(), "{structure}");
            let found = [&by_row, &by_update].map(|built| sorted(pairs(&**built, None, &Serial)));
            assert!(found[0] == found[1], "{structure}, turn {turn}");
        }
    }
}
