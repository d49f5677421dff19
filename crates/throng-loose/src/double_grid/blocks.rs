//! The boxes of a loose cell, in blocks of sixteen, side by side.

use super::pool::{NONE, Node, Pool};
use super::rows::Row;
use crate::leaves::BoxSlice;
use crate::sides::{NOTHING, Sides, union};
use throng_core::{Corners, Executor, LANES, run_each};

/// The most tasks that a refresh is cut into, and the fewest blocks per task.
const PARTS: usize = 64;
const FEWEST_BLOCKS: usize = 128;

/// Up to sixteen boxes of one cell.
///
/// ```text
/// min x │ a b c … · · │   64 bytes, a cache line; the same for min y, max x, max y
/// row   │ 7 2 9 … · · │   unused lanes hold NaN, which minima and maxima ignore
/// len, next, bounds    │   only a cell's first block may have free lanes
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    sides: [[f32; LANES]; 4],
    rows: [u32; LANES],
    len: u32,
    next: u32,
    /// Bounds of the boxes at the last refresh.
    bounds: Corners,
}

impl Node for Block {
    const EMPTY: Self = Self {
        sides: [[f32::NAN; LANES]; 4],
        rows: [NONE; LANES],
        len: 0,
        next: NONE,
        bounds: NOTHING,
    };

    fn next(&self) -> u32 {
        self.next
    }

    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}

/// The boxes of all cells.
pub(super) type Blocks = Pool<Block>;

/// Where a box is: its block, and its lane there.
#[inline(always)]
fn block_and_lane(slot: u32) -> (u32, usize) {
    (slot / LANES as u32, slot as usize % LANES)
}

fn slot_of(block: u32, lane: usize) -> u32 {
    block * LANES as u32 + lane as u32
}

impl Block {
    #[inline(always)]
    pub fn box_slice(&self) -> BoxSlice<'_> {
        let len = self.len as usize;
        BoxSlice {
            sides: self.sides.each_ref().map(|side| &side[..len]),
            rows: &self.rows[..len],
        }
    }

    fn set(&mut self, lane: usize, sides: Sides) {
        for (side, value) in self.sides.iter_mut().zip(sides) {
            side[lane] = value;
        }
    }

    pub fn is_full(&self) -> bool {
        self.len as usize == LANES
    }

    /// Copies the boxes from their rows again, and recomputes the bounds.
    ///
    /// This is one random read per box. Writing each box to its four columns as it changes, in row order, would be four
    /// random writes, and four random reads later.
    #[inline]
    fn refresh(&mut self, rows: &[Row]) {
        for lane in 0..self.len as usize {
            let sides = rows[self.rows[lane] as usize].sides;
            self.set(lane, sides);
        }
        self.bounds = self.tight_bounds();
    }

    /// All sixteen lanes at once, so that it compiles to vector minima.
    #[inline(always)]
    pub fn tight_bounds(&self) -> Corners {
        let [min_x, min_y, max_x, max_y] = &self.sides;
        [
            [lowest(min_x), lowest(min_y)],
            [highest(max_x), highest(max_y)],
        ]
    }

    /// Whether the unused lanes hold what they should.
    pub fn is_closed(&self) -> bool {
        let rest = self.len as usize..;
        self.sides
            .iter()
            .flat_map(|side| &side[rest.clone()])
            .all(|v| v.is_nan())
    }
}

impl Blocks {
    /// Adds a box to the chain that begins at `head`. Returns its slot.
    pub fn push(&mut self, head: &mut u32, sides: Sides, row: u32) -> u32 {
        if *head == NONE || self.get(*head).is_full() {
            *head = self.take(*head);
        }
        let block = self.get_mut(*head);
        let lane = block.len as usize;
        block.set(lane, sides);
        block.rows[lane] = row;
        block.len += 1;
        slot_of(*head, lane)
    }

    /// Removes a box from the chain that begins at `head`. The last box of the chain moves to its slot; its row is
    /// returned, unless it was the one removed.
    pub fn swap_remove(&mut self, head: &mut u32, slot: u32) -> Option<u32> {
        let block = self.get_mut(*head);
        let last = block.len as usize - 1;
        let (sides, row) = (block.sides.map(|side| side[last]), block.rows[last]);
        block.set(last, [f32::NAN; 4]);
        block.rows[last] = NONE;
        block.len -= 1;
        let was_last = slot == slot_of(*head, last);
        if !was_last {
            let (at, lane) = block_and_lane(slot);
            let block = self.get_mut(at);
            block.set(lane, sides);
            block.rows[lane] = row;
        }
        if last == 0 {
            *head = self.give_back(*head);
        }
        (!was_last).then_some(row)
    }

    /// Overwrites the box in a slot.
    pub fn write(&mut self, slot: u32, sides: Sides) {
        let (at, lane) = block_and_lane(slot);
        self.get_mut(at).set(lane, sides);
    }

    /// The row in a slot.
    pub fn row_at(&self, slot: u32) -> u32 {
        let (at, lane) = block_and_lane(slot);
        self.get(at).rows[lane]
    }

    /// Copies the boxes of a chain from their rows again, and recomputes their bounds.
    pub fn refresh_chain(&mut self, head: u32, rows: &[Row]) {
        let mut at = head;
        while at != NONE {
            let block = self.get_mut(at);
            block.refresh(rows);
            at = block.next;
        }
    }

    /// Copies all boxes from their rows again, and recomputes their bounds, block by block.
    pub fn refresh_all(&mut self, rows: &[Row], executor: &dyn Executor) {
        let len = self.len().div_ceil(PARTS).max(FEWEST_BLOCKS);
        run_each(executor, self.nodes_mut().chunks_mut(len), |_, blocks| {
            for block in blocks {
                block.refresh(rows);
            }
        });
    }

    /// Bounds of the boxes of a chain at its last refresh.
    pub fn bounds(&self, head: u32) -> Corners {
        self.chain(head)
            .fold(NOTHING, |bounds, block| union(&bounds, &block.bounds))
    }

    /// Writes to each row which slot it is in.
    pub fn tell_slots(&self, rows: &mut [Row]) {
        for (at, block) in (0_u32..).zip(self.nodes()) {
            for (lane, &row) in block.box_slice().rows.iter().enumerate() {
                rows[row as usize].slot = slot_of(at, lane);
            }
        }
    }
}

#[inline(always)]
fn lowest(values: &[f32; LANES]) -> f32 {
    let mut low: [f32; 4] = [f32::INFINITY; 4];
    for four in values.as_chunks::<4>().0 {
        for (low, &v) in low.iter_mut().zip(four) {
            *low = if v < *low { v } else { *low };
        }
    }
    low[0].min(low[1]).min(low[2].min(low[3]))
}

#[inline(always)]
fn highest(values: &[f32; LANES]) -> f32 {
    let mut high: [f32; 4] = [f32::NEG_INFINITY; 4];
    for four in values.as_chunks::<4>().0 {
        for (high, &v) in high.iter_mut().zip(four) {
            *high = if v > *high { v } else { *high };
        }
    }
    high[0].max(high[1]).max(high[2].max(high[3]))
}
