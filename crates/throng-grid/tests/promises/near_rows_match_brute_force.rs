//! Near pairs and lists of neighbours: every scene and instruction set against the definition of nearness, each pair
//! once, in the same order everywhere.

use crate::common::{WAYS, Way, build, row_masks};
use throng_core::{Aabb, Arena, MaskWords, RowMasks, Scattered, Serial, SimdLevel};
use throng_grid::{Listing, Nearness, NeighborMarks, PointGrid};
use throng_scenes::{Scene, adversarial, masked, mixed_sizes, sorted, two_categories, uniform};

/// How near, and whether boxes are measured.
#[derive(Clone, Copy, Debug)]
struct How {
    distance: f32,
    of_boxes: bool,
}

impl How {
    fn nearness(self) -> Nearness {
        if self.of_boxes {
            Nearness::of_boxes(self.distance).unwrap()
        } else {
            Nearness::of_centers(self.distance).unwrap()
        }
    }

    /// What is measured of each row that is in the index.
    fn measured(self, scene: &Scene) -> Vec<Option<Aabb>> {
        let measured = |row: usize| {
            let aabb = scene.aabb(row)?;
            let center = [scene.xs[row], scene.ys[row]];
            Some(if self.of_boxes {
                aabb
            } else {
                Aabb::point(center).unwrap()
            })
        };
        (0..scene.len()).map(measured).collect()
    }
}

/// Near pairs by definition, with the bits of the square of their distance: of a row of `a` and one of `b`.
fn expected(a: &Scene, b: &Scene, how: How) -> Vec<([u32; 2], u32)> {
    let (first, second) = (how.measured(a), how.measured(b));
    let mut pairs = Vec::new();
    for (i, left) in first.iter().enumerate() {
        for (j, right) in second.iter().enumerate() {
            if let (Some(left), Some(right)) = (left, right)
                && left.is_within(right, how.distance)
                && a.masks_of(i).meets(b.masks_of(j))
            {
                let square = left.distance_squared_to(right).to_bits();
                pairs.push(([i as u32, j as u32], square));
            }
        }
    }
    pairs
}

