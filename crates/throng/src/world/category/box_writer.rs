//! The boxes of consecutive rows, written by one task, and what that changes about all rows of their category.

use parking_lot::Mutex;
use throng_core::for_both;
use throng_core::lanes::{Kernel, Lanes};

use crate::tune::sizes::{SizeChanges, SizeCounts, step_of};
use crate::world::columns::BoxesMut;
use crate::world::given_boxes::{GivenBoxes, OfEach, SEVERAL, SeveralBoxes};
use crate::world::ids::Row;
use crate::world::routing::Staying;

/// Writes the boxes of consecutive rows: a kernel, so that what is done for several at a time is compiled for each instruction set.
pub(super) struct WriteBoxes<'a, 'm, 'c, B> {
    pub(super) boxes: &'a B,
    pub(super) staying: Staying<'a>,
    /// The row of the first.
    pub(super) first: usize,
    pub(super) columns: BoxesMut<'c>,
    /// Whether the category knows the size of every row; if it does, and stores none, they do not change.
    pub(super) knows_sizes: bool,
    pub(super) changes: BoxChanges<'m, 'c>,
}

impl<B: GivenBoxes> Kernel for WriteBoxes<'_, '_, '_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, _: L) {
        let rows = self.columns.len();
        for row in (0..rows).step_by(SEVERAL) {
            let several = if rows - row >= SEVERAL {
                self.boxes.several(self.first + row)
            } else {
                None
            };
            match several {
                Some(several) if self.staying.keeps_all(&several) => {
                    self.write_several(row, &several)
                }
                _ => {
                    for row in row..(row + SEVERAL).min(rows) {
                        self.write(row);
                    }
                }
            }
        }
    }
}

impl<B: GivenBoxes> WriteBoxes<'_, '_, '_, B> {
    #[inline(always)]
    fn write_several(&mut self, row: usize, several: &SeveralBoxes) {
        let now = &several.half_extents;
        match self.columns.write_several(row, several) {
            Some(before) => self.changes.count(self.first + row, &before, now),
            None if self.knows_sizes => {}
            None => self.changes.count_new(now),
        }
    }

    fn write(&mut self, row: usize) {
        let extent = self.boxes.extent(self.first + row);
        let fitted = extent.ok().and_then(|extent| self.staying.fit(&extent));
        let Some(fitted) = fitted else {
            self.changes.left.push((self.first + row) as Row);
            return;
        };
        let of_one = |half: [f32; 2]| half.map(|half| [half]);
        let now = of_one(fitted.half_extents);
        match self.columns.write(row, fitted) {
            Some(before) => self.changes.count(self.first + row, &of_one(before), &now),
            None if self.knows_sizes => {}
            None => self.changes.count_new(&now),
        }
    }
}

/// What a category keeps about all its rows, while several tasks write their boxes.
pub(super) struct OfAllRows<'c> {
    pub(super) sizes: &'c mut SizeCounts,
    pub(super) largest: &'c mut [f32; 2],
    /// If the category is exact: how many are not as large as the bound.
    pub(super) unlike: Option<&'c mut usize>,
    pub(super) written: &'c mut bool,
    /// Rows that keep what they have.
    pub(super) left: &'c mut Vec<Row>,
    /// Rows whose size is another, if anyone wants to know.
    pub(super) resized: Option<&'c mut Vec<Row>>,
}

/// What one task changes about that: told when it ends, also if it panics, because the rows before are written.
pub(super) struct BoxChanges<'m, 'c> {
    of_all: &'m Mutex<OfAllRows<'c>>,
    lists_resized: bool,
    bound: [f32; 2],
    sizes: SizeChanges,
    largest: [f32; 2],
    /// How many more rows are not as large as the bound.
    unlike: isize,
    are_any_resized: bool,
    left: Vec<Row>,
}

