//! Promise: bad input is an answer, not a crash: what was given, what would be right, and nothing
//! spoilt.

use crate::common::nearest_of;
use std::ops::ControlFlow;

use throng::{
    Aabb, BatchResults, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, ColumnError,
    CommandError, CountPairs, InsertError, MAX_WORLD_TAG, Masks, NeighborOutputs, Neighbors,
    Placement, PlacementError, Proximity, ProximityPairs, Proxy, ProxyError, ProxyId, QueryError,
    QueryFilter, RayCast, ReconfigureError, ReserveError, Scenery, SceneryId, Serial, StaleIndex,
    UnknownCategory,
};

fn world() -> Broadphase {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.1).coarse())
        .category(CategoryConfig::uniform("infantry", 1.0));
    Broadphase::new(config).unwrap()
}

fn of(half: f32) -> Proxy {
    Proxy::centered([1.0, 2.0], [half; 2]).unwrap()
}

/// The message has every one of the words.
#[track_caller]
fn says(error: &impl std::fmt::Display, words: &[&str]) {
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "no {word:?} in {message:?}");
    }
}

#[test]
fn what_fits_nowhere() {
    let mut world = world();
    let error = world.insert(of(3.0)).unwrap_err();
    says(&error, &["3.0", "infantry", "1.0", "add a category"]);
    assert!(matches!(
        error,
        InsertError::Placement(PlacementError::TooLarge {
            bound: [1.0, 1.0],
            ..
        })
    ));

    let pixies = world.category("pixies").unwrap();
    let error = world.insert(of(0.5).in_category(pixies)).unwrap_err();
    says(&error, &["0.5", "pixies", "0.1", "name a bigger one"]);

    let wall = Aabb::new([0.0, f32::NEG_INFINITY], [1.0, f32::INFINITY]).unwrap();
    let error = world
        .insert(Proxy::moving(wall).in_category(pixies))
        .unwrap_err();
    says(
        &error,
        &["inf", "pixies", "0.1", "name a bigger one", "set_category"],
    );
    let error = world.insert(Proxy::moving(wall)).unwrap_err();
    says(&error, &["unbounded", "inf"]);
    assert!(world.is_empty());
}

