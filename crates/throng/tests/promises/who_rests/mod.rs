//! Who rests when, and what wakes it.

mod changes;
mod contact;
mod memory;
mod while_all_move;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Executor, Masks,
    Narrowphase, PairBatch, Placement, Proxy, ProxyError, ProxyId, Resting, RowOrder, RowRef,
};

/// A world of crates side by side, each touching the next.
fn row_of(count: usize, category: CategoryConfig) -> (Broadphase, Vec<ProxyId>) {
    let mut world = Broadphase::new(BroadphaseConfig::new().category(category.events())).unwrap();
    let at = |k: usize| Proxy::centered([k as f32 * 1.5, 0.0], [1.0; 2]).unwrap();
    let ids = (0..count).map(|k| world.insert(at(k)).unwrap()).collect();
    (world, ids)
}

fn step_times(world: &mut Broadphase, times: usize) {
    for _ in 0..times {
        world.step_pairs();
    }
}

fn crates() -> CategoryConfig {
    CategoryConfig::uniform("crates", 1.0)
}

/// Pairs of a step, and of those that rest.
fn counts(world: &mut Broadphase) -> (u64, usize) {
    let step = world.step_pairs();
    (step.report().pairs, step.resting_pairs().len())
}

fn resting(world: &Broadphase, ids: &[ProxyId]) -> Vec<bool> {
    ids.iter()
        .map(|&id| world.is_resting(id).unwrap())
        .collect()
}

#[test]
fn a_proxy_rests_after_as_many_steps_as_configured() {
    for steps in [1, 2, 7, Resting::MOST_STEPS] {
        let (mut world, ids) = row_of(2, crates().rests_after(steps));
        let awake = |world: &mut Broadphase| {
            for step in 0..=steps {
                assert_eq!(counts(world), (1, 0), "step {step} of {steps}");
                assert_eq!(world.is_resting(ids[1]), Ok(false));
            }
            assert_eq!(counts(world), (0, 1), "after {steps}");
            assert_eq!(world.is_resting(ids[1]), Ok(true));
        };
        awake(&mut world);
        // Nothing that leaves it where it is wakes it.
        world.set_center(ids[0], [0.0, 0.0]).unwrap();
        world
            .set_aabb(ids[0], world.get(ids[0]).unwrap().aabb)
            .unwrap();
        world.set_enabled(ids[0], true).unwrap();
        world.set_masks(ids[0], Masks::ALL).unwrap();
        world.set_key(ids[0], 5).unwrap();
        world.set_resting(ids[0], true).unwrap();
        assert_eq!(counts(&mut world), (0, 1));
        let [xs, ys] = world.centers(CategoryId::new(0));
        let (xs, ys) = (xs.to_vec(), ys.to_vec());
        let _ = world
            .centers_mut(CategoryId::new(0))
            .unwrap()
            .fill_from(&xs, &ys);
        assert_eq!(counts(&mut world), (0, 1));
        // A refresh is no step.
        (0..3).for_each(|_| world.refresh());
        world.set_center(ids[1], [1.5, 0.1]).unwrap();
        world.refresh();
        world.refresh();
        awake(&mut world);
    }
}

#[test]
fn whatever_changes_a_proxy_wakes_it() {
    type Wakes = fn(&mut Broadphase, ProxyId);
    let wakes: [(&str, Wakes); 8] = [
        ("moved", |world, id| {
            world.set_center(id, [1.6, 0.0]).unwrap()
        }),
        ("resized", |world, id| {
            let aabb = Aabb::from_center([1.5, 0.0], [1.0, 0.5]).unwrap();
            assert!(world.set_aabb(id, aabb).is_ok());
        }),
        ("masked", |world, id| {
            world.set_masks(id, Masks::new(1, !0)).unwrap()
        }),
        ("owned", |world, id| world.set_owner(id, 3).unwrap()),
        ("excluded", |world, id| {
            let other = world.proxies(CategoryId::new(0)).find(|&other| other != id);
            assert!(world.exclude_pair(id, other.unwrap()).unwrap());
        }),
        ("told", |world, id| world.set_resting(id, false).unwrap()),
        ("enabled again", |world, id| {
            world.set_enabled(id, false).unwrap();
            world.step_pairs();
            world.set_enabled(id, true).unwrap();
        }),
        ("by a command", |world, id| {
            world.sender().set_resting(id, false);
        }),
    ];
    for (cause, wake) in wakes {
        let (mut world, ids) = row_of(3, crates().rests_after(1));
        for _ in 0..2 {
            world.step_pairs();
        }
        assert_eq!(counts(&mut world), (0, 2), "{cause}");
        wake(&mut world, ids[1]);
        let resting = counts(&mut world).1;
        assert_eq!(world.is_resting(ids[1]), Ok(false), "{cause}");
        assert_eq!(resting, 0, "{cause}: both of its pairs");
        assert_eq!(
            world.report().ended,
            usize::from(cause == "excluded"),
            "{cause}"
        );
        let began = if cause == "enabled again" { 2 } else { 0 };
        assert_eq!(world.report().began, began, "{cause}");
    }
}

