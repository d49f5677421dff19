//! What two lists of pairs do not have in common, where most pairs are in both and in about the same order: those of two
//! steps, while an index is refitted.
//!
//! A merge knows which of two pairs comes first. These lists have no such order, but a few pairs further on they agree again. So
//! eight pairs of each are compared three times: as they are, with the first list one pair ahead, and with the second list one pair
//! ahead. That tells how far they agree, and which list has a pair that the other has not. Also tried: to look ahead only where they
//! differ. For each pair that is not in both, that takes two rounds of loads that wait for each other, and a branch that is
//! guessed wrong: half as long again where such are one in eight.
//!
//! Where the next eight begin is known only when these have been compared, and to wait for that takes longer than the instructions.
//! So two stretches of the lists are walked in turns: while one waits, the other goes on. The second begins at a pair that is found in
//! both lists some way ahead. That takes a quarter to a third off. With three stretches there are too few registers; sixteen pairs at
//! once took longer where one pair in eight is not in both.
//!
//! If one list has eight or more pairs in a row that the other has not, a stretch does not find its way back, and is soon given up. That
//! is rare where steps are short.

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
        self.run(Walk(lists, Seen { unmatched, carried }))
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
        self.run(Walk(lists, Seen { unmatched, carried }))
    }
}

/// How many pairs of each list are compared at once: a group of words.
const WINDOW: usize = LANES / 2;
/// The same, and one ahead.
type Near = [[u32; 2]; WINDOW + 1];
/// All of them, as bits.
const ALL: u32 = (1 << (WINDOW + 1)) - 1;

/// A stretch has so many pairs of the first list, and at most what one step goes beyond them.
const STRETCH: usize = 256;
/// There is room for so many of either list that are unmatched, until they are handed over.
const ROOM: usize = 64;
/// Where a second stretch begins is looked for among so many pairs of the second list.
const LOOKED_THROUGH: usize = 6 * WINDOW;

/// If there is more than one unmatched pair to so many of the first list where the lists agree nowhere near, walking on is not worth it.
const MOST_UNMATCHED: usize = 2;
/// This many unmatched pairs of a stretch are allowed in any case.
const FEW_UNMATCHED: usize = 32;

/// Two lists to be walked.
struct Walk<'l, 'u, C>([&'l [[u32; 2]]; 2], Seen<'u, C>);

/// Where to put what is found.
struct Seen<'u, C> {
    unmatched: [&'u mut Vec<[u32; 2]>; 2],
    carried: C,
}

impl<C: Carried> Kernel for Walk<'_, '_, C> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [usize; 2] {
        let Self(lists, mut seen) = self;
        let ends = lists.map(<[_]>::len);
        let mut room = Room::new(&seen.carried);
        let (mut at, mut goes_on) = ([0; 2], true);
        while goes_on && at[0] < ends[0] && at[1] < ends[1] {
            let Some(middle) = middle(lanes, lists, at) else {
                let mut stretch = Stretch::new(lists, at, ends);
                stretch.finish(lanes, &mut room, &mut seen);
                (at, goes_on) = (stretch.at(), !stretch.is_lost);
                continue;
            };
            let mut first = Stretch::new(lists, at, middle);
            let mut second = Stretch::new(lists, middle, ends);
            let mut second_room = Room::new(&seen.carried);
            while let (Some(near), Some(second_near)) = (first.near(), second.near()) {
                first.go_on(lanes, near, [ALL; 2], &mut room, &seen.carried);
                second.go_on(
                    lanes,
                    second_near,
                    [ALL; 2],
                    &mut second_room,
                    &seen.carried,
                );
            }
            first.finish(lanes, &mut room, &mut seen);
            first.leave_rest(&mut seen);
            second.finish(lanes, &mut second_room, &mut seen);
            (at, goes_on) = (second.at(), !second.is_lost);
        }
        at
    }
}

