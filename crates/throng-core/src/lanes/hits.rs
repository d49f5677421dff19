//! Which of sixteen boxes meet which of those behind them, noted first and looked up later.
//!
//! A sweep compares sixteen boxes with as many others again and again, and each time one or two of them meet. Most of
//! the work would then be to take two rows for each lane out of two vectors. So a kernel only notes the *places* of
//! both, in one byte or word, and up to five hundred boxes later it looks rows up for sixteen pairs at a time, in registers. Whatever
//! else is wanted of a pair is looked up in the same way.

use super::{ClassTable, Lanes, chunk, chunk_mut, lanes_below};
use crate::arena::Arena;
use crate::held_buffer::Placed;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use std::slice;

/// How many groups, each a place behind the one before, a [`Hits`] tells apart.
const SHIFTS: usize = LANES;
/// How many pairs there is room for: twice as many as a stretch can have.
const MOST_PAIRS: usize = 2 * LANES * SHIFTS;
/// How many stretches there is room for: with half a pair for each box, there is room for no more pairs at about the same time.
const MOST_STRETCHES: usize = 32;

/// Pairs of groups of sixteen boxes with groups that begin up to sixteen places behind another group, in the order in which they
/// are noted: as places, counted from the first of each group.
///
/// What is noted from one group of sixteen, with others that are counted from the same member, is a *stretch*. Stretches are
/// handed over many at a time, so that the loop that compares has nothing else to do: all registers are its own.
pub struct Hits<'a, L: Lanes> {
    lanes: L,
    /// The place on the left, and the shift: how much greater the place on the right is, each counted from its own member; or, [between
    /// two runs](Self::hand_over_between), that place itself.
    notes: &'a mut [L::Note; MOST_PAIRS],
    /// From which members each stretch is counted, left and right, and where it ends among the notes.
    stretches: &'a mut [[u32; 3]; MOST_STRETCHES],
    /// How many notes and stretches there are. Here and not behind the references, or they would be kept in memory, and each note wait
    /// for the one before.
    len: usize,
    count: usize,
}

/// The memory of [`Hits`]: notes take a word each at most.
#[derive(Clone, Copy)]
pub struct HitRoom([u32; MOST_PAIRS], [[u32; 3]; MOST_STRETCHES]);

impl HitRoom {
    /// How many members there must be from the one on that a stretch is counted from on the right, that one included.
    pub const MEMBERS: usize = SHIFTS + LANES;

    /// Empty memory in an arena. It takes some hundred nanoseconds to empty it, so it had better serve many searches.
    #[must_use]
    pub fn in_arena(arena: &Arena) -> &mut Self {
        arena.alloc(Self([0; MOST_PAIRS], [[0; 3]; MOST_STRETCHES]))
    }
}

impl<'a, L: Lanes> Hits<'a, L> {
    /// None yet.
    #[inline(always)]
    pub fn in_room(lanes: L, room: &'a mut HitRoom) -> Self {
        const { assert!(size_of::<L::Note>() <= size_of::<u32>()) };
        let HitRoom(notes, stretches) = room;
        let notes: &mut [L::Note] = bytemuck::cast_slice_mut(notes);
        Self {
            lanes,
            notes: notes.first_chunk_mut().expect("a word is room for a note"),
            stretches,
            len: 0,
            count: 0,
        }
    }

    /// Notes the lanes that meet. `shift` is how many places the group on the right begins behind the member that
    /// [`end_stretch`](Self::end_stretch) names on the right: below sixteen, and more wraps. So a stretch has at most sixteen calls of
    /// this; it may begin only when there is [room](Self::has_room).
    ///
    /// # Panics
    ///
    /// If there is no room left.
    #[inline(always)]
    pub fn note(&mut self, hit: L::Mask, shift: usize) {
        let to = chunk_mut(self.notes, self.len);
        self.len += self.lanes.note(to, hit, shift);
    }

    /// How many pairs are noted.
    #[inline(always)]
    #[must_use]
    pub fn noted(&self) -> usize {
        self.len
    }

