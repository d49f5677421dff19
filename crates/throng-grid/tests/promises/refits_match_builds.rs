//! A refit finds what a build finds, and is refused where it would not; whatever else is searched for in a refitted grid is
//! compared with brute force beside what is searched for in one that was built.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{build, pairs, pairs_with, points_of, rebuild, refitted};
use fixedbitset::FixedBitSet;
use throng_core::{MaskWords, RowMasks, Serial, SimdLevel};
use throng_grid::{GridConfig, GridError, PointGrid, Points, RowClasses};
use throng_scenes::{
    Failing, Scene, THREADS, Threads, mixed_sizes, overlapping_pairs, overlapping_pairs_sweep,
    sorted, step_motion, towns_in_a_wide_world, uniform,
};

/// An even number of threads: rows carry no classes.
const PLAIN: Threads = Threads(2);

/// Moves a scene for some frames, and brings a grid up to date in each; returns how many of these were refits.
fn follow(scene: &mut Scene, frames: u64, speed: f32) -> u64 {
    let mut grid = build(scene, SimdLevel::detect(), &PLAIN);
    let mut refits = 0;
    for frame in 0..frames {
        step_motion(scene, speed, frame);
        let refitted = grid.refit(points_of(scene), None, &Serial).unwrap();
        if !refitted {
            grid.build(points_of(scene), &Serial).unwrap();
        }
        assert_eq!(grid.validate(), Ok(()), "{} in frame {frame}", scene.name);
        let found = sorted(pairs(&grid, scene, &Serial));
        assert!(found == overlapping_pairs(scene), "{}", scene.name);
        refits += u64::from(refitted);
    }
    refits
}

/// Rows that go their ways are in another order from time to time; those that go nowhere never are.
#[test]
fn some_frames_are_refits_and_some_are_builds() {
    for scene in [
        uniform(2000, 1.0, 1),
        mixed_sizes(1500, 2),
        towns_in_a_wide_world(2000, 1e5, 3),
    ] {
        let refits = |speed: f32| follow(&mut scene.clone(), 24, speed);
        assert_eq!(refits(0.0), 24, "{}", scene.name);
        let [slow, fast] = [0.03, 0.3].map(refits);
        assert!((8..24).contains(&slow), "{}: {slow}", scene.name);
        assert!(fast < slow, "{}: {fast}", scene.name);
        assert!(refits(20.0) < 3, "{}: they go too far", scene.name);
    }
}

/// Many who are thrown across the world, and who is near the border of two strips, are found; and after it has been tried in vain,
/// builds follow in which it is not tried.
#[test]
fn many_rows_that_go_far_make_it_refuse() {
    let mut scene = uniform(3000, 1.0, 4);
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    let mut refused = 0;
    for frame in 0..100_u32 {
        for k in 0..10 {
            let far = (frame as usize * 37 + 290 * k) % scene.len();
            let other = (frame as usize * 101 + 170 * k) % scene.len();
            scene.xs.swap(far, other);
            scene.ys.swap(far, other);
        }
        if !grid.refit(points_of(&scene), None, &Serial).unwrap() {
            refused += 1;
            assert_eq!((grid.len(), grid.leaves(), grid.chunks()), (0, 0, 0));
            rebuild(&mut grid, &scene, &PLAIN);
        }
        let found = sorted(pairs(&grid, &scene, &Serial));
        assert!(found == overlapping_pairs(&scene), "in frame {frame}");
    }
    assert!(refused > 90, "{refused}");
    // As nobody is thrown any more, it is tried again before long.
    let again = (0..100).position(|_| {
        let refitted = grid.refit(points_of(&scene), None, &Serial).unwrap();
        if !refitted {
            rebuild(&mut grid, &scene, &PLAIN);
        }
        refitted
    });
    assert!(
        again.is_some_and(|frames| frames > 2 && frames < 70),
        "{again:?}"
    );
}

/// Everybody up or down by a little at a time: strips overlap more and more until it is refused.
#[test]
fn rows_may_leave_their_strips() {
    for direction in [[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]] {
        let scene = uniform(2500, 2.0, 5);
        let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
        let mut now = scene.clone();
        let mut refits = 0;
        for step in 1..200_u32 {
            for row in 0..now.len() {
                // Every other row stays.
                let far = step as f32 * 0.05 * (row % 2) as f32;
                now.xs[row] = scene.xs[row] + direction[0] * far * scene.half[0];
                now.ys[row] = scene.ys[row] + direction[1] * far * scene.half[1];
            }
            if !grid.refit(points_of(&now), None, &Serial).unwrap() {
                break;
            }
            refits += 1;
            assert_eq!(grid.validate(), Ok(()));
            let found = sorted(pairs(&grid, &now, &Serial));
            assert!(
                found == overlapping_pairs(&now),
                "{direction:?}, step {step}"
            );
        }
        assert!((3..100).contains(&refits), "{direction:?}: {refits}");
    }
}

