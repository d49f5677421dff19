//! Promise: lists of neighbours, and visits to neighbourhoods, have exactly the pairs that are near, in every structure, on
//! any number of threads and instruction set. (What is near is checked by brute force in
//! `pairs_within_match_brute_force.rs`.)

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::common::worlds::{World, structures};
use crate::common::{Threads, category, meetings};
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Masks, NeighborOutputs, Neighbors,
    Proximity, Proxy, QueryError, Row, RowOrder, Serial, SimdLevel,
};
use throng_scenes::{adversarial, log_uniform_boxes, masked, masked_boxes, mixed_sizes, uniform};

type Lists = BTreeMap<[CategoryId; 2], Vec<Vec<Row>>>;

/// The lists of a question, from the pairs that are near.
fn expected(
    world: &Broadphase,
    within: &Proximity,
    meetings: &[[CategoryId; 2]],
    once: bool,
) -> Lists {
    let rows = |category: CategoryId| world.proxies(category).count();
    let mut lists = Lists::new();
    for &[a, b] in meetings {
        lists.insert([a, b], vec![Vec::new(); rows(a)]);
        if !once {
            lists.insert([b, a], vec![Vec::new(); rows(b)]);
        }
    }
    let every = world.query_pairs_within(within, |pair| -> ControlFlow<()> {
        let [a, b] = pair.rows;
        let mut list = |of: throng::RowRef, other: throng::RowRef| {
            let lists = lists.get_mut(&[of.category, other.category]).unwrap();
            lists[of.row as usize].push(other.row);
        };
        list(a, b);
        if !once {
            list(b, a);
        }
        ControlFlow::Continue(())
    });
    assert!(every.unwrap().is_continue());
    lists
        .values_mut()
        .flatten()
        .for_each(|list| list.sort_unstable());
    lists
}

fn check(
    world: &Broadphase,
    within: &Proximity,
    meetings: &[[CategoryId; 2]],
    what: &str,
) -> usize {
    let mut neighbors = 0;
    for once in [false, true] {
        let expected = expected(world, within, meetings, once);
        let mut found = if once {
            Neighbors::each_pair_once()
        } else {
            Neighbors::new()
        };
        for threads in [1, 3] {
            world
                .find_neighbors_on(&Threads(threads), within, &mut found)
                .unwrap();
            for (&[of, among], expected) in &expected {
                let what =
                    format!("{what}: {of:?} among {among:?}, once: {once}, {threads} threads");
                let lists = found.lists(of, among).expect("asked for");
                assert_eq!(lists.len(), expected.len(), "{what}");
                assert_eq!(lists.starts().len(), expected.len() + 1, "{what}");
                assert!(
                    lists.iter().eq(expected.iter().map(Vec::as_slice)),
                    "{what}"
                );
                assert!(lists.iter().flatten().eq(lists.rows()), "{what}");
                neighbors += lists.rows().len();
                if let Some(row) = expected.len().checked_sub(1) {
                    assert_eq!(lists.of(row as Row), expected[row], "{what}");
                }
            }
        }
        let unknown = CategoryId::new(40);
        assert!(found.lists(unknown, unknown).is_none());
    }
    neighbors
}

fn questions(world: &Broadphase, distance: f32) -> Vec<(Proximity, Vec<[CategoryId; 2]>)> {
    let all = meetings(world);
    let categories: Vec<CategoryId> = world.categories().collect();
    let mut questions: Vec<_> = all
        .iter()
        .map(|&meeting| (Proximity::boxes(meeting, distance), vec![meeting]))
        .collect();
    let among = Proximity::centers(all[0], distance).among(&categories);
    questions.push((among.clone().ignoring_masks(), all.clone()));
    // Which goes first shows in this one: lists go by the same way round as pairs.
    let weaker_first = among.only(|a, b| a.memberships & 0b11 <= b.memberships & 0b11);
    questions.push((weaker_first, all));
    questions
}

#[test]
fn lists_in_every_structure() {
    let units = [masked(300, 3).coarse(), masked(200, 4), mixed_sizes(150, 5)];
    let (dragons, walls) = (masked_boxes(60, 1), masked_boxes(110, 2));
    for structure in structures() {
        for &level in SimdLevel::available() {
            let (dragons, walls) = (std::slice::from_ref(&dragons), std::slice::from_ref(&walls));
            let mut world = World::new(&units, dragons, walls, structure, level).world;
            world.refresh();
            let mut neighbors = 0;
            for (within, meetings) in questions(&world, 3.0) {
                neighbors += check(&world, &within, &meetings, &format!("{level}, {within:?}"));
            }
            assert!(neighbors > 1000);
        }
    }
}

