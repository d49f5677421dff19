//! Much at once, in every frame: events are the difference of steps, also of those that are cut.

use std::collections::HashMap;

use super::{follow, know_keys, with_events};
use crate::common::lasting::Lasting;
use crate::common::{Threads, category, move_to, world_of};
use throng::{
    Aabb, Broadphase, CategoryConfig, CollectPairs, DoubleGridConfig, LooseQuadtreeConfig,
    OversizedStructure, PairEvent, PairMode, Proxy, ProxyId, Resting, RowOrder, SimdLevel,
    StripsConfig,
};
use throng_scenes::{Scene, adversarial, four_categories, step_motion, uniform};

/// A world of moving scenes, with events of all pairs, in which a twentieth is replaced in every frame, and much else happens.
fn churn(
    scenes: &[Scene],
    level: SimdLevel,
    structure: OversizedStructure,
    frames: u64,
    threads: usize,
) -> Vec<PairEvent> {
    churn_among([false, true], scenes, level, structure, frames, threads)
}

/// The same, perhaps with walls, of which a twentieth is replaced as well, where only a third of all moves and the others rest; and
/// perhaps with slots.
fn churn_among(
    [rests_and_has_walls, has_slots]: [bool; 2],
    scenes: &[Scene],
    level: SimdLevel,
    structure: OversizedStructure,
    frames: u64,
    threads: usize,
) -> Vec<PairEvent> {
    let mut scenes = scenes.to_vec();
    let mut world = world_of(&scenes, PairMode::Exact, Some(level));
    let mut config = with_events(&world, has_slots);
    config.world_tag = Some(world.world_tag());
    let last = config.categories.len() - 1;
    let reach = config.categories[last].half_extents;
    let name = config.categories[last].name.clone();
    config.categories[last] = CategoryConfig::oversized(name)
        .structure(structure)
        .half_extents(reach)
        .events();
    let mut walls = None;
    if rests_and_has_walls {
        for category in &mut config.categories {
            category.rests = Resting::After(1);
        }
        walls = Some(category(config.categories.len()));
        let scenery = CategoryConfig::scenery("walls").events();
        config.categories.push(scenery);
    }
    world.reconfigure(config).unwrap();
    if walls.is_some() {
        for k in 0..WALLS {
            world.insert(wall(k, 0)).unwrap();
        }
    }
    let (mut rested, mut came, mut woke) = (0, 0, 0);
    let mut lasting = Lasting::default();
    let mut keys: HashMap<ProxyId, u64> = HashMap::new();
    let mut all = Vec::new();
    for frame in 0..frames {
        let executor = Threads(threads);
        let step = world.step_on(&executor, &CollectPairs);
        know_keys(step.world(), &mut keys);
        lasting.follow(&step, |_| true, |id| keys[&id]);
        all.extend(step.began().chain(step.ended()));
        rested += step.resting_pairs().len();
        came += step.came_to_rest().len();
        woke += step.woken().len();
        for scene in &mut scenes {
            let before = [scene.xs.clone(), scene.ys.clone()];
            step_motion(scene, 0.2, frame);
            let rests = |row: &usize| rests_and_has_walls && !row.is_multiple_of(3);
            for row in (0..scene.len()).filter(rests) {
                [scene.xs[row], scene.ys[row]] = [before[0][row], before[1][row]];
            }
        }
        if let Some(walls) = walls {
            let gone: Vec<_> = world.proxies(walls).step_by(20).collect();
            for (k, gone) in gone.into_iter().enumerate() {
                world.remove(gone).unwrap();
                world.insert(wall(k * 20, frame + 1)).unwrap();
            }
        }
        for (index, scene) in scenes.iter().enumerate() {
            let id = category(index);
            let gone: Vec<_> = world.proxies(id).step_by(20).collect();
            for (place, gone) in gone.into_iter().enumerate() {
                let view = world.get(gone).unwrap();
                let half = view.half_extents;
                world.remove(gone).unwrap();
                let new = Proxy::centered([0.0; 2], half).unwrap().in_category(id);
                let new = new.masks(view.masks).key(view.key + frame + place as u64);
                world.insert(new).unwrap();
            }
            for (place, id) in world
                .proxies(id)
                .collect::<Vec<_>>()
                .into_iter()
                .enumerate()
            {
                match (place as u64 + frame) % 131 {
                    0 => world.set_enabled(id, frame.is_multiple_of(2)).unwrap(),
                    1 => world.set_owner(id, frame % 3).unwrap(),
                    2 => world.set_key(id, frame).unwrap(),
                    _ => {}
                }
            }
            // Whoever is in another row goes to another place, and wakes.
            let between_sorts = if rests_and_has_walls { 7 } else { 3 };
            if frame % between_sorts == 1 {
                world.sort_rows(id, RowOrder::Space).unwrap();
            }
            assert_eq!(scene.len(), world.rows(id));
        }
        if frame % 4 == 2 && (walls.is_none() || frame == 6) {
            let config = world.config().clone();
            world.reconfigure(config).unwrap();
        }
        move_to(&mut world, &scenes);
    }
    assert!(lasting.began > lasting.len() as u64, "some have ended");
    assert_eq!(rests_and_has_walls, rested > 0 && came > 0 && woke > 0);
    know_keys(&world, &mut keys);
    world.clear();
    let step = world.step_pairs();
    lasting.follow(&step, |_| true, |id| keys[&id]);
    assert_eq!(
        (lasting.began, lasting.len()),
        (lasting.ended, 0),
        "they balance"
    );
    all
}

