//! The boxes of a loose cell: blocks of sixteen, side by side.

use super::pool::{NONE, Node, Pool};
use super::rows::Row;
use crate::leaves::Stretch;
use crate::sides::{Corners, NOTHING, Sides, union};
use throng_core::{Executor, LANES, run_each};

/// In how many parts blocks are refreshed, and the fewest blocks that one may have.
const PARTS: usize = 64;
const FEWEST_BLOCKS: usize = 128;

/// Up to sixteen boxes of one cell.
///
/// ```text
/// min x │ a b c … · · │   64 bytes, a cache line; the same for min y, max x, max y
/// row   │ 7 2 9 … · · │   unused places hold NaN, which a minimum and a maximum pass over
/// len, next, bounds    │   a cell's first block may have free places, all others are full
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    sides: [[f32; LANES]; 4],
    rows: [u32; LANES],
    len: u32,
    next: u32,
    /// The bounds of the boxes when they were last refreshed.
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

/// Where a box is: block and place in it.
#[inline(always)]
fn place_of(slot: u32) -> (u32, usize) {
    (slot / LANES as u32, slot as usize % LANES)
}

fn slot_of(block: u32, lane: usize) -> u32 {
    block * LANES as u32 + lane as u32
}

impl Block {
    #[inline(always)]
    pub fn stretch(&self) -> Stretch<'_> {
        let len = self.len as usize;
        Stretch {
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

    /// Fetches the boxes from their rows, and bounds them.
    ///
    /// In all, one read at random for each box. Writing each box to its four sides as it comes, in row
    /// order, would be four at random, and four more to read them back.
    #[inline]
    fn refresh(&mut self, rows: &[Row]) {
        for lane in 0..self.len as usize {
            let sides = rows[self.rows[lane] as usize].sides;
            self.set(lane, sides);
        }
        self.bounds = self.tight_bounds();
    }

    /// All sixteen places at once, so that it compiles to vector minima.
    #[inline(always)]
    pub fn tight_bounds(&self) -> Corners {
        let [min_x, min_y, max_x, max_y] = &self.sides;
        [
            [lowest(min_x), lowest(min_y)],
            [highest(max_x), highest(max_y)],
        ]
    }

    /// Whether the places without a box are as they should be.
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

    /// Takes a box out of the chain that begins at `head`. The chain's last box comes to its slot, and is
    /// returned if it is another one.
    pub fn swap_remove(&mut self, head: &mut u32, slot: u32) -> Option<u32> {
        let block = self.get_mut(*head);
        let last = block.len as usize - 1;
        let (sides, row) = (block.sides.map(|side| side[last]), block.rows[last]);
        block.set(last, [f32::NAN; 4]);
        block.rows[last] = NONE;
        block.len -= 1;
        let was_last = slot == slot_of(*head, last);
        if !was_last {
            let (at, lane) = place_of(slot);
            let block = self.get_mut(at);
            block.set(lane, sides);
            block.rows[lane] = row;
        }
        if last == 0 {
            *head = self.give_back(*head);
        }
        (!was_last).then_some(row)
    }

    /// Writes a box where it is.
    pub fn write(&mut self, slot: u32, sides: Sides) {
        let (at, lane) = place_of(slot);
        self.get_mut(at).set(lane, sides);
    }

    /// The row in a slot.
    pub fn row_at(&self, slot: u32) -> u32 {
        let (at, lane) = place_of(slot);
        self.get(at).rows[lane]
    }

    /// Fetches the boxes of a chain from their rows, and bounds them.
    pub fn refresh_chain(&mut self, head: u32, rows: &[Row]) {
        let mut at = head;
        while at != NONE {
            let block = self.get_mut(at);
            block.refresh(rows);
            at = block.next;
        }
    }

    /// Fetches all boxes from their rows, and bounds them, block after block.
    pub fn refresh_all(&mut self, rows: &[Row], executor: &dyn Executor) {
        let len = self.len().div_ceil(PARTS).max(FEWEST_BLOCKS);
        run_each(executor, self.nodes_mut().chunks_mut(len), |_, blocks| {
            for block in blocks {
                block.refresh(rows);
            }
        });
    }

    /// The bounds of a chain's boxes when it was last refreshed.
    pub fn bounds(&self, head: u32) -> Corners {
        self.chain(head)
            .fold(NOTHING, |bounds, block| union(&bounds, &block.bounds))
    }

    /// Tells rows which slots they are in.
    pub fn tell_slots(&self, rows: &mut [Row]) {
        for (at, block) in (0_u32..).zip(self.nodes()) {
            for (lane, &row) in block.stretch().rows.iter().enumerate() {
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