/// Places of one pair in both lists, some way ahead.
#[inline(always)]
fn middle<L: Lanes>(
    lanes: L,
    [a, b]: [&[[u32; 2]]; 2],
    [at_a, at_b]: [usize; 2],
) -> Option<[usize; 2]> {
    let ahead = STRETCH.min((a.len() - at_a) / 2);
    if ahead < LOOKED_THROUGH {
        return None;
    }
    let pair = eight_times(lanes, a[at_a + ahead]);
    let from = at_b + ahead - LOOKED_THROUGH / 2;
    let looked_through = b.get(from..)?.first_chunk::<LOOKED_THROUGH>()?;
    let mut found = 0_u64;
    for (k, window) in looked_through.as_chunks().0.iter().enumerate() {
        let equal = lanes.equal_pairs(pair, words(lanes, window));
        found |= u64::from(equal) << (k * WINDOW);
    }
    (found != 0).then_some([at_a + ahead, from + found.trailing_zeros() as usize])
}

/// Pairs next to each other in the first list, and those of the second that may be the same.
struct Stretch<'l> {
    sides: [Side<'l>; 2],
    /// Where it began in the first list.
    start: usize,
    /// Whether too little agreed.
    is_lost: bool,
}

impl<'l> Stretch<'l> {
    /// From one place in each list on, and not beyond others.
    #[inline(always)]
    fn new([a, b]: [&'l [[u32; 2]]; 2], from: [usize; 2], to: [usize; 2]) -> Self {
        Self {
            sides: [
                Side::new(&a[..to[0]], from[0]),
                Side::new(&b[..to[1]], from[1]),
            ],
            start: from[0],
            is_lost: false,
        }
    }

    /// Where it stands in both lists.
    #[inline(always)]
    fn at(&self) -> [usize; 2] {
        self.sides.map(|side| side.at)
    }

    #[inline(always)]
    fn walked(&self) -> usize {
        self.sides[0].at - self.start
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.is_lost || self.walked() >= STRETCH
    }

    /// Whether there is room for the unmatched pairs of another step.
    #[inline(always)]
    fn has_room(&self) -> bool {
        let [a, b] = &self.sides;
        a.unmatched.max(b.unmatched) + WINDOW < ROOM
    }

    /// The next pairs of both lists, if there are so many, and the stretch may go on.
    #[inline(always)]
    fn near(&self) -> Option<[&'l Near; 2]> {
        if self.is_over() || !self.has_room() {
            return None;
        }
        let [a, b] = &self.sides;
        Some([a.near()?, b.near()?])
    }

    /// Takes the pairs that agree, one pair of either list or both that is in the way, and those that agree behind it. `in_a` and
    /// `in_b` tell which of the nearby pairs belong to the lists.
    #[inline(always)]
    fn go_on<L: Lanes, C: Carried>(
        &mut self,
        lanes: L,
        [near_a, near_b]: [&Near; 2],
        [in_a, in_b]: [u32; 2],
        room: &mut Room<C::Room>,
        carried: &C,
    ) {
        let (a, b) = (here(lanes, near_a), here(lanes, near_b));
        let level = lanes.equal_pairs(a, b) & in_a & in_b;
        let a_ahead = lanes.equal_pairs(ahead(lanes, near_a), b) & in_a >> 1 & in_b;
        let b_ahead = lanes.equal_pairs(a, ahead(lanes, near_b)) & in_a & in_b >> 1;
        let before = level.trailing_ones();
        // How many agree behind the first that do not, if those that are in the way are left out.
        let without_a = Skip::new(Skip::A, (a_ahead >> before).trailing_ones());
        let without_b = Skip::new(Skip::B, (b_ahead >> before).trailing_ones());
        let without_both = Skip::new(Skip::BOTH, (level >> before >> 1).trailing_ones());
        let skip = without_a.max(without_b).max(without_both);
        let (before, behind) = (before as usize, skip.behind());
        let to = self.walked();
        if before + behind == 0 {
            carried.all_unmatched(&mut room.carried, to);
            self.leap(lanes, [near_a, near_b], [in_a, in_b], room);
            return;
        }
        let [skip_a, skip_b] = skip.of_each();
        let [a, b] = &mut self.sides;
        carried.matched(&mut room.carried, to, b.at);
        carried.unmatched(&mut room.carried, to + before);
        let behind_in_b = b.at + before + skip_b;
        carried.matched(&mut room.carried, to + before + skip_a, behind_in_b);
        a.pass(near_a, [before, skip_a, behind], &mut room.unmatched[0]);
        b.pass(near_b, [before, skip_b, behind], &mut room.unmatched[1]);
    }

    /// Leaves out pairs where the lists agree neither as they stand nor with one of them one pair ahead: as many as are in the way, or
    /// one of each if there is no telling.
    #[inline(always)]
    fn leap<L: Lanes, R>(
        &mut self,
        lanes: L,
        [near_a, near_b]: [&Near; 2],
        [in_a, in_b]: [u32; 2],
        room: &mut Room<R>,
    ) {
        let walked = self.walked();
        let [a, b] = &mut self.sides;
        let unmatched = a.all_unmatched() + b.all_unmatched();
        if unmatched > FEW_UNMATCHED + walked / MOST_UNMATCHED {
            self.is_lost = true;
            return;
        }
        let place = |equal: u32| (equal | 1 << WINDOW).trailing_zeros() as usize;
        let [first_a, first_b] = [near_a, near_b].map(|near| eight_times(lanes, near[0]));
        let place_in_b = place(lanes.equal_pairs(first_a, here(lanes, near_b)) & in_b);
        let place_in_a = place(lanes.equal_pairs(first_b, here(lanes, near_a)) & in_a);
        let [skip_a, skip_b] = if place_in_a.min(place_in_b) == WINDOW {
            [1, 1]
        } else if place_in_b <= place_in_a {
            [0, place_in_b]
        } else {
            [place_in_a, 0]
        };
        a.leave_out(near_a, skip_a, &mut room.unmatched[0]);
        b.leave_out(near_b, skip_b, &mut room.unmatched[1]);
    }

    /// Goes on to its end, if it is not given up before, and hands over what was found.
    #[inline(always)]
    fn finish<L: Lanes, C: Carried>(
        &mut self,
        lanes: L,
        room: &mut Room<C::Room>,
        seen: &mut Seen<'_, C>,
    ) {
        loop {
            while let Some(near) = self.near() {
                self.go_on(lanes, near, [ALL; 2], room, &seen.carried);
            }
            let [a, b] = &mut self.sides;
            if self.is_lost || a.at - self.start >= STRETCH || a.is_at_end() || b.is_at_end() {
                break;
            }
            a.hand_over(&room.unmatched[0], seen.unmatched[0]);
            b.hand_over(&room.unmatched[1], seen.unmatched[1]);
            let ((near_a, in_a), (near_b, in_b)) = (a.last(), b.last());
            let near = [&near_a, &near_b];
            self.go_on(lanes, near, [in_a, in_b], room, &seen.carried);
        }
        let walked = self.walked();
        let [a, b] = &mut self.sides;
        a.hand_over(&room.unmatched[0], seen.unmatched[0]);
        b.hand_over(&room.unmatched[1], seen.unmatched[1]);
        seen.carried.append(&room.carried, walked);
    }

    /// Hands over all others as unmatched.
    #[inline(always)]
    fn leave_rest<C: Carried>(&self, seen: &mut Seen<'_, C>) {
        let [a, b] = self.sides.map(|side| &side.pairs[side.at..]);
        seen.unmatched[0].extend_from_slice(a);
        seen.unmatched[1].extend_from_slice(b);
        seen.carried.append_none(a.len());
    }
}

/// Which of two pairs in the way to leave out, and how many agree behind them. The greatest is the best: most agree behind, and of
/// two with as many, the one that leaves out less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Skip(u32);

impl Skip {
    // The lower two bits tell which, the upper two which is preferred.
    const A: u32 = 0b0101;
    const B: u32 = 0b1010;
    const BOTH: u32 = 0b0011;

