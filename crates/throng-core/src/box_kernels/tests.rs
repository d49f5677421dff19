//! Every kernel at every level against a naive one that gives the same pairs in the same order.

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::box_kernels::BoxesByRow;
use crate::box_run::BoxRun;
use crate::lanes::Simd;
use crate::mask_words::MaskWords;
use crate::mask_words::RowMasks;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use crate::simd::SimdLevel;
use proptest::prelude::*;

/// Boxes, including touching, equal, infinite ones and points, and masks for their rows.
fn boxes(most: usize) -> BoxedStrategy<Vec<(Aabb, MaskWords)>> {
    let side = || {
        prop_oneof![
            6 => (-20_i32..20).prop_map(|k| k as f32 * 0.5),
            3 => -10.0_f32..10.0,
            1 => Just(f32::NEG_INFINITY),
            1 => Just(f32::INFINITY),
        ]
    };
    let one = ([side(), side()], [side(), side()], 0_u32..16).prop_filter_map(
        "a box",
        |([x0, x1], [y0, y1], bits)| {
            let aabb = Aabb::new([x0.min(x1), y0.min(y1)], [x0.max(x1), y0.max(y1)]).ok()?;
            let masks = MaskWords {
                memberships: bits & 3,
                filter: bits >> 2,
            };
            Some((aabb, masks))
        },
    );
    prop::collection::vec(one, 0..most).boxed()
}

/// Spreads boxes out, so that in long runs a box does not touch every block.
fn spread(boxes: &mut [(Aabb, MaskWords)]) {
    for (k, (aabb, _)) in boxes.iter_mut().enumerate() {
        let shift = (k / 24) as f32 * 7.0;
        let ([x0, y0], [x1, y1]) = (aabb.min(), aabb.max());
        *aabb = Aabb::new([x0 + shift, y0], [x1 + shift, y1]).expect("a box, moved");
    }
}

/// Rows count down from `first`, so that the order of rows is not that of positions.
fn row(first: u32, k: usize) -> u32 {
    first - k as u32
}

fn run<'a>(
    arena: &'a Arena,
    boxes: &[(Aabb, MaskWords)],
    first: u32,
    masks: Option<&[MaskWords]>,
) -> BoxRun<'a> {
    let mut run = BoxRun::with_capacity(arena, boxes.len(), masks.is_some());
    for (k, (aabb, _)) in boxes.iter().enumerate() {
        run.push([aabb.min(), aabb.max()], row(first, k));
    }
    run.finish(masks.map(RowMasks::Each));
    run
}

/// Masks by row, for rows that count down from `first`.
fn by_row(boxes: &[(Aabb, MaskWords)], first: u32) -> Vec<MaskWords> {
    let mut masks = vec![MaskWords::NONE; first as usize + 1];
    for (k, (_, own)) in boxes.iter().enumerate() {
        masks[row(first, k) as usize] = *own;
    }
    masks
}

fn collect(search: impl FnOnce(&mut PairBuffer<'_>) -> u64) -> (Vec<[u32; 2]>, u64) {
    let arena = Arena::new();
    let mut pairs = Vec::new();
    let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
    let mut out = PairBuffer::new(&arena, &mut visit);
    let compared = search(&mut out);
    out.flush();
    (pairs, compared)
}

/// At every level that this machine has.
fn at_every_level(mut check: impl FnMut(Simd)) {
    for &level in SimdLevel::available() {
        check(Simd::new(Some(level)).expect("an available level"));
    }
}

const FIRST: u32 = 5000;
const OTHER_FIRST: u32 = 9000;

fn meet((a, a_masks): &(Aabb, MaskWords), (b, b_masks): &(Aabb, MaskWords), masked: bool) -> bool {
    a.overlaps(b) && (!masked || a_masks.meets(*b_masks))
}

/// How many comparisons that is in whole groups of sixteen.
fn whole_groups(comparisons: usize) -> u64 {
    comparisons.next_multiple_of(16) as u64
}

/// Box by box, each with those after it.
fn pairs_within(boxes: &[(Aabb, MaskWords)], masked: bool) -> (Vec<[u32; 2]>, u64) {
    let (mut pairs, mut compared) = (Vec::new(), 0);
    for (i, a) in boxes.iter().enumerate() {
        compared += whole_groups(boxes.len() - i - 1);
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if meet(a, b, masked) {
                // Rows count down.
                pairs.push([row(FIRST, j), row(FIRST, i)]);
            }
        }
    }
    (pairs, compared)
}