fn structures() -> [OversizedStructure; 3] {
    [
        StripsConfig::new().into(),
        DoubleGridConfig::new().into(),
        LooseQuadtreeConfig::new().into(),
    ]
}

/// Ids differ from world to world by the tag alone, and `found` may be without slots.
#[track_caller]
fn assert_same(found: &[PairEvent], has_slots: bool, expected: &[PairEvent], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let same = found.iter().zip(expected).all(|(a, b)| {
        let slot = b.slot.filter(|_| has_slots);
        (a.keys, a.slot, a.ids.map(ProxyId::index)) == (b.keys, slot, b.ids.map(ProxyId::index))
    });
    assert!(same, "{what}");
}

#[test]
fn events_are_the_difference_of_steps_and_the_same_on_any_threads() {
    let scenes = four_categories(3000, 3);
    for structure in structures() {
        let expected = churn(&scenes, SimdLevel::Scalar, structure, 5, 1);
        for &level in SimdLevel::available() {
            for threads in [1, 3] {
                for has_slots in [false, true] {
                    let config = [false, has_slots];
                    let found = churn_among(config, &scenes, level, structure, 5, threads);
                    let what = format!("{level}, {threads} threads, slots: {has_slots}");
                    assert_same(&found, has_slots, &expected, &what);
                }
            }
        }
    }
}

/// How many walls there are.
const WALLS: usize = 400;

/// A wall at some place, which differs from generation to generation.
fn wall(k: usize, generation: u64) -> Proxy {
    let place = (k as u64 * 7 + generation * 13) as f32;
    let center = [place * 0.83 % 60.0, place * 2.17 % 60.0];
    let aabb = Aabb::from_center(center, [1.5, 0.4]).unwrap();
    Proxy::fixed(aabb).key(1 << 40 | (k as u64) << 8 | generation)
}

#[test]
fn events_are_exact_among_what_rests_and_walls_that_change() {
    let scenes = four_categories(2000, 5);
    for structure in structures() {
        let run = |has_slots, level, threads| {
            churn_among([true, has_slots], &scenes, level, structure, 12, threads)
        };
        let expected = run(true, SimdLevel::Scalar, 1);
        for has_slots in [false, true] {
            let found = run(has_slots, SimdLevel::detect(), 3);
            let what = format!("three threads, slots: {has_slots}");
            assert_same(&found, has_slots, &expected, &what);
        }
    }
}

#[test]
fn events_are_exact_wherever_things_are() {
    for scene in adversarial(400, 8) {
        churn(
            &[scene.clone(), scene],
            SimdLevel::detect(),
            StripsConfig::new().into(),
            4,
            2,
        );
    }
}