#[test]
fn a_step_that_is_cut_lets_nobody_rest() {
    let (mut world, _) = row_of(100, crates().rests_after(1));
    let mut config = world.config().clone();
    config.max_pairs = Some(50);
    config.world_tag = Some(world.world_tag());
    world.reconfigure(config.clone()).unwrap();
    for _ in 0..5 {
        let step = world.step_pairs();
        assert!(step.report().cut.is_some() && step.resting_pairs().is_empty());
    }
    config.max_pairs = None;
    world.reconfigure(config).unwrap();
    assert_eq!(
        [0; 3].map(|_| counts(&mut world)),
        [(99, 0), (99, 0), (0, 99)]
    );
}

/// Panics if it is told to.
struct Panics(bool);

impl Narrowphase for Panics {
    type Scratch = ();
    type Output = u64;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), count: &mut u64) {
        assert!(!self.0, "meant to panic");
        *count += batch.pairs().len() as u64;
    }
}

#[test]
fn a_step_that_panics_lets_nobody_rest() {
    let (mut world, ids) = row_of(100, crates().rests_after(1));
    world.step(&Panics(false));
    for _ in 0..3 {
        let step = std::panic::AssertUnwindSafe(|| {
            world.step(&Panics(true));
        });
        assert!(std::panic::catch_unwind(step).is_err());
    }
    assert_eq!(world.is_resting(ids[0]), Ok(false));
    assert_eq!([0; 2].map(|_| counts(&mut world)), [(99, 0), (0, 99)]);
    assert_eq!((world.report().began, world.report().ended), (0, 0));
}

/// Pairs come to rest with a step that panics, and wake before the next one: no begin or end of theirs is reported twice, and no end
/// without a begin.
#[test]
fn a_step_that_panics_leaves_one_end_for_each_begin() {
    for moves_away in [false, true] {
        let (mut world, ids) = row_of(100, crates().rests_after(1));
        let mut lasting = BTreeSet::new();
        let mut y = 0.0;
        for step in 0..6 {
            // Somebody moves in each step, so that pairs are found.
            y += 0.01;
            world.set_center(ids[0], [0.0, y]).unwrap();
            let panics = step == 2;
            let run = std::panic::AssertUnwindSafe(|| {
                let step = world.step(&Panics(panics));
                let ids = |event: throng::PairEvent| event.ids;
                let began: Vec<_> = step.began().map(ids).collect();
                let ended: Vec<_> = step.ended().map(ids).collect();
                (began, ended)
            });
            let events = std::panic::catch_unwind(run);
            assert_eq!(events.is_err(), panics);
            let Ok((began, ended)) = events else {
                if moves_away {
                    world.set_center(ids[50], [0.0, 99.0]).unwrap();
                } else {
                    world.set_resting(ids[50], false).unwrap();
                }
                continue;
            };
            for pair in ended {
                assert!(lasting.remove(&pair), "{pair:?} had not begun, step {step}");
            }
            for pair in began {
                assert!(lasting.insert(pair), "{pair:?} had begun, step {step}");
            }
            assert_eq!(
                lasting.len(),
                if moves_away && step > 2 { 97 } else { 99 },
                "step {step}"
            );
            world.validate().unwrap();
        }
    }
}

/// Panics after so many tasks.
struct GivesUp(AtomicUsize);

impl Executor for GivesUp {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        for index in 0..tasks {
            assert!(self.0.fetch_sub(1, Ordering::Relaxed) > 0, "meant to panic");
            task(index);
        }
    }
}

/// Whether it panics while an index is built or mended, or later: the next step finds each pair once, and so does the one after it.
#[test]
fn an_executor_that_panics_leaves_rest_whole() {
    let mut panicked = 0;
    for tasks in 0..10 {
        for (told, woken) in [(2, 1000), (1, 1000), (1, 3), (2, 50)] {
            let (mut world, ids) = row_of(100, crates().rests_when_told());
            step_times(&mut world, 1);
            for &id in ids.iter().step_by(told) {
                world.set_resting(id, true).unwrap();
            }
            for steps in 0..3 {
                let executor = GivesUp(AtomicUsize::new(tasks));
                let step = std::panic::AssertUnwindSafe(|| {
                    let _ = world.step_on(&executor, &CountPairs);
                });
                panicked += usize::from(std::panic::catch_unwind(step).is_err());
                if steps == 1 {
                    for &id in ids.iter().step_by(woken) {
                        world.set_resting(id, false).unwrap();
                    }
                }
                for _ in 0..2 {
                    let (awake, resting) = counts(&mut world);
                    assert_eq!(awake + resting as u64, 99, "{tasks} tasks, {told}, {woken}");
                    world.validate().unwrap();
                }
            }
        }
    }
    // A step in which the index is refitted has one list of tasks less than one in which it is built.
    assert!(panicked > 40, "{panicked}");
}

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

