//! Slots of pairs.

use std::collections::{HashMap, HashSet};

use super::with_events;
use crate::common::{move_to, world_of};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Narrowphase, PairBatch,
    PairMode, Placement, Proxy, ProxyId, RowOrder, Serial,
};
use throng_scenes::{Scene, step_motion, uniform};

/// Notes which pairs have a slot.
struct Slots;

impl Narrowphase for Slots {
    type Scratch = ();
    type Output = Vec<([ProxyId; 2], Option<u32>)>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), seen: &mut Self::Output) {
        assert_eq!(batch.slots().len(), batch.pairs().len());
        for (place, (&pair, slot)) in batch.pairs().iter().zip(batch.slots()).enumerate() {
            assert_eq!([batch.slot(pair), batch.slot_at(place)], [slot; 2]);
            seen.push((batch.ids(pair), slot));
        }
    }
}

/// A world of one category with events, and with slots or without.
fn world_with_events(scenes: &[Scene; 1], pair_slots: bool) -> Broadphase {
    let mut world = world_of(scenes, PairMode::Exact, None);
    world.reconfigure(with_events(&world, pair_slots)).unwrap();
    world
}

#[test]
fn a_pair_has_its_slot_in_the_narrowphase_as_long_as_it_lasts() {
    let mut scenes = [uniform(2000, 2.0, 4)];
    let mut world = world_with_events(&scenes, false);
    assert!(
        world
            .step(&Slots)
            .outputs()
            .flatten()
            .all(|(_, slot)| slot.is_none())
    );
    assert_eq!(world.pair_slots_len(), 0);
    // Pairs that last get slots when slots are turned on.
    let config = world.config().clone().pair_slots(true);
    world.reconfigure(config).unwrap();
    let mut known: HashMap<[ProxyId; 2], u32> = HashMap::new();
    let mut most = 0;
    for frame in 0..8 {
        let step = world.step_on(&Serial, &Slots);
        let began: HashMap<_, _> = step.began().map(|event| (event.ids, event.slot)).collect();
        let mut now = HashMap::new();
        for &(ids, slot) in step.outputs().flatten() {
            let lasts = slot.or_else(|| began[&ids]).expect("one or the other");
            assert_ne!(slot.is_some(), began.contains_key(&ids));
            assert!(known.get(&ids).is_none_or(|&before| Some(before) == slot));
            assert_eq!(now.insert(ids, lasts), None);
        }
        most = most.max(now.len() + began.len());
        let slots: HashSet<_> = now.values().collect();
        assert_eq!(slots.len(), now.len(), "each has its own");
        known = now;
        let len = world.pair_slots_len();
        assert!(known.values().all(|&slot| (slot as usize) < len) && len <= most);
        step_motion(&mut scenes[0], 0.2, frame);
        move_to(&mut world, &scenes);
    }
}

/// An engine that keeps something for each pair goes through events and outputs together to give new pairs their slots.
#[test]
fn begin_events_come_in_the_order_of_the_outputs_of_new_pairs() {
    let mut scenes = [uniform(20_000, 1.0, 4)];
    let mut world = world_with_events(&scenes, true);
    for frame in 0..12 {
        let step = world.step(&Slots);
        let new = step.outputs().flatten().filter(|(_, slot)| slot.is_none());
        assert!(step.report().began > 100);
        assert!(
            new.map(|(ids, _)| *ids)
                .eq(step.began().map(|event| event.ids))
        );
        if frame % 4 == 3 {
            world
                .sort_rows(CategoryId::new(0), RowOrder::Space)
                .unwrap();
        }
        step_motion(&mut scenes[0], 0.05, frame);
        move_to(&mut world, &scenes);
        let gone = world.proxies(CategoryId::new(0)).skip(frame as usize);
        for id in gone.step_by(100).collect::<Vec<_>>() {
            let center = world.get(id).unwrap().aabb.center();
            world.remove(id).unwrap();
            world
                .insert(Proxy::centered(center, scenes[0].half).unwrap())
                .unwrap();
        }
    }
}

#[test]
fn no_event_has_a_slot_once_slots_are_off() {
    let units = throng::CategoryConfig::uniform("units", 1.0).events();
    let config = throng::BroadphaseConfig::new().category(units);
    for most in [None, Some(0)] {
        let mut world = throng::Broadphase::new(config.clone().pair_slots(true)).unwrap();
        for x in [0.0, 0.5] {
            let proxy = throng::Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
            world.insert(proxy).unwrap();
        }
        world.step_pairs();
        let mut without = config.clone();
        without.max_pairs = most;
        world.reconfigure(without).unwrap();
        if most.is_none() {
            world.clear();
        }
        let step = world.step_pairs();
        let slots: Vec<_> = step.ended().map(|event| event.slot).collect();
        assert_eq!(slots, [None]);
    }
}