/// A line so long that its strip has several leaves, which come to overlap, while rows of each stay in order.
#[test]
fn rows_may_go_from_leaf_to_leaf_along_a_strip() {
    let place = |k: u32| [k as f32 * 1.5, (k * 7 % 11) as f32 * 0.05];
    let home = Scene::new("a line", [0.5, 0.5], (0..20_000).map(place));
    let mut grid = build(&home, SimdLevel::detect(), &PLAIN);
    let mut leaves = Vec::new();
    grid.visit_leaves(|leaf| leaves.push(leaf));
    let ends = leaves.windows(2).filter(|two| two[0].strip == two[1].strip);
    let ends: Vec<f32> = ends
        .map(|two| (two[0].bounds.max()[0] + two[1].bounds.min()[0]) / 2.0)
        .collect();
    assert!(!ends.is_empty());
    let mut scene = home.clone();
    for far in [0.5, 1.0, 1.5, 1.0] {
        for (x, home) in scene.xs.iter_mut().zip(&home.xs) {
            // The nearer to an end, the farther across it.
            let across = |end: &f32| {
                (1.0 - (home - end).abs() / 10.0)
                    .max(0.0)
                    .copysign(end - home)
            };
            *x = home + far * ends.iter().map(across).sum::<f32>();
        }
        assert_eq!(grid.refit(points_of(&scene), None, &Serial), Ok(true));
        assert_eq!(grid.validate(), Ok(()), "{far}");
        let found = sorted(pairs(&grid, &scene, &Serial));
        assert!(found == overlapping_pairs_sweep(&scene), "{far}");
    }
}

/// Rows that pass each other all along a strip, also where one leaf ends and the next begins.
#[test]
fn rows_may_be_out_of_order_where_leaves_meet() {
    let place = |k: u32| [k as f32 * 0.2, (k * 7 % 11) as f32 * 0.05];
    let home = Scene::new("a dense line", [0.5, 0.5], (0..30_000).map(place));
    let mut grid = build(&home, SimdLevel::detect(), &PLAIN);
    assert!(grid.leaves() > 10, "{}", grid.leaves());
    let mut refits = 0;
    for round in 0..8 {
        let mut scene = home.clone();
        step_motion(&mut scene, 0.3, round);
        if !grid.refit(points_of(&scene), None, &Serial).unwrap() {
            rebuild(&mut grid, &home, &PLAIN);
            continue;
        }
        refits += 1;
        let found = sorted(pairs(&grid, &scene, &Serial));
        assert!(found == overlapping_pairs_sweep(&scene), "round {round}");
    }
    assert!(refits > 3, "{refits}");
}

/// One row that passes others in a thin wilderness must not make all of a town compare with half of it.
#[test]
fn one_that_is_fast_does_not_slow_all_down() {
    let mut scene = uniform(6000, 1.0, 11);
    let side = (6000.0_f32 * 8.0).sqrt() * scene.half[0];
    for row in 3000..6000 {
        scene.xs[row] *= 20.0;
        scene.ys[row] *= 20.0;
    }
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    let compared = |grid: &PointGrid| grid.for_each_pair(None, |_, _| {}).candidates;
    let at_first = compared(&grid);
    for frame in 0..30 {
        scene.xs[4000] -= 0.4 * side;
        if !grid.refit(points_of(&scene), None, &Serial).unwrap() {
            rebuild(&mut grid, &scene, &PLAIN);
        }
        let now = compared(&grid);
        assert!(
            now < 2 * at_first,
            "frame {frame}: {now} instead of {at_first}"
        );
    }
}

/// Rows may be many only if they are in the order of space.
#[test]
fn many_rows_in_no_order_are_built() {
    let mut scene = uniform(140_000, 1.0, 6);
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    assert_eq!(grid.refit(points_of(&scene), None, &Serial), Ok(false));
    let mut rows: Vec<usize> = (0..scene.len()).collect();
    let height = 3.0 * scene.half[1];
    rows.sort_by(|&a, &b| {
        let strip = |row: usize| (scene.ys[row] / height).floor();
        let place = |row: usize| (strip(row), scene.xs[row]);
        place(a).partial_cmp(&place(b)).unwrap()
    });
    scene.xs = rows.iter().map(|&row| scene.xs[row]).collect();
    scene.ys = rows.iter().map(|&row| scene.ys[row]).collect();
    rebuild(&mut grid, &scene, &Threads(2));
    assert_eq!(grid.refit(points_of(&scene), None, &Serial), Ok(true));
}

