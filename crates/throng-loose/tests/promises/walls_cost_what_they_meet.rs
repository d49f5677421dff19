//! Walls as long as the world, or endless, lying or standing, cost strips what they meet: not a comparison for
//! every two of them.

use crate::common::{STRUCTURES, build, update, validate};
use throng_core::{Serial, SimdLevel};
use throng_loose::{BoxStrips, LooseStructure, StripsConfig};
use throng_scenes::{BoxScene, equal_boxes};

type Sides = [[f32; 2]; 2];

const WALLS: usize = 4000;
const UNITS: usize = 5000;
/// Half the side of the square that units are in.
const WORLD: f32 = 2000.0;

/// Small boxes on a crooked lattice.
fn units() -> impl Iterator<Item = Sides> {
    (0..UNITS).map(|k| {
        let place = |step: f32| (k as f32 * step).fract() * 2.0 * WORLD - WORLD;
        let (x, y) = (place(0.618_034), place(0.754_877_7));
        [[x, y], [x + 12.0, y + 12.0]]
    })
}

/// Parallel walls from some height, or some place on x, up or to the right.
fn walls(standing: bool, length: f32, from: f32, apart: f32) -> impl Iterator<Item = Sides> {
    (0..WALLS).map(move |k| {
        let at = from + k as f32 * apart;
        let wall = [[-length, at], [length, at + apart / 10.0]];
        if standing {
            wall.map(|[x, y]| [y, x])
        } else {
            wall
        }
    })
}

fn scene(sides: impl Iterator<Item = Sides>) -> BoxScene {
    BoxScene::from_sides("walls", sides)
}

/// Comparisons and pairs of one search, and rows.
fn cost(scene: &BoxScene) -> [u64; 3] {
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    update(&mut strips, scene, &Serial);
    assert!(strips.copies() <= 8 * strips.len());
    let stats = strips.for_each_pair(None, |_, _| {});
    [stats.candidates, stats.pairs, strips.len() as u64]
}

#[test]
fn walls_that_touch_nothing_cost_nothing_to_speak_of() {
    for standing in [false, true] {
        for length in [f32::INFINITY, 1e6, 1e4] {
            let apart = || walls(standing, length, 2.0 * WORLD, 10.0);
            let name = format!("standing {standing}, length {length}");
            let [candidates, pairs, rows] = cost(&scene(apart()));
            assert!(
                pairs == 0 && candidates <= rows,
                "{name}: {candidates} alone"
            );
            let [candidates, pairs, rows] = cost(&scene(units().chain(apart())));
            let most = 32 * (rows + pairs);
            assert!(candidates <= most, "{name}: {candidates} beside units");
        }
    }
}

#[test]
fn walls_among_units_cost_what_they_meet() {
    for standing in [false, true] {
        for length in [f32::INFINITY, 1e6, 1e4] {
            let through = walls(standing, length, -WORLD, 2.0 * WORLD / WALLS as f32);
            let [candidates, pairs, rows] = cost(&scene(units().chain(through)));
            assert!(pairs > WALLS as u64, "they do meet");
            let most = 40 * (rows + pairs);
            assert!(
                candidates <= most,
                "standing {standing}, length {length}: {candidates} of {rows} rows and {pairs} pairs"
            );
        }
    }
}

/// Planks in a long and low world overlap along y as much as walls do along x: they stay in strips.
#[test]
fn planks_in_a_low_world_do_not_lie_across() {
    let planks = (0..UNITS).map(|k| {
        let place = |step: f32| (k as f32 * step).fract();
        let (x, y) = (1e6 * place(0.618_034), 50.0 * place(0.754_877_7));
        let width = if k % 4 == 0 { 200.0 } else { 1.0 };
        [[x, y], [x + width, y + 1.0]]
    });
    let [candidates, pairs, rows] = cost(&scene(planks));
    assert!(candidates <= 32 * (rows + pairs), "{candidates}");
}

#[test]
fn walls_that_appear_are_planned_for() {
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    let before = scene(units().chain(units().take(WALLS)));
    let after = scene(units().chain(walls(false, 1e5, 2.0 * WORLD, 10.0)));
    for scene in [&before, &after, &after, &after] {
        update(&mut strips, scene, &Serial);
    }
    let candidates = strips.for_each_pair(None, |_, _| {}).candidates;
    assert!(candidates <= 32 * strips.len() as u64, "{candidates}");
}

/// What looks for walls from other structures, and from a window.
#[test]
fn walls_are_found_by_others() {
    let walls = scene(walls(false, f32::INFINITY, -WORLD, 1.0));
    let units = equal_boxes(300, 2, 5);
    let strips = build(STRUCTURES[0].1, &walls, SimdLevel::detect(), &Serial);
    validate(&*strips, "walls");
    for (structure, make) in STRUCTURES {
        let other = build(make, &units, SimdLevel::detect(), &Serial);
        let mut found = crate::common::meetings(
            &*other,
            &*strips,
            [None; 2],
            throng_core::PairOrder::Left,
            &Serial,
        );
        found.sort_unstable();
        let expected = throng_scenes::overlapping_pairs_between(&units, &walls);
        assert!(!expected.is_empty() && found == expected, "{structure}");
    }
}
