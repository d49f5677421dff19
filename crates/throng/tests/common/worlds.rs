//! Worlds with boxes of any size, moving or not, and what they should find.

use std::ops::ControlFlow;

use super::in_hand::check_in_hand;
use super::{
    Pair, Threads, assert_same_in_any_order, category, forget_history, nearest_of, ordered_pairs,
    ordered_pairs_and_predicted, sort_pairs,
};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig,
    OversizedStructure, Proxy, ProxyId, QueryError, QueryHit, SimdLevel, StripsConfig,
};
use throng_core::for_both;
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

/// Those that make a difference to a world with these oversized categories.
fn structures_of(oversized: &[BoxScene]) -> Vec<OversizedStructure> {
    let mut all = structures().to_vec();
    if oversized.is_empty() {
        all.truncate(1);
    }
    all
}

/// A world of uniform categories, exact unless their scene has no sizes, behind them oversized ones, then scenery.
pub struct World {
    pub world: Broadphase,
    pub uniform: Vec<Scene>,
    /// The boxes as the world stores them: those that move, then scenery.
    pub boxes: Vec<BoxScene>,
    /// How many of the boxes' categories move.
    moving: usize,
    /// How much larger boxes count when pairs are predicted.
    margins: Vec<f32>,
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
        let none = vec![0.0; uniform.len() + oversized.len()];
        Self::with_margins(uniform, oversized, scenery, structure, simd, none)
    }

    /// The same where each category of things that move has a margin.
    fn with_margins(
        uniform: &[Scene],
        oversized: &[BoxScene],
        scenery: &[BoxScene],
        structure: OversizedStructure,
        simd: SimdLevel,
        margins: Vec<f32>,
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
        for (category, &margin) in config.categories.iter_mut().zip(&margins) {
            category.margin = margin;
        }
        for index in 0..scenery.len() {
            config = config.category(CategoryConfig::scenery(format!("scenery {index}")));
        }
        let mut world = Self {
            world: Broadphase::new(config).unwrap(),
            uniform: uniform.to_vec(),
            boxes: [oversized, scenery].concat(),
            moving: oversized.len(),
            margins,
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

    /// The boxes of every category as the world stores them.
    fn all_boxes(&self) -> Vec<BoxScene> {
        let uniform = self.uniform.iter().map(BoxScene::from);
        uniform.chain(self.boxes.iter().cloned()).collect()
    }

    /// Every pair of everything, but of scenery with scenery.
    pub fn true_pairs(&self) -> Vec<Pair> {
        self.pairs_of(&self.all_boxes())
    }

    /// The same of other boxes, one for each there is.
    fn pairs_of(&self, all: &[BoxScene]) -> Vec<Pair> {
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
        sort_pairs(&mut pairs);
        pairs
    }

    /// How far a row is said to move: half of them not at all, most of the others by a part of their size, and some by a multiple
    /// of it.
    fn velocity_of(ahead: Ahead, aabb: &Aabb, category: usize, row: usize) -> [f32; 2] {
        let dice = (row * 31 + category * 17) % 24;
        let (size, along) = (aabb.half_extents(), (dice % 3) as f32 - 1.0);
        for_both(|axis| {
            let size = if size[axis] < 1e30 { size[axis] } else { 2.0 };
            let sign = [along, 1.0 - along][axis];
            if ahead == Ahead::MostSlowly {
                let is_fast = (row * 31 + category) % 61 == 7;
                return if is_fast { 9.0 } else { 0.2 } * size * sign;
            }
            match dice {
                0 => 9.0 * size * sign,
                1..12 => 0.5 * size * sign,
                _ => 0.0,
            }
        })
    }

    /// Gives what moves, or half of it, a velocity, in addition to any margins.
    fn look_ahead(&mut self, ahead: Ahead) {
        for (category, scene) in self.all_boxes().iter().enumerate() {
            if category < self.uniform.len() + self.moving {
                for (row, &id) in self.ids[category].iter().enumerate() {
                    let aabb = scene.aabb(row).expect("only boxes come in");
                    let velocity = Self::velocity_of(ahead, &aabb, category, row);
                    self.world.set_velocity(id, velocity).unwrap();
                }
            }
        }
    }

    /// Every pair of boxes that do not overlap, but do along their ways and with their margins.
    pub fn true_predicted_pairs(&self, overlapping: &[Pair]) -> Vec<Pair> {
        let mut swept = self.all_boxes();
        for (category, scene) in swept.iter_mut().enumerate() {
            for row in (0..scene.len()).filter(|_| category < self.uniform.len() + self.moving) {
                let proxy = self.world.get(self.ids[category][row]).unwrap();
                let (velocity, margin) = (proxy.velocity, self.margins[category]);
                // On an axis with a side at infinity, the stored half extent is 0.
                let sides = for_both(|k| {
                    let half = proxy.half_extents[k];
                    let half = if half < f32::INFINITY { half } else { 0.0 };
                    let side = |at: f32, finite: f32| if at.is_finite() { finite } else { at };
                    [
                        side(proxy.aabb.min()[k], proxy.center[k] - (half + margin)),
                        side(proxy.aabb.max()[k], proxy.center[k] + (half + margin)),
                    ]
                });
                let min = for_both(|k| sides[k][0] + velocity[k].min(0.0));
                let max = for_both(|k| sides[k][1] + velocity[k].max(0.0));
                scene.set(row, Aabb::new(min, max).unwrap());
            }
        }
        let mut pairs = self.pairs_of(&swept);
        pairs.retain(|pair| overlapping.binary_search(pair).is_err());
        pairs
    }

    pub fn check(&mut self, expected: &[Pair], what: &str) -> Vec<Pair> {
        let ordered = ordered_pairs(&mut self.world, &Threads(1));
        assert_same_in_any_order(&ordered, expected, what);
        self.check_order(&ordered, what);
        ordered
    }

    /// The same pairs, in the same order, on any number of threads and in every form; the world is sound.
    fn check_order(&mut self, ordered: &[Pair], what: &str) {
        // In which order an index that was built some steps ago has its rows depends on those.
        forget_history(&mut self.world);
        let first = ordered_pairs(&mut self.world, &Threads(1));
        let mut expected = ordered.to_vec();
        sort_pairs(&mut expected);
        assert_same_in_any_order(&first, &expected, what);
        for threads in THREADS {
            forget_history(&mut self.world);
            let again = ordered_pairs(&mut self.world, &Threads(threads));
            assert!(again == first, "{what}: another order on {threads} threads");
        }
        check_in_hand(&mut self.world, ordered, what);
        self.world
            .validate()
            .unwrap_or_else(|broken| panic!("{what}: {broken}"));
    }
}

/// Half extents of the first row, as a measure of all.
fn size_of_first(scene: &BoxScene) -> f32 {
    let half = scene.aabb(0).map_or(0.0, |aabb| aabb.half_extents()[0]);
    if half < 1e30 { half } else { 1.0 }
}

/// The runner for pairs that overlap, and for those that are predicted: every structure by every instruction set.
pub fn check(uniform: &[Scene], oversized: &[BoxScene], scenery: &[BoxScene]) {
    check_overlapping(uniform, oversized, scenery);
    for ahead in [Ahead::Some, Ahead::AllByMargins, Ahead::MostSlowly] {
        check_predicted(ahead, uniform, oversized, scenery);
    }
}

/// Who looks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ahead {
    /// Half of what moves, where it goes, and every other category by a margin.
    Some,
    /// All that moves, by margins.
    AllByMargins,
    /// All that moves, by a velocity that is small but for a few, and every other category by a margin, too.
    MostSlowly,
}