/// Pairs by definition whose boxes do not overlap, but are no farther apart than a distance along either axis.
fn expected_apart(a: &Scene, b: &Scene, how: How) -> Vec<[u32; 2]> {
    let (first, second) = (how.measured(a), how.measured(b));
    let gap = |low: f32, high: f32, other_low: f32, other_high: f32| {
        (other_low - high).max(low - other_high).max(0.0)
    };
    let mut pairs = Vec::new();
    for (i, left) in first.iter().enumerate() {
        for (j, right) in second.iter().enumerate() {
            let (Some(left), Some(right)) = (left, right) else {
                continue;
            };
            let is_near = (0..2).all(|axis| {
                let ([low, high], [other_low, other_high]) = (
                    [left.min()[axis], left.max()[axis]],
                    [right.min()[axis], right.max()[axis]],
                );
                gap(low, high, other_low, other_high) <= how.distance
            });
            if is_near && !left.overlaps(right) && a.masks_of(i).meets(b.masks_of(j)) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

/// Distances at which something may go wrong, and those at which some rows are apart exactly.
fn distances(scene: &Scene) -> Vec<f32> {
    let half = scene.half[0].max(scene.half[1]);
    let rows = scene.len();
    let exact = (1..4).filter_map(|k| {
        let [i, j] = [rows * k / 5, rows * k / 4 % rows];
        let centers = [i, j].map(|row| [scene.xs[row], scene.ys[row]]);
        let points = centers.map(|center| Aabb::point(center).ok());
        Some(points[0]?.distance_squared_to(&points[1]?).sqrt())
    });
    [
        0.0,
        1e-40,
        0.4 * half,
        3.1 * half,
        40.0 * half,
        f32::MAX,
        f32::INFINITY,
    ]
    .into_iter()
    .chain(exact)
    .filter(|distance| *distance >= 0.0)
    .collect()
}

fn hows(scene: &Scene) -> Vec<How> {
    let both = |distance| [false, true].map(|of_boxes| How { distance, of_boxes });
    distances(scene).into_iter().flat_map(both).collect()
}

fn masks_of<'a>(scenes: [&'a Scene; 2]) -> [Option<RowMasks<'a>>; 2] {
    scenes.map(row_masks)
}

type Pairs = Vec<([u32; 2], u32)>;

fn near_pairs(grids: [&PointGrid; 2], scenes: [&Scene; 2], how: How) -> Pairs {
    let (near, masks, mut arena) = (how.nearness(), masks_of(scenes), Arena::new());
    let (mut found, mut counted) = (Vec::new(), 0);
    for chunk in 0..grids[0].near_chunks(grids[1]) {
        let mut visit = |pairs: &[[u32; 2]], squares: &[f32]| {
            assert!(!pairs.is_empty() && pairs.len() == squares.len());
            let squares = squares.iter().map(|square| square.to_bits());
            found.extend(pairs.iter().copied().zip(squares));
        };
        let stats = if std::ptr::eq(grids[0], grids[1]) {
            grids[0].near_pairs_in_chunk(near, chunk, masks[0], &mut arena, &mut visit)
        } else {
            grids[0].meet_near_in_chunk(grids[1], near, chunk, masks, &mut arena, &mut visit)
        };
        assert!(stats.candidates >= stats.pairs);
        counted += stats.pairs;
    }
    assert_eq!(counted, found.len() as u64);
    found
}

fn pairs_apart(grids: [&PointGrid; 2], scenes: [&Scene; 2], how: How) -> Vec<[u32; 2]> {
    let (distance, masks, mut arena) = (how.distance, masks_of(scenes), Arena::new());
    let (mut found, mut counted) = (Vec::new(), 0);
    for chunk in 0..grids[0].near_chunks(grids[1]) {
        let mut visit = |pairs: &[[u32; 2]], squares: &[f32]| {
            assert!(!pairs.is_empty() && squares.iter().all(|&square| square == 0.0));
            found.extend_from_slice(pairs);
        };
        let stats = if std::ptr::eq(grids[0], grids[1]) {
            grids[0].pairs_apart_in_chunk(distance, chunk, masks[0], &mut arena, &mut visit)
        } else {
            grids[0].meet_apart_in_chunk(grids[1], distance, chunk, masks, &mut arena, &mut visit)
        };
        assert!(stats.candidates >= stats.pairs);
        counted += stats.pairs;
    }
    assert_eq!(counted, found.len() as u64);
    found
}

/// Checks the pairs of boxes that are near each other and do not overlap: the same, in the same order, by all instruction sets.
fn check_apart(scenes: [&Scene; 2], grids: &[[&PointGrid; 2]], how: How, what: &str) {
    let is_own = std::ptr::eq(scenes[0], scenes[1]);
    let mut expected = expected_apart(scenes[0], scenes[1], how);
    expected.retain(|[a, b]| !is_own || a < b);
    let mut first: Option<Vec<[u32; 2]>> = None;
    for &grids in grids {
        let pairs = pairs_apart(grids, scenes, how);
        let mut in_order = pairs.clone();
        in_order.sort_unstable();
        assert!(in_order == expected, "{what}: apart");
        let first = first.get_or_insert_with(|| pairs.clone());
        assert!(*first == pairs, "{what}: apart, in another order");
    }
}

/// The lists of all rows, by row, from marks.
fn lists(grids: [&PointGrid; 2], scenes: [&Scene; 2], how: How, listing: Listing) -> Vec<Vec<u32>> {
    let (near, masks, mut arena) = (how.nearness(), masks_of(scenes), Arena::new());
    let mut marks = vec![NeighborMarks::default(); grids[0].chunks()];
    let (mut lens, mut owners) = (vec![None; scenes[0].len()], vec![0; scenes[0].len()]);
    for (chunk, marks) in marks.iter_mut().enumerate() {
        let stats = grids[0]
            .mark_neighbors_in_chunk(grids[1], near, chunk, masks, listing, &mut arena, marks);
        let mut marked = 0;
        for (row, len) in marks.lens() {
            let before = lens[row as usize].replace(len as usize);
            assert_eq!(before, None, "a row has one list");
            owners[row as usize] = chunk as u32;
            marked += u64::from(len);
        }
        assert_eq!(stats.pairs, marked);
        assert!(marks.used_bytes() <= marks.held_bytes());
    }
    let mut starts = vec![0];
    for len in lens {
        starts.push(starts[starts.len() - 1] + len.unwrap_or(0));
    }
    let mut rows = vec![u32::MAX; starts[starts.len() - 1]];
    let mut places = Scattered::new(&mut rows, &starts, &owners).expect("lists in order");
    for (marks, mut places) in marks.iter().zip(places.shares(marks.len() as u32)) {
        grids[0].write_neighbors(marks, &mut arena, &mut places);
    }
    let lists = starts
        .windows(2)
        .map(|list| rows[list[0]..list[1]].to_vec());
    lists.inspect(|list| assert!(list.is_sorted())).collect()
}

/// The lists of all rows, by row, as visited. Offsets are those of centres.
fn visits(grids: [&PointGrid; 2], scenes: [&Scene; 2], how: How) -> Vec<Vec<u32>> {
    let (near, masks, mut arena) = (how.nearness(), masks_of(scenes), Arena::new());
    let (mut marks, mut lists) = (NeighborMarks::default(), vec![None; scenes[0].len()]);
    for chunk in 0..grids[0].chunks() {
        let mut listed = 0;
        let mut visit = |batch: throng_grid::ListBatch<'_>| {
            for (row, list) in batch.ranges() {
                listed += list.len() as u64;
                let rows = batch.neighbors[list.clone()].to_vec();
                for (at, &other) in list.zip(&rows) {
                    let (row, other) = (row as usize, other as usize);
                    let dx = scenes[1].xs[other] - scenes[0].xs[row];
                    let dy = scenes[1].ys[other] - scenes[0].ys[row];
                    let offset = [batch.offsets[0][at], batch.offsets[1][at]];
                    for (held, expected) in offset.into_iter().zip([dx, dy]) {
                        assert_eq!(held.to_bits(), expected.to_bits());
                    }
                }
                let before = lists[row as usize].replace(rows);
                assert_eq!(before, None, "a row has one list");
            }
        };
        let stats = grids[0].visit_neighbors_in_chunk(
            grids[1], near, chunk, masks, &mut arena, &mut marks, &mut visit,
        );
        assert_eq!(stats.pairs, listed);
    }
    lists.into_iter().map(Option::unwrap_or_default).collect()
}

