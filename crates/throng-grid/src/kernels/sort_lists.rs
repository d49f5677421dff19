//! Sixteen lists of rows, each put into ascending order: a lane each, by a network of comparisons.
//!
//! Which two places of a list are compared next does not depend on their contents, so no branch depends on the data,
//! and sixteen lists of about the same length cost as much as one. Sixteen places at a time are sorted in registers, by the
//! network of M. W. Green (1969, in D. E. Knuth, "The Art of Computer Programming", volume 3, section 5.3.4); what is sorted is
//! merged two by two (K. E. Batcher, "Sorting networks and their applications", 1968: the bitonic merge), of which most is
//! again sixteen places in registers. Tried instead: Batcher's merge of odd and even throughout, which loads and stores each place
//! for each comparison, and takes 1.4 times as long for lists of twenty, 1.9 times for lists of sixty; to do the first step of a
//! merge in registers too, which is slower, because there are not enough of them; counting for each row how many of its list are
//! not below it, which has no such branch either, but is quadratic.

use crate::marks::row_of;
use throng_core::LANES;
use throng_core::lanes::{Lanes, chunk, chunk_mut};

/// Longer lists are left to the standard library.
pub(super) const MOST: usize = 256;

/// A place in each of sixteen lists. A cache line by itself, and not half of two: each is read and written some twenty times.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Column([f32; LANES]);

impl Column {
    pub const EMPTY: Self = Self([f32::NAN; LANES]);
}

/// Compares places two by two: the lower goes to the first, the higher to the second. Written out, because places in registers
/// have no index.
macro_rules! exchange {
    ($lanes:ident, $v:ident: $($low:literal $high:literal),*) => {
        $(($v[$low], $v[$high]) = in_order($lanes, $v[$low], $v[$high]);)*
    };
}

/// Sorts the keys of sixteen lists, which begin `room` apart. `room` must hold the longest of them in whole groups, and
/// one group more. `columns` is scratch, with room for the longest in whole groups.
#[inline(always)]
pub(super) fn sort_lists<L: Lanes>(
    lanes: L,
    lists: &mut [f32],
    room: usize,
    lens: &[u32; LANES],
    columns: &mut [Column],
) {
    let longest = lens.iter().copied().max().unwrap_or(0) as usize;
    let whole = longest.next_multiple_of(LANES);
    let end = lanes.splat(f32::INFINITY);
    // As often for each, because how often a single one needs it is unpredictable.
    let shortest = lens.iter().copied().min().unwrap_or(0) as usize;
    for behind in (0..whole - shortest).step_by(LANES) {
        for (row, &len) in lens.iter().enumerate() {
            let at = whole.min(len as usize + behind);
            lanes.store(chunk_mut(lists, row * room + at), end);
        }
    }
    let blocks = columns[..whole].as_chunks_mut::<LANES>().0;
    for (at, block) in (0..).step_by(LANES).zip(&mut *blocks) {
        let mut rows = [end; LANES];
        for (row, group) in rows.iter_mut().enumerate() {
            *group = lanes.load(chunk(lists, row * room + at));
        }
        store(lanes, block, sorted(lanes, lanes.transpose(rows)));
    }
    let mut run = 1;
    while run < blocks.len() {
        for both in blocks.chunks_mut(2 * run) {
            if both.len() > run {
                merge(lanes, both, run);
            }
        }
        run *= 2;
    }
    for (at, block) in (0..).step_by(LANES).zip(&*blocks) {
        let rows = lanes.transpose(load(lanes, block));
        for (row, group) in rows.into_iter().enumerate() {
            lanes.store(chunk_mut(lists, row * room + at), group);
        }
    }
}

/// Merges the first `run` blocks with the others, which are no more: each lane of either ascends. Where there are fewer, the
/// missing ones count as higher than all, and stay where they are.
#[inline(always)]
fn merge<L: Lanes>(lanes: L, blocks: &mut [[Column; LANES]], run: usize) {
    let (low, high) = blocks.split_at_mut(run);
    // The last with the first, and so on outwards: from then on, whatever is in one half is in order with all of the other.
    let outwards = low.as_flattened_mut().iter_mut().rev();
    for (low, high) in outwards.zip(high.as_flattened_mut()) {
        exchange_columns(lanes, low, high);
    }
    let mut apart = run / 2;
    while apart > 0 {
        for both in blocks.chunks_mut(2 * apart) {
            let (low, high) = both.split_at_mut(apart.min(both.len()));
            let pairs = low
                .as_flattened_mut()
                .iter_mut()
                .zip(high.as_flattened_mut());
            for (low, high) in pairs {
                exchange_columns(lanes, low, high);
            }
        }
        apart /= 2;
    }
    for block in blocks {
        let merged = merged(lanes, load(lanes, block));
        store(lanes, block, merged);
    }
}

