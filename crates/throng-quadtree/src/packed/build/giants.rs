//! Giants: boxes so long for the run they are in that they would widen everyone's leaves. They get leaves of their
//! own.

use super::records::Record;
use super::spread::Spread;
use throng_core::{LANES, float_of_key, for_both};

/// Runs of fewer boxes than this have no giants. Neither do runs of which giants would be more than one part in
/// `PART`: there such sizes are normal. The first number is for an ordinary run, the second for one of giants and
/// what fills up their units.
const FEW: [usize; 2] = [1024, 64];
const PART: [usize; 2] = [16, 2];
/// A giant is longer than this fraction of the extent of its run.
const LONG: f64 = 0.25;
/// How many more blocks a search visits because giants have leaves of their own.
const PRICE: f64 = 4.0;

/// If giants should have leaves of their own, because that makes searches cheaper, moves them to the end, filled up
/// to whole units with the largest of the others. Returns where they begin.
///
/// Left among the others, each giant makes a leaf as large as itself, and every search near the giant visits that
/// leaf. The average share of searches is the leaf's share of the run's area.
pub(super) fn cut_off(
    records: &mut [Record],
    spread: &Spread,
    unit: usize,
    again: bool,
) -> Option<usize> {
    let len = records.len();
    let (few, part) = (FEW[usize::from(again)], PART[usize::from(again)]);
    let extent = spread.extent(0).max(spread.extent(1));
    if len < few || extent == 0.0 || longest(records) <= LONG * extent {
        return None;
    }
    let leaf = extent * (LANES as f64 / len as f64).sqrt();
    let (mut giants, mut looks) = (0_usize, 0.0);
    for record in records.iter() {
        let size = for_both(|axis| f64::from(record.size(axis)));
        if size[0].max(size[1]) > LONG * extent {
            let [x, y] = size.map(|size| (size.min(extent) + leaf) / extent);
            giants += 1;
            looks += x * y;
        }
    }
    let begin = (len - giants) / unit * unit;
    if begin == 0 || giants * part > len || looks < PRICE {
        return None;
    }
    records.select_nth_unstable_by_key(begin, Record::longer);
    Some(begin)
}

fn longest(records: &[Record]) -> f64 {
    let longest = records.iter().map(Record::longer).max();
    f64::from(f32::from_bits(longest.unwrap_or(0)))
}

/// Halves giants by whatever makes the halves' boxes smallest: their positions or their sizes.
pub(super) fn halve(records: &mut [Record], middle: usize) {
    let mut best = (f64::INFINITY, 0);
    for measure in 0..4 {
        select(records, middle, measure);
        let (low, high) = records.split_at(middle);
        let cost = area(low) * low.len() as f64 + area(high) * high.len() as f64;
        if cost < best.0 {
            best = (cost, measure);
        }
    }
    select(records, middle, best.1);
}

/// Moves the lowest records by a measure to the front: positions along x and y, sizes along x and y.
fn select(records: &mut [Record], middle: usize, measure: usize) {
    if measure < 2 {
        records.select_nth_unstable_by_key(middle, |record| record.sort_key(measure));
    } else {
        records.select_nth_unstable_by_key(middle, |record| record.size(measure - 2).to_bits());
    }
}

/// The area of the box around the boxes.
fn area(records: &[Record]) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for record in records {
        for axis in 0..2 {
            let middle = f64::from(float_of_key(record.key(axis)));
            let half = 0.5 * f64::from(record.size(axis));
            low[axis] = low[axis].min(middle - half);
            high[axis] = high[axis].max(middle + half);
        }
    }
    (high[0] - low[0]) * (high[1] - low[1])
}
