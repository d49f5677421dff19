//! A step that panics is as if it had not been.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::{at, keys, three_pairs};
use crate::common::lasting::Lasting;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CollectPairs, Executor, Masks,
    Narrowphase, PairBatch, PairList, Proxy, ProxyId, RowOrder,
};

/// Collects pairs, or panics.
struct CollectsOrPanics(bool);

impl Narrowphase for CollectsOrPanics {
    type Scratch = <CollectPairs as Narrowphase>::Scratch;
    type Output = PairList;

    fn collide(&self, batch: PairBatch<'_>, scratch: &mut Self::Scratch, pairs: &mut PairList) {
        assert!(!self.0, "meant to panic");
        CollectPairs.collide(batch, scratch, pairs);
    }
}

#[test]
fn a_step_that_panics_is_as_if_it_had_not_been() {
    let (mut world, [a, ..]) = three_pairs();
    world.set_center(a, [50.0, 0.0]).unwrap();
    world.insert(at(900.5).key(9)).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        world.step(&CollectsOrPanics(true));
    }));
    assert!(panicked.is_err());
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[1, 2], [1, 3], [1, 4]]);
    let mut began = step.began();
    assert_eq!((began.len(), keys(began.clone())), (1, vec![[0, 9]]));
    assert!(began.next().is_some());
    assert_eq!((began.len(), began.next()), (0, None));
}

/// What came to rest beside scenery in a step that panicked may be scenery itself before the next.
#[test]
fn who_becomes_scenery_after_a_step_that_panicked_ends_once() {
    for has_slots in [false, true] {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::oversized("big").rests_after(2))
            .category(CategoryConfig::scenery("walls").events())
            .category(CategoryConfig::oversized("others").meets(["others"]))
            .pair_slots(has_slots);
        let mut world = Broadphase::new(config).unwrap();
        let [walls, others] = [1, 2].map(CategoryId::new);
        let wall = Aabb::new([-1.0; 2], [1.0; 2]).unwrap();
        world.insert(Proxy::fixed(wall)).unwrap();
        let rests = world.insert(at(0.0)).unwrap();
        // So that the narrowphase is called.
        for _ in 0..2 {
            world.insert(at(9.0).in_category(others)).unwrap();
        }
        for _ in 0..3 {
            world.step_pairs();
        }
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            world.step(&CollectsOrPanics(true));
        }));
        assert!(panicked.is_err());
        world.set_category(rests, Some(walls)).unwrap();
        let step = world.step_pairs();
        assert_eq!((step.began().len(), step.ended().len()), (0, 1));
        assert_eq!(world.step_pairs().ended().count(), 0);
        world.validate().unwrap();
    }
}

/// Panics instead of starting list number `.1` of those that it is given.
struct Panicking(AtomicUsize, usize);

impl Executor for Panicking {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let list = self.0.fetch_add(1, Ordering::Relaxed);
        assert_ne!(list, self.1, "meant to panic");
        (0..tasks).for_each(task);
    }
}

#[test]
fn a_step_whose_executor_panics_is_as_if_it_had_not_been() {
    let mut panics = 0;
    loop {
        let (mut world, [a, b, ..]) = three_pairs();
        world.set_center(a, [50.0, 0.0]).unwrap();
        world.remove(b).unwrap();
        world.insert(at(900.5).key(9)).unwrap();
        let executor = Panicking(AtomicUsize::new(0), panics);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            world.step_on(&executor, &CollectPairs);
        }));
        if outcome.is_ok() {
            break;
        }
        panics += 1;
        let step = world.step_pairs();
        assert_eq!(
            keys(step.ended()),
            [[1, 2], [1, 3], [1, 4]],
            "list {panics}"
        );
        assert_eq!(keys(step.began()), [[0, 9]], "list {panics}");
    }
    assert!(panics > 5, "{panics}");
}

/// Something that happens between steps, to whoever is at a place in the list of all.
#[derive(Clone, Copy, Debug)]
enum Change {
    Move(usize, [f32; 2]),
    Nudge(usize),
    Rest(usize, bool),
    Masks(usize, u64),
    Enable(usize, bool),
    Replace(usize, [f32; 2]),
    Sort,
    Refresh,
}

/// How a step ends.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Well,
    /// The executor panics at this list.
    AtList(usize),
    /// The narrowphase panics.
    AtPair,
}

