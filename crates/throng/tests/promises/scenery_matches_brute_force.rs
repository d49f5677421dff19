//! Promise: what moves meets scenery exactly once, whatever it is kept in, and scenery never meets scenery; queries find
//! it; loaded scenery is the scenery that was packed.

use crate::common::worlds::{World, check, check_queries, structures};
use crate::common::{Threads, category, ordered_pairs};
use std::slice::from_ref;
use throng::{
    Aabb, AlignedBytes, Broadphase, BroadphaseConfig, CategoryConfig, Masks, PackedQuadtree,
    PlacementError, Proxy, ProxyId, Scenery, SceneryError, SharedBytes, SimdLevel,
};
use throng_core::for_both;
use throng_scenes::{BoxScene, adversarial_boxes, log_uniform_boxes, uniform};

fn scenes(n: usize, seed: u64) -> impl Iterator<Item = BoxScene> {
    let scenes = adversarial_boxes(n, seed).into_iter();
    scenes.filter(|scene| !scene.is_empty())
}

/// Soldiers are more than walls, and fewer.
#[test]
fn uniform_and_scenery() {
    for (soldiers, walls) in [(500, 120), (60, 400)] {
        let coarse = uniform(soldiers, 1.0, 1);
        let mut exact = uniform(soldiers / 2, 1.0, 2);
        let half = exact.half[0];
        let sizes = (0..exact.len()).map(|k| [half * (k % 7) as f32 / 6.0; 2]);
        exact.half_extents = Some(sizes.collect());
        for scene in scenes(walls, 3) {
            check(&[coarse.clone(), exact.clone()], &[], &[scene]);
        }
    }
}

/// Dragons are more than walls, and fewer.
#[test]
fn oversized_and_scenery() {
    let dragons: Vec<_> = scenes(100, 4).collect();
    let walls: Vec<_> = scenes(100, 5).collect();
    for (index, scene) in walls.iter().enumerate() {
        let dragons = &dragons[(index * 7 + 3) % dragons.len()];
        check(&[], from_ref(dragons), from_ref(scene));
    }
    check(
        &[],
        &[log_uniform_boxes(300, [1.0, 50.0], 2.0, 6)],
        &walls[..1],
    );
}

#[test]
fn several_categories_of_scenery_do_not_meet() {
    let walls: Vec<_> = scenes(80, 7).collect();
    for pair in walls.windows(2).step_by(3) {
        check(
            &[uniform(150, 1.0, 8)],
            &[log_uniform_boxes(20, [1.0, 9.0], 1.0, 9)],
            pair,
        );
    }
}

#[test]
fn a_larger_world() {
    let walls = log_uniform_boxes(6000, [0.5, 20.0], 1.0, 10);
    check(
        &[uniform(9000, 1.0, 11)],
        &[log_uniform_boxes(100, [5.0, 80.0], 1.0, 12)],
        &[walls],
    );
}

#[test]
fn queries_find_scenery() {
    for scene in scenes(200, 13) {
        let world = &mut World::new(&[], &[], &[scene], structures()[0], SimdLevel::detect());
        world.world.refresh();
        let (stored, what) = (&world.boxes[0], world.boxes[0].name.clone());
        for aabb in (0..stored.len())
            .step_by(23)
            .filter_map(|row| stored.aabb(row))
        {
            check_queries(&world.world, stored, &aabb, aabb.center(), &what);
            check_queries(&world.world, stored, &Aabb::EVERYWHERE, aabb.max(), &what);
        }
    }
}

fn soldiers_and_walls() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("soldiers", 1.0).coarse())
        .category(CategoryConfig::scenery("walls"))
}

