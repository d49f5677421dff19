//! Sizes are chosen for the boxes there are, and chosen anew when these have become something else. What was
//! chosen can be looked at.

use crate::common::{STRUCTURES, update};
use throng_core::{Aabb, Arena, Boxes, Serial, SimdLevel};
use throng_loose::{BoxStrips, DoubleGrid, DoubleGridConfig, LooseStructure, StripsConfig};
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

/// A grid that holds few of many numbers looks at those few, and not at numbers that nobody has.
#[test]
fn a_plan_for_few_of_many_rows_is_kept_while_it_fits() {
    let scene = log_uniform_boxes(500, [60.0, 70.0], 1.0, 28);
    let mut grid = DoubleGrid::new(DoubleGridConfig::new()).unwrap();
    for frame in 0..40_u32 {
        // Each has another number than before, and all of them are new to the grid.
        let rows: Vec<u32> = (0..500).map(|k| k * 1000 + frame * 17).collect();
        let columns = scene.boxes().columns();
        let boxes = Boxes::new([columns[0], columns[1]], [columns[2], columns[3]]).unwrap();
        let report = grid.update_rows(boxes, &rows, &Serial).unwrap();
        assert_eq!(report.planned, frame == 0, "{frame}");
    }
    let sizes = grid.cell_sizes();
    let smaller = scaled(&scene, 0.02);
    let columns = smaller.boxes().columns();
    let boxes = Boxes::new([columns[0], columns[1]], [columns[2], columns[3]]).unwrap();
    let rows: Vec<u32> = (0..500).map(|k| k * 1000).collect();
    let planned = [(); 3].map(|()| grid.update_rows(boxes, &rows, &Serial).unwrap().planned);
    assert!(planned.contains(&true), "{planned:?}");
    assert!(grid.cell_sizes()[0] < sizes[0] / 20.0);
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

/// The scene with each box's centre and half extents replaced.
fn changed(scene: &BoxScene, change: impl Fn(usize, [f32; 2], f32) -> ([f32; 2], f32)) -> BoxScene {
    let sides = (0..scene.len()).map(|row| {
        let aabb = scene.aabb(row).unwrap();
        let (center, half) = change(row, aabb.center(), aabb.half_extents()[0]);
        let corner = |sign: f32| center.map(|c| c + sign * half);
        [corner(-1.0), corner(1.0)]
    });
    BoxScene::from_sides(&scene.name, sides)
}

/// Whatever boxes were before, a few updates later searching them costs about what it does in a structure made
/// for them; and a grid has about as many cells.
#[test]
fn what_boxes_were_does_not_matter() {
    let scene = log_uniform_boxes(5000, [1.0, 10.0], 1.0, 28);
    let large = changed(&scene, |_, center, half| (center, half * 100.0));
    let wide = changed(&scene, |_, [x, y], half| ([x * 50.0, y * 50.0], half));
    let on_a_spot = changed(&scene, |_, _, half| ([0.0; 2], half));
    let strays = changed(&scene, |row, [x, y], half| match row % 20 {
        0 => ([1e30, 1e30 + 1e26 * row as f32], 1e24),
        _ => ([x, y], half),
    });
    let giants = changed(&scene, |row, center, half| match row % 7 {
        0 => (center, 1e20),
        _ => (center, half),
    });
    let changes = [
        ("shrink in place", &large, &scene),
        ("grow in place", &scene, &large),
        ("spread in place", &scene, &wide),
        ("gather", &wide, &scene),
        ("leave a spot", &on_a_spot, &scene),
        ("some stray", &scene, &strays),
        ("strays come back", &strays, &scene),
        ("some were giants", &giants, &scene),
    ];
    for (change, before, after) in changes {
        for (structure, make) in STRUCTURES {
            let cost = |built: &dyn LooseStructure| {
                let mut arena = Arena::new();
                let chunks = 0..built.chunks();
                let stats = chunks.map(|c| built.pairs_in_chunk(c, None, &mut arena, &mut |_| {}));
                let candidates: u64 = stats.map(|stats| stats.candidates).sum();
                [candidates, built.cells() as u64]
            };
            let mut built = make(SimdLevel::detect());
            for scene in [before, before, after, after, after] {
                update(&mut *built, scene, &Serial);
            }
            let mut fresh = make(SimdLevel::detect());
            update(&mut *fresh, after, &Serial);
            let [now, new] = [cost(&*built), cost(&*fresh)];
            assert!(
                now[0] <= 2 * new[0] && (now[1] <= 2 * new[1] || structure != "double grid"),
                "{structure}, {change}: {now:?} comparisons and cells, {new:?} in a new one"
            );
        }
    }
}

/// Some strays, or giants, are no reason to put the others into a few cells, or strips as tall as the world.
#[test]
fn strays_and_giants_do_not_set_the_scale() {
    let scene = log_uniform_boxes(5000, [1.0, 10.0], 1.0, 28);
    let sizes = |scene: &BoxScene| {
        let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
        let mut grid = DoubleGrid::new(DoubleGridConfig::new()).unwrap();
        update(&mut strips, scene, &Serial);
        update(&mut grid, scene, &Serial);
        [strips.cells() as f32, 1.0 / grid.cell_sizes()[0]]
    };
    let usual = sizes(&scene);
    let strays = changed(&scene, |row, center, half| match row % 20 {
        0 => ([1e30; 2], half),
        _ => (center, half),
    });
    let giants = changed(&scene, |row, center, half| match row % 7 {
        0 => (center, 1e20),
        _ => (center, half),
    });
    for other in [strays, giants] {
        let found = sizes(&other);
        let alike = (0..2).all(|which| 3.0 * found[which] > usual[which]);
        assert!(
            alike,
            "{found:?} strips and cells per length, {usual:?} usually"
        );
    }
}

#[test]
fn strips_can_be_drawn() {
    let around = |at: f32, half: f32| Aabb::from_center([at; 2], [half; 2]).unwrap();
    let scene = BoxScene::new("two", [around(0.0, 1.0), around(9.0, 2.0)]);
    let mut strips = BoxStrips::new(StripsConfig::new()).unwrap();
    update(&mut strips, &scene, &Serial);
    let mut seen = 0;
    strips.visit_cells(&mut |strip| {
        let sides = (strip.bounds.min(), strip.bounds.max());
        assert_eq!(sides, ([-1.0; 2], [11.0; 2]));
        seen += strip.rows;
    });
    assert_eq!(seen, 2);
    assert_eq!(strips.strip_height(), None, "one strip serves few");
}
