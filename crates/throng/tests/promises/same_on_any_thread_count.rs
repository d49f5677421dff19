//! Promise: the same calls give the same pairs in the same order, on any number of threads, by any
//! instruction set.

use crate::common::{Pair, Threads, category, move_to, ordered_pairs, world_of};
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, Masks, PairMode, Proxy, Serial, SimdLevel,
};
use throng_scenes::{PairHash, Scene, adversarial, four_categories, step_motion};

/// The hash of all pairs of some frames in their order, with a little of everything in between.
fn run(scenes: &[Scene], level: SimdLevel, executor: &dyn throng::Executor) -> u64 {
    let mut scenes = scenes.to_vec();
    let mut world = world_of(&scenes, PairMode::Exact, Some(level));
    let mut hash = PairHash::new();
    for frame in 0..3 {
        take_in(&mut hash, &ordered_pairs(&mut world, executor));
        scenes
            .iter_mut()
            .for_each(|scene| step_motion(scene, 0.1, frame));
        move_to(&mut world, &scenes);
    }
    let first = world.proxies(category(0)).next().unwrap();
    world.remove(first).unwrap();
    world
        .insert(Proxy::centered([0.0; 2], [0.0; 2]).unwrap())
        .unwrap();
    take_in(&mut hash, &ordered_pairs(&mut world, executor));
    hash.finish()
}

fn take_in(hash: &mut PairHash, pairs: &[Pair]) {
    for &([a, b], [row_a, row_b]) in pairs {
        hash.update(a.index() as u32, b.index() as u32)
            .update(row_a, row_b);
    }
}

#[test]
fn order_does_not_depend_on_threads_or_instruction_set() {
    let mut worlds: Vec<Vec<Scene>> = adversarial(1200, 5)
        .into_iter()
        .map(|scene| vec![scene])
        .collect();
    worlds.push(four_categories(12_000, 6));
    for scenes in worlds {
        let expected = run(&scenes, SimdLevel::Scalar, &Serial);
        for &level in SimdLevel::available() {
            for threads in [1, 2, 3, 8] {
                let found = run(&scenes, level, &Threads(threads));
                assert_eq!(
                    found, expected,
                    "{}, {level}, {threads} threads",
                    scenes[0].name
                );
            }
        }
    }
}

/// Portable code stores no classes of masks beside rows, and builds an index anew all the same when they begin elsewhere: here twice, as
/// the row with the first class goes.
#[test]
fn order_does_not_depend_on_which_classes_are_stored() {
    let masks = [(258, 257), (258, 258), (1, 1), (260, 257), (258, 2)];
    let frames: [&[[f32; 2]]; 3] = [
        &[
            [0.125, -0.556],
            [0.0, 0.862],
            [0.0, -0.034],
            [0.0, -0.53],
            [0.0, 0.606],
        ],
        &[[0.0, 0.176], [0.0, 0.862], [0.0, 0.874], [0.0, 0.606]],
        &[[0.0, 0.892], [0.0, 0.154], [0.0, 0.606]],
    ];
    let gone = [None, Some(3), Some(2)];
    let run = |level: SimdLevel| {
        let units = CategoryConfig::uniform("units", 0.5);
        let config = BroadphaseConfig::new().simd(level).category(units);
        let mut world = Broadphase::new(config).unwrap();
        for (&center, (memberships, filter)) in frames[0].iter().zip(masks) {
            let proxy = Proxy::centered(center, [0.5; 2]).unwrap();
            let masks = Masks::new(memberships, filter);
            world.insert(proxy.masks(masks)).unwrap();
        }
        let mut found = Vec::new();
        for (points, gone) in frames.iter().zip(gone) {
            if let Some(row) = gone {
                let id = world.proxies(category(0)).nth(row).unwrap();
                world.remove(id).unwrap();
            }
            let mut centers = world.centers_mut(category(0)).unwrap();
            assert_eq!(centers.fill_from_points(points).unwrap().rejected, 0);
            drop(centers);
            found.push(ordered_pairs(&mut world, &Serial));
        }
        found
    };
    let expected = run(SimdLevel::Scalar);
    assert_eq!(expected.iter().map(Vec::len).max(), Some(3));
    for &level in SimdLevel::available() {
        assert_eq!(run(level), expected, "{level}");
    }
}

#[test]
#[cfg(feature = "parallel")]
fn the_same_in_any_rayon_pool() {
    let scenes = four_categories(40_000, 7);
    let expected = run(&scenes, SimdLevel::detect(), &Serial);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let found = pool.install(|| run(&scenes, SimdLevel::detect(), &throng::Rayon));
        assert_eq!(found, expected, "{threads} threads");
    }
    for _ in 0..5 {
        let found = run(&scenes, SimdLevel::detect(), &throng::Rayon);
        assert_eq!(found, expected, "with the help of the global pool");
    }
}
