//! What rests is left out of steps, and nothing else changes: pairs, events and answers are those of a world in which nobody
//! rests.

use std::collections::{BTreeMap, BTreeSet};
use throng_core::for_both;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CentersMut, CollectPairs,
    DoubleGridConfig, LooseQuadtreeConfig, Masks, OversizedStructure, PairEvent, Proxy, ProxyId,
    RestingPair, RowOrder, RowRef, SimdLevel, Step, StripsConfig,
};

use throng_scenes::uniform;

use crate::common::Threads;

type Ids = [ProxyId; 2];

fn sorted(mut ids: Ids) -> Ids {
    ids.sort_unstable();
    ids
}

/// Checks that two sets are the same, and otherwise says only in what they differ.
fn assert_same<T: Ord + Clone + std::fmt::Debug>(found: &BTreeSet<T>, expected: &BTreeSet<T>) {
    let (missing, wrong) = (expected - found, found - expected);
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "missing {missing:?}, wrong {wrong:?}"
    );
}

/// A set of pairs, none of which comes twice.
fn set(pairs: impl Iterator<Item = Ids>) -> BTreeSet<Ids> {
    let mut found = BTreeSet::new();
    for pair in pairs {
        assert!(found.insert(sorted(pair)), "{pair:?} comes twice");
    }
    found
}

fn found_in(step: &Step<'_, throng::PairList>) -> BTreeSet<Ids> {
    let id = |row| step.world().proxy_at(row).expect("it is in a pair");
    set(step.pairs().map(|pair| pair.map(id)))
}

fn told(events: impl Iterator<Item = PairEvent>) -> BTreeSet<(Ids, [u64; 2])> {
    let pairs = events.map(|event| {
        let mut who = for_both(|side| (event.ids[side], event.keys[side]));
        who.sort_unstable();
        (who.map(|(id, _)| id), who.map(|(_, key)| key))
    });
    let mut found = BTreeSet::new();
    for pair in pairs {
        assert!(found.insert(pair), "{pair:?} is told twice");
    }
    found
}

/// Two worlds to which the same happens. In one of them things rest.
struct Twins {
    resting: Broadphase,
    awake: Broadphase,
    random: Pcg64Mcg,
    next_key: u64,
    threads: usize,
    /// How many pairs rested, all steps together.
    rested: usize,
}

const WIDTH: f32 = 60.0;

fn config(
    structure: OversizedStructure,
    simd: SimdLevel,
    [rests, has_slots]: [bool; 2],
) -> BroadphaseConfig {
    let rest = |category: CategoryConfig, with: fn(CategoryConfig) -> CategoryConfig| {
        if rests { with(category) } else { category }
    };
    let units = CategoryConfig::uniform("units", 1.0).events();
    let swarm = CategoryConfig::uniform("swarm", 0.5).coarse();
    let shots = CategoryConfig::uniform("shots", 0.2).events();
    let giants = CategoryConfig::oversized("giants").structure(structure);
    BroadphaseConfig::new()
        .simd(simd)
        .pair_slots(has_slots)
        .world_tag(7)
        .category(rest(units, |units| units.rests_after(2).wakes_on_contact()))
        .category(rest(swarm, CategoryConfig::rests_when_told))
        .category(shots)
        .category(rest(giants, |giants| giants.rests_after(1)))
        .category(CategoryConfig::scenery("walls").events())
}

const UNITS: CategoryId = CategoryId::new(0);
const SWARM: CategoryId = CategoryId::new(1);
const SHOTS: CategoryId = CategoryId::new(2);
const GIANTS: CategoryId = CategoryId::new(3);
const WALLS: CategoryId = CategoryId::new(4);

impl Twins {
    fn new(structure: OversizedStructure, simd: SimdLevel, threads: usize, seed: u64) -> Self {
        let has_slots = seed.is_multiple_of(2);
        let world = |rests| Broadphase::new(config(structure, simd, [rests, has_slots])).unwrap();
        let mut twins = Self {
            resting: world(true),
            awake: world(false),
            random: Pcg64Mcg::seed_from_u64(seed),
            next_key: 0,
            threads,
            rested: 0,
        };
        for (category, count) in [
            (UNITS, 300),
            (SWARM, 200),
            (SHOTS, 30),
            (GIANTS, 40),
            (WALLS, 60),
        ] {
            (0..count).for_each(|_| twins.insert(category));
        }
        twins
    }

