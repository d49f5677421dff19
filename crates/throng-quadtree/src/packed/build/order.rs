//! Which boxes share a leaf, and which leaves share a node.

use super::giants;
use super::records::Record;
use super::spread::Spread;
use crate::packed::levels::Levels;
use throng_core::{Executor, LANES, run_each};

/// Fewer records than this are not worth handing to another thread.
const FEW: usize = 1 << 14;

/// A run of records that become the leaves of one or several nodes.
struct Range<'r> {
    records: &'r mut [Record],
    /// How many records a node of the level being cut holds.
    unit: usize,
    known: Known,
}

/// What is known of a run without looking at its records.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    Spread(Spread),
    /// That they are giants, cut off from the others.
    Giants,
}

/// The result of cutting a range.
struct Cut {
    middle: usize,
    unit: usize,
    known: [Known; 2],
}

impl<'r> Range<'r> {
    /// Moves the records of the first part to the front; `None` if the range is a leaf.
    fn cut(&mut self, leaf_size: usize) -> Option<Cut> {
        let len = self.records.len();
        let mut unit = self.unit;
        while len <= unit {
            if unit <= leaf_size {
                return None;
            }
            unit /= LANES;
        }
        let units = len.div_ceil(unit);
        let middle = units / 2 * unit;
        let spread = match self.known {
            Known::Spread(spread) => spread,
            Known::Nothing | Known::Giants => {
                let spread = Spread::of(self.records);
                let are_giants = matches!(self.known, Known::Giants);
                let cut_off = giants::cut_off(self.records, &spread, unit, are_giants);
                if let Some(middle) = cut_off {
                    // The rest is halved before it is searched for giants again, or a run could be nibbled away bit by bit.
                    return Some(Cut {
                        middle,
                        unit,
                        known: [Known::Spread(spread), Known::Giants],
                    });
                }
                if are_giants {
                    giants::halve(self.records, middle);
                    return Some(Cut {
                        middle,
                        unit,
                        known: [Known::Giants; 2],
                    });
                }
                spread
            }
        };
        let axis = spread.axis(spread.leaf_width(len));
        let (_, at, _) = self
            .records
            .select_nth_unstable_by_key(middle, |record| record.sort_key(axis));
        // Every second time, an estimate without looking at the records is good enough.
        let known = match self.known {
            Known::Spread(_) => [Known::Nothing; 2],
            Known::Nothing | Known::Giants => spread.halves(axis, at).map(Known::Spread),
        };
        Some(Cut {
            middle,
            unit,
            known,
        })
    }

    fn parts(self, cut: &Cut) -> [Range<'r>; 2] {
        let (low, high) = self.records.split_at_mut(cut.middle);
        let part = |records, k: usize| Range {
            records,
            unit: cut.unit,
            known: cut.known[k],
        };
        [part(low, 0), part(high, 1)]
    }

    /// Orders the run down to its leaves. Parts are at most two thirds of a run, or are halved next, so the recursion
    /// is no deeper than a few times the logarithm of the records.
    fn order(mut self, leaf_size: usize) {
        if let Some(cut) = self.cut(leaf_size) {
            for part in self.parts(&cut) {
                part.order(leaf_size);
            }
        }
    }
}

/// Puts the records into the order of the tree's leaves.
pub(super) fn order(
    records: &mut [Record],
    leaf_size: usize,
    levels: &Levels,
    executor: &dyn Executor,
) {
    let Some(top) = levels.len().checked_sub(1) else {
        return;
    };
    let share = (records.len() / 64).max(FEW);
    let mut ranges = vec![Range {
        records,
        unit: leaf_size * LANES.pow(top as u32),
        known: Known::Nothing,
    }];
    while ranges.iter().any(|range| range.records.len() > share) {
        let mut cuts: Vec<_> = ranges.iter().map(|_| None).collect();
        let uncut = ranges.iter_mut().zip(&mut cuts);
        run_each(executor, uncut, |_, (range, cut)| {
            *cut = range.cut(leaf_size)
        });
        ranges = ranges
            .into_iter()
            .zip(cuts)
            .flat_map(|(range, cut)| match cut {
                Some(cut) => Vec::from(range.parts(&cut)),
                None => vec![range],
            })
            .collect();
    }
    run_each(executor, ranges, |_, range| range.order(leaf_size));
}
