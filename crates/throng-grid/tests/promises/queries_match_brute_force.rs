//! Boxes, points, circles and nearest rows against the oracle, over all scenes.

use crate::common::{WAYS, build, near, rows_and_distances};
use std::ops::ControlFlow;
use throng_core::{Aabb, Serial, SimdLevel};
use throng_grid::{Hit, PointGrid, ShapeError};
use throng_scenes::{
    Scene, adversarial, nearest, rows_at_point, rows_in_box, rows_in_circle, sorted,
    towns_in_a_wide_world, uniform,
};

/// Points worth testing: on rows, at their corners, between them, and far from everything.
fn places(scene: &Scene) -> Vec<[f32; 2]> {
    let mut places = vec![
        [0.0, 0.0],
        [1e30, -1e30],
        [f32::INFINITY, 0.0],
        [f32::MIN_POSITIVE, 0.0],
    ];
    for row in (0..scene.len()).step_by(scene.len() / 12 + 1) {
        if let Some(aabb) = scene.aabb(row) {
            places.extend([aabb.center(), aabb.min(), aabb.max()]);
            places.push([aabb.max()[0].next_up(), aabb.min()[1]]);
            places.push([
                aabb.center()[0] + scene.half[0] * 3.3,
                aabb.center()[1] - scene.half[1] * 2.1,
            ]);
        }
    }
    places
}

fn rows(
    grid: &PointGrid,
    ask: impl FnOnce(&PointGrid, &mut dyn FnMut(Hit) -> ControlFlow<()>),
) -> Vec<u32> {
    let mut rows = Vec::new();
    ask(grid, &mut |hit| {
        rows.push(hit.row);
        ControlFlow::Continue(())
    });
    rows
}

#[test]
fn boxes_points_and_circles() {
    let scenes = adversarial(1200, 11).into_iter();
    for (scene, way) in scenes.flat_map(|scene| WAYS.map(|way| (scene.clone(), way))) {
        let grid = way.grid(&scene, SimdLevel::detect(), &Serial);
        for place in places(&scene) {
            let found = rows(&grid, |grid, visit| {
                let _ = grid.query_point(place, visit).unwrap();
            });
            assert_eq!(
                sorted(found),
                rows_at_point(&scene, place),
                "{} at {place:?}",
                scene.name
            );
            for scale in [0.0, 0.7, 5.0, 1e20] {
                let radius = scene.half[0] * scale;
                let found = rows(&grid, |grid, visit| {
                    let _ = grid.query_circle(place, radius, visit).unwrap();
                });
                let expected = rows_in_circle(&scene, place, radius);
                assert_eq!(
                    sorted(found),
                    expected,
                    "{}: {radius} around {place:?}",
                    scene.name
                );
                let [w, h] = scene.half.map(|half| half * scale);
                let Ok(query) =
                    Aabb::new([place[0] - w, place[1] - h], [place[0] + w, place[1] + h])
                else {
                    continue;
                };
                let found = rows(&grid, |grid, visit| {
                    let _ = grid.query_aabb(&query, visit);
                });
                assert_eq!(
                    sorted(found),
                    rows_in_box(&scene, &query),
                    "{}: {query:?}",
                    scene.name
                );
            }
        }
    }
}

#[test]
fn nearest_rows() {
    let mut found = Vec::new();
    let scenes = adversarial(800, 12).into_iter();
    for (scene, way) in scenes.flat_map(|scene| WAYS.map(|way| (scene.clone(), way))) {
        let grid = way.grid(&scene, SimdLevel::detect(), &Serial);
        for place in places(&scene)
            .into_iter()
            .filter(|place| place[0].is_finite())
        {
            for (k, reach) in [
                (1, f32::INFINITY),
                (7, f32::INFINITY),
                (5, scene.half[0] * 4.0),
                (2000, 1e30),
            ] {
                grid.find_nearest(near(place, k, reach), &mut found)
                    .unwrap();
                let found = rows_and_distances(&found);
                let expected = nearest(&scene, place, k, reach);
                assert_eq!(
                    found, expected,
                    "{}: {k} within {reach} of {place:?}",
                    scene.name
                );
            }
        }
    }
}

