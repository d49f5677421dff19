//! The rows of leaves that boxes touch, where these come one by one.

use super::probe::{Probing, admitted, masks_of};
use crate::ask::{AskedLeaf, ReachedCells};
use crate::leaf::Leaf;
use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use crate::view::{Aim, View};
use throng_core::lanes::{Kernel, Lanes, Sides, emit_with_one, lanes_below, overlapping};
use throng_core::{BoxRun, LANES, PairBuffer, Simd, last_group_below_from, prefetch};

/// Every overlapping pair of a box and a row of a leaf that it comes to, visit by visit; a box takes its row from the run.
/// Returns the number of comparisons.
pub(crate) fn ask(
    simd: Simd,
    view: View<'_>,
    asking: (&BoxRun<'_>, &ReachedCells<'_>, &[AskedLeaf]),
    with: Probing<'_>,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let masked = with.masks.iter().any(Option::is_some);
    match (view.is_exact(), masked) {
        (false, false) => simd.run(Ask::<false, false> {
            view,
            asking,
            with,
            out,
        }),
        (false, true) => simd.run(Ask::<false, true> {
            view,
            asking,
            with,
            out,
        }),
        (true, false) => simd.run(Ask::<true, false> {
            view,
            asking,
            with,
            out,
        }),
        (true, true) => simd.run(Ask::<true, true> {
            view,
            asking,
            with,
            out,
        }),
    }
}

struct Ask<'a, 'b, const EXACT: bool, const MASKED: bool> {
    view: View<'a>,
    asking: (&'a BoxRun<'a>, &'a ReachedCells<'a>, &'a [AskedLeaf]),
    with: Probing<'a>,
    out: &'a mut PairBuffer<'b>,
}

impl<const EXACT: bool, const MASKED: bool> Kernel for Ask<'_, '_, EXACT, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            view,
            asking: (boxes, cells, visits),
            with,
            out,
        } = self;
        let asked = Asked {
            words: view.grid.words(),
            floats: bytemuck::cast_slice(view.grid.words()),
            leaves: &view.grid.leaves,
            shift: view.grid.row_word.shift,
            bound: view.half.map(|half| lanes.splat(half)),
        };
        let [min_x, min_y, max_x, max_y] = boxes.sides();
        let rows = boxes.rows();
        let mut compared = 0;
        let mut stops = [Stop::default(); AHEAD];
        for visits in visits.chunks(AHEAD) {
            let stops = &mut stops[..visits.len()];
            for (stop, visit) in stops.iter_mut().zip(visits) {
                *stop = asked.aim(*visit, cells.ends(visit.asker as usize));
            }
            for stop in &mut *stops {
                asked.find::<EXACT>(stop);
            }
            for stop in stops {
                let asker = stop.visit.asker as usize;
                let min = [min_x[asker], min_y[asker]];
                let sides = Sides::splat(lanes, [min, [max_x[asker], max_y[asker]]]);
                let asker = (sides, rows[asker]);
                asked.compare::<EXACT, MASKED>(lanes, (stop, &asker), &with, out);
                compared += (stop.end - stop.first) as u64;
            }
        }
        compared
    }
}

/// How many visits are looked up before the first is made, so that their memory is fetched at the same time: first the x near where each
/// box probably begins, and then the other columns of the groups that it may touch.
const AHEAD: usize = 16;

/// A leaf that a box may touch, and where.
#[derive(Clone, Copy, Default)]
struct Stop {
    visit: AskedLeaf,
    aim: Aim,
    /// The places in the leaf to look at, in whole groups.
    first: usize,
    end: usize,
}

/// The grid that is asked, as leaves lie in its memory: see [`Leaf`].
///
/// Groups of sixteen are read whole, even where the leaf has fewer rows left. What lies behind its rows counts as no hit. Only a group
/// that would reach beyond the end of all memory is copied and filled up with zeros.
struct Asked<'g, L: Lanes> {
    words: &'g [u32],
    /// The same.
    floats: &'g [f32],
    leaves: &'g [Leaf],
    /// How many bits of a record's last word are below its row.
    shift: u32,
    bound: [L::Floats; 2],
}