/// Lists are by row, and so are refused once rows of a category that they are about have changed; others do not matter.
#[test]
fn neighbors_of_a_category_that_has_not_changed() {
    type Change = fn(&mut Broadphase, [ProxyId; 3]);
    let [pixies, units, walls] = [0, 1, 2].map(CategoryId::new);
    fn load(world: &mut Broadphase) -> SceneryId {
        let piece = Scenery::from_boxes(&[of(0.5).aabb()]).unwrap();
        world.add_scenery(CategoryId::new(2), &piece).unwrap()
    }
    // What each changes, and how many pairs of a pixie and a unit there are then.
    let changes: [(&str, Change, &[CategoryId], usize); 13] = [
        (
            "insert",
            |world, _| world.insert_batch([of(0.1)]).ids.clear(),
            &[pixies],
            3,
        ),
        (
            "remove",
            |world, [pixie, ..]| world.remove_batch([pixie]).removed.clear(),
            &[pixies],
            0,
        ),
        (
            "disable",
            |world, [pixie, ..]| world.set_enabled(pixie, false).unwrap(),
            &[pixies],
            0,
        ),
        (
            "masks",
            |world, [pixie, ..]| world.set_masks(pixie, Masks::new(2, 0)).unwrap(),
            &[pixies],
            0,
        ),
        (
            "clear_category",
            |world, _| assert_eq!(world.clear_category(CategoryId::new(0)), Ok(1)),
            &[pixies],
            0,
        ),
        (
            "insert a unit",
            |world, _| world.insert_batch([of(1.0)]).ids.clear(),
            &[units],
            3,
        ),
        (
            "remove a unit",
            |world, [_, unit, _]| world.remove_batch([unit]).removed.clear(),
            &[units],
            3,
        ),
        (
            "grow",
            |world, [pixie, ..]| drop(world.set_aabbs([(pixie, of(0.9).aabb())])),
            &[pixies, units],
            3,
        ),
        (
            "shrink",
            |world, [_, unit, _]| drop(world.set_aabbs([(unit, of(0.05).aabb())])),
            &[pixies, units],
            3,
        ),
        (
            "disable a wall",
            |world, [.., wall]| world.set_enabled(wall, false).unwrap(),
            &[walls],
            3,
        ),
        (
            "masks of a wall",
            |world, [.., wall]| world.set_masks(wall, Masks::new(2, 2)).unwrap(),
            &[walls],
            3,
        ),
        (
            "load",
            |world, _| {
                let _ = load(world);
            },
            &[walls],
            3,
        ),
        (
            "clear",
            |world, _| world.clear(),
            &[pixies, units, walls],
            0,
        ),
    ];
    for (what, change, changed, pairs) in changes {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("pixies", 0.1).coarse())
            .category(CategoryConfig::uniform("infantry", 1.0))
            .category(CategoryConfig::scenery("walls"));
        let mut world = Broadphase::new(config).unwrap();
        let pixie = world.insert(of(0.1)).unwrap();
        let all = (0..20).map(|x| Proxy::centered([x as f32, 3.0], [1.0; 2]).unwrap());
        let ids: Vec<_> = world.insert_batch(all).ids.into_iter().flatten().collect();
        let piece = load(&mut world);
        let wall = world.scenery_proxies(piece).unwrap()[0];
        world.refresh();
        let mut lists = Neighbors::new();
        let mut ask = |world: &Broadphase, categories: [CategoryId; 2]| {
            let near = Proximity::boxes(categories, 0.5);
            let listed = world.find_neighbors(&near, &mut lists);
            if !categories.contains(&walls) {
                let mut outputs = NeighborOutputs::<u32>::new();
                assert_eq!(
                    world.query_neighbors(&near, &mut outputs, |_, _, _| {}),
                    listed,
                    "{what}"
                );
            }
            listed
        };
        change(&mut world, [pixie, ids[19], wall]);
        for categories in [
            [pixies; 2],
            [pixies, units],
            [units; 2],
            [pixies, walls],
            [units, walls],
        ] {
            let expected = if categories.iter().any(|category| changed.contains(category)) {
                Err(QueryError::from(StaleIndex::RowsChanged))
            } else {
                Ok(())
            };
            assert_eq!(ask(&world, categories), expected, "{what}: {categories:?}");
        }
        let mut found = ProximityPairs::new();
        world
            .find_pairs_within(&Proximity::centers([pixies, units], 1.5), &mut found)
            .unwrap();
        assert_eq!(found.len(), pairs, "{what}: as things are now");
        world.refresh();
        assert_eq!(ask(&world, [pixies, units]), Ok(()), "{what}");
    }
}

#[test]
fn velocities_that_are_refused() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("infantry", 1.0))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    for wrong in [f32::NAN, f32::INFINITY] {
        let error = world.insert(of(0.5).velocity([0.0, wrong])).unwrap_err();
        assert!(matches!(error, InsertError::VelocityNotFinite { .. }));
        says(&error, &["velocity", &format!("{wrong:?}"), "not finite"]);
    }
    let wall = Proxy::fixed(of(0.5).aabb());
    for velocity in [[2.0, 0.0], [0.0, 2.0]] {
        let error = world.insert(wall.velocity(velocity)).unwrap_err();
        assert!(matches!(error, InsertError::NeverMoves { .. }));
        let given = format!("{velocity:?}");
        says(&error, &[&given, "walls", "scenery", "Proxy::moving"]);
    }
    assert!(world.is_empty());
    world.insert(wall.velocity([0.0; 2])).unwrap();
}