/// Indices of boxes of `cut` and of `others`: sixteen blocks of sixteen boxes of one run, box by box of the other one.
fn pairs_across(
    cut: &[(Aabb, MaskWords)],
    others: &[(Aabb, MaskWords)],
    masked: bool,
) -> (Vec<[usize; 2]>, u64) {
    let (mut pairs, mut compared) = (Vec::new(), 0);
    let long = cut.len() > 4 * 16;
    for (many, sixteen_blocks) in cut.chunks(256).enumerate() {
        for (j, other) in others.iter().enumerate() {
            compared += if long { 16 } else { 0 };
            for (few, block) in sixteen_blocks.chunks(16).enumerate() {
                let bounds = block.iter().map(|&(aabb, _)| aabb);
                let bounds = bounds.reduce(|a, b| a.union(&b)).expect("a box");
                compared += u64::from(!long || bounds.overlaps(&other.0)) * 16;
                let hits = block.iter().enumerate();
                let hits = hits.filter(|(_, own)| meet(own, other, masked));
                pairs.extend(hits.map(|(k, _)| [many * 256 + few * 16 + k, j]));
            }
        }
    }
    (pairs, compared)
}

fn check_within(boxes: &[(Aabb, MaskWords)], masked: bool) {
    let masks = masked.then(|| by_row(boxes, FIRST));
    let arena = Arena::new();
    let run = run(&arena, boxes, FIRST, masks.as_deref());
    let expected = pairs_within(boxes, masked);
    at_every_level(|simd| assert_eq!(collect(|out| simd.within(&run, out)), expected));
}

fn check_cross(
    left: &[(Aabb, MaskWords)],
    right: &[(Aabb, MaskWords)],
    masked: bool,
    order: PairOrder,
) {
    let masks = masked.then(|| [by_row(left, OTHER_FIRST), by_row(right, FIRST)]);
    let masks = |side: usize| masks.as_ref().map(|masks| &masks[side][..]);
    let arena = Arena::new();
    let left_run = run(&arena, left, OTHER_FIRST, masks(0));
    let right_run = run(&arena, right, FIRST, masks(1));

    // The run that makes for fewer rounds is cut, the left one if both do.
    let cut_left = right.len() * left.len().div_ceil(16) <= left.len() * right.len().div_ceil(16);
    let (places, compared) = if cut_left {
        pairs_across(left, right, masked)
    } else {
        pairs_across(right, left, masked)
    };
    let pairs = places.into_iter().map(|[a, b]| {
        let [a, b] = if cut_left { [a, b] } else { [b, a] };
        let (a, b) = (row(OTHER_FIRST, a), row(FIRST, b));
        match order {
            PairOrder::LowerRow | PairOrder::Right => [b, a],
            PairOrder::Left => [a, b],
        }
    });
    let expected = (pairs.collect(), compared);
    at_every_level(|simd| {
        let found = collect(|out| simd.cross(&left_run, &right_run, order, out));
        assert_eq!(found, expected);
    });
}

fn order() -> BoxedStrategy<PairOrder> {
    prop_oneof![
        Just(PairOrder::LowerRow),
        Just(PairOrder::Left),
        Just(PairOrder::Right)
    ]
    .boxed()
}

proptest! {
    #[test]
    fn within_finds_each_pair_once(mut boxes in boxes(200), masked: bool, spread_out: bool) {
        if spread_out {
            spread(&mut boxes);
        }
        check_within(&boxes, masked);
    }

    #[test]
    fn cross_finds_each_pair_once(
        mut left in boxes(60), right in boxes(40), masked: bool, order in order(),
    ) {
        check_cross(&left, &right, masked, order);
        spread(&mut left);
        check_cross(&left, &right, masked, order);
    }

    #[test]
    fn cross_finds_each_pair_of_long_runs(
        mut left in boxes(700), mut right in boxes(60), masked: bool, order in order(),
    ) {
        spread(&mut left);
        spread(&mut right);
        check_cross(&left, &right, masked, order);
    }

    #[test]
    fn touching_keeps_what_touches_in_order(
        boxes in boxes(100), window in boxes(2), already in boxes(20),
    ) {
        let window = window.first().map_or(Aabb::EVERYWHERE, |(window, _)| *window);
        let rows: Vec<u32> = (0..boxes.len() as u32).collect();
        let column = |side: fn(&Aabb) -> f32| boxes.iter().map(|(aabb, _)| side(aabb)).collect::<Vec<_>>();
        let columns = [
            column(|b| b.min()[0]), column(|b| b.min()[1]), column(|b| b.max()[0]), column(|b| b.max()[1]),
        ];
        let from = columns.each_ref().map(|column| &column[..]);
        let mut expected: Vec<_> = already.iter().enumerate()
            .map(|(k, (aabb, _))| (row(FIRST, k), [aabb.min(), aabb.max()])).collect();
        expected.extend(
            boxes.iter().enumerate().filter(|(_, (aabb, _))| aabb.overlaps(&window))
                .map(|(k, (aabb, _))| (k as u32, [aabb.min(), aabb.max()])),
        );
        at_every_level(|simd| {
            let arena = Arena::new();
            let mut into = run(&arena, &already, FIRST, None);
            into.make_room(&arena, boxes.len());
            simd.touching(from, &rows, &[window.min(), window.max()], &mut into);
            let found: Vec<_> = (0..into.len()).map(|k| (into.rows()[k], into.corners(k))).collect();
            assert_eq!(found, expected);
        });
    }
}

