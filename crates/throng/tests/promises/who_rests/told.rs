//! Who rests because it was told to, and what keeps it from that.

use super::{counts, crates, resting, row_of, step_times};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Placement, Proxy, ProxyError,
    ProxyId,
};

/// While every row moves, not all are looked at; one that is told to rest and moves in the same frame does not rest all the same.
#[test]
fn one_that_is_told_to_rest_and_moves_does_not_rest() {
    for others_move in [true, false] {
        let (mut world, ids) = row_of(100, crates().rests_when_told());
        let xs: Vec<f32> = (0..100).map(|k| k as f32 * 1.5).collect();
        for frame in 1..6 {
            let y = if others_move { frame as f32 } else { 0.0 };
            let units = CategoryId::new(0);
            let filled = world.centers_mut(units).unwrap().fill_from(&xs, &[y; 100]);
            assert_eq!(filled.unwrap().rejected, 0);
            world.step_pairs();
        }
        world.set_resting(ids[3], true).unwrap();
        world.set_resting(ids[4], true).unwrap();
        world.set_center(ids[3], [15.0, 77.0]).unwrap();
        step_times(&mut world, 4);
        assert_eq!(world.is_resting(ids[3]), Ok(false), "{others_move}");
        assert_eq!(world.is_resting(ids[4]), Ok(true), "{others_move}");
    }
}

#[test]
fn only_what_can_rest_is_told_to() {
    let config = BroadphaseConfig::new()
        .category(crates())
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let id = world
        .insert(Proxy::centered([0.0; 2], [1.0; 2]).unwrap())
        .unwrap();
    let wall = Proxy::fixed(Aabb::from_center([0.0; 2], [1.0; 2]).unwrap());
    let wall = world.insert(wall).unwrap();
    for (id, category) in [(id, "crates"), (wall, "walls")] {
        let refused = world.set_resting(id, true);
        let category = category.to_owned();
        assert_eq!(refused, Err(ProxyError::NeverRests { id, category }));
    }
    assert_eq!(
        [id, wall].map(|id| world.is_resting(id)),
        [Ok(false), Ok(true)]
    );
    world.remove(id).unwrap();
    assert_eq!(world.is_resting(id), Err(ProxyError::Stale { id }));
    assert_eq!(world.set_resting(id, false), Err(ProxyError::Stale { id }));
}

#[test]
fn who_is_told_to_rest_does_unless_it_is_moved_afterwards() {
    for (moved_before, moved_after) in [(true, false), (false, true), (true, true)] {
        let (mut world, ids) = row_of(2, crates().rests_when_told());
        world.step_pairs();
        let shift = |world: &mut Broadphase, y: f32| {
            let mut centers = world.centers_mut(CategoryId::new(0)).unwrap();
            let fill = centers.set_rows(&[0, 1], &[0.0, 1.5], &[y, y]).unwrap();
            assert_eq!(fill.rejected, 0);
        };
        if moved_before {
            shift(&mut world, 0.1);
        }
        for &id in &ids {
            world.set_resting(id, true).unwrap();
        }
        if moved_after {
            shift(&mut world, 0.2);
        }
        let expected = if moved_after { (1, 0) } else { (0, 1) };
        assert_eq!([0; 2].map(|_| counts(&mut world)), [(1, 0), expected]);
        let mut hits = Vec::new();
        world.query().find_at_point([0.0, 1.15], &mut hits).unwrap();
        assert_eq!(
            !hits.is_empty(),
            moved_after,
            "the index has it where it is"
        );
    }
}

#[test]
fn who_settles_rests_with_the_next_step_unless_it_is_disturbed() {
    for told in [false, true] {
        let resting = if told {
            crates().rests_when_told()
        } else {
            crates().rests_after(2)
        };
        let (mut world, ids) = row_of(40, resting);
        let is_settling = |world: &Broadphase, id| world.is_settling(id).unwrap();
        let is_resting = |world: &Broadphase, id| world.is_resting(id).unwrap();
        let mut came_to_rest = 0;
        for step in 0..60_usize {
            // Some never move, some do now and then, and one always.
            let moves = |k: usize| k == 39 || (k > 5 && (step * 7 + k * 3).is_multiple_of(17));
            let mut expected = Vec::new();
            for (k, &id) in ids.iter().enumerate() {
                let rests = is_resting(&world, id) || is_settling(&world, id);
                // Whoever is told only now takes part in one more step.
                let is_told = told && !rests && (step + k).is_multiple_of(4);
                if is_told {
                    world.set_resting(id, true).unwrap();
                    assert!(is_settling(&world, id));
                }
                if moves(k) {
                    let center = [1.5 * k as f32, 0.01 * (step + 1) as f32];
                    world.set_center(id, center).unwrap();
                }
                let will_rest = rests && !moves(k);
                came_to_rest += usize::from(will_rest && !is_resting(&world, id));
                expected.push((will_rest, is_told && !moves(k)));
            }
            world.step_pairs();
            for ((k, &id), (rests, is_told)) in ids.iter().enumerate().zip(expected) {
                assert_eq!(is_resting(&world, id), rests, "{k} in step {step}");
                let settles = is_settling(&world, id);
                assert!(settles || !is_told, "{k} in step {step}");
                assert!(!settles || is_told || !told, "{k} in step {step}");
            }
        }
        assert!(came_to_rest > 100, "{came_to_rest}");
        world.set_enabled(ids[0], false).unwrap();
        assert!(!is_settling(&world, ids[0]) && !is_resting(&world, ids[0]));
        world.remove(ids[0]).unwrap();
        let stale = ProxyError::Stale { id: ids[0] };
        assert_eq!(world.is_settling(ids[0]), Err(stale));
    }
}