fn place() -> impl Strategy<Value = [f32; 2]> {
    [0..24_i32, 0..8].prop_map(|place| place.map(|k| k as f32 * 0.5))
}

fn change() -> impl Strategy<Value = Change> {
    let who = || 0..60_usize;
    prop_oneof![
        4 => (who(), place()).prop_map(|(who, to)| Change::Move(who, to)),
        4 => who().prop_map(Change::Nudge),
        3 => (who(), any::<bool>()).prop_map(|(who, rests)| Change::Rest(who, rests)),
        1 => (who(), 1..4_u64).prop_map(|(who, bits)| Change::Masks(who, bits)),
        1 => (who(), any::<bool>()).prop_map(|(who, enabled)| Change::Enable(who, enabled)),
        2 => (who(), place()).prop_map(|(who, at)| Change::Replace(who, at)),
        1 => Just(Change::Sort),
        1 => Just(Change::Refresh),
    ]
}

fn ends() -> impl Strategy<Value = Ends> {
    prop_oneof![
        4 => Just(Ends::Well),
        2 => (0..14_usize).prop_map(Ends::AtList),
        1 => Just(Ends::AtPair),
    ]
}

/// A unit, a boulder or a wall: which one depends on the place in the list.
fn somebody(who: usize, at: [f32; 2]) -> Proxy {
    let key = who as u64;
    match who % 6 {
        0 => Proxy::fixed(Aabb::new(at, [at[0] + 0.5, at[1] + 0.5]).unwrap()),
        1 => Proxy::centered(at, [0.7, 0.4])
            .unwrap()
            .in_category(CategoryId::new(1)),
        _ => Proxy::centered(at, [0.5, 0.5]).unwrap(),
    }
    .key(key)
}

fn make(world: &mut Broadphase, change: Change, all: &mut [ProxyId]) {
    match change {
        // Some of these may be refused, such as telling a wall to rest; then nothing changes.
        Change::Move(who, to) => drop(world.set_center(all[who], to)),
        Change::Nudge(who) => {
            let aabb = world.get(all[who]).unwrap().aabb;
            let [min, max] = [aabb.min(), aabb.max()].map(|[x, y]| [x + 0.001, y]);
            drop(world.set_aabb(all[who], Aabb::new(min, max).unwrap()));
        }
        Change::Rest(who, rests) => drop(world.set_resting(all[who], rests)),
        Change::Masks(who, bits) => world.set_masks(all[who], Masks::new(bits, bits)).unwrap(),
        Change::Enable(who, enabled) => world.set_enabled(all[who], enabled).unwrap(),
        Change::Replace(who, at) => {
            world.remove(all[who]).unwrap();
            all[who] = world.insert(somebody(who, at)).unwrap();
        }
        Change::Sort => drop(world.sort_rows(CategoryId::new(0), RowOrder::Space)),
        Change::Refresh => world.refresh(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    /// Also where things rest: a step notes who comes to rest before it has finished, and may panic after that.
    #[test]
    fn steps_that_panic_leave_one_end_for_each_begin(
        places in prop::collection::vec(place(), 60), told in any::<bool>(), wakes in any::<bool>(),
        frames in prop::collection::vec((prop::collection::vec(change(), 0..4), ends()), 1..40),
    ) {
        let rests = |category: CategoryConfig| {
            let category = if told { category.rests_when_told() } else { category.rests_after(1) };
            let category = category.events();
            if wakes { category.wakes_on_contact() } else { category }
        };
        let config = BroadphaseConfig::new()
            .category(rests(CategoryConfig::uniform("units", 0.5)))
            .category(rests(CategoryConfig::oversized("boulders")))
            .category(CategoryConfig::scenery("walls"))
            .pair_slots(true);
        let mut world = Broadphase::new(config).unwrap();
        let all = (0..).zip(&places).map(|(who, &at)| world.insert(somebody(who, at)).unwrap());
        let mut all: Vec<ProxyId> = all.collect();
        let mut keys: HashMap<ProxyId, u64> = all.iter().copied().zip(0..).collect();
        let mut lasting = Lasting::default();
        for (changes, ends) in frames {
            for change in changes {
                make(&mut world, change, &mut all);
                keys.extend(all.iter().copied().zip(0..));
            }
            let list = match ends {
                Ends::AtList(list) => list,
                Ends::Well | Ends::AtPair => usize::MAX,
            };
            let executor = Panicking(AtomicUsize::new(0), list);
            let narrowphase = CollectsOrPanics(matches!(ends, Ends::AtPair));
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let step = world.step_on(&executor, &narrowphase);
                lasting.follow(&step, |_| true, |id| keys[&id]);
            }));
            if let Err(panic) = outcome {
                let is_meant = panic.downcast_ref::<&str>().is_some_and(|text| text.contains("meant to panic"))
                    || panic.downcast_ref::<String>().is_some_and(|text| text.contains("meant to panic"));
                if !is_meant {
                    resume_unwind(panic);
                }
            }
            world.validate().unwrap();
        }
    }
}