#[test]
fn what_fits_only_a_category_of_sensors_is_told_to_name_it() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("infantry", 1.0))
        .category(
            CategoryConfig::oversized("zones")
                .half_extents([5.0; 2])
                .sensor(),
        );
    let mut world = Broadphase::new(config).unwrap();
    let error = world.insert(of(3.0)).unwrap_err();
    says(&error, &["infantry", "it fits \"zones\"", "named"]);
    let error = world.insert(of(6.0)).unwrap_err().to_string();
    assert!(!error.contains("zones"), "{error}");
}

#[test]
fn a_category_of_another_world() {
    let mut world = world();
    let strange = CategoryId::new(7);
    let unknown = UnknownCategory {
        given: strange,
        categories: 2,
    };
    assert_eq!(
        world.insert(of(0.1).in_category(strange)),
        Err(InsertError::UnknownCategory(unknown))
    );
    assert_eq!(world.centers_mut(strange).err(), Some(unknown.into()));
    let filter = QueryFilter::new().category(strange);
    let error = nearest_of(world.query_with(&filter), [0.0; 2], 1, 1.0).unwrap_err();
    assert_eq!(error, QueryError::UnknownCategory(unknown));
    says(&error, &["no category number 7", "has 2"]);
    assert_eq!(
        (world.rows(strange), world.proxies(strange).count()),
        (0, 0)
    );
    assert_eq!(
        (world.centers(strange), world.keys(strange)),
        ([&[][..]; 2], None)
    );
    assert!(world.category_name(strange).is_none() && !world.meets(strange, CategoryId::new(0)));
}

#[test]
fn a_distance_that_is_none() {
    let mut world = world();
    for _ in 0..2 {
        world.insert(of(0.1)).unwrap();
    }
    world.refresh();
    let pixies = world.category("pixies").unwrap();
    let [mut pairs, mut found] = [(); 2].map(|()| ProximityPairs::new());
    // As text, because a NaN is not equal to itself.
    let mut ask = |within: Proximity| {
        let text = |error: Option<QueryError>| error.map(|error| error.to_string());
        let listed = text(world.find_pairs_within(&within, &mut pairs).err());
        let found_on = world.find_pairs_within_on(&Serial, &within, &mut found);
        let visited = world.query_pairs_within(&within, |_| ControlFlow::Break(()));
        assert_eq!(listed, text(found_on.err()));
        assert_eq!(listed, text(visited.err()));
        assert_eq!((pairs.len(), found.len()), (1, 1), "as they were");
        listed
    };
    assert_eq!(ask(Proximity::boxes([pixies; 2], 0.0)), None);
    for (distance, words) in [
        (f32::NAN, ["zero or more", "NaN"]),
        (-1.5, ["zero or more", "-1.5"]),
        (f32::NEG_INFINITY, ["zero or more", "-inf"]),
        (f32::INFINITY, ["finite distance", "inf"]),
    ] {
        let error = ask(Proximity::centers([pixies; 2], distance));
        says(&error.unwrap_or_default(), &words);
    }
    let unknown = UnknownCategory {
        given: CategoryId::new(7),
        categories: 2,
    };
    for categories in [[pixies, unknown.given], [unknown.given, pixies]] {
        let error = ask(Proximity::boxes(categories, 1.0));
        assert_eq!(error, Some(unknown.to_string()));
    }
}