fn lists_of(scene: &Scene, pairs: &Pairs, counted: impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); scene.len()];
    for &([a, b], _) in pairs {
        if counted(a, b) {
            lists[a as usize].push(b);
        }
    }
    lists
}

fn by_all_ways(hows: impl IntoIterator<Item = How>) -> impl Iterator<Item = (How, Way)> {
    hows.into_iter().flat_map(|how| WAYS.map(|way| (how, way)))
}

/// Within one grid.
fn check(scene: &Scene) {
    check_at(scene, hows(scene));
}

fn check_at(scene: &Scene, hows: impl IntoIterator<Item = How>) {
    for (how, way) in by_all_ways(hows) {
        let what = format!("{} ({way:?}): {how:?}", scene.name);
        let all = expected(scene, scene, how);
        let once: Pairs = all.iter().copied().filter(|([a, b], _)| a < b).collect();
        let mut first: Option<(Pairs, Vec<Vec<u32>>)> = None;
        let levels = SimdLevel::available().iter();
        let grids: Vec<_> = levels
            .map(|&level| way.grid(scene, level, &Serial))
            .collect();
        if how.of_boxes {
            let twice: Vec<_> = grids.iter().map(|grid| [grid; 2]).collect();
            check_apart([scene; 2], &twice, how, &what);
        }
        for (grid, level) in grids.iter().zip(SimdLevel::available()) {
            let pairs = near_pairs([grid; 2], [scene; 2], how);
            assert!(sorted(pairs.clone()) == once, "{what}, {level}");
            let of = |listing| lists([grid; 2], [scene; 2], how, listing);
            let later = lists_of(scene, &all, |a, b| a < b);
            assert!(of(Listing::Later) == later, "{what}, {level}: later");
            let others = lists_of(scene, &all, |a, b| a != b);
            assert!(of(Listing::Others) == others, "{what}, {level}: all");
            let unordered = visits([grid; 2], [scene; 2], how);
            let in_order: Vec<_> = unordered.iter().cloned().map(sorted).collect();
            assert!(in_order == others, "{what}, {level}: offsets");
            match &first {
                None => first = Some((pairs, unordered)),
                Some(first) => assert!(
                    (&first.0, &first.1) == (&pairs, &unordered),
                    "{what}: {level} has another order"
                ),
            }
        }
    }
}