    fn both<R: PartialEq + std::fmt::Debug>(&mut self, act: impl Fn(&mut Broadphase) -> R) -> R {
        let results = [&mut self.resting, &mut self.awake].map(act);
        assert_eq!(results[0], results[1]);
        let [result, _] = results;
        result
    }

    fn point(&mut self) -> [f32; 2] {
        [0; 2].map(|_| self.random.random_range(0.0..WIDTH))
    }

    fn insert(&mut self, category: CategoryId) {
        let (center, key) = (self.point(), self.next_key);
        self.next_key += 1;
        let half = match category {
            UNITS => [1.0, if key % 3 == 0 { 0.5 } else { 1.0 }],
            SWARM => [0.5; 2],
            SHOTS => [0.2; 2],
            _ => [1.0 + (key % 7) as f32, 3.0],
        };
        let proxy = if category == WALLS {
            Proxy::fixed(Aabb::from_center(center, half).unwrap())
        } else {
            Proxy::centered(center, half).unwrap()
        };
        let proxy = proxy.in_category(category).key(key);
        let proxy = if key % 5 == 0 {
            proxy.masks(Masks::new(1 << (key % 50), !(1 << (key % 37))))
        } else {
            proxy
        };
        self.both(|world| world.insert(proxy).unwrap());
    }

    fn ids(&self, category: CategoryId) -> Vec<ProxyId> {
        let mut ids: Vec<_> = self.awake.proxies(category).collect();
        ids.sort_unstable();
        ids
    }

    fn one_of(&mut self, category: CategoryId) -> Option<ProxyId> {
        let ids = self.ids(category);
        (!ids.is_empty()).then(|| ids[self.random.random_range(0..ids.len())])
    }

    /// Moves a share of a category through a whole column.
    fn write_column(&mut self, category: CategoryId, share: f64) {
        let ids = self.ids(category);
        let mut moved = BTreeMap::new();
        for id in ids {
            if self.random.random_bool(share) {
                let [x, y] = self.awake.get(id).unwrap().center;
                let step = self.random.random_range(-1.0..1.0);
                moved.insert(id, [x + step, y - 0.5 * step]);
            }
        }
        for world in [&mut self.resting, &mut self.awake] {
            let points: Vec<[f32; 2]> = world
                .proxies(category)
                .map(|id| {
                    moved
                        .get(&id)
                        .copied()
                        .unwrap_or_else(|| world.get(id).unwrap().center)
                })
                .collect();
            let fill = world
                .centers_mut(category)
                .unwrap()
                .fill_from_points(&points);
            assert_eq!(fill.unwrap().rejected, 0);
        }
    }