/// Whoever is disabled takes part in no step, so it is still told when it is enabled, however often and whenever it was told.
#[test]
fn who_is_told_while_it_is_disabled_rests_once_it_is_enabled() {
    let tell = |world: &mut Broadphase, id| world.set_resting(id, true).unwrap();
    for kind in [crates(), CategoryConfig::oversized("crates")] {
        for all_move in [false, true] {
            for told in [[false, false], [true, false], [false, true], [true, true]] {
                let (mut world, ids) = row_of(100, kind.clone().rests_when_told());
                let (disabled, others) = ids.split_last().unwrap();
                world.set_enabled(*disabled, false).unwrap();
                let mut frame = 0;
                let mut steps = |world: &mut Broadphase, moves: &[ProxyId]| {
                    for _ in 0..4 {
                        frame += 1;
                        for (k, &id) in moves.iter().enumerate().filter(|_| all_move) {
                            let at = [1.5 * k as f32, 0.01 * frame as f32];
                            world.set_center(id, at).unwrap();
                        }
                        world.step_pairs();
                    }
                };
                let what = format!("{told:?}, others move: {all_move}");
                // So that turns are taken, those that do not count move as well.
                steps(&mut world, &ids);
                for is_told in told {
                    if is_told {
                        tell(&mut world, *disabled);
                    }
                    steps(&mut world, others);
                    let is_settling = world.is_settling(*disabled).unwrap();
                    assert_eq!(is_settling, is_told || told[0], "{what}");
                    assert!(!world.is_resting(*disabled).unwrap(), "{what}");
                }
                world.set_enabled(*disabled, true).unwrap();
                let mut seen = Vec::new();
                for _ in 0..3 {
                    world.step_pairs();
                    seen.push(world.is_resting(*disabled).unwrap());
                }
                let rests = told.contains(&true);
                assert_eq!(seen, [false, rests, rests], "{what}");

                // Whoever wants that no more says so, or moves it.
                for moved in [false, true] {
                    world.set_enabled(*disabled, false).unwrap();
                    steps(&mut world, others);
                    tell(&mut world, *disabled);
                    steps(&mut world, others);
                    assert!(world.is_settling(*disabled).unwrap());
                    if moved {
                        let x = 1.5 * others.len() as f32;
                        world.set_center(*disabled, [x, 0.25]).unwrap();
                        world.step_pairs();
                    } else {
                        world.set_resting(*disabled, false).unwrap();
                    }
                    assert!(!world.is_settling(*disabled).unwrap());
                    world.set_enabled(*disabled, true).unwrap();
                    steps(&mut world, others);
                    assert!(
                        !world.is_resting(*disabled).unwrap(),
                        "{what}, moved: {moved}"
                    );
                }
            }
        }
    }
}

/// Whatever it did when it was disabled, and wherever it goes: whoever is told afterwards rests once it is enabled.
#[test]
fn who_is_told_in_the_frame_in_which_it_is_disabled_rests_once_it_is_enabled() {
    for steps_before in 0..6 {
        for steps_between in 0..3 {
            for goes_elsewhere in [false, true] {
                let config = BroadphaseConfig::new()
                    .category(CategoryConfig::oversized("crates").rests_when_told())
                    .category(CategoryConfig::oversized("boxes").rests_when_told());
                let mut world = Broadphase::new(config).unwrap();
                let proxy = Proxy::centered([1.0, 2.0], [1.0; 2]).unwrap();
                let proxy = proxy.in_category(CategoryId::new(0));
                let ids = [0; 3].map(|_| world.insert(proxy).unwrap());
                let tell = |world: &mut Broadphase| world.set_resting(ids[0], true).unwrap();
                tell(&mut world);
                step_times(&mut world, steps_before);
                world.set_enabled(ids[0], false).unwrap();
                tell(&mut world);
                assert!(world.is_settling(ids[0]).unwrap());
                step_times(&mut world, steps_between);
                if goes_elsewhere {
                    world
                        .set_category(ids[0], Some(CategoryId::new(1)))
                        .unwrap();
                }
                assert!(world.is_settling(ids[0]).unwrap());
                step_times(&mut world, steps_between);
                world.set_enabled(ids[0], true).unwrap();
                step_times(&mut world, 1);
                assert_eq!(resting(&world, &ids), [false; 3]);
                assert_eq!(world.step_pairs().report().pairs, 3);
                assert_eq!(resting(&world, &ids), [true, false, false]);
                world.validate().unwrap();
            }
        }
    }
}