#[test]
fn lists_in_adversarial_worlds() {
    for scene in adversarial(120, 8) {
        let mut world =
            crate::common::world_of(std::slice::from_ref(&scene), throng::PairMode::Exact, None);
        world.refresh();
        for distance in [0.0, 3.0 * scene.half[0], f32::MAX] {
            for within in [Proximity::centers, Proximity::boxes] {
                let within = within([category(0); 2], distance);
                check(&world, &within, &[[category(0); 2]], &scene.name);
            }
        }
    }
}

/// Many chunks; rows in the order of space, and in none; a memory that has held more before.
#[test]
fn lists_in_a_larger_world() {
    let dragons = log_uniform_boxes(30, [2.0, 40.0], 0.5, 1);
    let units = uniform(20_000, 0.5, 3);
    let structure = structures()[0];
    let (units, dragons) = (std::slice::from_ref(&units), std::slice::from_ref(&dragons));
    let mut world = World::new(units, dragons, &[], structure, SimdLevel::detect()).world;
    world.refresh();
    let of = category(0);
    let within = Proximity::centers([of; 2], 4.0);
    let mut found = Neighbors::new();
    world
        .find_neighbors(&Proximity::centers([of; 2], 30.0), &mut found)
        .unwrap();
    let most = found.memory_bytes();
    for order in [None, Some(RowOrder::Space)] {
        if let Some(order) = order {
            world.sort_rows(of, order).unwrap();
        }
        world.refresh();
        check(&world, &within, &[[of; 2]], &format!("{order:?}"));
        for _ in 0..400 {
            world
                .find_neighbors_on(&Serial, &Proximity::centers([of; 2], 0.1), &mut found)
                .unwrap();
        }
        assert!(found.memory_bytes() < most / 2, "memory comes back");
        let expected = expected(&world, &within, &[[of; 2]], false);
        world.find_neighbors(&within, &mut found).unwrap();
        let lists = found.lists(of, of).unwrap();
        assert!(
            lists
                .iter()
                .eq(expected[&[of; 2]].iter().map(Vec::as_slice))
        );
    }
}

/// Crowds of every number of rows, each near all others, in no order, of whom a test lets hardly any through.
#[test]
fn lists_of_crowds_of_whom_few_pass_a_test() {
    let [none, few]: [fn(Masks, Masks) -> bool; 2] =
        [|_, _| false, |a, b| (a.filter ^ b.filter) % 16 == 1];
    for rows in 1..80 {
        let config = BroadphaseConfig::new().category(CategoryConfig::uniform("crowd", 1.0));
        let mut world = Broadphase::new(config).unwrap();
        for row in 0..rows {
            let x = (row * 7 % rows) as f32 / 64.0;
            // More kinds than words have bits, so masks are a test as well.
            let masks = Masks::new(1 << (row % 64), row as u64);
            let proxy = Proxy::centered([x, 0.0], [1.0; 2]).unwrap().masks(masks);
            world.insert(proxy).unwrap();
        }
        world.refresh();
        let near = Proximity::centers([category(0); 2], 9.0);
        for within in [
            near.clone(),
            near.clone().ignoring_masks().only(none),
            near.ignoring_masks().only(few),
        ] {
            check(
                &world,
                &within,
                &[[category(0); 2]],
                &format!("{rows} rows"),
            );
        }
    }
}

