//! What two lists of pairs do not have in common, where most pairs are in both and in about the same order: those of two
//! steps, while an index is refitted.
//!
//! A merge knows which of two pairs comes first. These lists have no such order, but a few pairs further on they agree again. So
//! sixteen pairs of each are compared at once, which tells how many agree. Let `a` and `b` be the first two that differ: `b` may be the
//! pair after `a` in the first list, or `a` the one after `b` in the second, or the pairs after both may agree. All three are found
//! out without a branch, which would be guessed wrong. Only if none of them is so, and not even one pair agrees, are `a` and `b` looked
//! for among the next sixteen. The last few, fewer than are compared at once, are taken one by one.
//!
//! Where the next sixteen are is known only when these have been compared. A walk waits for that; a few instructions more or less make
//! no difference. Also tried: to compare eight pairs three times, as they are and with either list one pair ahead, so that the pair in
//! the way is told by the same comparison. Twice as many instructions, and where one pair in forty is not in both, nearly twice as
//! long; a sixth longer where it is one in eight. To walk two stretches in turns, so that one goes on while the other waits: shorter on
//! a core of its own, longer where two threads share a core. A branch for sixteen that agree, so that a walk goes on before it knows:
//! half as long where the same two lists are walked again and again, which the processor learns; no shorter in a game. To compare sixteen
//! pairs with those up to two places before and behind, whatever differs among them, so that the next sixteen are known early: twice
//! as many instructions with AVX2, a half longer where one pair in forty is not in both, and as long where it is one in eight.
//!
//! Also tried, instead of walking: sweeps note what each of their steps finds as bits, which are compared with those of the same step
//! of the frame before, since rows are in the same places of a refitted index. Nine of ten pairs of an even crowd are found by sweeps. But
//! to note them took 0.6 ns a row, as a sweep has no registers to spare, and to compare them half as long as the walk, with the
//! pairs of two strips still to be walked: events of 100,000 rows took as long where one pair in eight is not in both, and a tenth
//! longer where it is one in forty (AVX-512).
//!
//! If one list has sixteen or more pairs in a row that the other has not, the walk does not find its way back, and soon ends. That is
//! rare where steps are short.

use crate::lanes::{Kernel, Lanes, Simd, chunk, chunk_mut};
use crate::pair_buffer::LANES;

impl Simd {
    /// Walks two lists side by side, each without duplicates, and appends to `unmatched` the pairs of each that it does not see
    /// in the other, in order. Returns how many pairs of each it has walked: all of one of them at least, unless it loses its way,
    /// because too many are unmatched, or many in a row are in one list alone.
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
        let first = values.len();
        values.resize(first + lists[0].len(), none);
        let carried = Values {
            from: &values_then[..lists[1].len()],
            to: &mut values[first..],
            none,
        };
        let walked = self.run(Walk {
            lists,
            unmatched,
            carried,
        });
        values.truncate(first + walked[0]);
        walked
    }
}

/// What is carried over from the pairs of the second list to those of the first.
trait Carried {
    /// Some pairs of the first list, at most [`WINDOW`], match as many of the second, from these places on, at which a whole window
    /// of each is left.
    fn matched(&mut self, places: [usize; 2]);
    /// The pair of the first list at this place is the same as that of the second, or unmatched; unless something else is said of it
    /// later.
    fn next(&mut self, places: [usize; 2], is_same: bool);
}

/// Nothing.
impl Carried for () {
    #[inline(always)]
    fn matched(&mut self, _: [usize; 2]) {}

    #[inline(always)]
    fn next(&mut self, _: [usize; 2], _: bool) {}
}

/// Values.
struct Values<'v> {
    from: &'v [u32],
    to: &'v mut [u32],
    none: u32,
}

impl Carried for Values<'_> {
    #[inline(always)]
    fn matched(&mut self, [to, from]: [usize; 2]) {
        // A whole window is copied faster than so many values. Those that do not match are written over.
        *chunk_mut(self.to, to) = *chunk(self.from, from);
    }

    #[inline(always)]
    fn next(&mut self, [to, from]: [usize; 2], is_same: bool) {
        let value = self.from[from];
        self.to[to] = if is_same { value } else { self.none };
    }
}

/// How many pairs of each list are compared at once.
const WINDOW: usize = LANES;
/// The same, the pair behind them, and the one after that.
type Near = [[u32; 2]; WINDOW + 2];
/// There is room for so many unmatched pairs of a list until they are handed over. The length of a vector would be read and written in
/// memory for each.
const ROOM: usize = 4 * WINDOW;