/// Pairs that overlap are the same where others are predicted, in the same order; and those are found as well.
fn check_predicted(ahead: Ahead, uniform: &[Scene], oversized: &[BoxScene], scenery: &[BoxScene]) {
    let moving = uniform
        .iter()
        .map(BoxScene::from)
        .chain(oversized.iter().cloned());
    let margins = (0..).zip(moving).map(|(category, scene)| {
        if ahead != Ahead::AllByMargins && category % 2 == 0 {
            0.0
        } else {
            size_of_first(&scene) / 8.0
        }
    });
    let margins: Vec<f32> = margins.collect();
    let mut expected: Option<[Vec<Pair>; 2]> = None;
    for structure in structures_of(oversized) {
        let mut first: Option<[Vec<Pair>; 2]> = None;
        for &level in SimdLevel::available() {
            let mut world = World::new(uniform, oversized, scenery, structure, level);
            let without = ordered_pairs(&mut world.world, &Threads(1));
            let margins = margins.clone();
            let mut world =
                World::with_margins(uniform, oversized, scenery, structure, level, margins);
            if ahead != Ahead::AllByMargins {
                world.look_ahead(ahead);
            }
            let name = name_of(oversized, scenery);
            let what = format!("{ahead:?} ahead, {name}, {structure:?}, {level}");
            let [overlapping, predicted] = expected.get_or_insert_with(|| {
                let overlapping = world.true_pairs();
                let predicted = world.true_predicted_pairs(&overlapping);
                [overlapping, predicted]
            });
            let ordered = ordered_pairs_and_predicted(&mut world.world, &Threads(1));
            assert!(ordered[0] == without, "{what}: another order than without");
            if first.is_none() {
                for (found, expected) in ordered.iter().zip([overlapping, predicted]) {
                    assert_same_in_any_order(found, expected, &what);
                }
            }
            for threads in [2, 8] {
                let again = ordered_pairs_and_predicted(&mut world.world, &Threads(threads));
                assert!(
                    again == ordered,
                    "{what}: another order on {threads} threads"
                );
            }
            let first = first.get_or_insert_with(|| ordered.clone());
            assert!(
                *first == ordered,
                "{what}: another order than with other instructions"
            );
        }
    }
}

fn check_overlapping(uniform: &[Scene], oversized: &[BoxScene], scenery: &[BoxScene]) {
    let mut expected: Option<Vec<Pair>> = None;
    for structure in structures_of(oversized) {
        let mut first: Option<Vec<Pair>> = None;
        for &level in SimdLevel::available() {
            let mut world = World::new(uniform, oversized, scenery, structure, level);
            let expected = expected.get_or_insert_with(|| world.true_pairs());
            let what = format!("{}, {structure:?}, {level}", name_of(oversized, scenery));
            // What comes in an order that has been compared need not be sorted to be compared again.
            match &first {
                None => first = Some(world.check(expected, &what)),
                Some(first) => world.check_order(first, &what),
            }
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
