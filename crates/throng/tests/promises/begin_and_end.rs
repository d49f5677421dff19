//! Promise: each pair with events begins once and ends once, whatever the cause; nothing else begins or ends.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::lasting::Lasting;
use crate::common::{Threads, category, move_to, world_of};
use throng::{
    Aabb, AlignedBytes, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CollectPairs,
    DoubleGridConfig, Executor, LooseQuadtreeConfig, Masks, Narrowphase, OversizedStructure,
    PackedQuadtree, PairBatch, PairEvent, PairMode, Proxy, ProxyId, RowOrder, Serial, SharedBytes,
    SimdLevel, StripsConfig,
};
use throng_scenes::{Scene, adversarial, four_categories, step_motion, uniform};

fn config() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).events())
        .category(CategoryConfig::uniform("ghosts", 1.0).meets_nothing())
        .category(CategoryConfig::oversized("giants"))
        .category(CategoryConfig::scenery("walls"))
}

const UNITS: CategoryId = CategoryId::new(0);
const GHOSTS: CategoryId = CategoryId::new(1);
const GIANTS: CategoryId = CategoryId::new(2);
const WALLS: CategoryId = CategoryId::new(3);

fn at(x: f32) -> Proxy {
    Proxy::centered([x, 0.0], [0.5, 0.5]).unwrap()
}

/// A world in which one unit, a giant and a wall overlap another unit, with keys 1 to 4 in this order, all of which has begun;
/// and somebody far away.
fn three_pairs() -> (Broadphase, [ProxyId; 4]) {
    let mut world = Broadphase::new(config()).unwrap();
    let wall = Aabb::new([0.2, -1.0], [0.3, 1.0]).unwrap();
    world.insert(at(900.0)).unwrap();
    let ids = [
        at(0.0).key(1),
        at(0.5).key(2),
        at(0.5).in_category(GIANTS).key(3),
        Proxy::fixed(wall).key(4),
    ];
    let ids = ids.map(|proxy| world.insert(proxy).unwrap());
    world.insert(at(-900.0)).unwrap();
    world.set_masks(ids[0], Masks::new(1, 0b1111)).unwrap();
    world.set_masks(ids[1], Masks::new(2, 0b0001)).unwrap();
    world.set_masks(ids[2], Masks::new(4, 0b0001)).unwrap();
    world.set_masks(ids[3], Masks::new(8, 0b0001)).unwrap();
    let step = world.step_pairs();
    assert_eq!(keys(step.began()), [[1, 2], [1, 3], [1, 4]]);
    assert_eq!(step.ended().count(), 0);
    world.insert(at(0.0).in_category(GHOSTS)).unwrap();
    world.step_pairs();
    assert_eq!(
        world.memory().categories[GHOSTS.index()].then,
        0,
        "they meet nobody"
    );
    (world, ids)
}

fn keys(events: impl Iterator<Item = PairEvent>) -> Vec<[u64; 2]> {
    let mut keys: Vec<_> = events.map(|event| event.keys).collect();
    keys.sort_unstable();
    keys
}

/// What has ended, and what has begun, after something was done.
fn told(
    done: impl Fn(&mut Broadphase, [ProxyId; 4]),
    refreshes: bool,
) -> (Vec<[u64; 2]>, Vec<[u64; 2]>) {
    let (mut world, ids) = three_pairs();
    if refreshes {
        world.refresh();
    }
    done(&mut world, ids);
    if refreshes {
        world.refresh();
    }
    let step = world.step_pairs();
    let events = (keys(step.ended()), keys(step.began()));
    let quiet = world.step_pairs();
    assert_eq!([quiet.ended().count(), quiet.began().count()], [0, 0]);
    events
}

#[track_caller]
fn assert_ended(done: impl Fn(&mut Broadphase, [ProxyId; 4]), ended: &[u64]) {
    for refreshes in [false, true] {
        let expected: Vec<_> = ended.iter().map(|&other| [1, other]).collect();
        assert_eq!(
            told(&done, refreshes),
            (expected, vec![]),
            "refreshes: {refreshes}"
        );
    }
}