    fn act(&mut self) {
        let kind = self.random.random_range(0..28);
        let category = CategoryId::new(self.random.random_range(0..5));
        let point = self.point();
        let Some(id) = self.one_of(category) else {
            return self.insert(category);
        };
        match kind {
            0..=3 => {
                self.both(|world| world.set_center(id, point)).unwrap();
            }
            4 | 5 if category != WALLS => {
                let count = self.random.random_range(0..6);
                let some: Vec<_> = (0..count).filter_map(|_| self.one_of(category)).collect();
                self.both(|world| {
                    let rows: Vec<_> = some
                        .iter()
                        .map(|&id| world.locate(id).unwrap().row)
                        .collect();
                    let places = (0..rows.len()).map(|place| place as f32);
                    let xs: Vec<f32> = places.clone().map(|place| point[0] + place).collect();
                    let ys: Vec<f32> = places.map(|place| point[1] - 0.3 * place).collect();
                    let mut centers = world.centers_mut(category).unwrap();
                    assert_eq!(centers.set_rows(&rows, &xs, &ys).unwrap().rejected, 0);
                    rows.first()
                        .is_none_or(|&row| centers.set(row, point).is_ok())
                });
            }
            6 => {
                // To where it is.
                let center = self.awake.get(id).unwrap().center;
                self.both(|world| world.set_center(id, center)).unwrap();
            }
            7..=9 => self.insert(category),
            10..=11 => {
                let removed = self.both(|world| world.remove(id).map(|removed| removed.key));
                removed.unwrap();
                if kind == 11 {
                    self.insert(category);
                }
            }
            12 => {
                let enabled = self.random.random_bool(0.5);
                self.both(|world| world.set_enabled(id, enabled)).unwrap();
            }
            13 => {
                let masks = Masks::new(1 << self.random.random_range(0..50), self.random.random());
                self.both(|world| world.set_masks(id, masks)).unwrap();
            }
            14 => {
                let owner = self.random.random_range(0..3);
                self.both(|world| world.set_owner(id, owner)).unwrap();
            }
            15..=16 => {
                let category = CategoryId::new(self.random.random_range(0..5));
                if let Some(other) = self.one_of(category).filter(|&other| other != id) {
                    if kind == 15 {
                        self.both(|world| world.exclude_pair(id, other).unwrap());
                    } else {
                        self.both(|world| world.include_pair(id, other).unwrap());
                    }
                }
            }
            17 => {
                let half = [0.3, self.random.random_range(0.1..0.6)];
                let aabb = Aabb::from_center(point, half).unwrap();
                self.both(|world| world.set_aabb(id, aabb).is_ok());
            }
            18 => {
                // May be too large where it goes.
                let to = CategoryId::new(self.random.random_range(0..4));
                self.both(|world| world.set_category(id, Some(to)).is_ok());
            }
            19..=22 => {
                let rests = self.random.random_bool(0.8);
                let result = self.resting.set_resting(id, rests);
                let expected =
                    [UNITS, SWARM, GIANTS].contains(&self.resting.locate(id).unwrap().category);
                assert_eq!(result.is_ok(), expected);
            }
            23 => {
                self.both(Broadphase::refresh);
                self.check_plan();
            }
            24 => {
                for world in [&mut self.resting, &mut self.awake] {
                    world.sort_rows(category, RowOrder::Space).unwrap();
                }
                self.check_plan();
            }
            25 if self.random.random_bool(0.1) => {
                for world in [&mut self.resting, &mut self.awake] {
                    let config = world.config().clone();
                    world.reconfigure(config).unwrap();
                }
            }
            26 if self.random.random_bool(0.2) => self.both(Broadphase::shrink_to_fit),
            27 if self.random.random_bool(0.02) => {
                self.both(Broadphase::clear);
                for category in [UNITS, SWARM, SHOTS, GIANTS, WALLS] {
                    (0..50).for_each(|_| self.insert(category));
                }
            }
            _ => {}
        }
    }

    /// The plan of a refreshed world finds what a step would find.
    fn check_plan(&mut self) {
        let found = |world: &Broadphase| {
            let plan = world.plan().unwrap();
            let pairs = (0..plan.chunks()).flat_map(|chunk| {
                let mut list = throng::PairList::default();
                plan.collide(chunk, &CollectPairs, &mut (), &mut list);
                let categories = plan.categories(chunk).unwrap();
                let id = |side: usize, row| {
                    let category = categories[side];
                    world.proxy_at(RowRef { category, row }).unwrap()
                };
                let pairs = list.pairs().iter().map(|&[a, b]| [id(0, a), id(1, b)]);
                pairs.collect::<Vec<_>>()
            });
            set(pairs)
        };
        let resting = set(self.resting.resting_pairs().iter().map(|pair| pair.ids));
        let awake = found(&self.resting);
        assert!(awake.is_disjoint(&resting));
        assert_same(&(&awake | &resting), &found(&self.awake));
    }

    fn step(&mut self) {
        let executor = Threads(self.threads);
        let all = self.awake.step_on(&executor, &CollectPairs);
        let some = self.resting.step_on(&executor, &CollectPairs);
        let at_rest = set(some.resting_pairs().iter().map(|pair| pair.ids));
        let found = found_in(&some);
        assert!(
            found.is_disjoint(&at_rest),
            "{:?}",
            found.intersection(&at_rest).next()
        );
        assert_same(&(&found | &at_rest), &found_in(&all));
        for &RestingPair {
            ids, categories, ..
        } in some.resting_pairs()
        {
            for (id, category) in ids.into_iter().zip(categories) {
                assert_eq!(some.world().is_resting(id), Ok(true));
                assert_eq!(some.world().locate(id).unwrap().category, category);
            }
        }
        for ids in &found {
            assert!(
                ids.iter().any(|&id| !some.world().is_resting(id).unwrap()),
                "{ids:?} rest"
            );
        }
        assert_same(&told(some.began()), &told(all.began()));
        assert_same(&told(some.ended()), &told(all.ended()));
        let report = some.report();
        assert_eq!(report.resting_pairs, at_rest.len());
        let resting = |id: &ProxyId| some.world().is_resting(*id).unwrap();
        let categories = [UNITS, SWARM, SHOTS, GIANTS];
        let ids = categories
            .iter()
            .flat_map(|&category| some.world().proxies(category));
        assert_eq!(report.resting, ids.filter(resting).count());
        self.rested += at_rest.len();
        assert_eq!(self.resting.validate(), Ok(()));
    }
}

