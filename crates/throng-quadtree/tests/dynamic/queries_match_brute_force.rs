//! Every element that a box, a point or a circle touches, once, and no other.

use crate::common::{build, configs, scenes, visited};
use throng_quadtree::Quadtree;
use throng_scenes::{BoxScene, rows_at_point, rows_in_box, rows_in_circle, sorted, windows};

const INFINITY: f32 = f32::INFINITY;

/// Corners and centres of boxes, points just beside them, the origin, and points at the end of the world.
fn points(scene: &BoxScene) -> Vec<[f32; 2]> {
    let own = (0..scene.len()).step_by(29);
    let mut points = Vec::new();
    for aabb in own.filter_map(|row| scene.aabb(row)) {
        points.extend([aabb.min(), aabb.max(), aabb.center()]);
        points.push(aabb.min().map(f32::next_down));
        points.push(aabb.max().map(f32::next_up));
    }
    points.extend([[0.0; 2], [-0.0, 3.0], [f32::MAX; 2], [1e20, -3.0]]);
    points.extend([[INFINITY; 2], [-INFINITY, 0.0], [1.0, INFINITY]]);
    points
}

/// For every scene, in trees of every config.
fn for_every_tree(n: usize, seed: u64, check: impl Fn(&BoxScene, &Quadtree<u32>, &str)) {
    for scene in scenes(n, seed) {
        for (config_name, config) in configs() {
            let (mut tree, _) = build(config, &scene);
            tree.clean_up();
            check(&scene, &tree, &format!("{}, {config_name}", scene.name));
        }
    }
}

#[test]
fn boxes() {
    for_every_tree(400, 10, |scene, tree, name| {
        for window in windows(scene, 37) {
            let expected = rows_in_box(scene, &window);
            let found = visited(usize::MAX, |visit| tree.query_aabb(&window, visit));
            // A visitor that breaks is not called again.
            for most in [1, 3].into_iter().filter(|&most| most <= found.len()) {
                let some = visited(most, |visit| tree.query_aabb(&window, visit));
                assert_eq!(some, found[..most], "{name}: {most} rows of {window}");
            }
            let ids = tree.find_in_aabb(&window);
            assert!(
                ids.iter().map(|&id| tree.get(id).unwrap()).eq(&found),
                "{name}: {window}"
            );
            assert_eq!(sorted(found), expected, "{name}: {window}");
        }
    });
}

#[test]
fn points_in_boxes() {
    for_every_tree(300, 11, |scene, tree, name| {
        for point in points(scene) {
            let found = visited(usize::MAX, |visit| tree.query_point(point, visit).unwrap());
            let ids = tree.find_at_point(point).unwrap();
            assert!(
                ids.iter().map(|&id| tree.get(id).unwrap()).eq(&found),
                "{name}: {point:?}"
            );
            assert_eq!(
                sorted(found),
                rows_at_point(scene, point),
                "{name}: {point:?}"
            );
        }
    });
}

#[test]
fn circles() {
    const RADII: [f32; 8] = [0.0, 1e-30, 0.5, 3.0, 100.0, 1e7, 1e25, INFINITY];
    for_every_tree(250, 12, |scene, tree, name| {
        for (k, point) in points(scene).into_iter().enumerate() {
            for radius in [RADII[k % RADII.len()], RADII[k / 3 % RADII.len()]] {
                let found = visited(usize::MAX, |visit| {
                    tree.query_circle(point, radius, visit).unwrap()
                });
                let ids = tree.find_in_circle(point, radius).unwrap();
                let name = format!("{name}: {radius} around {point:?}");
                assert!(
                    ids.iter().map(|&id| tree.get(id).unwrap()).eq(&found),
                    "{name}"
                );
                assert_eq!(
                    sorted(found),
                    rows_in_circle(scene, point, radius),
                    "{name}"
                );
            }
        }
    });
}

#[test]
fn elements_are_as_they_were_given() {
    for_every_tree(200, 13, |scene, tree, name| {
        let present = (0..scene.len()).filter(|&row| scene.aabb(row).is_some());
        let rows: Vec<u32> = tree.iter().map(|element| *element.value()).collect();
        assert!(rows.iter().map(|&row| row as usize).eq(present), "{name}");
        assert_eq!((tree.len(), tree.is_empty()), (rows.len(), rows.is_empty()));
        for element in tree.iter() {
            assert_eq!(
                Some(element.aabb),
                scene.aabb(*element.value() as usize),
                "{name}"
            );
            assert_eq!(tree.aabb(element.id), Ok(element.aabb), "{name}");
            assert_eq!(tree.get(element.id), Ok(element.value()), "{name}");
        }
    });
}

/// Many threads read one tree: the same answers from four at once.
#[test]
fn from_many_threads() {
    for scene in scenes(300, 14).into_iter().take(8) {
        let (tree, _) = build(configs()[1].1, &scene);
        let windows = windows(&scene, 37);
        let found = || -> Vec<_> {
            windows
                .iter()
                .map(|window| tree.find_in_aabb(window))
                .collect()
        };
        let alone = found();
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..4).map(|_| scope.spawn(found)).collect();
            for other in others {
                assert_eq!(other.join().unwrap(), alone, "{}", scene.name);
            }
        });
    }
}
