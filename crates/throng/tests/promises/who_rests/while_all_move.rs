//! While every row of a category moves in every step, not all of them are looked at. Whoever is woken or told to rest meanwhile comes to
//! rest all the same.

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Masks, PackedQuadtree, Proxy,
    ProxyId, SharedBytes,
};

use super::step_times;

const CRATES: CategoryId = CategoryId::new(0);
const WALLS: CategoryId = CategoryId::new(1);
/// For up to so many steps, whoever stops may be taken to go on.
const LATE: usize = 16;

fn world_of(count: usize, crates: CategoryConfig) -> (Broadphase, Vec<ProxyId>) {
    let config = BroadphaseConfig::new()
        .category(crates)
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let wall = Aabb::new([-99.0, 0.0], [-98.0, 1.0]).unwrap();
    world.insert(Proxy::fixed(wall)).unwrap();
    let at = |k: usize| Proxy::centered([3.0 * k as f32, 0.0], [1.0; 2]).unwrap();
    let ids = (0..count).map(|k| world.insert(at(k)).unwrap()).collect();
    (world, ids)
}

/// Moves everybody, in so many steps.
fn all_move(world: &mut Broadphase, ids: &[ProxyId], steps: usize) {
    for _ in 0..steps {
        for &id in ids {
            let [x, y] = world.get(id).unwrap().center;
            world.set_center(id, [x, y + 0.125]).unwrap();
        }
        world.step_pairs();
    }
}

/// Wakes everybody in a way of its own.
fn wake_all(
    world: &mut Broadphase,
    ids: &[ProxyId],
    how: usize,
    walls: &PackedQuadtree<SharedBytes>,
) {
    match how {
        0 => ids
            .iter()
            .for_each(|&id| world.set_owner(id, id.to_bits()).unwrap()),
        1 => (ids.iter()).for_each(|&id| world.set_masks(id, Masks::new(1, !0)).unwrap()),
        2 => (ids.iter()).for_each(|&id| world.set_resting(id, false).unwrap()),
        _ => drop(world.load_scenery(WALLS, walls).unwrap()),
    }
}

fn all_kinds() -> [CategoryConfig; 2] {
    let kinds = [
        CategoryConfig::uniform("crates", 1.0),
        CategoryConfig::oversized("crates"),
    ];
    kinds.map(|kind| kind.rests_after(3))
}

#[test]
fn whoever_was_woken_meanwhile_comes_to_rest() {
    for crates in all_kinds() {
        for count in [1, 2, 63, 64, 200, 1500] {
            for how in 0..4 {
                for turns in [1, 2, LATE - 1, LATE + 3] {
                    let (mut world, ids) = world_of(count, crates.clone());
                    let walls = world.pack_scenery(WALLS).unwrap();
                    world.step_pairs();
                    all_move(&mut world, &ids, turns);
                    wake_all(&mut world, &ids, how, &walls);
                    step_times(&mut world, 2 + 3 + LATE);
                    let resting = world.report().resting;
                    assert_eq!(resting, count, "woken by {how} after {turns} steps");
                }
            }
        }
    }
}

#[test]
fn whoever_comes_anew_meanwhile_comes_to_rest() {
    for crates in all_kinds() {
        let (mut world, ids) = world_of(9, crates);
        world.step_pairs();
        all_move(&mut world, &ids, 3);
        world.clear_category(CRATES).unwrap();
        for k in 0..9 {
            let proxy = Proxy::centered([3.0 * k as f32, 0.0], [1.0; 2]).unwrap();
            world.insert(proxy).unwrap();
        }
        step_times(&mut world, 2 + 3 + LATE);
        assert_eq!(world.report().resting, 9);
    }
}

#[test]
fn whoever_is_told_meanwhile_rests_from_the_next_step_but_one_on() {
    for count in [1, 2, 100] {
        for turns in [1, 2, 3, 20] {
            for others_go_on in [false, true] {
                for refreshes in [false, true] {
                    let crates = CategoryConfig::uniform("crates", 1.0).rests_when_told();
                    let (mut world, ids) = world_of(count, crates);
                    world.step_pairs();
                    all_move(&mut world, &ids, turns);
                    world.set_resting(ids[0], true).unwrap();
                    if refreshes {
                        world.refresh();
                    }
                    let states = [0; 4].map(|_| {
                        let state = (world.is_settling(ids[0]), world.is_resting(ids[0]));
                        if others_go_on {
                            all_move(&mut world, &ids[1..], 1);
                        } else {
                            world.step_pairs();
                        }
                        (state.0.unwrap(), state.1.unwrap())
                    });
                    let (settles, rests) = ((true, false), (false, true));
                    assert_eq!(states, [settles, settles, rests, rests], "{count}, {turns}");
                }
            }
        }
    }
}
