//! The pairs of two steps that no walk has seen in the other, and which of them are in one step alone.
//!
//! A walk looks for a pair where it is likely to be. One that it has not seen may still be in a list of the other step: too far
//! ahead, or in another chunk. But then no walk has seen it there either, since it would have been seen from both sides. So the
//! pairs of one step that no walk has seen are put into a [`PairFilter`]. An unseen pair of the other step that is not in there is
//! in one step alone. The few that may be in it are told by their boxes, as all are where walks have lost their way. Boxes of a
//! hundred thousand rows are in no cache near a core, and it takes longer to look for two of them than to look into a filter.
//!
//! None of this is about rows that have changed: all their pairs are told, and then compared by ids.

use throng_core::{BoxesByRow, Executor, LANES, Serial, Simd, run_all};

use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_filter::PairFilter;
use crate::world::ids::Row;

/// If more than one pair in so many is unseen, boxes are compared instead.
pub(crate) const MOST_UNSEEN: usize = 4;
/// Up to this many are added on the calling thread: another would come too late.
const FEW_UNSEEN: usize = 4096;

/// The unseen pairs of the last step and of this one.
#[derive(Default)]
pub(crate) struct Unseen {
    pub(crate) then: PairFilter,
    pub(crate) now: PairFilter,
}

impl Unseen {
    /// Gathers the unseen pairs of all lists; those in `settled` are pairs of then that still go on, though no list of now has them.
    /// Returns whether there are few enough for it to be worth it.
    pub(crate) fn gather(
        &mut self,
        [then, now]: [&[ListedPairs]; 2],
        settled: impl ExactSizeIterator<Item = [Row; 2]>,
        executor: &dyn Executor,
    ) -> bool {
        let of_then = |chunk: usize| then[chunk].unseen_by(now.get(chunk));
        let of_now = |chunk: usize| now[chunk].unseen();
        let all = then.iter().chain(now).map(|list| list.pairs.len());
        let unseen_then = (0..then.len()).flat_map(of_then).map(<[_]>::len);
        let unseen_now = (0..now.len()).flat_map(of_now).map(<[_]>::len);
        let count: [usize; 2] = [unseen_then.sum(), unseen_now.sum::<usize>() + settled.len()];
        if count[0] + count[1] > all.sum::<usize>() / MOST_UNSEEN {
            return false;
        }
        self.then.restart(count[0]);
        self.now.restart(count[1]);
        settled.for_each(|pair| self.now.add(&[pair], true));
        let alone = executor.threads() == 1 || count[0] + count[1] <= FEW_UNSEEN;
        let executor = if alone { &Serial } else { executor };
        let add = |filter: &PairFilter, unseen: [&[_]; 2]| {
            unseen
                .into_iter()
                .for_each(|pairs| filter.add(pairs, alone));
        };
        run_all(executor, then.len(), &|chunk| {
            add(&self.then, of_then(chunk))
        });
        run_all(executor, now.len(), &|chunk| add(&self.now, of_now(chunk)));
        true
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.then.memory_bytes() + self.now.memory_bytes()
    }
}

/// Which of the unseen pairs of one step may be in the other.
#[derive(Clone, Copy)]
pub(crate) enum MaybeInBoth<'f> {
    /// All of them.
    All,
    /// Those that are in the filter of the other's unseen pairs.
    In(&'f PairFilter),
}

impl MaybeInBoth<'_> {
    /// Appends to `told`, in order, those of the unseen pairs of a list that are in no list of the other step, or that have a row without
    /// a box. `boxes` are those of the other step.
    pub(crate) fn tell(
        self,
        unseen: [&[[Row; 2]]; 2],
        boxes: [BoxesByRow<'_>; 2],
        simd: Simd,
        told: &mut Vec<[Row; 2]>,
    ) {
        for pairs in unseen {
            let first = told.len();
            match self {
                Self::All => simd.pairs_apart(pairs, boxes, told),
                Self::In(filter) => tell_unless_in_both(pairs, filter, boxes, simd, told),
            }
            if cfg!(debug_assertions) {
                assert_apart(&told[first..], pairs, boxes, simd);
            }
        }
    }
}

/// How many pairs are looked at together.
const BATCH: usize = 8 * LANES;

