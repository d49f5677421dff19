//! A forest answers as one tree of its boxes would, whatever has come, gone, moved or got another row.

use crate::common::{build, configs, rows_of};
use crate::scenes::scenes;
use crate::shapes_match_brute_force::{points, polygons};
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, PairOrder, RayCast, Serial, SimdLevel,
};
use throng_quadtree::{
    AlignedBytes, BoxChange, ForestError, PackedConfig, PackedError, PackedForest, PackedQuadtree,
    SharedBytes,
};
use throng_scenes::{
    BoxScene, log_uniform_boxes, nearest, overlapping_pairs_between, rows_at_point, rows_in_box,
    rows_in_circle, sorted, windows,
};

/// Numbers in no order, the same in every run (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}

/// A forest, and what should be in it: by row, who it is and its box.
struct Twin {
    forest: PackedForest,
    rows: Vec<(usize, Aabb)>,
    born: usize,
}

impl Twin {
    fn new(config: PackedConfig) -> Self {
        Self {
            forest: PackedForest::new(config).unwrap(),
            rows: Vec::new(),
            born: 0,
        }
    }

    fn push(&mut self, aabb: Aabb) {
        self.rows.push((self.born, aabb));
        self.born += 1;
    }

    /// Tells the forest how the rows differ from those before.
    fn catch_up(&mut self, before: &[(usize, Aabb)]) -> usize {
        let mut changes = Vec::new();
        for row in 0..before.len().max(self.rows.len()) {
            let (was, is) = (before.get(row), self.rows.get(row));
            match (was, is) {
                (Some(was), Some(is)) if was == is => {}
                (Some(was), Some(is)) if was.0 == is.0 => changes.push(BoxChange::Move {
                    row: row as u32,
                    from: was.1,
                    to: is.1,
                }),
                _ => {
                    if let Some(was) = was
                        && !self.rows.contains(was)
                    {
                        let (row, aabb) = (row as u32, was.1);
                        changes.push(BoxChange::Remove { row, aabb });
                    }
                    if let Some(is) = is {
                        let to = row as u32;
                        changes.push(match before.iter().position(|was| was == is) {
                            Some(row) => BoxChange::Rename {
                                row: row as u32,
                                aabb: is.1,
                                to,
                            },
                            None => BoxChange::Insert {
                                row: to,
                                aabb: is.1,
                            },
                        });
                    }
                }
            }
        }
        self.forest.apply(&changes, &Serial).unwrap()
    }

    fn scene(&self, name: &str) -> BoxScene {
        BoxScene::new(name, self.rows.iter().map(|&(_, aabb)| aabb))
    }

    fn check(&self, other: &BoxScene, what: &str) {
        let (forest, scene) = (&self.forest, self.scene(what));
        if let Err(broken) = forest.validate() {
            panic!("{what}: {broken}");
        }
        assert_eq!(
            (forest.len(), forest.is_empty()),
            (scene.len(), scene.is_empty())
        );
        let bounds = scene.bounds();
        assert!(bounds.is_none_or(|inner| forest.bounds().is_some_and(|all| all.contains(&inner))));
        for window in windows(&scene, 29) {
            let expected = rows_in_box(&scene, &window);
            assert_eq!(
                rows_of(|visit| forest.query_aabb(&window, visit)),
                expected,
                "{what}: {window}"
            );
            let arena = Arena::new();
            let mut run = BoxRun::with_capacity(&arena, 4, false);
            forest.gather(&window, &arena, &mut run);
            run.finish(None);
            assert_eq!(sorted(run.rows().to_vec()), expected, "{what}: {window}");
        }
        for point in points(&scene).into_iter().step_by(5) {
            let found = rows_of(|visit| forest.query_point(point, visit).unwrap());
            assert_eq!(found, rows_at_point(&scene, point), "{what}: {point:?}");
            for radius in [0.0, 3.0, f32::INFINITY] {
                let found = rows_of(|visit| forest.query_circle(point, radius, visit).unwrap());
                assert_eq!(
                    found,
                    rows_in_circle(&scene, point, radius),
                    "{what}: {point:?}"
                );
            }
            self.check_nearest(&scene, point);
            self.check_ray(&scene, point);
        }
        for polygon in polygons(&scene).into_iter().step_by(11) {
            let expected = (0..scene.len() as u32).filter(|&row| {
                scene
                    .aabb(row as usize)
                    .is_some_and(|aabb| polygon.touches(&aabb))
            });
            let found = rows_of(|visit| forest.query_polygon(&polygon, visit));
            assert!(found.iter().copied().eq(expected), "{what}: {polygon:?}");
        }
        self.check_meetings(&scene, other);
    }

