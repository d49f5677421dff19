//! The part of an update that touches every row: it writes new boxes into bundles, for rows that stay in their leaf.
//!
//! Plain Rust without branches on lanes, compiled for each instruction set.

use crate::quadtree::bundles::{Bundle, Link};
use crate::quadtree::nodes::{Bounds, Cell, NONE, NOTHING, Nodes};
use crate::quadtree::region::Region;
use educe::Educe;
use throng_core::lanes::{Kernel, Lanes};
use throng_core::{LANES, Simd};

/// What a task of the pass finds.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(super) struct TaskOutput {
    /// Bundles in which a box has changed.
    pub changed: Vec<u32>,
    /// Bundles with a row that is gone or belongs to another leaf now.
    pub unsettled: Vec<u32>,
    /// Rows whose box has changed.
    pub moved: usize,
}

impl TaskOutput {
    /// Makes the lists long enough for all that some bundles can ever put there, but not many times longer. Otherwise,
    /// with many lists that are only as long as needed so far, one of them would still grow now and then, even after
    /// years.
    pub fn make_room(&mut self, bundles: usize) {
        for list in [&mut self.changed, &mut self.unsettled] {
            list.reserve(bundles);
            list.shrink_to(4 * bundles);
        }
    }

    /// How many words of memory the lists take.
    pub fn words(&self) -> usize {
        self.changed.capacity() + self.unsettled.capacity()
    }
}

/// What every task of the pass reads.
pub(super) struct Pass<'a> {
    /// The box of each row; NaN for rows that are not held.
    pub staged: &'a [Bounds],
    pub nodes: &'a Nodes,
    pub region: Region,
}

impl Pass<'_> {
    /// Writes the boxes of rows that stay to some bundles; `first` is the number of the first one.
    pub fn write(
        &self,
        simd: Simd,
        first: u32,
        bundles: &mut [Bundle],
        links: &mut [Link],
        output: &mut TaskOutput,
    ) {
        simd.run(Write {
            pass: self,
            first,
            bundles,
            links,
            output,
        });
    }

    #[inline(always)]
    fn write_all(
        &self,
        first: u32,
        bundles: &mut [Bundle],
        links: &mut [Link],
        output: &mut TaskOutput,
    ) {
        for (index, (bundle, link)) in (first..).zip(bundles.iter_mut().zip(links)) {
            if link.len > 0 {
                self.write_bundle(index, bundle, link, output);
            }
        }
    }

    #[inline(always)]
    fn write_bundle(
        &self,
        index: u32,
        bundle: &mut Bundle,
        link: &mut Link,
        output: &mut TaskOutput,
    ) {
        let cell = self.nodes.cell(link.owner);
        let mut fresh = self.fetch(bundle);
        // Lane by lane, in inner loops of fixed length without branches, which compile to vector instructions. Almost
        // always, all rows stay.
        let (mut misplaced, mut differs) = ([0_u32; LANES], [0_u32; LANES]);
        for (axis, at) in [cell.x, cell.y].into_iter().enumerate() {
            let (min, max) = (&fresh.sides[axis], &fresh.sides[axis + 2]);
            for lane in 0..LANES {
                let fine_cell = self.region.fine_cell_along(axis, min[lane], max[lane]);
                // NaN if the row is gone.
                let held = min[lane] <= max[lane];
                misplaced[lane] |= (fine_cell >> cell.shift ^ at) | u32::from(!held);
            }
        }
        for (fresh, old) in fresh.sides.iter().zip(&bundle.sides) {
            for lane in 0..LANES {
                differs[lane] |= u32::from(fresh[lane] != old[lane]);
            }
        }
        let (mut any_misplaced, mut moved) = (0, 0);
        for lane in 0..LANES {
            let used = bundle.rows[lane] != NONE;
            any_misplaced |= if used { misplaced[lane] } else { 0 };
            moved += if used { differs[lane] } else { 0 };
        }
        let all_stay = any_misplaced == 0;
        if !all_stay {
            moved = self.restore_misplaced(&mut fresh, bundle, cell);
            output.unsettled.push(index);
        }
        if moved > 0 {
            output.moved += moved as usize;
            output.changed.push(index);
            bundle.sides = fresh.sides;
            link.bounds = fresh.bounds();
            link.stale = false;
        }
    }

    /// Restores the old boxes of rows that are gone or belong elsewhere, for now. Returns how many of all rows have
    /// moved.
    #[inline(never)]
    fn restore_misplaced(&self, fresh: &mut Bundle, bundle: &Bundle, cell: Cell) -> u32 {
        let mut moved = 0;
        for lane in 0..LANES {
            let (new, old) = (fresh.bounds_of(lane), bundle.bounds_of(lane));
            let [x0, y0, x1, y1] = new;
            let held = x0 <= x1;
            moved += u32::from(held && new != old);
            if !(held && cell.holds(self.region.fine_cell([x0, y0], [x1, y1]))) {
                fresh.set_bounds(lane, old);
            }
        }
        moved
    }

    /// The new boxes of a bundle's rows; NaN for a row that is gone.
    #[inline(always)]
    fn fetch(&self, bundle: &Bundle) -> Bundle {
        let new: [Bounds; LANES] = bundle
            .rows
            .map(|row| self.staged.get(row as usize).copied().unwrap_or(NOTHING));
        let mut fresh = Bundle {
            sides: [[f32::NAN; LANES]; 4],
            rows: bundle.rows,
        };
        for (lane, bounds) in new.into_iter().enumerate() {
            fresh.set_bounds(lane, bounds);
        }
        fresh
    }
}

struct Write<'a> {
    pass: &'a Pass<'a>,
    first: u32,
    bundles: &'a mut [Bundle],
    links: &'a mut [Link],
    output: &'a mut TaskOutput,
}

impl Kernel for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.pass
            .write_all(self.first, self.bundles, self.links, self.output);
    }
}
