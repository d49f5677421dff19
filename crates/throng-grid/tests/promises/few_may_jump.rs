//! In a refit a few rows may be somewhere else altogether, come or go, and nobody says which; it finds what a build finds all the same.

use crate::common::{build, pairs, pairs_with, points_of, push_as, rebuild, truncate};
use fixedbitset::FixedBitSet;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_core::{Executor, MaskWords, RowMasks, Serial, SimdLevel};
use throng_grid::{GridConfig, PointGrid, Points, RowClasses};
use throng_scenes::{
    Scene, THREADS, Threads, mixed_sizes, overlapping_pairs, sorted, step_motion,
    towns_in_a_wide_world, uniform,
};

/// An even number of threads: rows carry no classes.
const PLAIN: Threads = Threads(2);

/// Puts a row where another one is, nearly.
fn jump(scene: &mut Scene, row: usize, random: &mut Pcg64Mcg) {
    let other = random.random_range(0..scene.len());
    scene.xs[row] = scene.xs[other] + scene.half[0] * random.random_range(-1.0..1.0);
    scene.ys[row] = scene.ys[other] + scene.half[1] * random.random_range(-1.0..1.0);
}

/// Removes, adds and moves some rows, as an engine does that puts the last row into each gap. Returns which hold something else;
/// whoever moves says nothing of it.
fn churn(scene: &mut Scene, changes: usize, random: &mut Pcg64Mcg) -> Vec<u32> {
    let mut changed = Vec::new();
    for _ in 0..changes {
        let row = random.random_range(0..scene.len());
        match random.random_range(0..3) {
            0 => {
                let last = scene.len() - 1;
                scene.xs.swap(row, last);
                scene.ys.swap(row, last);
                if let Some(own) = &mut scene.half_extents {
                    own.swap(row, last);
                }
                truncate(scene, last);
                // Somebody may come into the last one before the frame ends.
                changed.extend([row as u32, last as u32]);
            }
            1 => {
                push_as(scene, row);
                let last = scene.len() - 1;
                jump(scene, last, random);
            }
            _ => jump(scene, row, random),
        }
    }
    changed
}

fn scenes() -> [Scene; 3] {
    [
        uniform(3000, 1.0, 21),
        mixed_sizes(2500, 22),
        towns_in_a_wide_world(3000, 1e5, 23),
    ]
}

/// Follows a scene in which some come, go and jump in each frame. Returns how many frames of so many were refits, and the pairs
/// of all frames.
fn follow(
    scene: &mut Scene,
    frames: u64,
    changes: usize,
    level: SimdLevel,
    executor: &dyn Executor,
) -> (u64, Vec<Vec<[u32; 2]>>) {
    let mut random = Pcg64Mcg::seed_from_u64(frames);
    let mut grid = build(scene, level, executor);
    let (mut refits, mut all) = (0, Vec::new());
    for frame in 0..frames {
        step_motion(scene, 0.02 * scene.half[0], frame);
        let mut changed = churn(scene, changes, &mut random);
        // Nobody has to be told.
        changed.truncate(frame as usize % 3);
        let refitted = grid.refit_changed(points_of(scene), None, changed, executor);
        if refitted.unwrap() {
            refits += 1;
        } else {
            rebuild(&mut grid, scene, &PLAIN);
        }
        assert_eq!(grid.validate(), Ok(()), "{} in frame {frame}", scene.name);
        let found = pairs(&grid, scene, executor);
        let expected = overlapping_pairs(scene);
        assert!(
            sorted(found.clone()) == expected,
            "{} in frame {frame}",
            scene.name
        );
        assert_eq!(grid.len(), scene.len());
        all.push(found);
    }
    (refits, all)
}

#[test]
fn rows_come_go_and_jump_and_most_frames_are_refits() {
    for scene in scenes() {
        for changes in [0, 1, 4] {
            let level = SimdLevel::detect();
            let (refits, _) = follow(&mut scene.clone(), 60, changes, level, &PLAIN);
            assert!(refits > 50, "{}, {changes}: {refits}", scene.name);
        }
        let (refits, _) = follow(&mut scene.clone(), 10, 60, SimdLevel::detect(), &PLAIN);
        assert_eq!(refits, 0, "{}: too many", scene.name);
    }
}