/// Follows steps of a world whose scenes only move, each by some part of its half extents; `between` does what else happens.
fn follow_motion(
    mut scenes: Vec<Scene>,
    speed: f32,
    has_slots: bool,
    level: SimdLevel,
    mut between: impl FnMut(&mut Broadphase, u64),
) {
    let mut world = world_of(&scenes, PairMode::Exact, Some(level));
    world.reconfigure(with_events(&world, has_slots)).unwrap();
    follow(&mut world, &mut scenes, 10, |scenes, world, frame| {
        for scene in scenes {
            step_motion(scene, speed, frame);
        }
        between(world, frame);
    });
}

#[test]
fn events_are_exact_where_things_only_move() {
    for has_slots in [false, true] {
        for &level in SimdLevel::available() {
            for speed in [0.02, 0.1, 0.4] {
                follow_motion(four_categories(6000, 3), speed, has_slots, level, |_, _| ());
            }
        }
    }
}

#[test]
fn events_are_exact_where_chunks_get_other_numbers() {
    // The first category grows and shrinks, so that the chunks of the others move up and down.
    for has_slots in [false, true] {
        let scenes = vec![
            uniform(500, 1.0, 1),
            uniform(4000, 2.0, 2),
            uniform(4000, 2.0, 3),
        ];
        let mut guests = Vec::new();
        let level = SimdLevel::detect();
        follow_motion(scenes, 0.05, has_slots, level, |world, frame| {
            if frame % 2 == 0 {
                for key in 0..4000 {
                    let at = [key as f32 % 60.0, key as f32 / 60.0];
                    let guest = Proxy::centered(at, [0.2; 2]).unwrap().key(key);
                    guests.push(world.insert(guest.in_category(category(0))).unwrap());
                }
            } else {
                world.remove_batch(guests.drain(..));
            }
        });
    }
}

#[test]
fn a_step_that_is_cut_reports_what_is_left_of_it() {
    [false, true].into_iter().for_each(steps_that_are_cut);
}

fn steps_that_are_cut(has_slots: bool) {
    let scene = uniform(3000, 2.0, 4);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    let (mut lasting, mut scenes) = (Lasting::default(), [scene]);
    let mut cuts = 0;
    for frame in 0..12 {
        let mut config = with_events(&world, has_slots);
        config.max_pairs = (frame / 2 % 2 == 1).then_some(3000);
        if world.config() != &config {
            world.reconfigure(config).unwrap();
        }
        let step = world.step_on(&Threads(2), &CollectPairs);
        cuts += usize::from(step.report().cut.is_some());
        let world_now = step.world();
        lasting.follow(&step, |_| true, |id| world_now.key(id).unwrap());
        step_motion(&mut scenes[0], 0.2, frame);
        move_to(&mut world, &scenes);
    }
    assert!((5..=7).contains(&cuts), "{cuts}");
}

#[test]
fn crowds_that_grow_beyond_the_limit_and_shrink_have_one_end_for_each_begin() {
    [false, true]
        .into_iter()
        .for_each(crowds_that_grow_beyond_the_limit);
}

fn crowds_that_grow_beyond_the_limit(has_slots: bool) {
    // The config stays: who is where is all that decides which steps are cut.
    let scene = uniform(3000, 2.0, 4);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    let mut config = with_events(&world, has_slots);
    config.max_pairs = Some(world.step_pairs().report().pairs * 23 / 20);
    world.reconfigure(config).unwrap();
    let (mut lasting, mut scenes) = (Lasting::default(), [scene]);
    let (mut cuts, mut wholes) = (0, 0);
    for frame in 0..24 {
        let step = world.step_on(&Threads(2), &CollectPairs);
        let is_cut = step.report().cut.is_some();
        (cuts, wholes) = (cuts + u32::from(is_cut), wholes + u32::from(!is_cut));
        let world_now = step.world();
        lasting.follow(&step, |_| true, |id| world_now.key(id).unwrap());
        // Three steps inwards, and three outwards.
        let scale = if frame % 6 < 3 { 0.9 } else { 1.0 / 0.9 };
        scenes[0].xs.iter_mut().for_each(|x| *x *= scale);
        step_motion(&mut scenes[0], 0.05, frame);
        move_to(&mut world, &scenes);
    }
    assert!(cuts > 5 && wholes > 5, "{cuts} {wholes}");
}