    #[inline(always)]
    fn new(which: u32, behind: u32) -> Self {
        Self(behind << 4 | which)
    }

    #[inline(always)]
    fn behind(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// How many of each list to leave out. None if nothing agrees behind: others may be in the way.
    #[inline(always)]
    fn of_each(self) -> [usize; 2] {
        let which = if self.behind() > 0 { self.0 } else { 0 };
        [(which & 1) as usize, (which >> 1 & 1) as usize]
    }
}

/// One of the two lists of a stretch.
#[derive(Clone, Copy)]
struct Side<'l> {
    pairs: &'l [[u32; 2]],
    /// So many of them have been walked.
    at: usize,
    /// How many unmatched pairs are in the room, and how many have been handed over already.
    unmatched: usize,
    handed_over: usize,
}

impl<'l> Side<'l> {
    #[inline(always)]
    fn new(pairs: &'l [[u32; 2]], at: usize) -> Self {
        Self {
            pairs,
            at,
            unmatched: 0,
            handed_over: 0,
        }
    }

    /// The next pairs, if there are so many.
    #[inline(always)]
    fn near(&self) -> Option<&'l Near> {
        self.pairs[self.at..].first_chunk()
    }

    /// The last pairs, if they are fewer, and how many they are, as bits; behind them is anything.
    #[inline(always)]
    fn last(&self) -> (Near, u32) {
        let left = &self.pairs[self.at..];
        let count = left.len().min(WINDOW + 1);
        let mut near = [[0; 2]; WINDOW + 1];
        near[..count].copy_from_slice(&left[..count]);
        (near, lanes_below(count))
    }