fn step_that_panics(world: &mut Broadphase) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        world.step(&CollectsOrPanics(true));
    }));
    assert!(outcome.is_err());
}

fn take_steps(world: &mut Broadphase, steps: usize) {
    for _ in 0..steps {
        world.step_pairs();
    }
}

/// What moves on wakes what it touches, and whoever stands still counts no step more.
#[test]
fn a_step_that_panics_counts_no_step() {
    let balls = CategoryConfig::uniform("balls", 1.0)
        .rests_after(3)
        .wakes_on_contact();
    let world = || {
        let mut config = BroadphaseConfig::new().category(balls.clone());
        config.world_tag = Some(3);
        let mut world = Broadphase::new(config).unwrap();
        let ids = [0.0, 50.0].map(|x| world.insert(at(x)).unwrap());
        take_steps(&mut world, 6);
        assert!(ids.iter().all(|&id| world.is_resting(id).unwrap()));
        (world, ids)
    };
    let touch_and_then = |between: &dyn Fn(&mut Broadphase)| {
        let (mut world, ids) = world();
        // One has just come, and is on its way to rest.
        world.insert(at(90.0)).unwrap();
        take_steps(&mut world, 2);
        world.set_center(ids[1], [0.75, 0.0]).unwrap();
        between(&mut world);
        let seen = (0..12).map(|_| {
            let step = world.step_pairs();
            let (woke, rest): (Vec<_>, Vec<_>) =
                (step.woken().collect(), step.came_to_rest().collect());
            (woke, rest, step.report().pairs)
        });
        seen.collect::<Vec<_>>()
    };
    let expected = touch_and_then(&|world| world.refresh());
    let wakes =
        |seen: &[(Vec<ProxyId>, _, _)]| seen.iter().map(|(woke, ..)| woke.len()).sum::<usize>();
    assert_eq!(wakes(&expected), 2);
    assert_eq!(touch_and_then(&step_that_panics), expected);
    assert_eq!(
        touch_and_then(&|world| (0..4).for_each(|_| step_that_panics(world))),
        expected
    );
}

/// Pairs that would have come to rest with a step that panicked are listed once.
#[test]
fn pairs_are_those_of_the_last_step_that_did_not_panic() {
    let units = CategoryConfig::uniform("units", 1.0)
        .events()
        .rests_after(1);
    let pairs = |world: &Broadphase| {
        let mut pairs: Vec<_> = world.event_pairs().map(|pair| pair.ids).collect();
        pairs.sort();
        pairs
    };
    let mut resting = Vec::new();
    for good in 1..6 {
        let config = BroadphaseConfig::new().category(units.clone());
        let mut world = Broadphase::new(config).unwrap();
        let ids = [0.0, 0.75, 50.0, 50.75].map(|x| world.insert(at(x)).unwrap());
        let mut x = 50.75;
        let mut go_on = |world: &mut Broadphase| {
            x += 0.01;
            world.set_center(ids[3], [x, 0.0]).unwrap();
        };
        for _ in 0..good {
            go_on(&mut world);
            world.step_pairs();
        }
        let (before, settled) = (pairs(&world), world.resting_pairs().len());
        assert_eq!(before.len(), 2);
        for _ in 0..2 {
            go_on(&mut world);
            step_that_panics(&mut world);
            assert_eq!(pairs(&world), before, "after {good} good steps");
        }
        resting.push(settled);
        let step = world.step_pairs();
        assert_eq!((step.began().len(), step.ended().len()), (0, 0));
    }
    assert_eq!(resting, [0, 0, 1, 1, 1]);
}
