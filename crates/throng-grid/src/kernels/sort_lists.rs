//! Sixteen lists of rows, each put into ascending order: a lane each, by a network of comparisons.
//!
//! Which two places of a list are compared next does not depend on their contents, so no branch depends on the data,
//! and sixteen lists of about the same length cost as much as one (K. E. Batcher, "Sorting networks and their
//! applications", 1968: the merge of odd and even). Tried instead: counting for each row how many of its list are not
//! below it, which has no such branch either, but is quadratic.

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

/// Sorts the keys of sixteen lists, which begin `room` apart. `room` must hold the longest of them in whole groups, and
/// one group more. `columns` is scratch, with room for the longest.
#[inline(always)]
pub(super) fn sort_lists<L: Lanes>(
    lanes: L,
    lists: &mut [f32],
    room: usize,
    lens: &[u32; LANES],
    columns: &mut [Column],
) {
    let longest = lens.iter().copied().max().unwrap_or(0) as usize;
    let end = lanes.splat(f32::INFINITY);
    for (row, &len) in lens.iter().enumerate() {
        for at in (len as usize..longest).step_by(LANES) {
            lanes.store(chunk_mut(lists, row * room + at), end);
        }
    }
    for at in (0..longest).step_by(LANES) {
        let mut rows = [end; LANES];
        for (row, group) in rows.iter_mut().enumerate() {
            *group = lanes.load(chunk(lists, row * room + at));
        }
        for (to, column) in columns[at..].iter_mut().zip(lanes.transpose(rows)) {
            lanes.store(&mut to.0, column);
        }
    }
    sort_columns(lanes, &mut columns[..longest]);
    for at in (0..longest).step_by(LANES) {
        let mut rows = [end; LANES];
        for (group, column) in rows.iter_mut().zip(&columns[at..]) {
            *group = lanes.load(&column.0);
        }
        for (row, group) in lanes.transpose(rows).into_iter().enumerate() {
            lanes.store(chunk_mut(lists, row * room + at), group);
        }
    }
}

/// Sorts each lane by itself: what is sorted already, in stretches of 1, 2, 4 and so on, is merged two by two.
#[inline(always)]
fn sort_columns<L: Lanes>(lanes: L, columns: &mut [Column]) {
    let len = columns.len();
    let mut sorted = 1;
    while sorted < len {
        let mut apart = sorted;
        while apart > 0 {
            let mut first = apart % sorted;
            while first + apart < len {
                // The last of one merge and the first of the next have nothing to do with each other.
                if apart == sorted || (first + apart) % (2 * sorted) != 0 {
                    let (low, high) = columns[first..].split_at_mut(apart);
                    for (low, high) in low.iter_mut().zip(high) {
                        let (a, b) = (lanes.load(&low.0), lanes.load(&high.0));
                        lanes.store(&mut low.0, lanes.lower(a, b));
                        lanes.store(&mut high.0, lanes.higher(a, b));
                    }
                }
                first += 2 * apart;
            }
            apart /= 2;
        }
        sorted *= 2;
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