#[test]
fn a_proxy_that_is_gone() {
    let mut world = world();
    let id = world.insert(of(0.5)).unwrap();
    world.remove(id).unwrap();
    let heir = world.insert(of(0.5)).unwrap();
    assert_eq!(heir.index(), id.index(), "in the same slot");
    let never = ProxyId::from_bits(id.to_bits() + (7 << 32));
    for gone in [id, never] {
        let stale = ProxyError::Stale { id: gone };
        assert_eq!(world.set_center(gone, [0.0; 2]), Err(stale.clone()));
        assert_eq!(world.set_aabb(gone, of(0.1).aabb()), Err(stale.clone()));
        assert_eq!(
            world.set_masks(gone, throng::Masks::ALL),
            Err(stale.clone())
        );
        assert_eq!(world.set_key(gone, 1), Err(stale.clone()));
        assert_eq!(world.set_owner(gone, 1), Err(stale.clone()));
        for [a, b] in [[gone, heir], [heir, gone]] {
            assert_eq!(world.exclude_pair(a, b), Err(stale.clone()));
            assert_eq!(world.include_pair(a, b), Err(stale.clone()));
            assert_eq!(world.is_pair_excluded(a, b), Err(stale.clone()));
        }
        assert_eq!(world.excluded_partners(gone).err(), Some(stale.clone()));
        assert_eq!(world.set_enabled(gone, false), Err(stale.clone()));
        assert_eq!(world.is_enabled(gone), Err(stale.clone()));
        assert_eq!(world.remove(gone), Err(stale.clone()));
        assert!(world.get(gone).is_none() && world.locate(gone).is_none() && !world.contains(gone));
        says(&stale, &[&format!("{gone:?}"), "no living proxy"]);
    }
    assert_eq!(world.len(), 1);
}

#[test]
fn a_proxy_of_another_world() {
    let mut world = world();
    let mut other = Broadphase::new(world.config().clone()).unwrap();
    let (own, id) = (world.world_tag(), world.insert(of(0.5)).unwrap());
    let foreign = other.insert(of(0.5)).unwrap();
    assert_eq!(foreign.index(), id.index(), "in the same slot");
    assert_ne!(own, other.world_tag());
    for foreign in [foreign, ProxyId::from_bits(0)] {
        let error = ProxyError::OtherWorld { id: foreign, own };
        assert_eq!(world.set_center(foreign, [0.0; 2]), Err(error.clone()));
        assert_eq!(world.set_category(foreign, None), Err(error.clone()));
        assert_eq!(world.remove(foreign), Err(error.clone()));
        assert!(world.get(foreign).is_none() && world.locate(foreign).is_none());
        let tags = [foreign.world_tag(), own].map(|tag| format!("{tag}"));
        says(
            &error,
            &[&format!("{foreign:?}"), "world tag", &tags[0], &tags[1]],
        );
    }
    assert_eq!(world.get(id).unwrap().center, [1.0, 2.0]);
}

/// A world that is made again, by a peer or from a file, and is to have the same ids.
#[test]
fn a_world_tag_of_ones_own() {
    let config = world().config().clone();
    let ids = [0, 7, MAX_WORLD_TAG].map(|tag| {
        let [mut one, mut again] =
            [(); 2].map(|()| Broadphase::new(config.clone().world_tag(tag)).unwrap());
        let id = one.insert(of(0.5)).unwrap();
        assert_eq!(again.insert(of(0.5)).unwrap(), id);
        assert_eq!((id.world_tag(), one.world_tag()), (tag, tag));
        assert_eq!(ProxyId::from_bits(id.to_bits()), id);
        assert!(one.contains(ProxyId::from_bits(id.to_bits())));
        let other = config.clone().world_tag(tag ^ 1);
        let error = one.reconfigure(other).unwrap_err();
        assert_eq!(
            error,
            ReconfigureError::WorldTag {
                given: tag ^ 1,
                own: tag
            }
        );
        says(&error, &["world_tag", &format!("{tag}"), "leave it out"]);
        assert!(one.reconfigure(config.clone()).is_ok() && one.contains(id));
        id
    });
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    let error = config.world_tag(MAX_WORLD_TAG + 1).validate().unwrap_err();
    says(&error, &["world_tag", "4096", "at most 4095"]);
}