#[test]
fn pairs_end_when_they_part() {
    assert_ended(
        |world, [a, ..]| world.set_center(a, [50.0, 0.0]).unwrap(),
        &[2, 3, 4],
    );
    assert_ended(
        |world, [_, b, ..]| world.set_center(b, [-50.0, 0.0]).unwrap(),
        &[2],
    );
    assert_ended(
        |world, [.., giant, _]| world.set_center(giant, [9.0, 9.0]).unwrap(),
        &[3],
    );
    let part = |world: &mut Broadphase, _| {
        let _ = world.centers_mut(UNITS).unwrap().set(1, [50.0, 0.0]);
    };
    assert_ended(part, &[2, 3, 4]);
}

#[test]
fn pairs_end_when_either_is_removed() {
    for (gone, ended) in [(0, &[2, 3, 4][..]), (1, &[2]), (2, &[3]), (3, &[4])] {
        assert_ended(
            |world, ids| {
                world.remove(ids[gone]).unwrap();
            },
            ended,
        );
    }
    let remove_all = |world: &mut Broadphase, ids: [ProxyId; 4]| {
        world.remove_batch([ids[3], ids[0], ids[1]]);
    };
    assert_ended(remove_all, &[2, 3, 4]);
}

#[test]
fn pairs_end_when_either_is_disabled() {
    for (gone, ended) in [(0, &[2, 3, 4][..]), (1, &[2]), (2, &[3]), (3, &[4])] {
        assert_ended(
            |world, ids| world.set_enabled(ids[gone], false).unwrap(),
            ended,
        );
    }
}

#[test]
fn pairs_end_when_either_shrinks() {
    let small = |x: f32| Aabb::from_center([x, 0.0], [0.01; 2]).unwrap();
    assert_ended(
        |world, [a, ..]| {
            world.set_aabb(a, small(-0.4)).unwrap();
        },
        &[2, 3, 4],
    );
    assert_ended(
        |world, [.., giant, _]| {
            world.set_aabb(giant, small(0.9)).unwrap();
        },
        &[3],
    );
    assert_ended(
        |world, [.., wall]| {
            world.set_aabb(wall, small(0.9)).unwrap();
        },
        &[4],
    );
}

#[test]
fn pairs_end_when_a_category_is_left() {
    assert_ended(
        |world, [a, ..]| {
            world.set_category(a, Some(GHOSTS)).unwrap();
        },
        &[2, 3, 4],
    );
    assert_ended(
        |world, [_, b, ..]| {
            world.set_category(b, Some(GHOSTS)).unwrap();
        },
        &[2],
    );
}

#[test]
fn pairs_end_when_filters_say_so() {
    assert_ended(
        |world, [a, ..]| world.set_masks(a, Masks::new(1, 0b1001)).unwrap(),
        &[2, 3],
    );
    assert_ended(
        |world, [.., wall]| world.set_masks(wall, Masks::new(8, 0)).unwrap(),
        &[4],
    );
    let owned = |world: &mut Broadphase, [a, b, ..]: [ProxyId; 4]| {
        world.set_owner(a, 5).unwrap();
        world.set_owner(b, 5).unwrap();
    };
    assert_ended(owned, &[2]);
    assert_ended(
        |world, [a, _, giant, _]| {
            world.exclude_pair(giant, a).unwrap();
        },
        &[3],
    );
}

#[test]
fn pairs_end_when_all_are_gone_or_categories_stop_meeting() {
    assert_ended(|world, _| world.clear(), &[2, 3, 4]);
    let alone = |world: &mut Broadphase, _| {
        let mut config = world.config().clone();
        config.categories[0].meets = Some(vec!["giants".into()]);
        world.reconfigure(config).unwrap();
    };
    assert_ended(alone, &[2, 4]);
    let without_walls_and_giants = |world: &mut Broadphase, ids: [ProxyId; 4]| {
        world.remove(ids[2]).unwrap();
        world.remove(ids[3]).unwrap();
        let mut config = world.config().clone();
        config.categories.truncate(2);
        world.reconfigure(config).unwrap();
    };
    assert_ended(without_walls_and_giants, &[3, 4]);
    let nobody_asks = |world: &mut Broadphase, _| {
        let mut config = world.config().clone();
        config.categories[0].events = throng::EventsWith::These(vec!["walls".into()]);
        world.reconfigure(config).unwrap();
    };
    assert_ended(nobody_asks, &[2, 3]);
}

