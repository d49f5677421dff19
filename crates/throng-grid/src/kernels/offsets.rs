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
            let marks: &[Mark] = &marks[begin..end];
            let NextLists {
                neighbors,
                offsets: [dx, dy],
            } = lists.next(&rows[together.clone()], &lens[together.clone()]);
            let mut at = 0;
            for (k, row) in together.enumerate() {
                let [x, y] = [lanes.splat(own.xs[row]), lanes.splat(own.ys[row])];
                for mark in marks {
                    let (from, near) = (mark.from as usize, mark.near[k]);
                    let rows = lanes.load_words(chunk(nearby.names, from));
                    lanes.store_kept_words(chunk_mut(neighbors, at), near.into(), rows);
                    let (x, y) = (
                        lanes.sub(lanes.load(chunk(nearby.xs, from)), x),
                        lanes.sub(lanes.load(chunk(nearby.ys, from)), y),
                    );
                    lanes.store_kept(chunk_mut(dx, at), near.into(), x);
                    lanes.store_kept(chunk_mut(dy, at), near.into(), y);
                    at += near.count_ones() as usize;
                }
            }
            (first, begin) = (first + TOGETHER, end);
        }
    }
}