impl<L: Lanes> Asked<'_, L> {
    /// Where a group of a leaf's column begins: x, y, row, own half width, own half height.
    #[inline(always)]
    fn place(leaf: &Leaf, column: u32, at: usize) -> usize {
        leaf.start as usize + (column * leaf.stride) as usize + at
    }

    /// Where a box probably begins in a leaf. Prefetches the x that tell.
    #[inline(always)]
    fn aim(&self, visit: AskedLeaf, ends: [f32; 2]) -> Stop {
        let leaf = &self.leaves[visit.leaf as usize];
        let aim = Aim::at(leaf, ends);
        // Where rows are spread evenly, it mostly begins in one of these.
        let guess = Self::place(leaf, 0, aim.guess * LANES);
        for at in [guess.saturating_sub(LANES), guess, guess + LANES] {
            prefetch(self.floats, at as u32);
        }
        Stop {
            visit,
            aim,
            ..Stop::default()
        }
    }

    /// Finds out which groups a box may touch, and prefetches their other columns.
    #[inline(always)]
    fn find<const EXACT: bool>(&self, stop: &mut Stop) {
        let leaf = &self.leaves[stop.visit.leaf as usize];
        let xs = &self.floats[Self::place(leaf, 0, 0)..][..leaf.len as usize];
        stop.first = last_group_below_from(stop.aim.guess, xs, stop.aim.passed) * LANES;
        stop.end = stop.first;
        let columns = if EXACT { EXACT_WORDS } else { COARSE_WORDS };
        while stop.end < xs.len() && xs[stop.end] < stop.aim.ahead {
            for column in 1..columns as u32 {
                prefetch(self.words, Self::place(leaf, column, stop.end) as u32);
            }
            stop.end += LANES;
        }
    }

    /// The pairs of a box with the rows of a leaf.
    #[inline(always)]
    fn compare<const EXACT: bool, const MASKED: bool>(
        &self,
        lanes: L,
        (stop, (sides, row)): (&Stop, &(Sides<L>, u32)),
        with: &Probing<'_>,
        out: &mut PairBuffer<'_>,
    ) {
        let leaf = &self.leaves[stop.visit.leaf as usize];
        for at in (stop.first..stop.end).step_by(LANES) {
            let floats = |column: u32| match group(self.floats, Self::place(leaf, column, at)) {
                Ok(group) => lanes.load(group),
                Err(rest) => lanes.load(&padded(rest)),
            };
            let half = if EXACT {
                [floats(3), floats(4)]
            } else {
                self.bound
            };
            let boxes = Sides::around(lanes, [floats(0), floats(1)], half);
            let hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, sides));
            let mut hit = hit & lanes_below(leaf.len as usize - at);
            if MASKED {
                let rows = &self.words[Self::place(leaf, 2, at)..];
                let theirs = masks_of(with.masks[1], *row);
                hit = admitted(hit, (rows, self.shift), with.masks[0], theirs);
            }
            let names = match group(self.words, Self::place(leaf, 2, at)) {
                Ok(group) => lanes.load_words(group),
                Err(rest) => lanes.load_words(&padded(rest)),
            };
            let names = lanes.shift_right(names, self.shift);
            emit_with_one(lanes, out, hit, with.order, names, lanes.splat_words(*row));
        }
    }
}

/// The sixteen elements from `at` on; as an error, those that are left, if they are fewer.
#[inline(always)]
fn group<T>(column: &[T], at: usize) -> Result<&[T; LANES], &[T]> {
    let rest = &column[at..];
    rest.first_chunk().ok_or(rest)
}

/// The last elements, and zeros.
#[cold]
#[inline(never)]
fn padded<T: Copy + Default>(rest: &[T]) -> [T; LANES] {
    let mut group = [T::default(); LANES];
    group[..rest.len()].copy_from_slice(rest);
    group
}
