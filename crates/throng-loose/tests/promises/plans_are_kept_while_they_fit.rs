//! Sizes are chosen for the boxes there are, and chosen anew when these have become something else. What was
//! chosen can be looked at.

use crate::common::{STRUCTURES, update};
use throng_core::{Aabb, Serial, SimdLevel};
use throng_loose::{BoxStrips, DoubleGrid, DoubleGridConfig, StripsConfig};
use throng_scenes::{BoxScene, log_uniform_boxes};

/// All boxes so many times as large and as far apart.
fn scaled(scene: &BoxScene, by: f32) -> BoxScene {
    let mut scaled = scene.clone();
    let sides = scaled.min.iter_mut().chain(&mut scaled.max).flatten();
    sides.for_each(|side| *side *= by);
    scaled
}

#[test]
fn a_plan_is_kept_while_it_fits() {
    let scene = log_uniform_boxes(5000, [1.0, 10.0], 1.0, 26);
    for (structure, make) in STRUCTURES {
        let mut built = make(SimdLevel::detect());
        let planned = [(); 4].map(|()| update(&mut *built, &scene, &Serial).planned);
        assert_eq!(planned, [true, false, false, false], "{structure}");
        // A tree has levels at hand for smaller boxes, and a grid for larger ones.
        let unlike = match structure {
            "quadtree" => 50.0,
            _ => 0.02,
        };
        // It may be noticed in one update and planned for in the next.
        let other = scaled(&scene, unlike);
        let planned = [(); 4].map(|()| update(&mut *built, &other, &Serial).planned);
        let plans = planned.iter().filter(|planned| **planned).count();
        assert_eq!(plans, 1, "{structure}: {planned:?}");
    }
}

#[test]
fn sizes_follow_the_boxes() {
    let scene = log_uniform_boxes(5000, [1.0, 10.0], 1.0, 27);
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    let mut grid = DoubleGrid::new(DoubleGridConfig::new()).unwrap();
    let [before, larger, smaller] = [1.0, 50.0, 0.02].map(|by| {
        for _ in 0..3 {
            update(&mut strips, &scaled(&scene, by), &Serial);
            update(&mut grid, &scaled(&scene, by), &Serial);
        }
        [strips.strip_height().unwrap(), grid.cell_sizes()[0]]
    });
    // A grid has coarser cells for larger boxes at hand, and no finer ones for smaller boxes.
    for (grown, expected) in [
        (larger[0] / before[0], 20.0..120.0),
        (before[0] / smaller[0], 20.0..120.0),
        (before[1] / smaller[1], 20.0..120.0),
    ] {
        assert!(expected.contains(&grown), "{grown}");
    }
}

#[test]
fn strips_can_be_drawn() {
    let around = |at: f32, half: f32| Aabb::from_center([at; 2], [half; 2]).unwrap();
    let scene = BoxScene::new("two", [around(0.0, 1.0), around(9.0, 2.0)]);
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    update(&mut strips, &scene, &Serial);
    let mut seen = 0;
    strips.visit_strips(|strip| {
        let sides = (strip.bounds.min(), strip.bounds.max());
        assert_eq!(sides, ([-1.0; 2], [11.0; 2]));
        seen += strip.copies;
    });
    assert_eq!(seen, 2);
    assert_eq!(strips.strip_height(), None, "one strip serves few");
}
