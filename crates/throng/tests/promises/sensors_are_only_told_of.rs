//! The pairs of sensors begin and end as all others do, and nobody else hears of them.

use std::collections::BTreeSet;
use throng_core::for_both;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CollectPairs, CountPairs,
    Narrowphase, PairBatch, PairData, Proxy, ProxyError, ProxyId, SimdLevel, Step,
};

use crate::common::Threads;

type Ids = BTreeSet<[ProxyId; 2]>;

/// Of each kind a category that is a sensor, and one that is not.
fn config(sensors: bool, rests: bool, simd: SimdLevel) -> BroadphaseConfig {
    let sensor = |category: CategoryConfig| {
        if sensors {
            category.sensor()
        } else {
            category.events()
        }
    };
    let rest = |category: CategoryConfig| {
        if rests {
            category.rests_after(2)
        } else {
            category
        }
    };
    BroadphaseConfig::new()
        .simd(simd)
        .world_tag(5)
        .category(rest(CategoryConfig::uniform("units", 1.0)))
        .category(rest(sensor(CategoryConfig::uniform("ears", 2.0))))
        .category(rest(CategoryConfig::oversized("giants")))
        .category(rest(sensor(CategoryConfig::oversized("areas"))))
        .category(CategoryConfig::scenery("walls"))
        .category(sensor(CategoryConfig::scenery("traps")))
}

const SENSORS: [bool; 6] = [false, true, false, true, false, true];

/// Somebody of a category, somewhere.
fn anybody(category: usize, random: &mut Pcg64Mcg) -> Proxy {
    let center = for_both(|_| random.random_range(0.0..60.0_f32).round());
    let half = [1.0, 2.0, 6.0, 8.0, 4.0, 3.0][category];
    let aabb = Aabb::from_center(center, [half; 2]).unwrap();
    let proxy = if category >= 4 {
        Proxy::fixed(aabb)
    } else {
        Proxy::moving(aabb)
    };
    proxy.in_category(CategoryId::new(category as u16))
}

fn pairs_of(step: &Step<'_, throng::PairList>) -> Ids {
    let id = |at| step.world().proxy_at(at).unwrap();
    step.pairs().map(|pair| pair.map(id)).collect()
}

fn sorted(ids: impl Iterator<Item = [ProxyId; 2]>) -> Ids {
    ids.map(|mut ids| {
        ids.sort_unstable();
        ids
    })
    .collect()
}

#[test]
fn begins_and_ends_are_those_of_pairs() {
    for (seed, rests) in [(1_u64, false), (2, true), (3, true)] {
        let simd = SimdLevel::available()[seed as usize % SimdLevel::available().len()];
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let new_world = |sensors| Broadphase::new(config(sensors, rests, simd)).unwrap();
        let mut worlds = [new_world(true), new_world(false)];
        let mut ids = Vec::new();
        for category in 0..6 {
            for _ in 0..[300, 40, 10, 10, 30, 30][category] {
                let proxy = anybody(category, &mut random);
                let inserted = worlds.each_mut().map(|world| world.insert(proxy).unwrap());
                assert_eq!(inserted[0], inserted[1]);
                ids.push(inserted[0]);
            }
        }
        let (mut told, mut rested) = (0, 0);
        for frame in 0..40 {
            for _ in 0..[40, 0, 3, 0, 0, 0][frame % 6] {
                let who = random.random_range(0..ids.len());
                let center = anybody(0, &mut random).aabb().center();
                for world in &mut worlds {
                    world.set_center(ids[who], center).unwrap();
                }
            }
            let threads = Threads(1 + frame % 3);
            let [sensed, all] = worlds
                .each_mut()
                .map(|world| world.step_on(&threads, &CollectPairs));
            let is_sensed = |ids: &[ProxyId; 2]| {
                let category = |id| sensed.world().get(id).unwrap().category.index();
                ids.iter().any(|&id| SENSORS[category(id)])
            };
            let mut expected = pairs_of(&all);
            let found = expected.len();
            expected.retain(|pair| !is_sensed(pair));
            assert_eq!(pairs_of(&sensed), expected);
            let report = sensed.report();
            assert_eq!(report.pairs, expected.len() as u64);
            assert_eq!(report.sensor_pairs, (found - expected.len()) as u64);
            assert_eq!(all.report().sensor_pairs, 0);
            let ids = |event: throng::PairEvent| event.ids;
            assert_eq!(
                sorted(sensed.began().map(ids)),
                sorted(all.began().map(ids))
            );
            assert_eq!(
                sorted(sensed.ended().map(ids)),
                sorted(all.ended().map(ids))
            );
            told += sensed.began().count();
            let resting =
                [&sensed, &all].map(|step| step.resting_pairs().iter().map(|pair| pair.ids));
            let [resting, of_all] = resting.map(sorted);
            assert_eq!(resting, of_all);
            rested += resting.iter().filter(|ids| is_sensed(ids)).count();
        }
        assert!(told > 200, "{told}");
        assert_eq!(rests, rested > 50, "{rested}");
    }
}

