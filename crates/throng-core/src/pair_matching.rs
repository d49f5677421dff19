//! What two lists of pairs do not have in common, where most pairs are in both and in about the same order: those of two
//! steps, while an index is refitted.
//!
//! A merge knows which of two pairs comes first. These lists have no such order, but a few pairs further on they agree again. So
//! eight pairs of each are compared three times: as they are, with the first list one pair ahead, and with the second list one pair
//! ahead. That tells how far they agree, and which list has a pair that the other has not. Also tried: to look ahead only where they
//! differ. For each pair that is not in both, that takes two rounds of loads that wait for each other, and a branch that is
//! guessed wrong: half as long again where such are one in eight.
//!
//! If one list has eight or more pairs in a row that the other has not, the walk does not find its way back, and soon ends. That is
//! rare where steps are short.

use crate::lanes::{Kernel, Lanes, Simd, lanes_below};
use crate::pair_buffer::LANES;

impl Simd {
    /// Walks two lists side by side, each without duplicates, and appends to `unmatched` the pairs of each that it does not see
    /// in the other, in order. Returns how many pairs of each it has walked: all of one of them at least, unless they have little
    /// in common.
    ///
    /// Of those walked, what is not appended is in both lists, and in the same order in both. What is appended may be in both
    /// too, in other places. O(pairs walked).
    pub fn unmatched_pairs(
        self,
        lists: [&[[u32; 2]]; 2],
        unmatched: [&mut Vec<[u32; 2]>; 2],
    ) -> [usize; 2] {
        let carried = ();
        self.run(Walk {
            lists,
            unmatched,
            carried,
        })
    }

    /// The same, where each pair of the second list has a value: appends to `values` one for each pair walked of the first list,
    /// that of the pair in the second which it matches, or `none` if it is unmatched.
    ///
    /// # Panics
    ///
    /// If there are fewer values than pairs in the second list.
    pub fn unmatched_pairs_and_values(
        self,
        lists: [&[[u32; 2]]; 2],
        unmatched: [&mut Vec<[u32; 2]>; 2],
        values_then: &[u32],
        none: u32,
        values: &mut Vec<u32>,
    ) -> [usize; 2] {
        let carried = Values {
            from: &values_then[..lists[1].len()],
            to: values,
            none,
        };
        self.run(Walk {
            lists,
            unmatched,
            carried,
        })
    }
}

/// What is carried over from the pairs of the second list to those of the first.
trait Carried {
    /// So many pairs of the first list, at most [`WINDOW`], match as many of the second, from some place on.
    fn matched(&mut self, from: usize, count: usize);
    /// So many pairs of the first list, at most [`WINDOW`], are unmatched.
    fn unmatched(&mut self, count: usize);
}

/// Nothing.
impl Carried for () {
    #[inline(always)]
    fn matched(&mut self, _: usize, _: usize) {}

    #[inline(always)]
    fn unmatched(&mut self, _: usize) {}
}

/// Values.
struct Values<'v> {
    from: &'v [u32],
    to: &'v mut Vec<u32>,
    none: u32,
}

impl Values<'_> {
    /// Appends the first so many of a window: all of it, of which the surplus is dropped again, is copied faster than `count` values.
    #[inline(always)]
    fn append(to: &mut Vec<u32>, window: &[u32; WINDOW], count: usize) {
        let kept = to.len() + count;
        to.extend_from_slice(window);
        to.truncate(kept);
    }
}

impl Carried for Values<'_> {
    #[inline(always)]
    fn matched(&mut self, from: usize, count: usize) {
        let from = &self.from[from..];
        match from.first_chunk() {
            Some(window) => Self::append(self.to, window, count),
            None => self.to.extend_from_slice(&from[..count]),
        }
    }

    #[inline(always)]
    fn unmatched(&mut self, count: usize) {
        Self::append(self.to, &[self.none; WINDOW], count);
    }
}

/// How many pairs of each list are compared at once: a group of words.
const WINDOW: usize = LANES / 2;
/// The same, and one ahead.
type Near = [[u32; 2]; WINDOW + 1];
/// All of them, as bits.
const ALL: u32 = (1 << (WINDOW + 1)) - 1;

/// If more than one in this many is unmatched where the lists agree nowhere near, walking on is not worth it.
const MOST_UNMATCHED: usize = 4;
/// This many unmatched pairs are allowed in any case.
const FEW_UNMATCHED: usize = 64;