#[test]
fn pairs_end_when_scenery_is_loaded_anew() {
    for refreshes in [false, true] {
        let load = |world: &mut Broadphase, _: [ProxyId; 4]| {
            let packed = world.pack_scenery(WALLS).unwrap();
            let bytes = SharedBytes::new(AlignedBytes::from(packed.as_bytes()));
            let loaded = PackedQuadtree::from_bytes(bytes).unwrap();
            world.load_scenery(WALLS, &loaded).unwrap();
        };
        // The same box, but somebody else, whom everybody may meet.
        assert_eq!(told(load, refreshes), (vec![[1, 4]], vec![[1, 0], [2, 0]]));
    }
}

#[test]
fn nothing_ends_that_goes_on() {
    type Done = fn(&mut Broadphase, [ProxyId; 4]);
    let harmless: [Done; 9] = [
        |world, [a, ..]| world.set_center(a, [0.1, 0.1]).unwrap(),
        |world, _| {
            // The last unit takes the first row.
            let first = world.proxies(UNITS).next().unwrap();
            world.remove(first).unwrap();
        },
        |world, _| {
            for order in [RowOrder::Space, RowOrder::Key] {
                for id in world.categories() {
                    let keys: Vec<_> = world.proxies(id).collect();
                    if order == RowOrder::Space || keys.len() < 3 {
                        world.sort_rows(id, order).unwrap();
                    }
                }
            }
        },
        |world, _| {
            let first = world.proxies(UNITS).next().unwrap();
            world.remove(first).unwrap();
            world.sort_rows(UNITS, RowOrder::Space).unwrap();
            world.insert(at(700.0)).unwrap();
        },
        |world, [a, b, ..]| {
            world.set_category(b, Some(GIANTS)).unwrap();
            world.set_category(b, None).unwrap();
            world.set_enabled(a, false).unwrap();
            world.set_enabled(a, true).unwrap();
        },
        |world, [_, b, giant, wall]| {
            world.set_masks(b, Masks::new(2, 0b0011)).unwrap();
            world.set_owner(giant, 8).unwrap();
            world.exclude_pair(giant, wall).unwrap();
        },
        |world, [.., wall]| {
            let wider = Aabb::new([0.1, -1.0], [0.3, 1.0]).unwrap();
            world.set_aabb(wall, wider).unwrap();
        },
        |world, _| world.shrink_to_fit(),
        |world, _| {
            let mut config = world.config().clone();
            config.categories[0].half_extents = [3.0, 2.0];
            config.categories.swap(1, 2);
            world.reconfigure(config).unwrap();
        },
    ];
    for (number, done) in harmless.into_iter().enumerate() {
        for refreshes in [false, true] {
            let events = told(done, refreshes);
            assert_eq!(
                events,
                (vec![], vec![]),
                "number {number}, refreshes: {refreshes}"
            );
        }
    }
}

#[test]
fn whoever_gets_the_place_of_another_inherits_nothing() {
    let (mut world, [_, b, ..]) = three_pairs();
    world.remove(b).unwrap();
    let new = at(0.5).key(7).masks(Masks::new(2, 0b0001));
    let new = world.insert(new).unwrap();
    assert_eq!(new.index(), b.index(), "the same slot, and the same row");
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[1, 2]]);
    assert_eq!(keys(step.began()), [[1, 7]]);
    let ids = |event: PairEvent| event.ids[1];
    assert!(step.ended().map(ids).eq([b]) && step.began().map(ids).eq([new]));
    assert!(
        step.ended()
            .all(|event| !step.world().contains(event.ids[1]))
    );
}

