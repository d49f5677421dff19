//! Where an index is refitted, each chunk tells by itself what began and ended, as long as its pairs can be in no other.

use super::{follow, with_events};
use crate::common::{category, world_of};
use throng::{Broadphase, CategoryConfig, PairMode, Proxy, Resting};
use throng_scenes::{Scene, step_motion, uniform};

/// [`follow`]s a world of scenes, all of whose pairs have events, and whose categories are changed first.
fn follow_world_of(
    scenes: &mut [Scene],
    change: impl Fn(&mut [CategoryConfig]),
    move_all: impl FnMut(&mut [Scene], &mut Broadphase, u64),
) -> Vec<usize> {
    let mut world = world_of(scenes, PairMode::Exact, None);
    let mut config = with_events(&world, false);
    change(&mut config.categories);
    world.reconfigure(config).unwrap();
    follow(&mut world, scenes, 12, move_all)
}

/// How many chunks the pairs of a category among themselves come in.
fn own_chunks(world: &Broadphase, index: usize) -> usize {
    let plan = world.plan().unwrap();
    let own = Some([category(index); 2]);
    (0..plan.chunks())
        .filter(|&chunk| plan.categories(chunk) == own)
        .count()
}

#[test]
fn chunks_before_may_be_one_more_or_one_less() {
    let mut scenes = [uniform(3000, 1.0, 1), uniform(9000, 2.0, 2)];
    let (mut guests, mut counts) = (Vec::new(), Vec::new());
    let apart = |categories: &mut [CategoryConfig]| {
        for (index, category) in categories.iter_mut().enumerate() {
            *category = category.clone().meets([format!("{index}")]);
        }
    };
    let refitted = follow_world_of(&mut scenes, apart, |scenes, world, frame| {
        counts.push([0, 1].map(|index| own_chunks(world, index)));
        step_motion(&mut scenes[1], 0.05, frame);
        if frame % 2 == 0 {
            let guest = |key: u64| {
                let at = [key as f32 % 60.0, key as f32 / 60.0];
                Proxy::centered(at, [0.2; 2]).unwrap().key(key)
            };
            let inserted = world.insert_batch((0..2000).map(guest));
            guests.extend(inserted.ids.into_iter().flatten());
        } else {
            world.remove_batch(guests.drain(..));
        }
    });
    assert!(refitted[1] >= 8, "{refitted:?}");
    assert!(counts.iter().all(|&[_, many]| many > 3), "{counts:?}");
    assert!(
        counts.iter().any(|&[few, _]| few == counts[0][0] + 1),
        "{counts:?}"
    );
}

#[test]
fn the_index_of_whom_they_meet_may_be_built() {
    for built in [0, 1] {
        let mut scenes = [uniform(5000, 1.0, 3), uniform(9000, 1.0, 4)];
        let refitted = follow_world_of(
            &mut scenes,
            |_| (),
            |scenes, _, frame| {
                for scene in &mut *scenes {
                    step_motion(scene, 0.05 * scene.half[0], frame);
                }
                // Too many to be carried over.
                let rows = scenes[built].len();
                for row in (frame as usize..rows / 2).step_by(20) {
                    scenes[built].xs.swap(row, rows - 1 - row);
                    scenes[built].ys.swap(row, rows - 1 - row);
                }
            },
        );
        assert!(
            refitted[built] <= 1 && refitted[1 - built] >= 8,
            "{refitted:?}"
        );
    }
}

#[test]
fn who_comes_begins_where_all_else_is_told_already() {
    let mut nobody = uniform(10, 1.0, 6);
    nobody.xs.clear();
    nobody.ys.clear();
    let mut guests = Vec::new();
    let mut scenes = [uniform(9000, 2.0, 7), nobody];
    let refitted = follow_world_of(
        &mut scenes,
        |_| (),
        |scenes, world, frame| {
            step_motion(&mut scenes[0], 0.05, frame);
            if frame % 2 == 1 {
                let guest = |key: u64| {
                    let guest = Proxy::centered([key as f32 * 0.1, 7.0], [0.1; 2]).unwrap();
                    guest.in_category(category(1)).key(key)
                };
                let inserted = world.insert_batch((0..100).map(guest));
                guests.extend(inserted.ids.into_iter().flatten());
            } else {
                world.remove_batch(guests.drain(..));
            }
        },
    );
    assert!(refitted[0] >= 8, "{refitted:?}");
}

#[test]
fn a_few_may_come_to_rest_and_wake_among_those_that_move() {
    let mut scenes = [uniform(9000, 2.0, 5)];
    let still = scenes[0].clone();
    let mut rested = Vec::new();
    let rests = |categories: &mut [CategoryConfig]| categories[0].rests = Resting::After(2);
    let refitted = follow_world_of(&mut scenes, rests, |scenes, world, frame| {
        rested.push(world.resting_pairs().len());
        let scene = &mut scenes[0];
        let half = scene.half[0];
        step_motion(scene, 0.05 * half, frame);
        // The first rows stay where they were at first, but in every sixth frame.
        if frame % 6 < 5 {
            let few = scene.len() / 20;
            scene.xs[..few].copy_from_slice(&still.xs[..few]);
            scene.ys[..few].copy_from_slice(&still.ys[..few]);
        }
    });
    assert!(refitted[0] >= 8, "{refitted:?}");
    let [none, some] =
        [true, false].map(|none| rested.iter().filter(|&&pairs| (pairs == 0) == none).count());
    assert!(none > 1 && some > 1, "{rested:?}");
}
