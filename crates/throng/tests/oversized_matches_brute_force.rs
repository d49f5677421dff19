//! Promise: worlds with things of any size report every overlapping pair exactly once, whatever structure
//! holds the oversized, on any number of threads and with any instruction set; and queries find them.

mod common;

use std::ops::ControlFlow;

use common::{Pair, Threads, assert_same_pairs, category, ordered_pairs};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig,
    OversizedStructure, Proxy, ProxyId, QueryHit, SimdLevel, StripsConfig,
};
use throng_scenes::{
    BoxScene, Scene, adversarial_boxes, lord_of_the_rings, overlapping_pairs,
    overlapping_pairs_between, resize_some, rows_at_point, rows_in_box, rows_in_circle,
    step_box_motion, step_motion, uniform,
};

const THREADS: [usize; 4] = [1, 2, 3, 8];

fn structures() -> [OversizedStructure; 3] {
    [
        StripsConfig::new().into(),
        DoubleGridConfig::new().into(),
        LooseQuadtreeConfig::new().split_above(16).into(),
    ]
}

/// A world of uniform categories, exact unless their scene has no sizes, and oversized ones behind them.
struct World {
    world: Broadphase,
    uniform: Vec<Scene>,
    /// The boxes as the world stores them.
    oversized: Vec<BoxScene>,
    ids: Vec<Vec<ProxyId>>,
}

impl World {
    fn new(
        uniform: &[Scene],
        oversized: &[BoxScene],
        structure: OversizedStructure,
        simd: SimdLevel,
    ) -> Self {
        let mut config = BroadphaseConfig::new().simd(simd);
        for (index, scene) in uniform.iter().enumerate() {
            let mut part =
                CategoryConfig::uniform(format!("uniform {index}"), 0.0).half_extents(scene.half);
            if scene.half_extents.is_some() {
                part = part.exact();
            }
            config = config.category(part);
        }
        for index in 0..oversized.len() {
            let part = CategoryConfig::oversized(format!("oversized {index}")).structure(structure);
            config = config.category(part);
        }
        let mut world = Self {
            world: Broadphase::new(config).unwrap(),
            uniform: uniform.to_vec(),
            oversized: oversized.to_vec(),
            ids: Vec::new(),
        };
        for (index, scene) in uniform.iter().enumerate() {
            let half = |row: usize| {
                scene
                    .half_extents
                    .as_ref()
                    .map_or(scene.half, |own| own[row])
            };
            let proxies = (0..scene.len()).map(|row| {
                let place = [scene.xs[row], scene.ys[row]];
                let proxy = Proxy::centered(place, half(row)).unwrap();
                proxy
                    .in_category(category(index))
                    .masks(scene.masks_of(row))
            });
            world.insert(proxies.collect());
        }
        for (index, scene) in oversized.iter().enumerate() {
            let proxies = (0..scene.len()).map(|row| {
                let aabb = scene.aabb(row).expect("only boxes come in");
                let proxy = Proxy::moving(aabb).in_category(category(uniform.len() + index));
                proxy.masks(scene.masks_of(row))
            });
            world.insert(proxies.collect());
        }
        world.read_back();
        world
    }

    fn insert(&mut self, proxies: Vec<Proxy>) {
        let batch = self.world.insert_batch(proxies);
        assert_eq!(batch.refused, []);
        self.ids.push(batch.ids.into_iter().flatten().collect());
    }

    /// Takes over the boxes as stored, which hold those that were given.
    fn read_back(&mut self) {
        for (index, scene) in self.oversized.iter_mut().enumerate() {
            for (row, &id) in self.ids[self.uniform.len() + index].iter().enumerate() {
                let stored = self.world.get(id).unwrap().aabb;
                let given = scene.aabb(row).unwrap();
                assert!(
                    stored.contains(&given),
                    "{}: {given} as {stored}",
                    scene.name
                );
                scene.set(row, stored);
            }
        }
    }

