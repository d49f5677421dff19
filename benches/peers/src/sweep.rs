//! A peer that needs no library: everything sorted along x, and swept.

use throng_benches::{Population, Sides};

use crate::parts::sum_of_parts;
use crate::{Found, PairSum, Peer, Stopwatch};

/// How many boxes are compared at once.
const BLOCK: usize = 8;
/// Parts for each thread.
const PARTS_EACH: usize = 16;

/// A plain sweep, written well: a radix sort by lower x, then columns in that order, compared a block at a time.
///
/// As fast as anything where things are on a line along x, and quadratic where they share their x.
#[derive(Default)]
pub struct Sweep {
    boxes: Vec<Sides>,
    movers: u32,
    /// Lower x as an integer of the same order, above the row.
    keys: Vec<u64>,
    spare: Vec<u64>,
    /// Min x, min y, max x, max y, and then some that begin behind everything.
    columns: [Vec<f32>; 4],
}

impl Peer for Sweep {
    fn name(&self) -> &'static str {
        "sweep on x"
    }

    fn way(&self) -> &'static str {
        "written here: radix sort by lower x, columns in that order, compared eight at a time; on more threads the sweep \
         in parts, the sort on one"
    }

    fn prepare(&mut self, population: &Population) {
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        self.movers = population.movers() as u32;
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let started = Stopwatch::start(threads);
        self.sort();
        let rows = self.boxes.len();
        let sum = sum_of_parts(rows, (threads, PARTS_EACH), |rows| self.sweep(rows));
        Found::since(started, sum)
    }
}

impl Sweep {
    fn sort(&mut self) {
        self.keys.clear();
        let keys = self.boxes.iter().zip(0_u64..);
        self.keys
            .extend(keys.map(|(sides, row)| u64::from(ordered(sides[0])) << 32 | row));
        for shift in [32, 43, 54] {
            sort_by_digit(&self.keys, &mut self.spare, shift);
            std::mem::swap(&mut self.keys, &mut self.spare);
        }
        for (side, column) in self.columns.iter_mut().enumerate() {
            column.clear();
            let sorted = self.keys.iter().map(|&key| self.boxes[row_of(key)][side]);
            column.extend(sorted.chain([f32::INFINITY; BLOCK]));
        }
    }

    /// The pairs of which the first, in order, is at one of these places.
    fn sweep<S: PairSum>(&self, places: std::ops::Range<usize>) -> S {
        let [min_x, min_y, max_x, max_y] = &self.columns;
        let mut sum = S::default();
        for place in places {
            let row = row_of(self.keys[place]) as u32;
            let (end, low, high) = (max_x[place], min_y[place], max_y[place]);
            let mut next = place + 1;
            while min_x[next] <= end {
                let block = next..next + BLOCK;
                let (x, lows, highs) =
                    (&min_x[block.clone()], &min_y[block.clone()], &max_y[block]);
                let mut hits = 0_u32;
                for lane in 0..BLOCK {
                    let hit = (x[lane] <= end) & (lows[lane] <= high) & (low <= highs[lane]);
                    hits |= u32::from(hit) << lane;
                }
                while hits != 0 {
                    let other = row_of(self.keys[next + hits.trailing_zeros() as usize]) as u32;
                    if row.min(other) < self.movers {
                        sum.add(row, other);
                    }
                    hits &= hits - 1;
                }
                // The last of a block may lie in the sentinels, and the first of the next must not lie behind them.
                next = (next + BLOCK).min(self.keys.len());
            }
        }
        sum
    }
}

fn row_of(key: u64) -> usize {
    (key & u64::from(u32::MAX)) as usize
}

/// An integer with the order of the float.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}

/// A counting sort by eleven bits.
fn sort_by_digit(from: &[u64], to: &mut Vec<u64>, shift: u32) {
    let digit = |key: u64| (key >> shift) as usize & 0x7ff;
    let mut places = [0_u32; 0x800];
    from.iter().for_each(|&key| places[digit(key)] += 1);
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    to.resize(from.len(), 0);
    for &key in from {
        let place = &mut places[digit(key)];
        to[*place as usize] = key;
        *place += 1;
    }
}
