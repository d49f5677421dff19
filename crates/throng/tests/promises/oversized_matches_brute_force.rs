//! Promise: worlds with things of any size report every overlapping pair exactly once, whatever structure
//! holds the oversized, on any number of threads and with any instruction set; and queries find them.

use crate::common::worlds::{World, check, check_queries, structures};
use crate::common::{category, nearest_of};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, InsertError, Masks, PlacementError, Proxy,
    QueryFilter, SimdLevel,
};
use throng_scenes::{
    BoxScene, adversarial_boxes, lord_of_the_rings, resize_some, step_box_motion, step_motion,
    uniform,
};

fn without_nothing(scenes: Vec<BoxScene>) -> impl Iterator<Item = BoxScene> {
    scenes.into_iter().filter(|scene| !scene.is_empty())
}

#[test]
fn nothing_but_oversized() {
    for scene in without_nothing(adversarial_boxes(300, 1)) {
        check(&[], &[scene], &[]);
    }
}

#[test]
fn uniform_and_oversized() {
    let soldiers = uniform(400, 1.0, 2);
    let mut own_sizes = uniform(300, 1.0, 3);
    own_sizes.half_extents = Some(
        (0..300)
            .map(|k| [own_sizes.half[0] * (k % 7) as f32 / 6.0; 2])
            .collect(),
    );
    for scene in without_nothing(adversarial_boxes(120, 4)) {
        check(&[soldiers.clone(), own_sizes.clone()], &[scene], &[]);
    }
}

#[test]
fn several_oversized_categories() {
    let scenes: Vec<_> = without_nothing(adversarial_boxes(60, 5)).collect();
    for pair in scenes.windows(2) {
        check(&[uniform(150, 1.0, 6)], pair, &[]);
    }
}

#[test]
fn more_oversized_than_soldiers() {
    let boxes = BoxScene::from(&uniform(1500, 1.0, 7));
    check(&[uniform(200, 1.0, 8)], &[boxes], &[]);
}

#[test]
fn a_world_of_many_kinds_that_moves_and_changes_size() {
    let world = lord_of_the_rings(1500, 9);
    let (mut uniform, mut dragons) = (vec![world.units, world.faeries], world.dragons);
    for structure in structures() {
        let mut world = World::new(
            &uniform,
            &[dragons.clone()],
            &[],
            structure,
            SimdLevel::detect(),
        );
        for frame in 0..6 {
            let expected = world.true_pairs();
            world.check(&expected, &format!("{structure:?}, frame {frame}"));
            uniform
                .iter_mut()
                .for_each(|scene| step_motion(scene, 0.3, frame));
            step_box_motion(&mut dragons, 3.0, frame);
            resize_some(&mut dragons, 3, frame);
            for (index, scene) in uniform.iter().enumerate() {
                let mut centers = world.world.centers_mut(category(index)).unwrap();
                assert_eq!(centers.fill_from(&scene.xs, &scene.ys).unwrap().rejected, 0);
            }
            for (row, &id) in world.ids[2].iter().enumerate() {
                world
                    .world
                    .set_aabb(id, dragons.aabb(row).unwrap())
                    .unwrap();
            }
            (world.uniform, world.boxes) = (uniform.clone(), vec![dragons.clone()]);
            world.read_back();
        }
    }
}

#[test]
fn queries_find_boxes_of_any_size() {
    for scene in without_nothing(adversarial_boxes(200, 10)) {
        for structure in structures() {
            let mut world = World::new(
                &[],
                std::slice::from_ref(&scene),
                &[],
                structure,
                SimdLevel::detect(),
            );
            world.world.refresh();
            let stored = &world.boxes[0];
            let what = format!("{}, {structure:?}", scene.name);
            let places = (0..stored.len())
                .step_by(23)
                .filter_map(|row| stored.aabb(row));
            for aabb in places {
                let (point, corner) = (aabb.center(), aabb.max());
                check_queries(&world.world, stored, &aabb, point, &what);
                check_queries(&world.world, stored, &Aabb::EVERYWHERE, corner, &what);
            }
        }
    }
}

/// Half extents without end mean what sides without end do.
#[test]
fn infinite_half_extents_reach_everywhere() {
    for structure in structures() {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("units", 1.0).coarse())
            .category(CategoryConfig::oversized("giants").structure(structure));
        let mut world = Broadphase::new(config).unwrap();
        for half in [
            [f32::INFINITY, 1.0],
            [3.0, f32::INFINITY],
            [f32::INFINITY; 2],
        ] {
            let given = Proxy::centered([0.0, 0.0], half).unwrap();
            let id = world.insert(given).unwrap();
            assert_eq!(world.get(id).unwrap().aabb, given.aabb());
            assert_eq!(world.get(id).unwrap().half_extents, half);
        }
        for center in [[1e6, 0.0], [0.0, -1e6], [1e6, 1e6]] {
            world
                .insert(Proxy::centered(center, [1.0; 2]).unwrap())
                .unwrap();
        }
        // Three pairs of giants; two units meet two giants each, one the plane alone.
        assert_eq!(world.step_pairs().report().pairs, 3 + 2 + 2 + 1);
    }
    let mut bounded = Broadphase::new(
        BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0).coarse()),
    )
    .unwrap();
    let endless = Proxy::centered([0.0; 2], [1.0, f32::INFINITY]).unwrap();
    assert!(matches!(
        bounded.insert(endless),
        Err(InsertError::Placement(PlacementError::Unbounded { .. }))
    ));
}

/// The nearest are looked for in windows that grow until one holds everything, and not almost everything: however far
/// the only one lies that passes, over more than one doubling.
#[test]
fn the_last_one_is_found_however_far_it_lies() {
    let apart = Masks::new(2, !0);
    for structure in structures() {
        let dragons = CategoryConfig::oversized("dragons").structure(structure);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(dragons)).unwrap();
        let dragon = |x: f32, y: f32| Proxy::centered([x, y], [0.5; 2]).unwrap();
        let crowd = (0..100_u32).map(|k| dragon((k % 10) as f32, (k / 10) as f32));
        world.insert_batch(crowd.map(|proxy| {
            proxy.masks(Masks {
                memberships: 1,
                ..apart
            })
        }));
        let last = world.insert(dragon(1000.0, 0.0).masks(apart)).unwrap();
        world.refresh();
        let filter = QueryFilter::new().masks(Masks::new(1, 2));
        let queries = world.query_with(&filter);
        for step in 0..600 {
            let place = [step as f32, 0.0];
            let nearest = nearest_of(queries, place, 1, f32::INFINITY).unwrap();
            let found: Vec<_> = nearest.iter().map(|near| near.hit.id).collect();
            assert_eq!(found, [last], "{structure:?}, from {place:?}");
        }
    }
}