fn structures() -> [OversizedStructure; 3] {
    [
        StripsConfig::new().into(),
        DoubleGridConfig::new().into(),
        LooseQuadtreeConfig::new().into(),
    ]
}

#[test]
fn pairs_and_events_are_those_of_a_world_in_which_nobody_rests() {
    for (seed, structure) in (0..).zip(structures()) {
        for &simd in SimdLevel::available() {
            for threads in [1, 3] {
                let mut twins = Twins::new(structure, simd, threads, seed);
                for frame in 0..60 {
                    for _ in 0..[0, 1, 4, 30, 0, 2][frame % 6] {
                        twins.act();
                    }
                    match frame % 20 {
                        5..10 => twins.write_column(UNITS, 0.01),
                        10..12 => twins.write_column(UNITS, 0.3),
                        12 | 13 => twins.write_column(UNITS, 1.0),
                        _ => {}
                    }
                    if frame % 2 == 0 {
                        twins.write_column(SHOTS, 1.0);
                    }
                    twins.step();
                }
                assert!(twins.rested > 1000, "{} pairs rested", twins.rested);
            }
        }
    }
}

/// Those that rest have an index of their own while few are awake, and none while many are.
#[test]
fn however_many_are_awake_pairs_and_events_are_the_same() {
    // Shares that move, each for three frames: they pass the limits of boxes and of points, up and down, at once and step by step.
    const SHARES: [f64; 15] = [
        1.0, 0.0, 0.0, 0.02, 0.1, 0.14, 0.3, 0.1, 0.02, 0.2, 0.28, 0.4, 0.9, 0.0, 0.05,
    ];
    for (seed, structure) in (0..).zip(structures()) {
        let mut twins = Twins::new(structure, SimdLevel::detect(), 2, seed);
        (0..160).for_each(|_| twins.insert(GIANTS));
        (0..240).for_each(|_| twins.insert(UNITS));
        for frame in 0..2 * 3 * SHARES.len() {
            twins.write_column(GIANTS, SHARES[frame / 3 % SHARES.len()]);
            twins.write_column(UNITS, SHARES[(frame / 3 + 4) % SHARES.len()]);
            if frame % 4 == 1 {
                twins.act();
            }
            twins.step();
        }
        assert!(twins.rested > 1000, "{} pairs rested", twins.rested);
    }
}

/// Where all but a few rest, only these are compared with what is near them; a pool of disabled rows makes them no more.
#[test]
fn few_who_are_awake_are_compared_with_few() {
    are_compared_with_few(CategoryConfig::uniform("units", 1.0));
    for structure in structures() {
        are_compared_with_few(CategoryConfig::oversized("units").structure(structure));
    }
}

fn are_compared_with_few(units: CategoryConfig) {
    let config = BroadphaseConfig::new().category(units.rests_after(1));
    let mut world = Broadphase::new(config).unwrap();
    let place = |i: u32| [(i % 64) as f32 * 1.5, (i / 64) as f32 * 1.5];
    let unit = |i| Proxy::centered(place(i), [1.0; 2]).unwrap();
    let units: Vec<_> = (0..4096).map(|i| world.insert(unit(i)).unwrap()).collect();
    (0..1024).for_each(|i| {
        world.insert(unit(i).disabled()).unwrap();
    });
    for _ in 0..3 {
        world.step_pairs();
    }
    assert_eq!(world.report().resting, 4096);
    for &id in &units[..4] {
        let [x, y] = world.get(id).unwrap().center;
        world.set_center(id, [x, y + 0.125]).unwrap();
    }
    let candidates = world.step_pairs().report().candidates;
    assert!((1..1000).contains(&candidates), "{candidates}");
}

/// Where everybody in one place moves, and a few elsewhere, those that are awake meet those that rest.
#[test]
fn a_crowd_in_one_place_finds_what_all_would() {
    move_in_one_place(2500, 60);
}

#[test]
fn a_larger_crowd_in_one_place_finds_what_all_would() {
    move_in_one_place(9000, usize::MAX);
}