    /// Everything of one kind or the other, in the order of the categories.
    fn true_pairs(&self) -> Vec<Pair> {
        let all: Vec<BoxScene> = self
            .uniform
            .iter()
            .map(BoxScene::from)
            .chain(self.oversized.iter().cloned())
            .collect();
        let mut pairs = Vec::new();
        for (a, first) in all.iter().enumerate() {
            for (b, second) in all.iter().enumerate().skip(a) {
                let rows = if a == b {
                    overlapping_pairs(first)
                } else {
                    overlapping_pairs_between(first, second)
                };
                pairs.extend(
                    rows.into_iter()
                        .map(|rows| ([category(a), category(b)], rows)),
                );
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn check(&mut self, expected: &[Pair], what: &str) -> Vec<Pair> {
        let ordered = ordered_pairs(&mut self.world, &Threads(1));
        let mut found = ordered.clone();
        found.sort_unstable();
        assert_same_pairs(&found, expected, what);
        for threads in THREADS {
            let again = ordered_pairs(&mut self.world, &Threads(threads));
            assert!(
                again == ordered,
                "{what}: another order on {threads} threads"
            );
        }
        self.world
            .validate()
            .unwrap_or_else(|broken| panic!("{what}: {broken}"));
        ordered
    }
}

/// The runner: every structure by every instruction set.
fn check(uniform: &[Scene], oversized: &[BoxScene]) {
    let mut expected: Option<Vec<Pair>> = None;
    for structure in structures() {
        let mut first: Option<Vec<Pair>> = None;
        for &level in SimdLevel::available() {
            let mut world = World::new(uniform, oversized, structure, level);
            let expected = expected.get_or_insert_with(|| world.true_pairs());
            let what = format!("{}, {structure:?}, {level}", oversized[0].name);
            let ordered = world.check(expected, &what);
            let first = first.get_or_insert_with(|| ordered.clone());
            assert!(
                *first == ordered,
                "{what}: another order than with other instructions"
            );
        }
    }
}

fn without_nothing(scenes: Vec<BoxScene>) -> impl Iterator<Item = BoxScene> {
    scenes.into_iter().filter(|scene| !scene.is_empty())
}

#[test]
fn nothing_but_oversized() {
    for scene in without_nothing(adversarial_boxes(300, 1)) {
        check(&[], &[scene]);
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
        check(&[soldiers.clone(), own_sizes.clone()], &[scene]);
    }
}

#[test]
fn several_oversized_categories() {
    let scenes: Vec<_> = without_nothing(adversarial_boxes(60, 5)).collect();
    for pair in scenes.windows(2) {
        check(&[uniform(150, 1.0, 6)], pair);
    }
}

#[test]
fn more_oversized_than_soldiers() {
    let boxes = BoxScene::from(&uniform(1500, 1.0, 7));
    check(&[uniform(200, 1.0, 8)], &[boxes]);
}

#[test]
fn a_world_of_many_kinds_that_moves_and_changes_size() {
    let world = lord_of_the_rings(1500, 9);
    let (mut uniform, mut dragons) = (vec![world.units, world.faeries], world.dragons);
    for structure in structures() {
        let mut world = World::new(&uniform, &[dragons.clone()], structure, SimdLevel::detect());
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
            (world.uniform, world.oversized) = (uniform.clone(), vec![dragons.clone()]);
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
                structure,
                SimdLevel::detect(),
            );
            world.world.refresh();
            let stored = &world.oversized[0];
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

fn check_queries(
    world: &Broadphase,
    stored: &BoxScene,
    window: &Aabb,
    point: [f32; 2],
    what: &str,
) {
    type Visit<'v> = &'v mut dyn FnMut(QueryHit) -> ControlFlow<()>;
    let rows = |query: &dyn Fn(Visit<'_>)| {
        let mut rows = Vec::new();
        query(&mut |hit| {
            assert_eq!(Some(hit.aabb), stored.aabb(hit.row as usize), "{what}");
            rows.push(hit.row);
            ControlFlow::Continue(())
        });
        rows.sort_unstable();
        rows
    };
    let found = rows(&|visit| assert!(world.query_aabb(window, visit).is_continue()));
    assert_eq!(found, rows_in_box(stored, window), "{what}: in {window}");
    let found = rows(&|visit| assert!(world.query_point(point, visit).unwrap().is_continue()));
    assert_eq!(found, rows_at_point(stored, point), "{what}: at {point:?}");
    for radius in [0.0, 2.5, 1e3] {
        if point.iter().all(|v| v.is_finite()) {
            let found = rows(&|visit| {
                assert!(
                    world
                        .query_circle(point, radius, visit)
                        .unwrap()
                        .is_continue()
                );
            });
            let expected = rows_in_circle(stored, point, radius);
            assert_eq!(found, expected, "{what}: {radius} around {point:?}");
            for k in [1, 5] {
                let found: Vec<_> = world.nearest(point, k, radius).unwrap();
                let found: Vec<_> = found.iter().map(|near| near.hit.row).collect();
                let expected = throng_scenes::nearest(stored, point, k, radius);
                let expected: Vec<_> = expected.iter().map(|near| near.0).collect();
                assert_eq!(
                    found, expected,
                    "{what}: {k} nearest within {radius} of {point:?}"
                );
            }
        }
    }
}