/// A memory is used again where rows have left the index, for another question, and for another world.
#[test]
fn nothing_is_left_of_the_lists_before() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(CategoryConfig::oversized("dragons"));
    let mut world = Broadphase::new(config.clone()).unwrap();
    let mut smaller = Broadphase::new(config).unwrap();
    for i in 0..60 {
        let half = if i % 5 == 0 { 3.0 } else { 0.5 };
        let proxy = Proxy::centered([(i % 8) as f32, (i / 8) as f32], [half; 2]).unwrap();
        world.insert(proxy).unwrap();
        if i < 20 {
            smaller.insert(proxy).unwrap();
        }
    }
    let [units, dragons] = [category(0), category(1)];
    let wide = Proximity::centers([units; 2], 3.0).among(&[units, dragons]);
    let narrow = Proximity::boxes([units; 2], 0.5).and([units, dragons]);
    for once in [false, true] {
        let mut kept = if once {
            Neighbors::each_pair_once()
        } else {
            Neighbors::new()
        };
        let mut check = |world: &Broadphase, within: &Proximity, what: &str| {
            let mut fresh = if once {
                Neighbors::each_pair_once()
            } else {
                Neighbors::new()
            };
            world.find_neighbors(within, &mut fresh).unwrap();
            world.find_neighbors(within, &mut kept).unwrap();
            for of in [units, dragons] {
                for among in [units, dragons] {
                    let lists = [&kept, &fresh].map(|found| found.lists(of, among));
                    assert_eq!(lists[0], lists[1], "{what}: {of:?} among {among:?}");
                }
            }
        };
        world.refresh();
        smaller.refresh();
        check(&world, &wide, "at first");
        check(&world, &narrow, "another question");
        check(&smaller, &wide, "another world");
        check(&world, &wide, "the first world");
        let ids: Vec<_> = [units, dragons]
            .into_iter()
            .flat_map(|category| world.proxies(category))
            .collect();
        for &id in ids.iter().step_by(3) {
            world.set_enabled(id, false).unwrap();
        }
        world.refresh();
        let mut lists = Neighbors::new();
        world.find_neighbors(&wide, &mut lists).unwrap();
        let disabled = world.locate(ids[0]).unwrap();
        let lists = lists.lists(units, units).unwrap();
        assert!(lists.of(disabled.row).is_empty() && !lists.rows().contains(&disabled.row));
        check(&world, &wide, "with some disabled");
        for &id in &ids {
            world.set_enabled(id, true).unwrap();
        }
    }
}

/// A buffer for those who pass a test is counted, kept while it is needed, and let go when it is not.
#[test]
fn what_a_visit_with_a_test_holds_is_counted_and_let_go() {
    const MANY: usize = 5000;
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("eyes", 1.0))
        .category(CategoryConfig::uniform("bees", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    let [eyes, bees] = [category(0), category(1)];
    let at = |x: f32, y: f32| Proxy::centered([x, y], [1.0; 2]).unwrap();
    // The second, which comes last, sees nobody.
    for x in [0.0, 1000.0] {
        world.insert(at(x, x).in_category(eyes)).unwrap();
    }
    for bee in 0..MANY {
        let x = bee as f32 / MANY as f32;
        world.insert(at(x, 0.5).in_category(bees)).unwrap();
    }
    world.refresh();
    let held = |world: &Broadphase, seen: &mut NeighborOutputs<usize>, within: &Proximity| {
        let visit = |_: Row, near: throng::Neighborhood<'_>, most: &mut usize| {
            *most = near.rows.len().max(*most);
        };
        let visited = world.query_neighbors_on(&Serial, within, seen, visit);
        visited.unwrap();
        (seen.iter().copied().max(), seen.memory_bytes())
    };
    let near = Proximity::centers([eyes, bees], 3.0);
    let tested = near.clone().only(|_, _| true);
    let [mut plain, mut passed] = [NeighborOutputs::new(), NeighborOutputs::new()];
    for round in 0..3 {
        let (most, without) = held(&world, &mut plain, &near);
        assert_eq!(most, Some(MANY));
        let (most, with) = held(&world, &mut passed, &tested);
        assert_eq!(most, Some(MANY));
        let both = format!("{with}, {without} in round {round}");
        assert!(with >= without + 12 * MANY, "{both}");
    }
    let nobody = near.only(|_, _| false);
    for _ in 0..400 {
        held(&world, &mut passed, &nobody);
    }
    let [left, without] = [&passed, &plain].map(NeighborOutputs::memory_bytes);
    assert!(left <= without, "{left}, {without}");
}

/// What a visitor sees of each row: who is near, and where.
type Seen = Vec<(Row, Vec<(Row, u32, u32)>)>;

