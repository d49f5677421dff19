//! Promise: masks of every kind, owners and excluded pairs leave out exactly the pairs that they should, whether kernels can
//! compare them or pairs are tested afterwards: in every structure, on any number of threads and instruction set, and in the
//! order in which those pairs would come without.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::common::worlds::{World, structures};
use crate::common::{Pair, category, ordered_pairs};
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, MaskMode, Masks,
    NeighborOutputs, Neighbors, Proximity, Proxy, ProxyId, RowRef, Serial, SimdLevel,
};
use throng_scenes::{log_uniform_boxes, mixed_sizes, uniform};

/// The masks of the n-th row of a category.
type MasksOf = fn(usize, usize) -> Masks;

fn or(masks: Masks) -> Masks {
    masks.with_mode(MaskMode::Or)
}

/// Any number, always the same.
fn mixed(n: usize) -> u64 {
    let mixed = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 3
}

/// What they are, and whether words of 32 bits cannot say it.
const KINDS: [(&str, MasksOf, bool); 10] = [
    (
        "few, of low groups",
        |_, n| Masks::new(1 << (n % 3), 0b011 << (n % 2)),
        false,
    ),
    (
        "few, of high groups",
        |_, n| Masks::new(1 << (61 + n % 3), 0b011 << (61 + n % 2)),
        false,
    ),
    (
        "few, one is enough",
        |_, n| or(Masks::new(1 << (20 * (n % 4)), 1 << (20 * (n % 3)))),
        false,
    ),
    (
        "few, of either rule",
        |category, n| {
            let masks = Masks::new(1 << (n % 5), 1 << (40 * (n % 2)) | 0b10);
            if (category + n).is_multiple_of(2) {
                masks
            } else {
                or(masks)
            }
        },
        false,
    ),
    (
        "many, of low groups",
        |_, n| Masks::new(mixed(n) & 0xff00, mixed(n + 7) & 0xff00),
        false,
    ),
    (
        "many, of eight groups anywhere",
        |_, n| {
            let spread =
                |bits: u64| (0..8).fold(0, |all, bit| all | ((bits >> bit) & 1) << (bit * 9));
            Masks::new(spread(mixed(n)), spread(mixed(n + 5)))
        },
        false,
    ),
    (
        "many, of all groups",
        |_, n| Masks::new(1 << (mixed(n) % 64), 0x1111_1111_1111_1111 << (n % 4)),
        true,
    ),
    (
        "many, one is enough",
        |_, n| or(Masks::new(1 << (mixed(n) % 64), 1 << (mixed(n + 3) % 64))),
        true,
    ),
    (
        "many in one category, few in others",
        |category, n| match category {
            0 => Masks::new(1 << (mixed(n) % 64), mixed(n)),
            1 => Masks::ALL,
            _ => or(Masks::new(0xff << (8 * (n % 8)), !0 << (n % 60))),
        },
        true,
    ),
    (
        "nobody's but scenery's",
        |category, n| {
            if category == 3 {
                Masks::new(1 << 63, !0)
            } else {
                Masks::new(1 << (n % 40), 1 << 63)
            }
        },
        false,
    ),
];

/// Two uniform categories, an oversized one and scenery: everything in one place, without any filter.
fn world(structure: usize, level: SimdLevel) -> World {
    World::new(
        &[uniform(500, 2.0, 1), mixed_sizes(300, 2)],
        &[log_uniform_boxes(200, [0.5, 4.0], 2.0, 3)],
        &[log_uniform_boxes(200, [0.5, 4.0], 2.0, 4)],
        structures()[structure],
        level,
    )
}

fn for_each_world(mut check: impl FnMut(World, &str)) {
    for structure in 0..structures().len() {
        for &level in SimdLevel::available() {
            check(
                world(structure, level),
                &format!("structure {structure}, {level}"),
            );
        }
    }
}

fn set_masks(world: &mut World, of: MasksOf) {
    for (category, ids) in world.ids.iter().enumerate() {
        for (row, &id) in ids.iter().enumerate() {
            world.world.set_masks(id, of(category, row)).unwrap();
        }
    }
}

fn ids_of(world: &World, ([a, b], [i, j]): Pair) -> [ProxyId; 2] {
    [
        world.ids[a.index()][i as usize],
        world.ids[b.index()][j as usize],
    ]
}

