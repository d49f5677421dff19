//! What a narrowphase is handed with its pairs, compared with what the world's columns say.

use super::{Pair, Threads, assert_same_in_any_order, forget_history, ordered_pairs, sort_pairs};
use throng::{Broadphase, CategoryId, ChunkOutput, Executor, Narrowphase, PairBatch, PairData};
use throng_core::for_both;

/// Keeps the pairs, and compares what is in hand with them.
struct Compared<const BOXES: bool>;

/// The pairs of a chunk, and the first whose values were not those of the columns.
#[derive(Default)]
struct Comparison {
    pairs: Vec<Pair>,
    wrong: Option<String>,
}

impl ChunkOutput for Comparison {
    fn clear(&mut self) {
        self.pairs.clear();
        self.wrong = None;
    }
}

impl<const BOXES: bool> Narrowphase for Compared<BOXES> {
    type Scratch = ();
    type Output = Comparison;
    const PAIR_DATA: PairData = if BOXES {
        PairData::Boxes
    } else {
        PairData::Centers
    };

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), output: &mut Comparison) {
        let categories: [CategoryId; 2] = batch.categories();
        for side in 0..2 {
            let centers = batch.pair_centers(side);
            compare(&batch, output, side, centers, |pair| {
                let [xs, ys] = batch.centers(side);
                let row = pair[side] as usize;
                [xs[row], ys[row]]
            });
            if BOXES {
                let half_extents = batch.pair_half_extents(side);
                compare(&batch, output, side, half_extents, |pair| {
                    batch.half_extents(pair)[side]
                });
            }
        }
        let pairs = batch.pairs().iter().map(|&pair| (categories, pair));
        output.pairs.extend(pairs);
    }
}

/// Bit by bit, so that signs of zero count.
fn compare(
    batch: &PairBatch<'_>,
    output: &mut Comparison,
    side: usize,
    columns: [&[f32]; 2],
    expected: impl Fn([u32; 2]) -> [f32; 2],
) {
    assert!(columns.map(<[f32]>::len) == [batch.pairs().len(); 2]);
    for (k, &pair) in batch.pairs().iter().enumerate() {
        let (held, expected) = (for_both(|axis| columns[axis][k]), expected(pair));
        let as_bits = |at: [f32; 2]| for_both(|axis| at[axis].to_bits());
        if as_bits(held) != as_bits(expected) {
            let categories = batch.categories();
            let wrong = || {
                format!("{held:?} on side {side} of {pair:?} of {categories:?}, not {expected:?}")
            };
            output.wrong.get_or_insert_with(wrong);
        }
    }
}

/// The pairs of a step with centers in hand, or with boxes. Fails if a value is not that of the columns.
fn pairs_in_hand<const BOXES: bool>(
    world: &mut Broadphase,
    executor: &dyn Executor,
    what: &str,
) -> Vec<Pair> {
    let step = world.step_on(executor, &Compared::<BOXES>);
    let mut pairs = Vec::new();
    for output in step.outputs() {
        assert_eq!(output.wrong, None, "{what}, boxes {BOXES}");
        pairs.extend_from_slice(&output.pairs);
    }
    assert_eq!(step.report().pairs, pairs.len() as u64, "{what}");
    pairs
}

/// Checks that whoever asks for values gets those of the columns, and the same pairs in the same order as whoever does
/// not, on any number of threads. `pairs` are those of the world, in any order.
pub fn check_in_hand(world: &mut Broadphase, pairs: &[Pair], what: &str) {
    let mut expected = pairs.to_vec();
    sort_pairs(&mut expected);
    // As the index is, which may be another in each step, and as it is built.
    for is_built in [false, true] {
        for threads in [1, 3] {
            let executor = Threads(threads);
            let prepare = |world: &mut Broadphase| is_built.then(|| forget_history(world));
            prepare(world);
            let ordered = ordered_pairs(world, &executor);
            prepare(world);
            let with_centers = pairs_in_hand::<false>(world, &executor, what);
            prepare(world);
            let with_boxes = pairs_in_hand::<true>(world, &executor, what);
            if is_built {
                assert!(with_centers == ordered, "{what}: other pairs with centers");
                assert!(with_boxes == ordered, "{what}: other pairs with boxes");
            }
            for found in [ordered, with_centers, with_boxes] {
                assert_same_in_any_order(&found, &expected, what);
            }
        }
    }
}
