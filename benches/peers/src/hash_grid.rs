//! A peer that needs no library: the hash grid that an afternoon yields.

use throng_benches::{Population, Sides};

use crate::parts::sum_of_parts;
use crate::{Found, PairSum, Peer, Stopwatch};

/// How many times the mean extent a cell is wide; 1.5 to 4 were tried.
const CELL: f32 = 2.0;
/// Parts for each thread.
const PARTS_EACH: usize = 16;

/// Cells hashed into a table of buckets, filled by a counting sort; a box in every cell that it touches, and a pair
/// reported in the cell that holds the lower corner of what the two share.
#[derive(Default)]
pub struct HashGrid {
    boxes: Vec<Sides>,
    movers: u32,
    cell: f32,
    /// Where each bucket begins, and where the last one ends.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// A box in one of its cells.
#[derive(Clone, Copy, Default)]
struct Entry {
    sides: Sides,
    cell: [i32; 2],
    row: u32,
}

impl Peer for HashGrid {
    fn name(&self) -> &'static str {
        "hash grid"
    }

    fn way(&self) -> &'static str {
        "written here in an afternoon's way: cells twice the mean extent wide, a counting sort into a hash table, copies in \
         every cell; on more threads buckets in parts, the sort on one"
    }

    fn prepare(&mut self, population: &Population) {
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        self.movers = population.movers() as u32;
        let extents = self.boxes.iter().map(|[min_x, min_y, max_x, max_y]| {
            f64::from(max_x - min_x) + f64::from(max_y - min_y)
        });
        let mean = 0.5 * extents.sum::<f64>() / self.boxes.len().max(1) as f64;
        self.cell = (CELL * mean as f32).max(f32::MIN_POSITIVE);
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let started = Stopwatch::start(threads);
        self.fill();
        let buckets = self.starts.len() - 1;
        let sum = sum_of_parts(buckets, (threads, PARTS_EACH), |buckets| {
            self.pairs(buckets)
        });
        Found::since(started, sum)
    }
}

impl HashGrid {
    fn fill(&mut self) {
        let buckets = self.boxes.len().next_power_of_two().max(2);
        let inverse = 1.0 / self.cell;
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for sides in &self.boxes {
            for_each_cell(sides, inverse, |cell| {
                self.starts[bucket_of(cell, buckets)] += 1;
            });
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(sum as usize, Entry::default());
        for (sides, row) in self.boxes.iter().zip(0..) {
            for_each_cell(sides, inverse, |cell| {
                let place = &mut self.starts[bucket_of(cell, buckets)];
                *place -= 1;
                self.entries[*place as usize] = Entry {
                    sides: *sides,
                    cell,
                    row,
                };
            });
        }
    }

    fn pairs<S: PairSum>(&self, buckets: std::ops::Range<usize>) -> S {
        let inverse = 1.0 / self.cell;
        let mut sum = S::default();
        for bucket in buckets {
            let [start, end] = [bucket, bucket + 1].map(|bucket| self.starts[bucket] as usize);
            let entries = &self.entries[start..end];
            for (index, a) in entries.iter().enumerate() {
                for b in &entries[index + 1..] {
                    let corner = [0, 1].map(|axis| a.sides[axis].max(b.sides[axis]));
                    if overlap(&a.sides, &b.sides)
                        && a.cell == b.cell
                        && corner.map(|at| cell_of(at, inverse)) == a.cell
                        && a.row.min(b.row) < self.movers
                    {
                        sum.add(a.row, b.row);
                    }
                }
            }
        }
        sum
    }
}

/// Whether two boxes overlap, touching included.
pub(crate) fn overlap(a: &Sides, b: &Sides) -> bool {
    (a[0] <= b[2]) & (b[0] <= a[2]) & (a[1] <= b[3]) & (b[1] <= a[3])
}

fn cell_of(at: f32, inverse: f32) -> i32 {
    (at * inverse).floor() as i32
}

fn for_each_cell(sides: &Sides, inverse: f32, mut visit: impl FnMut([i32; 2])) {
    let [min_x, min_y, max_x, max_y] = sides.map(|at| cell_of(at, inverse));
    for y in min_y..=max_y {
        for x in min_x..=max_x {
            visit([x, y]);
        }
    }
}

/// Of a power of two.
fn bucket_of([x, y]: [i32; 2], buckets: usize) -> usize {
    let mixed = (x as u32 as u64 | (y as u32 as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize & (buckets - 1)
}
