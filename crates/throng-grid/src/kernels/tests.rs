//! Every kernel at every level against a naive one that gives the same pairs in the same order.

use super::sweep::AT_ONCE;
use super::{Probing, join, pick, probe, sweep, touching};
use crate::RowClasses;
use crate::leaf::Bounds;
use crate::probe::{Probe, Visits};
use crate::row_word::RowWord;
use crate::run::{Centers, MaskTest, Run, RunKind};
use proptest::prelude::*;
use throng_core::lanes::HitRoom;
use throng_core::{
    Aabb, Arena, BoxRun, LANES, MaskWords, MetClasses, PairBuffer, PairOrder, RowMasks, Simd,
    SimdLevel,
};

const BOUND: [f32; 2] = [1.5, 1.0];

/// Centers as a grid passes them to a kernel.
#[derive(Clone, Debug)]
struct Piece {
    /// Left sides of boxes of the bound are sorted up to this difference.
    slack: f32,
    xs: Vec<f32>,
    ys: Vec<f32>,
    half: [Vec<f32>; 2],
    rows: Vec<u32>,
    /// By row; the first [`MetClasses::MOST`] are those of classes, which the others have in turn.
    masks: Vec<MaskWords>,
    exact: bool,
}

impl Piece {
    fn centers(&self) -> Centers<'_> {
        let own = self.half.each_ref().map(|half| &half[..]);
        Centers {
            xs: &self.xs,
            ys: &self.ys,
            rows: &self.rows,
            row_word: RowWord::PLAIN,
            own: self.exact.then_some(own),
            bound: BOUND,
            ahead: 0,
        }
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn each_masks(&self) -> RowMasks<'_> {
        RowMasks::Each(&self.masks)
    }

    /// The words of records that carry a class of masks.
    fn words(&self) -> Vec<u32> {
        let word = |&row: &u32| classed().word(row, (row % 32) as u16);
        self.rows.iter().map(word).collect()
    }

    /// A finished run, in memory that held other centers before.
    fn run<'a>(&self, arena: &'a Arena, tested: Tested) -> Run<'a> {
        let (bound, exact) = (BOUND, self.exact);
        let kind = RunKind {
            bound,
            exact,
            mask_test: match tested {
                Tested::Nothing => MaskTest::None,
                Tested::Words | Tested::WordsOfClassed => MaskTest::Words,
                Tested::Classes => MaskTest::Classes,
            },
            placed: false,
        };
        let words = self.words();
        let centers = match tested {
            Tested::Nothing | Tested::Words => self.centers(),
            Tested::WordsOfClassed | Tested::Classes => Centers {
                rows: &words,
                row_word: classed(),
                ..self.centers()
            },
        };
        let mut run = Run::with_capacity(arena, 2 * self.len(), kind);
        for pieces in [2, 1] {
            run.clear();
            for _ in 0..pieces {
                run.append(&centers);
            }
            run.finish(Some(self.each_masks()));
        }
        run
    }

    /// The box of a center.
    fn aabb(&self, k: usize) -> Aabb {
        let half = if self.exact {
            [self.half[0][k], self.half[1][k]]
        } else {
            BOUND
        };
        let (x, y) = (self.xs[k], self.ys[k]);
        Aabb::of_corners([x - half[0], y - half[1]], [x + half[0], y + half[1]])
    }

    /// The left side of the box of the bound.
    fn left(&self, k: usize) -> f32 {
        self.xs[k] - BOUND[0]
    }

    fn masks(&self, k: usize) -> MaskWords {
        self.masks[self.rows[k] as usize]
    }
}

/// How masks are tested.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Tested {
    Nothing,
    Words,
    /// By words, although the index carries classes.
    WordsOfClassed,
    Classes,
}

fn tested() -> BoxedStrategy<Tested> {
    prop::sample::select(vec![
        Tested::Nothing,
        Tested::Words,
        Tested::WordsOfClassed,
        Tested::Classes,
    ])
    .boxed()
}

fn classed() -> RowWord {
    let classes = RowClasses {
        of_rows: &[],
        in_use: 0..MetClasses::MOST,
    };
    RowWord::with_classes(1000, &classes)
}

/// Which classes of two pieces meet.
fn met(left: &Piece, right: &Piece) -> MetClasses {
    let classes = [left, right].map(|piece| &piece.masks[..MetClasses::MOST]);
    MetClasses::of(classes).expect("no more than there can be")
}

fn masks() -> BoxedStrategy<MaskWords> {
    (0_u32..4, 0_u32..4)
        .prop_map(|(memberships, filter)| MaskWords {
            memberships,
            filter,
        })
        .boxed()
}