#[test]
fn scenery_is_packed_only_where_it_changes() {
    let mut world = Broadphase::new(soldiers_and_walls()).unwrap();
    let wall = Aabb::new([0.0, 0.0], [10.0, 1.0]).unwrap();
    let walls = [0, 1, 2].map(|_| world.insert(Proxy::fixed(wall)).unwrap());
    let soldier = world
        .insert(Proxy::centered([5.0, 1.5], [1.0; 2]).unwrap())
        .unwrap();
    let step = |world: &mut Broadphase| {
        let report = world.step_pairs().report().clone();
        world.validate().unwrap();
        (report.scenery_packed, report.pairs)
    };
    assert_eq!(step(&mut world), (3, 3));
    world.set_center(soldier, [5.0, 2.0]).unwrap();
    world.set_masks(walls[0], Masks::NONE).unwrap();
    world.set_key(walls[1], 7).unwrap();
    assert_eq!(step(&mut world), (0, 2));

    world.set_center(walls[1], [105.0, 0.5]).unwrap();
    assert_eq!(
        world.get(walls[1]).unwrap().aabb,
        Aabb::new([100.0, 0.0], [110.0, 1.0]).unwrap()
    );
    // All are in one leaf, which is searched everywhere: a box is changed in its place.
    assert_eq!(step(&mut world), (0, 1));
    world.set_enabled(walls[2], false).unwrap();
    assert_eq!(step(&mut world), (0, 0));
    world.set_enabled(walls[2], true).unwrap();
    assert_eq!(step(&mut world), (3, 1));
    world.remove(walls[0]).unwrap();
    assert_eq!(step(&mut world), (2, 1), "most has changed");
    world.set_aabb(walls[1], Aabb::EVERYWHERE).unwrap();
    assert_eq!(step(&mut world), (0, 2));
    assert_eq!(step(&mut world), (0, 2));
    world.clear();
    assert_eq!(step(&mut world), (0, 0));
}

#[test]
fn a_loaded_tree_is_shared_and_gives_the_same_pairs() {
    let walls = log_uniform_boxes(3000, [0.5, 20.0], 1.0, 14);
    let made = &mut World::new(
        &[uniform(2000, 1.0, 15)],
        &[],
        &[walls],
        structures()[0],
        SimdLevel::detect(),
    );
    let expected = ordered_pairs(&mut made.world, &Threads(1));
    assert!(expected.len() > 100);
    let file = made
        .world
        .pack_scenery(category(1))
        .unwrap()
        .as_bytes()
        .to_vec();

    for &level in SimdLevel::available() {
        let bytes = SharedBytes::new(AlignedBytes::from(&file[..]));
        let tree = PackedQuadtree::from_bytes(bytes).unwrap();
        let config = made.world.config().clone().simd(level);
        let mut worlds = for_both(|_| Broadphase::new(config.clone()).unwrap());
        for world in &mut worlds {
            world.load_scenery(category(1), &tree).unwrap();
            let [xs, ys] = made.world.centers(category(0));
            let half = made.uniform[0].half;
            world.insert_batch(
                xs.iter()
                    .zip(ys)
                    .map(|(&x, &y)| Proxy::centered([x, y], half).unwrap()),
            );
            assert!(ordered_pairs(world, &Threads(2)) == expected, "{level}");
            assert_eq!(world.report().scenery_packed, 0);
            let again = world.pack_scenery(category(1)).unwrap();
            assert!(
                std::ptr::eq(again.as_bytes(), tree.as_bytes()),
                "nothing is copied"
            );
        }
    }
}

