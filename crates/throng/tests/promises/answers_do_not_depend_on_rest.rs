//! Every question has the same answer whether things rest or not, although those that rest have an index of their own. The same holds
//! for pairs within a distance, lists of neighbors and what a narrowphase has in hand.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, BoxCast, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CircleCast,
    ConvexPolygon, CountPairs, Masks, Neighbors, OversizedStructure, Proximity, ProximityPairs,
    Proxy, ProxyId, Queries, QueryError, QueryHit, RayCast, RowOrder, RowRef, SimdLevel,
};

use crate::common::in_hand::check_in_hand;
use crate::common::worlds::structures;
use crate::common::{Threads, category, ordered_pairs};

const WIDTH: f32 = 50.0;
const UNITS: usize = 0;
const SWARM: usize = 1;
const WALLS: usize = 3;

fn config(structure: OversizedStructure, simd: SimdLevel, rests: bool) -> BroadphaseConfig {
    let rest = |category: CategoryConfig| {
        if rests {
            category.rests_when_told()
        } else {
            category
        }
    };
    BroadphaseConfig::new()
        .simd(simd)
        .world_tag(7)
        .category(rest(CategoryConfig::uniform("units", 1.0)))
        .category(rest(CategoryConfig::uniform("swarm", 0.5).coarse()))
        .category(rest(
            CategoryConfig::oversized("giants").structure(structure),
        ))
        .category(CategoryConfig::scenery("walls"))
}

/// Two worlds with the same contents. In the first, things rest.
struct Twins {
    worlds: [Broadphase; 2],
    random: Pcg64Mcg,
}

impl Twins {
    fn new(structure: OversizedStructure, simd: SimdLevel, seed: u64, counts: [usize; 4]) -> Self {
        let world = |rests| Broadphase::new(config(structure, simd, rests)).unwrap();
        let mut twins = Self {
            worlds: [true, false].map(world),
            random: Pcg64Mcg::seed_from_u64(seed),
        };
        for (index, count) in counts.into_iter().enumerate() {
            (0..count).for_each(|k| twins.insert(index, k));
        }
        twins
    }

    fn point(&mut self) -> [f32; 2] {
        [0; 2].map(|_| self.random.random_range(0.0..WIDTH))
    }

    fn insert(&mut self, index: usize, k: usize) {
        let center = self.point();
        let half = match index {
            UNITS => [1.0, if k.is_multiple_of(3) { 0.25 } else { 1.0 }],
            SWARM => [0.5; 2],
            _ => [1.5 + (k % 5) as f32, 2.0],
        };
        let mut proxy = Proxy::centered(center, half).unwrap();
        if index == WALLS {
            proxy = Proxy::fixed(proxy.aabb());
        }
        let proxy = proxy.in_category(category(index)).key(k as u64);
        let masks = Masks::new(1 << (k % 4), !(1 << (k % 5)));
        for world in &mut self.worlds {
            world.insert(proxy.masks(masks)).unwrap();
        }
    }

    /// Tells a share of all to rest, and lets them come to rest.
    fn put_to_rest(&mut self, share: f64) {
        let ids: Vec<ProxyId> = (0..WALLS)
            .flat_map(|index| self.worlds[0].proxies(category(index)))
            .collect();
        for id in ids {
            let rests = self.random.random_bool(share);
            self.worlds[0].set_resting(id, rests).unwrap();
        }
        for _ in 0..2 {
            self.step();
        }
    }

    fn step(&mut self) {
        for world in &mut self.worlds {
            let _ = world.step_on(&Threads(2), &CountPairs);
            assert_eq!(world.validate(), Ok(()));
        }
    }