#[test]
fn the_order_is_the_same_for_all() {
    for scene in scenes() {
        let of = |level, threads| {
            let mut scene = scene.clone();
            follow(&mut scene, 12, 3, level, &Threads(threads))
        };
        let first = of(SimdLevel::detect(), 2);
        for &level in SimdLevel::available() {
            for threads in THREADS {
                assert!(of(level, threads) == first, "{}, {level}", scene.name);
            }
        }
    }
}

/// Leaves that outgrow their memory, are founded where there was nobody, or lose everybody are refitted like the others.
#[test]
fn leaves_may_grow_come_and_go() {
    let mut scene = uniform(4000, 1.0, 28);
    let bounds = scene.bounds().unwrap();
    let [low, high] = [bounds.min(), bounds.max()];
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    let (mut refits, mut leaves) = (0, Vec::new());
    for frame in 0..90_usize {
        for k in 0..6 {
            match frame / 30 {
                // All come into one place.
                0 => {
                    push_as(&mut scene, 0);
                    let last = scene.len() - 1;
                    scene.xs[last] = (low[0] + high[0]) / 2.0 + (k * frame) as f32 * 0.01;
                    scene.ys[last] = (low[1] + high[1]) / 2.0 + k as f32 * 0.01;
                }
                // Each comes where there is nobody for far around.
                1 => {
                    push_as(&mut scene, 0);
                    let last = scene.len() - 1;
                    let across = (high[1] - low[1]) / 180.0 * (frame * 6 + k) as f32;
                    scene.xs[last] = high[0] + 30.0 * (1 + k) as f32;
                    scene.ys[last] = low[1] + across;
                }
                // And goes again.
                _ => {
                    let left = scene.len() - 1;
                    truncate(&mut scene, left);
                }
            }
        }
        if grid.refit(points_of(&scene), None, &Serial).unwrap() {
            refits += 1;
        } else {
            rebuild(&mut grid, &scene, &PLAIN);
        }
        leaves.push(grid.leaves());
        assert_eq!(grid.validate(), Ok(()), "frame {frame}");
        let found = sorted(pairs(&grid, &scene, &Serial));
        assert!(found == overlapping_pairs(&scene), "frame {frame}");
    }
    assert!(leaves[59] > leaves[29] + 25, "{leaves:?}");
    assert!(leaves[89] < leaves[59] - 25, "{leaves:?}");
    assert!(refits > 84, "{refits}");
}

/// Leaves that grow leave memory behind, so when half as many rows have come as there are, it is time for a build.
#[test]
fn after_many_jumps_there_is_a_build() {
    let mut scene = uniform(600, 1.0, 29);
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    let far = 40.0 * scene.half[1];
    let mut built = Vec::new();
    for frame in 0..160 {
        for row in [frame / 2, frame / 2 + 301] {
            // There and back again.
            scene.ys[row] += if frame % 2 == 0 { far } else { -far };
        }
        if !grid.refit(points_of(&scene), None, &Serial).unwrap() {
            built.push(frame);
            rebuild(&mut grid, &scene, &PLAIN);
        }
    }
    assert_eq!(built, [150], "300 rows have come in 150 frames");
}

/// Nobody says who has jumped: then the row is carried over or found to be near enough, or the refit is refused.
#[test]
fn who_jumps_unsaid_is_not_missed() {
    let mut scene = uniform(2000, 1.0, 24);
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    for frame in 0..150 {
        churn(&mut scene, 1 + frame % 2, &mut random);
        if !grid.refit(points_of(&scene), None, &Serial).unwrap() {
            rebuild(&mut grid, &scene, &PLAIN);
        }
        let found = sorted(pairs(&grid, &scene, &Serial));
        assert!(found == overlapping_pairs(&scene), "in frame {frame}");
    }
}

