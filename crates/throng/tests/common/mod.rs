//! What the tests share: worlds made of scenes, pairs in order, and an executor of its own.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod in_hand;
pub mod lasting;
pub mod worlds;

use std::fmt::Debug;

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CategoryKind, CollectPairs, Executor,
    Fill, Masks, NearestHit, PairList, PairMode, Proxy, Queries, QueryError, SimdLevel,
};
use throng_core::MaskWords;
use throng_scenes::{AsNumber, Scene, overlapping_pairs, overlapping_pairs_between};

/// Two categories and a row of each.
pub type Pair = ([CategoryId; 2], [u32; 2]);

/// An executor that a stranger might write: threads of its own, each taking every n-th task,
/// backwards.
pub struct Threads(pub usize);

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let run_share = |thread: usize| (thread..tasks).step_by(self.0).rev().for_each(task);
        std::thread::scope(|scope| {
            for thread in 1..self.0.min(tasks) {
                scope.spawn(move || run_share(thread));
            }
            run_share(0);
        });
    }
}

/// A world of one category per scene, each row where the scene has it, and keyed by its row.
pub fn world_of(scenes: &[Scene], pairs: PairMode, simd: Option<SimdLevel>) -> Broadphase {
    let mut config = BroadphaseConfig::new();
    config.simd = simd;
    for (index, scene) in scenes.iter().enumerate() {
        let mut category = CategoryConfig::uniform(format!("{index}"), 0.0)
            .coarse()
            .half_extents(scene.half);
        category.pairs = pairs;
        config = config.category(category);
    }
    let mut world = Broadphase::new(config).unwrap();
    for (index, scene) in scenes.iter().enumerate() {
        let proxies = (0..scene.len()).map(|row| {
            // At the origin first, because a box out at the limits of f32 has sides at infinity.
            let proxy = Proxy::centered([0.0; 2], scene.half_extents_of(row)).unwrap();
            proxy
                .in_category(category(index))
                .masks(wide(scene.masks_of(row)))
                .key(row as u64)
        });
        assert_eq!(world.insert_batch(proxies).refused, []);
    }
    move_to(&mut world, scenes);
    world
}

/// Writes the scenes' centres into the world's columns.
pub fn move_to(world: &mut Broadphase, scenes: &[Scene]) {
    for (index, scene) in scenes.iter().enumerate() {
        let fill = world
            .centers_mut(category(index))
            .unwrap()
            .fill_from(&scene.xs, &scene.ys);
        assert_eq!(fill, Ok(Fill::default()));
    }
}

pub fn category(index: usize) -> CategoryId {
    CategoryId::new(index as u16)
}

/// Masks of 64 groups that meet as a scene's words of 32 do.
pub fn wide(words: MaskWords) -> Masks {
    let wide = |word: u32| {
        if word == u32::MAX {
            u64::MAX
        } else {
            u64::from(word)
        }
    };
    Masks::new(wide(words.memberships), wide(words.filter))
}

/// All pairs of a step, in the order in which it gives them. None of them is predicted.
pub fn ordered_pairs(world: &mut Broadphase, executor: &dyn Executor) -> Vec<Pair> {
    let [pairs, predicted] = ordered_pairs_and_predicted(world, executor);
    assert_eq!(predicted, []);
    pairs
}

/// Makes the order of the pairs that the next step finds depend on rows alone, but for scenery's.
pub fn forget_history(world: &mut Broadphase) {
    let categories = world.config().categories.iter().zip(0..);
    let moves = |category: &CategoryConfig| category.kind != CategoryKind::Scenery;
    let moving = categories.filter(|(category, _)| moves(category));
    let moving: Vec<_> = moving.map(|(_, index)| CategoryId::new(index)).collect();
    for category in moving {
        world.forget_history(category).unwrap();
    }
}

/// The pairs of a step that overlap, and those that are predicted, each in the order in which it gives them.
pub fn ordered_pairs_and_predicted(
    world: &mut Broadphase,
    executor: &dyn Executor,
) -> [Vec<Pair>; 2] {
    let step = world.step_on(executor, &CollectPairs);
    let lists = || step.outputs().filter(|list| list.categories().is_some());
    assert!(lists().is_sorted_by_key(|list| list.is_predicted()));
    let pairs_of = |list: &PairList| {
        let categories = list.categories().unwrap();
        let pairs = list.pairs().iter();
        pairs.map(|&pair| (categories, pair)).collect::<Vec<Pair>>()
    };
    let pairs = [false, true].map(|predicted| {
        let lists = lists().filter(|list| list.is_predicted() == predicted);
        lists.flat_map(pairs_of).collect::<Vec<_>>()
    });
    let report = step.report();
    assert_eq!(
        [report.pairs, report.predicted_pairs],
        pairs.each_ref().map(|pairs| pairs.len() as u64)
    );
    pairs
}

/// All pairs that there are, by brute force, sorted.
pub fn true_pairs(scenes: &[Scene], pairs: PairMode) -> Vec<Pair> {
    let scenes: Vec<Scene> = match pairs {
        PairMode::Coarse => scenes.iter().map(Scene::coarse).collect(),
        _ => scenes.to_vec(),
    };
    let mut all = Vec::new();
    for (a, first) in scenes.iter().enumerate() {
        for (b, second) in scenes.iter().enumerate().skip(a) {
            let pairs = if a == b {
                overlapping_pairs(first)
            } else {
                overlapping_pairs_between(first, second)
            };
            all.extend(
                pairs
                    .into_iter()
                    .map(|pair| ([category(a), category(b)], pair)),
            );
        }
    }
    sort_pairs(&mut all);
    all
}

/// Ascending. Compared as one number, which is several times as fast.
pub fn sort_pairs(pairs: &mut [Pair]) {
    pairs.sort_unstable_by_key(|&([first, second], rows)| {
        let categories = (first.index() as u128) << 16 | second.index() as u128;
        categories << 64 | u128::from(rows.as_number())
    });
}

/// Pairs in some order against all that there are, sorted.
pub fn assert_same_in_any_order(ordered: &[Pair], expected: &[Pair], what: &str) {
    let mut found = ordered.to_vec();
    sort_pairs(&mut found);
    assert_same_pairs(&found, expected, what);
}

/// Fails with the first difference rather than with two long lists.
pub fn assert_same_pairs<P: Ord + Debug>(found: &[P], expected: &[P], what: &str) {
    if found != expected {
        let missing = expected
            .iter()
            .find(|pair| found.binary_search(pair).is_err());
        let wrong = found
            .iter()
            .find(|pair| expected.binary_search(pair).is_err());
        let twice = found.windows(2).find(|two| two[0] == two[1]);
        let (found, expected) = (found.len(), expected.len());
        panic!(
            "{what}: {found} pairs, not {expected}; missing {missing:?}, wrong {wrong:?}, twice {twice:?}"
        );
    }
}

/// Every pair of categories of a world, scenery with scenery too.
pub fn meetings(world: &Broadphase) -> Vec<[CategoryId; 2]> {
    let categories = || world.categories();
    categories()
        .flat_map(|a| categories().map(move |b| [a, b]))
        .filter(|[a, b]| a <= b)
        .collect()
}

/// The nearest to a point, in a vector of their own.
pub fn nearest_of(
    queries: Queries<'_>,
    point: [f32; 2],
    k: usize,
    max_distance: f32,
) -> Result<Vec<NearestHit>, QueryError> {
    let mut nearest = Vec::new();
    queries.find_nearest(point, k, max_distance, &mut nearest)?;
    Ok(nearest)
}
