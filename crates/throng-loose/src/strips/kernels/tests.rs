//! Every kernel at every level against a naive one that gives the same pairs in the same order.

use super::{Sweep, gather, sweep};
use crate::LooseStructure;
use crate::sides::touches;
use crate::strips::buckets::{Copies, ROWS_BEHIND};
use crate::strips::partition::{BEGINS_HERE, ROW};
use crate::strips::{BoxStrips, StripsConfig};
use proptest::prelude::*;
use std::ops::ControlFlow;
use throng_core::lanes::HitRoom;
use throng_core::{
    Aabb, Arena, BoxRun, Boxes, LANES, MaskWords, PairBuffer, Serial, Simd, SimdLevel, overlaps_1d,
};

/// A copy in a strip.
#[derive(Clone, Copy, Debug)]
struct Copied {
    min: [f32; 2],
    max: [f32; 2],
    begins_here: bool,
    masks: MaskWords,
}

/// Copies by left side, some of them wide or without end.
fn copies(most: usize) -> BoxedStrategy<Vec<Copied>> {
    prop::sample::select(vec![1, 20, 400, 4000])
        .prop_flat_map(move |spread| {
            let width = prop_oneof![
                20 => (0..9_i32).prop_map(|k| k as f32 / 8.0),
                1 => (0..400_i32).prop_map(|k| k as f32 / 8.0),
                1 => Just(f32::INFINITY),
            ];
            let corner = (0..spread, 0..40_i32).prop_map(|(x, y)| [x as f32 / 8.0, y as f32 / 8.0]);
            let masks = (0_u32..4, 0_u32..4).prop_map(|(memberships, filter)| MaskWords {
                memberships,
                filter,
            });
            let one = (corner, width, 0..20_i32, any::<bool>(), masks).prop_map(
                |(min, width, height, begins_here, masks)| Copied {
                    min,
                    max: [min[0] + width, min[1] + height as f32 / 8.0],
                    begins_here,
                    masks,
                },
            );
            prop::collection::vec(one, 0..=most).prop_map(|mut copies| {
                copies.sort_by(|a, b| a.min[0].total_cmp(&b.min[0]));
                copies
            })
        })
        .boxed()
}

/// Neither ascending nor descending.
fn row(k: usize) -> u32 {
    k as u32 ^ 21
}

/// Whether one copy ends after another, further on, begins.
fn near(a: &Copied, b: &Copied) -> bool {
    b.min[0] <= a.max[0]
}

fn meet(a: &Copied, b: &Copied, masked: bool) -> bool {
    near(a, b)
        && overlaps_1d(a.min[1], a.max[1], b.min[1], b.max[1])
        && (a.begins_here || b.begins_here)
        && (!masked || a.masks.meets(b.masks))
}

/// Sixteen copies with those one further on, then two, up to twelve; then each of the sixteen alone with what is
/// further on.
fn naive_sweep(copies: &[Copied], piece_len: usize, masked: bool) -> (Vec<[u32; 2]>, u64) {
    let (mut pairs, mut compared) = (Vec::new(), 0);
    for block in (0..piece_len).step_by(LANES) {
        let block = block..piece_len.min(block + LANES);
        let together = (1..=12).flat_map(|shift| block.clone().map(move |a| (a, a + shift)));
        let alone = block
            .clone()
            .flat_map(|a| (a + 13..copies.len()).map(move |b| (a, b)));
        let all = together.chain(alone).filter(|&(_, b)| b < copies.len());
        let hits = all.filter(|&(a, b)| meet(&copies[a], &copies[b], masked));
        pairs.extend(hits.map(|(a, b)| [row(a).min(row(b)), row(a).max(row(b))]));
        // How many of those further on begin before it ends.
        let reach = |a: usize| {
            let further = copies[a + 1..].iter();
            further.filter(|b| near(&copies[a], b)).count() as u64
        };
        let together = block.clone().map(reach).max().unwrap_or(0).min(12);
        let alone = block.map(reach).filter(|&reach| reach >= 12);
        compared += 16 * (together + alone.map(|reach| (reach - 12) / 16 + 1).sum::<u64>());
    }
    (pairs, compared)
}