struct Walk<'l, 'u, C> {
    lists: [&'l [[u32; 2]]; 2],
    unmatched: [&'u mut Vec<[u32; 2]>; 2],
    carried: C,
}

impl<C: Carried> Kernel for Walk<'_, '_, C> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> [usize; 2] {
        let carried = &mut self.carried;
        let ([a, b], [only_a, only_b]) = (self.lists, self.unmatched);
        let (mut a, mut b) = (Walked::new(a, only_a), Walked::new(b, only_b));
        let mut goes_on = true;
        while let (true, Some(near_a), Some(near_b)) = (goes_on, a.near(), b.near()) {
            let near = [near_a, near_b];
            goes_on = go_on(lanes, [&mut a, &mut b], near, [ALL; 2], carried);
        }
        while goes_on && !a.left().is_empty() && !b.left().is_empty() {
            let ((near_a, in_a), (near_b, in_b)) = (a.last(), b.last());
            let near = [&near_a, &near_b];
            goes_on = go_on(lanes, [&mut a, &mut b], near, [in_a, in_b], carried);
        }
        [a.at, b.at]
    }
}

/// Takes the pairs that agree, one pair of either list or both that is in the way, and those that agree behind it. `in_a` and
/// `in_b` tell which of the nearby pairs belong to the lists. `false` if too little agrees.
#[inline(always)]
fn go_on<L: Lanes>(
    lanes: L,
    [a, b]: [&mut Walked<'_, '_>; 2],
    [near_a, near_b]: [&Near; 2],
    [in_a, in_b]: [u32; 2],
    carried: &mut impl Carried,
) -> bool {
    let level = lanes.equal_pairs(here(lanes, near_a), here(lanes, near_b)) & in_a & in_b;
    let a_ahead = lanes.equal_pairs(ahead(lanes, near_a), here(lanes, near_b)) & in_a >> 1 & in_b;
    let b_ahead = lanes.equal_pairs(here(lanes, near_a), ahead(lanes, near_b)) & in_a & in_b >> 1;
    let before = level.trailing_ones();
    // How many agree behind the first that do not, if those that are in the way are left out.
    let without_a = (a_ahead >> before).trailing_ones();
    let without_b = (b_ahead >> before).trailing_ones();
    let without_both = (level >> before >> 1).trailing_ones();
    let behind = without_a.max(without_b).max(without_both);
    if before + behind == 0 {
        let walked = a.at + b.at;
        if a.unmatched() + b.unmatched() > FEW_UNMATCHED + walked / MOST_UNMATCHED {
            return false;
        }
        let [skip_a, skip_b] = leap(lanes, [near_a, near_b], [in_a, in_b]);
        carried.unmatched(skip_a);
        a.leave_out(skip_a);
        b.leave_out(skip_b);
        return true;
    }
    let is_known = behind > 0;
    let skip_b = is_known & ((without_b == behind) | (without_a < behind));
    let skip_a = is_known & (without_b < behind);
    let behind_in_b = b.at + before as usize + usize::from(skip_b);
    carried.matched(b.at, before as usize);
    carried.unmatched(usize::from(skip_a));
    carried.matched(behind_in_b, behind as usize);
    a.pass(near_a, before as usize, skip_a, behind as usize);
    b.pass(near_b, before as usize, skip_b, behind as usize);
    true
}

/// Where two lists agree neither as they stand nor with one of them one pair ahead: how many pairs of each are to be left out for
/// them to agree, or one of each if there is no telling.
#[inline(always)]
fn leap<L: Lanes>(lanes: L, [a, b]: [&Near; 2], [in_a, in_b]: [u32; 2]) -> [usize; 2] {
    let place = |found: u32| (found | 1 << WINDOW).trailing_zeros() as usize;
    let place_in_b = place(lanes.equal_pairs(eight_times(lanes, a[0]), here(lanes, b)) & in_b);
    let place_in_a = place(lanes.equal_pairs(eight_times(lanes, b[0]), here(lanes, a)) & in_a);
    if place_in_a.min(place_in_b) == WINDOW {
        [1, 1]
    } else if place_in_b <= place_in_a {
        [0, place_in_b]
    } else {
        [place_in_a, 0]
    }
}

/// The pairs where a list stands.
#[inline(always)]
fn here<L: Lanes>(lanes: L, near: &Near) -> L::Words {
    words(lanes, near[..WINDOW].first_chunk().expect("it is longer"))
}

/// The pairs one further.
#[inline(always)]
fn ahead<L: Lanes>(lanes: L, near: &Near) -> L::Words {
    words(lanes, near[1..].first_chunk().expect("one more"))
}

#[inline(always)]
fn eight_times<L: Lanes>(lanes: L, pair: [u32; 2]) -> L::Words {
    words(lanes, &[pair; WINDOW])
}

#[inline(always)]
fn words<L: Lanes>(lanes: L, pairs: &[[u32; 2]; WINDOW]) -> L::Words {
    let words = pairs.as_flattened().first_chunk();
    lanes.load_words(words.expect("two for each pair"))
}

/// A list that is walked.
struct Walked<'l, 'u> {
    pairs: &'l [[u32; 2]],
    at: usize,
    unmatched: &'u mut Vec<[u32; 2]>,
    /// How many `unmatched` had before the walk.
    had: usize,
}

impl<'l, 'u> Walked<'l, 'u> {
    #[inline(always)]
    fn new(pairs: &'l [[u32; 2]], unmatched: &'u mut Vec<[u32; 2]>) -> Self {
        Self {
            pairs,
            at: 0,
            had: unmatched.len(),
            unmatched,
        }
    }

