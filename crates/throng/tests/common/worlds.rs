//! Worlds with boxes of any size, moving or not, and what they should find.

use std::ops::ControlFlow;

use super::in_hand::check_in_hand;
use super::{Pair, Threads, assert_same_pairs, category, nearest_of, ordered_pairs};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig,
    OversizedStructure, Proxy, ProxyId, QueryError, QueryHit, SimdLevel, StripsConfig,
};
use throng_scenes::{
    BoxScene, Scene, overlapping_pairs, overlapping_pairs_between, rows_at_point, rows_in_box,
    rows_in_circle,
};

const THREADS: [usize; 4] = [1, 2, 3, 8];

pub fn structures() -> [OversizedStructure; 3] {
    [
        StripsConfig::new().into(),
        DoubleGridConfig::new().into(),
        LooseQuadtreeConfig::new().split_above(16).into(),
    ]
}

/// A world of uniform categories, exact unless their scene has no sizes, behind them oversized ones, then scenery.
pub struct World {
    pub world: Broadphase,
    pub uniform: Vec<Scene>,
    /// The boxes as the world stores them: those that move, then scenery.
    pub boxes: Vec<BoxScene>,
    /// How many of the boxes' categories move.
    moving: usize,
    pub ids: Vec<Vec<ProxyId>>,
}

impl World {
    pub fn new(
        uniform: &[Scene],
        oversized: &[BoxScene],
        scenery: &[BoxScene],
        structure: OversizedStructure,
        simd: SimdLevel,
    ) -> Self {
        let mut config = BroadphaseConfig::new().simd(simd);
        for (index, scene) in uniform.iter().enumerate() {
            let mut part =
                CategoryConfig::uniform(format!("uniform {index}"), 0.0).half_extents(scene.half);
            if scene.half_extents.is_none() {
                part = part.coarse();
            }
            config = config.category(part);
        }
        for index in 0..oversized.len() {
            let part = CategoryConfig::oversized(format!("oversized {index}")).structure(structure);
            config = config.category(part);
        }
        for index in 0..scenery.len() {
            config = config.category(CategoryConfig::scenery(format!("scenery {index}")));
        }
        let mut world = Self {
            world: Broadphase::new(config).unwrap(),
            uniform: uniform.to_vec(),
            boxes: [oversized, scenery].concat(),
            moving: oversized.len(),
            ids: Vec::new(),
        };
        for (index, scene) in uniform.iter().enumerate() {
            let proxies = (0..scene.len()).map(|row| {
                let place = [scene.xs[row], scene.ys[row]];
                let proxy = Proxy::centered(place, scene.half_extents_of(row)).unwrap();
                proxy
                    .in_category(category(index))
                    .masks(super::wide(scene.masks_of(row)))
            });
            world.insert(proxies.collect());
        }
        for (index, scene) in oversized.iter().chain(scenery).enumerate() {
            let proxies = (0..scene.len()).map(|row| {
                let aabb = scene.aabb(row).expect("only boxes come in");
                let proxy = Proxy::moving(aabb).in_category(category(uniform.len() + index));
                proxy.masks(super::wide(scene.masks_of(row)))
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
    pub fn read_back(&mut self) {
        for (index, scene) in self.boxes.iter_mut().enumerate() {
            for (row, &id) in self.ids[self.uniform.len() + index].iter().enumerate() {
                let stored = self.world.get(id).unwrap().aabb;
                let given = scene.aabb(row).unwrap();
                let kept = if index < self.moving {
                    stored.contains(&given)
                } else {
                    stored == given
                };
                assert!(kept, "{}: {given} as {stored}", scene.name);
                scene.set(row, stored);
            }
        }
    }

    /// Every pair of everything, but of scenery with scenery.
    pub fn true_pairs(&self) -> Vec<Pair> {
        let all: Vec<BoxScene> = self
            .uniform
            .iter()
            .map(BoxScene::from)
            .chain(self.boxes.iter().cloned())
            .collect();
        let first_fixed = self.uniform.len() + self.moving;
        let mut pairs = Vec::new();
        for (a, first) in all.iter().enumerate() {
            for (b, second) in all.iter().enumerate().skip(a) {
                if a >= first_fixed {
                    continue;
                }
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

    pub fn check(&mut self, expected: &[Pair], what: &str) -> Vec<Pair> {
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
        check_in_hand(&mut self.world, &ordered, what);
        self.world
            .validate()
            .unwrap_or_else(|broken| panic!("{what}: {broken}"));
        ordered
    }
}

/// The runner: every structure by every instruction set.
pub fn check(uniform: &[Scene], oversized: &[BoxScene], scenery: &[BoxScene]) {
    let mut expected: Option<Vec<Pair>> = None;
    for structure in structures() {
        let mut first: Option<Vec<Pair>> = None;
        for &level in SimdLevel::available() {
            let mut world = World::new(uniform, oversized, scenery, structure, level);
            let expected = expected.get_or_insert_with(|| world.true_pairs());
            let what = format!("{}, {structure:?}, {level}", name_of(oversized, scenery));
            let ordered = world.check(expected, &what);
            let first = first.get_or_insert_with(|| ordered.clone());
            assert!(
                *first == ordered,
                "{what}: another order than with other instructions"
            );
        }
    }
}

fn name_of(oversized: &[BoxScene], scenery: &[BoxScene]) -> String {
    let names = oversized.iter().chain(scenery).map(|scene| &*scene.name);
    names.collect::<Vec<_>>().join(" and ")
}

pub fn check_queries(
    world: &Broadphase,
    stored: &BoxScene,
    window: &Aabb,
    point: [f32; 2],
    what: &str,
) {
    type Visit<'v> = &'v mut dyn FnMut(QueryHit) -> ControlFlow<()>;
    let rows = |query: &dyn Fn(Visit<'_>) -> Result<ControlFlow<()>, QueryError>| {
        let mut rows = Vec::new();
        let end = query(&mut |hit| {
            assert_eq!(Some(hit.aabb), stored.aabb(hit.row as usize), "{what}");
            rows.push(hit.row);
            ControlFlow::Continue(())
        });
        assert!(end.unwrap().is_continue());
        rows.sort_unstable();
        rows
    };
    let queries = world.query();
    let found = rows(&|visit| queries.query_aabb(window, visit));
    assert_eq!(found, rows_in_box(stored, window), "{what}: in {window}");
    let found = rows(&|visit| queries.query_point(point, visit));
    assert_eq!(found, rows_at_point(stored, point), "{what}: at {point:?}");
    for radius in [0.0, 2.5, 1e3] {
        if point.iter().all(|v| v.is_finite()) {
            let found = rows(&|visit| queries.query_circle(point, radius, visit));
            let expected = rows_in_circle(stored, point, radius);
            assert_eq!(found, expected, "{what}: {radius} around {point:?}");
            for k in [1, 5] {
                let found = nearest_of(queries, point, k, radius).unwrap();
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
