//! Promise: whatever two proxies are within a distance are found, in every structure, once, in the same order on any
//! number of threads and instruction set, by the index of the last step.

use std::ops::ControlFlow;
use throng_core::for_both;

use crate::common::worlds::{World, structures};
use crate::common::{Threads, assert_same_pairs, category, meetings};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Masks, Placement, Proximity,
    ProximityPair, ProximityPairs, Proxy, ProxyId, QueryFilter, QueryHit, RowRef, SimdLevel,
};
use throng_scenes::{
    BoxScene, Scene, adversarial, adversarial_boxes, log_uniform_boxes, masked, masked_boxes,
    mixed_sizes, uniform,
};

/// Distance, measured from centres or not, by masks or not.
#[derive(Clone, Copy, Debug)]
struct How {
    distance: f32,
    from_centers: bool,
    by_masks: bool,
}

impl How {
    fn within(self, categories: [CategoryId; 2]) -> Proximity {
        let within = if self.from_centers {
            Proximity::centers(categories, self.distance)
        } else {
            Proximity::boxes(categories, self.distance)
        };
        if self.by_masks {
            within
        } else {
            within.ignoring_masks()
        }
    }

    /// What is measured of a hit.
    fn measured(self, hit: &QueryHit) -> Aabb {
        if self.from_centers {
            Aabb::point(hit.center).unwrap()
        } else {
            hit.aabb
        }
    }
}

/// Rows, and the bits of the squared distance: what compares and sorts.
type Found = ([RowRef; 2], u32);

fn of_pair(pair: &ProximityPair) -> Found {
    (pair.rows, pair.distance_squared.to_bits())
}

/// Everything of a category that queries see.
fn hits(world: &Broadphase, category: CategoryId) -> Vec<(QueryHit, Masks)> {
    let filter = QueryFilter::new().category(category);
    let mut hits = Vec::new();
    let every = world
        .query_with(&filter)
        .query_aabb(&Aabb::EVERYWHERE, |hit| -> ControlFlow<()> {
            hits.push((hit, world.get(hit.id).unwrap().masks));
            ControlFlow::Continue(())
        });
    assert!(every.unwrap().is_continue());
    hits
}