    #[inline(always)]
    fn is_at_end(&self) -> bool {
        self.at == self.pairs.len()
    }

    #[inline(always)]
    fn all_unmatched(&self) -> usize {
        self.handed_over + self.unmatched
    }

    /// Goes on by the pairs before the one that is in the way, by that one if it is skipped, and by those behind it.
    #[inline(always)]
    fn pass(
        &mut self,
        near: &Near,
        [before, skipped, behind]: [usize; 3],
        room: &mut [[u32; 2]; ROOM],
    ) {
        // It is noted in any case, and then kept or not, because a branch would be guessed wrong.
        room[self.unmatched] = near[before];
        self.unmatched += skipped;
        self.at += before + skipped + behind;
    }

    /// Goes on by so many pairs, at most [`WINDOW`], that are unmatched.
    #[inline(always)]
    fn leave_out(&mut self, near: &Near, count: usize, room: &mut [[u32; 2]; ROOM]) {
        room[self.unmatched..][..WINDOW].copy_from_slice(&near[..WINDOW]);
        self.unmatched += count;
        self.at += count;
    }

    #[inline(always)]
    fn hand_over(&mut self, room: &[[u32; 2]; ROOM], to: &mut Vec<[u32; 2]>) {
        to.extend_from_slice(&room[..self.unmatched]);
        self.handed_over += self.unmatched;
        self.unmatched = 0;
    }
}

/// What was found in a stretch. It is not part of it, so that where the stretch stands is kept in registers.
struct Room<R> {
    unmatched: [[[u32; 2]; ROOM]; 2],
    carried: R,
}

impl<R> Room<R> {
    #[inline(always)]
    fn new<C: Carried<Room = R>>(carried: &C) -> Self {
        Self {
            unmatched: [[[0; 2]; ROOM]; 2],
            carried: carried.room(),
        }
    }
}

/// What is carried over from the pairs of the second list to those of the first.
trait Carried {
    /// What was carried over in a stretch.
    type Room;

    fn room(&self) -> Self::Room;
    /// Pairs of the first list, from place `to` of the stretch on, match as many of the second, from place `from` of the list on. The
    /// caller knows how many, at most [`WINDOW`]; to write more is harmless.
    fn matched(&self, room: &mut Self::Room, to: usize, from: usize);
    /// The pair of the first list at place `to` of the stretch is unmatched.
    fn unmatched(&self, room: &mut Self::Room, to: usize);
    /// So are, or may be, all of a window from there on.
    fn all_unmatched(&self, room: &mut Self::Room, to: usize);
    /// Hands over what was carried to the first so many pairs of a stretch.
    fn append(&mut self, room: &Self::Room, count: usize);
    /// The next so many pairs of the first list are unmatched.
    fn append_none(&mut self, count: usize);
}

