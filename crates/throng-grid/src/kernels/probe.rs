//! All overlapping pairs of a piece, compared in place, with boxes of any size.

use super::boxes::boxes;
use crate::probe::{Block, Probe, Reached, Visits};
use crate::run::RunView;
use throng_core::lanes::{Kernel, Lanes, Sides, chunk, emit_with_one, overlapping};
use throng_core::{BoxRun, LANES, MaskWords, PairBuffer, PairOrder, RowMasks, Simd};

/// How a piece is probed: the masks of its rows and of the boxes, and which of the two comes first in a pair.
#[derive(Clone, Copy)]
pub(crate) struct Probing<'a> {
    pub masks: [Option<RowMasks<'a>>; 2],
    pub order: PairOrder,
}

/// Every overlapping pair of a row of the piece with one of the boxes, box by box. Returns the number of comparisons.
pub(crate) fn probe(
    simd: Simd,
    probe: &Probe<'_>,
    boxes: &BoxRun<'_>,
    with: Probing<'_>,
    visits: &mut Visits<'_>,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let masked = with.masks.iter().any(Option::is_some);
    let probed = (probe, boxes, with, visits, out);
    match (probe.is_exact(), masked) {
        (false, false) => simd.run(Probed::<false, false>::of(probed)),
        (false, true) => simd.run(Probed::<false, true>::of(probed)),
        (true, false) => simd.run(Probed::<true, false>::of(probed)),
        (true, true) => simd.run(Probed::<true, true>::of(probed)),
    }
}

struct Probed<'a, 'v, 'b, const EXACT: bool, const MASKED: bool> {
    probe: &'a Probe<'a>,
    boxes: &'a BoxRun<'a>,
    with: Probing<'a>,
    visits: &'a mut Visits<'v>,
    out: &'a mut PairBuffer<'b>,
}

type Arguments<'a, 'v, 'b> = (
    &'a Probe<'a>,
    &'a BoxRun<'a>,
    Probing<'a>,
    &'a mut Visits<'v>,
    &'a mut PairBuffer<'b>,
);

impl<'a, 'v, 'b, const EXACT: bool, const MASKED: bool> Probed<'a, 'v, 'b, EXACT, MASKED> {
    fn of((probe, boxes, with, visits, out): Arguments<'a, 'v, 'b>) -> Self {
        Self {
            probe,
            boxes,
            with,
            visits,
            out,
        }
    }
}

/// A box in all lanes.
struct Other<L: Lanes> {
    sides: Sides<L>,
    row: L::Words,
    masks: MaskWords,
}

impl<const EXACT: bool, const MASKED: bool> Kernel for Probed<'_, '_, '_, EXACT, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            probe,
            boxes,
            with,
            visits,
            out,
        } = self;
        let mut compared = 0;
        let (whole, last) = (probe.whole_groups(), probe.last_group());
        let mut block = Block::default();
        for at in (0..boxes.len()).step_by(LANES) {
            block.load(boxes, at);
            let visits = visits.list(&reached(lanes, probe, &block), block.len);
            compared += (visits.len() * LANES) as u64;
            for visit in visits {
                let row = block.rows[visit.lane()];
                let other = Other {
                    sides: Sides::splat(lanes, block.corners(visit.lane())),
                    row: lanes.splat_words(row),
                    masks: if MASKED {
                        masks_of(with.masks[1], row)
                    } else {
                        MaskWords::ALL
                    },
                };
                let at = visit.group() * LANES;
                let rows = &probe.own.rows[at..];
                if at + LANES <= whole.len {
                    meet::<L, EXACT, MASKED>(lanes, (&whole, at), rows, &other, &with, out);
                } else {
                    meet::<L, EXACT, MASKED>(lanes, (&last, 0), rows, &other, &with, out);
                }
            }
        }
        compared
    }
}

/// The pairs of sixteen rows with a box. A run may name them by their places, so their rows come beside it, in a slice that
/// may end with the last of them.
#[inline(always)]
fn meet<L: Lanes, const EXACT: bool, const MASKED: bool>(
    lanes: L,
    (run, at): (&RunView<'_>, usize),
    rows: &[u32],
    other: &Other<L>,
    with: &Probing<'_>,
    out: &mut PairBuffer<'_>,
) {
    let own = boxes(lanes, EXACT, run, at);
    let mut hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &own, &other.sides));
    if MASKED {
        hit = admitted(hit, (rows, run.row_shift), with.masks[0], other.masks);
    }
    emit_with_one(
        lanes,
        out,
        hit,
        with.order,
        lanes.shift_right(lanes.load_words(chunk(run.names, at)), run.name_shift),
        other.row,
    );
}

/// Which groups each box of a block can reach.
#[inline(always)]
fn reached<L: Lanes>(lanes: L, probe: &Probe<'_>, block: &Block) -> Reached {
    let [left, _, right, _] = &block.sides;
    let left = lanes.load(left);
    let furthest = lanes.add(lanes.load(right), lanes.splat(probe.slack()));
    let (mut passed, mut begun) = (lanes.splat_words(0), lanes.splat_words(0));
    for (begins, ends) in probe.ends() {
        passed = lanes.count_lt(passed, lanes.splat(ends), left);
        begun = lanes.count_le(begun, lanes.splat(begins), furthest);
    }
    let mut reached = Reached::default();
    lanes.store_words(&mut reached.passed, passed);
    lanes.store_words(&mut reached.begun, begun);
    reached
}

/// The lanes of `hit` whose rows' masks match `theirs`. Masks are only read for hits: a piece has far more rows than a
/// few boxes touch.
#[inline(always)]
pub(super) fn admitted(
    hit: u32,
    (rows, shift): (&[u32], u32),
    own: Option<RowMasks<'_>>,
    theirs: MaskWords,
) -> u32 {
    let (mut admitted, mut left) = (hit, hit);
    while left != 0 {
        let lane = left.trailing_zeros();
        left &= left - 1;
        let mine = masks_of(own, rows[lane as usize] >> shift);
        admitted &= !(u32::from(!mine.meets(theirs)) << lane);
    }
    admitted
}

/// The masks of a row; [`MaskWords::ALL`] if there are none.
#[inline(always)]
pub(super) fn masks_of(masks: Option<RowMasks<'_>>, row: u32) -> MaskWords {
    masks.map_or(MaskWords::ALL, |masks| masks.get(row as usize))
}