#[test]
#[should_panic(expected = "finished before it is compared")]
fn a_run_that_is_not_finished_is_refused() {
    let arena = Arena::new();
    let run = BoxRun::with_capacity(&arena, 1, false);
    let kernels = Simd::new(None).expect("there is always one");
    collect(|out| kernels.within(&run, out));
}

fn overlap(a: [[f32; 2]; 2], b: [[f32; 2]; 2]) -> bool {
    (0..2).all(|axis| a[0][axis] <= b[1][axis] && b[0][axis] <= a[1][axis])
}

proptest! {
    #[test]
    fn pairs_apart_are_those_that_do_not_overlap(
        centers in prop::collection::vec([-9_i32..9, -9..9], 0..50), half in [0_i32..6, 0..6],
        corners in prop::collection::vec(([-9_i32..9, -9..9], [0_i32..9, 0..9]), 0..50),
        missing in prop::collection::vec(0_usize..50, 0..4),
        pairs in prop::collection::vec([0_u32..52, 0..52], 0..600), far: u32,
    ) {
        let half = half.map(|half| half as f32 * 0.5);
        let mut centers: Vec<[f32; 2]> = centers.iter().map(|at| at.map(|k| k as f32 * 0.5)).collect();
        let mut corners: Vec<[[f32; 2]; 2]> = corners.iter().map(|(min, size)| {
            [*min, [min[0] + size[0], min[1] + size[1]]].map(|corner| corner.map(|k| k as f32 * 0.5))
        }).collect();
        for row in missing {
            if let Some(at) = centers.get_mut(row) {
                *at = [f32::NAN; 2];
            }
            if let Some(at) = corners.get_mut(row) {
                *at = [[f32::NAN; 2]; 2];
            }
        }
        let mut pairs = pairs;
        pairs.push([far, 1]);
        pairs.push([1, far | 1 << 31]);
        let alike = |row: u32| centers.get(row as usize).map(|&[x, y]| {
            [[x - half[0], y - half[1]], [x + half[0], y + half[1]]]
        });
        let given = |row: u32| corners.get(row as usize).copied();
        let sides = |kind: usize, row: u32| if kind == 0 { alike(row) } else { given(row) };
        let boxes = [
            BoxesByRow::Alike { centers: &centers, half_extents: half },
            BoxesByRow::Corners(&corners),
        ];
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let expected: Vec<[u32; 2]> = pairs.iter().copied().filter(|&[i, j]| {
                !sides(a, i).zip(sides(b, j)).is_some_and(|(a, b)| overlap(a, b))
            }).collect();
            for &level in SimdLevel::available() {
                let mut found = vec![[7, 7]];
                let simd = Simd::new(Some(level)).unwrap();
                simd.pairs_apart(&pairs, [boxes[a], boxes[b]], &mut found);
                assert_eq!(found[1..], expected, "{level} {a} {b}");
                let mut room = vec![[7; 2]; pairs.len() + LANES];
                let kept = simd.keep_apart(&pairs, [boxes[a], boxes[b]], &mut room);
                assert_eq!(room[..kept], expected, "{level} {a} {b}");
                let others = pairs.iter().filter(|pair| !expected.contains(pair));
                let kept = simd.keep_overlapping(&pairs, [boxes[a], boxes[b]], &mut room);
                assert!(others.eq(&room[..kept]), "{level} {a} {b}");
            }
        }
    }
}
