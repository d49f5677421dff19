//! As long as rows are where they were noted, pairs are found in the chunks in which they were; and a grid knows when they are not.

use std::collections::HashMap;

use crate::common::{build, points_of, rebuild};
use throng_core::{Arena, Serial, SimdLevel};
use throng_grid::{MovedRow, PointGrid};
use throng_scenes::{
    Scene, Threads, coincident_groups, mixed_sizes, step_motion, towns_in_a_wide_world, uniform,
};

/// An even number of threads: rows carry no classes.
const PLAIN: Threads = Threads(2);

/// In which chunk each pair is found.
fn chunks_of_pairs(grid: &PointGrid) -> HashMap<[u32; 2], usize> {
    let (mut arena, mut found) = (Arena::new(), HashMap::new());
    for chunk in 0..grid.chunks() {
        grid.pairs_in_chunk(chunk, None, &mut arena, &mut |pairs| {
            found.extend(pairs.iter().map(|&pair| (pair, chunk)));
        });
    }
    found
}

/// Notes places, moves everybody, and brings the grid up to date; whoever is `thrown` goes to the other end of the scene. Returns
/// whether rows are where they were.
fn noted_after(grid: &mut PointGrid, scene: &mut Scene, frame: u64, thrown: Option<usize>) -> bool {
    grid.note_places();
    assert!(grid.has_places_as_noted());
    let then = chunks_of_pairs(grid);
    step_motion(scene, 0.15, frame);
    if let Some(row) = thrown {
        let other = scene.len() - 1 - row;
        (scene.xs[row], scene.ys[row]) = (scene.xs[other], scene.ys[other]);
    }
    let refitted = grid.refit(points_of(scene), None, &Serial).unwrap();
    if !refitted {
        rebuild(grid, scene, &PLAIN);
        assert!(!grid.has_places_as_noted(), "it was built");
        return false;
    }
    let is_noted = grid.has_places_as_noted();
    if is_noted {
        let now = chunks_of_pairs(grid);
        let in_both = then.iter().filter(|(pair, _)| now.contains_key(*pair));
        let mut both = 0;
        for (pair, chunk) in in_both {
            assert_eq!(now[pair], *chunk, "{}: {pair:?}", scene.name);
            both += 1;
        }
        assert!(2 * both > then.len(), "most go on");
    }
    is_noted
}

#[test]
fn pairs_stay_in_their_chunks_while_places_are_as_noted() {
    for mut scene in [
        uniform(12_000, 1.0, 41),
        mixed_sizes(9000, 42),
        towns_in_a_wide_world(12_000, 1e5, 43),
        coincident_groups(9000, 25, 44),
    ] {
        let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
        assert!(grid.chunks() > 2, "{}", scene.name);
        let mut noted = 0;
        for frame in 0..20 {
            noted += usize::from(noted_after(&mut grid, &mut scene, frame, None));
        }
        assert!(noted >= 8, "{}: {noted}", scene.name);
    }
}

#[test]
fn who_is_thrown_comes_or_goes_is_not_where_it_was() {
    let mut scene = uniform(6000, 1.0, 45);
    let mut grid = build(&scene, SimdLevel::detect(), &PLAIN);
    let thrown = |frame: u64| Some(37 * frame as usize + 5);
    for frame in 0..12 {
        assert!(!noted_after(&mut grid, &mut scene, frame, thrown(frame)));
    }
    // The last row goes.
    rebuild(&mut grid, &scene, &PLAIN);
    grid.note_places();
    let (x, y) = (scene.xs.pop().unwrap(), scene.ys.pop().unwrap());
    assert!(grid.refit(points_of(&scene), None, &Serial).unwrap());
    assert!(!grid.has_places_as_noted());
    // It comes again.
    grid.note_places();
    scene.xs.push(x);
    scene.ys.push(y);
    assert!(grid.refit(points_of(&scene), None, &Serial).unwrap());
    assert!(!grid.has_places_as_noted());
    // Nothing has happened.
    grid.note_places();
    assert!(grid.refit(points_of(&scene), None, &Serial).unwrap());
    assert!(grid.has_places_as_noted() && grid.clone().has_places_as_noted());
    // A new grid, a mended one and an empty one have nothing noted.
    assert!(!build(&scene, SimdLevel::detect(), &PLAIN).has_places_as_noted());
    rebuild(&mut grid, &scene, &PLAIN);
    grid.note_places();
    let from = Some([scene.xs[9], scene.ys[9]]);
    scene.xs[9] += 0.5 * scene.half[0];
    let moved = [MovedRow { row: 9, from }];
    assert!(grid.mend(points_of(&scene), None, &moved).unwrap());
    assert!(!grid.has_places_as_noted());
    grid.note_places();
    grid.clear();
    assert!(!grid.has_places_as_noted());
}