    /// Moves, disables, enables, removes and inserts some.
    fn change(&mut self, share: f64) {
        let ids: Vec<ProxyId> = (0..=WALLS)
            .flat_map(|index| self.worlds[0].proxies(category(index)))
            .collect();
        for id in ids {
            if !self.random.random_bool(share) {
                continue;
            }
            let (to, kind) = (self.point(), self.random.random_range(0..10));
            let index = self.worlds[0].locate(id).unwrap().category.index();
            for world in &mut self.worlds {
                match kind {
                    0 => world.remove(id).map(drop).unwrap(),
                    1 => world.set_enabled(id, false).unwrap(),
                    2 => world.set_enabled(id, true).unwrap(),
                    3 => world.set_masks(id, Masks::ALL).unwrap(),
                    _ => world.set_center(id, to).unwrap(),
                }
            }
            if kind == 0 {
                let k = self.random.random_range(0..100);
                self.insert(index, k);
            }
        }
    }

    /// Asks both worlds, and compares.
    fn ask<A: PartialEq + std::fmt::Debug>(&self, what: &str, ask: impl Fn(&Broadphase) -> A) {
        let [some_rest, none_rests] = self.worlds.each_ref().map(ask);
        assert_eq!(some_rest, none_rests, "{what}");
    }

    /// The same for questions that find all that is somewhere.
    fn ask_for_hits(
        &self,
        what: &str,
        find: impl Fn(Queries<'_>, &mut Vec<QueryHit>) -> Result<(), QueryError>,
    ) {
        self.ask(what, |world| {
            let mut hits = Vec::new();
            find(world.query(), &mut hits).unwrap();
            told(&hits)
        });
    }

    fn check_queries(&mut self) {
        let [point, to] = [self.point(), self.point()];
        let aabb = Aabb::from_center(point, [6.0, 3.0]).unwrap();
        self.ask_for_hits("in a box", |all, hits| all.find_in_aabb(&aabb, hits));
        self.ask_for_hits("at a point", |all, hits| all.find_at_point(point, hits));
        let proxies = |index| self.worlds[0].proxies(category(index));
        let all: Vec<ProxyId> = (0..=WALLS).flat_map(proxies).step_by(7).collect();
        for id in all {
            self.ask_for_hits("partners", |all, hits| all.find_partners(id, hits));
        }
        self.ask_for_hits("in a circle", |all, hits| {
            all.find_in_circle(point, 5.0, hits)
        });
        let [x, y] = point;
        let corners = [[x, y], [x + 9.0, y + 1.0], [x + 3.0, y + 7.0]];
        let polygon = ConvexPolygon::new(&corners).unwrap();
        self.ask_for_hits("in a polygon", |all, hits| {
            all.find_in_polygon(&polygon, hits)
        });
        self.ask("the nearest", |world| {
            let mut nearest = Vec::new();
            let questions = world.query();
            questions
                .find_nearest(point, 12, 9.0, &mut nearest)
                .unwrap();
            let distances = nearest.iter().map(|near| near.distance_squared.to_bits());
            distances.collect::<Vec<_>>()
        });
        let ray = RayCast::from_to(point, to).unwrap();
        let moved = [to[0] - x, to[1] - y];
        let moving = BoxCast::new(Aabb::from_center(point, [1.0, 0.5]).unwrap(), moved).unwrap();
        let circle = CircleCast::new(point, 0.75, moved).unwrap();
        for cast in [ray.into(), moving.into(), circle.into()] {
            let cast: throng::Cast = cast;
            self.ask("along a path", |world| {
                let mut all = Vec::new();
                world.query().cast_all(cast, &mut all).unwrap();
                assert!(all.is_sorted_by(|a, b| a.fraction <= b.fraction));
                let mut all: Vec<_> = all
                    .iter()
                    .map(|hit| (hit.fraction.to_bits(), hit.hit.id))
                    .collect();
                all.sort_unstable();
                let first = world.query().cast_first(cast).unwrap();
                let first = first.map(|hit| hit.fraction.to_bits());
                assert_eq!(first, all.first().map(|(fraction, _)| *fraction));
                all
            });
        }
        self.ask("cells", |world| {
            (0..=WALLS)
                .map(|index| {
                    let mut rows = 0;
                    world.visit_cells(category(index), |cell| rows += cell.rows);
                    rows
                })
                .collect::<Vec<_>>()
        });
    }

    /// Pairs within a distance, and lists of neighbors where the index is not older than the rows.
    fn check_nearness(&mut self, is_fresh: bool) {
        let all: Vec<CategoryId> = (0..=WALLS).map(category).collect();
        for within in [
            Proximity::boxes([all[UNITS]; 2], 1.5).among(&all[..WALLS]),
            Proximity::centers([all[UNITS], all[SWARM]], 3.0).and([all[SWARM], all[WALLS]]),
        ] {
            self.ask("within a distance", |world| {
                let mut pairs = ProximityPairs::with_distances();
                world
                    .find_pairs_within_on(&Threads(2), &within, &mut pairs)
                    .unwrap();
                let mut visited = 0;
                let every = world.query_pairs_within(&within, |_| {
                    visited += 1;
                    ControlFlow::<()>::Continue(())
                });
                assert!(every.unwrap().is_continue() && visited == pairs.len());
                let mut pairs: Vec<_> = pairs.iter().map(|rows| ids(world, rows)).collect();
                pairs.sort_unstable();
                pairs
            });
            if !is_fresh {
                continue;
            }
            self.ask("neighbors", |world| {
                let mut lists = Neighbors::new();
                world
                    .find_neighbors_on(&Threads(2), &within, &mut lists)
                    .unwrap();
                let mut near = Vec::new();
                for &of in &all {
                    for &among in &all {
                        let Some(lists) = lists.lists(of, among) else {
                            continue;
                        };
                        for (row, list) in (0..).zip(lists.iter()) {
                            assert!(list.is_sorted_by(|a, b| a < b));
                            let of = RowRef { category: of, row };
                            let pairs = list.iter().map(|&row| {
                                let category = among;
                                [of, RowRef { category, row }]
                            });
                            near.extend(pairs.map(|[a, b]| {
                                [a, b].map(|row| world.proxy_at(row).expect("it is listed"))
                            }));
                        }
                    }
                }
                near.sort_unstable();
                near
            });
        }
    }
}

/// The two proxies of a pair, in the order of their ids.
fn ids(world: &Broadphase, rows: [RowRef; 2]) -> [ProxyId; 2] {
    let mut ids = rows.map(|row| world.proxy_at(row).expect("it is in a pair"));
    ids.sort_unstable();
    ids
}

/// Hits, in the order of their ids.
fn told(hits: &[QueryHit]) -> Vec<(ProxyId, Aabb, [f32; 2], u64)> {
    let told = hits
        .iter()
        .map(|hit| (hit.id, hit.aabb, hit.center, hit.key));
    let mut told: Vec<_> = told.collect();
    told.sort_unstable_by_key(|(id, ..)| *id);
    told
}

#[test]
fn answers_are_those_of_a_world_in_which_nobody_rests() {
    for &simd in SimdLevel::available() {
        for (seed, share) in (0..).zip([0.02, 0.5, 0.9, 1.0, 0.95, 0.97]) {
            let structures = structures();
            let structure = structures[seed as usize % structures.len()];
            let mut twins = Twins::new(structure, simd, seed, [400, 300, 50, 30]);
            twins.put_to_rest(share);
            for round in 0..6 {
                let is_fresh = round % 2 == 0;
                for _ in 0..12 {
                    twins.check_queries();
                }
                twins.check_nearness(is_fresh);
                if is_fresh {
                    // Questions are still answered by the index as it was.
                    twins.change(0.1);
                } else {
                    twins.step();
                    twins.put_to_rest(share);
                }
            }
        }
    }
}

/// Searches that join the two indices of a category keep the joined one for the next of their kind, which must show nowhere.
#[test]
fn a_question_does_not_change_the_order_of_rows_or_answers() {
    let ask = |world: &Broadphase| {
        let mut pairs = ProximityPairs::new();
        let within = Proximity::boxes([category(UNITS); 2], 1.0);
        world.find_pairs_within(&within, &mut pairs).unwrap();
        pairs.iter().collect::<Vec<_>>()
    };
    let after = |is_asked: bool| {
        let mut twins = Twins::new(structures()[0], SimdLevel::detect(), 3, [400, 300, 20, 30]);
        twins.put_to_rest(0.5);
        if is_asked {
            ask(&twins.worlds[0]);
        }
        let ids: Vec<ProxyId> = twins.worlds[0].proxies(category(UNITS)).collect();
        for id in ids {
            let [x, y] = twins.point();
            let far = [3.0 * x, 3.0 * y];
            twins.worlds[0].set_center(id, far).unwrap();
        }
        twins.put_to_rest(0.5);
        let world = &mut twins.worlds[0];
        let found = ask(world);
        world.sort_rows(category(UNITS), RowOrder::Space).unwrap();
        (found, world.proxies(category(UNITS)).collect::<Vec<_>>())
    };
    assert!(after(true) == after(false));
}

/// The same for boxes. Plans of strips are kept for as long as they fit, but not those of the joined index.
#[test]
fn a_question_does_not_change_the_order_of_boxes() {
    let within = Proximity::boxes([category(0); 2], 1.0);
    let ask = |world: &Broadphase| {
        let mut pairs = ProximityPairs::new();
        world.find_pairs_within(&within, &mut pairs).unwrap();
        pairs.iter().collect::<Vec<_>>()
    };
    let after = |structure: OversizedStructure, seed: u64, is_asked: bool| {
        let boxes = CategoryConfig::oversized("boxes").structure(structure);
        let config = BroadphaseConfig::new().world_tag(7);
        let mut world = Broadphase::new(config.category(boxes.rests_after(1))).unwrap();
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut number = |numbers: std::ops::Range<u32>| random.random_range(numbers) as f32;
        let boxes = (0..400).map(|_| {
            let center = [0; 2].map(|_| number(0..100));
            Proxy::centered(center, [0; 2].map(|_| 0.5 + number(0..4))).unwrap()
        });
        let ids: Vec<ProxyId> = boxes.map(|proxy| world.insert(proxy).unwrap()).collect();
        let quiet = |world: &mut Broadphase| {
            for _ in 0..6 {
                world.step_pairs();
            }
        };
        let scale = |world: &mut Broadphase, ids: &[ProxyId], [x, y]: [f32; 2]| {
            for &id in ids {
                let center = world.get(id).unwrap().center;
                world
                    .set_center(id, [center[0] * x, center[1] * y])
                    .unwrap();
            }
        };
        quiet(&mut world);
        if is_asked {
            ask(&world);
        }
        // A quarter goes, and the others come closer.
        ids[300..].iter().for_each(|&id| drop(world.remove(id)));
        scale(&mut world, &ids[..300], [0.9, 0.8]);
        quiet(&mut world);
        scale(&mut world, &ids[..10], [1.01, 1.0]);
        world.step_pairs();
        assert!(world.report().resting > 250);
        ask(&world)
    };
    for structure in structures() {
        for seed in 0..5 {
            let [asked, not] = [true, false].map(|is_asked| after(structure, seed, is_asked));
            assert!(asked == not, "{structure:?}, seed {seed}");
        }
    }
}

/// Two indices of one category meet: pairs have the lower row first, and what is in hand is that of each.
#[test]
fn what_is_in_hand_is_that_of_each_row() {
    for &simd in SimdLevel::available() {
        for (seed, share) in (10..).zip([0.1, 0.6, 0.95, 0.995]) {
            let mut twins = Twins::new(structures()[0], simd, seed, [1500, 900, 20, 30]);
            twins.put_to_rest(share);
            let world = &mut twins.worlds[0];
            assert!(world.report().resting > 100);
            let ordered = ordered_pairs(world, &Threads(2));
            let of_one = ordered.iter().filter(|(of, _)| of[0] == of[1]);
            assert!(of_one.clone().count() > 10);
            assert!(of_one.clone().all(|(_, [a, b])| a < b));
            check_in_hand(world, &ordered, &format!("{share}, {simd}"));
        }
    }
}
