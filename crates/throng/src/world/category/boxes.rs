//! The boxes of rows, written one by one or as a column.
//!
//! A column is written by tasks, each of which takes consecutive rows and is a kernel: what is done to several boxes at a time is
//! compiled for each instruction set.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use parking_lot::Mutex;
use throng_core::lanes::{Kernel, Lanes, Simd};
use throng_core::{Executor, Handle, for_both, run_each};

use super::Category;
use crate::tune::sizes::{SizeChanges, SizeCounts, step_of};
use crate::world::columns::BoxesMut;
use crate::world::given_boxes::{GivenBoxes, OfEach, SEVERAL, SeveralBoxes};
use crate::world::ids::{ProxyPool, Row, is_named};
use crate::world::proxy::Extent;
use crate::world::routing::{Fitted, Staying};

/// How many rows one task writes: for some fifty microseconds.
const TASK: usize = 1 << 13;
const _: () = assert!(TASK.is_multiple_of(SEVERAL) && SEVERAL == u16::BITS as usize);

impl Category {
    /// Moves and resizes a row.
    pub(crate) fn write_extent(&mut self, row: Row, extent: &Extent) {
        if self.structure.is_scenery() {
            self.note_then(row as usize);
        }
        let size = self.size_and_sides(row as usize);
        self.note_change(row as usize);
        self.uncount_size(row as usize);
        self.store_extent(row, extent);
        self.note_written(row as usize);
        if self.size_and_sides(row as usize) != size {
            self.wake_unless_scenery(row as usize);
        }
    }

    /// Moves and resizes a row that is no scenery. That it is written, the caller has to note.
    #[inline]
    pub(crate) fn write_box(&mut self, row: usize, fitted: Fitted) {
        let (center, half) = (fitted.center, fitted.half_extents);
        if self.exact && half != self.bound {
            self.store_sizes();
        }
        let moved = self.columns.center(row).map(f32::to_bits) != center.map(f32::to_bits);
        let before = self.columns.boxes_mut().write(row, fitted);
        self.written |= moved;
        self.largest = for_both(|axis| self.largest[axis].max(half[axis]));
        match before {
            Some(before) if before != half => {
                self.written = true;
                self.sizes.replace(before, half);
                if self.exact {
                    self.unlike += usize::from(half != self.bound);
                    self.unlike -= usize::from(before != self.bound);
                }
                if self.stillness.is_some() {
                    self.note_resized(row);
                }
            }
            None if !self.knows_sizes() => {
                self.sizes.forget_one(self.len() - 1);
                self.sizes.add(half, 1);
            }
            _ => {}
        }
    }

    /// To be called when a row that is no scenery, and may rest, has another size.
    fn note_resized(&mut self, row: usize) {
        self.note_change(row);
        self.wake(row);
    }

    /// Moves and resizes every row. Those for which there is no box, or one that may not stay in this category, keep what they have,
    /// and are listed in order; so are those that come to differ from the bound where no other size is stored. O(rows).
    ///
    /// If `boxes` panics, some rows are written already.
    pub(crate) fn write_boxes(
        &mut self,
        boxes: &impl GivenBoxes,
        staying: Staying<'_>,
        pool: &ProxyPool,
        executor: &dyn Executor,
        left: &mut Vec<Row>,
    ) {
        let (rows, bound) = (self.len(), self.bound);
        let simd = Simd::new(self.simd).expect("the config was checked");
        self.note_all_written();
        // If one of the first is of another size, as most will be, sizes are stored before many are left for that reason.
        let is_unlike =
            |row| matches!(boxes.extent(row), Ok(extent) if extent.half_extents != bound);
        let are_stored = self.columns.half_extents.is_allocated();
        if self.exact && !are_stored && (0..rows.min(SEVERAL)).any(is_unlike) {
            self.store_sizes();
        }
        let sizes = if self.columns.half_extents.is_allocated() {
            Sizes::Stored
        } else if self.exact {
            Sizes::OfBound
        } else {
            Sizes::Unknown
        };
        let mut resized = Vec::new();
        if let Some(stillness) = &mut self.stillness {
            resized = std::mem::take(&mut *stillness.resized);
            resized.clear();
            resized.resize(rows.div_ceil(SEVERAL), 0);
        }
        let of_all = Mutex::new(OfAllRows {
            sizes: &mut self.sizes,
            replaces_sizes: sizes == Sizes::Unknown,
            largest: &mut self.largest,
            unlike: self.exact.then_some(&mut self.unlike),
            written: &mut self.written,
            left,
        });
        let (ids, mut columns) = self.columns.ids_and_boxes_mut();
        let named = Named { pool, ids };
        let mut words = &mut resized[..];
        let tasks = (0..rows.div_ceil(TASK)).map(|_| {
            let some = words.len().min(TASK / SEVERAL);
            let resized = words.split_off_mut(..some).expect("there are as many");
            (columns.split_off_first(TASK), resized)
        });
        let write = || {
            run_each(executor, tasks, |task, (columns, resized)| {
                simd.run(WriteBoxes {
                    boxes,
                    staying,
                    named,
                    first: task * TASK,
                    columns,
                    sizes,
                    changes: BoxChanges::new(&of_all, bound, resized),
                });
            });
        };
        let written = catch_unwind(AssertUnwindSafe(write));
        left.sort_unstable();
        for (first, &word) in (0..).step_by(SEVERAL).zip(&resized) {
            for row in of_bits(u32::from(word)) {
                self.note_resized(first + row);
            }
        }
        if let Some(stillness) = &mut self.stillness {
            *stillness.resized = resized;
        }
        written.unwrap_or_else(|panic| resume_unwind(panic));
    }