/// If more than one in this many is unmatched where the lists do not agree, walking on is not worth it.
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
    fn run<L: Lanes>(self, lanes: L) -> [usize; 2] {
        let ([only_a, only_b], mut carried) = (self.unmatched, self.carried);
        let mut lists = self.lists.map(Walked::new);
        let mut rooms = [[[0; 2]; ROOM]; 2];
        let mut goes_on = true;
        loop {
            while let (true, Some(near)) = (goes_on, next_pairs(&lists)) {
                if !go_on(lanes, &mut lists, near, &mut rooms, &mut carried) {
                    let near = near.map(|near| &near[..]);
                    goes_on = leap(&mut lists, near, &mut rooms, &mut carried);
                }
            }
            let [a, b] = &mut lists;
            a.hand_over(&rooms[0], only_a);
            b.hand_over(&rooms[1], only_b);
            let left = [a.left(), b.left()];
            if !goes_on || left.iter().any(|left| left.is_empty()) {
                break;
            }
            if next_pairs(&lists).is_none() {
                goes_on = leap(&mut lists, left, &mut rooms, &mut carried);
            }
        }
        lists.map(|list| list.at)
    }
}

/// The next pairs of both lists, if there are so many, and there is room for those that are unmatched.
#[inline(always)]
fn next_pairs<'l>([a, b]: &[Walked<'l>; 2]) -> Option<[&'l Near; 2]> {
    if a.unmatched.max(b.unmatched) > ROOM - WINDOW {
        return None;
    }
    Some([a.left().first_chunk()?, b.left().first_chunk()?])
}