/// While all move, only some are looked at; those that stop are noticed all the same.
#[test]
fn those_that_stop_while_all_others_move_come_to_rest() {
    let scene = throng_scenes::uniform(3000, 2.0, 3);
    let units = CategoryConfig::uniform("units", 0.0).half_extents(scene.half);
    let mut world =
        Broadphase::new(BroadphaseConfig::new().category(units.rests_after(3))).unwrap();
    let units = CategoryId::new(0);
    for (&x, &y) in scene.xs.iter().zip(&scene.ys) {
        world
            .insert(Proxy::centered([x, y], scene.half).unwrap())
            .unwrap();
    }
    let (mut xs, ys) = (scene.xs.clone(), scene.ys.clone());
    for frame in 0..60 {
        let stopped = if frame < 20 { 0 } else { 40 };
        for x in &mut xs[stopped..] {
            *x += 0.1;
        }
        assert_eq!(
            world
                .centers_mut(units)
                .unwrap()
                .fill_from(&xs, &ys)
                .unwrap()
                .rejected,
            0
        );
        let step = world.step_pairs();
        let moved = step.report().resting;
        assert!(frame > 22 || moved == 0);
        assert!(
            frame < 20 + 16 + 5 || moved == 40,
            "frame {frame}: {moved} rest"
        );
    }
    // And a proxy that is told to rest does, though all others move.
    let told = world
        .proxy_at(RowRef {
            category: units,
            row: 2000,
        })
        .unwrap();
    xs[..40].iter_mut().for_each(|x| *x += 0.1);
    for frame in 0..10 {
        for (row, x) in xs.iter_mut().enumerate() {
            *x += if row == 2000 && frame > 4 { 0.0 } else { 0.1 };
        }
        assert_eq!(
            world
                .centers_mut(units)
                .unwrap()
                .fill_from(&xs, &ys)
                .unwrap()
                .rejected,
            0
        );
        if frame == 5 {
            world.set_resting(told, true).unwrap();
        }
        world.step_pairs();
    }
    assert_eq!(world.is_resting(told), Ok(true));
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

/// By itself, it rests as many steps after it is enabled as if it were new.
#[test]
fn who_is_disabled_does_not_come_to_rest_meanwhile() {
    let (mut world, ids) = row_of(2, crates().rests_after(2));
    world.set_enabled(ids[1], false).unwrap();
    step_times(&mut world, 300);
    assert_eq!(resting(&world, &ids), [true, false]);
    assert!(!world.is_settling(ids[1]).unwrap());
    world.set_enabled(ids[1], true).unwrap();
    let seen = [0; 4].map(|_| {
        world.step_pairs();
        world.is_resting(ids[1]).unwrap()
    });
    assert_eq!(seen, [false, false, false, true]);
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

/// Its row was given to it by a removal, then by a sort; and only then does it wake.
#[test]
fn a_pair_that_wakes_does_not_begin_whatever_became_of_its_rows() {
    let (mut world, ids) = row_of(4, crates().rests_after(1));
    for _ in 0..3 {
        world.step_pairs();
    }
    assert_eq!(world.resting_pairs().len(), 3);
    world.remove(ids[0]).unwrap();
    world
        .sort_rows(CategoryId::new(0), RowOrder::Space)
        .unwrap();
    world.set_center(ids[3], [4.5, 0.1]).unwrap();
    assert_eq!(counts(&mut world), (1, 1));
    assert_eq!((world.report().began, world.report().ended), (0, 1));
}

/// Those that are awake ask the index of all, and find themselves there.
#[test]
fn one_that_is_awake_and_alone_is_no_batch() {
    struct Batches(AtomicUsize);
    impl Narrowphase for Batches {
        type Scratch = ();
        type Output = ();
        fn collide(&self, batch: PairBatch<'_>, (): &mut (), (): &mut ()) {
            assert!(!batch.pairs().is_empty());
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let category = CategoryConfig::oversized("crates").rests_after(1);
    let mut world = Broadphase::new(BroadphaseConfig::new().category(category)).unwrap();
    let at = |k: usize| Proxy::centered([k as f32 * 9.0, 0.0], [1.0; 2]).unwrap();
    let ids: Vec<_> = (0..100).map(|k| world.insert(at(k)).unwrap()).collect();
    step_times(&mut world, 5);
    let batches = Batches(AtomicUsize::new(0));
    for step in 1..=3 {
        world.set_center(ids[50], [450.0, step as f32]).unwrap();
        world.step(&batches);
    }
    assert_eq!(batches.0.load(Ordering::Relaxed), 0);
    world.set_center(ids[50], [442.0, 0.0]).unwrap();
    world.step(&batches);
    assert_eq!(batches.0.load(Ordering::Relaxed), 1);
}
