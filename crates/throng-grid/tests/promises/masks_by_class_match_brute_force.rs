//! Masks are tested as the oracle tests them, in the same order as by any other way, where the index carries classes: any
//! number of them up to the most and beyond, at any places in the palette, in a crowd and out of one.

use crate::common::{BoxList, build, pairs_with, points_of};
use throng_core::{
    Arena, HeldBuffer, HeldPairs, MaskWords, PairOrder, RowMasks, Serial, SimdLevel,
};
use throng_grid::{GridConfig, PointGrid, RowClasses};
use throng_scenes::{
    BoxScene, Scene, THREADS, Threads, coincident_groups, mixed_sizes, one_dense_cell,
    overlapping_pairs, overlapping_pairs_between, sorted, uniform,
};

/// A scene whose masks are those of some classes.
struct Classed {
    scene: Scene,
    classes: Vec<u16>,
    palette: Vec<MaskWords>,
    in_use: std::ops::Range<usize>,
}

impl Classed {
    /// `count` classes from `first` on, and after them `more` that no row has.
    fn new(mut scene: Scene, [first, count, more]: [usize; 3]) -> Self {
        let any = |k: usize| (k as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(9);
        let words = |class: usize| MaskWords {
            memberships: 1 << (class % 8),
            filter: any(class),
        };
        let palette: Vec<_> = (0..first + count + more).map(words).collect();
        let class = |row: usize| (first + any(row) as usize % count) as u16;
        let classes: Vec<_> = (0..scene.len()).map(class).collect();
        let masks = classes.iter().map(|&class| palette[usize::from(class)]);
        scene.masks = Some(masks.collect());
        scene.name = format!("{}, {count} classes from {first} on", scene.name);
        Self {
            scene,
            classes,
            palette,
            in_use: first..first + count,
        }
    }

    fn grid(&self, level: SimdLevel, threads: usize) -> PointGrid {
        let config = GridConfig::new(self.scene.half).simd(level);
        let mut grid = PointGrid::new(config).unwrap();
        let classes = RowClasses {
            of_rows: &self.classes,
            in_use: self.in_use.clone(),
        };
        grid.build_with_classes(points_of(&self.scene), classes, &Threads(threads))
            .unwrap();
        grid.validate().unwrap();
        grid
    }

    fn masks(&self) -> Option<RowMasks<'_>> {
        Some(RowMasks::Classes {
            classes: &self.classes,
            palette: &self.palette,
        })
    }
}

/// From one class to one too many, at the beginning of a palette, in its middle and at its end.
const PALETTES: [[usize; 3]; 9] = [
    [0, 1, 0],
    [0, 2, 5],
    [1, 2, 0],
    [0, 31, 1],
    [0, 32, 0],
    [0, 32, 9],
    [1, 32, 0],
    [700, 32, 20],
    [1, 33, 0],
];

fn scenes() -> Vec<Scene> {
    vec![
        uniform(2500, 1.0, 1),
        uniform(900, 12.0, 2),
        mixed_sizes(1500, 3),
        one_dense_cell(300, 4),
        coincident_groups(1200, 150, 5),
    ]
}

#[test]
fn own_pairs() {
    for scene in scenes() {
        let all = overlapping_pairs(&scene).len();
        for palette in PALETTES {
            let classed = Classed::new(scene.clone(), palette);
            let name = &classed.scene.name;
            let expected = overlapping_pairs(&classed.scene);
            assert!(expected.len() < all, "{name}: nobody is kept apart");
            let reference = build(&classed.scene, SimdLevel::Scalar, &Serial);
            let reference = pairs_with(&reference, classed.masks(), &Serial);
            assert!(sorted(reference.clone()) == expected, "{name}");
            for &level in SimdLevel::available() {
                for threads in THREADS {
                    let grid = classed.grid(level, threads);
                    let found = pairs_with(&grid, classed.masks(), &Threads(threads));
                    assert!(found == reference, "{name}: {level} on {threads} threads");
                }
                let grid = classed.grid(level, 1);
                assert!(
                    with_values(&grid, &classed) == reference,
                    "{name}: {level}, with values"
                );
            }
        }
    }
}

/// The pairs of a grid in order, whose values are checked.
fn with_values(grid: &PointGrid, classed: &Classed) -> Vec<[u32; 2]> {
    let (mut all, mut arena) = (Vec::new(), Arena::new());
    let Scene { xs, ys, .. } = &classed.scene;
    for chunk in 0..grid.chunks() {
        let mut batch = HeldPairs::new(true);
        let mut visit = |batch: &mut HeldPairs| {
            for side in 0..2 {
                let held = batch.centers(side);
                let rows = batch.pairs().iter().map(|pair| pair[side] as usize);
                for (k, row) in rows.enumerate() {
                    assert_eq!([held[0][k], held[1][k]], [xs[row], ys[row]]);
                }
            }
            all.extend_from_slice(batch.pairs());
        };
        let mut held = HeldBuffer::new(&mut batch, &mut visit);
        grid.pairs_with_values_in_chunk(chunk, classed.masks(), &mut arena, &mut held);
    }
    all
}

/// Whichever of two indices carries classes, and however many rows the other has.
#[test]
fn meetings() {
    let sizes = [60, 400, 2000];
    let classed: Vec<_> = sizes
        .iter()
        .zip(PALETTES.iter().skip(3).step_by(2))
        .map(|(&n, &palette)| Classed::new(uniform(n, 2.0, n as u64), palette))
        .collect();
    for (a, b) in classed
        .iter()
        .flat_map(|a| classed.iter().map(move |b| (a, b)))
    {
        let expected = overlapping_pairs_between(&a.scene, &b.scene);
        let boxes = BoxScene::from(&b.scene);
        for &level in SimdLevel::available() {
            let what = format!("{} with {}, {level}", a.scene.name, b.scene.name);
            let plain = build(&b.scene, level, &Threads(2));
            for other in [b.grid(level, 1), plain] {
                let mut met = Vec::new();
                let masks = [a.masks(), b.masks()];
                let grid = a.grid(level, 3);
                grid.for_each_meeting(&other, masks, |a, b| met.push([a, b]));
                assert!(sorted(met) == expected, "{what}");

                let (mut met, mut arena) = (Vec::new(), Arena::new());
                for chunk in 0..grid.meet_chunks(&other) {
                    let mut batch = HeldPairs::new(false);
                    let mut visit = |batch: &mut HeldPairs| met.extend_from_slice(batch.pairs());
                    let mut held = HeldBuffer::new(&mut batch, &mut visit);
                    grid.meet_with_values_in_chunk(&other, chunk, masks, &mut arena, &mut held);
                }
                assert!(sorted(met) == expected, "{what}, with values");
            }
            let grid = a.grid(level, 1);
            let (list, masks) = (BoxList(&boxes), [a.masks(), b.masks()]);
            let mut met = Vec::new();
            grid.for_each_meeting_with_boxes(&list, masks, |a, b| met.push([a, b]));
            assert!(sorted(met) == expected, "{what}, as boxes");
            let (mut met, mut arena) = (Vec::new(), Arena::new());
            for chunk in 0..grid.meet_boxes_chunks(&list) {
                let mut batch = HeldPairs::new(false);
                let mut visit = |batch: &mut HeldPairs| met.extend_from_slice(batch.pairs());
                let mut held = HeldBuffer::new(&mut batch, &mut visit);
                let order = PairOrder::Left;
                grid.meet_boxes_with_values_in_chunk(
                    &list, chunk, masks, order, &mut arena, &mut held,
                );
            }
            assert!(sorted(met) == expected, "{what}, as boxes with values");
        }
    }
}