    /// Writes center and size of a row, and counts the size.
    pub(super) fn store_extent(&mut self, row: Row, extent: &Extent) {
        if self.exact && extent.half_extents != self.bound {
            self.store_sizes();
            self.unlike += 1;
        }
        self.columns.write_extent(row, extent);
        self.written = true;
        self.largest = for_both(|axis| self.largest[axis].max(extent.half_extents[axis]));
        let size = self.half_extents(row as usize, extent.half_extents);
        self.sizes.add(size, 1);
    }
}

/// What is known of sizes in a category that is no scenery.
#[derive(Clone, Copy, PartialEq)]
enum Sizes {
    /// They are stored.
    Stored,
    /// All are as large as the bound, and none is stored.
    OfBound,
    /// They are never stored.
    Unknown,
}

/// Tells who was put into its category by name, and so never goes elsewhere.
#[derive(Clone, Copy)]
struct Named<'c> {
    pool: &'c ProxyPool,
    ids: &'c [Handle],
}

impl Named<'_> {
    fn contain(&self, row: usize) -> bool {
        is_named(self.pool, self.ids[row])
    }
}

/// Writes the boxes of consecutive rows.
struct WriteBoxes<'a, 'm, 'c, B> {
    boxes: &'a B,
    staying: Staying<'a>,
    named: Named<'a>,
    /// The row of the first.
    first: usize,
    columns: BoxesMut<'c>,
    sizes: Sizes,
    changes: BoxChanges<'m, 'c>,
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
                Some(several) if self.may_write_all(row, &several) => {
                    let before = self.columns.write_several(row, &several);
                    self.count(row, before.as_ref(), &several.half_extents);
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
    /// Whether several boxes all stay, and are stored as they are.
    #[inline(always)]
    fn may_write_all(&self, row: usize, several: &SeveralBoxes) -> bool {
        self.staying.fits_all(several)
            && (self.staying.keeps_all(several) || self.are_all_named(row))
            && (self.sizes != Sizes::OfBound || several.are_all_of(self.changes.bound))
    }

    #[cold]
    fn are_all_named(&self, row: usize) -> bool {
        let first = self.first + row;
        (first..first + SEVERAL).all(|row| self.named.contain(row))
    }

    fn write(&mut self, row: usize) {
        let of_all = self.first + row;
        let fitted = self.boxes.extent(of_all).ok().and_then(|extent| {
            let is_named = || self.named.contain(of_all);
            self.staying.fit(&extent, is_named)
        });
        let is_storable = |fitted: &Fitted| {
            self.sizes != Sizes::OfBound || fitted.half_extents == self.changes.bound
        };
        match fitted.filter(is_storable) {
            Some(fitted) => {
                let of_one = |half: [f32; 2]| half.map(|half| [half]);
                let before = self.columns.write(row, fitted).map(of_one);
                self.count(row, before.as_ref(), &of_one(fitted.half_extents));
            }
            None => self.changes.left.push(of_all as Row),
        }
    }

    /// Counts consecutive rows that are written.
    #[inline(always)]
    fn count<const N: usize>(&mut self, row: usize, before: Option<&OfEach<N>>, now: &OfEach<N>) {
        match (before, self.sizes) {
            (Some(before), _) => self.changes.count(row, before, now),
            (None, Sizes::Unknown) => self.changes.count_new(now),
            (None, _) => {}
        }
    }
}