    fn check_nearest(&self, scene: &BoxScene, point: [f32; 2]) {
        for (k, most) in [(3, f32::INFINITY), (2, 10.0)] {
            let mut found = Vec::new();
            let mut limit = most * most;
            let all = self.forest.query_nearest(point, limit, |near| {
                found.push((near.row, near.distance_squared));
                found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                found.truncate(k);
                if found.len() == k {
                    limit = limit.min(found[k - 1].1);
                }
                limit
            });
            all.unwrap();
            assert_eq!(
                found,
                nearest(scene, point, k, most),
                "{}: {point:?}",
                scene.name
            );
        }
    }

    fn check_ray(&self, scene: &BoxScene, from: [f32; 2]) {
        let Ok(ray) = RayCast::from_to(from, [from[1] + 7.0, from[0] - 40.0]) else {
            return;
        };
        let touched = |row: usize| ray.entry(&scene.aabb(row)?).map(|at| (row as u32, at));
        let expected: Vec<_> = (0..scene.len()).filter_map(touched).collect();
        let mut found = Vec::new();
        let every: ControlFlow<()> = self.forest.query_ray(&ray, |hit| {
            found.push((hit.row, hit.fraction));
            ControlFlow::Continue(())
        });
        assert!(every.is_continue());
        found.sort_by_key(|hit| hit.0);
        assert_eq!(found, expected, "{}: {ray:?}", scene.name);
        let mut first = 1.0_f32;
        self.forest.query_along(&ray, 1.0, |hit| {
            assert!(hit.fraction <= first);
            first = hit.fraction;
            first
        });
        let least = expected.iter().map(|hit| hit.1).reduce(f32::min);
        assert_eq!(first, least.unwrap_or(1.0));
    }

    /// Whichever of the two is walked.
    fn check_meetings(&self, scene: &BoxScene, other: &BoxScene) {
        let expected = overlapping_pairs_between(scene, other);
        let tree = build(other, PackedConfig::new(), &Serial);
        let mut found = Vec::new();
        self.forest
            .for_each_meeting(&tree, [None; 2], |a, b| found.push([a, b]));
        assert!(sorted(found) == expected, "{}", scene.name);
        let mut found = Vec::new();
        for chunk in 0..tree.meet_chunks(&self.forest) {
            let mut visit = |pairs: &[[u32; 2]]| found.extend_from_slice(pairs);
            let mut arena = Arena::new();
            tree.meet_in_chunk(
                &self.forest,
                chunk,
                [None; 2],
                PairOrder::Right,
                &mut arena,
                &mut visit,
            );
        }
        assert!(sorted(found) == expected, "{}", scene.name);
        let (arena, mut rows) = (Arena::new(), Vec::new());
        let mut piece = BoxRun::with_capacity(&arena, 4, false);
        for chunk in 0..self.forest.piece_chunks() {
            let every = self
                .forest
                .visit_pieces(chunk, &arena, &mut piece, &mut |piece| {
                    piece.finish(None);
                    rows.extend_from_slice(piece.rows());
                    ControlFlow::Continue(())
                });
            assert!(every.is_continue());
        }
        assert!(
            sorted(rows).into_iter().eq(0..scene.len() as u32),
            "{}",
            scene.name
        );
    }
}