/// Between two grids, both ways round.
fn check_between(a: &Scene, b: &Scene) {
    // An odd step, so that centres and boxes take turns.
    check_between_at(a, b, hows(a).into_iter().step_by(3));
}

fn check_between_at(a: &Scene, b: &Scene, hows: impl IntoIterator<Item = How>) {
    for (how, way) in by_all_ways(hows) {
        let what = format!("{} and {} ({way:?}): {how:?}", a.name, b.name);
        let all = expected(a, b, how);
        let flipped = sorted(all.iter().map(|&([a, b], d)| ([b, a], d)).collect());
        let mut first: Option<Pairs> = None;
        let levels = SimdLevel::available().iter();
        let of_both = |level| [a, b].map(|scene| way.grid(scene, level, &Serial));
        let all_grids: Vec<_> = levels.map(|&level| of_both(level)).collect();
        if how.of_boxes {
            let there: Vec<_> = all_grids.iter().map(|[a, b]| [a, b]).collect();
            check_apart([a, b], &there, how, &what);
            let back: Vec<_> = all_grids.iter().map(|[a, b]| [b, a]).collect();
            check_apart([b, a], &back, how, &what);
        }
        for (grids, level) in all_grids.iter().zip(SimdLevel::available()) {
            let (there, back) = ([&grids[0], &grids[1]], [&grids[1], &grids[0]]);
            let pairs = near_pairs(there, [a, b], how);
            assert!(sorted(pairs.clone()) == all, "{what}, {level}");
            let found = sorted(near_pairs(back, [b, a], how));
            assert!(found == flipped, "{what}, {level}, the other way");
            for listing in [Listing::Others, Listing::Later] {
                let found = lists(there, [a, b], how, listing);
                assert!(found == lists_of(a, &all, |_, _| true), "{what}, {level}");
            }
            let visited = visits(there, [a, b], how).into_iter().map(sorted);
            assert!(
                visited.eq(lists_of(a, &all, |_, _| true)),
                "{what}, {level}"
            );
            let first = first.get_or_insert_with(|| pairs.clone());
            assert!(*first == pairs, "{what}: {level} has another order");
        }
    }
}

#[test]
fn in_adversarial_scenes() {
    for scene in adversarial(150, 21) {
        check(&scene);
        if scene.half_extents.is_some() {
            check(&scene.coarse());
        }
    }
}

/// Many leaves; several pieces to a chunk, and several chunks.
#[test]
fn in_larger_scenes() {
    let scene = uniform(12_000, 0.5, 5);
    let half = scene.half[0];
    let grid = &build(&scene, SimdLevel::detect(), &Serial);
    assert!(grid.chunks() > 1);
    for distance in [half, 9.0 * half] {
        let how = How {
            distance,
            of_boxes: false,
        };
        let all = expected(&scene, &scene, how);
        let once: Pairs = all.iter().copied().filter(|([a, b], _)| a < b).collect();
        assert!(!once.is_empty());
        let found = near_pairs([grid; 2], [&scene; 2], how);
        assert!(sorted(found) == once, "{how:?}");
        let found = lists([grid; 2], [&scene; 2], how, Listing::Others);
        assert!(found == lists_of(&scene, &all, |a, b| a != b), "{how:?}");
    }
}

