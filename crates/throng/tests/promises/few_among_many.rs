//! Promise: where few meet many, every pair is found once, and the many are asked only near the few; and the pairs of a
//! giant among them are shared by many chunks.

use crate::common::category;
use crate::common::worlds::{World, check, structures};
use std::slice::from_ref;
use throng::{CountPairs, MeetingReport, SimdLevel};
use throng_core::MaskWords;
use throng_scenes::{BoxScene, Scene, towns_in_a_wide_world, uniform};

/// Enough for a dozen to be few among them, whatever they are kept in.
const MANY: usize = 3200;
const FEW: usize = 12;

fn masks_of(rows: usize, groups: u32) -> Option<Vec<MaskWords>> {
    let group = |row: usize| 1 << (row as u32 % groups);
    let masks = (0..rows).map(|row| MaskWords {
        memberships: group(row),
        filter: group(row) | group(row + 1),
    });
    Some(masks.collect())
}

/// A few of the same size as the many, over the whole of their square or on one spot of it.
fn few_among(many: &Scene, few: usize, bunched: bool) -> Scene {
    let side = many.xs.iter().fold(0.0_f32, |a, &b| a.max(b));
    let across = (few as f32).sqrt().ceil();
    let reach = if bunched { 2.0 * many.half[0] } else { side };
    let along = |k: f32| (k + 0.5) / across * reach + if bunched { 0.4 * side } else { 0.0 };
    let centers = (0..few)
        .map(|k| k as f32)
        .map(|k| [along(k % across), along((k / across).floor())]);
    Scene::new("few", many.half, centers)
}

fn boxes(scene: &Scene) -> BoxScene {
    BoxScene::from(scene)
}

/// Some of the few cover half of the world, or a strip of it without end.
fn with_giants(few: &mut BoxScene, many: &Scene, giants: usize) {
    let side = many.xs.iter().fold(0.0_f32, |a, &b| a.max(b));
    for row in 0..giants {
        let sides = [
            ([0.1 * side; 2], [0.8 * side, 0.9 * side]),
            ([f32::NEG_INFINITY, 0.4 * side], [f32::INFINITY, 0.5 * side]),
        ];
        let (min, max) = sides[row % 2];
        few.set(row, throng::Aabb::new(min, max).unwrap());
    }
}

#[test]
fn every_pair_of_everything_with_everything() {
    for (giants, bunched) in [(2, false), (0, true), (8, false)] {
        let mut many = uniform(MANY, 1.0, 1);
        let mut few = few_among(&many, FEW, bunched);
        if bunched {
            few.masks = masks_of(FEW, 3);
            many.masks = masks_of(MANY, 3);
        }
        let (mut few_boxes, many_boxes) = (boxes(&few), boxes(&many));
        with_giants(&mut few_boxes, &many, giants);
        check(
            &[few, many],
            &[few_boxes.clone(), many_boxes.clone()],
            &[few_boxes, many_boxes],
        );
    }
}

/// More than are asked for in one chunk.
#[test]
fn some_chunks_of_few() {
    let many = uniform(9600, 1.0, 2);
    let few = few_among(&many, 1200, false);
    check(from_ref(&few), &[], &[boxes(&many)]);
}

/// The meeting of the first two categories.
fn meeting(world: &mut World) -> MeetingReport {
    let pair = [category(0), category(1)];
    let step = world.world.step(&CountPairs);
    let mut meetings = step.report().meetings.iter();
    *meetings.find(|meeting| meeting.categories == pair).unwrap()
}

#[test]
fn the_many_are_asked_only_near_the_few() {
    let even = uniform(30_000, 1.0, 3);
    let [spread, bunch] = [false, true].map(|bunched| few_among(&even, 100, bunched));
    // Spread evenly, the many would be thousands of times as far apart.
    let towns = towns_in_a_wide_world(30_000, 1e6, 3);
    let beside = |row: usize| [towns.xs[row] + towns.half[0], towns.ys[row]];
    let in_towns = Scene::new("few", towns.half, (0..30_000).step_by(300).map(beside));
    for (few, many) in [(spread, &even), (bunch, &even), (in_towns, &towns)] {
        let from = from_ref(&few);
        for structure in structures() {
            let kinds: [(&[Scene], &[BoxScene], &[BoxScene]); 3] = [
                (&[few.clone(), many.clone()], &[], &[]),
                (from, &[boxes(many)], &[]),
                (from, &[], &[boxes(many)]),
            ];
            for (uniform, oversized, scenery) in kinds {
                let level = SimdLevel::detect();
                let mut world = World::new(uniform, oversized, scenery, structure, level);
                let met = meeting(&mut world);
                assert!(met.stats.pairs > 50, "{met:?}");
                assert_eq!(met.chunks, 1, "{structure:?}, {met:?}");
                // Points are compared in groups of sixteen, in the leaves that each of the few comes to.
                let each = if uniform.len() == 2 { 96 } else { 32 };
                let candidates = met.stats.candidates;
                assert!(
                    candidates <= each * met.stats.pairs,
                    "{structure:?}, {met:?}"
                );
            }
        }
    }
}

#[test]
fn the_pairs_of_a_giant_are_found_by_many_chunks() {
    let many = uniform(30_000, 1.0, 4);
    let mut few = boxes(&few_among(&many, 40, false));
    with_giants(&mut few, &many, 1);
    for structure in structures() {
        let kinds: [(&[Scene], &[BoxScene], &[BoxScene]); 3] = [
            (from_ref(&many), from_ref(&few), &[]),
            (&[], &[few.clone(), boxes(&many)], &[]),
            (&[], from_ref(&few), &[boxes(&many)]),
        ];
        for (uniform, oversized, scenery) in kinds {
            let level = SimdLevel::detect();
            let mut world = World::new(uniform, oversized, scenery, structure, level);
            let met = meeting(&mut world);
            assert!(met.stats.pairs > 10_000, "{met:?}");
            assert!(
                met.busiest_chunk < met.stats.pairs / 4,
                "{structure:?}, {met:?}"
            );
        }
    }
}

/// Few that are asked for one by one have masks too.
#[test]
fn masks_of_few_that_are_far_apart() {
    let mut many = uniform(MANY, 1.0, 5);
    let mut few = few_among(&many, FEW, false);
    few.masks = masks_of(FEW, 3);
    many.masks = masks_of(MANY, 3);
    let all = [boxes(&few), boxes(&many)];
    check(&[few, many], &all, &all);
}

/// Most of the few are in one chunk of their pieces, which has more of them than an even share.
#[test]
fn uneven_chunks_of_few() {
    let many = uniform(5760, 1.0, 6);
    let bunch = few_among(&many, 600, true);
    let spread = few_among(&many, 120, false);
    let places = |scene: &Scene| {
        scene
            .xs
            .iter()
            .copied()
            .zip(scene.ys.iter().copied())
            .map(|(x, y)| [x, y])
            .collect::<Vec<_>>()
    };
    let all = [places(&spread), places(&bunch)].concat();
    let few = Scene::new("few", many.half, all);
    check(from_ref(&few), &[boxes(&few)], &[boxes(&many)]);
}