impl<'m, 'c> BoxChanges<'m, 'c> {
    pub(super) fn new(of_all: &'m Mutex<OfAllRows<'c>>, bound: [f32; 2]) -> Self {
        Self {
            of_all,
            lists_resized: of_all.lock().resized.is_some(),
            bound,
            sizes: SizeChanges::NONE,
            largest: [0.0; 2],
            unlike: 0,
            are_any_resized: false,
            left: Vec::new(),
        }
    }

    /// Counts consecutive rows, from `first` on, whose half extents were others before. Most change little: that a step of sizes, the
    /// bound or the largest is passed is told without a branch for each.
    #[inline(always)]
    fn count<const N: usize>(&mut self, first: usize, before: &OfEach<N>, now: &OfEach<N>) {
        let [x, y] = self.bound;
        let [mut others, mut at_bound, mut pass_steps] = [0_u32; 3];
        for k in 0..N {
            let (before, now) = (half_extents(before, k), half_extents(now, k));
            others |= u32::from(before[0] != now[0]) | u32::from(before[1] != now[1]);
            at_bound |= u32::from(before[0] == x) & u32::from(before[1] == y);
            at_bound |= u32::from(now[0] == x) & u32::from(now[1] == y);
            pass_steps |= u32::from(step_of(before) != step_of(now)) << k;
        }
        if others == 0 {
            return;
        }
        self.are_any_resized = true;
        self.note_largest(now);
        if at_bound == 1 {
            for k in 0..N {
                self.unlike += isize::from(half_extents(now, k) != self.bound);
                self.unlike -= isize::from(half_extents(before, k) != self.bound);
            }
        }
        while pass_steps != 0 {
            let k = pass_steps.trailing_zeros() as usize;
            self.sizes
                .replace(half_extents(before, k), half_extents(now, k));
            pass_steps &= pass_steps - 1;
        }
        if self.lists_resized {
            self.list_resized(first, before, now);
        }
    }

    #[cold]
    fn list_resized<const N: usize>(&mut self, first: usize, before: &OfEach<N>, now: &OfEach<N>) {
        if let Some(list) = &mut self.of_all.lock().resized {
            let resized = (0..N).filter(|&k| half_extents(before, k) != half_extents(now, k));
            list.extend(resized.map(|k| (first + k) as Row));
        }
    }

    /// Counts rows where no sizes are stored.
    #[inline(always)]
    fn count_new<const N: usize>(&mut self, now: &OfEach<N>) {
        self.note_largest(now);
        let [half_xs, half_ys] = now;
        for (&half_x, &half_y) in half_xs.iter().zip(half_ys) {
            self.sizes.add([half_x, half_y]);
        }
    }

    #[inline(always)]
    fn note_largest<const N: usize>(&mut self, now: &OfEach<N>) {
        let [x, y] = self.largest;
        let mut are_larger = 0;
        let [half_xs, half_ys] = now;
        for (half_x, half_y) in half_xs.iter().zip(half_ys) {
            are_larger |= u32::from(*half_x > x) | u32::from(*half_y > y);
        }
        if are_larger == 1 {
            for axis in [0, 1] {
                for half in now[axis] {
                    self.largest[axis] = self.largest[axis].max(half);
                }
            }
        }
    }
}

#[inline(always)]
fn half_extents<const N: usize>(of: &OfEach<N>, k: usize) -> [f32; 2] {
    [of[0][k], of[1][k]]
}

impl Drop for BoxChanges<'_, '_> {
    fn drop(&mut self) {
        let mut of_all = self.of_all.lock();
        of_all.sizes.apply(&self.sizes);
        *of_all.largest = for_both(|axis| of_all.largest[axis].max(self.largest[axis]));
        if let Some(unlike) = &mut of_all.unlike {
            **unlike = unlike.wrapping_add_signed(self.unlike);
        }
        *of_all.written |= self.are_any_resized;
        of_all.left.append(&mut self.left);
    }
}