/// Takes the pairs that agree, and skips those behind them that are in the way: the one of a list that has the other's next, or that
/// of both if those behind them agree. `false` if there is none of all this.
#[inline(always)]
fn go_on<L: Lanes>(
    lanes: L,
    [a, b]: &mut [Walked<'_>; 2],
    near: [&Near; 2],
    rooms: &mut [[[u32; 2]; ROOM]; 2],
    carried: &mut impl Carried,
) -> bool {
    let agree = equal_pairs(lanes, near).trailing_ones() as usize;
    let two = near.map(|near| near[agree..].first_chunk().expect("there are two more"));
    let [&[pair_a, next_a], &[pair_b, next_b]] = two;
    // Only if all of the window agree. This pair is taken then, too.
    let is_same = pair_a == pair_b;
    let (b_is_next_in_a, a_is_next_in_b) = (pair_b == next_a, pair_a == next_b);
    let next_agree = next_a == next_b;
    // Added up, since of `|` the compiler makes branches, which would be guessed wrong.
    let found = [b_is_next_in_a, a_is_next_in_b, next_agree].map(usize::from);
    if agree + found.iter().sum::<usize>() == 0 {
        return false;
    }
    // Of two that have changed places, the one of the second list.
    let skip_a = !is_same & !a_is_next_in_b & (b_is_next_in_a | next_agree);
    let skip_b = !is_same & (a_is_next_in_b | next_agree);
    carried.matched([a.at, b.at]);
    carried.next([a.at + agree, b.at + agree], is_same);
    a.pass(agree, pair_a, [is_same, skip_a], &mut rooms[0]);
    b.pass(agree, pair_b, [is_same, skip_b], &mut rooms[1]);
    true
}

/// Takes a pair that is next in both lists, for where few are left. Otherwise it skips all that are in the way, and if that is more
/// than one, says whether walking on is worth it.
#[inline(always)]
fn leap(
    [a, b]: &mut [Walked<'_>; 2],
    near: [&[[u32; 2]]; 2],
    rooms: &mut [[[u32; 2]; ROOM]; 2],
    carried: &mut impl Carried,
) -> bool {
    let [skip_a, skip_b] = in_the_way(near);
    if skip_a + skip_b == 0 {
        carried.next([a.at, b.at], true);
        a.at += 1;
        b.at += 1;
        return true;
    }
    for k in 0..skip_a {
        carried.next([a.at + k, b.at], false);
    }
    a.skip(skip_a, near[0], &mut rooms[0]);
    b.skip(skip_b, near[1], &mut rooms[1]);
    let unmatched = a.all_unmatched() + b.all_unmatched();
    skip_a + skip_b == 1 || unmatched <= FEW_UNMATCHED + (a.at + b.at) / MOST_UNMATCHED
}

/// How many pairs of each list, fewer than a window has, are to be skipped for them to agree; one of each if there is no telling.
#[inline(never)]
fn in_the_way([a, b]: [&[[u32; 2]]; 2]) -> [usize; 2] {
    let place = |pair: &[u32; 2], others: &[[u32; 2]]| {
        let near = &others[..others.len().min(WINDOW)];
        near.iter().position(|other| other == pair)
    };
    match [place(&b[0], a), place(&a[0], b)] {
        [Some(in_a), Some(in_b)] if in_a < in_b => [in_a, 0],
        [_, Some(in_b)] => [0, in_b],
        [Some(in_a), None] => [in_a, 0],
        [None, None] => [1, 1],
    }
}

/// Which pairs of a window are equal to those at the same place in the other, as bits.
#[inline(always)]
fn equal_pairs<L: Lanes>(lanes: L, near: [&Near; 2]) -> u32 {
    let half = |at| {
        let [a, b] = near.map(|near| lanes.load_words(chunk(near.as_flattened(), at)));
        lanes.equal_pairs(a, b)
    };
    half(0) | half(LANES) << (LANES / 2)
}

/// A list that is walked.
struct Walked<'l> {
    pairs: &'l [[u32; 2]],
    at: usize,
    /// How many unmatched pairs are in the room, and how many have been handed over.
    unmatched: usize,
    handed_over: usize,
}

impl<'l> Walked<'l> {
    #[inline(always)]
    fn new(pairs: &'l [[u32; 2]]) -> Self {
        Self {
            pairs,
            at: 0,
            unmatched: 0,
            handed_over: 0,
        }
    }

    #[inline(always)]
    fn left(&self) -> &'l [[u32; 2]] {
        &self.pairs[self.at..]
    }

    #[inline(always)]
    fn all_unmatched(&self) -> usize {
        self.unmatched + self.handed_over
    }

    /// Goes on by the pairs that agree, and by the one behind them if it is the same or skipped.
    #[inline(always)]
    fn pass(
        &mut self,
        agree: usize,
        pair: [u32; 2],
        [is_same, is_skipped]: [bool; 2],
        room: &mut [[u32; 2]; ROOM],
    ) {
        // It is noted in any case, and then kept or not.
        room[self.unmatched] = pair;
        self.unmatched += usize::from(is_skipped);
        self.at += agree + usize::from(is_same | is_skipped);
    }

    /// Goes on by so many of the next pairs that are unmatched.
    #[inline(always)]
    fn skip(&mut self, count: usize, near: &[[u32; 2]], room: &mut [[u32; 2]; ROOM]) {
        for &pair in &near[..count] {
            room[self.unmatched] = pair;
            self.unmatched += 1;
        }
        self.at += count;
    }

    #[inline(always)]
    fn hand_over(&mut self, room: &[[u32; 2]; ROOM], to: &mut Vec<[u32; 2]>) {
        to.extend_from_slice(&room[..self.unmatched]);
        self.handed_over += self.unmatched;
        self.unmatched = 0;
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
    fn those_that_moved_past_others_are_unmatched_and_not_the_others() {
        for moved in [1, 2, 3] {
            for passed in moved..WINDOW as u32 - moved {
                let (first, last) = (20..20 + moved, 20 + moved..20 + moved + passed);
                let all = pairs(0..100);
                let turned = (0..20).chain(last.clone()).chain(first.clone());
                let turned = pairs(turned.chain(last.end..100));
                for lists in [[&all, &turned], [&turned, &all]] {
                    let (unmatched, walked) = assert_sound(lists.map(|list| &list[..]));
                    assert_eq!(walked, [100, 100]);
                    let [a, b] = unmatched.map(|list| list.len());
                    assert!(
                        a == b && a == moved as usize,
                        "{moved} past {passed}: {a}, {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn more_is_unmatched_than_there_is_room_for() {
        // Every seventh pair of one list is not in the other, and every ninth the other way round.
        let all = 0..63 * ROOM as u32;
        let [a, b] = [7, 9].map(|nth| pairs(all.clone().filter(|k| k % nth > 0)));
        let (unmatched, walked) = assert_sound([&a, &b]);
        assert!(walked[0] == a.len() || walked[1] == b.len());
        let gone = pairs(all.filter(|k| k % 9 == 0 && k % 7 > 0));
        assert!(gone.len() > ROOM && unmatched[0] == gone);
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
        // Nor where they had much in common until then.
        let [long, other] = [&b, &a].map(|rest| [&a[..2000], &rest[2000..]].concat());
        let (_, walked) = assert_sound([&long, &other]);
        assert!((2000..3000).contains(&walked[0]), "{walked:?}");
        // Half of one list is gone: they still agree everywhere, if only by one or two.
        let half: Vec<_> = a.iter().copied().step_by(2).collect();
        assert_eq!(assert_sound([&a, &half]).1[1], half.len());
        // Every fourth is missing in each: that goes on to the end, though more than are allowed are unmatched.
        for many in 200..300 {
            let [a, b] = [1, 3].map(|gone| pairs((0..many).filter(|k| k % 4 != gone)));
            let (_, walked) = assert_sound([&a, &b]);
            assert!(walked[0] == a.len() || walked[1] == b.len(), "{walked:?}");
        }
        // There is no way back from many that are missing.
        let late = assert_sound([&a, &a[2 * WINDOW..]]).1;
        assert!(late[0] < 2 * FEW_UNMATCHED, "{late:?}");
        // Given up among the last few pairs, or before.
        for few in 0..2 * FEW_UNMATCHED {
            for many in [few, 2 * FEW_UNMATCHED, b.len()] {
                let (unmatched, walked) = assert_sound([&a[..few], &b[..many]]);
                assert_eq!(unmatched.map(|list| list.len()), walked);
            }
        }
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