/// Rows that are listed twice, are not there, or hold what they held do no harm. And rows go until all are gone.
#[test]
fn any_rows_may_be_said_to_have_changed() {
    let mut scene = uniform(4000, 1.0, 25);
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    for changed in [
        vec![5, 5, 5],
        vec![3998, 3999, 4000, 4001, u32::MAX],
        vec![0],
    ] {
        let refitted = grid.refit_changed(points_of(&scene), None, changed, &Serial);
        assert_eq!(refitted, Ok(true));
        let found = sorted(pairs(&grid, &scene, &Serial));
        assert!(found == overlapping_pairs(&scene));
    }
    // Where more go at once than a refit allows, the grid is built.
    while scene.len() > 2 {
        let few = scene.len() / 300 + 1;
        let left = scene.len() - few;
        truncate(&mut scene, left);
        if !grid.refit(points_of(&scene), None, &Serial).unwrap() {
            rebuild(&mut grid, &scene, &PLAIN);
        }
        assert_eq!((grid.len(), grid.validate()), (scene.len(), Ok(())));
    }
    truncate(&mut scene, 0);
    assert_eq!(grid.refit(points_of(&scene), None, &Serial), Ok(false));
    assert_eq!((grid.len(), grid.chunks()), (0, 0));
}

/// Somebody beyond the range of cells, of no place at all, or larger than the bound cannot be carried over.
#[test]
fn who_cannot_be_indexed_makes_it_refuse() {
    let scene = mixed_sizes(1500, 26);
    for (x, half) in [
        (f32::NAN, 0.0),
        (f32::INFINITY, 0.0),
        (f32::MAX, 0.0),
        (0.0, f32::NAN),
        (0.0, 1e9),
    ] {
        let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
        let mut now = scene.clone();
        push_as(&mut now, 7);
        *now.xs.last_mut().unwrap() = x;
        now.half_extents.as_mut().unwrap().last_mut().unwrap()[0] = half;
        assert_eq!(grid.refit(points_of(&now), None, &Serial), Ok(false));
        assert_eq!((grid.len(), grid.chunks()), (0, 0), "{x} {half}");
    }
}

/// Classes of those who come are those of their rows, whatever records have said so far.
#[test]
fn who_comes_has_its_class() {
    let mut scene = uniform(3000, 2.0, 27);
    let classes_of = |rows: usize| -> Vec<u16> { (0..rows).map(|row| (row % 3) as u16).collect() };
    for &level in SimdLevel::available() {
        let mut random = Pcg64Mcg::seed_from_u64(9);
        let mut grid = PointGrid::new(GridConfig::new(scene.half).simd(level)).unwrap();
        let classes = classes_of(scene.len());
        let of_rows = &classes[..];
        let classes = RowClasses {
            of_rows,
            in_use: 0..3,
        };
        grid.build_with_classes(points_of(&scene), classes, &Serial)
            .unwrap();
        let mut refits = 0;
        for frame in 0..12 {
            let changed = churn(&mut scene, 2, &mut random);
            let of_rows = classes_of(scene.len());
            // Sometimes no classes are given.
            let classes = (frame % 4 != 2).then(|| RowClasses {
                of_rows: &of_rows,
                in_use: 0..3,
            });
            let points = points_of(&scene);
            let refitted = grid.refit_changed(points, classes.clone(), changed, &Serial);
            refits += u32::from(refitted.unwrap());
            if grid.is_empty() {
                match classes {
                    Some(classes) => grid.build_with_classes(points, classes, &Serial),
                    None => grid.build(points, &Serial),
                }
                .unwrap();
            }
            let meets = |memberships, filter| MaskWords {
                memberships,
                filter,
            };
            let palette = [meets(1, 1), meets(2, 2), meets(4, 0)];
            let masks = RowMasks::Classes {
                palette: &palette,
                classes: &of_rows,
            };
            let found = sorted(pairs_with(&grid, Some(masks), &Serial));
            let same = |pair: &[u32; 2]| pair[0] % 3 == pair[1] % 3 && pair[0] % 3 < 2;
            let expected: Vec<_> = overlapping_pairs(&scene).into_iter().filter(same).collect();
            assert!(found == expected, "{level} in frame {frame}");
        }
        assert!(refits > 8, "{level}: {refits}");
    }
}