/// Appends the pairs that are not in the filter, or that are apart.
fn tell_unless_in_both(
    pairs: &[[Row; 2]],
    filter: &PairFilter,
    boxes: [BoxesByRow<'_>; 2],
    simd: Simd,
    told: &mut Vec<[Row; 2]>,
) {
    if pairs.is_empty() {
        return;
    }
    let (mut maybe, mut apart) = ([[0; 2]; BATCH], [[0; 2]; BATCH + LANES]);
    for pairs in pairs.chunks(BATCH) {
        let mut count = 0;
        for &pair in pairs {
            // It is noted in any case, and then kept or not.
            maybe[count] = pair;
            count += usize::from(filter.may_have(pair));
        }
        let kept = simd.keep_apart(&maybe[..count], boxes, &mut apart);
        let (mut maybe, mut apart) = (&maybe[..count], &apart[..kept]);
        told.extend(pairs.iter().filter(|&pair| {
            let is_maybe = is_next(&mut maybe, pair);
            !is_maybe || is_next(&mut apart, pair)
        }));
    }
}

/// Boxes say the same: these and no others are apart.
pub(crate) fn assert_apart(
    told: &[[Row; 2]],
    pairs: &[[Row; 2]],
    boxes: [BoxesByRow<'_>; 2],
    simd: Simd,
) {
    let (mut left, mut apart) = (told, [[0; 2]; BATCH + LANES]);
    for pairs in pairs.chunks(BATCH) {
        let kept = simd.keep_apart(pairs, boxes, &mut apart);
        let told = left.split_off(..kept);
        assert_eq!(told, Some(&apart[..kept]), "boxes say the same");
    }
    assert!(left.is_empty(), "boxes say the same");
}

/// Whether a pair is the first of those that are left, which is taken then.
fn is_next(left: &mut &[[Row; 2]], pair: &[Row; 2]) -> bool {
    let is_first = left.first() == Some(pair);
    *left = &left[usize::from(is_first)..];
    is_first
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_scenes::Threads;

    /// Which steps have a pair, and whether a walk sees it.
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Ends,
        Begins,
        /// In both, but not in the same chunk.
        Wanders,
        /// In both, and seen.
        Stays,
    }

    const CHUNKS: u32 = 7;

    fn kind(k: u32) -> Kind {
        match k.wrapping_mul(0x9E37_79B9) >> 26 {
            0..2 => Kind::Ends,
            2..4 => Kind::Begins,
            4 => Kind::Wanders,
            _ => Kind::Stays,
        }
    }

    /// Pair `k` is of the rows `2k` and `2k + 1`.
    fn pair(k: u32) -> [Row; 2] {
        [2 * k, 2 * k + 1]
    }

    /// Whether this step, 0 or 1, has a pair.
    fn has(step: usize, kind: Kind) -> bool {
        kind != [Kind::Begins, Kind::Ends][step]
    }

    /// The pairs of a chunk in a step: those that are walked, and those that are not.
    fn chunk(step: usize, chunk: u32, pairs: u32) -> [Vec<[Row; 2]>; 2] {
        let chunk_of = |k: u32| {
            let wandered = step == 1 && kind(k) == Kind::Wanders;
            (k / 97 + u32::from(wandered)) % CHUNKS
        };
        let here = (0..pairs).filter(|&k| has(step, kind(k)) && chunk_of(k) == chunk);
        let (walked, rest): (Vec<u32>, Vec<u32>) =
            here.partition(|&k| kind(k) == Kind::Stays || k % 3 > 0);
        [walked, rest].map(|ks| ks.into_iter().map(pair).collect())
    }

    fn list(pairs: Vec<[Row; 2]>) -> ListedPairs {
        let mut list = ListedPairs::default();
        list.pairs.extend(pairs);
        list
    }

    /// Both lists of a chunk, as they are when it has been walked.
    fn lists(number: u32, pairs: u32) -> [ListedPairs; 2] {
        let [then, now] = [0, 1].map(|step| chunk(step, number, pairs));
        let unmatched = |walked: &[[Row; 2]]| {
            let pairs = walked
                .iter()
                .filter(|pair| kind(pair[0] / 2) != Kind::Stays);
            pairs.copied().collect()
        };
        let mut list_now = list(now.concat());
        (list_now.walked, list_now.unmatched) = (now[0].len(), unmatched(&now[0]));
        (list_now.walked_then, list_now.unmatched_then) = (then[0].len(), unmatched(&then[0]));
        [list(then.concat()), list_now]
    }

    /// Both rows of a pair are in one place in a step that has it.
    fn centers(step: usize, pairs: u32) -> Vec<[f32; 2]> {
        let second = |k| if has(step, kind(k)) { 1.0 } else { 3.0 };
        (0..pairs)
            .flat_map(|k| [[0.0; 2], [second(k), 0.0]])
            .collect()
    }

    /// `unseen` but for those that do not begin or end.
    fn expected(unseen: [&[[Row; 2]]; 2], changes: Kind) -> Vec<[Row; 2]> {
        let mut pairs = unseen.concat();
        pairs.retain(|pair| kind(pair[0] / 2) == changes);
        pairs
    }

    #[test]
    fn what_is_told_is_in_one_step_alone() {
        for (pairs, threads) in [(600, 3), (60_000, 1), (60_000, 3)] {
            let lists = (0..CHUNKS).map(|chunk| lists(chunk, pairs));
            let (mut then, now): (Vec<_>, Vec<_>) = lists.map(<[_; 2]>::into).unzip();
            // One more, of which none is walked; one of its pairs goes on because it rests.
            let behind = |like: Kind| (pairs..pairs + 100).find(|&k| kind(k) == like).map(pair);
            let [rests, ends] = [Kind::Stays, Kind::Ends].map(|kind| behind(kind).unwrap());
            then.push(list(vec![rests, ends]));
            let mut unseen = Unseen::default();
            let settled = [rests].into_iter();
            assert!(unseen.gather([&then, &now], settled, &Threads(threads)));

            let told = |step: usize, unseen: [&[_]; 2], maybe_in_both: MaybeInBoth<'_>| {
                let centers = centers(1 - step, pairs + 100);
                let boxes = BoxesByRow::Alike {
                    centers: &centers,
                    half_extents: [0.5; 2],
                };
                let mut told = vec![];
                maybe_in_both.tell(unseen, [boxes; 2], Simd::new(None).unwrap(), &mut told);
                told
            };
            for list in &now {
                let expected = expected(list.unseen(), Kind::Begins);
                for maybe_in_both in [MaybeInBoth::In(&unseen.then), MaybeInBoth::All] {
                    assert_eq!(told(1, list.unseen(), maybe_in_both), expected);
                }
            }
            for (chunk, list) in then.iter().enumerate() {
                let unseen_then = list.unseen_by(now.get(chunk));
                let expected = expected(unseen_then, Kind::Ends);
                for maybe_in_both in [MaybeInBoth::In(&unseen.now), MaybeInBoth::All] {
                    assert_eq!(told(0, unseen_then, maybe_in_both), expected);
                }
            }
        }
    }
}