/// Changes some rows: boxes of the stock come, some go, some move a little or far.
fn change(twin: &mut Twin, stock: &[Aabb], share: usize, numbers: &mut Numbers) {
    for _ in 0..=twin.rows.len() / share {
        let (any, aabb) = (
            numbers.below(twin.rows.len() + 1),
            stock[numbers.below(stock.len())],
        );
        match (numbers.below(4), any < twin.rows.len()) {
            (0, true) => drop(twin.rows.swap_remove(any)),
            (1, true) => twin.rows[any].1 = aabb,
            (2, true) => {
                let (min, max) = (twin.rows[any].1.min(), twin.rows[any].1.max());
                let lower = [min[0].min(max[0] - 0.1).next_down(), min[1]];
                twin.rows[any].1 = Aabb::new(lower, max).unwrap_or(aabb);
            }
            _ => twin.push(aabb),
        }
    }
}

#[test]
fn after_any_changes() {
    let mut numbers = Numbers(5);
    let others = log_uniform_boxes(40, [5.0, 200.0], 1.0, 71);
    for (index, scene) in scenes(500, 70).into_iter().enumerate() {
        let levels = SimdLevel::available();
        let config = configs()[index % 4].simd(levels[index % levels.len()]);
        let stock: Vec<_> = (0..scene.len()).filter_map(|row| scene.aabb(row)).collect();
        if stock.is_empty() {
            continue;
        }
        let mut twin = Twin::new(config);
        stock.iter().take(300).for_each(|&aabb| twin.push(aabb));
        twin.catch_up(&[]);
        for round in 0..6 {
            let before = twin.rows.clone();
            change(
                &mut twin,
                &stock,
                [50, 3, 1000, 1, 200, 2][round],
                &mut numbers,
            );
            twin.catch_up(&before);
            twin.check(&others, &format!("{}, round {round}", scene.name));
        }
        let before = std::mem::take(&mut twin.rows);
        twin.catch_up(&before);
        twin.check(&others, &format!("{}, all gone", scene.name));
        assert_eq!(twin.forest.trees(), 0);
    }
}

/// A tree of `rows` boxes a unit apart, from `x` on.
fn wall(rows: usize, x: f32) -> PackedQuadtree<SharedBytes> {
    let brick = |row: usize| Aabb::new([x + row as f32, 0.0], [x + row as f32 + 0.5, 1.0]).unwrap();
    let scene = BoxScene::new("wall", (0..rows).map(brick));
    build(&scene, PackedConfig::new(), &Serial).into_shared()
}

fn boxes_of(forest: &PackedForest) -> Vec<(u32, Aabb)> {
    let mut boxes = Vec::new();
    forest.for_each_box(|row, aabb| boxes.push((row, aabb)));
    boxes.sort_by_key(|&(row, _)| row);
    boxes
}

#[test]
fn trees_are_adopted_and_their_bytes_never_written_to() {
    let (first, second) = (wall(1000, 0.0), wall(700, 5000.0));
    let bytes = [&first, &second].map(|tree| tree.as_bytes().to_vec());
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    forest.adopt(&first, 0).unwrap();
    assert_eq!(
        forest.as_tree().unwrap().as_bytes().as_ptr(),
        first.as_bytes().as_ptr()
    );
    forest.adopt(&second, 1000).unwrap();
    assert!(forest.as_tree().is_none());
    let both = boxes_of(&forest);
    assert!((0..1700).eq(both.iter().map(|&(row, _)| row)));
    assert_eq!(both[1000].1.min(), [5000.0, 0.0]);
    let gone: Vec<_> = both
        .iter()
        .step_by(3)
        .map(|&(row, aabb)| BoxChange::Remove { row, aabb })
        .collect();
    assert_eq!(
        forest.apply(&gone, &Serial),
        Ok(0),
        "nothing has to be packed"
    );
    assert_eq!((forest.len(), forest.trees()), (1700 - gone.len(), 2));
    forest.validate().unwrap();
    assert_eq!(
        [&first, &second].map(|tree| tree.as_bytes().to_vec()),
        bytes
    );
    // Nor those of a tree that was handed out.
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    let laid: Vec<_> = both
        .iter()
        .map(|&(row, aabb)| BoxChange::Insert { row, aabb })
        .collect();
    forest.apply(&laid, &Serial).unwrap();
    let handed_out = forest.as_tree().unwrap();
    forest.apply(&gone, &Serial).unwrap();
    assert_eq!(handed_out.len(), 1700);
    let copy = AlignedBytes::from(handed_out.as_bytes());
    PackedQuadtree::from_bytes(copy).unwrap();
}

