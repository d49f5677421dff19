//! The sort against the standard library's.

use super::*;
use crate::strips::kernels;
use throng_core::Simd;

/// Sorts records of the given left sides, the other words being their places. Returns the left sides
/// and the places.
fn sorted(lefts: &[f32], runs: &[Range<usize>]) -> (Vec<f32>, Vec<u32>, f32) {
    let record = |(place, left): (u32, &f32)| {
        let right = (left + place as f32 / 8.0).to_bits();
        [left.to_bits(), place, right, place, place]
    };
    let records: Vec<_> = (0..).zip(lefts).map(record).collect();
    let count = runs.iter().map(Range::len).sum();
    let arena = Arena::new();
    let mut scratch = SortScratch::new(&arena, count);
    let mut columns: [Vec<u32>; WORDS] = std::array::from_fn(|_| vec![0; count]);
    let place = columns.each_mut().map(|column| &mut column[..]);
    let simd = Simd::new(None).expect("any machine has one");
    let widest = kernels::sort(simd, &records, runs, &mut scratch, place);
    let places = columns[1].clone();
    assert!(
        columns[3] == places && columns[4] == places,
        "a record stays together"
    );
    (
        columns[0]
            .iter()
            .map(|&bits| f32::from_bits(bits))
            .collect(),
        places,
        widest,
    )
}

#[test]
fn buckets_are_sorted_however_they_are_distributed() {
    let mixed = |k: usize| (k * 7919 % 4001) as f32;
    let distributions: [fn(usize, f32) -> f32; 8] = [
        |_, v| v,
        |_, v| -v * 1e30,
        |_, v| (v / 500.0).floor(),
        |_, _| 5.0,
        |k, v| if k == 3 { 1e38 } else { v },
        |k, v| [f32::NEG_INFINITY, v, f32::MAX, -f32::MAX, 0.0, -0.0][k % 6],
        |_, v| f32::from_bits(v as u32),
        |k, v| (k % 3) as f32 * 1e6 + v * 1e-3,
    ];
    for (number, distribution) in distributions.into_iter().enumerate() {
        for count in [0, 1, 2, 15, 16, 17, 100, 1000, 5000_usize] {
            let lefts: Vec<f32> = (0..count).map(|k| distribution(k, mixed(k))).collect();
            let runs = [0..count / 3, count / 3..count / 3, count / 2..count];
            let (by_left, places, widest) = sorted(&lefts, &runs);
            let mut expected: Vec<usize> = runs.into_iter().flatten().collect();
            expected.sort_by(|&a, &b| lefts[a].partial_cmp(&lefts[b]).unwrap());
            let what = format!("{count} of distribution {number}");
            assert!(
                places.iter().map(|&k| k as usize).eq(expected),
                "{what}: order and ties"
            );
            assert!(
                by_left
                    .iter()
                    .zip(&places)
                    .all(|(x, &k)| *x == lefts[k as usize]),
                "{what}"
            );
            let width = |&k: &u32| (lefts[k as usize] + k as f32 / 8.0) - lefts[k as usize];
            assert!(
                places
                    .iter()
                    .map(width)
                    .all(|own| own.is_nan() || own <= widest),
                "{what}"
            );
        }
    }
}
