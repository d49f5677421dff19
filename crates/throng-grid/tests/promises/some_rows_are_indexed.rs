//! A grid of some rows has the pairs among these, with their own numbers, however it came to have them; and two such grids have all
//! pairs between them, and join into one.

use crate::common::{build, pairs, points_of, row_masks};
use fixedbitset::FixedBitSet;
use throng_core::{
    Arena, FewAmongMany, HeldBuffer, HeldPairs, PairOrder, Serial, Simd, SimdLevel, Spread,
};
use throng_grid::{
    GridConfig, GridError, MovedRow, PointGrid, Points, PointsAmongMany, RowClasses,
};
use throng_scenes::{Scene, Threads, adversarial, blobs, sorted, uniform};

#[test]
fn in_adversarial_scenes() {
    for scene in adversarial(1200, 1) {
        in_parts(&scene);
    }
}

#[test]
fn in_crowds() {
    for scene in [uniform(20_000, 1.0, 2), blobs(20_000, 1.0, 3)] {
        in_parts(&scene);
    }
}

/// The rows of some sets: a bunch and some who are scattered, every so many, nobody, everybody, the first half, and the bunch alone.
fn sets(scene: &Scene) -> [Vec<u32>; 7] {
    let rows = scene.len() as u32;
    let bunch = nearest(scene, rows as usize / 16);
    let is_in_bunch = |row: &u32| bunch.binary_search(row).is_ok();
    let some = (0..rows).filter(|row| row % 200 == 0 || is_in_bunch(row));
    [
        some.collect(),
        (0..rows).step_by(3).collect(),
        (0..rows).step_by(50).collect(),
        Vec::new(),
        (0..rows).collect(),
        (0..rows / 2).collect(),
        bunch,
    ]
}

/// The rows nearest to the first one, ascending.
fn nearest(scene: &Scene, count: usize) -> Vec<u32> {
    let distance = |row: u32| {
        let [x, y] = [&scene.xs, &scene.ys].map(|axis| axis[row as usize] - axis[0]);
        x.hypot(y)
    };
    let mut rows: Vec<u32> = (0..scene.len() as u32).collect();
    rows.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    rows.truncate(count);
    rows.sort_unstable();
    rows
}

/// The rows of a scene that are not among some, which ascend.
fn all_but(scene: &Scene, some: &[u32]) -> Vec<u32> {
    (0..scene.len() as u32)
        .filter(|row| some.binary_search(row).is_err())
        .collect()
}

/// A grid of some rows, and one of all others.
fn apart(scene: &Scene, some: &[u32]) -> [PointGrid; 2] {
    [some, &all_but(scene, some)].map(|rows| {
        let mut grid = PointGrid::new(GridConfig::new(scene.half)).unwrap();
        let built = grid.build_rows(points_of(scene), None, rows, &Serial);
        built.unwrap();
        grid
    })
}

fn in_parts(scene: &Scene) {
    let rows = scene.len() as u32;
    let classes: Vec<u16> = (0..rows).map(|row| 40 + (row * 7 % 30) as u16).collect();
    let classes = || RowClasses {
        of_rows: &classes,
        in_use: 39..70,
    };
    let points = points_of(scene);
    for &level in SimdLevel::available() {
        let all = sorted(pairs(&build(scene, level, &Serial), scene, &Serial));
        let new = || PointGrid::new(GridConfig::new(scene.half).simd(level)).unwrap();
        let [mut some, mut others, mut joined] = [new(), new(), new()];
        for (k, set) in sets(scene).iter().enumerate() {
            let rest = all_but(scene, set);
            let carried = (k % 2 == 0).then(classes);
            let built = some.build_rows(points, carried.clone(), set, &Threads(1 + k % 3));
            let built = built.unwrap();
            assert_eq!(built.rows + built.rejected, set.len(), "{}", scene.name);
            others.build_rows(points, carried, &rest, &Serial).unwrap();
            for grid in [&some, &others] {
                grid.validate()
                    .unwrap_or_else(|broken| panic!("{}: {broken}", scene.name));
            }
            let is_some = |row: u32| set.binary_search(&row).is_ok();
            let within = |both: bool| {
                let among = all
                    .iter()
                    .copied()
                    .filter(|&[a, b]| is_some(a) == both && is_some(b) == both);
                among.collect::<Vec<_>>()
            };
            assert!(
                sorted(pairs(&some, scene, &Serial)) == within(true),
                "{}, {k}",
                scene.name
            );
            assert!(
                sorted(pairs(&others, scene, &Serial)) == within(false),
                "{}, {k}",
                scene.name
            );
            let between = all
                .iter()
                .copied()
                .filter(|&[a, b]| is_some(a) != is_some(b));
            let between: Vec<_> = between.collect();
            for [a, b] in [[&some, &others], [&others, &some]] {
                assert!(sorted(met(a, b, scene)) == between, "{}, {k}", scene.name);
                assert!(sorted(asked(a, b, scene)) == between, "{}, {k}", scene.name);
                let [left, right] =
                    [PairOrder::Left, PairOrder::Right].map(|order| few_met(a, b, scene, order));
                let flipped: Vec<_> = right.iter().map(|&[b, a]| [a, b]).collect();
                assert!(left == flipped, "{}, {k}", scene.name);
                let left = left.into_iter().map(lower_row_first).collect();
                assert!(sorted(left) == between, "{}, {k}", scene.name);
            }
            let rejected = [some.rejected_rows(), others.rejected_rows()].concat();
            let unsound = |row: &u32| {
                let row = *row as usize;
                !(scene.xs[row].is_finite() && scene.ys[row].is_finite())
            };
            assert!((0..rows).filter(unsound).all(|row| rejected.contains(&row)));

            joined
                .build_from_grids([&some, &others], &Threads(1 + k % 2))
                .unwrap();
            joined.validate().unwrap();
            assert_eq!(joined.len(), some.len() + others.len());
            assert!(
                sorted(pairs(&joined, scene, &Serial)) == all,
                "{}, {k}",
                scene.name
            );
            if !some.is_empty() {
                let twice = joined.build_from_grids([&some, &some], &Serial);
                assert!(matches!(twice, Err(GridError::InBoth { .. })), "{twice:?}");
                assert!(
                    sorted(pairs(&joined, scene, &Serial)) == all,
                    "it still holds the last"
                );
            }
        }
    }
}