/// Who is absent for a while leaves and comes back, and the others are as they were.
#[test]
fn rows_may_be_absent_for_a_while() {
    for mut scene in scenes() {
        let mut random = Pcg64Mcg::seed_from_u64(12);
        // Longer than the columns: callers may reserve room.
        let mut absent = FixedBitSet::with_capacity(scene.len() + 200);
        absent.insert_range(scene.len()..);
        let mut grid = PointGrid::new(GridConfig::new(scene.half)).unwrap();
        grid.build(points_of(&scene).without(&absent), &Serial)
            .unwrap();
        let mut refits = 0;
        for frame in 0..60 {
            let speed = 0.02 * scene.half[0];
            step_motion(&mut scene, speed, frame);
            for _ in 0..3 {
                absent.toggle(random.random_range(0..scene.len()));
            }
            if frame % 2 == 1 {
                let row = random.random_range(0..scene.len());
                jump(&mut scene, row, &mut random);
            }
            if frame % 7 == 3 {
                let left = scene.len() - 1;
                truncate(&mut scene, left);
                absent.insert(left);
            }
            let points = points_of(&scene).without(&absent);
            let refitted = grid.refit(points, None, &Serial);
            refits += u32::from(refitted.unwrap());
            if grid.is_empty() {
                grid.build(points, &Serial).unwrap();
            }
            assert_eq!(grid.validate(), Ok(()));
            let present = |pair: &[u32; 2]| pair.iter().all(|&row| !absent.contains(row as usize));
            let expected: Vec<_> = overlapping_pairs(&scene)
                .into_iter()
                .filter(present)
                .collect();
            let found = sorted(pairs(&grid, &scene, &Serial));
            assert!(found == expected, "{} in frame {frame}", scene.name);
            let there = (0..scene.len())
                .filter(|&row| !absent.contains(row))
                .count();
            assert_eq!(grid.len(), there);
        }
        assert!(refits > 50, "{}: {refits}", scene.name);
        // All at once: too many.
        absent.insert_range(..);
        let points = points_of(&scene).without(&absent);
        assert_eq!(grid.refit(points, None, &Serial), Ok(false));
    }
}

/// From wherever in a leaf somebody goes, whatever way and however far, and with others beside it or not.
#[test]
fn who_strays_is_carried_over_from_any_place() {
    for scene in [uniform(2000, 0.5, 31), mixed_sizes(1800, 32)] {
        let mut rows: Vec<usize> = (0..scene.len()).collect();
        // Those near the left or the right border of the world are at an end of their leaf.
        rows.sort_by(|&a, &b| scene.xs[a].total_cmp(&scene.xs[b]));
        let from_border = [0, 1, 2, 3, 5, 8, 13, 40, 300].into_iter();
        let places = from_border.flat_map(|place| [place, scene.len() - 1 - place]);
        let mut refits = [0; 2];
        for (trial, place) in places.enumerate() {
            for [right, up] in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.7, 0.7]] {
                for far in [2.0, 3.5, 8.0, 60.0] {
                    let mut now = scene.clone();
                    let mut grid = build(&now, SimdLevel::detect(), &PLAIN);
                    // One, or those of its strip as well that are next to it.
                    let others = if trial % 3 == 0 { 2 } else { 0 };
                    let is_beside = |&&row: &&usize| {
                        let [dx, dy] =
                            [&scene.xs, &scene.ys].map(|at| (at[row] - at[rows[place]]).abs());
                        dx < 6.0 * scene.half[0] && dy < scene.half[1]
                    };
                    let beside = rows.iter().filter(is_beside).take(others);
                    for &row in beside.chain([&rows[place]]) {
                        now.xs[row] = scene.xs[row] + right * far * scene.half[0];
                        now.ys[row] = scene.ys[row] + up * far * scene.half[1];
                    }
                    let refitted = grid.refit(points_of(&now), None, &Serial).unwrap();
                    refits[usize::from(refitted)] += 1;
                    if !refitted {
                        rebuild(&mut grid, &now, &PLAIN);
                    }
                    assert_eq!(grid.validate(), Ok(()));
                    let found = sorted(pairs(&grid, &now, &Serial));
                    assert!(
                        found == overlapping_pairs(&now),
                        "{place} {right} {up} {far}"
                    );
                }
            }
        }
        assert!(12 * refits[0] < refits[1], "{}: {refits:?}", scene.name);
    }
}