/// Before the step that packs anew, and after it, when the index has a tree of all but the disabled under their old rows.
#[test]
fn what_is_packed_leaves_the_disabled_out_and_numbers_the_rest() {
    let mut world = Broadphase::new(soldiers_and_walls()).unwrap();
    let boxes = [0.0, 10.0, 20.0, 30.0].map(|x| Aabb::new([x, 0.0], [x + 1.0, 1.0]).unwrap());
    let walls = boxes.map(|aabb| world.insert(Proxy::fixed(aabb)).unwrap());
    world.refresh();
    let packed = |world: &Broadphase| {
        let tree = world.pack_scenery(category(1)).unwrap();
        let mut found = Vec::new();
        tree.for_each_box(|row, aabb| found.push((row, aabb)));
        found.sort_by_key(|&(row, _)| row);
        assert_eq!(tree.rows(), found.len(), "no row without a box");
        found
    };
    for (wall, enabled, expected) in [
        (1, false, vec![boxes[0], boxes[2], boxes[3]]),
        (3, false, vec![boxes[0], boxes[2]]),
        (1, true, vec![boxes[0], boxes[1], boxes[2]]),
        (3, true, boxes.to_vec()),
    ] {
        world.set_enabled(walls[wall], enabled).unwrap();
        let expected: Vec<_> = (0..).zip(expected).collect();
        assert_eq!(packed(&world), expected, "before the step");
        world.refresh();
        assert_eq!(packed(&world), expected, "after it");
    }
    // Packed for the first time without the last one, which then goes.
    world.clear();
    let walls = boxes.map(|aabb| world.insert(Proxy::fixed(aabb)).unwrap());
    world.set_enabled(walls[3], false).unwrap();
    world.refresh();
    world.remove(walls[3]).unwrap();
    let expected: Vec<_> = (0..).zip(boxes).take(3).collect();
    for _ in 0..2 {
        assert_eq!(packed(&world), expected);
        world.refresh();
    }
}

#[test]
fn what_is_loaded_replaces_what_was_there() {
    let mut world = Broadphase::new(soldiers_and_walls()).unwrap();
    let wall = |x: f32| Proxy::fixed(Aabb::new([x, 0.0], [x + 1.0, 1.0]).unwrap());
    let old = [0.0, 10.0, 20.0].map(|x| world.insert(wall(x)).unwrap());
    world.set_enabled(old[1], false).unwrap();
    let packed = world.pack_scenery(category(1)).unwrap();
    assert_eq!(
        (packed.len(), packed.rows()),
        (2, 2),
        "without the disabled one"
    );
    world.load_scenery(category(1), &packed).unwrap();
    assert!(old.iter().all(|&id| !world.contains(id)));
    assert_eq!((world.len(), world.rows(category(1))), (2, 2));
    world.refresh();
    let ids: Vec<_> = world.proxies(category(1)).collect();
    let found = |world: &Broadphase, x: f32| {
        let mut found = Vec::new();
        let all = world
            .query()
            .query_point([x, 0.5], |hit| -> std::ops::ControlFlow<()> {
                found.push(hit.id);
                std::ops::ControlFlow::Continue(())
            });
        assert!(all.unwrap().is_continue());
        found
    };
    assert_eq!(
        [0.5, 10.5, 20.5].map(|x| found(&world, x)),
        [vec![ids[0]], vec![], vec![ids[1]]]
    );
    world.validate().unwrap();
}