#[test]
fn some_of_many_centres() {
    let mut world = world();
    let ids: Vec<_> = (0..9).map(|_| world.insert(of(0.5)).unwrap()).collect();
    world.remove(ids[8]).unwrap();
    assert_eq!(world.set_centers([(ids[0], [5.0, 6.0])]), Ok(()));
    let places = (0..).map(|i| {
        if i % 2 == 1 {
            [f32::NAN, 0.0]
        } else {
            [7.0, 8.0]
        }
    });
    let error = world
        .set_centers(ids.iter().copied().zip(places))
        .unwrap_err();
    let refused: Vec<usize> = error.refused.iter().map(|(index, _)| *index).collect();
    assert_eq!((error.set, refused), (4, vec![1, 3, 5, 7, 8]));
    says(
        &error,
        &["5 of 9 centers", "number 1: ", "NaN", "and 1 more"],
    );
    for (i, &id) in ids[..8].iter().enumerate() {
        let center = if i % 2 == 1 { [1.0, 2.0] } else { [7.0, 8.0] };
        assert_eq!(world.get(id).unwrap().center, center, "{i}");
    }
}

#[test]
fn room_for_more_than_there_can_be() {
    let mut world = world();
    let pixies = world.category("pixies").unwrap();
    world.insert(of(0.1)).unwrap();
    for additional in [usize::MAX, throng::MAX_ROWS] {
        let error = world.reserve(pixies, additional).unwrap_err();
        assert!(matches!(error, ReserveError::TooMany { rows: 1, .. }));
        says(
            &error,
            &["pixies", "1 proxies", &format!("{additional}"), "at most"],
        );
    }
    assert_eq!(world.reserve(pixies, 100), Ok(()));
    let strange = CategoryId::new(7);
    assert!(matches!(
        world.reserve(strange, 1),
        Err(ReserveError::UnknownCategory(_))
    ));
}

#[test]
fn a_world_that_was_never_indexed() {
    let never = QueryError::StaleIndex(StaleIndex::NeverIndexed);
    let mut world = world();
    let pixies = world.category("pixies").unwrap();
    let near = Proximity::centers([pixies; 2], 5.0);
    let ask = |world: &Broadphase| {
        let found = [
            world.query().find_at_point([1.0, 2.0], &mut Vec::new()),
            world
                .query()
                .find_in_circle([1.0, 2.0], 3.0, &mut Vec::new()),
            world
                .query()
                .find_nearest([1.0, 2.0], 3, 9.0, &mut Vec::new()),
            world
                .query()
                .cast_first(RayCast::from_to([0.0; 2], [3.0; 2]).unwrap())
                .map(drop),
            world
                .query()
                .find_batch(&[[1.0, 2.0]], &mut BatchResults::new()),
            world.find_pairs_within(&near, &mut ProximityPairs::new()),
            world.find_neighbors(&near, &mut Neighbors::new()),
            world.query_neighbors(&near, &mut NeighborOutputs::<u32>::new(), |_, _, _| {}),
        ];
        assert!(found.iter().all(|each| *each == found[0]), "{found:?}");
        found[0].clone()
    };
    assert_eq!(ask(&world), Ok(()), "there is nothing to find");
    assert_eq!(world.plan().err(), Some(StaleIndex::NeverIndexed));
    says(
        &StaleIndex::NeverIndexed,
        &["nothing is indexed yet", "`step` or `refresh`"],
    );
    assert!(world.is_index_stale());
    let somebody = world.insert(of(0.1)).unwrap();
    let partners = |world: &Broadphase| world.query().find_partners(somebody, &mut Vec::new());
    assert_eq!(
        (ask(&world), partners(&world)),
        (Err(never.clone()), Err(never))
    );
    assert_eq!(world.plan().err(), Some(StaleIndex::NeverIndexed));
    world.refresh();
    assert_eq!((ask(&world), partners(&world)), (Ok(()), Ok(())));
    assert!(!world.is_index_stale());
}

/// An insert after the first step is not found yet, which is no error; but rows have changed.
#[test]
fn an_index_of_before_is_no_error() {
    let mut world = world();
    world.refresh();
    world.insert(of(0.1)).unwrap();
    let mut hits = Vec::new();
    assert_eq!(world.query().find_at_point([1.0, 2.0], &mut hits), Ok(()));
    assert!(hits.is_empty() && world.is_index_stale());
    assert_eq!(world.plan().err(), Some(StaleIndex::RowsChanged));
    says(&StaleIndex::RowsChanged, &["inserted", "call `refresh`"]);
}