/// Counts the pairs that it sees, whose values it has.
struct Sees;

impl Narrowphase for Sees {
    type Scratch = ();
    type Output = u64;

    const PAIR_DATA: PairData = PairData::Boxes;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), count: &mut u64) {
        *count += batch.pairs().len() as u64;
        assert!(
            batch
                .categories()
                .iter()
                .all(|category| !SENSORS[category.index()])
        );
    }
}

#[test]
fn no_narrowphase_sees_them_and_no_plan() {
    let mut world = Broadphase::new(config(true, false, SimdLevel::detect())).unwrap();
    let mut random = Pcg64Mcg::seed_from_u64(8);
    for category in 0..6 {
        for _ in 0..100 {
            world.insert(anybody(category, &mut random)).unwrap();
        }
    }
    let step = world.step(&Sees);
    let seen: u64 = step.outputs().sum();
    assert_eq!(seen, step.report().pairs);
    assert!(step.report().sensor_pairs > seen);
    assert!(step.report().to_string().contains("with sensors"));
    world.refresh();
    let plan = world.plan().unwrap();
    let mut all = 0;
    for chunk in 0..plan.chunks() {
        let mut count = 0;
        let stats = plan.collide(chunk, &Sees, &mut (), &mut count);
        assert_eq!(count, stats.pairs);
        all += count;
    }
    assert_eq!(all, seen);
}

/// They take memory, as all events do.
#[test]
fn they_count_towards_the_most_pairs() {
    let mut settings = config(true, false, SimdLevel::detect());
    settings.max_pairs = Some(500);
    let mut world = Broadphase::new(settings).unwrap();
    for category in [0, 1] {
        for _ in 0..200 {
            let at = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
            world
                .insert(at.in_category(CategoryId::new(category)))
                .unwrap();
        }
    }
    let report = world.step(&CountPairs).report().clone();
    assert!(report.cut.is_some());
    assert!(report.pairs + report.sensor_pairs <= 500);
}

#[test]
fn they_wake_nobody() {
    for (is_sensor, expected) in [(true, 1), (false, 0)] {
        let mut ghosts = CategoryConfig::uniform("ghosts", 1.0);
        ghosts.sensor = is_sensor;
        let config = BroadphaseConfig::new()
            .category(
                CategoryConfig::uniform("crates", 1.0)
                    .rests_after(1)
                    .wakes_on_contact(),
            )
            .category(ghosts.events());
        let mut world = Broadphase::new(config).unwrap();
        let at = |x: f32, category| {
            let proxy = Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
            proxy.in_category(CategoryId::new(category))
        };
        world.insert(at(0.0, 0)).unwrap();
        let ghost = world.insert(at(9.0, 1)).unwrap();
        for _ in 0..4 {
            world.step_pairs();
        }
        assert_eq!(world.report().resting, 1);
        world.set_center(ghost, [1.0, 0.0]).unwrap();
        for _ in 0..2 {
            world.step_pairs();
        }
        assert_eq!(world.report().resting, expected);
    }
}