    /// The next pairs, if there are so many.
    #[inline(always)]
    fn near(&self) -> Option<&'l Near> {
        self.left().first_chunk()
    }

    /// The last pairs, if they are fewer, and how many they are, as bits; behind them is anything.
    #[inline(always)]
    fn last(&self) -> (Near, u32) {
        let left = self.left();
        let count = left.len().min(WINDOW + 1);
        let mut near = [[0; 2]; WINDOW + 1];
        near[..count].copy_from_slice(&left[..count]);
        (near, lanes_below(count))
    }

    #[inline(always)]
    fn left(&self) -> &'l [[u32; 2]] {
        &self.pairs[self.at..]
    }

    fn unmatched(&self) -> usize {
        self.unmatched.len() - self.had
    }

    /// Goes on by the pairs before the one that is in the way, by that one if it is skipped, and by those behind it.
    #[inline(always)]
    fn pass(&mut self, near: &Near, before: usize, is_skipped: bool, behind: usize) {
        // It is appended in any case, and then kept or not, because a branch would be guessed wrong.
        let kept = self.unmatched.len() + usize::from(is_skipped);
        self.unmatched.push(near[before]);
        self.unmatched.truncate(kept);
        self.at += before + usize::from(is_skipped) + behind;
    }

    /// Goes on by so many pairs that are unmatched.
    #[inline(always)]
    fn leave_out(&mut self, count: usize) {
        let left_out = &self.pairs[self.at..self.at + count];
        self.unmatched.extend_from_slice(left_out);
        self.at += count;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::SimdLevel;

    const NONE: u32 = u32::MAX;

    /// A value of a pair.
    fn value([a, b]: [u32; 2]) -> u32 {
        a.wrapping_mul(1000).wrapping_add(b)
    }

    /// Behind what was there, the value of each pair walked; none for those that are unmatched, which come in the same order.
    fn expected_values(pairs: &[[u32; 2]], unmatched: &[[u32; 2]], walked: usize) -> Vec<u32> {
        let mut unmatched = unmatched.iter().peekable();
        let values = pairs[..walked].iter().map(|pair| {
            let is_unmatched = unmatched.next_if_eq(&pair).is_some();
            if is_unmatched { NONE } else { value(*pair) }
        });
        let values = [7].into_iter().chain(values).collect();
        assert!(unmatched.next().is_none());
        values
    }

    /// What is unmatched, and how far that went; the same at each level, with values and without.
    fn unmatched(lists: [&[[u32; 2]]; 2]) -> ([Vec<[u32; 2]>; 2], [usize; 2]) {
        let found = SimdLevel::available().iter().map(|&level| {
            // What is there already stays, and does not count.
            let others = [[7; 2]; 2 * FEW_UNMATCHED];
            let mut unmatched = [others.to_vec(), vec![]];
            let simd = Simd::new(Some(level)).unwrap();
            let walked = simd.unmatched_pairs(lists, unmatched.each_mut());
            let mut again = [others.to_vec(), vec![]];
            let (values, mut carried) = (
                lists[1].iter().copied().map(value).collect::<Vec<_>>(),
                vec![7],
            );
            let walked_again = simd.unmatched_pairs_and_values(
                lists,
                again.each_mut(),
                &values,
                NONE,
                &mut carried,
            );
            assert_eq!((&again, walked_again), (&unmatched, walked));
            assert_eq!(
                carried,
                expected_values(lists[0], &unmatched[0][others.len()..], walked[0])
            );
            assert!(unmatched[0].drain(..others.len()).eq(others));
            (unmatched, walked)
        });
        let found: Vec<_> = found.collect();
        assert!(found.iter().all(|one| *one == found[0]));
        found[0].clone()
    }

    fn is_in_order(few: &[[u32; 2]], all: &[[u32; 2]]) -> bool {
        let mut all = all.iter();
        few.iter().all(|pair| all.any(|other| other == pair))
    }

    /// Everything that is walked is appended, or is in both.
    fn assert_sound(lists: [&[[u32; 2]]; 2]) -> ([Vec<[u32; 2]>; 2], [usize; 2]) {
        let (unmatched, walked) = unmatched(lists);
        let matched = [0, 1].map(|side| {
            let all = &lists[side][..walked[side]];
            assert!(is_in_order(&unmatched[side], all));
            let without: HashSet<_> = unmatched[side].iter().collect();
            let left = all.iter().filter(|pair| !without.contains(pair));
            left.copied().collect::<Vec<_>>()
        });
        assert_eq!(matched[0], matched[1]);
        (unmatched, walked)
    }

    fn pairs(numbers: impl IntoIterator<Item = u32>) -> Vec<[u32; 2]> {
        let pair = |k: u32| [k % 64, k / 64 + 7];
        numbers.into_iter().map(pair).collect()
    }

    #[test]
    fn what_is_in_one_list_alone_is_found_wherever_it_is() {
        for missing in 0..60 {
            for count in 1..=WINDOW as u32 - 1 {
                let all = pairs(0..60);
                let gap = missing..(missing + count).min(60);
                let some = pairs((0..60).filter(|k| !gap.contains(k)));
                // If the last pairs are missing, the walk ends with the shorter list, and does not come to them.
                let is_last = gap.end == 60;
                let gone = if is_last { vec![] } else { pairs(gap) };
                let (unmatched, walked) = assert_sound([&all, &some]);
                assert_eq!(unmatched, [gone.clone(), vec![]]);
                assert_eq!(walked, [if is_last { some.len() } else { 60 }, some.len()]);
                assert_eq!(assert_sound([&some, &all]).0, [vec![], gone]);
            }
            let others = pairs((0..60).map(|k| if k == missing { 900 } else { k }));
            let (unmatched, walked) = assert_sound([&pairs(0..60), &others]);
            assert_eq!(unmatched, [pairs([missing]), pairs([900])]);
            assert_eq!(walked, [60, 60]);
        }
    }

    #[test]
    fn both_rows_of_a_pair_count() {
        let all = pairs(0..40);
        for [a, b] in [
            [1 << 16, 0],
            [0, 1 << 16],
            [1 << 31, 0],
            [0, 1 << 31],
            [1, u32::MAX],
        ] {
            let mut other = all.clone();
            other[11] = [other[11][0] ^ a, other[11][1] ^ b];
            let expected = [vec![all[11]], vec![other[11]]];
            assert_eq!(assert_sound([&all, &other]).0, expected);
        }
    }

    #[test]
    fn lists_with_little_in_common_are_not_walked_to_the_end() {
        let [a, b] = [pairs(0..50_000), pairs(50_000..100_000)];
        let (unmatched, walked) = assert_sound([&a, &b]);
        assert!(walked[0] < 2 * FEW_UNMATCHED, "{walked:?}");
        assert_eq!(unmatched.map(|list| list.len()), walked);
        // Half of one list is gone: they still agree everywhere, if only by one or two.
        let half: Vec<_> = a.iter().copied().step_by(2).collect();
        assert_eq!(assert_sound([&a, &half]).1[1], half.len());
        // There is no way back from many that are missing.
        let late = assert_sound([&a, &a[2 * WINDOW..]]).1;
        assert!(late[0] < 2 * FEW_UNMATCHED, "{late:?}");
        let backwards: Vec<_> = a.iter().rev().copied().collect();
        assert!(assert_sound([&a, &backwards]).1[0] < 2 * FEW_UNMATCHED);
        for few in 0..=2 * WINDOW {
            let (unmatched, walked) = assert_sound([&a[..few], &a]);
            assert_eq!((unmatched, walked), ([vec![], vec![]], [few, few]));
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_in_one_list_alone_is_passed_over(
            changes in prop::collection::vec((0_usize..30, 0_u32..4, 1_usize..12), 0..60),
        ) {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let mut next = 0_u32;
            let mut some = |count: usize| {
                let from = next;
                next += count as u32;
                pairs(from..next)
            };
            for (common, kind, count) in changes {
                let same = some(common);
                a.extend(&same);
                b.extend(&same);
                match kind {
                    0 => a.extend(some(count)),
                    1 => b.extend(some(count)),
                    2 => {
                        a.extend(some(count));
                        b.extend(some(count));
                    }
                    _ => {
                        // In both, the other way round.
                        let turned = some(count);
                        a.extend(&turned);
                        b.extend(turned.iter().rev());
                    }
                }
            }
            let (unmatched, walked) = assert_sound([&a, &b]);
            if unmatched[0].len() + unmatched[1].len() <= FEW_UNMATCHED {
                assert!(walked[0] == a.len() || walked[1] == b.len(), "{walked:?}");
            }
        }
    }
}
