//! The columns of scenery that is loaded as a tree.

use throng_core::{Aabb, Corners, Executor, for_both, prefetch_for_reading, run_each};

use crate::tune::sizes::SizeCounts;
use crate::world::given_boxes::{SEVERAL, SeveralBoxes};
use crate::world::ids::Row;
use crate::world::proxy::Extent;
use crate::world::routing::{fit, under};
use crate::world::scenery_index::Scenery;

/// How many boxes are prefetched at once.
const TOGETHER: usize = 64;
/// Rows per task. A fixed number, so that tasks are the same for any executor.
const ROWS_OF_TASK: usize = 1 << 14;

/// Into how many parts rows are cut at most when boxes are written to them: each part reads the whole tree.
const MAX_PARTS: usize = 4;

/// Writes every box of a tree to its row. In the order of leaves rows are anywhere, so each of a few tasks goes through all
/// leaves for some of the rows, and they are prefetched.
pub(crate) fn write_boxes(scenery: &Scenery, boxes: &mut [Corners], executor: &dyn Executor) {
    let parts = boxes.len().div_ceil(ROWS_OF_TASK);
    let parts = parts.min(executor.threads()).clamp(1, MAX_PARTS);
    let rows_of_part = boxes.len().div_ceil(parts).max(1);
    let parts = boxes.chunks_mut(rows_of_part);
    run_each(executor, parts, |part, boxes| {
        let first = (part * rows_of_part) as Row;
        write_some_boxes(scenery, first, boxes);
    });
}

/// Writes those boxes whose rows are in one part.
fn write_some_boxes(scenery: &Scenery, first: Row, boxes: &mut [Corners]) {
    let mut batch = [(0, [[0.0; 2]; 2]); TOGETHER];
    let mut batched = 0;
    let rows = boxes.len();
    let mut write = |batch: &[(Row, Corners)]| {
        for &(row, _) in batch {
            prefetch_for_reading(&boxes[row as usize]);
        }
        for &(row, corners) in batch {
            boxes[row as usize] = corners;
        }
    };
    scenery.for_each_box(|row, aabb| {
        // Whether it is one of these is anyone's guess, so there is no branch.
        let row = row.wrapping_sub(first);
        batch[batched] = (row, [aabb.min(), aabb.max()]);
        batched += usize::from((row as usize) < rows);
        if batched == TOGETHER {
            write(&batch);
            batched = 0;
        }
    });
    write(&batch[..batched]);
}

/// What follows from the boxes of rows.
#[derive(Default)]
pub(crate) struct Measured {
    /// The largest half extents, per axis.
    pub(crate) largest: [f32; 2],
    pub(crate) sizes: SizeCounts,
}

impl Measured {
    /// Writes the centers of boxes of any kind, and measures them.
    fn take_any(&mut self, boxes: &[Corners], xs: &mut [f32], ys: &mut [f32], bound: [f32; 2]) {
        for ((x, y), &[min, max]) in xs.iter_mut().zip(ys).zip(boxes) {
            let extent = Extent::of(Aabb::of_corners(min, max));
            let placement = fit(&extent, bound).expect("it was checked");
            [*x, *y] = placement.center;
            let half = placement.half_extents;
            self.largest = for_both(|axis| self.largest[axis].max(half[axis]));
            self.sizes.add(under(bound, extent.half_extents), 1);
        }
    }

    /// The same, several at a time. Does nothing and returns `false` if there is a bound, or one of them takes a closer look.
    fn take_plain(
        &mut self,
        boxes: &[Corners],
        xs: &mut [f32],
        ys: &mut [f32],
        bound: [f32; 2],
    ) -> bool {
        if bound != [f32::INFINITY; 2] {
            return false;
        }
        let Ok(boxes) = <&[Corners; SEVERAL]>::try_from(boxes) else {
            return false;
        };
        let side = |end: usize| for_both(|axis| boxes.map(|corners| corners[end][axis]));
        let Some(several) = SeveralBoxes::of_sides(side(0), side(1)) else {
            return false;
        };
        xs.copy_from_slice(&several.centers[0]);
        ys.copy_from_slice(&several.centers[1]);
        let [x, y] = several.half_extents;
        for half in x.into_iter().zip(y).map(<[f32; 2]>::from) {
            self.largest = for_both(|axis| self.largest[axis].max(half[axis]));
            self.sizes.add(half, 1);
        }
        true
    }

    fn merge(mut self, other: &Self) -> Self {
        self.sizes.merge(&other.sizes);
        self.largest = for_both(|axis| self.largest[axis].max(other.largest[axis]));
        self
    }
}