/// A pair that comes to rest keeps its slot, which can be asked for; of others the narrowphase is told.
#[test]
fn the_slot_of_a_pair_that_rests_can_be_asked_for() {
    let kinds = [
        CategoryConfig::uniform("crates", 1.0),
        CategoryConfig::oversized("crates"),
    ];
    for kind in kinds {
        let kind = kind.rests_after(2).events();
        let config = BroadphaseConfig::new().category(kind).pair_slots(true);
        let mut world = Broadphase::new(config).unwrap();
        let at = |k: usize, y: f32| [(k % 20) as f32 * 1.6, (k / 20) as f32 * 1.6 + y];
        let proxies = (0..400).map(|k| Proxy::centered(at(k, 0.0), [1.0; 2]).unwrap());
        let ids: Vec<_> = world
            .insert_batch(proxies)
            .ids
            .into_iter()
            .flatten()
            .collect();
        let either_way = |[a, b]: [ProxyId; 2]| [a.min(b), a.max(b)];
        let mut known: HashMap<[ProxyId; 2], Option<u32>> = HashMap::new();
        let mut asked = 0;
        for frame in 0..40_usize {
            // They take turns, a few at a time, so that pairs rest, wake, begin and end.
            for (k, &id) in ids.iter().enumerate() {
                if (k / 3 + frame / 4).is_multiple_of(11) {
                    let y = if frame.is_multiple_of(2) { 0.5 } else { 0.1 };
                    world.set_center(id, at(k, y)).unwrap();
                }
            }
            let step = world.step(&Slots);
            let pairs: Vec<_> = step.outputs().flatten().map(|(ids, _)| *ids).collect();
            for event in step.ended() {
                assert!(known.remove(&either_way(event.ids)).is_some());
            }
            known.extend(
                step.began()
                    .map(|event| (either_way(event.ids), event.slot)),
            );
            for [a, b] in pairs {
                assert_eq!(world.resting_pair_slot([a, b]), None, "frame {frame}");
            }
            for pair in world.resting_pairs() {
                let [a, b] = pair.ids;
                let slot = known[&either_way(pair.ids)];
                assert!(slot.is_some());
                let told = [[a, b], [b, a]].map(|ids| world.resting_pair_slot(ids));
                assert_eq!(told, [slot; 2], "frame {frame}");
                asked += 1;
            }
            if frame % 10 == 9 {
                world
                    .sort_rows(CategoryId::new(0), RowOrder::Space)
                    .unwrap();
            }
        }
        assert!(asked > 10_000, "{asked}");
    }
}

/// Asks for the slots of the pairs of somebody, or of all.
struct SlotsOf(Option<ProxyId>);

impl Narrowphase for SlotsOf {
    type Scratch = ();
    type Output = Vec<([ProxyId; 2], Option<u32>)>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), seen: &mut Self::Output) {
        for &pair in batch.pairs() {
            let ids = batch.ids(pair);
            if self.0.is_none_or(|id| ids.contains(&id)) {
                seen.push((ids, batch.slot(pair)));
            }
        }
    }
}

/// What changes an owner, who is excluded, or scenery changes no slot in a plan that is made already, whoever has asked for slots
/// before.
#[test]
fn slots_of_a_plan_stay_when_owners_change() {
    type Change = fn(&mut Broadphase, &[ProxyId]);
    let changes: [Change; 4] = [
        |world, ids| world.set_owner(ids[10], 7).unwrap(),
        |world, ids| assert!(world.exclude_pair(ids[10], ids[30]).unwrap()),
        |world, ids| world.set_center(ids[40], [29.0, 0.0]).unwrap(),
        |world, ids| {
            let grown = Aabb::from_center([30.0, 0.0], [41.0, 0.5]).unwrap();
            assert_eq!(world.set_aabb(ids[40], grown), Ok(Placement::Stayed));
        },
    ];
    for (kind, change) in changes.into_iter().enumerate() {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("units", 1.0).events())
            .category(CategoryConfig::scenery("walls").events())
            .pair_slots(true);
        let mut world = Broadphase::new(config).unwrap();
        let unit = |k: f32| Proxy::centered([1.5 * k, 0.0], [1.0; 2]).unwrap();
        let mut ids: Vec<_> = (0..40)
            .map(|k| world.insert(unit(k as f32)).unwrap())
            .collect();
        let wall = Aabb::from_center([30.0, 0.0], [40.0, 0.5]).unwrap();
        ids.push(world.insert(Proxy::fixed(wall)).unwrap());
        world.step_pairs();
        let new = world.insert(unit(-1.0)).unwrap();
        world.refresh();
        let slots = |world: &Broadphase, of: &SlotsOf| {
            let plan = world.plan().unwrap();
            let chunk = |chunk| {
                let mut seen = Vec::new();
                plan.collide(chunk, of, &mut (), &mut seen);
                seen
            };
            (0..plan.chunks()).flat_map(chunk).collect::<Vec<_>>()
        };
        // It has no pairs that were there before, so all that is known by now is in no row that has not changed.
        let of_new = slots(&world, &SlotsOf(Some(new)));
        assert_eq!(of_new.len(), 2);
        assert!(of_new.iter().all(|(_, slot)| slot.is_none()));
        change(&mut world, &ids);
        for round in 0..2 {
            let all = slots(&world, &SlotsOf(None));
            assert!(all.len() > 70);
            for (pair, slot) in all {
                assert_eq!(
                    slot.is_some(),
                    !pair.contains(&new),
                    "change {kind}, round {round}: {pair:?}"
                );
            }
        }
    }
}