#[test]
fn nobody_becomes_a_sensor_by_size() {
    let config = |bound: f32| {
        BroadphaseConfig::new()
            .category(CategoryConfig::uniform("units", bound))
            .category(CategoryConfig::uniform("areas", 3.0).sensor())
            .category(CategoryConfig::scenery("traps").sensor())
    };
    let mut world = Broadphase::new(config(1.0)).unwrap();
    let at = |half: f32| Proxy::centered([0.0; 2], [half; 2]).unwrap();
    let category = |world: &Broadphase, id| world.get(id).unwrap().category.index();
    let refused = world.insert(at(2.0)).unwrap_err().to_string();
    assert!(
        refused.contains("largest is \"units\"") && refused.contains("it fits \"areas\""),
        "{refused}"
    );
    let unit = world.insert(at(1.0)).unwrap();
    let area = world
        .insert(at(2.0).in_category(CategoryId::new(1)))
        .unwrap();
    let small = world
        .insert(at(0.5).in_category(CategoryId::new(1)))
        .unwrap();
    let trap = world
        .insert(Proxy::fixed(Aabb::from_center([0.0; 2], [9.0; 2]).unwrap()))
        .unwrap();
    let all = |world: &Broadphase| [unit, area, small, trap].map(|id| category(world, id));
    assert_eq!(all(&world), [0, 1, 1, 2], "there is no other scenery");
    let larger = Aabb::from_center([0.0; 2], [1.5; 2]).unwrap();
    assert!(
        world.set_aabb(unit, larger).is_err(),
        "it does not become an area"
    );
    // Whoever is not named any more goes where its size belongs.
    world.set_category(small, None).unwrap();
    assert_eq!(all(&world), [0, 1, 0, 2]);
    assert!(world.set_category(area, None).is_err());
    // What was routed into a category stays there when that becomes a sensor.
    let mut world =
        Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("areas", 3.0)))
            .unwrap();
    let routed = world.insert(at(2.0)).unwrap();
    world.reconfigure(config(1.0)).unwrap();
    assert_eq!(category(&world, routed), 1);
    world
        .set_aabb(routed, Aabb::from_center([0.0; 2], [2.5; 2]).unwrap())
        .unwrap();
    assert_eq!(category(&world, routed), 1);
    world
        .set_aabb(routed, Aabb::from_center([0.0; 2], [0.5; 2]).unwrap())
        .unwrap();
    assert_eq!(
        category(&world, routed),
        0,
        "it is small enough for another one"
    );
}

/// Who is in a sensor, and in what sensors somebody is, can be asked: what began and has not ended. Also of those that rest, and of
/// sensors in scenery.
#[test]
fn partners_are_what_began_and_has_not_ended() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let mut world = Broadphase::new(config(true, true, SimdLevel::detect())).unwrap();
    let mut ids = Vec::new();
    for category in 0..6 {
        for _ in 0..40 {
            ids.push(world.insert(anybody(category, &mut random)).unwrap());
        }
    }
    let (mut lasting, mut hits, mut asked) = (Ids::new(), Vec::new(), 0);
    for frame in 0..12 {
        for &id in ids.iter().filter(|id| id.index() % 7 == frame % 3) {
            let category = world.locate(id).unwrap().category.index();
            if category < 4 && frame < 8 {
                let center = for_both(|_| random.random_range(0.0..60.0_f32).round());
                world.set_center(id, center).unwrap();
            }
        }
        let step = world.step_on(&Threads(2), &CollectPairs);
        let mut now = pairs_of(&step);
        now.extend(step.resting_pairs().iter().map(|pair| pair.ids));
        for ended in sorted(step.ended().map(|event| event.ids)) {
            assert!(lasting.remove(&ended));
        }
        lasting.extend(sorted(step.began().map(|event| event.ids)));
        let everything = sorted(now.into_iter().chain(lasting.iter().copied()));
        for &id in &ids {
            world.query().find_partners(id, &mut hits).unwrap();
            let found = sorted(hits.iter().map(|hit| [id, hit.id]));
            let with = |pair: &&[ProxyId; 2]| pair.contains(&id);
            assert!(
                found.iter().eq(everything.iter().filter(with)),
                "frame {frame}"
            );
            asked += found.len();
        }
    }
    assert!(asked > 10_000, "{asked}");

    let [gone, kept] = [ids[0], ids[1]];
    world.set_enabled(kept, false).unwrap();
    world.query().find_partners(kept, &mut hits).unwrap();
    assert_eq!(hits, [], "nobody is a disabled one's partner");
    world.remove(gone).unwrap();
    let refused = world.query().find_partners(gone, &mut hits);
    assert_eq!(refused, Err(ProxyError::Stale { id: gone }.into()));
}