/// No number of threads and no instruction set changes the order that a refit leads to.
#[test]
fn the_order_is_the_same_for_all() {
    let scene = uniform(30_000, 1.0, 7);
    let order = |level, threads| {
        let executor = Threads(threads);
        let grid = refitted(&scene, 0.1, level, &executor).expect("they were near");
        pairs(&grid, &scene, &executor)
    };
    let first = order(SimdLevel::detect(), 1);
    assert!(first != pairs(&build(&scene, SimdLevel::detect(), &PLAIN), &scene, &Serial));
    assert_eq!(sorted(first.clone()), overlapping_pairs(&scene));
    for &level in SimdLevel::available() {
        for threads in THREADS {
            assert!(order(level, threads) == first, "{level}, {threads} threads");
        }
    }
}

/// Who meets whom by classes: the only one of 3, 4 and 5 that meets itself is 4.
fn pairs_by_class(grid: &PointGrid, classes: &[u16]) -> Vec<[u32; 2]> {
    let mut palette = vec![
        MaskWords {
            memberships: 1,
            filter: 2,
        };
        9
    ];
    palette[4].filter = 1;
    let masks = RowMasks::Classes {
        palette: &palette,
        classes,
    };
    sorted(pairs_with(grid, Some(masks), &Serial))
}

/// Half extents are read anew, and so are classes, whether there were any before or the range of them begins elsewhere.
#[test]
fn whatever_has_changed_is_read_anew() {
    let scene = mixed_sizes(1500, 8);
    let mut other = scene.clone();
    other.half_extents.as_mut().unwrap().reverse();
    let all_meet = overlapping_pairs(&other);
    assert_ne!(all_meet, overlapping_pairs(&scene));
    let classes = |of_rows, in_use| RowClasses { of_rows, in_use };
    let (fours, mixed): (Vec<u16>, Vec<u16>) = (0..1500).map(|row| (4, 3 + row % 3)).unzip();
    let some_meet = all_meet
        .iter()
        .filter(|pair| pair.iter().all(|&row| row % 3 == 1));
    let some_meet: Vec<_> = some_meet.copied().collect();
    assert!(!some_meet.is_empty());
    let ways = [
        None,
        Some(classes(&mixed, 3..9)),
        Some(classes(&mixed, 2..6)),
        Some(classes(&fours, 4..5)),
    ];
    for &level in SimdLevel::available() {
        for (before, after) in ways.iter().flat_map(|a| ways.iter().map(move |b| (a, b))) {
            let mut grid = PointGrid::new(GridConfig::new(scene.half).simd(level)).unwrap();
            let points = points_of(&scene);
            match before.clone() {
                None => grid.build(points, &Serial).unwrap(),
                Some(classes) => grid.build_with_classes(points, classes, &Serial).unwrap(),
            };
            let refitted = grid.refit(points_of(&other), after.clone(), &Serial);
            assert_eq!(refitted, Ok(true), "{level}");
            assert_eq!(grid.validate(), Ok(()));
            assert_eq!(sorted(pairs(&grid, &other, &Serial)), all_meet);
            let of_rows = after.as_ref().map_or(&mixed[..], |classes| classes.of_rows);
            let expected = if of_rows == fours {
                &all_meet
            } else {
                &some_meet
            };
            assert!(
                pairs_by_class(&grid, of_rows) == *expected,
                "{before:?}, {after:?}"
            );
        }
    }
}

/// Checks that a refit is refused, and that the next one is too.
fn refused(grid: &mut PointGrid, points: Points<'_>, why: &str) {
    for _ in 0..2 {
        assert_eq!(grid.refit(points, None, &Serial), Ok(false), "{why}");
        assert_eq!((grid.len(), grid.leaves(), grid.chunks()), (0, 0, 0));
        assert_eq!(grid.validate(), Ok(()), "{why}");
    }
}