/// However often scenery is loaded in place of what was there, its ids are numbered one after the other, and so take no memory each.
#[test]
fn ids_of_what_is_loaded_follow_each_other() {
    let boxes = (0..100).map(|k| Aabb::from_center([k as f32, 0.0], [0.3; 2]).unwrap());
    let packed = Scenery::from_boxes(&boxes.collect::<Vec<_>>()).unwrap();
    let mut world = Broadphase::new(soldiers_and_walls()).unwrap();
    for _ in 0..5 {
        let loaded = world.load_scenery(category(1), &packed).unwrap();
        let ids = world.scenery_proxies(loaded).unwrap();
        let follow = |pair: &[ProxyId]| pair[0].index() + 1 == pair[1].index();
        assert!(ids.windows(2).all(follow));
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let mut world = Broadphase::new(
        soldiers_and_walls().category(CategoryConfig::scenery("huts").half_extents([5.0; 2])),
    )
    .unwrap();
    let wall = world
        .insert(Proxy::fixed(Aabb::new([0.0; 2], [100.0, 1.0]).unwrap()))
        .unwrap();
    assert_eq!(
        world.locate(wall).unwrap().category,
        category(1),
        "too large for a hut"
    );
    let hut = world
        .insert(Proxy::fixed(Aabb::new([0.0; 2], [2.0, 1.0]).unwrap()))
        .unwrap();
    assert_eq!(world.locate(hut).unwrap().category, category(2));
    let packed = world.pack_scenery(category(1)).unwrap();
    let error = world.load_scenery(category(2), &packed).unwrap_err();
    assert!(matches!(
        &error,
        SceneryError::Placement {
            row: 0,
            problem: PlacementError::OverBound { .. }
        }
    ));
    assert!(
        error.to_string().contains("\"huts\"") && error.to_string().contains("50"),
        "{error}"
    );
    assert!(world.contains(hut), "the world is unchanged");
    // The lowest of several rows that do not fit, whatever the order of leaves.
    let mut walls = Broadphase::new(soldiers_and_walls()).unwrap();
    for row in 0..40 {
        let [x, half] = [400.0 - 10.0 * row as f32, if row < 3 { 2.0 } else { 20.0 }];
        let aabb = Aabb::from_center([x, 0.0], [half; 2]).unwrap();
        walls.insert(Proxy::fixed(aabb)).unwrap();
    }
    let packed = walls.pack_scenery(category(1)).unwrap();
    let error = world.load_scenery(category(2), &packed).unwrap_err();
    assert!(
        matches!(error, SceneryError::Placement { row: 3, .. }),
        "{error}"
    );

    for error in [
        world.pack_scenery(category(0)).err(),
        world.load_scenery(category(0), &packed).err(),
    ] {
        let error = error.unwrap().to_string();
        assert!(error.contains("\"soldiers\" is not scenery"), "{error}");
    }
    assert!(matches!(
        world.pack_scenery(category(9)),
        Err(SceneryError::UnknownCategory(_))
    ));

    let unsound = tree_with_a_gap();
    assert_eq!(
        world.load_scenery(category(1), &unsound).unwrap_err(),
        SceneryError::Incomplete { boxes: 1, rows: 2 }
    );

    let only_walls = BroadphaseConfig::new().category(CategoryConfig::scenery("walls"));
    let mut only_walls = Broadphase::new(only_walls).unwrap();
    let error = only_walls
        .insert(Proxy::centered([0.0; 2], [1.0; 2]).unwrap())
        .unwrap_err();
    assert!(
        error.to_string().contains("all categories are scenery"),
        "{error}"
    );
    let no_walls = BroadphaseConfig::new().category(CategoryConfig::oversized("dragons"));
    let mut no_walls = Broadphase::new(no_walls).unwrap();
    let error = no_walls.insert(Proxy::fixed(Aabb::EVERYWHERE)).unwrap_err();
    assert!(
        error.to_string().contains("no category of scenery"),
        "{error}"
    );
}

/// A tree of two rows, of which one is upside down.
fn tree_with_a_gap() -> throng::Scenery {
    let boxes =
        throng_core::Boxes::new([&[0.0, 0.0], &[0.0, 9.0]], [&[1.0, 1.0], &[1.0, 1.0]]).unwrap();
    let config = throng_quadtree::PackedConfig::new();
    PackedQuadtree::build(boxes, config, &throng::Serial)
        .unwrap()
        .into_shared()
}

#[test]
fn scenery_keeps_its_boxes_in_another_kind_of_category() {
    const INFINITY: f32 = f32::INFINITY;
    let boxes = [
        Aabb::new([0.0, 0.0], [INFINITY, 1.0]).unwrap(),
        Aabb::EVERYWHERE,
        Aabb::new([-INFINITY, 3.0], [INFINITY, 4.0]).unwrap(),
        Aabb::new([5.0, 5.0], [9.0, 6.0]).unwrap(),
    ];
    let of =
        |kind: fn(&'static str) -> CategoryConfig| BroadphaseConfig::new().category(kind("walls"));
    let (scenery, oversized) = (of(CategoryConfig::scenery), of(CategoryConfig::oversized));
    let mut world = Broadphase::new(scenery.clone()).unwrap();
    let ids = boxes.map(|aabb| world.insert(Proxy::fixed(aabb)).unwrap());
    for config in [oversized, scenery] {
        assert_eq!(world.reconfigure(config).unwrap().kept, 4);
        assert_eq!(ids.map(|id| world.get(id).unwrap().aabb), boxes);
        world.validate().unwrap();
    }
    let none = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0).coarse());
    let error = world.reconfigure(none).unwrap_err().to_string();
    assert!(error.contains("a category of scenery"), "{error}");
}

