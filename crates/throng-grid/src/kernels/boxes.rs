//! Boxes made from centers, sixteen at a time.

use crate::run::RunView;
use throng_core::lanes::{Lanes, Sides, chunk};

/// Sixteen boxes of a run from `at` on: the rows' own if `exact`, otherwise boxes of the bound.
#[inline(always)]
pub(super) fn boxes<L: Lanes>(lanes: L, exact: bool, run: &RunView<'_>, at: usize) -> Sides<L> {
    let x = lanes.load(chunk(run.xs, at));
    let y = lanes.load(chunk(run.ys, at));
    let half = if exact {
        [
            lanes.load(chunk(run.own[0], at)),
            lanes.load(chunk(run.own[1], at)),
        ]
    } else {
        [lanes.splat(run.bound[0]), lanes.splat(run.bound[1])]
    };
    Sides::around(lanes, [x, y], half)
}

/// As many of sixteen boxes from `at` on as there are; NaN in the other lanes.
#[inline(always)]
pub(super) fn last_boxes<L: Lanes>(
    lanes: L,
    exact: bool,
    run: &RunView<'_>,
    at: usize,
) -> Sides<L> {
    let x = lanes.load_some(&run.xs[at..]);
    let y = lanes.load_some(&run.ys[at..]);
    let half = if exact {
        [
            lanes.load_some(&run.own[0][at..]),
            lanes.load_some(&run.own[1][at..]),
        ]
    } else {
        [lanes.splat(run.bound[0]), lanes.splat(run.bound[1])]
    };
    Sides::around(lanes, [x, y], half)
}

/// The left sides of sixteen boxes of the bound from `at` on, ascending up to the slack.
#[inline(always)]
pub(super) fn lefts<L: Lanes>(lanes: L, run: &RunView<'_>, at: usize) -> L::Floats {
    lanes.sub(lanes.load(chunk(run.xs, at)), lanes.splat(run.bound[0]))
}