/// Windows grow until one holds everything, and not almost everything: however far the only row lies that is let in, over
/// more than one doubling.
#[test]
fn the_last_row_is_found_however_far_it_lies() {
    let crowd = (0..100_u32).map(|k| [(k % 10) as f32, (k / 10) as f32]);
    let scene = Scene::new("one apart", [0.5, 0.5], crowd.chain([[1000.0, 0.0]]));
    let grid = build(&scene, SimdLevel::detect(), &Serial);
    let mut found = Vec::new();
    for step in 0..600 {
        let place = [step as f32, 0.0];
        grid.find_nearest_where(near(place, 1, f32::INFINITY), &mut found, |hit| {
            hit.row == 100
        })
        .unwrap();
        assert_eq!(found.len(), 1, "from {place:?}");
    }
}

/// From the void between towns, where leaves are gone through one by one; whoever asks may let in few.
#[test]
fn nearest_rows_from_far_away() {
    let scene = towns_in_a_wide_world(3000, 1e5, 21);
    let grid = build(&scene, SimdLevel::detect(), &Serial);
    let accepts = |row: u32, one_in: u32| row % one_in == one_in / 2;
    let mut found = Vec::new();
    let mut is_far = 0;
    for step in 0..120_u32 {
        let at = |k: u32| (step * k % 120) as f32 / 120.0 * 1.2e5 - 6e4;
        let place = [at(37), at(71)];
        for (k, reach, one_in) in [
            (1, f32::INFINITY, 1),
            (8, f32::INFINITY, 1),
            (500, f32::INFINITY, 1),
            (3, f32::INFINITY, 97),
            (4000, f32::INFINITY, 7),
            (20, 9000.0, 3),
            (5, 1.0, 1),
        ] {
            grid.find_nearest_where(near(place, k, reach), &mut found, |hit| {
                accepts(hit.row, one_in)
            })
            .unwrap();
            let found = rows_and_distances(&found);
            let mut expected = nearest(&scene, place, scene.len(), reach);
            is_far += u32::from(expected.first().is_some_and(|near| near.1 > 1e6));
            expected.retain(|&(row, _)| accepts(row, one_in));
            expected.truncate(k);
            assert_eq!(
                found, expected,
                "{k} within {reach} of {place:?}, one in {one_in}"
            );
        }
    }
    assert!(is_far > 300, "{is_far}");
}

/// Crowds on spots farther and farther from the point, the last of them just as far as is asked for.
#[test]
fn nearest_rows_that_are_just_within_reach() {
    let spots = [[1000.0, 0.0], [0.0, 2000.0], [-2500.0, 0.0], [0.0, -9000.0]];
    let centers = spots.iter().flat_map(|&spot| [spot; 100]);
    let scene = Scene::new("on four spots", [0.5, 0.5], centers);
    let grid = build(&scene, SimdLevel::detect(), &Serial);
    let mut found = Vec::new();
    for step in 0..200 {
        let place = [step as f32 * 0.37, step as f32 * 0.11];
        let distances = spots.map(|spot| {
            let along = |axis: usize| (spot[axis] - place[axis]).abs() - 0.5;
            along(0).max(0.0).hypot(along(1).max(0.0))
        });
        for distance in distances {
            for reach in [distance.next_down(), distance, distance.next_up()] {
                grid.find_nearest(near(place, 350, reach), &mut found)
                    .unwrap();
                let found = rows_and_distances(&found);
                let expected = nearest(&scene, place, 350, reach);
                assert_eq!(found, expected, "within {reach} of {place:?}");
            }
        }
    }
}

#[test]
fn a_visitor_may_stop() {
    let scene = uniform(1000, 4.0, 13);
    let grid = build(&scene, SimdLevel::detect(), &Serial);
    let everywhere = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]).unwrap();
    let mut seen = 0;
    let stopped = grid.query_aabb(&everywhere, |hit| {
        seen += 1;
        if seen == 10 {
            ControlFlow::Break(hit.row)
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(stopped.is_break() && seen == 10);
}

#[test]
fn queries_refuse_nonsense() {
    let grid = build(&uniform(10, 1.0, 14), SimdLevel::detect(), &Serial);
    let go_on = |_| ControlFlow::<()>::Continue(());
    let nan = grid.query_point([f32::NAN, 0.0], go_on).unwrap_err();
    assert!(matches!(nan, ShapeError::NotANumber { .. }) && nan.to_string().contains("NaN"));
    let negative = grid.query_circle([0.0; 2], -1.0, go_on).unwrap_err();
    assert!(negative.to_string().contains("-1"), "{negative}");
    assert!(
        grid.find_nearest(near([0.0; 2], 1, f32::NAN), &mut Vec::new())
            .is_err()
    );
}
