//! Promise: the same calls give the same pairs in the same order, on any number of threads, by any
//! instruction set.

use crate::common::{Pair, Threads, category, move_to, ordered_pairs, world_of};
use throng::{PairMode, Proxy, Serial, SimdLevel};
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
