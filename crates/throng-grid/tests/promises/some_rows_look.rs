//! Where some rows look for their pairs, each pair is found, and by a sweep only once: for any share of a crowd, spread evenly or
//! bunched.

use crate::common::{build, pairs, row_masks};
use throng_core::{Arena, BoxRun, PairOrder, Serial, SimdLevel};
use throng_grid::{PointGrid, SomeRows};
use throng_scenes::{BoxScene, Scene, Threads, adversarial, blobs, sorted, uniform};

/// Rows ask in chunks of so many.
const CHUNK: usize = 100;

#[test]
fn in_adversarial_scenes() {
    for scene in adversarial(1500, 1) {
        for_some(&scene, |_, _| {});
    }
}

#[test]
fn in_crowds() {
    for scene in [uniform(20_000, 1.0, 2), blobs(20_000, 1.0, 3)] {
        for_some(&scene, |_, _| {});
    }
}

/// A crowd on one spot is a leaf of several pieces.
#[test]
fn on_one_spot() {
    let crowd = uniform(3000, 1.0, 5);
    let spot = (0..2500).map(|k| [1e-3 * (k % 50) as f32, 0.0]);
    let others = (0..crowd.len()).map(|row| [crowd.xs[row], crowd.ys[row]]);
    let scene = Scene::new("a spot", crowd.half, spot.chain(others));
    for_some(&scene, |_, _| {});
}

/// Leaves are swept only where rows are dense enough to pay for the leaves that look ahead at them, and most of those who are there
/// do not ask.
#[test]
fn where_they_are_dense_leaves_are_swept() {
    let scene = uniform(100_000, 1.0, 4);
    let mut seen = Vec::new();
    for_some(&scene, |name, plan| {
        seen.push((name, plan.swept_chunks() > 0, plan.asking().len()));
    });
    let rows = scene.len();
    for (name, is_swept, asking) in seen {
        let (swept, most) = match name {
            "nobody" => (false, 0),
            "one in nine of a leaf" => (false, rows / 100),
            "one in a hundred" => (false, rows / 100),
            "one in thirty" => (false, rows / 30 + 1),
            "one in five" | "all" => (true, 0),
            "a bunch" => (true, rows / 60),
            "a bunch and others" => (true, rows / 60 + rows / 50),
            other => panic!("{other}?"),
        };
        assert_eq!(is_swept, swept, "{name}");
        assert!(asking <= most, "{name}: {asking} rows ask");
    }
}

/// Looks for the pairs of several sets of rows, and compares; `look` is shown each plan.
fn for_some(scene: &Scene, mut look: impl FnMut(&'static str, &SomeRows)) {
    let boxes = BoxScene::from(scene);
    let indexed: Vec<u32> = (0..scene.len() as u32)
        .filter(|&row| boxes.aabb(row as usize).is_some())
        .collect();
    let from = |row: u32| {
        let [x, y] = [scene.xs[row as usize], scene.ys[row as usize]];
        let middle = indexed[indexed.len() / 2] as usize;
        (x - scene.xs[middle]).hypot(y - scene.ys[middle])
    };
    let mut by_distance = indexed.clone();
    by_distance.sort_by(|a, b| from(*a).total_cmp(&from(*b)));
    by_distance.truncate(scene.len() / 20);
    let every =
        |k: u32| -> Vec<u32> { indexed.iter().copied().filter(|row| row % k == 0).collect() };
    let grid = build(scene, SimdLevel::detect(), &Serial);
    let mut leaves = Vec::new();
    grid.visit_leaves(|leaf| leaves.push(leaf));
    let leaf = &leaves[leaves.len() / 2];
    let in_leaf = |&&row: &&u32| {
        let [x, y] = [scene.xs[row as usize], scene.ys[row as usize]];
        grid.strip_of(y) == leaf.strip && leaf.bounds.contains_point([x, y])
    };
    let sets = [
        (
            "one in nine of a leaf",
            indexed.iter().filter(in_leaf).step_by(9).copied().collect(),
        ),
        ("nobody", Vec::new()),
        ("one in a hundred", every(100)),
        ("one in thirty", every(30)),
        ("one in five", every(5)),
        ("all", every(1)),
        ("a bunch", by_distance.clone()),
        ("a bunch and others", [by_distance, every(60)].concat()),
    ];
    let mut plan = SomeRows::default();
    for &level in SimdLevel::available() {
        let grid = build(scene, level, &Threads(1 + scene.len() % 3));
        let all = pairs(&grid, scene, &Serial);
        for (name, rows) in &sets {
            let mut rows = sorted(rows.clone());
            rows.dedup();
            let given = rows.clone();
            grid.plan_some_rows(&mut rows, [&scene.xs, &scene.ys], &mut plan);
            assert!(sorted(rows) == given, "only their order changes");
            let mut looks = vec![false; scene.len()];
            given.iter().for_each(|&row| looks[row as usize] = true);
            let expected = all
                .iter()
                .copied()
                .filter(|pair| pair.iter().any(|&row| looks[row as usize]));
            let expected = sorted(expected.collect());
            let found = find(&grid, scene, &boxes, &looks, &plan);
            assert!(sorted(found) == expected, "{}, {name}: {level}", scene.name);
            look(name, &plan);
            grid.plan_rows_where(|_| true, &mut plan);
            grid.plan_rows_where(|row| looks[row as usize], &mut plan);
            assert!(plan.asking().is_empty() && plan.swept_rows() >= given.len());
            let found = find(&grid, scene, &boxes, &looks, &plan);
            assert!(
                sorted(found) == expected,
                "{}, many, {name}: {level}",
                scene.name
            );
            if *name == "a bunch" && scene.len() == 100_000 {
                assert!(
                    plan.swept_rows() < scene.len() / 2,
                    "the world around is not swept"
                );
            }
        }
    }
}

/// All pairs with somebody who looks, those found from both counted once.
fn find(
    grid: &PointGrid,
    scene: &Scene,
    boxes: &BoxScene,
    looks: &[bool],
    plan: &SomeRows,
) -> Vec<[u32; 2]> {
    let masks = row_masks(scene);
    let mut found = Vec::new();
    for chunk in 0..plan.swept_chunks() {
        let mut visit = |pairs: &[[u32; 2]]| {
            let looks = |pair: &&[u32; 2]| pair.iter().any(|&row| looks[row as usize]);
            found.extend(pairs.iter().filter(looks));
        };
        grid.pairs_in_swept_chunk(plan, chunk, masks, &mut Arena::new(), &mut visit);
    }
    for (chunk, rows) in plan.asking().chunks(CHUNK).enumerate() {
        let (arena, room) = (Arena::new(), Arena::new());
        let mut run = BoxRun::with_capacity(&arena, rows.len(), false);
        for &row in rows {
            let aabb = boxes.aabb(row as usize).expect("it is indexed");
            run.push([aabb.min(), aabb.max()], row);
        }
        let mut visit = |pairs: &[[u32; 2]]| {
            for &[row, asker] in pairs {
                if row > asker || (row < asker && !looks[row as usize]) {
                    found.push([row.min(asker), row.max(asker)]);
                }
            }
        };
        let first = chunk * CHUNK;
        let (masks, order) = ([masks; 2], PairOrder::Left);
        grid.ask_for_some(plan, first, &run, masks, order, &room, &mut visit);
    }
    found
}
