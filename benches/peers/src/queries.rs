//! All pairs by asking a tree once for each row.

use std::ops::Range;

use throng_benches::Sides;

use crate::PairSum;
use crate::hash_grid::overlap;
use crate::parts::sum_of_parts;

/// Parts for each thread.
const PARTS_EACH: usize = 8;

/// Something that can be asked from many threads at once.
pub trait Touching: Sync {
    /// What a thread needs to ask.
    type Scratch: Default;

    /// Whether all that it visits overlaps the window. Where boxes are kept larger than they are, it need not.
    const EXACT: bool = true;

    /// Visits every row whose box overlaps the window, and maybe more.
    fn touching(&self, window: &Sides, scratch: &mut Self::Scratch, visit: impl FnMut(u32));
}

/// A static tree that finds all pairs, once it is built.
pub trait Joined: Touching + Sized {
    /// How it is used, in a line for the reader of its figures.
    const WAY: &'static str;

    /// All pairs of the rows in `order`, on one thread: by a query for each, where that is as fast as any other way. `order` has
    /// the rows from 0 to its length.
    fn pairs<S: PairSum>(&self, order: &[u32], boxes: &[Sides]) -> S {
        pairs_by_queries(self, order, boxes, 1)
    }
}

/// The pairs of a tree that was joined with itself, which gives each twice, and every row with itself: those in which the first
/// row is the lower one, and moves.
pub fn sum_of_join<S: PairSum>(joined: impl Iterator<Item = (u32, u32)>, movers: usize) -> S {
    let mut sum = S::default();
    joined
        .filter(|&(a, b)| a < b && (a as usize) < movers)
        .for_each(|(a, b)| sum.add(a, b));
    sum
}

/// The pairs of the rows in `order`, each with a row after it.
pub fn pairs_by_queries<T: Touching, S: PairSum>(
    tree: &T,
    order: &[u32],
    boxes: &[Sides],
    threads: usize,
) -> S {
    let of_part = |part: Range<usize>| {
        let (mut scratch, mut sum) = (T::Scratch::default(), S::default());
        for &row in &order[part] {
            let own = boxes[row as usize];
            tree.touching(&own, &mut scratch, |other| {
                if other > row && (T::EXACT || overlap(&own, &boxes[other as usize])) {
                    sum.add(row, other);
                }
            });
        }
        sum
    };
    sum_of_parts(order.len(), (threads, PARTS_EACH), of_part)
}

/// The rows that are asked for, in an order in which one question follows another nearby: that makes a tree two to three
/// times as fast. It is made before a frame, and not timed.
#[derive(Default)]
pub struct SpatialOrder {
    rows: Vec<u32>,
    age: u32,
}

impl SpatialOrder {
    /// For how many frames an order is good.
    const LASTS: u32 = 30;

    /// The first `movers` rows, in the order of space as it was not long ago.
    pub fn refreshed(&mut self, boxes: &[Sides], movers: usize) -> &[u32] {
        if self.rows.len() != movers || self.age == Self::LASTS {
            let mut bounds = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
            for sides in boxes {
                for axis in 0..2 {
                    bounds[0][axis] = bounds[0][axis].min(sides[axis]);
                    bounds[1][axis] = bounds[1][axis].max(sides[axis]);
                }
            }
            let [low, high] = bounds.map(|corner| corner.map(f64::from));
            let scale = [0, 1]
                .map(|axis| f64::from(u32::MAX) / (high[axis] - low[axis]).max(f64::MIN_POSITIVE));
            self.rows = (0..movers as u32).collect();
            self.rows.sort_by_cached_key(|&row| {
                let corner = &boxes[row as usize];
                let [x, y] =
                    [0, 1].map(|axis| ((f64::from(corner[axis]) - low[axis]) * scale[axis]) as u32);
                spread(x) | spread(y) << 1
            });
            self.age = 0;
        }
        self.age += 1;
        &self.rows
    }

    /// As it was last refreshed.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }
}

/// A bit of room after every bit.
fn spread(value: u32) -> u64 {
    let mut bits = u64::from(value);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}