/// The pairs of two grids of one crowd; with values, they are the same.
fn met(a: &PointGrid, b: &PointGrid, scene: &Scene) -> Vec<[u32; 2]> {
    let (mut pairs, mut with_values, mut arena) = (Vec::new(), Vec::new(), Arena::new());
    let masks = [row_masks(scene); 2];
    for chunk in 0..a.meet_chunks(b) {
        let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
        a.meet_in_chunk(b, chunk, masks, &mut arena, &mut visit);
        let mut held = HeldPairs::new(true);
        let mut visit = |batch: &mut HeldPairs| with_values.extend_from_slice(batch.pairs());
        let mut held = HeldBuffer::new(&mut held, &mut visit);
        a.meet_with_values_in_chunk(b, chunk, masks, &mut arena, &mut held);
    }
    assert!(pairs == with_values, "{}", scene.name);
    pairs.into_iter().map(lower_row_first).collect()
}

fn lower_row_first([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// The same pairs, where one grid asks the other at once.
fn asked(few: &PointGrid, many: &PointGrid, scene: &Scene) -> Vec<[u32; 2]> {
    let (mut pairs, mut arena) = (Vec::new(), Arena::new());
    let meeting = FewAmongMany {
        few,
        parts: FewAmongMany::parts(few, few.len()),
        many,
        spread: Spread::of_spacing(1.0),
        without_large: false,
        simd: Simd::new(Some(few.simd())).unwrap(),
        masks: [row_masks(scene); 2],
        order: PairOrder::Left,
    };
    for chunk in 0..meeting.parts * few.chunks() {
        let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
        let stats = meeting.meet_in_chunk(chunk, &mut arena, &mut visit);
        assert!(stats.pairs <= stats.candidates);
    }
    pairs.into_iter().map(lower_row_first).collect()
}

/// The same pairs, where one grid is walked, and each piece of it is joined or asks.
fn few_met(few: &PointGrid, many: &PointGrid, scene: &Scene, order: PairOrder) -> Vec<[u32; 2]> {
    let (mut pairs, mut arena) = (Vec::new(), Arena::new());
    let (meeting, masks) = (PointsAmongMany::new(few, many), [row_masks(scene); 2]);
    for chunk in 0..meeting.chunks() {
        let before = pairs.len();
        let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
        let stats = meeting.meet_in_chunk(chunk, masks, order, &mut arena, &mut visit);
        assert_eq!(stats.pairs as usize, pairs.len() - before);
        assert!(stats.pairs <= stats.candidates);
    }
    pairs
}

#[test]
fn a_bunch_among_many_is_joined_and_who_is_scattered_asks() {
    let scene = uniform(20_000, 1.0, 2);
    let [bunch, scattered] = [nearest(&scene, 500), (0..500).map(|row| row * 37).collect()];
    for (rows, asking) in [(&bunch, 0), (&scattered, 500)] {
        let [few, many] = apart(&scene, rows);
        let meeting = PointsAmongMany::new(&few, &many);
        assert!(!meeting.do_more_ask_than(asking));
        assert!(asking == 0 || meeting.do_more_ask_than(asking - 1));
    }
}

/// Two chunks of pieces, of which the second is short, so that the first has more rows than its parts would have if both were alike.
#[test]
fn chunks_of_few_are_shared_and_have_all_pairs() {
    let scene = uniform(20_000, 1.0, 2);
    let [few, many] = apart(&scene, &nearest(&scene, 2_600));
    assert_eq!(few.chunks(), 2);
    let found = few_met(&few, &many, &scene, PairOrder::Left);
    let found: Vec<_> = found.into_iter().map(lower_row_first).collect();
    assert!(sorted(found) == sorted(met(&few, &many, &scene)));

    let mut arena = Arena::new();
    let meeting = PointsAmongMany::new(&few, &many);
    let candidates = (0..meeting.chunks()).map(|chunk| {
        let visit = &mut |_: &[[u32; 2]]| {};
        let stats = meeting.meet_in_chunk(chunk, [None; 2], PairOrder::Left, &mut arena, visit);
        stats.candidates
    });
    let candidates: Vec<u64> = candidates.collect();
    let at_work = candidates.iter().filter(|&&candidates| candidates > 0);
    assert!(at_work.count() > 3, "{candidates:?}");
}

/// Rows come and go by mends, as often as there is room, and the grid is that of a build.
#[test]
fn rows_come_and_go_by_mends() {
    let scene = uniform(6000, 1.0, 7);
    let points = points_of(&scene);
    let mut is_in: Vec<bool> = (0..scene.len()).map(|row| row % 4 != 0).collect();
    let listed = |is_in: &[bool]| -> Vec<u32> {
        (0..is_in.len() as u32)
            .filter(|&row| is_in[row as usize])
            .collect()
    };
    let new = || PointGrid::new(GridConfig::new(scene.half)).unwrap();
    let (mut grid, mut fresh) = (new(), new());
    grid.build_rows(points, None, &listed(&is_in), &Serial)
        .unwrap();
    let mut absent = FixedBitSet::with_capacity(scene.len());
    let mut mended = 0;
    for round in 0..60 {
        let rows = (0..scene.len()).skip(round * 13 % 97).step_by(311);
        let moved: Vec<MovedRow> = rows
            .map(|row| {
                let was_in = std::mem::replace(&mut is_in[row], round % 3 == 0);
                absent.set(row, !is_in[row]);
                let from = was_in.then(|| [scene.xs[row], scene.ys[row]]);
                MovedRow {
                    row: row as u32,
                    from,
                }
            })
            .collect();
        let done = grid.mend(points.without(&absent), None, &moved).unwrap();
        mended += usize::from(done);
        if !done {
            grid.build_rows(points, None, &listed(&is_in), &Serial)
                .unwrap();
        }
        absent.clear();
        grid.validate().unwrap();
        fresh
            .build_rows(points, None, &listed(&is_in), &Serial)
            .unwrap();
        let of = |grid: &PointGrid| sorted(pairs(grid, &scene, &Serial));
        assert!(of(&grid) == of(&fresh), "{round}");
    }
    assert!(mended > 55, "{mended} of 60 rounds were mended");
}

/// Rows that are absent stay out, and what is wrong with rows is said.
#[test]
fn bad_rows_are_refused_and_absent_ones_left_out() {
    let scene = uniform(100, 1.0, 1);
    let points = points_of(&scene);
    let mut grid = PointGrid::new(GridConfig::new(scene.half)).unwrap();
    let mut absent = FixedBitSet::with_capacity(100);
    absent.insert(5);
    let built = grid.build_rows(points.without(&absent), None, &[3, 5, 8], &Serial);
    assert_eq!(built.unwrap().rows, 2);
    for (rows, said) in [
        (
            &[7, 7][..],
            "rows to build from must ascend, each given once, but 7 was given after 7",
        ),
        (
            &[9, 4],
            "rows to build from must ascend, each given once, but 4 was given after 9",
        ),
        (
            &[4, 100],
            "there is no row 100 to build from: the columns have 100 rows",
        ),
    ] {
        let refused = grid.build_rows(points, None, rows, &Serial).unwrap_err();
        assert_eq!(refused.to_string(), said);
        assert_eq!(grid.len(), 2, "it still holds the last build");
    }
    let short = Points::new(&scene.xs, &scene.ys[1..]);
    let refused = grid.build_rows(short, None, &[0], &Serial);
    assert!(matches!(refused, Err(GridError::Lengths { .. })));
    let classes = RowClasses {
        of_rows: &[0; 99],
        in_use: 0..1,
    };
    let refused = grid.build_rows(points, Some(classes), &[0], &Serial);
    assert!(matches!(
        refused,
        Err(GridError::Classes {
            rows: 100,
            classes: 99
        })
    ));
}
