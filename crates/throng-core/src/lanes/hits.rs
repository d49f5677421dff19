//! Which of sixteen boxes meet which of those behind them, noted first and looked up later.
//!
//! A sweep compares sixteen boxes with as many others again and again, and each time one or two of them meet. Most of
//! the work would then be to take two rows for each lane out of two vectors. So a kernel only notes the *places* of
//! both, in one word, and when it is done with the sixteen boxes it looks rows up for sixteen pairs at a time, in
//! registers. Whatever else is wanted of a pair is looked up in the same way.

use super::{ClassTable, Lanes, NUMBERS, chunk, chunk_mut, lanes_below};
use crate::held_buffer::Placed;
use crate::pair_buffer::LANES;

/// How many groups, each a place behind the one before, a [`Hits`] tells apart.
const SHIFTS: usize = LANES;

/// Pairs of a group of sixteen boxes with groups that begin up to sixteen places behind another group, in the order in which they
/// are noted: as places, counted from the first of each group.
pub struct Hits<'a> {
    /// The place on the left in the upper half of the word, that on the right in the lower.
    places: &'a mut HitRoom,
    /// Beside the places and not behind them, or it would be kept in memory, and each note wait for the one before.
    len: usize,
}

/// The memory of [`Hits`].
pub type HitRoom = [u32; LANES * SHIFTS];

impl<'a> Hits<'a> {
    /// Empty memory.
    pub const ROOM: HitRoom = [0; LANES * SHIFTS];
    /// How many members there must be from the one on from which places on the right are counted.
    pub const MEMBERS: usize = SHIFTS + LANES;

    /// None yet.
    #[inline(always)]
    pub fn in_room(room: &'a mut HitRoom) -> Self {
        Self {
            places: room,
            len: 0,
        }
    }

    /// The places in all lanes if the group on the right begins where the other group begins. One more in each lane for each
    /// place that it begins later.
    #[inline(always)]
    pub fn places<L: Lanes>(lanes: L) -> L::Words {
        const PLACES: [u32; LANES] = {
            let mut places = NUMBERS;
            let mut lane = 0;
            while lane < LANES {
                places[lane] |= places[lane] << 16;
                lane += 1;
            }
            places
        };
        lanes.load_words(&PLACES)
    }

    /// Notes the lanes of a set, with their [`places`](Self::places).
    ///
    /// # Panics
    ///
    /// If groups are noted more than sixteen times.
    #[inline(always)]
    pub fn note<L: Lanes>(&mut self, lanes: L, hit: u32, places: L::Words) {
        lanes.store_kept_words(chunk_mut(self.places, self.len), hit, places);
        self.len += hit.count_ones() as usize;
    }

    /// Hands over what was noted, and forgets it. Places are counted from these indices of members: of the first of the sixteen
    /// boxes, and of the first of the other group. There must be [`MEMBERS`](Self::MEMBERS) members from the latter on.
    #[inline(always)]
    pub fn hand_over<L: Lanes>(
        &mut self,
        lanes: L,
        members: &Placed<'_>,
        from: [usize; 2],
        to: &mut impl TakePairs,
    ) {
        for first in (0..self.len).step_by(LANES) {
            let picked = self.picked(lanes, members, from, first);
            to.take(&picked, LANES.min(self.len - first));
        }
        self.len = 0;
    }

    /// The same with those pairs alone whose classes meet. Members' words have classes below rows.
    #[inline(always)]
    pub fn hand_over_met<L: Lanes>(
        &mut self,
        lanes: L,
        members: &Placed<'_>,
        met: ClassTable<L>,
        from: [usize; 2],
        to: &mut impl TakePairs,
    ) {
        for first in (0..self.len).step_by(LANES) {
            let picked = self.picked(lanes, members, from, first);
            let noted = lanes_below(self.len - first);
            let meet = met.meeting(lanes, lanes.every_lane(), picked.of(members.rows));
            to.take_some(&picked, lanes.bits(meet) & noted);
        }
        self.len = 0;
    }

    /// Sixteen of those noted, from `first` on.
    #[inline(always)]
    fn picked<'m, 'p, L: Lanes>(
        &self,
        lanes: L,
        members: &'m Placed<'p>,
        from: [usize; 2],
        first: usize,
    ) -> Picked<'m, 'p, L> {
        let places = lanes.load_words(chunk(self.places, first));
        Picked {
            lanes,
            members,
            from,
            at: [lanes.upper_bits(places), places],
        }
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
        [
            self.lanes.choose_if_above(rows[0], rows[1], right, left),
            self.lanes.choose_if_above(rows[0], rows[1], left, right),
        ]
    }
}

/// Takes pairs sixteen at a time.
pub trait TakePairs {
    /// Takes the first `count` of sixteen, at least one, the lower row first in each.
    fn take<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, count: usize);

    /// Takes those in a set of lanes, in lane order; perhaps none.
    fn take_some<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, keep: u32);
}