#[test]
fn scenery_is_not_written_in_columns() {
    let config = world()
        .config()
        .clone()
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let error = world.centers_mut(CategoryId::new(2)).err().unwrap();
    says(&error, &["\"walls\" is scenery", "set_center"]);
}

#[test]
fn a_centre_that_is_nowhere() {
    let mut world = world();
    let id = world.insert(of(0.5)).unwrap();
    for nowhere in [[f32::NAN, 0.0], [0.0, f32::INFINITY]] {
        let error = world.set_center(id, nowhere).unwrap_err();
        assert!(matches!(error, ProxyError::NotFinite { .. }));
        says(&error, &["not finite", "stays where it was"]);
    }
    assert_eq!(world.get(id).unwrap().center, [1.0, 2.0]);
}

#[test]
fn a_box_that_fits_no_longer() {
    let mut world = world();
    let infantry = world.category("infantry").unwrap();
    let routed = world.insert(of(0.5)).unwrap();
    let named = world.insert(of(0.5).in_category(infantry)).unwrap();
    for id in [routed, named] {
        let before = world.get(id);
        let error = world.set_aabb(id, of(9.0).aabb()).unwrap_err();
        says(&error, &["stays as it was", "9.0", "infantry"]);
        assert_eq!(world.get(id), before);
    }
}

#[test]
fn columns_that_do_not_fit() {
    let mut world = world();
    let infantry = world.category("infantry").unwrap();
    let ids: Vec<_> = (0..200).map(|_| world.insert(of(0.5)).unwrap()).collect();
    let mut centers = world.centers_mut(infantry).unwrap();
    for (xs, ys) in [(200, 199), (200, 201), (199, 200), (201, 200), (0, 0)] {
        let error = centers.fill_from(&vec![0.0; xs], &vec![0.0; ys]);
        let mismatch = ColumnError::LengthMismatch {
            category: "infantry".to_owned(),
            xs,
            ys,
            rows: 200,
        };
        assert_eq!(error, Err(mismatch));
        let [xs, ys] = [format!("{xs} xs"), format!("{ys} ys")];
        says(&error.unwrap_err(), &["\"infantry\"", &xs, &ys, "200 rows"]);
    }
    let error = centers.fill_from_points(&[[0.0; 2]; 6]).unwrap_err();
    says(&error, &["\"infantry\"", "6 points", "200 rows"]);
    assert_eq!(
        centers.set(200, [0.0; 2]),
        Err(ColumnError::NoSuchRow {
            category: "infantry".to_owned(),
            row: 200,
            first: 0,
            rows: 200
        })
    );
    says(
        &centers.set(3, [f32::NAN, 0.0]).unwrap_err(),
        &["row 3", "NaN", "\"infantry\""],
    );

    let (mut xs, ys) = ([5.0; 200], [6.0; 200]);
    (xs[70], xs[190]) = (f32::NEG_INFINITY, f32::NAN);
    let fill = centers.fill_from(&xs, &ys).unwrap();
    assert_eq!((fill.rejected, fill.first_rejected), (2, Some(70)));
    let points: Vec<_> = xs.iter().zip(&ys).map(|(x, y)| [*x, *y]).collect();
    assert_eq!(centers.fill_from_points(&points), Ok(fill));
    let mut chunk = centers.chunks(64).nth(2).unwrap();
    let fill = chunk.fill_from(&xs[128..192], &ys[128..192]).unwrap();
    assert_eq!(
        fill.first_rejected,
        Some(190),
        "as the category counts rows"
    );
    let mut chunk = centers.chunks(64).nth(3).unwrap();
    assert_eq!(chunk.rows(), 192..200);
    assert!(matches!(
        chunk.set(191, [0.0; 2]),
        Err(ColumnError::NoSuchRow {
            first: 192,
            rows: 8,
            ..
        })
    ));
    for (xs, ys) in [(7, 7), (8, 7), (8, 9), (7, 8), (9, 8)] {
        assert!(chunk.fill_from(&[1.0; 9][..xs], &[1.0; 9][..ys]).is_err());
    }
    drop(centers);
    assert_eq!(
        world.get(ids[199]).unwrap().center,
        [5.0, 6.0],
        "nothing of what is refused is written"
    );

    // What was rejected is listed by where it is by then: row 70's proxy is gone, and another has
    // moved in.
    world.remove(ids[70]).unwrap();
    let report = world.step(&CountPairs).report().clone();
    let listed: Vec<_> = report
        .rejected
        .iter()
        .map(|rejected| (rejected.row, rejected.id))
        .collect();
    assert_eq!(listed, [(3, ids[3]), (190, ids[190])]);
    assert_eq!(
        world.get(ids[190]).unwrap().center,
        [1.0, 2.0],
        "its last good one"
    );
    assert_eq!(world.get(ids[189]).unwrap().center, [5.0, 6.0]);
    world.refresh();
    assert!(world.report().rejected.is_empty(), "listed once");
}