#[test]
fn what_cannot_be_refitted_is_refused() {
    let scene = uniform(1000, 1.0, 9);
    let points = Points::new(&scene.xs, &scene.ys);
    let built = || {
        let mut grid = PointGrid::new(GridConfig::new(scene.half)).unwrap();
        grid.build(points, &Serial).unwrap();
        grid
    };
    refused(
        &mut PointGrid::new(GridConfig::new(scene.half)).unwrap(),
        points,
        "no index",
    );
    let mut cleared = built();
    cleared.clear();
    refused(&mut cleared, points, "cleared");
    let fewer = Points::new(&scene.xs[1..], &scene.ys[1..]);
    refused(&mut built(), fewer, "fewer rows");
    let mut one = FixedBitSet::with_capacity(10);
    refused(
        &mut built(),
        points.with_half_extents(&vec![scene.half; 1000]),
        "sizes",
    );
    assert_eq!(built().refit(points.without(&one), None, &Serial), Ok(true));
    let mut many = FixedBitSet::with_capacity(1000);
    many.insert_range(..100);
    refused(&mut built(), points.without(&many), "many are absent");

    let mut grid = built();
    grid.build(points.without(&many), &Serial).unwrap();
    refused(&mut grid, points, "many were absent");
    one.insert(3);
    assert_eq!(built().refit(points.without(&one), None, &Serial), Ok(true));
    let mut grid = built();
    let some: Vec<u32> = (0..1000).filter(|row| row % 2 == 0).collect();
    grid.build_rows(points, None, &some, &Serial).unwrap();
    let half = Points::new(&scene.xs[..500], &scene.ys[..500]);
    refused(&mut grid, half, "rows have other numbers");
    let mut grid = built();
    assert_eq!(grid.mend(points, None, &[]), Ok(true));
    refused(&mut grid, points, "mended");
    let mut grid = built();
    grid.refuse_refit();
    refused(&mut grid, points, "told to");
    grid.build(points, &Serial).unwrap();
    assert_eq!(grid.refit(points, None, &Serial), Ok(true), "once only");
    assert_eq!(
        grid.mend(points, None, &[]),
        Ok(false),
        "mends want a build"
    );

    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        for axis in 0..2 {
            let mut columns = [scene.xs.clone(), scene.ys.clone()];
            columns[axis][77] = bad;
            let points = Points::new(&columns[0], &columns[1]);
            let mut grid = built();
            assert_eq!(grid.refit(points, None, &Serial), Ok(false), "{bad}");
            let left_out = usize::from(!bad.is_finite());
            assert_eq!(grid.build(points, &Serial).unwrap().rejected, left_out);
            refused(
                &mut grid,
                Points::new(&scene.xs, &scene.ys),
                "rejected or outside",
            );
        }
    }
    let mut own = vec![scene.half; 1000];
    let mut grid = built();
    grid.build(points.with_half_extents(&own), &Serial).unwrap();
    own[5][1] *= 1.5;
    refused(&mut grid, points.with_half_extents(&own), "too large");
    for bad in [f32::NAN, -1.0] {
        own[5][1] = scene.half[1];
        grid.clear();
        grid.build(points.with_half_extents(&own), &Serial).unwrap();
        own[5][1] = bad;
        refused(&mut grid, points.with_half_extents(&own), "no size");
    }
    let lengths = Points::new(&scene.xs, &scene.ys[1..]);
    let mut grid = built();
    let refit = grid.refit(lengths, None, &Serial);
    assert!(matches!(refit, Err(GridError::Lengths { .. })));
    assert_eq!((grid.len(), grid.validate()), (1000, Ok(())), "as it was");
}

#[test]
fn an_executor_that_panics_leaves_an_empty_grid() {
    let scene = uniform(40_000, 1.0, 10);
    let mut grid = build(&scene, SimdLevel::detect(), &Threads(2));
    let refit = catch_unwind(AssertUnwindSafe(|| {
        grid.refit(points_of(&scene), None, &Failing::at(0))
    }));
    assert!(refit.is_err());
    refused(&mut grid, points_of(&scene), "half read");
    rebuild(&mut grid, &scene, &Threads(2));
    assert_eq!(
        sorted(pairs(&grid, &scene, &Serial)),
        overlapping_pairs(&scene)
    );
}

/// The shared scenes are refitted from afar, not only from where they are.
#[test]
fn most_scenes_can_be_refitted_from_afar() {
    let scenes = throng_scenes::adversarial(1500, 1);
    let far = |scene: &&Scene| refitted(scene, 0.1, SimdLevel::detect(), &Serial).is_some();
    let refitted = scenes.iter().filter(far).count();
    assert!(
        3 * refitted > scenes.len(),
        "{refitted} of {}",
        scenes.len()
    );
}

/// Rows that change places across more than the largest number apart: what is between them overflows.
#[test]
fn rows_that_are_infinitely_out_of_order_are_not_refitted() {
    let grid = |xs: &[f32]| {
        let mut grid = PointGrid::new(GridConfig::new([0.5; 2])).unwrap();
        grid.build(Points::new(xs, &[0.0; 3]), &Serial).unwrap();
        grid
    };
    let most = f32::MAX;
    for (placed, moved) in [
        ([-3e38, 0.0, 3e38], [3e38, 3e38, -3e38]),
        ([0.0, 1.7e38, most], [most, most, 0.0]),
    ] {
        let mut refitted = grid(&placed);
        assert_eq!(
            refitted.refit(Points::new(&moved, &[0.0; 3]), None, &Serial),
            Ok(false)
        );
    }
}
