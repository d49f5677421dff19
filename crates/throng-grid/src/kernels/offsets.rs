//! Lists with how far away each neighbor is, written from marks.

use crate::lists::{Lists, NextLists};
use crate::marks::{Mark, NeighborMarks, TOGETHER};
use crate::run::RunView;
use throng_core::Simd;
use throng_core::lanes::{Kernel, Lanes, chunk, chunk_mut};

/// Appends the lists of the rows of a piece, for which there are `marks` of nothing else, and what is nearby.
pub(crate) fn list_offsets(
    simd: Simd,
    own: &RunView<'_>,
    nearby: &RunView<'_>,
    marks: &NeighborMarks,
    lists: &mut Lists<'_, '_>,
) {
    simd.run(ListOffsets {
        own,
        nearby,
        marks,
        lists,
    });
}

struct ListOffsets<'k, 'a, 'v> {
    own: &'k RunView<'k>,
    nearby: &'k RunView<'k>,
    marks: &'k NeighborMarks,
    lists: &'k mut Lists<'a, 'v>,
}

impl Kernel for ListOffsets<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self {
            own,
            nearby,
            marks:
                NeighborMarks {
                    rows,
                    lens,
                    marks,
                    blocks,
                    ..
                },
            lists,
        } = self;
        let (mut first, mut begin) = (0, 0);
        for &end in blocks {
            let together = first..rows.len().min(first + TOGETHER);
            let last = together.end - 1;
            let NextLists {
                begins,
                neighbors,
                offsets: [dx, dy],
            } = lists.next(&rows[together.clone()], &lens[together]);
            // If there are fewer, the last one is written again to the same place: its marks are there again.
            let (mut at, mut centers) = ([0; TOGETHER], [[lanes.splat(0.0); 2]; TOGETHER]);
            for (k, (at, center)) in at.iter_mut().zip(&mut centers).enumerate() {
                let row = last.min(first + k);
                *at = begins[row - first] as usize;
                *center = [lanes.splat(own.xs[row]), lanes.splat(own.ys[row])];
            }
            // Side by side, so that what four rows share is loaded once, and they do not wait for each other.
            for Mark { from, near } in &marks[begin..end] {
                let from = *from as usize;
                let names = lanes.load_words(chunk(nearby.names, from));
                let (xs, ys) = (
                    lanes.load(chunk(nearby.xs, from)),
                    lanes.load(chunk(nearby.ys, from)),
                );
                for ((at, [x, y]), &near) in at.iter_mut().zip(&centers).zip(near) {
                    lanes.store_kept_words(chunk_mut(neighbors, *at), near.into(), names);
                    let (x, y) = (lanes.sub(xs, *x), lanes.sub(ys, *y));
                    lanes.store_kept(chunk_mut(dx, *at), near.into(), x);
                    lanes.store_kept(chunk_mut(dy, *at), near.into(), y);
                    *at += near.count_ones() as usize;
                }
            }
            (first, begin) = (first + TOGETHER, end);
        }
    }
}