#[test]
fn boxes_that_come_in_any_order_are_packed_alike() {
    let tree = wall(300, 0.0);
    let mut boxes = Vec::new();
    tree.for_each_box(|row, aabb| boxes.push((row, aabb)));
    for shift in [0, 7, 150] {
        boxes.rotate_left(shift);
        let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
        let come = boxes
            .iter()
            .map(|&(row, aabb)| BoxChange::Insert { row, aabb });
        let come: Vec<_> = come.collect();
        forest.apply(&come, &Serial).unwrap();
        let packed = forest.as_tree().expect("one tree");
        assert_eq!(packed.as_bytes(), tree.as_bytes());
    }
    // Rows that begin elsewhere are not those of the tree.
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    forest.adopt(&tree, 5).unwrap();
    assert!(forest.as_tree().is_none());
    forest.validate().unwrap();
}

#[test]
fn little_is_packed_for_little_that_changes() {
    let mut twin = Twin::new(PackedConfig::new());
    let stock = log_uniform_boxes(20_000, [0.5, 5.0], 1.0, 72);
    (0..20_000).for_each(|row| twin.push(stock.aabb(row).unwrap()));
    assert_eq!(twin.catch_up(&[]), 20_000);
    let (mut packed, mut most) = (0, 0);
    for round in 0..2000 {
        let (row, aabb) = (20_000 + round, stock.aabb(round * 7919 % 20_000).unwrap());
        let change = BoxChange::Insert {
            row: row as u32,
            aabb,
        };
        packed += twin.forest.apply(&[change], &Serial).unwrap();
        most = most.max(twin.forest.trees());
    }
    // One tree of up to 256 is packed each time, and a few larger ones now and then.
    assert!(packed < 2000 * 150, "{packed}");
    assert!((2..=4).contains(&most), "{most}");
    let last = *twin.rows.last().unwrap();
    let (row, aabb) = (19_999, last.1);
    let renamed = BoxChange::Rename {
        row,
        aabb,
        to: 30_000,
    };
    assert_eq!(twin.forest.apply(&[renamed], &Serial), Ok(0));
    let (row, from) = (30_000, aabb);
    let [min, max] = [from.min(), from.max()];
    let to = Aabb::new([min[0].midpoint(max[0]), min[1]], max).unwrap();
    let shrunk = BoxChange::Move { row, from, to };
    assert_eq!(
        twin.forest.apply(&[shrunk], &Serial),
        Ok(0),
        "it stays in its leaf"
    );
    twin.forest.validate().unwrap();
}

#[test]
fn half_empty_trees_are_packed_again() {
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    forest.adopt(&wall(4000, 0.0), 0).unwrap();
    let leaves = forest.leaves();
    let boxes = boxes_of(&forest);
    let remove = |rows: std::ops::Range<usize>| -> Vec<_> {
        let gone = boxes[rows].iter();
        gone.map(|&(row, aabb)| BoxChange::Remove { row, aabb })
            .collect()
    };
    assert_eq!(forest.apply(&remove(0..2000), &Serial), Ok(0));
    assert_eq!(forest.leaves(), leaves);
    assert_eq!(forest.apply(&remove(2000..2001), &Serial), Ok(1999));
    assert_eq!(forest.leaves(), 1999_usize.div_ceil(16));
}

