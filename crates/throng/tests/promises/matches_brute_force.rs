//! Promise: every pair whose boxes overlap is reported, exactly once, and no other.

use crate::common::in_hand::check_in_hand;
use crate::common::{
    Pair, Threads, assert_same_in_any_order, move_to, ordered_pairs, true_pairs, world_of,
};
use throng::{PairMode, SimdLevel};
use throng_scenes::{
    Scene, adversarial, four_categories, masked, mixed_sizes, step_motion, two_categories,
};

const ROWS: usize = 900;
const THREADS: [usize; 4] = [1, 2, 3, 8];

/// The runner: every scene by every instruction set on any number of threads, in one mode.
fn check(scenes: &[Scene], pairs: PairMode) {
    let mut first: Option<Vec<Pair>> = None;
    for &level in SimdLevel::available() {
        let mut world = world_of(scenes, pairs, Some(level));
        let what = format!("{}, {pairs:?}, {level}", scenes[0].name);
        for threads in THREADS {
            let found = ordered_pairs(&mut world, &Threads(threads));
            match &first {
                Some(first) => assert!(
                    found == *first,
                    "{what}: other pairs or another order on {threads} threads"
                ),
                None => {
                    assert_same_in_any_order(&found, &true_pairs(scenes, pairs), &what);
                    first = Some(found);
                }
            }
        }
        let ordered = first.as_deref().expect("there is an instruction set");
        check_in_hand(&mut world, ordered, &what);
        world.validate().unwrap();
    }
}

#[test]
fn coarse_in_every_scene() {
    for scene in adversarial(ROWS, 1) {
        check(&[scene], PairMode::Coarse);
    }
}

#[test]
fn exact_in_every_scene() {
    for scene in adversarial(ROWS, 2) {
        check(&[scene], PairMode::Exact);
    }
}

#[test]
fn two_and_four_categories_of_very_different_size() {
    for pairs in [PairMode::Coarse, PairMode::Exact] {
        check(&two_categories(2 * ROWS, 3), pairs);
        check(&four_categories(2 * ROWS, 4), pairs);
    }
}

#[test]
fn masks_on_one_side_of_a_meeting() {
    let mut scenes = two_categories(2 * ROWS, 5);
    let groups = masked(scenes[1].len(), 6).masks;
    scenes[1].masks = groups;
    check(&scenes, PairMode::Coarse);
    scenes.swap(0, 1);
    check(&scenes, PairMode::Coarse);
}

#[test]
fn one_side_of_a_meeting_exact() {
    let sizes = mixed_sizes(ROWS, 7);
    let mut coarse = mixed_sizes(ROWS, 8);
    coarse.half_extents = None;
    // The rows of a coarse category count as its bound, which is what this scene's rows are.
    check(&[sizes, coarse], PairMode::Exact);
}

#[test]
fn a_world_that_moves() {
    let mut scenes = two_categories(2 * ROWS, 9);
    let mut world = world_of(&scenes, PairMode::Coarse, None);
    for frame in 0..10 {
        let found = ordered_pairs(&mut world, &Threads(2));
        assert_same_in_any_order(
            &found,
            &true_pairs(&scenes, PairMode::Coarse),
            &format!("frame {frame}"),
        );
        // From a crawl to leaps, so that last frame's counts are of no use.
        let speed = 0.01 * 3.0f32.powi(frame);
        scenes
            .iter_mut()
            .for_each(|scene| step_motion(scene, speed, frame as u64));
        move_to(&mut world, &scenes);
    }
}