/// Of 60,000, the `in_middle` nearest the middle move, and one in `many` of the others; in the last two steps all do.
fn move_in_one_place(in_middle: usize, many: usize) {
    const ROWS: usize = 60_000;
    let mut scene = uniform(ROWS, 1.0, 7);
    let half = scene.half;
    let world = |rests: bool| {
        let category = CategoryConfig::uniform("units", half[0].max(half[1])).events();
        let category = if rests {
            category.rests_after(1)
        } else {
            category
        };
        let mut world =
            Broadphase::new(BroadphaseConfig::new().world_tag(7).category(category)).unwrap();
        let proxies = scene.xs.iter().zip(&scene.ys);
        let proxies = proxies.map(|(&x, &y)| Proxy::centered([x, y], half).unwrap());
        world.insert_batch(proxies);
        world
    };
    let mut worlds = [true, false].map(world);
    let middle = [&scene.xs, &scene.ys].map(|all| all.iter().sum::<f32>() / ROWS as f32);
    let from_middle = |row: &u32| {
        let row = *row as usize;
        (scene.xs[row] - middle[0]).hypot(scene.ys[row] - middle[1])
    };
    let mut rows: Vec<u32> = (0..ROWS as u32).collect();
    rows.sort_by(|a, b| from_middle(a).total_cmp(&from_middle(b)));
    let elsewhere = rows.split_off(in_middle);
    rows.extend(elsewhere.into_iter().step_by(many));
    rows.sort_unstable();
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut least_asked = u64::MAX;
    for step in 0..8 {
        if step == 6 {
            rows = (0..ROWS as u32).collect();
        }
        for &row in &rows {
            for column in [&mut scene.xs, &mut scene.ys] {
                column[row as usize] += random.random_range(-half[0]..half[0]);
            }
        }
        let (mut found, mut events) = (Vec::new(), Vec::new());
        for world in &mut worlds {
            let units = world.category("units").unwrap();
            let centers = world.centers_mut(units);
            let filled = centers.unwrap().fill_from(&scene.xs, &scene.ys).unwrap();
            assert_eq!(filled.rejected, 0);
            let step = world.step_on(&Threads(2), &CollectPairs);
            let at_rest = step.resting_pairs().iter().map(|pair| pair.ids);
            let pairs: Vec<Ids> = found_in(&step).into_iter().chain(at_rest).collect();
            found.push(set(pairs.into_iter()));
            events.push((told(step.began()), told(step.ended())));
            if step.report().resting > 0 {
                least_asked = least_asked.min(step.report().candidates);
            }
        }
        assert_same(&found[0], &found[1]);
        assert_same(&events[0].0, &events[1].0);
        assert_same(&events[0].1, &events[1].1);
    }
    let all = worlds[1].report().candidates;
    assert!(least_asked < all / 2, "{least_asked} compared of {all}");
    for world in &worlds {
        assert_eq!(world.validate(), Ok(()));
    }
}

/// A point that cannot be converted if it is beyond 100.
#[derive(Clone, Copy)]
struct Fragile(f32);

impl From<Fragile> for [f32; 2] {
    fn from(point: Fragile) -> Self {
        assert!(point.0 < 100.0, "beyond 100");
        [point.0, 0.0]
    }
}

#[test]
fn rows_written_before_a_conversion_panics_wake_up() {
    const CRATES: usize = 200;
    // The first comes to the second, and the last cannot be converted.
    let mut points = [0; CRATES].map(|_| Fragile(0.0));
    for (row, point) in points.iter_mut().enumerate() {
        *point = Fragile(row as f32 * 0.4);
    }
    points[0] = Fragile(points[1].0 + 0.1);
    points[CRATES - 1] = Fragile(1000.0);
    type Write = fn(CentersMut<'_>, &[Fragile]);
    let ways: [Write; 2] = [
        |mut centers, points| _ = centers.fill_from_points(points),
        |mut centers, points| _ = centers.fill_with(|row| points[row as usize]),
    ];
    for write in ways {
        let category = CategoryConfig::uniform("crates", 0.1).rests_after(1);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(category)).unwrap();
        let xs = (0..CRATES).map(|row| row as f32 * 0.4);
        world.insert_batch(xs.map(|x| Proxy::centered([x, 0.0], [0.1; 2]).unwrap()));
        let crates = world.category("crates").unwrap();
        for _ in 0..3 {
            world.step_pairs();
        }
        assert_eq!(world.report().resting, CRATES);

        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            write(world.centers_mut(crates).unwrap(), &points);
        }));
        assert!(written.is_err());
        assert_eq!(world.centers(crates)[0][0], points[0].0);
        let step = world.step_pairs();
        assert_eq!(step.pairs().count(), 1, "the first has come to the second");
    }
}