/// It goes on settling in another category if it is where it was; who is moved there was not told to rest at that place.
#[test]
fn who_is_told_to_rest_does_in_another_category_where_it_is() {
    for moves in [false, true] {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("small", 1.0).rests_when_told())
            .category(CategoryConfig::oversized("large").rests_when_told())
            .category(CategoryConfig::oversized("restless"));
        let mut world = Broadphase::new(config).unwrap();
        let id = world
            .insert(Proxy::centered([1.0, 2.0], [1.0; 2]).unwrap())
            .unwrap();
        world.step_pairs();
        world.set_resting(id, true).unwrap();
        let x = if moves { 1.5 } else { 1.0 };
        let larger = Aabb::from_center([x, 2.0], [3.0; 2]).unwrap();
        let placed = world.set_aabb(id, larger);
        assert!(matches!(placed, Ok(Placement::Migrated(_))));
        assert_eq!(world.is_settling(id), Ok(!moves));
        step_times(&mut world, 2);
        assert_eq!(world.is_resting(id), Ok(!moves));
        world.set_category(id, Some(CategoryId::new(2))).unwrap();
        assert_eq!(world.is_settling(id), Ok(false));
    }
}

#[test]
fn who_is_told_to_rest_does_whatever_happens_to_scenery() {
    let config = || {
        BroadphaseConfig::new()
            .category(crates().rests_when_told())
            .category(CategoryConfig::scenery("walls"))
    };
    let walls = CategoryId::new(1);
    let wall = |k: usize| {
        let min = [k as f32 * 10.0, 0.5];
        Proxy::fixed(Aabb::new(min, [min[0] + 1.0, 1.0]).unwrap())
    };
    let level = {
        let mut editor = Broadphase::new(config()).unwrap();
        (0..1000).for_each(|k| _ = editor.insert(wall(k)).unwrap());
        editor.pack_scenery(walls).unwrap()
    };
    type Change = Box<dyn Fn(&mut Broadphase)>;
    let changes: [(&str, Change); 5] = [
        (
            "walls come one by one",
            Box::new(move |world| {
                (0..500).for_each(|k| _ = world.insert(wall(k)).unwrap());
            }),
        ),
        ("a level is loaded", {
            let level = level.clone();
            Box::new(move |world| _ = world.load_scenery(walls, &level).unwrap())
        }),
        (
            "a piece is loaded",
            Box::new(move |world| _ = world.add_scenery(walls, &level).unwrap()),
        ),
        (
            "another config",
            Box::new(move |world| _ = world.reconfigure(config()).unwrap()),
        ),
        ("nothing", Box::new(|_| {})),
    ];
    for (what, change) in &changes {
        for told_first in [true, false] {
            let mut world = Broadphase::new(config()).unwrap();
            world.insert(wall(0)).unwrap();
            let a_crate = world
                .insert(Proxy::centered([0.0, 0.0], [1.0; 2]).unwrap())
                .unwrap();
            let tell = |world: &mut Broadphase| world.set_resting(a_crate, true).unwrap();
            if told_first {
                tell(&mut world);
            }
            change(&mut world);
            if !told_first {
                tell(&mut world);
            }
            let touched = world.step_pairs().report().pairs;
            assert!(touched > 0, "{what}");
            assert_eq!(
                world.is_resting(a_crate),
                Ok(false),
                "{what}, in the step in which its pairs are found"
            );
            let step = world.step_pairs();
            assert_eq!(
                (step.report().pairs, step.resting_pairs().len() as u64),
                (0, touched),
                "{what}"
            );
            assert_eq!(world.is_resting(a_crate), Ok(true), "{what}");
            // What comes when it rests already does wake it.
            change(&mut world);
            let after = world.step_pairs().report().pairs;
            assert_eq!(after > 0, *what != "nothing", "{what}");
        }
    }
}

#[test]
fn who_was_moved_after_it_was_told_to_rest_does_not_under_another_config_either() {
    let config = || BroadphaseConfig::new().category(crates().rests_when_told());
    let mut world = Broadphase::new(config()).unwrap();
    let [moved, left] = [0.0, 9.0].map(|x| {
        let at = Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
        let id = world.insert(at).unwrap();
        world.set_resting(id, true).unwrap();
        id
    });
    world.set_center(moved, [3.0, 0.0]).unwrap();
    world.reconfigure(config()).unwrap();
    step_times(&mut world, 3);
    assert_eq!(resting(&world, &[moved, left]), [false, true]);
}