    /// Whether there is room for one more stretch, whatever is noted.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.count < MOST_STRETCHES && self.len <= MOST_PAIRS - LANES * SHIFTS
    }

    /// Ends a stretch: what was noted since the one before is counted from these members, left and right.
    ///
    /// # Panics
    ///
    /// If there was no [room](Self::has_room) for it.
    #[inline(always)]
    pub fn end_stretch(&mut self, from: [usize; 2]) {
        self.stretches[self.count] = [from[0] as u32, from[1] as u32, self.len as u32];
        self.count += 1;
    }

    /// Hands over what was noted of members of one run, and forgets it. With `met`, only pairs whose classes meet; each member's word
    /// then has its class in the lower bits and its row above them. There must be [`MEMBERS`](HitRoom::MEMBERS) members from where
    /// each stretch is counted on the right, and sixteen on the left; a stretch in which nothing was noted needs none.
    ///
    /// # Panics
    ///
    /// If there are fewer than that.
    #[inline(always)]
    pub fn hand_over(
        &mut self,
        members: &Placed<'_>,
        met: Option<ClassTable<L>>,
        to: &mut impl TakePairs,
    ) {
        let lanes = self.lanes;
        for noted in self.sixteens() {
            let [places, shifts] = lanes.noted(noted.notes);
            let picked = Picked {
                lanes,
                members,
                from: noted.from,
                at: [places, lanes.add_words(places, shifts)],
            };
            match met {
                None => to.take(&picked, noted.count),
                Some(met) => {
                    let words = picked.of(members.rows);
                    let meet = lanes.bits(met.meeting(lanes, lanes.every_lane(), words));
                    to.take_some(&picked, meet & lanes_below(noted.count));
                }
            }
        }
        self.forget();
    }

    /// Hands over what was noted of members of two runs, and forgets it. Here a shift is the place on the right itself, and so
    /// below sixteen. A pair is named by the words of both, shifted right by `shifts`, and in this order. There must
    /// be sixteen words from where each stretch is counted; a stretch in which nothing was noted needs none.
    ///
    /// # Panics
    ///
    /// If there are fewer than that.
    #[inline(always)]
    pub fn hand_over_between(
        &mut self,
        names: [&[u32]; 2],
        shifts: [u32; 2],
        order: PairOrder,
        to: &mut PairBuffer<'_>,
    ) {
        let lanes = self.lanes;
        for noted in self.sixteens() {
            let [places, at] = lanes.noted(noted.notes);
            let [left, right] = noted.from;
            let left = lanes.pick(lanes.load_words(chunk(names[0], left)), places);
            let right = lanes.pick(lanes.load_words(chunk(names[1], right)), at);
            let left = lanes.shift_right(left, shifts[0]);
            let right = lanes.shift_right(right, shifts[1]);
            let [first, second] = match order {
                PairOrder::LowerRow => by_row(lanes, [left, right], [left, right]),
                PairOrder::Left => [left, right],
                PairOrder::Right => [right, left],
            };
            lanes.store_all_pairs(to.room(), first, second);
            to.keep(noted.count);
        }
        self.forget();
    }

    #[inline(always)]
    fn sixteens(&self) -> Sixteens<'_, L::Note> {
        Sixteens {
            notes: self.notes,
            stretches: self.stretches[..self.count].iter(),
            from: [0; 2],
            first: 0,
            end: 0,
        }
    }

    #[inline(always)]
    fn forget(&mut self) {
        (self.len, self.count) = (0, 0);
    }
}

/// What was noted, sixteen at a time, stretch by stretch.
struct Sixteens<'a, N> {
    notes: &'a [N; MOST_PAIRS],
    stretches: slice::Iter<'a, [u32; 3]>,
    from: [usize; 2],
    first: usize,
    end: usize,
}

/// Sixteen that were noted, or the last of a stretch and whatever is behind them.
struct Sixteen<'a, N> {
    notes: &'a [N; LANES],
    from: [usize; 2],
    count: usize,
}

impl<'a, N> Iterator for Sixteens<'a, N> {
    type Item = Sixteen<'a, N>;

    #[inline(always)]
    fn next(&mut self) -> Option<Sixteen<'a, N>> {
        while self.first >= self.end {
            let &[left, right, end] = self.stretches.next()?;
            self.from = [left as usize, right as usize];
            (self.first, self.end) = (self.end, end as usize);
        }
        debug_assert!(self.first < self.end, "at least one");
        let sixteen = Sixteen {
            notes: chunk(self.notes, self.first),
            from: self.from,
            count: LANES.min(self.end - self.first),
        };
        self.first += LANES;
        Some(sixteen)
    }
}

/// Sixteen pairs of members of a run, or as many as there are, and garbage in the lanes behind them.
pub struct Picked<'m, 'a, L: Lanes> {
    lanes: L,
    members: &'m Placed<'a>,
    from: [usize; 2],
    at: [L::Words; 2],
}

impl<'a, L: Lanes> Picked<'_, 'a, L> {
    /// The instructions.
    #[inline(always)]
    pub fn lanes(&self) -> L {
        self.lanes
    }

    /// The columns of the run.
    #[inline(always)]
    pub fn members(&self) -> &Placed<'a> {
        self.members
    }

    /// The rows of both members of each pair: left, right.
    #[inline(always)]
    pub fn rows(&self) -> [L::Words; 2] {
        let Self { lanes, members, .. } = *self;
        let [left, right] = self.of(members.rows);
        [
            lanes.shift_right(left, members.row_shift),
            lanes.shift_right(right, members.row_shift),
        ]
    }

    /// What both members of each pair have in a column of the run: left, right.
    #[inline(always)]
    pub fn of(&self, column: &[u32]) -> [L::Words; 2] {
        let Self {
            lanes, from, at, ..
        } = *self;
        let left = lanes.load_words(chunk(column, from[0]));
        let right = [
            lanes.load_words(chunk(column, from[1])),
            lanes.load_words(chunk(column, from[1] + LANES)),
        ];
        [lanes.pick(left, at[0]), lanes.pick_of_two(right, at[1])]
    }

    /// The same, with what belongs to the lower row first.
    #[inline(always)]
    pub fn by_row(&self, rows: [L::Words; 2], [left, right]: [L::Words; 2]) -> [L::Words; 2] {
        by_row(self.lanes, rows, [left, right])
    }
}

#[inline(always)]
fn by_row<L: Lanes>(lanes: L, rows: [L::Words; 2], [left, right]: [L::Words; 2]) -> [L::Words; 2] {
    [
        lanes.choose_if_above(rows[0], rows[1], right, left),
        lanes.choose_if_above(rows[0], rows[1], left, right),
    ]
}

/// Takes pairs sixteen at a time.
pub trait TakePairs {
    /// Takes the first `count` of sixteen, at least one, the lower row first in each.
    fn take<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, count: usize);

    /// Takes those in a set of lanes, in lane order; perhaps none.
    fn take_some<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, keep: u32);
}