/// Sixteen places, sorted.
#[inline(always)]
fn sorted<L: Lanes>(lanes: L, mut v: [L::Floats; LANES]) -> [L::Floats; LANES] {
    exchange!(lanes, v: 0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15);
    exchange!(lanes, v: 0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15);
    exchange!(lanes, v: 0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15);
    exchange!(lanes, v: 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15);
    exchange!(lanes, v: 5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2);
    exchange!(lanes, v: 1 4, 7 13, 2 8, 11 14);
    exchange!(lanes, v: 2 4, 5 6, 9 10, 11 13, 3 8, 7 12);
    exchange!(lanes, v: 6 8, 10 12, 3 5, 7 9);
    exchange!(lanes, v: 3 4, 5 6, 7 8, 9 10, 11 12);
    exchange!(lanes, v: 6 7, 8 9);
    v
}

/// Sixteen places, sorted, if they ascend and then descend, or the other way round.
#[inline(always)]
fn merged<L: Lanes>(lanes: L, mut v: [L::Floats; LANES]) -> [L::Floats; LANES] {
    exchange!(lanes, v: 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15);
    exchange!(lanes, v: 0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15);
    exchange!(lanes, v: 0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15);
    exchange!(lanes, v: 0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15);
    v
}

#[inline(always)]
fn in_order<L: Lanes>(lanes: L, a: L::Floats, b: L::Floats) -> (L::Floats, L::Floats) {
    (lanes.lower(a, b), lanes.higher(a, b))
}

#[inline(always)]
fn exchange_columns<L: Lanes>(lanes: L, low: &mut Column, high: &mut Column) {
    let (a, b) = in_order(lanes, lanes.load(&low.0), lanes.load(&high.0));
    lanes.store(&mut low.0, a);
    lanes.store(&mut high.0, b);
}

#[inline(always)]
fn load<L: Lanes>(lanes: L, block: &[Column; LANES]) -> [L::Floats; LANES] {
    let mut columns = [lanes.splat(0.0); LANES];
    for (to, column) in columns.iter_mut().zip(block) {
        *to = lanes.load(&column.0);
    }
    columns
}

#[inline(always)]
fn store<L: Lanes>(lanes: L, block: &mut [Column; LANES], columns: [L::Floats; LANES]) {
    for (to, column) in block.iter_mut().zip(columns) {
        lanes.store(&mut to.0, column);
    }
}

/// Sorts a list by itself.
pub(super) fn sort_one(list: &mut [f32]) {
    list.sort_unstable_by_key(|&key| row_of(key));
}

#[cfg(test)]
mod tests {
    use super::{Column, MOST, sort_lists};
    use crate::marks::key_of;
    use throng_core::lanes::{Kernel, Lanes};
    use throng_core::{LANES, Simd, SimdLevel};

    struct Sort<'k>(&'k mut [f32], usize, &'k [u32; LANES]);

    impl Kernel for Sort<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) {
            sort_lists(lanes, self.0, self.1, self.2, &mut [Column::EMPTY; MOST]);
        }
    }

    /// All lengths, also mixed ones.
    #[test]
    fn lists_of_any_length_are_sorted() {
        let room = MOST + LANES + 1;
        for &level in SimdLevel::available() {
            let simd = Simd::new(Some(level)).expect("an available level");
            for longest in 0..=MOST as u32 {
                let lens = std::array::from_fn(|k| match k % 3 {
                    0 => longest,
                    1 => longest / 2,
                    _ => longest.saturating_sub(k as u32),
                });
                // Whatever is behind a list.
                let mut lists = vec![f32::NAN; LANES * room];
                let mut expected = Vec::new();
                for (k, &len) in lens.iter().enumerate() {
                    let rows = (0..len).map(|at| {
                        (at.wrapping_mul(2_654_435_769).wrapping_add(k as u32)) >> 4 & 0xff_ffff
                    });
                    let mut keys: Vec<f32> = rows.map(key_of).collect();
                    lists[k * room..k * room + keys.len()].copy_from_slice(&keys);
                    keys.sort_unstable_by(f32::total_cmp);
                    expected.push(keys);
                }
                simd.run(Sort(&mut lists, room, &lens));
                for (list, expected) in lists.chunks(room).zip(&expected) {
                    assert_eq!(list[..expected.len()], expected[..], "{level}, {longest}");
                }
            }
        }
    }
}
