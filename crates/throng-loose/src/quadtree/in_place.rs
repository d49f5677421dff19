//! The part of an update that touches every row: new boxes into the bundles, for rows that stay.
//!
//! Plain Rust without a branch on a lane, compiled for each instruction set.

use crate::quadtree::bundles::{Bundle, Link};
use crate::quadtree::nodes::{Bounds, Cell, NONE, NOTHING, Nodes};
use crate::quadtree::region::Region;
use throng_core::lanes::{Kernel, Lanes};
use throng_core::{LANES, Simd};

/// What a task leaves to be done.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Bundles in which a box has changed.
    pub changed: Vec<u32>,
    /// Bundles with a row that is gone or belongs to another leaf now.
    pub strayed: Vec<u32>,
    /// Rows whose box has changed.
    pub moved: usize,
}

impl Part {
    /// Makes the empty lists long enough for some bundles, and not many times that. For all that they can
    /// ever hold: of many lists that are as long as they have to be, one would still grow after years.
    pub fn make_room(&mut self, bundles: usize) {
        for list in [&mut self.changed, &mut self.strayed] {
            list.reserve(bundles);
            list.shrink_to(4 * bundles);
        }
    }

    /// Words of memory that the lists hold.
    pub fn words(&self) -> usize {
        self.changed.capacity() + self.strayed.capacity()
    }
}

/// What every task of the pass reads.
pub(super) struct Pass<'a> {
    /// The box of each row; NaN where there is none.
    pub staged: &'a [Bounds],
    pub nodes: &'a Nodes,
    pub region: Region,
}

impl Pass<'_> {
    /// Writes the boxes of rows that stay in some bundles, the first of which has the number `first`.
    pub fn write(
        &self,
        simd: Simd,
        first: u32,
        bundles: &mut [Bundle],
        links: &mut [Link],
        part: &mut Part,
    ) {
        simd.run(Write {
            pass: self,
            first,
            bundles,
            links,
            part,
        });
    }

    #[inline(always)]
    fn write_all(&self, first: u32, bundles: &mut [Bundle], links: &mut [Link], part: &mut Part) {
        for (index, (bundle, link)) in (first..).zip(bundles.iter_mut().zip(links)) {
            if link.len > 0 {
                self.write_bundle(index, bundle, link, part);
            }
        }
    }

    #[inline(always)]
    fn write_bundle(&self, index: u32, bundle: &mut Bundle, link: &mut Link, part: &mut Part) {
        let cell = self.nodes.cell(link.owner);
        let mut fresh = self.fetch(bundle);
        // Lane by lane in inner loops of a fixed count and without a branch, which compile to vector
        // instructions. Almost always all rows stay.
        let (mut strays, mut differs) = ([0_u32; LANES], [0_u32; LANES]);
        for (axis, at) in [cell.x, cell.y].into_iter().enumerate() {
            let (min, max) = (&fresh.sides[axis], &fresh.sides[axis + 2]);
            for lane in 0..LANES {
                let place = self.region.place_along(axis, min[lane], max[lane]);
                // NaN where the row is gone.
                let held = min[lane] <= max[lane];
                strays[lane] |= (place >> cell.shift ^ at) | u32::from(!held);
            }
        }
        for (fresh, old) in fresh.sides.iter().zip(&bundle.sides) {
            for lane in 0..LANES {
                differs[lane] |= u32::from(fresh[lane] != old[lane]);
            }
        }
        let (mut any_stray, mut moved) = (0, 0);
        for lane in 0..LANES {
            let used = bundle.rows[lane] != NONE;
            any_stray |= if used { strays[lane] } else { 0 };
            moved += if used { differs[lane] } else { 0 };
        }
        let all_stay = any_stray == 0;
        if !all_stay {
            moved = self.leave_strays(&mut fresh, bundle, cell);
            part.strayed.push(index);
        }
        if moved > 0 {
            part.moved += moved as usize;
            part.changed.push(index);
            bundle.sides = fresh.sides;
            link.bounds = fresh.bounds();
            link.stale = false;
        }
    }

    /// Gives rows that are gone or belong elsewhere their old boxes back for now. Returns how many of all
    /// have moved.
    #[inline(never)]
    fn leave_strays(&self, fresh: &mut Bundle, bundle: &Bundle, cell: Cell) -> u32 {
        let mut moved = 0;
        for lane in 0..LANES {
            let (new, old) = (fresh.bounds_of(lane), bundle.bounds_of(lane));
            let [x0, y0, x1, y1] = new;
            let held = x0 <= x1;
            moved += u32::from(held && new != old);
            if !(held && cell.holds(self.region.place([x0, y0], [x1, y1]))) {
                fresh.set_bounds(lane, old);
            }
        }
        moved
    }

    /// The boxes that a bundle's rows have now; NaN for a row that is gone.
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
    part: &'a mut Part,
}

impl Kernel for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.pass
            .write_all(self.first, self.bundles, self.links, self.part);
    }
}
