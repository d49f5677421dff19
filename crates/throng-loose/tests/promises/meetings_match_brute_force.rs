//! Every overlapping pair of two structures, of whichever kinds, exactly once; either's row first.

use crate::common::{STRUCTURES, build, meetings};
use crate::scenes::{row_masks, scenes, with_kinds};
use throng_core::{PairOrder, Serial, SimdLevel};
use throng_loose::AnyStructure;
use throng_scenes::{BoxScene, Threads, overlapping_pairs_between, sorted};

/// A scene in every structure, at every level.
type Built = [Vec<AnyStructure>; STRUCTURES.len()];

fn build_all(scene: &BoxScene) -> Built {
    STRUCTURES.map(|(_, make)| {
        let levels = SimdLevel::available().iter();
        levels
            .map(|&level| build(make, scene, level, &Serial))
            .collect()
    })
}

/// Every meeting of two scenes, held in structures of two kinds, at all levels.
fn check(scenes: [&BoxScene; 2], built: [&Built; 2], kinds: [usize; 2], expected: &[[u32; 2]]) {
    let [a, b] = kinds.map(|kind| STRUCTURES[kind].0);
    let name = format!("{a}, {}, with {b}, {}", scenes[0].name, scenes[1].name);
    let masks = scenes.map(row_masks);
    let mut reference = None;
    for (own, other) in built[0][kinds[0]].iter().zip(&built[1][kinds[1]]) {
        let other = &**other;
        let found = meetings(&**own, other, masks, PairOrder::Left, &Threads(3));
        let mut turned = meetings(&**own, other, masks, PairOrder::Right, &Serial);
        turned.iter_mut().for_each(|pair| pair.reverse());
        assert!(turned == found, "{name}: the other's rows first");
        let first = reference.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{name}: levels differ");
    }
    assert!(sorted(reference.unwrap_or_default()) == expected, "{name}");
}

#[test]
fn meetings_of_every_two_structures() {
    let scenes = scenes(80, 8);
    let masked: Vec<_> = scenes.iter().map(with_kinds).collect();
    let built: Vec<_> = scenes.iter().map(build_all).collect();
    for a in 0..scenes.len() {
        for b in [a, (a + 1) % scenes.len(), (a + 5) % scenes.len()] {
            for scenes in [&scenes, &masked] {
                let expected = overlapping_pairs_between(&scenes[a], &scenes[b]);
                for (kind, other) in (0..9).map(|k| (k / 3, k % 3)) {
                    let built = [&built[a], &built[b]];
                    check([&scenes[a], &scenes[b]], built, [kind, other], &expected);
                }
            }
        }
    }
}

/// Every scene with every other: kinds of structures take turns.
#[test]
fn meetings_of_every_two_scenes() {
    let scenes = scenes(100, 9);
    let built: Vec<_> = scenes.iter().map(build_all).collect();
    for a in 0..scenes.len() {
        for b in 0..scenes.len() {
            let expected = overlapping_pairs_between(&scenes[a], &scenes[b]);
            let turn = a * 4 + b;
            let kinds = [turn % 3, turn / 3 % 3];
            check(
                [&scenes[a], &scenes[b]],
                [&built[a], &built[b]],
                kinds,
                &expected,
            );
        }
    }
}