/// Those of the pairs that would come without filters that pass, which must be some, in their order; checked against what
/// the world finds.
fn check(
    world: &mut World,
    passes: impl Fn(&Broadphase, [ProxyId; 2]) -> bool,
    all: &[Pair],
    what: &str,
) {
    let pass = |pair: &&Pair| passes(&world.world, ids_of(world, **pair));
    let expected: Vec<Pair> = all.iter().filter(pass).copied().collect();
    assert!(!expected.is_empty() && expected.len() < all.len(), "{what}");
    let mut sorted = expected.clone();
    sorted.sort_unstable();
    assert!(
        world.check(&sorted, what) == expected,
        "{what}: another order"
    );
}

fn masks_agree(world: &Broadphase, ids: [ProxyId; 2]) -> bool {
    let [a, b] = ids.map(|id| world.get(id).unwrap().masks);
    a.meets(b)
}

#[test]
fn masks_of_every_kind() {
    for_each_world(|mut world, what| {
        let all = ordered_pairs(&mut world.world, &Serial);
        for (kind, masks, _) in KINDS {
            set_masks(&mut world, masks);
            check(&mut world, masks_agree, &all, &format!("{kind}, {what}"));
        }
        set_masks(&mut world, |_, _| Masks::ALL);
        assert!(ordered_pairs(&mut world.world, &Serial) == all);
    });
}

#[test]
fn owners_and_excluded_pairs() {
    for_each_world(|mut world, what| {
        let all = ordered_pairs(&mut world.world, &Serial);
        let ids: Vec<ProxyId> = world.ids.iter().flatten().copied().collect();
        for (n, &id) in ids.iter().enumerate() {
            world.world.set_owner(id, mixed(n) % 4).unwrap();
        }
        let not_of_one = |world: &Broadphase, ids: [ProxyId; 2]| {
            let [a, b] = ids.map(|id| world.get(id).unwrap().owner);
            a == 0 || a != b
        };
        check(&mut world, not_of_one, &all, &format!("owners, {what}"));

        let mut excluded = HashSet::new();
        for &pair in all.iter().step_by(3) {
            let [a, b] = ids_of(&world, pair);
            assert_eq!(world.world.exclude_pair(b, a), Ok(true));
            excluded.insert([a, b]);
        }
        // Those who are far apart, too.
        let (first, last) = (ids[0], ids[ids.len() - 1]);
        world.world.exclude_pair(first, last).unwrap();
        let allowed = |world: &Broadphase, ids: [ProxyId; 2]| {
            not_of_one(world, ids) && !excluded.contains(&ids)
        };
        check(
            &mut world,
            allowed,
            &all,
            &format!("owners and excluded, {what}"),
        );

        let (_, masks, is_coarse) = KINDS[7];
        assert!(is_coarse);
        set_masks(&mut world, masks);
        let everything =
            |world: &Broadphase, ids: [ProxyId; 2]| allowed(world, ids) && masks_agree(world, ids);
        check(&mut world, everything, &all, &format!("everything, {what}"));

        for &[a, b] in &excluded {
            assert_eq!(world.world.include_pair(a, b), Ok(true));
        }
        world.world.include_pair(last, first).unwrap();
        for &id in &ids {
            world.world.set_owner(id, 0).unwrap();
        }
        check(
            &mut world,
            masks_agree,
            &all,
            &format!("masks again, {what}"),
        );
    });
}

/// More different masks than there are classes: those that words can say, and those that they cannot.
#[test]
fn more_masks_than_classes() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 0.5))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let units = (0..70_000).map(|n| {
        Proxy::centered([(n % 300) as f32 * 0.7, (n / 300) as f32 * 0.7], [0.5, 0.5]).unwrap()
    });
    let ids: Vec<ProxyId> = world
        .insert_batch(units)
        .ids
        .into_iter()
        .flatten()
        .collect();
    let wall = Proxy::centered([50.0, 50.0], [40.0, 2.0]).unwrap();
    let wall = world.insert(Proxy::fixed(wall.aabb())).unwrap();
    let all = ordered_pairs(&mut world, &Serial);
    // Each another one, all of low groups; and of groups anywhere.
    let low: fn(u64) -> Masks = |n| Masks::new(n, n.reverse_bits() >> 40);
    let high: fn(u64) -> Masks = |n| {
        Masks::new(
            n << 20 | 1 << (n % 20),
            mixed(n as usize) & mixed(n as usize + 9),
        )
    };
    for masks in [low, high] {
        for (n, &id) in (1..).zip(&ids) {
            world.set_masks(id, masks(n)).unwrap();
        }
        world.set_masks(wall, Masks::new(1 << 30, 1 << 3)).unwrap();
        let agree = |&&([_, other], [i, j]): &&Pair| {
            let second = if other == category(0) {
                ids[j as usize]
            } else {
                wall
            };
            masks_agree(&world, [ids[i as usize], second])
        };
        let expected: Vec<Pair> = all.iter().filter(agree).copied().collect();
        assert!(!expected.is_empty() && expected.len() < all.len());
        assert!(ordered_pairs(&mut world, &Serial) == expected);
        world.validate().unwrap();
    }
    world.shrink_to_fit();
    world.validate().unwrap();
}