/// However often it was sent there, from whichever writer.
#[test]
fn a_row_that_was_turned_away_more_than_once_is_listed_once() {
    let mut world = world();
    let infantry = world.category("infantry").unwrap();
    let ids: Vec<_> = (0..3).map(|_| world.insert(of(0.5)).unwrap()).collect();
    let (xs, ys) = ([f32::NAN, 0.0, 0.0], [0.0, 0.0, f32::INFINITY]);
    for _ in 0..2 {
        let mut centers = world.centers_mut(infantry).unwrap();
        for _ in 0..2 {
            assert_eq!(centers.fill_from(&xs, &ys).unwrap().rejected, 2);
        }
        assert!(centers.set(0, [0.0, f32::NAN]).is_err());
    }
    world.refresh();
    let rejected = &world.report().rejected;
    let listed: Vec<_> = rejected.iter().map(|one| (one.row, one.id)).collect();
    assert_eq!(listed, [(0, ids[0]), (2, ids[2])]);
}

#[test]
fn a_batch_goes_in_but_for_what_is_bad() {
    let mut world = world();
    let batch = world.insert_batch([of(0.1), of(50.0), of(1.0)]);
    assert!(batch.ids[0].is_some() && batch.ids[1].is_none() && batch.ids[2].is_some());
    assert!(matches!(
        batch.refused[..],
        [(1, InsertError::Placement(_))]
    ));

    let ids: Vec<ProxyId> = batch.ids.into_iter().flatten().collect();
    let batch = world.remove_batch([ids[0], ids[0], ids[1]]);
    assert_eq!(batch.removed.len(), 2);
    assert_eq!(batch.refused, [(1, ProxyError::Stale { id: ids[0] })]);
}

#[test]
fn a_query_that_is_no_shape() {
    let world = world();
    let visit = |_| std::ops::ControlFlow::<()>::Continue(());
    says(
        &world
            .query()
            .query_point([f32::NAN, 1.0], visit)
            .unwrap_err(),
        &["NaN"],
    );
    says(
        &world
            .query()
            .query_circle([0.0; 2], -1.0, visit)
            .unwrap_err(),
        &["-1"],
    );
    assert!(
        world
            .query()
            .query_circle([0.0; 2], f32::NAN, visit)
            .is_err()
    );
    assert!(nearest_of(world.query(), [0.0; 2], 3, f32::NAN).is_err());
}

#[test]
fn a_plan_of_rows_that_have_changed() {
    let mut world = world();
    assert!(world.plan().is_err(), "never refreshed");
    let id = world.insert(of(0.5)).unwrap();
    world.refresh();
    assert!(world.plan().is_ok());
    world.set_center(id, [9.0, 9.0]).unwrap();
    assert!(world.plan().is_ok(), "rows are as they were");
    world.remove(id).unwrap();
    says(&world.plan().err().unwrap(), &["refresh"]);
}