/// All pairs of two categories, by brute force over what queries see, sorted.
fn expected(world: &Broadphase, [a, b]: [CategoryId; 2], how: How) -> Vec<Found> {
    let row = |hit: &QueryHit| RowRef {
        category: hit.category,
        row: hit.row,
    };
    let side = |category| -> Vec<(RowRef, Aabb, Masks)> {
        let hits = hits(world, category).into_iter();
        hits.map(|(hit, masks)| (row(&hit), how.measured(&hit), masks))
            .collect()
    };
    let (first, second) = (side(a), side(b));
    let mut pairs = Vec::new();
    for (left, left_box, left_masks) in &first {
        for (right, right_box, right_masks) in &second {
            if left_box.is_within(right_box, how.distance)
                && (a != b || left < right)
                && (!how.by_masks || left_masks.meets(*right_masks))
            {
                let mut rows = [*left, *right];
                rows.sort_unstable();
                let distance = left_box.distance_squared_to(right_box);
                pairs.push((rows, distance.to_bits()));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs in order, with their distances.
fn in_order(near: &ProximityPairs) -> Vec<Found> {
    let distances = near.batches().flat_map(|batch| {
        assert!(!batch.pairs.is_empty() && batch.pairs.len() == batch.distances_squared.len());
        batch.distances_squared
    });
    let found: Vec<Found> = near
        .iter()
        .zip(distances)
        .map(|(rows, distance)| (rows, distance.to_bits()))
        .collect();
    assert_eq!(
        (found.len(), found.is_empty()),
        (near.len(), near.is_empty())
    );
    found
}

/// What is found, in order, the same in every form of the search.
fn found(world: &Broadphase, within: &Proximity, threads: &[usize], what: &str) -> Vec<Found> {
    let mut ordered: Vec<Found> = Vec::new();
    let every = world.query_pairs_within(within, |pair| -> ControlFlow<()> {
        ordered.push(of_pair(&pair));
        ControlFlow::Continue(())
    });
    assert!(every.unwrap().is_continue());
    let mut near = ProximityPairs::with_distances();
    world.find_pairs_within(within, &mut near).unwrap();
    assert!(in_order(&near) == ordered, "{what}: others in a list");
    let mut without_distances = ProximityPairs::new();
    for &threads in threads {
        for near in [&mut near, &mut without_distances] {
            world
                .find_pairs_within_on(&Threads(threads), within, near)
                .unwrap();
        }
        let rows = ordered.iter().map(|found| found.0);
        assert!(
            in_order(&near) == ordered && without_distances.iter().eq(rows),
            "{what}: others on {threads} threads"
        );
        let mut batches = without_distances.batches();
        assert!(batches.all(|batch| batch.distances_squared.is_empty()));
    }
    ordered
}

fn sorted(found: &[Found]) -> Vec<Found> {
    let mut sorted = found.to_vec();
    sorted.sort_unstable();
    sorted
}

/// None, hardly any, about as far as neighbours are apart, farther than bounds, everything; and exactly as far as some
/// of the world's boxes are apart.
fn distances(world: &Broadphase) -> Vec<f32> {
    let all: Vec<_> = world
        .categories()
        .flat_map(|category| hits(world, category))
        .collect();
    let exact = (1..4).filter_map(|k| {
        let [a, b] = [all.len() * k / 5, all.len() * k / 4 % all.len()].map(|at| all[at].0.aabb);
        let distance = a.distance_squared_to(&b).sqrt();
        (distance > 0.0 && distance < f32::INFINITY).then_some(distance)
    });
    [0.0, 1e-40, 0.3, 25.0, f32::MAX]
        .into_iter()
        .chain(exact)
        .collect()
}

/// A question, and the answer by brute force.
type Case = ([CategoryId; 2], How, Vec<Found>);

/// Every structure by every instruction set, against brute force.
fn check(units: &[Scene], dragons: &BoxScene, walls: &BoxScene, every: usize) {
    let (dragons, walls) = (std::slice::from_ref(dragons), std::slice::from_ref(walls));
    let mut cases: Option<Vec<Case>> = None;
    for (which, structure) in structures().into_iter().enumerate() {
        let mut first: Vec<Vec<Found>> = Vec::new();
        for &level in SimdLevel::available() {
            let mut world = World::new(units, dragons, walls, structure, level).world;
            world.refresh();
            let cases = cases.get_or_insert_with(|| {
                let distances = distances(&world);
                let hows = distances.into_iter().flat_map(|distance| {
                    [(false, true), (true, true), (false, false)].map(|(from_centers, by_masks)| {
                        How {
                            distance,
                            from_centers,
                            by_masks,
                        }
                    })
                });
                let hows: Vec<How> = hows.collect();
                let cases = meetings(&world)
                    .into_iter()
                    .flat_map(|meeting| hows.iter().map(move |&how| (meeting, how)));
                let cases = cases.step_by(every);
                cases
                    .map(|(meeting, how)| (meeting, how, expected(&world, meeting, how)))
                    .collect()
            });
            for (case, (meeting, how, expected)) in cases.iter().enumerate() {
                let what = format!(
                    "{} and {}, structure {which}, {level}, {meeting:?}, {how:?}",
                    dragons[0].name, walls[0].name
                );
                let threads = [[1, 2], [3, 8]][case % 2];
                let ordered = found(&world, &how.within(*meeting), &threads, &what);
                match first.get(case) {
                    Some(first) => assert!(*first == ordered, "{what}: another order"),
                    None => {
                        assert_same_pairs(&sorted(&ordered), expected, &what);
                        first.push(ordered);
                    }
                }
            }
        }
    }
}

#[test]
fn in_adversarial_worlds() {
    let units = adversarial(60, 1);
    let boxes: Vec<_> = adversarial_boxes(50, 2)
        .into_iter()
        .filter(|scene| !scene.is_empty())
        .collect();
    let exact = mixed_sizes(60, 3);
    for (index, scene) in units.iter().enumerate() {
        let [dragons, walls] = [index, index * 5 + 2].map(|at| &boxes[at % boxes.len()]);
        check(&[scene.coarse(), exact.clone()], dragons, walls, 11);
    }
}

#[test]
fn where_masks_differ() {
    let (dragons, walls) = (masked_boxes(80, 1), masked_boxes(120, 2));
    let units = [masked(90, 3).coarse(), masked(90, 4)];
    check(&units, &dragons, &walls, 2);
}

/// Many pieces and many chunks.
#[test]
fn in_a_larger_world() {
    let (dragons, walls) = (
        log_uniform_boxes(700, [2.0, 40.0], 0.5, 1),
        log_uniform_boxes(1300, [0.5, 9.0], 0.5, 2),
    );
    let units = uniform(9000, 0.3, 3);
    let mut world = World::new(
        std::slice::from_ref(&units),
        std::slice::from_ref(&dragons),
        std::slice::from_ref(&walls),
        structures()[0],
        SimdLevel::detect(),
    )
    .world;
    world.refresh();
    for (meeting, from_centers) in meetings(&world).into_iter().zip([true, false].repeat(3)) {
        let how = How {
            distance: 3.0,
            from_centers,
            by_masks: true,
        };
        let what = format!("{meeting:?} of a larger world");
        let ordered = found(&world, &how.within(meeting), &[1, 2, 3, 8], &what);
        assert!(!ordered.is_empty(), "{what}");
        assert_same_pairs(&sorted(&ordered), &expected(&world, meeting, how), &what);
    }
}

/// More than all that there is, with no more scratch than rows.
#[test]
fn a_distance_larger_than_the_world_finds_all() {
    let units = uniform(1200, 1.0, 1);
    let mut world = crate::common::world_of(&[units], throng::PairMode::Coarse, None);
    world.refresh();
    let within = Proximity::centers([category(0); 2], 1e9);
    let mut near = ProximityPairs::new();
    world
        .find_pairs_within_on(&Threads(2), &within, &mut near)
        .unwrap();
    assert_eq!(near.len(), 1200 * 1199 / 2);
    let mut visited = 0;
    let broken = world
        .query_pairs_within(&within, |pair| {
            visited += 1;
            if visited == 7 {
                ControlFlow::Break(pair)
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
    let broken = broken.break_value().map(|pair| pair.rows);
    assert_eq!(broken, near.iter().nth(6));
    assert_eq!(visited, 7);
}

/// A world whose rows change hands after the index was built.
#[test]
fn by_the_index_of_the_last_step() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("small", 1.0).coarse())
        .category(CategoryConfig::uniform("large", 4.0))
        .category(CategoryConfig::oversized("dragons"))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let place = |i: usize| [(i * 7 % 40) as f32 * 1.5, (i * 13 % 50) as f32 * 1.5];
    let halves = [0.5, 3.0, 9.0, 2.0];
    let mut ids = Vec::new();
    for i in 0..400 {
        let half = halves[i % 4];
        let proxy = Proxy::centered(place(i), [half; 2]).unwrap();
        let proxy = if i % 4 == 3 {
            proxy.in_category(category(3))
        } else {
            proxy
        };
        ids.push(world.insert(proxy).unwrap());
    }
    world.refresh();
    let check = |world: &Broadphase, what: &str| {
        let mut pairs = 0;
        for meeting in meetings(world) {
            for (distance, from_centers, by_masks) in
                [(0.0, false, true), (2.5, false, false), (4.0, true, true)]
            {
                let how = How {
                    distance,
                    from_centers,
                    by_masks,
                };
                let what = format!("{what}: {meeting:?}, {how:?}");
                let ordered = found(world, &how.within(meeting), &[3], &what);
                assert_same_pairs(&sorted(&ordered), &expected(world, meeting, how), &what);
                let [a, b] = meeting;
                assert_eq!(found(world, &how.within([b, a]), &[], &what), ordered);
                pairs += ordered.len();
            }
        }
        pairs
    };
    let before = check(&world, "fresh");

    for &id in ids.iter().step_by(9) {
        world.set_center(id, [-500.0, 0.0]).unwrap();
    }
    assert!(check(&world, "moved") == before, "they are where they were");
    for &id in ids.iter().step_by(11) {
        let masks = Masks::new(1, 2);
        world.set_masks(id, masks).unwrap();
    }
    let with_masks = check(&world, "masked");
    assert!(with_masks < before);
    for &id in ids.iter().step_by(5) {
        world.set_enabled(id, false).unwrap();
    }
    for &id in ids.iter().step_by(10) {
        world.set_enabled(id, true).unwrap();
    }
    let with_disabled = check(&world, "disabled");
    assert!(with_disabled < with_masks);
    let mut migrated = 0;
    for (i, &id) in ids.iter().enumerate().step_by(6) {
        let half = halves[(i / 6) % 3];
        let aabb = Aabb::from_center([60.0, 60.0], [half; 2]).unwrap();
        let change = world.set_aabb(id, aabb).unwrap();
        migrated += usize::from(matches!(change, Placement::Migrated(_)));
    }
    assert!(migrated > 10);
    assert_eq!(check(&world, "migrated"), with_disabled);
    for &id in ids.iter().skip(2).step_by(7) {
        world.remove(id).unwrap();
    }
    let with_removed = check(&world, "removed");
    assert!(with_removed < with_disabled);
    for i in 0..40 {
        let proxy = Proxy::centered(place(i), [0.5; 2]).unwrap();
        world.insert(proxy).unwrap();
    }
    assert_eq!(check(&world, "inserted"), with_removed);
    world.refresh();
    check(&world, "refreshed");
    world.clear();
    assert_eq!(check(&world, "cleared"), 0);
}

/// Each write by itself, so that none relies on another to have been noticed.
#[test]
fn one_write_since_the_last_step_is_heeded() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("small", 1.0).coarse())
        .category(CategoryConfig::uniform("large", 4.0).coarse());
    let [small, large] = [category(0), category(1)];
    let pair_after = |write: &dyn Fn(&mut Broadphase, ProxyId)| {
        let mut world = Broadphase::new(config.clone()).unwrap();
        let proxy = Proxy::centered([0.0; 2], [0.5; 2]).unwrap();
        let ids = for_both(|_| world.insert(proxy).unwrap());
        world.refresh();
        write(&mut world, ids[0]);
        let mut pairs = ProximityPairs::new();
        let within = Proximity::boxes([small; 2], 1.0);
        world.find_pairs_within(&within, &mut pairs).unwrap();
        pairs.iter().next()
    };
    let row = |category, row| RowRef { category, row };
    assert_eq!(pair_after(&|_, _| ()), Some([row(small, 0), row(small, 1)]));
    assert_eq!(
        pair_after(&|world, id| assert!(world.remove(id).is_ok())),
        None
    );
    assert_eq!(
        pair_after(&|world, id| world.set_enabled(id, false).unwrap()),
        None
    );
    assert_eq!(
        pair_after(&|world, id| world.set_masks(id, Masks::NONE).unwrap()),
        None
    );
    // The one that is left behind has moved up.
    let apart = Some([row(small, 0), row(large, 0)]);
    let grown = Aabb::from_center([0.0; 2], [3.0; 2]).unwrap();
    assert_eq!(
        pair_after(&|world, id| assert!(world.set_aabb(id, grown).is_ok())),
        apart
    );
    assert_eq!(
        pair_after(&|world, id| assert!(world.set_category(id, Some(large)).is_ok())),
        apart
    );
}

/// Several pairs of categories in one question, in whatever order they are named.
#[test]
fn several_meetings_at_once() {
    let units = [uniform(300, 1.0, 1), mixed_sizes(200, 2)];
    let dragons = log_uniform_boxes(40, [2.0, 20.0], 0.5, 3);
    let walls = log_uniform_boxes(90, [0.5, 9.0], 0.5, 4);
    let (dragons, walls) = (std::slice::from_ref(&dragons), std::slice::from_ref(&walls));
    let structure = structures()[0];
    let mut world = World::new(&units, dragons, walls, structure, SimdLevel::detect()).world;
    world.refresh();
    let how = How {
        distance: 1.5,
        from_centers: false,
        by_masks: true,
    };
    let all = meetings(&world);
    let one_by_one: Vec<Found> = all
        .iter()
        .flat_map(|&meeting| found(&world, &how.within(meeting), &[2], "one by one"))
        .collect();
    let categories: Vec<CategoryId> = world.categories().collect();
    let among = how.within(all[0]).among(&categories);
    let backwards = all
        .iter()
        .rev()
        .fold(how.within(all[2]), |within, &[a, b]| within.and([b, a]));
    for within in [among, backwards] {
        assert_eq!(found(&world, &within, &[1, 3], "at once"), one_by_one);
    }
    let three = how.within(all[1]).and(all[0]).and(all[1]);
    let expected: Vec<Found> = all[..2]
        .iter()
        .flat_map(|&meeting| found(&world, &how.within(meeting), &[], "one by one"))
        .collect();
    assert_eq!(found(&world, &three, &[2], "named twice"), expected);
}

/// Enemies only, where allies are near each other too; between writes and the next step as well.
#[test]
fn only_those_who_pass_a_test() {
    let enemies = |a: Masks, b: Masks| a.memberships & b.memberships == 0;
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(CategoryConfig::oversized("dragons"));
    let mut world = Broadphase::new(config).unwrap();
    let mut ids = Vec::new();
    for i in 0..200_u32 {
        let place = [(i % 15) as f32, (i / 15) as f32];
        let half = if i % 10 == 0 { 4.0 } else { 0.5 };
        let masks = Masks::new(1 << (i % 3), !0);
        let proxy = Proxy::centered(place, [half; 2]).unwrap();
        ids.push(world.insert(proxy.masks(masks)).unwrap());
    }
    world.refresh();
    let categories: Vec<CategoryId> = world.categories().collect();
    let all = Proximity::centers([categories[0]; 2], 2.0).among(&categories);
    let check = |world: &Broadphase| {
        let passes = |found: &Found| {
            let masks = found
                .0
                .map(|row| world.get(world.proxy_at(row).unwrap()).unwrap().masks);
            enemies(masks[0], masks[1])
        };
        let every = found(world, &all, &[], "all");
        let expected: Vec<Found> = every.iter().copied().filter(passes).collect();
        assert!(!expected.is_empty() && expected.len() < every.len());
        let of_enemies = all.clone().only(enemies);
        assert_eq!(found(world, &of_enemies, &[2], "enemies"), expected);
    };
    check(&world);
    for &id in ids.iter().step_by(7) {
        let masks = Masks::new(0b10, !0);
        world.set_masks(id, masks).unwrap();
        world.set_enabled(id, false).unwrap();
    }
    check(&world);
}

/// Distances so small that their squares vanish, and so does what they add to a side: gaps are what decides.
#[test]
fn gaps_whose_squares_vanish_are_compared_as_they_are() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::oversized("dragons"))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let side = 1e-16_f32;
    for min in [0.0, side.next_up()] {
        let aabb = Aabb::new([min, 0.0], [min + side, 1.0]).unwrap();
        for category in [category(0), category(1)] {
            world
                .insert(Proxy::moving(aabb).in_category(category))
                .unwrap();
        }
    }
    world.refresh();
    let gap = side.next_up() - side;
    for distance in [0.0, 1e-26, gap.next_down(), gap, 1e-22] {
        for meeting in meetings(&world) {
            let how = How {
                distance,
                from_centers: false,
                by_masks: true,
            };
            let what = format!("{meeting:?}, {how:?}");
            let ordered = found(&world, &how.within(meeting), &[2], &what);
            assert_same_pairs(&sorted(&ordered), &expected(&world, meeting, how), &what);
        }
    }
}