/// A box made with the bound has sides that are rounded, and half of its width may be over the bound by that much. It
/// fits nonetheless, is sound, and moved to where sides are rounded less it is no larger than the bound.
#[test]
fn a_box_as_large_as_the_bound_is_sound_wherever_it_is() {
    let bound = 0.1001;
    let config =
        soldiers_and_walls().category(CategoryConfig::scenery("bricks").half_extents([bound; 2]));
    let bricks = category(2);
    let mut world = Broadphase::new(config.clone()).unwrap();
    let mut over = 0;
    for k in 0..1000 {
        let center = [0.37 + k as f32 * 1e-4, 100.0 - k as f32];
        let aabb = Aabb::from_center(center, [bound; 2]).unwrap();
        let is_over = |axis: usize| (aabb.max()[axis] - aabb.min()[axis]) / 2.0 > bound;
        over += usize::from(is_over(0) || is_over(1));
        let brick = Proxy::fixed(aabb).in_category(bricks);
        let id = world.insert(brick).unwrap();
        assert_eq!(world.get(id).unwrap().aabb, aabb, "as given");
    }
    assert!(over > 300, "{over} are wider than the bound");
    world.validate().unwrap();
    let packed = world.pack_scenery(bricks).unwrap();
    let mut other = Broadphase::new(config).unwrap();
    other.load_scenery(bricks, &packed).unwrap();
    other.validate().unwrap();

    let around = Aabb::from_center([0.0; 2], [bound; 2]).unwrap();
    let ids: Vec<_> = world.proxies(bricks).collect();
    for &id in &ids {
        let there = world.get(id).unwrap();
        world.set_center(id, [0.0; 2]).unwrap();
        assert!(around.contains(&world.get(id).unwrap().aabb));
        world.set_center(id, there.center).unwrap();
        assert!(
            world.get(id).unwrap().aabb.contains(&there.aabb),
            "{there:?}"
        );
    }
    world.validate().unwrap();
    let packed = world.pack_scenery(bricks).unwrap();
    other.load_scenery(bricks, &packed).unwrap();
    other.validate().unwrap();
}

#[test]
fn scenery_that_is_moved_keeps_its_size() {
    let mut world = Broadphase::new(soldiers_and_walls()).unwrap();
    let given = Aabb::new([0.1, 0.3], [0.6, 0.7]).unwrap();
    let wall = world.insert(Proxy::fixed(given)).unwrap();
    let other = world
        .insert(Proxy::fixed(Aabb::new([3.0; 2], [4.0; 2]).unwrap()))
        .unwrap();
    world.refresh();
    let view = world.get(wall).unwrap();
    world.set_center(wall, view.center).unwrap();
    world.refresh();
    assert_eq!(
        (world.get(wall).unwrap().aabb, world.report().scenery_packed),
        (given, 0)
    );

    world.set_center(wall, [1e8, 1e8]).unwrap();
    world.set_center(wall, view.center).unwrap();
    let after = world.get(wall).unwrap();
    assert_eq!(
        (after.center, after.half_extents),
        (view.center, view.half_extents)
    );
    let near = |a: [f32; 2], b: [f32; 2]| (0..2).all(|axis| (a[axis] - b[axis]).abs() < 1e-6);
    assert!(near(after.aabb.min(), given.min()) && near(after.aabb.max(), given.max()));

    let endless = Aabb::new([f32::NEG_INFINITY, 0.0], [f32::INFINITY, 1.0]).unwrap();
    world.set_aabb(other, endless).unwrap();
    world.set_center(other, [7.0, 9.5]).unwrap();
    let moved = Aabb::new([f32::NEG_INFINITY, 9.0], [f32::INFINITY, 10.0]).unwrap();
    assert_eq!(world.get(other).unwrap().aabb, moved);
    world.validate().unwrap();
}