/// Up to `most` centers, crowded or spread out, at multiples of an eighth so that boxes touch, and sorted up to a
/// slack.
fn piece(most: usize) -> BoxedStrategy<Piece> {
    let spread = prop::sample::select(vec![1, 16, 160, 1600]);
    // The last is more than half the bound.
    let slack = prop::sample::select(vec![0, 1, 4, 16]);
    let shape = (0..=most, spread, slack, any::<bool>());
    shape
        .prop_flat_map(|(len, spread, slack, exact)| {
            let column = move |range: std::ops::Range<i32>| prop::collection::vec(range, len);
            let half = [column(0..13), column(0..9)];
            let masks = prop::collection::vec(masks(), MetClasses::MOST);
            let columns = (column(0..spread), column(0..slack + 1), column(0..40));
            (columns, half, masks).prop_map(move |((mut xs, late, ys), half, masks)| {
                let eighths = |column: Vec<i32>| -> Vec<f32> {
                    column.into_iter().map(|k| k as f32 / 8.0).collect()
                };
                xs.sort_unstable();
                let xs = xs.into_iter().zip(late).map(|(x, late)| x + late);
                Piece {
                    slack: slack as f32 / 8.0,
                    xs: eighths(xs.collect()),
                    ys: eighths(ys),
                    half: half.map(eighths),
                    // Neither ascending nor descending.
                    rows: (0..len as u32).map(|k| k ^ 21).collect(),
                    masks: masks.repeat(len.next_power_of_two().div_ceil(MetClasses::MOST)),
                    exact,
                }
            })
        })
        .boxed()
}

/// The same, and so close together that most overlap, and most masks agree.
fn crowd(most: usize) -> BoxedStrategy<Piece> {
    let closer = |mut piece: Piece| {
        piece.xs.iter_mut().for_each(|x| *x /= 16.0);
        piece.ys.iter_mut().for_each(|y| *y /= 8.0);
        let masks = piece.masks.iter_mut().enumerate();
        masks.for_each(|(k, masks)| {
            if k % 4 != 3 {
                *masks = MaskWords::ALL;
            }
        });
        piece
    };
    piece(most).prop_map(closer).boxed()
}

fn aabb() -> BoxedStrategy<Aabb> {
    let corner = || (-40_i32..400, -20_i32..60);
    prop_oneof![
        9 => (corner(), (0_i32..50, 0_i32..50)).prop_map(|((x, y), (width, height))| {
            let min = [x as f32 / 8.0, y as f32 / 8.0];
            Aabb::of_corners(min, [min[0] + width as f32 / 8.0, min[1] + height as f32 / 8.0])
        }),
        1 => Just(Aabb::EVERYWHERE),
        1 => (corner(), any::<bool>()).prop_map(|((x, y), right)| {
            let x = x as f32 / 8.0;
            let [from, to] = if right { [x, f32::INFINITY] } else { [f32::NEG_INFINITY, x] };
            Aabb::of_corners([from, y as f32 / 8.0], [to, y as f32 / 8.0 + 2.0])
        }),
    ]
    .boxed()
}

fn order() -> BoxedStrategy<PairOrder> {
    prop::sample::select(vec![PairOrder::LowerRow, PairOrder::Left, PairOrder::Right]).boxed()
}

fn ordered(order: PairOrder, left: u32, right: u32) -> [u32; 2] {
    match order {
        PairOrder::LowerRow => [left.min(right), left.max(right)],
        PairOrder::Left => [left, right],
        PairOrder::Right => [right, left],
    }
}