/// One and one in 384, and no more, because a build is faster then; nor from everywhere, because to look for them takes too long.
#[test]
fn only_few_may_stray() {
    let refitted = |rows: usize, thrown: usize, every: usize| {
        let scene = uniform(rows, 1.0, 34);
        let mut lowest_first: Vec<usize> = (0..rows).collect();
        lowest_first.sort_by(|&a, &b| scene.ys[a].total_cmp(&scene.ys[b]));
        let mut now = scene.clone();
        for &row in lowest_first.iter().step_by(every).take(thrown) {
            now.ys[row] += 60.0 * scene.half[1];
        }
        let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
        grid.refit(points_of(&now), None, &Serial).unwrap()
    };
    assert!(refitted(3840, 11, 1));
    assert!(!refitted(3840, 12, 1));
    assert!(refitted(38_400, 40, 1));
    assert!(!refitted(38_400, 90, 426), "they are in most leaves");
}

/// In a strip of several leaves, the last of one goes to another, or the first.
#[test]
fn who_strays_from_the_end_of_a_leaf_is_carried_over() {
    let half = [0.5; 2];
    let xs: Vec<f32> = (0..8000).map(|row| row as f32).collect();
    let ys = vec![0.0; 8000];
    let mut grid = PointGrid::new(GridConfig::new(half)).unwrap();
    grid.build(Points::new(&xs, &ys), &Serial).unwrap();
    assert!(grid.leaves() > 3);
    for row in 0..8000 {
        let mut now = xs.clone();
        now[row] = (xs[row] + 4000.5) % 8000.0;
        let mut grid = grid.clone();
        let refitted = grid.refit(Points::new(&now, &ys), None, &Serial);
        assert_eq!(refitted, Ok(true), "row {row}");
        if row % 100 == 0 {
            assert_eq!(grid.validate(), Ok(()));
        }
    }
}

/// A few that go much faster than the others, for as long as they like.
#[test]
fn few_may_be_fast() {
    for mut scene in scenes() {
        let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
        let mut refits = 0;
        for frame in 0..80 {
            let half = scene.half;
            step_motion(&mut scene, 0.02 * half[0], frame);
            for row in [17, 900, 901, 2204] {
                let [right, up] = [[0.9, 0.1], [-0.8, 0.4], [0.0, -1.0], [0.5, 0.5]][row % 4];
                scene.xs[row] += right * half[0];
                scene.ys[row] += up * half[1];
            }
            if grid.refit(points_of(&scene), None, &Serial).unwrap() {
                refits += 1;
            } else {
                rebuild(&mut grid, &scene, &PLAIN);
            }
            let found = sorted(pairs(&grid, &scene, &Serial));
            assert!(found == overlapping_pairs(&scene), "frame {frame}");
        }
        assert!(refits > 50, "{}: {refits}", scene.name);
    }
}

/// Where somebody strays from the leaf of one that cannot be indexed, that one is not forgotten.
#[test]
fn who_strays_hides_nobody() {
    let scene = mixed_sizes(1500, 33);
    for wrong in [f32::NAN, f32::INFINITY] {
        for row in 0..40 {
            let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
            let mut now = scene.clone();
            let distance = |other: usize| {
                let [dx, dy] = [&scene.xs, &scene.ys].map(|at| at[other] - at[row]);
                dx * dx + dy * dy
            };
            let others = (0..scene.len()).filter(|&other| other != row);
            let nearest = others.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            now.xs[nearest.unwrap()] += 300.0 * scene.half[0];
            now.ys[row] = wrong;
            assert_eq!(grid.refit(points_of(&now), None, &Serial), Ok(false));
            assert_eq!((grid.len(), grid.chunks()), (0, 0));
        }
    }
}