#[test]
fn what_is_too_large_for_scenery_is_not_sent_to_the_oversized() {
    let huts = CategoryConfig::scenery("huts").half_extents([5.0; 2]);
    let config = BroadphaseConfig::new()
        .category(huts)
        .category(CategoryConfig::oversized("giants"));
    let mut world = Broadphase::new(config).unwrap();
    for aabb in [Aabb::EVERYWHERE, Aabb::new([0.0; 2], [20.0; 2]).unwrap()] {
        let error = world.insert(Proxy::fixed(aabb)).unwrap_err().to_string();
        assert!(
            error.contains("no category of scenery") && error.contains("huts"),
            "{error}"
        );
    }
}

/// What is given by its center is stored so in scenery, wherever its sides are rounded to, or off to infinity.
#[test]
fn scenery_that_is_given_by_its_center_keeps_center_and_size() {
    let config = || {
        BroadphaseConfig::new()
            .category(CategoryConfig::scenery("bounded").half_extents([1e38; 2]))
            .category(CategoryConfig::scenery("walls"))
            .category(CategoryConfig::oversized("rocks"))
    };
    let given = [
        ([3.4e38, 0.0], [2e37, 1.0]),
        ([3.0, 0.0], [1e8, 1.0]),
        ([1.261_334_1, 0.0], [4_078.793_5, 0.5]),
        ([1e7, 0.0], [0.3, 1.0]),
        ([0.5, -3e8], [1.0, 0.0]),
    ];
    for (center, half) in given {
        for first in 0..3 {
            for last in 0..2 {
                let mut world = Broadphase::new(config()).unwrap();
                let proxy = Proxy::centered(center, half).unwrap();
                let id = world.insert(proxy.in_category(category(first))).unwrap();
                world.set_category(id, Some(category(last))).unwrap();
                world.validate().unwrap();
                world.reconfigure(config()).unwrap();
                world.validate().unwrap();
                let view = world.get(id).unwrap();
                assert_eq!((view.center, view.half_extents), (center, half));
                assert_eq!(view.aabb, proxy.aabb());
                world.set_center(id, [0.0; 2]).unwrap();
                let at_origin = Aabb::from_center([0.0; 2], half).unwrap();
                assert_eq!(world.get(id).unwrap().aabb, at_origin);
                world.validate().unwrap();
                // Given by its sides, it has the size of these.
                let square = Aabb::new([1.0; 2], [2.0; 2]).unwrap();
                world.set_aabb(id, square).unwrap();
                world.reconfigure(config()).unwrap();
                let view = world.get(id).unwrap();
                assert_eq!((view.center, view.half_extents), ([1.5; 2], [0.5; 2]));
            }
        }
    }
}

/// A box may be moved to where a side of it is beyond all numbers, and back: it is still as large as it was given.
#[test]
fn a_box_that_was_too_far_out_keeps_its_size() {
    let given = Aabb::new([0.0, -1.0], [1e38, 1.0]).unwrap();
    let endless = Aabb::new([f32::NEG_INFINITY, -1.0], [f32::INFINITY, 1.0]).unwrap();
    let half_plane = Aabb::new([f32::NEG_INFINITY, -1.0], [5e37, f32::INFINITY]).unwrap();
    for aabb in [given, endless, half_plane] {
        let mut world = Broadphase::new(soldiers_and_walls()).unwrap();
        let wall = world.insert(Proxy::fixed(aabb)).unwrap();
        world.refresh();
        let before = world.get(wall).unwrap();
        for center in [
            [f32::MAX, 0.0],
            [-f32::MAX, f32::MAX],
            [f32::MAX, 0.0],
            before.center,
        ] {
            world.set_center(wall, center).unwrap();
            assert_eq!(world.get(wall).unwrap().half_extents, before.half_extents);
            world.validate().unwrap();
            world.refresh();
        }
        assert_eq!(world.get(wall).unwrap(), before);
        world.remove(wall).unwrap();
        world.validate().unwrap();
    }
}