/// Lists far longer than batches have room for, and longer than those that are sorted by counting.
#[test]
fn lists_of_everything() {
    let mut scene = uniform(5000, 4.0, 7);
    // Rows that are in order, and rows that are not.
    scene.xs.reverse();
    let how = How {
        distance: f32::MAX,
        of_boxes: false,
    };
    let grid = &build(&scene, SimdLevel::detect(), &Serial);
    let later = lists([grid; 2], [&scene; 2], how, Listing::Later);
    let others = lists([grid; 2], [&scene; 2], how, Listing::Others);
    let visited = visits([grid; 2], [&scene; 2], how).into_iter().map(sorted);
    for (row, ((later, others), visited)) in (0..).zip(later.iter().zip(others).zip(visited)) {
        assert!(later.iter().copied().eq(row + 1..5000));
        assert!(
            others
                .iter()
                .copied()
                .eq((0..5000).filter(|&other| other != row))
        );
        assert!(visited == others);
    }
}

#[test]
fn where_masks_differ() {
    let masked = masked(180, 3);
    check(&masked);
    check(&masked.coarse());
    let mut loners = uniform(200, 4.0, 9);
    loners.masks = Some(vec![MaskWords::NONE; loners.len()]);
    check(&loners);
    check_between(&masked, &uniform(150, 2.0, 4));
    check_between(&uniform(700, 3.0, 4), &masked);
}

#[test]
fn between_grids() {
    let armies = two_categories(200, 2);
    let infantry = &armies[0];
    check_between(infantry, &armies[1]);
    check_between(&mixed_sizes(120, 1), &infantry.coarse());
    let scenes = adversarial(90, 4);
    for (index, scene) in scenes.iter().enumerate() {
        check_between(scene, &scenes[(index + 5) % scenes.len()]);
    }
}

/// Rows without sizes of their own have those of their grid's bound, and each grid its own reach and its own columns.
#[test]
fn between_grids_of_different_bounds() {
    let (small, other) = (uniform(400, 1.0, 6), uniform(700, 1.0, 8));
    let bound = small.half[0];
    let width = |scene: &Scene| scene.xs.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    // Both fill the same area.
    let scale = width(&small) / width(&other);
    for wider in [6.0, 0.1] {
        let centers = other.xs.iter().zip(&other.ys);
        let centers = centers.map(|(x, y)| [x * scale, y * scale]);
        let half = [wider * bound, 0.7 * wider * bound];
        let other = Scene::new(format!("{wider} times as wide"), half, centers);
        let both = |distance| [false, true].map(|of_boxes| How { distance, of_boxes });
        let hows = [0.0, 0.3 * bound, 2.3 * bound, 11.0 * bound].map(both);
        check_between_at(&small, &other, hows.into_iter().flatten());
        check_between_at(&other, &small, hows.into_iter().flatten());
    }
}

/// Where floats are whole numbers, the sides of a box are rounded outwards, by more than distances grow when they are
/// halved and rounded.
#[test]
fn boxes_whose_sides_are_rounded_apart() {
    let far = (1 << 23) as f32;
    let hows = [0.0, 1.0, 2.0, 3.0].map(|distance| How {
        distance,
        of_boxes: true,
    });
    for sign in [-1.0, 1.0] {
        for apart in 1..6 {
            let place = |k: i32| sign * (far + (apart * k) as f32);
            let column = (0..150).map(|k| [place(k % 2), place(k)]);
            check_at(
                &Scene::new(format!("{apart} apart"), [0.6; 2], column),
                hows,
            );
        }
    }
}

#[test]
fn distances_that_are_none_are_refused() {
    for distance in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        assert!(Nearness::of_centers(distance).is_err());
        assert!(Nearness::of_boxes(distance).is_err());
    }
}