/// Pairs within a distance, lists of neighbours and visits to them, of all categories among each other; also of scenery with
/// scenery, which does not meet in a step.
#[test]
fn whoever_is_near_goes_by_masks_too() {
    for structure in 0..structures().len() {
        let mut world = world(structure, SimdLevel::detect());
        for (kind, masks, _) in KINDS {
            set_masks(&mut world, masks);
            // The same owner and excluded pairs make no difference.
            world.world.set_owner(world.ids[0][0], 5).unwrap();
            let _ = world
                .world
                .exclude_pair(world.ids[0][0], world.ids[0][1])
                .unwrap();
            world.world.refresh();
            check_near(&world.world, kind);
        }
    }
}

fn check_near(world: &Broadphase, what: &str) {
    let categories: Vec<CategoryId> = world.categories().collect();
    let within = Proximity::boxes([categories[0]; 2], 0.5).among(&categories);
    let near = |within: &Proximity| {
        let mut rows = Vec::new();
        let every = world.query_pairs_within(within, |pair| -> ControlFlow<()> {
            rows.push(pair.rows);
            ControlFlow::Continue(())
        });
        assert!(every.unwrap().is_continue());
        rows
    };
    let agree =
        |rows: &[RowRef; 2]| masks_agree(world, rows.map(|row| world.proxy_at(row).unwrap()));
    let all = near(&within.clone().ignoring_masks());
    let expected: Vec<[RowRef; 2]> = all.iter().copied().filter(agree).collect();
    assert!(!expected.is_empty() && expected.len() < all.len(), "{what}");
    assert!(near(&within) == expected, "{what}: pairs");
    let enemies = |a: Masks, b: Masks| a.memberships & b.memberships == 0;
    let are_enemies = |rows: &&[RowRef; 2]| {
        let [a, b] = rows.map(|row| world.get(world.proxy_at(row).unwrap()).unwrap().masks);
        enemies(a, b)
    };
    let of_enemies: Vec<[RowRef; 2]> = expected.iter().filter(are_enemies).copied().collect();
    assert!(
        near(&within.clone().only(enemies)) == of_enemies,
        "{what}: enemies"
    );

    let mut lists = Neighbors::new();
    world.find_neighbors(&within, &mut lists).unwrap();
    let mut listed = HashSet::new();
    for &a in &categories {
        for &b in &categories {
            let lists = lists.lists(a, b).unwrap();
            for row in 0..world.rows(a) as u32 {
                for &other in lists.of(row) {
                    let rows = [
                        RowRef { category: a, row },
                        RowRef {
                            category: b,
                            row: other,
                        },
                    ];
                    assert!(listed.insert(rows), "{what}: {rows:?} twice");
                }
            }
        }
    }
    let both_ways = expected.iter().flat_map(|&[a, b]| [[a, b], [b, a]]);
    let both_ways: HashSet<[RowRef; 2]> = both_ways.collect();
    assert!(listed == both_ways, "{what}: lists");

    for pair in [[0, 0], [0, 1], [1, 0]] {
        let [of, among] = pair.map(|index| categories[index]);
        let within = Proximity::boxes([of, among], 0.5);
        let mut visited: NeighborOutputs<Vec<[RowRef; 2]>> = NeighborOutputs::new();
        let visit = |row, near: throng::Neighborhood<'_>, found: &mut Vec<[RowRef; 2]>| {
            let rows = near.rows.iter().map(|&other| {
                [
                    RowRef { category: of, row },
                    RowRef {
                        category: among,
                        row: other,
                    },
                ]
            });
            found.extend(rows);
        };
        world.query_neighbors(&within, &mut visited, visit).unwrap();
        let visited: HashSet<[RowRef; 2]> = visited.iter().flatten().copied().collect();
        let expected = both_ways
            .iter()
            .filter(|rows| rows.map(|row| row.category) == [of, among]);
        assert!(
            visited == expected.copied().collect(),
            "{what}: visits of {pair:?}"
        );
    }
}