/// What a write is called, and the write.
type Write<'a> = (&'a str, &'a dyn Fn(&mut Broadphase, ProxyId));

/// Each write by itself, in a world that was refreshed just before.
#[test]
fn a_plan_is_out_of_date_after_every_write_that_may_change_who_pairs() {
    let [pixies, infantry, walls] = [0, 1, 2].map(CategoryId::new);
    let is_fresh_after = |what: &str, write: &dyn Fn(&mut Broadphase, ProxyId)| {
        let config = world().config().clone();
        let mut world = Broadphase::new(config.category(CategoryConfig::scenery("walls"))).unwrap();
        let id = world.insert(of(0.1)).unwrap();
        assert_eq!(world.locate(id).unwrap().category, pixies);
        world.refresh();
        assert!(world.plan().is_ok(), "before {what}");
        write(&mut world, id);
        world.plan().is_ok()
    };

    let migrated = |change: Result<Placement, ProxyError>| {
        assert!(matches!(change, Ok(Placement::Migrated(_))), "{change:?}");
    };
    let writes: [Write<'_>; 8] = [
        ("insert", &|world, _| assert!(world.insert(of(0.1)).is_ok())),
        ("remove", &|world, id| assert!(world.remove(id).is_ok())),
        ("set_aabb", &|world, id| {
            migrated(world.set_aabb(id, of(0.5).aabb()))
        }),
        ("set_category", &|world, id| {
            migrated(world.set_category(id, Some(infantry)))
        }),
        ("set_enabled", &|world, id| {
            world.set_enabled(id, false).unwrap()
        }),
        ("set_masks", &|world, id| {
            world.set_masks(id, Masks::NONE).unwrap()
        }),
        ("load_scenery", &|world, _| {
            let packed = world.pack_scenery(walls).unwrap();
            world.load_scenery(walls, &packed).unwrap();
        }),
        ("clear", &|world, _| world.clear()),
    ];
    for (what, write) in writes {
        assert!(!is_fresh_after(what, write), "{what}");
    }

    let harmless: [Write<'_>; 6] = [
        ("set_owner", &|world, id| world.set_owner(id, 3).unwrap()),
        ("exclude_pair", &|world, id| {
            assert_eq!(world.exclude_pair(id, id), Ok(false));
        }),
        ("set_center", &|world, id| {
            world.set_center(id, [9.0; 2]).unwrap()
        }),
        ("set_key", &|world, id| world.set_key(id, 7).unwrap()),
        ("set_aabb", &|world, id| {
            assert_eq!(world.set_aabb(id, of(0.05).aabb()), Ok(Placement::Stayed));
        }),
        ("fill_from", &|world, _| {
            let fill = world.centers_mut(pixies).unwrap().fill_from(&[9.0], &[9.0]);
            assert_eq!(fill.unwrap().rejected, 0);
        }),
    ];
    for (what, write) in harmless {
        assert!(is_fresh_after(what, write), "{what}");
    }
}

#[test]
fn commands_that_fail() {
    let mut world = world();
    let mut sender = world.sender();
    let good = sender.insert(of(0.5));
    let bad = sender.insert(of(5.0));
    let gone = sender.remove(ProxyId::from_bits(u64::from(world.world_tag()) << 52 | 77));
    world.refresh();
    let outcomes = world.ingested();
    assert_eq!(
        outcomes
            .iter()
            .map(|outcome| outcome.ticket)
            .collect::<Vec<_>>(),
        [good, bad, gone]
    );
    assert!(outcomes[0].result.is_ok());
    assert!(matches!(
        outcomes[1].result,
        Err(CommandError::Insert(InsertError::Placement(_)))
    ));
    assert!(matches!(
        outcomes[2].result,
        Err(CommandError::Proxy(ProxyError::Stale { .. }))
    ));
    assert_eq!(
        (world.report().commands, world.report().commands_failed),
        (3, 2)
    );
}