/// What a category keeps about all its rows, while several tasks write their boxes.
struct OfAllRows<'c> {
    sizes: &'c mut SizeCounts,
    /// Whether what is counted from now on is all there is.
    replaces_sizes: bool,
    largest: &'c mut [f32; 2],
    /// If the category is exact: how many are not as large as the bound.
    unlike: Option<&'c mut usize>,
    written: &'c mut bool,
    /// Rows that keep what they have.
    left: &'c mut Vec<Row>,
}

/// What one task changes of that. Added when the task ends, even by a panic: the rows before it are written by then.
struct BoxChanges<'m, 'c> {
    of_all: &'m Mutex<OfAllRows<'c>>,
    bound: [f32; 2],
    sizes: SizeChanges,
    largest: [f32; 2],
    /// How many more rows are not as large as the bound.
    unlike: isize,
    are_any_resized: bool,
    /// A bit for each row of the task whose size has changed, if its rows may rest; otherwise empty.
    resized: &'c mut [u16],
    left: Vec<Row>,
}

impl<'m, 'c> BoxChanges<'m, 'c> {
    fn new(of_all: &'m Mutex<OfAllRows<'c>>, bound: [f32; 2], resized: &'c mut [u16]) -> Self {
        Self {
            of_all,
            bound,
            sizes: SizeChanges::NONE,
            largest: [0.0; 2],
            unlike: 0,
            are_any_resized: false,
            resized,
            left: Vec::new(),
        }
    }

    /// Counts consecutive rows of the task whose half extents were `before` and are `now`. Usually none passes the bound or the
    /// largest, and few pass a step: that is told of all at once.
    #[inline(always)]
    fn count<const N: usize>(&mut self, row: usize, before: &OfEach<N>, now: &OfEach<N>) {
        let [x, y] = self.bound;
        let [mut others, mut at_bound, mut pass_steps] = [0_u32; 3];
        for k in 0..N {
            let (before, now) = (half_extents_of(before, k), half_extents_of(now, k));
            let is_other = u32::from(before[0] != now[0]) | u32::from(before[1] != now[1]);
            others |= is_other << k;
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
                self.unlike += isize::from(half_extents_of(now, k) != self.bound);
                self.unlike -= isize::from(half_extents_of(before, k) != self.bound);
            }
        }
        for k in of_bits(pass_steps) {
            let (before, now) = (half_extents_of(before, k), half_extents_of(now, k));
            self.sizes.replace(before, now);
        }
        if let Some(word) = self.resized.get_mut(row / SEVERAL) {
            *word |= (others << (row % SEVERAL)) as u16;
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

/// The places of the bits that are set, in order.
#[inline(always)]
fn of_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        let is_any = bits != 0;
        bits &= bits.wrapping_sub(1);
        is_any.then_some(place)
    })
}

/// The half extents of one of several boxes.
#[inline(always)]
fn half_extents_of<const N: usize>(of: &OfEach<N>, k: usize) -> [f32; 2] {
    [of[0][k], of[1][k]]
}

impl Drop for BoxChanges<'_, '_> {
    fn drop(&mut self) {
        let of_all = &mut *self.of_all.lock();
        if !self.sizes.are_none() && std::mem::take(&mut of_all.replaces_sizes) {
            of_all.sizes.clear();
        }
        of_all.sizes.apply(&self.sizes);
        *of_all.largest = for_both(|axis| of_all.largest[axis].max(self.largest[axis]));
        if let Some(unlike) = &mut of_all.unlike {
            let now = unlike.checked_add_signed(self.unlike);
            **unlike = now.expect("those that are not any more were counted");
        }
        *of_all.written |= self.are_any_resized;
        of_all.left.append(&mut self.left);
    }
}