/// Masks by which nobody meets cost no search; and what meets again is searched again.
#[test]
fn nobody_is_searched_for_nothing() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("arrows", 0.5))
        .category(CategoryConfig::uniform("orcs", 0.5));
    let mut world = Broadphase::new(config).unwrap();
    let (arrow, orc) = (Masks::new(0b01, 0b10), Masks::new(0b10, 0b11));
    let put = |world: &mut Broadphase, index, masks| {
        let proxy = Proxy::centered([0.0; 2], [0.5; 2]).unwrap();
        world
            .insert(proxy.in_category(category(index)).masks(masks))
            .unwrap()
    };
    let arrows: Vec<ProxyId> = (0..5).map(|_| put(&mut world, 0, arrow)).collect();
    for _ in 0..3 {
        put(&mut world, 1, orc);
    }
    let step = world.step(&CountPairs);
    assert_eq!(step.report().pairs, 15 + 3);
    let meeting = |world: &Broadphase, index: usize| world.report().meetings[index];
    assert_eq!(
        [0, 1, 2].map(|index| meeting(&world, index).keeps_all_apart),
        [true, false, false]
    );
    assert_eq!(meeting(&world, 0).chunks, 0);
    assert_eq!(meeting(&world, 0).stats.candidates, 0);
    world.set_masks(arrows[2], Masks::ALL).unwrap();
    assert_eq!(world.step(&CountPairs).report().pairs, 15 + 3 + 4);
    assert!(!meeting(&world, 0).keeps_all_apart);
}

/// What is cut off, and what a report says, goes by the pairs that are left.
#[test]
fn limits_go_by_the_pairs_that_are_left() {
    let config = BroadphaseConfig::new()
        .max_pairs(10)
        .category(CategoryConfig::uniform("parts", 0.5));
    let mut world = Broadphase::new(config).unwrap();
    let at = Proxy::centered([0.0; 2], [0.5; 2]).unwrap();
    let body: Vec<ProxyId> = (0..20)
        .map(|_| world.insert(at.owner(9)).unwrap())
        .collect();
    assert_eq!(world.step_pairs().report().pairs, 0);
    assert_eq!(world.report().cut, None);
    world.set_owner(body[3], 0).unwrap();
    let step = world.step_pairs();
    assert_eq!(step.report().cut.map(|cut| cut.pairs), Some(19));
}

#[test]
fn one_may_be_in_many_excluded_pairs() {
    let mut world =
        Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("heap", 1.0)))
            .unwrap();
    let proxy = |k: usize| Proxy::centered([k as f32 * 0.01, 0.0], [1.0; 2]).unwrap();
    let ids: Vec<ProxyId> = (0..24).map(|k| world.insert(proxy(k)).unwrap()).collect();
    let pairs = |is_one: &dyn Fn(usize, usize) -> bool| -> Vec<[u32; 2]> {
        let all = (0..24).flat_map(|a| (a + 1..24).map(move |b| (a, b)));
        let some = all.filter(|&(a, b)| is_one(a, b));
        some.map(|(a, b)| [a as u32, b as u32]).collect()
    };
    let found = |world: &mut Broadphase| {
        let mut found: Vec<[u32; 2]> = ordered_pairs(world, &Serial)
            .into_iter()
            .map(|(_, rows)| rows)
            .collect();
        found.sort_unstable();
        found
    };
    // From no partners up to all others, one after the other and back.
    for most in [0, 3, 4, 5, 7, 12, 24, 6, 5, 4, 1, 0] {
        let are_excluded = |a: usize, b: usize| (a * 7 + b * 7) % 24 < most;
        for [a, b] in pairs(&|_, _| true) {
            let (a, b) = (a as usize, b as usize);
            if are_excluded(a, b) {
                world.exclude_pair(ids[b], ids[a]).unwrap();
            } else {
                world.include_pair(ids[a], ids[b]).unwrap();
            }
        }
        world.validate().unwrap();
        let expected = pairs(&|a, b| !are_excluded(a, b));
        assert!(found(&mut world) == expected, "{most}");
    }
}
