//! The rows of a grid that each of a few boxes touches.
//!
//! For boxes that are few and far apart: each is looked up alone, and what is near it is compared in place. Where boxes are
//! many, the [pieces of the grid ask](crate::PointGrid::meet_boxes_in_chunk) which of them are near instead.

use crate::PointGrid;
use crate::kernels::{self, Probing};
use throng_core::{Arena, BoxRun, ChunkStats, PairBuffer, PairOrder, RowMasks};

impl PointGrid {
    /// Visits every pair of a row of this grid and one of `boxes` that overlap, in batches, box by box in the order of the run:
    /// the grid's row first for [`PairOrder::Left`], second for [`PairOrder::Right`]. `masks` are those of the grid's rows, and of
    /// the boxes' rows. O(boxes), about a tenth of a microsecond each, and O(pairs).
    ///
    /// ```
    /// use throng_core::{Arena, BoxRun, PairOrder, Serial};
    /// use throng_grid::{GridConfig, PointGrid, Points};
    ///
    /// let (xs, ys) = ([0.0, 0.9, 5.0], [0.0, 0.9, 5.0]);
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    ///
    /// let (arena, room) = (Arena::new(), Arena::new());
    /// let mut boxes = BoxRun::with_capacity(&arena, 1, false);
    /// boxes.push([[1.0, 1.0], [4.6, 4.6]], 70);
    /// let mut found = Vec::new();
    /// grid.ask_for_each(&boxes, [None; 2], PairOrder::Left, &room, &mut |pairs| found.extend_from_slice(pairs));
    /// assert_eq!(found, [[1, 70], [2, 70]]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If masks are too few for the rows.
    pub fn ask_for_each(
        &self,
        boxes: &BoxRun<'_>,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats {
        let mut out = PairBuffer::new(arena, visit);
        let with = Probing { masks, order };
        let candidates = kernels::ask(self.simd, self.view(), boxes, with, &mut out);
        out.flush();
        ChunkStats {
            pairs: out.total(),
            candidates,
        }
    }
}