#[test]
fn what_is_not_there_is_an_error_and_changes_nothing() {
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    forest.adopt(&wall(100, 0.0), 0).unwrap();
    let before = boxes_of(&forest);
    let (row, aabb) = before[7];
    let wrong = BoxChange::Remove { row: 8, aabb };
    let changes = [BoxChange::Remove { row, aabb }, wrong];
    assert_eq!(
        forest.apply(&changes, &Serial),
        Err(ForestError::NoSuchBox { row: 8, aabb })
    );
    let error = forest.apply(&[wrong], &Serial).unwrap_err().to_string();
    assert!(
        error.contains("row 8") && error.contains(&aabb.to_string()),
        "{error}"
    );
    let too_high = BoxChange::Insert {
        row: u32::MAX,
        aabb,
    };
    let error = forest.apply(&[too_high], &Serial).unwrap_err();
    assert_eq!(error, PackedError::TooManyRows { given: 1 << 32 }.into());
    let too_high = BoxChange::Rename {
        row,
        aabb,
        to: 1 << 27,
    };
    let error = forest.apply(&[too_high], &Serial).unwrap_err();
    assert_eq!(
        error,
        PackedError::TooManyRows {
            given: (1 << 27) + 1
        }
        .into()
    );
    let error = forest.adopt(&wall(100, 0.0), (1 << 27) - 99).unwrap_err();
    assert_eq!(
        error,
        PackedError::TooManyRows {
            given: (1 << 27) + 1
        }
    );
    assert_eq!(boxes_of(&forest), before);
    assert!(
        forest
            .query_point([f32::NAN, 0.0], |_, _| ControlFlow::<()>::Continue(()))
            .is_err()
    );
    assert!(forest.query_nearest([0.0, f32::NAN], 1.0, |_| 0.0).is_err());
    assert!(
        forest
            .query_circle([0.0; 2], -1.0, |_, _| ControlFlow::<()>::Continue(()))
            .is_err()
    );
    forest.clear();
    assert_eq!((forest.len(), forest.bounds()), (0, None));
    assert!(PackedForest::new(PackedConfig::new().leaf_size(17)).is_err());
}

#[test]
fn many_changes_do_what_one_after_the_other_does() {
    let (first, second) = (wall(3000, 0.0), wall(2000, 1500.5));
    let forest = || {
        let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
        forest.adopt(&first, 0).unwrap();
        forest.adopt(&second, 3000).unwrap();
        forest
    };
    let (mut at_once, mut one_by_one) = (forest(), forest());
    let boxes = boxes_of(&at_once);
    // As when the second half of the first wall is taken out, and the last rows move up.
    let mut changes = Vec::new();
    for (&(row, aabb), &(to, gone)) in boxes[3500..].iter().zip(&boxes[1500..3000]) {
        changes.push(BoxChange::Rename { row, aabb, to });
        changes.push(BoxChange::Remove {
            row: to,
            aabb: gone,
        });
    }
    for change in &changes {
        assert_eq!(one_by_one.apply(&[*change], &Serial), Ok(0));
    }
    assert_eq!(at_once.apply(&changes, &Serial), Ok(0));
    let left = boxes_of(&at_once);
    assert_eq!(left, boxes_of(&one_by_one));
    assert!((0..3500).eq(left.iter().map(|&(row, _)| row)));
    assert_eq!(left[1500], (1500, boxes[3500].1));
    // One that is not there among many that are.
    let mut changes: Vec<_> = left
        .iter()
        .map(|&(row, aabb)| BoxChange::Remove { row, aabb })
        .collect();
    let (aabb, before) = (boxes[2000].1, left.clone());
    for row in [1700, 9_999] {
        changes[1700] = BoxChange::Remove { row, aabb };
        let error = at_once.apply(&changes, &Serial);
        assert_eq!(error, Err(ForestError::NoSuchBox { row, aabb }));
        assert_eq!(boxes_of(&at_once), before);
    }
}

