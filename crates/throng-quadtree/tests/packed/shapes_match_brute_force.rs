//! Points, circles, convex polygons and blocks of windows against the definitions.

use crate::common::{build, configs, rows_of};
use crate::scenes::scenes;
use std::ops::ControlFlow;
use throng_core::{ConvexPolygon, Serial};
use throng_scenes::{BoxScene, rows_at_point, rows_in_box, rows_in_circle, sorted, windows};

/// Points on corners, inside boxes, between them, far away and at infinity.
pub fn points(scene: &BoxScene) -> Vec<[f32; 2]> {
    const INFINITY: f32 = f32::INFINITY;
    let some = (0..scene.len())
        .step_by(37)
        .filter_map(|row| scene.aabb(row));
    let mut points: Vec<_> = some
        .flat_map(|aabb| [aabb.min(), aabb.max(), aabb.center()])
        .collect();
    points.extend([[0.0, 0.0], [7.5, -2.5], [1e30, 1e30], [f32::MAX, f32::MIN]]);
    points.extend([[INFINITY, 0.0], [-INFINITY, INFINITY]]);
    points
}

#[test]
fn points_and_circles() {
    for scene in scenes(400, 20) {
        let trees = configs().map(|config| build(&scene, config, &Serial));
        for point in points(&scene) {
            let expected = rows_at_point(&scene, point);
            for tree in &trees {
                let name = format!("{}: {point:?}", scene.name);
                let found = rows_of(|visit| tree.query_point(point, visit).unwrap());
                assert_eq!(found, expected, "{name}");
                let mut collected = vec![7];
                tree.find_at_point(point, &mut collected).unwrap();
                assert_eq!(sorted(collected), expected, "{name}");
            }
            for radius in [0.0, 1e-3, 2.0, 50.0, 1e20, f32::INFINITY] {
                let expected = rows_in_circle(&scene, point, radius);
                for tree in &trees {
                    let name = format!("{}: {radius} around {point:?}", scene.name);
                    let found = rows_of(|visit| tree.query_circle(point, radius, visit).unwrap());
                    assert_eq!(found, expected, "{name}");
                    let mut collected = vec![7];
                    tree.find_in_circle(point, radius, &mut collected).unwrap();
                    assert_eq!(sorted(collected), expected, "{name}");
                }
            }
        }
    }
}

/// Triangles, rotated rectangles and flat polygons, about as large as the boxes and larger.
pub fn polygons(scene: &BoxScene) -> Vec<ConvexPolygon> {
    let finite = points(scene)
        .into_iter()
        .filter(|p| p.iter().all(|v| v.is_finite()));
    let mut polygons = Vec::new();
    for ([x, y], k) in finite.zip(0..) {
        let size = 0.3 * 4_f32.powi(k % 7);
        let corners = [
            [x, y],
            [x + 3.0 * size, y - size],
            [x + 2.0 * size, y + size],
        ];
        polygons.extend(ConvexPolygon::new(&corners));
        polygons.extend(ConvexPolygon::rectangle(
            [x, y],
            [size, 0.1 * size],
            [0.6, 0.8],
        ));
        polygons.extend(ConvexPolygon::hull_of(&corners[..2]));
        polygons.extend(ConvexPolygon::hull_of(&corners[..1]));
    }
    polygons
}

#[test]
fn convex_polygons() {
    for scene in scenes(300, 21) {
        let trees = configs().map(|config| build(&scene, config, &Serial));
        for polygon in polygons(&scene) {
            let touched = |row: &u32| {
                let aabb = scene.aabb(*row as usize);
                aabb.is_some_and(|aabb| polygon.touches(&aabb))
            };
            let expected: Vec<u32> = (0..scene.len() as u32).filter(touched).collect();
            for tree in &trees {
                let name = format!("{}: {:?}", scene.name, polygon.points());
                let found = rows_of(|visit| tree.query_polygon(&polygon, visit));
                assert_eq!(found, expected, "{name}");
                let mut collected = vec![7];
                tree.find_in_polygon(&polygon, &mut collected);
                assert_eq!(sorted(collected), expected, "{name}");
            }
        }
    }
}

#[test]
fn blocks_of_windows() {
    for scene in scenes(400, 22) {
        let windows = windows(&scene, 29);
        let all = windows.iter().zip(0..);
        let expected: Vec<(usize, u32)> = all
            .flat_map(|(window, k)| {
                rows_in_box(&scene, window)
                    .into_iter()
                    .map(move |row| (k, row))
            })
            .collect();
        for config in configs() {
            let tree = build(&scene, config, &Serial);
            let mut found = Vec::new();
            let every: ControlFlow<()> = tree.query_aabbs(&windows, |window, row, aabb| {
                assert_eq!(scene.aabb(row as usize), Some(aabb));
                found.push((window, row));
                ControlFlow::Continue(())
            });
            assert!(every.is_continue());
            let some = found.len() / 2;
            let mut visited = 0;
            let flow = tree.query_aabbs(&windows, |window, row, _| {
                assert_eq!((window, row), found[visited]);
                visited += 1;
                if visited > some {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            assert_eq!(
                (flow.is_break(), visited),
                (!found.is_empty(), found.len().min(some + 1))
            );
            assert!(sorted(found) == expected, "{}", scene.name);
        }
        let none: ControlFlow<()> = build(&scene, configs()[0], &Serial)
            .query_aabbs(&[], |_, _, _| panic!("there is no window"));
        assert!(none.is_continue());
    }
}