/// Writes the centers of boxes, which must fit under the bound, and measures them.
pub(crate) fn write_centers(
    boxes: &[Corners],
    [xs, ys]: [&mut [f32]; 2],
    bound: [f32; 2],
    executor: &dyn Executor,
) -> Measured {
    let tasks = boxes.len().div_ceil(ROWS_OF_TASK);
    let mut measured: Vec<Measured> = std::iter::repeat_with(Measured::default)
        .take(tasks)
        .collect();
    let centers = xs.chunks_mut(ROWS_OF_TASK).zip(ys.chunks_mut(ROWS_OF_TASK));
    let parts = boxes.chunks(ROWS_OF_TASK).zip(centers).zip(&mut measured);
    run_each(executor, parts, |_, ((boxes, (xs, ys)), measured)| {
        let centers = xs.chunks_mut(SEVERAL).zip(ys.chunks_mut(SEVERAL));
        for (boxes, (xs, ys)) in boxes.chunks(SEVERAL).zip(centers) {
            if !measured.take_plain(boxes, xs, ys, bound) {
                measured.take_any(boxes, xs, ys, bound);
            }
        }
    });
    measured
        .iter()
        .fold(Measured::default(), |all, part| all.merge(part))
}

#[cfg(test)]
mod tests {
    use throng_core::{Boxes, Serial};
    use throng_quadtree::{PackedConfig, PackedQuadtree};
    use throng_scenes::Threads;

    use super::*;

    #[test]
    fn any_number_of_tasks_writes_every_box() {
        for rows in [0, 1, 63, 64, 65, ROWS_OF_TASK + 1, 3 * ROWS_OF_TASK + 77] {
            // Neighbours in space are far apart in rows.
            let place = |row: usize| (row * 7919 % rows.max(1)) as f32;
            let [min_x, max_x] = for_both(|end| {
                let corner = |row| place(row) + 0.5 * end as f32;
                (0..rows).map(corner).collect::<Vec<f32>>()
            });
            let boxes = Boxes::new([&min_x, &min_x], [&max_x, &max_x]).unwrap();
            let tree = PackedQuadtree::build(boxes, PackedConfig::new(), &Serial);
            let tree = tree.unwrap().into_shared();
            for threads in [1, 2, 3, 4, 64] {
                let mut written = vec![[[0.0; 2]; 2]; rows];
                write_boxes(&tree, &mut written, &Threads(threads));
                let corners = min_x
                    .iter()
                    .zip(&max_x)
                    .map(|(&min, &max)| [[min; 2], [max; 2]]);
                assert!(corners.eq(written), "{rows} rows, {threads} threads");
            }
        }
    }

    /// What the boxes of more than one task come to, one by one.
    fn one_by_one(boxes: &[Corners], bound: [f32; 2]) -> (Measured, Vec<[f32; 2]>) {
        let mut measured = Measured::default();
        let centers = boxes.iter().map(|&corners| {
            let (mut x, mut y) = ([0.0], [0.0]);
            measured.take_any(&[corners], &mut x, &mut y, bound);
            [x[0], y[0]]
        });
        let centers = centers.collect();
        (measured, centers)
    }

    #[test]
    fn many_at_a_time_come_to_the_same_as_one_by_one() {
        let rows = 2 * ROWS_OF_TASK + 21;
        for largest_at in [0, ROWS_OF_TASK - 1, ROWS_OF_TASK + 5, rows - 1] {
            for (bound, endless) in [
                ([f32::INFINITY; 2], false),
                ([f32::INFINITY; 2], true),
                ([9.0; 2], false),
            ] {
                let boxes: Vec<Corners> = (0..rows)
                    .map(|row| {
                        let at = [row as f32 * 0.3, 1e4 - row as f32 * 0.7];
                        let size = if row == largest_at {
                            17.9
                        } else {
                            0.1 + (row % 37) as f32 * 0.21
                        };
                        let end = if endless && row % 1000 == 3 {
                            f32::INFINITY
                        } else {
                            at[0] + size
                        };
                        [at, [end, at[1] + 0.5 * size]]
                    })
                    .collect();
                let (expected, centers) = one_by_one(&boxes, bound);
                let (mut xs, mut ys) = (vec![0.0; rows], vec![0.0; rows]);
                let measured = write_centers(&boxes, [&mut xs, &mut ys], bound, &Serial);
                assert_eq!(measured.largest, expected.largest);
                assert_eq!(measured.sizes.total(), rows as u64);
                assert!(measured.sizes.steps().eq(expected.sizes.steps()));
                let written = xs.into_iter().zip(ys).map(<[f32; 2]>::from);
                assert!(written.eq(centers), "bound {bound:?}, endless {endless}");
            }
        }
    }

    #[test]
    fn a_box_that_is_just_the_bound_is_stored_under_it() {
        // Half the width of these comes out an ulp over the bound, or under it.
        let bound = [0.1, 0.3];
        let corners = |k: usize| {
            let center = [k as f32 * 1.37, 1e3 - k as f32 * 0.91];
            for_both(|end| for_both(|axis| center[axis] + [-bound[axis], bound[axis]][end]))
        };
        let boxes: Vec<Corners> = (0..64).map(corners).collect();
        let (expected, centers) = one_by_one(&boxes, bound);
        let (mut xs, mut ys) = (vec![0.0; 64], vec![0.0; 64]);
        let measured = write_centers(&boxes, [&mut xs, &mut ys], bound, &Serial);
        assert_eq!((measured.largest, expected.largest), (bound, bound));
        assert!(xs.into_iter().zip(ys).map(<[f32; 2]>::from).eq(centers));
    }
}