#[test]
fn a_box_that_is_changed_twice_is_an_error_and_nothing_changes() {
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    forest.adopt(&wall(100, 0.0), 0).unwrap();
    let before = boxes_of(&forest);
    let (row, aabb) = before[7];
    let (other_row, other) = before[50];
    let gone = BoxChange::Remove { row, aabb };
    let to = 200;
    let renamed = BoxChange::Rename { row, aabb, to };
    let (from, to) = (aabb, other);
    let moved = BoxChange::Move { row, from, to };
    let between = BoxChange::Remove {
        row: other_row,
        aabb: other,
    };
    for twice in [[gone, gone], [renamed, gone], [moved, renamed]] {
        let [first, second] = twice;
        let error = forest.apply(&[first, between, second], &Serial);
        assert_eq!(error, Err(ForestError::ChangedTwice { row, aabb }));
        assert_eq!(boxes_of(&forest), before);
        forest.validate().unwrap();
    }
    let error = ForestError::ChangedTwice { row, aabb }.to_string();
    assert!(
        error.contains("row 7") && error.contains("twice"),
        "{error}"
    );
    // Two inserts may be equal.
    let come = BoxChange::Insert { row: 300, aabb };
    forest.apply(&[come, come, gone], &Serial).unwrap();
    assert_eq!(forest.len(), 101);
}

#[test]
fn rows_whose_numbers_are_too_high_are_refused() {
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    let row = u32::MAX;
    let aabb = Aabb::new([0.0; 2], [1.0; 2]).unwrap();
    assert!(
        forest
            .apply(&[BoxChange::Insert { row, aabb }], &Serial)
            .is_err()
    );
    assert!(forest.adopt(&wall(100, 0.0), u32::MAX - 10).is_err());
    assert!(forest.is_empty());
}

#[test]
fn two_boxes_of_one_row_are_told_apart() {
    let (brick, other) = (Aabb::new([0.0; 2], [1.0; 2]), Aabb::new([9.0; 2], [9.5; 2]));
    let (brick, other) = (brick.unwrap(), other.unwrap());
    for (rows, second) in [(1, brick), (1, other), (1000, brick), (1000, other)] {
        let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
        forest.adopt(&wall(rows, 50.0), 0).unwrap();
        let laid = [(5000, brick), (5001, second)];
        let laid = laid.map(|(row, aabb)| BoxChange::Insert { row, aabb });
        forest.apply(&laid, &Serial).unwrap();
        // For a while both have row 5000; then one goes, or gets another row.
        let to = 5000;
        let (row, aabb) = (5001, second);
        let renamed = BoxChange::Rename { row, aabb, to };
        forest.apply(&[renamed], &Serial).unwrap();
        let (row, aabb) = (5000, brick);
        let mut moved = forest.clone();
        let gone = BoxChange::Remove { row, aabb };
        forest.apply(&[gone], &Serial).unwrap();
        assert_eq!(boxes_of(&forest)[rows..], [(5000, second)]);
        let to = 5002;
        let away = BoxChange::Rename { row, aabb, to };
        moved.apply(&[away], &Serial).unwrap();
        let both = [(5000, second), (5002, brick)];
        assert_eq!(boxes_of(&moved)[rows..], both);
        moved.validate().unwrap();
    }
}

#[test]
fn the_smallest_of_many_trees_is_not_packed_alone() {
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    let mut rows = 0;
    for piece in 0..129 {
        let bricks = if piece == 60 { 10 } else { 300 };
        let tree = wall(bricks as usize, 400.0 * piece as f32);
        forest.adopt(&tree, rows).unwrap();
        rows += bricks;
    }
    assert_eq!(forest.trees(), 129);
    assert!(forest.apply(&[], &Serial).unwrap() > 10);
    assert!(forest.trees() <= 128, "{}", forest.trees());
    forest.validate().unwrap();
    assert_eq!(forest.len(), rows as usize);
}

#[test]
fn there_are_never_many_trees() {
    let mut forest = PackedForest::new(PackedConfig::new()).unwrap();
    let bricks = 20;
    for piece in 0..500 {
        let first = piece * bricks;
        forest
            .adopt(&wall(bricks as usize, 30.0 * piece as f32), first)
            .unwrap();
        forest.apply(&[], &Serial).unwrap();
        assert!(forest.trees() <= 128, "{}", forest.trees());
    }
    forest.validate().unwrap();
    let rows = boxes_of(&forest).into_iter().map(|(row, _)| row);
    assert!(rows.eq(0..500 * bricks));
}
