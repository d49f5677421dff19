//! The nearest boxes and the boxes on a ray, in order, against the definitions.

use crate::common::{build, configs};
use crate::scenes::scenes;
use crate::shapes_match_brute_force::points;
use std::ops::ControlFlow;
use throng_core::{NearestQuery, RayCast, Serial, SimdLevel};
use throng_quadtree::{PackedConfig, RayHit};
use throng_scenes::{BoxScene, nearest};

#[test]
fn nearest_boxes() {
    for scene in scenes(400, 30) {
        let trees = configs().map(|config| build(&scene, config, &Serial));
        let mut found = Vec::new();
        for point in points(&scene) {
            for (k, max_distance) in [
                (1, f32::INFINITY),
                (5, 30.0),
                (40, f32::INFINITY),
                (3, 0.0),
                (0, 1.0),
            ] {
                let expected = nearest(&scene, point, k, max_distance);
                let query = NearestQuery {
                    point,
                    k,
                    max_distance,
                };
                for tree in &trees {
                    tree.find_nearest(query, &mut found).unwrap();
                    let rows: Vec<_> = found.iter().map(|r| (r.row, r.distance_squared)).collect();
                    assert_eq!(rows, expected, "{}: {query:?}", scene.name);
                    for ranked in &found {
                        assert_eq!(scene.aabb(ranked.row as usize), Some(ranked.item));
                    }
                }
            }
        }
    }
}

#[test]
fn nearest_of_those_let_in() {
    for scene in scenes(300, 31) {
        let tree = build(&scene, PackedConfig::new(), &Serial);
        let mut found = Vec::new();
        for point in points(&scene) {
            let all = nearest(&scene, point, scene.len(), f32::INFINITY);
            let expected: Vec<u32> = all
                .iter()
                .map(|(row, _)| *row)
                .filter(|row| row % 3 == 1)
                .take(4)
                .collect();
            let query = NearestQuery {
                point,
                k: 4,
                max_distance: f32::INFINITY,
            };
            let mut asked = vec![0; scene.len()];
            let accept = |row: u32| {
                asked[row as usize] += 1;
                row % 3 == 1
            };
            let mut accept = accept;
            tree.find_nearest_where(query, &mut found, |row, _| accept(row))
                .unwrap();
            let rows: Vec<u32> = found.iter().map(|r| r.row).collect();
            assert_eq!(rows, expected, "{}: {point:?}", scene.name);
            assert!(asked.iter().all(|&times| times <= 1), "{}", scene.name);
        }
    }
}

/// From everywhere to everywhere: short, long, vertical, horizontal, points, and as long as possible.
fn rays(scene: &BoxScene) -> Vec<RayCast> {
    let points = points(scene);
    let mut rays: Vec<RayCast> = Vec::new();
    for (k, &[x, y]) in points.iter().enumerate() {
        let far = points[(k * 7 + 3) % points.len()];
        for to in [
            far,
            [x, far[1]],
            [far[0], y],
            [x, y],
            [x + 3.0, y - 1.0],
            [-x, -y],
        ] {
            rays.extend(RayCast::from_to([x, y], to));
        }
    }
    rays.extend(RayCast::from_to([f32::MIN; 2], [f32::MAX; 2]));
    rays
}

fn expected_hits(scene: &BoxScene, ray: &RayCast) -> Vec<(u32, f32)> {
    let rows = (0..scene.len()).filter_map(|row| Some((row, scene.aabb(row)?)));
    let hits = rows.filter_map(|(row, aabb)| Some((row as u32, ray.entry(&aabb)?)));
    let mut hits: Vec<_> = hits.collect();
    hits.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    hits
}

#[test]
fn boxes_on_segments() {
    for scene in scenes(250, 32) {
        let trees = configs().map(|config| build(&scene, config, &Serial));
        let scalar = build(&scene, PackedConfig::new().simd(SimdLevel::Scalar), &Serial);
        let trees = trees.iter().chain([&scalar]);
        let mut hits = Vec::new();
        for ray in rays(&scene) {
            let name = format!("{}: {:?} to {:?}", scene.name, ray.from(), ray.to());
            let expected = expected_hits(&scene, &ray);
            let odd = expected.iter().copied().find(|(row, _)| row % 2 == 1);
            for tree in trees.clone() {
                let of = |hit: &RayHit| (hit.row, hit.fraction);
                tree.cast_all(&ray, &mut hits);
                let found: Vec<_> = hits.iter().map(of).collect();
                assert_eq!(found, expected, "{name}");
                let boxes = hits
                    .iter()
                    .all(|hit| scene.aabb(hit.row as usize) == Some(hit.aabb));
                assert!(boxes, "{name}");

                let first = tree.cast_first(&ray);
                assert_eq!(first.as_ref().map(of), expected.first().copied(), "{name}");
                let first = tree.cast_first_where(&ray, |row, _| row % 2 == 1);
                assert_eq!(first.as_ref().map(of), odd, "{name}");

                // Without a limit that falls, all of them; with one, none beyond it.
                let mut visited = Vec::new();
                tree.query_along(&ray, f32::INFINITY, |hit| {
                    visited.push(of(&hit));
                    f32::INFINITY
                });
                visited.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                assert_eq!(visited, expected, "{name}");
                let mut limit = 0.75;
                tree.query_along(&ray, limit, |hit| {
                    assert!(hit.fraction <= limit, "{name}");
                    limit = (limit / 2.0).max(hit.fraction);
                    limit
                });

                let mut rows = vec![7];
                tree.find_on_ray(&ray, &mut rows);
                let mut visited = 0;
                let flow = tree.query_ray(&ray, |hit| {
                    assert_eq!(hit.row, rows[visited], "{name}");
                    visited += 1;
                    if visited == 2 {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
                assert_eq!(
                    (flow.is_break(), visited),
                    (rows.len() >= 2, rows.len().min(2)),
                    "{name}"
                );
            }
        }
    }
}

/// All instruction sets agree not only on the answers, but on the order in which `accept` is asked about rows.
#[test]
fn every_instruction_set_asks_in_the_same_order() {
    for scene in scenes(300, 33) {
        let trees = SimdLevel::available()
            .iter()
            .map(|&level| build(&scene, PackedConfig::new().simd(level), &Serial));
        let trees: Vec<_> = trees.collect();
        for point in points(&scene) {
            let query = NearestQuery {
                point,
                k: 3,
                max_distance: f32::INFINITY,
            };
            let asked = trees.iter().map(|tree| {
                let (mut asked, mut found) = (Vec::new(), Vec::new());
                let keep = |row| asked.push(row);
                let mut keep = keep;
                tree.find_nearest_where(query, &mut found, |row, _| {
                    keep(row);
                    true
                })
                .unwrap();
                asked
            });
            let asked: Vec<_> = asked.collect();
            assert!(
                asked.iter().all(|rows| *rows == asked[0]),
                "{}: {point:?}",
                scene.name
            );
        }
        for ray in rays(&scene) {
            let mut of_scalar = None;
            for tree in &trees {
                let mut rows = Vec::new();
                tree.find_on_ray(&ray, &mut rows);
                let expected = of_scalar.get_or_insert_with(|| rows.clone());
                assert!(rows == *expected, "{}", scene.name);
            }
        }
    }
}