#[test]
fn a_meeting_has_events_if_either_side_asks() {
    let events = |units: CategoryConfig, ghosts: CategoryConfig| {
        let config = BroadphaseConfig::new().category(units).category(ghosts);
        let mut world = Broadphase::new(config).unwrap();
        for (key, id) in [(1, UNITS), (2, UNITS), (3, GHOSTS), (4, GHOSTS)] {
            world.insert(at(0.0).key(key).in_category(id)).unwrap();
        }
        keys(world.step_pairs().began())
    };
    let [units, ghosts] = ["units", "ghosts"].map(|name| CategoryConfig::uniform(name, 1.0));
    let across = [[1, 3], [1, 4], [2, 3], [2, 4]];
    let off = || (units.clone(), ghosts.clone());
    assert_eq!(events(off().0, off().1), [[0; 2]; 0]);
    assert_eq!(events(off().0.events_with(["ghosts"]), off().1), across);
    assert_eq!(events(off().0, off().1.events_with(["units"])), across);
    assert_eq!(events(off().0.events_with(["units"]), off().1), [[1, 2]]);
    assert_eq!(
        events(off().0, off().1.events()),
        [[1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]
    );
}

fn know_keys(world: &Broadphase, keys: &mut HashMap<ProxyId, u64>) {
    for category in world.categories() {
        let ids = world.proxies(category);
        keys.extend(ids.map(|id| (id, world.key(id).unwrap())));
    }
}

/// A world of moving scenes, with events of all pairs, in which a twentieth is replaced in every frame, and much else happens.
fn churn(
    scenes: &[Scene],
    level: SimdLevel,
    structure: OversizedStructure,
    frames: u64,
    threads: usize,
) -> Vec<PairEvent> {
    let mut scenes = scenes.to_vec();
    let mut world = world_of(&scenes, PairMode::Exact, Some(level));
    let mut config = world.config().clone().pair_slots(true);
    config.world_tag = Some(world.world_tag());
    let last = config.categories.len() - 1;
    let reach = config.categories[last].half_extents;
    let name = config.categories[last].name.clone();
    config.categories[last] = CategoryConfig::oversized(name)
        .structure(structure)
        .half_extents(reach);
    for category in &mut config.categories {
        category.events = throng::EventsWith::Everybody;
    }
    world.reconfigure(config).unwrap();
    let mut lasting = Lasting::default();
    let mut keys: HashMap<ProxyId, u64> = HashMap::new();
    let mut all = Vec::new();
    for frame in 0..frames {
        let executor = Threads(threads);
        let step = world.step_on(&executor, &CollectPairs);
        know_keys(step.world(), &mut keys);
        lasting.follow(&step, |_| true, |id| keys[&id]);
        all.extend(step.began().chain(step.ended()));
        scenes
            .iter_mut()
            .for_each(|scene| step_motion(scene, 0.2, frame));
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
            if frame % 3 == 1 {
                world.sort_rows(id, RowOrder::Space).unwrap();
            }
            assert_eq!(scene.len(), world.rows(id));
        }
        if frame % 4 == 2 {
            let config = world.config().clone();
            world.reconfigure(config).unwrap();
        }
        move_to(&mut world, &scenes);
    }
    assert!(lasting.began > lasting.len() as u64, "some have ended");
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

#[test]
fn events_are_the_difference_of_steps_and_the_same_on_any_threads() {
    let structures: [OversizedStructure; 3] = [
        StripsConfig::new().into(),
        DoubleGridConfig::new().into(),
        LooseQuadtreeConfig::new().into(),
    ];
    let scenes = four_categories(3000, 3);
    for structure in structures {
        let expected = churn(&scenes, SimdLevel::Scalar, structure, 5, 1);
        for &level in SimdLevel::available() {
            for threads in [1, 3] {
                let found = churn(&scenes, level, structure, 5, threads);
                assert_eq!(found.len(), expected.len(), "{level}, {threads} threads");
                // Ids differ from world to world by the tag alone.
                let same = found.iter().zip(&expected).all(|(a, b)| {
                    (a.keys, a.slot, a.ids.map(ProxyId::index))
                        == (b.keys, b.slot, b.ids.map(ProxyId::index))
                });
                assert!(same, "{level}, {threads} threads");
            }
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

#[test]
fn a_step_that_is_cut_reports_what_is_left_of_it() {
    let scene = uniform(3000, 2.0, 4);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    let (mut lasting, mut scenes) = (Lasting::default(), [scene]);
    let mut cuts = 0;
    for frame in 0..12 {
        let mut config = world.config().clone();
        config.categories[0].events = throng::EventsWith::Everybody;
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

/// Notes which pairs have a slot, and panics if it is told to.
struct Slots(bool);

impl Narrowphase for Slots {
    type Scratch = ();
    type Output = Vec<([ProxyId; 2], Option<u32>)>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), seen: &mut Self::Output) {
        assert!(!self.0, "meant to panic");
        seen.extend(
            batch
                .pairs()
                .iter()
                .map(|&pair| (batch.ids(pair), batch.slot(pair))),
        );
    }
}

#[test]
fn a_pair_has_its_slot_in_the_narrowphase_as_long_as_it_lasts() {
    let mut scenes = [uniform(2000, 2.0, 4)];
    let mut world = world_of(&scenes, PairMode::Exact, None);
    let mut config = world.config().clone().pair_slots(false);
    config.categories[0].events = throng::EventsWith::Everybody;
    world.reconfigure(config.clone()).unwrap();
    assert!(
        world
            .step(&Slots(false))
            .outputs()
            .flatten()
            .all(|(_, slot)| slot.is_none())
    );
    assert_eq!(world.pair_slots(), 0);
    // Pairs that last get slots when slots are turned on.
    world.reconfigure(config.pair_slots(true)).unwrap();
    let mut known: HashMap<[ProxyId; 2], u32> = HashMap::new();
    let mut most = 0;
    for frame in 0..8 {
        let step = world.step_on(&Serial, &Slots(false));
        let began: HashMap<_, _> = step.began().map(|event| (event.ids, event.slot)).collect();
        let mut now = HashMap::new();
        for &(ids, slot) in step.outputs().flatten() {
            let lasts = slot.or_else(|| began[&ids]).expect("one or the other");
            assert_ne!(slot.is_some(), began.contains_key(&ids));
            assert!(known.get(&ids).is_none_or(|&before| Some(before) == slot));
            assert_eq!(now.insert(ids, lasts), None);
        }
        most = most.max(now.len() + began.len());
        let slots: std::collections::HashSet<_> = now.values().collect();
        assert_eq!(slots.len(), now.len(), "each has its own");
        known = now;
        let len = world.pair_slots();
        assert!(known.values().all(|&slot| (slot as usize) < len) && len <= most);
        step_motion(&mut scenes[0], 0.2, frame);
        move_to(&mut world, &scenes);
    }
}

#[test]
fn a_step_that_panics_is_as_if_it_had_not_been() {
    let (mut world, [a, ..]) = three_pairs();
    world.set_center(a, [50.0, 0.0]).unwrap();
    world.insert(at(900.5).key(9)).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        world.step(&Slots(true));
    }));
    assert!(panicked.is_err());
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[1, 2], [1, 3], [1, 4]]);
    assert_eq!(keys(step.began()), [[0, 9]]);
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

#[test]
fn what_was_listed_for_events_is_counted_and_let_go() {
    let scene = uniform(2000, 4.0, 4);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    world.step_pairs();
    assert_eq!(world.memory().events, 0);
    assert_eq!(world.memory().categories[0].then, 0);
    let mut config = world.config().clone().pair_slots(true);
    config.categories[0].events = throng::EventsWith::Everybody;
    world.reconfigure(config).unwrap();
    let pairs = world.step_pairs().report().pairs as usize;
    let memory = world.memory();
    assert!(memory.events >= pairs * (8 + 20), "{memory}");
    assert!(memory.categories[0].then >= 2000 * 8, "{memory}");
    world.clear();
    world.step_pairs();
    world.step_pairs();
    world.shrink_to_fit();
    assert!(
        world.memory().events < memory.events / 10,
        "{}",
        world.memory()
    );
}