fn column<T>(copies: &[Copied], of: impl Fn(&Copied) -> T, behind: T) -> Vec<T>
where
    T: Clone,
{
    let real = copies.iter().map(of);
    real.chain(std::iter::repeat_n(behind, LANES)).collect()
}

fn at_every_level(mut check: impl FnMut(Simd)) {
    for &level in SimdLevel::available() {
        check(Simd::new(Some(level)).expect("an available level"));
    }
}

proptest! {
    #[test]
    fn sweep_is_the_naive_one(copies in copies(150), piece_len in 0..=150_usize, masked: bool) {
        let piece_len = piece_len.min(copies.len());
        let (pairs, compared) = naive_sweep(&copies, piece_len, masked);
        let later = (0..piece_len).flat_map(|a| (a + 1..copies.len()).map(move |b| (a, b)));
        let brute_force = later.filter(|&(a, b)| meet(&copies[a], &copies[b], masked)).count();
        assert_eq!(pairs.len(), brute_force);

        let sides = [
            column(&copies, |c| c.min[0], f32::NAN), column(&copies, |c| c.min[1], f32::NAN),
            column(&copies, |c| c.max[0], f32::NAN), column(&copies, |c| c.max[1], f32::NAN),
        ];
        // What is in the rows and the masks behind the last copy means nothing.
        let words = |k: usize| row(k) | if copies[k].begins_here { BEGINS_HERE } else { 0 };
        let rows: Vec<u32> = (0..copies.len()).map(words).chain([!0; ROWS_BEHIND]).collect();
        let masks = [
            column(&copies, |c| c.masks.memberships, !0), column(&copies, |c| c.masks.filter, !0),
        ];
        let masks = masks.each_ref().map(|column| if masked { &column[..] } else { &[] });
        let [min_x, min_y, max_x, max_y] = &sides;
        let len = copies.len();
        let copies = Copies { len, min_x, min_y, max_x, max_y, rows: &rows };
        at_every_level(|simd| {
            let arena = Arena::new();
            let mut found = Vec::new();
            let mut visit = |batch: &[[u32; 2]]| found.extend_from_slice(batch);
            let mut out = PairBuffer::new(&arena, &mut visit);
            let room = HitRoom::in_arena(&arena);
            let took = sweep(simd, Sweep { copies, piece_len, masks }, room, &mut out);
            out.flush();
            assert_eq!(found, pairs);
            assert_eq!(took, compared);
        });
    }

    #[test]
    fn gather_keeps_what_touches_the_window_and_is_reported_from_its_slot(
        boxes in copies(300), window in copies(1),
    ) {
        let finite: Vec<_> = boxes.into_iter().filter(|c| c.max[0].is_finite()).collect();
        let side = |of: fn(&Copied) -> f32| finite.iter().map(of).collect::<Vec<_>>();
        let (min_x, min_y) = (side(|c| c.min[0]), side(|c| c.min[1]));
        let (max_x, max_y) = (side(|c| c.max[0]), side(|c| c.max[1]));
        let boxes = Boxes::new([&min_x, &min_y], [&max_x, &max_y]).expect("columns of one length");
        let mut strips = BoxStrips::new(StripsConfig::new()).expect("a valid config");
        strips.update(boxes, &Serial).expect("boxes");
        let everything = [Aabb::EVERYWHERE.min(), Aabb::EVERYWHERE.max()];
        let window = window.first().map_or(everything, |c| [c.min, c.max]);
        let visited: ControlFlow<()> = strips.slots_touching(0, &window, |reach| {
            let copies = &reach.copies;
            let held = (0..copies.len).map(|k| (copies.rows[k] & ROW, copies.corners(k)));
            let expected: Vec<_> = held
                .filter(|(_, corners)| touches(corners, &window) && reach.reports(corners[0][1]))
                .collect();
            at_every_level(|simd| {
                let arena = Arena::new();
                let mut found = BoxRun::with_capacity(&arena, copies.len, false);
                gather(simd, reach, &window, &mut found);
                let found = (0..found.len()).map(|k| (found.rows()[k], found.corners(k)));
                assert_eq!(found.collect::<Vec<_>>(), expected);
            });
            ControlFlow::Continue(())
        });
        prop_assert!(visited.is_continue());
    }
}