/// Nothing.
impl Carried for () {
    type Room = ();

    #[inline(always)]
    fn room(&self) {}

    #[inline(always)]
    fn matched(&self, (): &mut (), _: usize, _: usize) {}

    #[inline(always)]
    fn unmatched(&self, (): &mut (), _: usize) {}

    #[inline(always)]
    fn all_unmatched(&self, (): &mut (), _: usize) {}

    #[inline(always)]
    fn append(&mut self, (): &(), _: usize) {}

    #[inline(always)]
    fn append_none(&mut self, _: usize) {}
}

/// Values.
struct Values<'v> {
    from: &'v [u32],
    to: &'v mut Vec<u32>,
    none: u32,
}

/// The last step of a stretch begins before its end, goes on by at most two windows and a pair, and writes a window from there.
const MOST_VALUES: usize = STRETCH + 3 * WINDOW;

impl Carried for Values<'_> {
    type Room = [u32; MOST_VALUES];

    #[inline(always)]
    fn room(&self) -> [u32; MOST_VALUES] {
        [self.none; MOST_VALUES]
    }

    #[inline(always)]
    fn matched(&self, room: &mut [u32; MOST_VALUES], to: usize, from: usize) {
        // All of a window is copied faster than some of it.
        let (from, to) = (&self.from[from..], &mut room[to..][..WINDOW]);
        match from.first_chunk::<WINDOW>() {
            Some(window) => to.copy_from_slice(window),
            None => to[..from.len()].copy_from_slice(from),
        }
    }

    #[inline(always)]
    fn unmatched(&self, room: &mut [u32; MOST_VALUES], to: usize) {
        room[to] = self.none;
    }

    #[inline(always)]
    fn all_unmatched(&self, room: &mut [u32; MOST_VALUES], to: usize) {
        room[to..][..WINDOW].fill(self.none);
    }

    #[inline(always)]
    fn append(&mut self, room: &[u32; MOST_VALUES], count: usize) {
        self.to.extend_from_slice(&room[..count]);
    }

    #[inline(always)]
    fn append_none(&mut self, count: usize) {
        self.to.extend((0..count).map(|_| self.none));
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
    fn what_is_missing_near_the_middle_of_two_stretches_is_found() {
        let all = pairs(0..3 * STRETCH as u32);
        for missing in 0..all.len() {
            for count in [1, WINDOW - 1, WINDOW, LOOKED_THROUGH] {
                let gap = missing..(missing + count).min(all.len());
                let mut some = all.clone();
                let gone: Vec<_> = some.drain(gap.clone()).collect();
                for side in [0, 1] {
                    let mut lists = [&some[..], &all];
                    lists.rotate_left(side);
                    let (unmatched, _) = assert_sound(lists);
                    let is_found = gap.end == all.len() || unmatched[1 - side] == gone;
                    assert!(is_found || count >= WINDOW, "{missing} {count}");
                }
            }
        }
    }

    #[test]
    fn more_is_unmatched_than_there_is_room_for() {
        // Every third pair of one list is not in the other, and every fourth the other way round.
        let all = 0..20 * ROOM as u32;
        let [a, b] = [3, 4].map(|nth| pairs(all.clone().filter(|k| k % nth > 0)));
        let (unmatched, walked) = assert_sound([&a, &b]);
        assert!(walked[0] == a.len() || walked[1] == b.len());
        let gone = pairs(all.clone().filter(|k| k % 4 == 0 && k % 3 > 0));
        assert_eq!(unmatched[0], gone);
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
        // If many are missing, a stretch is given up, but the next one may know where to begin.
        let (unmatched, walked) = assert_sound([&a, &a[2 * WINDOW..]]);
        assert_eq!(walked, [a.len(), a.len() - 2 * WINDOW]);
        assert!(unmatched[0].len() <= STRETCH, "{}", unmatched[0].len());
        let late = assert_sound([&a, &a[LOOKED_THROUGH..]]).1;
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