fn at_every_level(mut check: impl FnMut(Simd)) {
    for &level in SimdLevel::available() {
        check(Simd::new(Some(level)).expect("an available level"));
    }
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

fn assert_same_pairs(found: &[[u32; 2]], brute_force: impl Iterator<Item = [u32; 2]>) {
    let sorted = |mut pairs: Vec<[u32; 2]>| {
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(sorted(found.to_vec()), sorted(brute_force.collect()));
}

/// Sixteen boxes with those one further on, then two and so on, a few at once, until none of the sixteen reaches the next that it
/// would be compared with.
fn naive_sweep(
    piece: &Piece,
    own: usize,
    pairs_up: impl Fn(usize, usize) -> bool,
) -> (Vec<[u32; 2]>, u64) {
    let (mut pairs, mut compared) = (Vec::new(), 0);
    for block in (0..own).step_by(LANES) {
        let shifted = |shift: usize| {
            let all = (block..own.min(block + LANES)).map(move |a| (a, a + shift));
            all.filter(|&(_, b)| b < piece.len())
        };
        let is_near =
            |(a, b): (usize, usize)| piece.left(b) <= piece.aabb(a).max()[0] + piece.slack;
        let steps = (1..).step_by(AT_ONCE);
        for first in steps.take_while(|&first| shifted(first).any(is_near)) {
            compared += (AT_ONCE * LANES) as u64;
            let hits = (first..first + AT_ONCE).flat_map(shifted);
            let hits = hits.filter(|&(a, b)| pairs_up(a, b));
            pairs.extend(
                hits.map(|(a, b)| ordered(PairOrder::LowerRow, piece.rows[a], piece.rows[b])),
            );
        }
    }
    (pairs, compared)
}

/// Sixteen boxes of the left piece with each of the right one, except those that end before any later left box begins,
/// and those after the first that begins after all sixteen have ended.
fn naive_join(
    [left, right]: [&Piece; 2],
    order: PairOrder,
    pairs_up: impl Fn(usize, usize) -> bool,
) -> (Vec<[u32; 2]>, u64) {
    let (mut pairs, mut compared, mut first) = (Vec::new(), 0, 0);
    for block in (0..left.len()).step_by(LANES) {
        let own = block..left.len().min(block + LANES);
        let is_over = |b: usize| right.aabb(b).max()[0] < left.left(block) - left.slack;
        first += (first..right.len()).take_while(|&b| is_over(b)).count();
        let reach = own.clone().map(|a| left.aabb(a).max()[0]);
        let reach = reach.fold(f32::NEG_INFINITY, f32::max) + right.slack;
        for b in (first..right.len()).take_while(|&b| right.left(b) <= reach) {
            compared += 16;
            let hits = own.clone().filter(|&a| pairs_up(a, b));
            pairs.extend(hits.map(|a| ordered(order, left.rows[a], right.rows[b])));
        }
    }
    (pairs, compared)
}

proptest! {
    #[test]
    fn sweep_is_the_naive_one(
        piece in prop_oneof![3 => piece(150), 1 => crowd(150)],
        tested in tested(),
        own in 0..=150_usize,
    ) {
        let own = own.min(piece.len());
        let pairs_up = |a: usize, b: usize| {
            piece.aabb(a).overlaps(&piece.aabb(b))
                && (tested == Tested::Nothing || piece.masks(a).meets(piece.masks(b)))
        };
        let expected = naive_sweep(&piece, own, pairs_up);
        let later = (0..own).flat_map(|a| (a + 1..piece.len()).map(move |b| (a, b)));
        let brute_force = later.filter(|&(a, b)| pairs_up(a, b));
        assert_same_pairs(
            &expected.0,
            brute_force.map(|(a, b)| ordered(PairOrder::LowerRow, piece.rows[a], piece.rows[b])),
        );
        at_every_level(|simd| {
            let arena = Arena::new();
            let run = piece.run(&arena, tested);
            let met = met(&piece, &piece);
            let (of, hits) = ((own, piece.slack), HitRoom::in_arena(&arena));
            let found = collect(|out| sweep(simd, &run, Some(&met), of, hits, out));
            assert_eq!(found, expected);
        });
    }

    #[test]
    fn join_is_the_naive_one(
        (left, right) in prop_oneof![(piece(100), piece(100)), (crowd(100), crowd(100)), (crowd(100), piece(100))],
        tested in tested(),
        order in order(),
    ) {
        let pairs_up = |a: usize, b: usize| {
            left.aabb(a).overlaps(&right.aabb(b))
                && (tested == Tested::Nothing || left.masks(a).meets(right.masks(b)))
        };
        let expected = naive_join([&left, &right], order, pairs_up);
        let all = (0..left.len()).flat_map(|a| (0..right.len()).map(move |b| (a, b)));
        assert_same_pairs(
            &expected.0,
            all.filter(|&(a, b)| pairs_up(a, b))
                .map(|(a, b)| ordered(order, left.rows[a], right.rows[b])),
        );
        at_every_level(|simd| {
            let arena = Arena::new();
            let runs = [left.run(&arena, tested), right.run(&arena, tested)];
            let met = met(&left, &right);
            let slack = [left.slack, right.slack];
            let (runs, hits) = (runs.each_ref(), HitRoom::in_arena(&arena));
            let found = collect(|out| join(simd, runs, Some(&met), slack, order, hits, out));
            assert_eq!(found, expected);
        });
    }

    #[test]
    fn probe_is_the_naive_one(
        piece in piece(200),
        boxes in prop::collection::vec((aabb(), masks()), 0..40),
        masked in any::<[bool; 2]>(),
        swapped: bool,
    ) {
        let order = if swapped { PairOrder::Right } else { PairOrder::Left };
        let box_masks: Vec<MaskWords> = boxes.iter().map(|(_, masks)| *masks).collect();
        let classes: Vec<u16> = (0..boxes.len() as u16).collect();
        let theirs = RowMasks::Classes { classes: &classes, palette: &box_masks };
        let masks = [masked[0].then(|| piece.each_masks()), masked[1].then_some(theirs)];
        // Box by box, the rows of the piece in turn.
        let (mut pairs, mut compared) = (Vec::new(), 0);
        for (j, (aabb, own)) in boxes.iter().enumerate() {
            let mine = |k: usize| if masked[0] { piece.masks(k) } else { MaskWords::ALL };
            let own = if masked[1] { *own } else { MaskWords::ALL };
            let hits = (0..piece.len())
                .filter(|&k| piece.aabb(k).overlaps(aabb) && mine(k).meets(own));
            pairs.extend(hits.map(|k| ordered(order, piece.rows[k], j as u32)));
            // A group is reached unless it ends before the box begins, or begins after the box ends.
            let firsts: Vec<f32> = piece.xs.iter().copied().step_by(LANES).collect();
            let ended = |&&x: &&f32| x + BOUND[0] + piece.slack < aabb.min()[0];
            let begun = |&&x: &&f32| x - BOUND[0] <= aabb.max()[0] + piece.slack;
            let ended = firsts.iter().skip(1).filter(ended).count();
            compared += 16 * firsts.iter().filter(begun).count().saturating_sub(ended) as u64;
        }
        at_every_level(|simd| {
            let arena = Arena::new();
            let mut run = BoxRun::with_capacity(&arena, boxes.len(), false);
            for (row, (aabb, _)) in (0..).zip(&boxes) {
                run.push([aabb.min(), aabb.max()], row);
            }
            run.finish(None);
            let own = Probe::new(piece.centers(), piece.slack, false);
            let mut visits = Visits::new(&arena);
            let with = Probing { masks, order };
            let found = collect(|out| probe(simd, &own, &run, with, &mut visits, out));
            assert_eq!(found, (pairs.clone(), compared));
        });
    }

    #[test]
    fn pick_keeps_what_touches_the_window_along_y(
        piece in piece(100), low in -10_i32..50, height in 0_i32..20,
    ) {
        let window = [low as f32 / 8.0, (low + height) as f32 / 8.0];
        let touches = |k: usize| {
            piece.ys[k] - BOUND[1] <= window[1] && window[0] <= piece.ys[k] + BOUND[1]
        };
        // Twice, so that the second time begins at any index.
        let kept = || (0..2).flat_map(|_| (0..piece.len()).filter(|&k| touches(k)));
        let half = if piece.exact { &piece.half } else { &[vec![], vec![]] };
        at_every_level(|simd| {
            let arena = Arena::new();
            let kind = RunKind {
                bound: BOUND,
                exact: piece.exact,
                mask_test: MaskTest::None,
                placed: false,
            };
            let mut run = Run::with_capacity(&arena, 2 * piece.len(), kind);
            for _ in 0..2 {
                pick(simd, &piece.centers(), window, &mut run);
            }
            let found = run.centers();
            assert!(found.rows.iter().copied().eq(kept().map(|k| piece.rows[k])));
            assert!(found.xs.iter().copied().eq(kept().map(|k| piece.xs[k])));
            assert!(found.ys.iter().copied().eq(kept().map(|k| piece.ys[k])));
            for (found, half) in found.own.into_iter().flatten().zip(half) {
                assert!(found.iter().copied().eq(kept().map(|k| half[k])));
            }
        });
    }

    #[test]
    fn touching_makes_boxes_of_what_touches_the_window(piece in piece(100), window in aabb()) {
        let bounds = Bounds { min: window.min(), max: window.max() };
        let kept = (0..piece.len()).filter(|&k| piece.aabb(k).overlaps(&window));
        let once: Vec<_> = kept
            .map(|k| (piece.rows[k], [piece.aabb(k).min(), piece.aabb(k).max()]))
            .collect();
        let twice = [once.clone(), once].concat();
        at_every_level(|simd| {
            let arena = Arena::new();
            let mut found = BoxRun::with_capacity(&arena, 2 * piece.len(), false);
            for _ in 0..2 {
                touching(simd, &piece.centers(), &bounds, &mut found);
            }
            let found = (0..found.len()).map(|k| (found.rows()[k], found.corners(k)));
            assert_eq!(found.collect::<Vec<_>>(), twice);
        });
    }
}
