//! The rows of leaves that boxes touch, where these come one by one.

use super::boxes::{boxes, last_boxes};
use super::probe::{Probing, admitted, masks_of};
use crate::ask::Visit;
use crate::leaf::{Bounds, Leaf};
use crate::view::{Aim, View};
use throng_core::lanes::{Kernel, Lanes, Sides, chunk, emit_with_one, overlapping};
use throng_core::{BoxRun, LANES, PairBuffer, Simd};

/// Every overlapping pair of a box and a row of a leaf that it comes to, visit by visit; a box takes its row from the run.
/// Returns the number of comparisons.
pub(crate) fn ask(
    simd: Simd,
    view: View<'_>,
    asking: (&BoxRun<'_>, &[Visit]),
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
    asking: (&'a BoxRun<'a>, &'a [Visit]),
    with: Probing<'a>,
    out: &'a mut PairBuffer<'b>,
}

impl<const EXACT: bool, const MASKED: bool> Kernel for Ask<'_, '_, EXACT, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            view,
            asking: (boxes, visits),
            with,
            out,
        } = self;
        let mut compared = 0;
        for visits in visits.chunks(AHEAD) {
            let mut stops = [None; AHEAD];
            for (stop, visit) in stops.iter_mut().zip(visits) {
                let asker = visit.asker as usize;
                let [min, max] = boxes.corners(asker);
                let leaf = &view.grid.leaves[visit.leaf as usize];
                if let Some(aim) = view.aim(leaf, &Bounds { min, max }) {
                    view.prefetch(leaf, &aim);
                    *stop = Some(Stop { asker, leaf, aim });
                }
            }
            compared += Self::visit(lanes, &view, (boxes, &stops), &with, out);
        }
        compared
    }
}

impl<const EXACT: bool, const MASKED: bool> Ask<'_, '_, EXACT, MASKED> {
    /// The pairs of some boxes, each with the rows of a leaf.
    #[inline(always)]
    fn visit<L: Lanes>(
        lanes: L,
        view: &View<'_>,
        (asking, stops): (&BoxRun<'_>, &[Option<Stop<'_>>]),
        with: &Probing<'_>,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        let mut compared = 0;
        for stop in stops.iter().flatten() {
            let sides = Sides::splat(lanes, asking.corners(stop.asker));
            let asker = (sides, asking.rows()[stop.asker]);
            compared += in_leaf::<L, EXACT, MASKED>(lanes, view, (stop, &asker), with, out);
        }
        compared
    }
}

/// How many visits are looked up before the first is made: what leaves hold comes from memory side by side.
const AHEAD: usize = 16;

/// A leaf that a box may touch.
#[derive(Clone, Copy)]
struct Stop<'a> {
    asker: usize,
    leaf: &'a Leaf,
    aim: Aim,
}

/// The pairs of a box with the rows of a leaf.
#[inline(always)]
fn in_leaf<L: Lanes, const EXACT: bool, const MASKED: bool>(
    lanes: L,
    view: &View<'_>,
    (stop, (sides, row)): (&Stop<'_>, &(Sides<L>, u32)),
    with: &Probing<'_>,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let run = view.groups_at(stop.leaf, &stop.aim).view();
    let mut compared = 0;
    for at in (0..run.len).step_by(LANES) {
        let (own, names) = if at + LANES <= run.len {
            let own = boxes(lanes, EXACT, &run, at);
            (own, lanes.load_words(chunk(run.names, at)))
        } else {
            let own = last_boxes(lanes, EXACT, &run, at);
            (own, lanes.load_some_words(&run.names[at..]))
        };
        let mut hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &own, sides));
        if MASKED {
            let theirs = masks_of(with.masks[1], *row);
            hit = admitted(hit, (&run.rows[at..], run.row_shift), with.masks[0], theirs);
        }
        let names = lanes.shift_right(names, run.name_shift);
        emit_with_one(lanes, out, hit, with.order, names, lanes.splat_words(*row));
        compared += LANES as u64;
    }
    compared
}