#[test]
fn visits_see_what_lists_have() {
    let units = [masked(2500, 3).coarse(), masked(700, 4)];
    for &level in SimdLevel::available() {
        let mut world = World::new(&units, &[], &[], structures()[0], level).world;
        world.refresh();
        let [a, b] = [category(0), category(1)];
        for [of, among] in [[a, a], [a, b], [b, a]] {
            let boxes = Proximity::boxes([of, among], 2.0);
            let enemies = Proximity::centers([of, among], 9.0)
                .only(|a, b| a.memberships & b.memberships & 0b11 == 0);
            for within in [boxes, enemies] {
                let mut lists = Neighbors::new();
                world.find_neighbors(&within, &mut lists).unwrap();
                let lists = lists.lists(of, among).unwrap();
                let mut first: Option<Seen> = None;
                let mut outputs: NeighborOutputs<Vec<_>> = NeighborOutputs::new();
                for threads in [1, 2, 3] {
                    world
                        .query_neighbors_on(
                            &Threads(threads),
                            &within,
                            &mut outputs,
                            |row, near, seen| {
                                let offsets = near.dx.iter().zip(near.dy);
                                let near = near.rows.iter().zip(offsets);
                                let near =
                                    near.map(|(&row, (x, y))| (row, x.to_bits(), y.to_bits()));
                                seen.push((row, near.collect()));
                            },
                        )
                        .unwrap();
                    let seen: Seen = outputs.iter().flatten().cloned().collect();
                    let first = first.get_or_insert_with(|| seen.clone());
                    assert!(
                        *first == seen,
                        "{level}: another order on {threads} threads"
                    );
                }
                let mut seen = first.unwrap();
                seen.sort_unstable();
                assert!(seen.iter().map(|(row, _)| *row).eq(0..lists.len() as Row));
                let centers = [of, among].map(|category| world.centers(category));
                let mut neighbors = 0;
                for (row, mut near) in seen {
                    near.sort_unstable();
                    assert!(near.iter().map(|near| &near.0).eq(lists.of(row)));
                    neighbors += near.len();
                    for (other, dx, dy) in near {
                        let [[xs, ys], [other_xs, other_ys]] = centers;
                        let (row, other) = (row as usize, other as usize);
                        let offset = [other_xs[other] - xs[row], other_ys[other] - ys[row]];
                        assert_eq!([dx, dy], offset.map(f32::to_bits));
                    }
                }
                assert!(neighbors > 100);
            }
        }
    }
}

#[test]
fn what_cannot_be_listed_is_an_error() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(CategoryConfig::oversized("dragons"));
    let mut world = Broadphase::new(config).unwrap();
    for x in [0.0, 1.0] {
        world
            .insert(Proxy::centered([x, 0.0], [0.5; 2]).unwrap())
            .unwrap();
    }
    let [units, dragons] = [category(0), category(1)];
    let near = Proximity::centers([units; 2], 3.0);
    let mut found = Neighbors::new();
    let mut visited: NeighborOutputs<Vec<Row>> = NeighborOutputs::new();
    let stale = |error: Result<(), QueryError>| matches!(error, Err(QueryError::StaleIndex(_)));
    assert!(stale(world.find_neighbors(&near, &mut found)));
    assert!(stale(world.query_neighbors(
        &near,
        &mut visited,
        |_, _, _| ()
    )));
    world.refresh();
    world.find_neighbors(&near, &mut found).unwrap();
    world
        .query_neighbors(&near, &mut visited, |row, _, rows| rows.push(row))
        .unwrap();
    let mut refused = |within: Proximity, words: &str| {
        let visit = world.query_neighbors(&within, &mut visited, |_, _, _| ());
        let error = visit.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(visited.iter().flatten().count(), 2, "as it was");
    };
    refused(
        near.clone().and([dragons; 2]),
        "one pair of categories at a time, but 2",
    );
    for either in [[units, dragons], [dragons, units]] {
        refused(
            Proximity::centers(either, 1.0),
            "in uniform categories, and \"dragons\" is not one",
        );
    }
    refused(Proximity::centers([units; 2], f32::NAN), "NaN");
    refused(Proximity::centers([units, category(9)], 1.0), "9");
    for within in [
        Proximity::centers([units; 2], -1.0),
        Proximity::boxes([units, category(9)], 1.0),
    ] {
        assert!(world.find_neighbors(&within, &mut found).is_err());
        assert_eq!(
            found.lists(units, units).unwrap().rows(),
            [1, 0],
            "as they were"
        );
    }
    // A centre may be written: lists are those of the index.
    let id = world.proxies(units).next().unwrap();
    world.set_center(id, [500.0, 0.0]).unwrap();
    world.find_neighbors(&near, &mut found).unwrap();
    assert_eq!(found.lists(units, units).unwrap().rows(), [1, 0]);
    // What changes nothing is no reason to refuse.
    let masks = world.get(id).unwrap().masks;
    world.set_masks(id, masks).unwrap();
    world.set_enabled(id, true).unwrap();
    world.find_neighbors(&near, &mut found).unwrap();
    world.set_enabled(id, false).unwrap();
    assert!(stale(world.find_neighbors(&near, &mut found)));
    world.set_enabled(id, true).unwrap();
    world.refresh();
    world.find_neighbors(&near, &mut found).unwrap();
    world.set_masks(id, Masks::NONE).unwrap();
    assert!(stale(world.find_neighbors(&near, &mut found)));
}
