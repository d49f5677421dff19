//! Who rests when, and what wakes it.

mod changes;
mod contact;
mod memory;
mod told;
mod while_all_move;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Executor, Masks,
    Narrowphase, PairBatch, Proxy, ProxyId, Resting, RowOrder, RowRef,
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
