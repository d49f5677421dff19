//! Everything comes once, in order, with its values.

use super::*;
use crate::for_both;
use proptest::prelude::*;

/// A pair of rows, and for each side its center and half extents, or nothing if not known.
type Found = ([u32; 2], [Option<[f32; 4]>; 2]);

/// Values that say whose they are.
fn values(row: u32, own: bool) -> [f32; 4] {
    let of = |offset: f32| row as f32 + offset;
    let half = if own {
        [of(0.25), of(0.75)]
    } else {
        [0.5, 1.5]
    };
    [of(1000.0), of(-1000.0), half[0], half[1]]
}

fn column(rows: &[u32], value: usize) -> Vec<f32> {
    rows.iter().map(|&row| values(row, true)[value]).collect()
}

fn found(batch: &HeldPairs) -> Vec<Found> {
    let values = |side: usize, k: usize| {
        let columns = [batch.centers(side), batch.half_extents(side)];
        let [[x, y], [width, height]] = columns.map(|column| column.map(|column| column[k]));
        batch.is_known(side).then_some([x, y, width, height])
    };
    let pairs = batch.pairs().iter().enumerate();
    pairs
        .map(|(k, &pair)| (pair, [values(0, k), values(1, k)]))
        .collect()
}

proptest! {
    #[test]
    fn every_pair_comes_once_in_order_with_its_values(
        appended in prop::collection::vec((0..5_usize, 0..700_usize, any::<u64>()), 0..6),
        own in any::<[bool; 2]>(),
    ) {
        let rows = [[7_u32, 900, 3, 41, 12], [8, 2, 40, 901, 11]];
        let columns = rows.each_ref().map(|rows| [0, 1, 2, 3].map(|value| column(rows, value)));
        let placed = for_both(|side| {
            let [xs, ys, widths, heights] = columns[side].each_ref().map(|column| &column[..]);
            Placed {
                rows: &rows[side],
                row_shift: 0,
                centers: [xs, ys],
                own: own[side].then_some([widths, heights]),
                bound: [0.5, 1.5],
            }
        });
        let mut batch = HeldPairs::new(true);
        let (mut seen, mut expected) = (Vec::new(), Vec::new());
        let mut visit = |batch: &mut HeldPairs| {
            assert!((1..=HeldPairs::BATCH).contains(&batch.pairs().len()));
            seen.extend(found(batch));
        };
        let mut buffer = HeldBuffer::new(&mut batch, &mut visit);
        for (kind, count, seed) in appended {
            let place = |k: usize, salt: u64| {
                let mixed = (seed ^ salt).wrapping_mul(2 * k as u64 + 1);
                (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 % 5
            };
            let pairs: Vec<[u32; 2]> = (0..count).map(|k| [place(k, 1), place(k, 2)]).collect();
            let order = [PairOrder::LowerRow, PairOrder::Left, PairOrder::Right][kind % 3];
            if kind == 0 || kind == 1 || kind == 2 {
                buffer.append_places(&pairs, [&placed[0], &placed[1]], order);
            } else if kind == 3 {
                buffer.append_rows(&pairs);
            } else {
                buffer.append_left_places(&pairs, &placed[0], order);
            }
            expected.extend(pairs.iter().map(|&[i, j]| -> Found {
                let (left, right) = (rows[0][i as usize], rows[1][j as usize]);
                let values = [Some(values(left, own[0])), Some(values(right, own[1]))];
                match (kind, order) {
                    (3, _) => ([i, j], [None; 2]),
                    (4, PairOrder::Right) => ([j, left], [None, values[0]]),
                    (4, _) => ([left, j], [values[0], None]),
                    (_, PairOrder::LowerRow) if left < right => ([left, right], values),
                    (_, PairOrder::Left) => ([left, right], values),
                    _ => ([right, left], [values[1], values[0]]),
                }
            }));
        }
        buffer.flush();
        buffer.flush();
        let total = buffer.total();
        prop_assert_eq!(total, expected.len() as u64);
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn what_is_not_known_is_filled_in() {
    let mut batch = HeldPairs::new(true);
    let mut visit = |batch: &mut HeldPairs| {
        for side in 0..2 {
            assert!(!batch.is_known(side));
            batch.fill(
                side,
                |row| [row as f32, -(row as f32)],
                |row| [0.5 * row as f32, 2.0 * row as f32],
            );
        }
        assert_eq!(batch.pairs(), [[4, 9], [2, 3]]);
        assert_eq!(batch.centers(0), [&[4.0, 2.0], &[-4.0, -2.0]]);
        assert_eq!(batch.centers(1), [&[9.0, 3.0], &[-9.0, -3.0]]);
        assert_eq!(batch.half_extents(0), [&[2.0, 1.0], &[8.0, 4.0]]);
        assert_eq!(batch.half_extents(1), [&[4.5, 1.5], &[18.0, 6.0]]);
    };
    let mut buffer = HeldBuffer::new(&mut batch, &mut visit);
    buffer.append_rows(&[[4, 9], [2, 3]]);
    buffer.flush();
    assert_eq!(buffer.total(), 2);
}

#[test]
fn those_that_pass_keep_their_values() {
    let mut batch = HeldPairs::new(true);
    let mut visit = |batch: &mut HeldPairs| {
        for side in 0..2 {
            batch.fill(side, |row| [row as f32; 2], |row| [0.5 * row as f32; 2]);
        }
        batch.retain(|[a, b]| a < b);
        assert_eq!(batch.pairs(), [[2, 3], [4, 9]]);
        assert_eq!(batch.centers(0), [[2.0, 4.0]; 2]);
        assert_eq!(batch.centers(1), [[3.0, 9.0]; 2]);
        assert_eq!(batch.half_extents(0), [[1.0, 2.0]; 2]);
        assert_eq!(batch.half_extents(1), [[1.5, 4.5]; 2]);
        batch.retain(|_| false);
        assert!(batch.pairs().is_empty());
    };
    let mut buffer = HeldBuffer::new(&mut batch, &mut visit);
    buffer.append_rows(&[[9, 4], [2, 3], [7, 7], [4, 9]]);
    buffer.flush();
    assert_eq!(buffer.total(), 4, "handed over, whatever became of them");
}

#[test]
fn lower_rows_come_first_with_their_values() {
    let mut batch = HeldPairs::new(true);
    let mut visit = |batch: &mut HeldPairs| {
        for side in 0..2 {
            batch.fill(
                side,
                |row| [values(row as u32, true)[0], values(row as u32, true)[1]],
                |row| [values(row as u32, true)[2], values(row as u32, true)[3]],
            );
        }
        batch.put_lower_rows_first();
        assert_eq!(batch.pairs(), [[4, 9], [2, 3], [0, 8]]);
        for (k, pair) in batch.pairs().iter().enumerate() {
            for side in 0..2 {
                let [[x, y], [width, height]] = [batch.centers(side), batch.half_extents(side)];
                let found = [x[k], y[k], width[k], height[k]];
                assert_eq!(found, values(pair[side], true), "{pair:?}");
            }
        }
    };
    let mut buffer = HeldBuffer::new(&mut batch, &mut visit);
    buffer.append_rows(&[[9, 4], [2, 3], [8, 0]]);
    buffer.flush();
    assert_eq!(buffer.total(), 3);
}
