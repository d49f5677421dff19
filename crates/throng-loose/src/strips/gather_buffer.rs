//! Boxes that are collected one by one, on their way to a run.

use throng_core::{Arena, BoxRun, Corners, LANES};

/// Collects boxes for a run, which appends many at a time faster than one by one.
pub(crate) struct GatherBuffer {
    sides: [[f32; Self::ROOM]; 4],
    rows: [u32; Self::ROOM],
    len: usize,
}

impl Default for GatherBuffer {
    fn default() -> Self {
        Self {
            sides: [[0.0; Self::ROOM]; 4],
            rows: [0; Self::ROOM],
            len: 0,
        }
    }
}

impl GatherBuffer {
    const ROOM: usize = 128;

    /// Adds a box if `keep`. Writes it in either case and only then decides: nothing to mispredict. At most [`LANES`]
    /// calls are allowed between calls of [`append_if_full`](Self::append_if_full).
    #[inline(always)]
    pub fn push_if(&mut self, keep: bool, [min, max]: Corners, row: u32) {
        let sides = [min[0], min[1], max[0], max[1]];
        for (column, side) in self.sides.iter_mut().zip(sides) {
            column[self.len] = side;
        }
        self.rows[self.len] = row;
        self.len += usize::from(keep);
    }

    /// Moves the boxes to the run if there might be no room for [`LANES`] more.
    #[inline(always)]
    pub fn append_if_full<'a>(&mut self, arena: &'a Arena, run: &mut BoxRun<'a>) {
        if self.len + LANES > Self::ROOM {
            self.append_to(arena, run);
        }
    }

    /// Moves all boxes to the run.
    pub fn append_to<'a>(&mut self, arena: &'a Arena, run: &mut BoxRun<'a>) {
        run.make_room(arena, self.len);
        let sides = self.sides.each_ref().map(|side| &side[..self.len]);
        run.append(sides, &self.rows[..self.len]);
        self.len = 0;
    }
}
