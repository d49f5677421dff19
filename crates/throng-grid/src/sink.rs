//! Where the pairs of a search go: to the visitor as they are, or first to where they get their members' values.
//!
//! Four ways to have the values of both members beside each pair were tried. Nanoseconds per row that they add to the
//! search of 200,000 rows, for centers:
//!
//! | | a pair a row: AVX-512, AVX2, portable | 0.1 pairs | 4 pairs |
//! |---|---|---|---|
//! | by place | 3.5, 3.5, 3.5 | 0.5, 0.5 | 12, 13 |
//! | by place, of a sweep in registers (100,000 rows) | 1.8, 3, 7 | | |
//! | from registers | 6, 6.5, 14 | 4, 4 | 12, 13 |
//!
//! - **By place**: kernels write pairs of places in the run that they have just compared, where they would write rows,
//!   and one more loop looks up rows and values there, in the L1 cache. No kernel knows of it. This is done where two
//!   runs are compared.
//! - **By place, of a sweep in registers**: a sweep notes places for whoever asks, and looks rows up sixteen pairs at a time, as
//!   [`throng_core::lanes::Hits`] tells. Values are looked up in the same way, so there is a sweep for each of the two. The
//!   portable one takes as long as before with values, and less without.
//! - From the kernels' registers, compressed as rows are: four more vectors for each sixteen comparisons, though most of those
//!   find a pair or two; and a kernel of its own for each kind of values.
//! - From the columns that the index was built from, by row: for each a wait for memory, which is what values in hand are
//!   there to avoid. It is what happens to the few that meet many points.
//!
//! Values of the engine's own, carried in the records beside centers, were not added: half extents of exact grids are just
//! that, and as radii of circles they took a little longer than looking up radii in an array (36 against 34 ns for each of a
//! million circles in random order), because building and searching carry them too.

use crate::run::Centers;
use throng_core::lanes::TakePairs;
use throng_core::{Arena, HeldBuffer, PairBuffer, PairOrder, PairRoom};

/// Takes the pairs that kernels find.
pub(crate) trait Sink {
    /// Whether kernels name rows by their places.
    const PLACED: bool;
    /// What takes pairs that come sixteen at a time.
    type Groups: TakePairs;

    /// Calls `search` with a buffer for pairs of a member of `left` and a member of `right`, and with the order to write
    /// them in. Returns what it does.
    fn find(
        &mut self,
        left: &Centers<'_>,
        right: &Centers<'_>,
        order: PairOrder,
        search: impl FnOnce(PairOrder, &mut PairBuffer<'_>) -> u64,
    ) -> u64;

    /// As [`find`](Self::find), if only those on the left are named by their places.
    fn find_by_left(
        &mut self,
        left: &Centers<'_>,
        order: PairOrder,
        search: impl FnOnce(PairOrder, &mut PairBuffer<'_>) -> u64,
    ) -> u64;

    /// What takes pairs that come sixteen at a time.
    fn groups(&mut self) -> &mut Self::Groups;

    /// Hands over what has been found.
    fn flush(&mut self);

    /// How many pairs were handed over.
    fn total(&self) -> u64;
}

/// Pairs of rows, to the visitor.
impl Sink for PairBuffer<'_> {
    const PLACED: bool = false;
    type Groups = Self;

    fn groups(&mut self) -> &mut Self {
        self
    }

    fn find(
        &mut self,
        _left: &Centers<'_>,
        _right: &Centers<'_>,
        order: PairOrder,
        search: impl FnOnce(PairOrder, &mut PairBuffer<'_>) -> u64,
    ) -> u64 {
        search(order, self)
    }

    fn find_by_left(
        &mut self,
        _left: &Centers<'_>,
        order: PairOrder,
        search: impl FnOnce(PairOrder, &mut PairBuffer<'_>) -> u64,
    ) -> u64 {
        search(order, self)
    }

    fn flush(&mut self) {
        self.flush();
    }

    fn total(&self) -> u64 {
        self.total()
    }
}

/// Pairs with the values of their members.
pub(crate) struct WithValues<'a, 'h> {
    room: &'a mut PairRoom,
    to: &'a mut HeldBuffer<'h>,
}

impl<'a, 'h> WithValues<'a, 'h> {
    /// Takes the memory of a [`PairBuffer`] from the arena.
    pub fn new(arena: &'a Arena, to: &'a mut HeldBuffer<'h>) -> Self {
        let room = PairBuffer::room_for_one(arena);
        Self { room, to }
    }
}

impl<'h> Sink for WithValues<'_, 'h> {
    const PLACED: bool = true;
    type Groups = HeldBuffer<'h>;

    fn groups(&mut self) -> &mut HeldBuffer<'h> {
        self.to
    }

    fn find(
        &mut self,
        left: &Centers<'_>,
        right: &Centers<'_>,
        order: PairOrder,
        search: impl FnOnce(PairOrder, &mut PairBuffer<'_>) -> u64,
    ) -> u64 {
        let of = [&left.placed(), &right.placed()];
        let mut append = |places: &[[u32; 2]]| self.to.append_places(places, of, order);
        let mut places = PairBuffer::in_room(self.room, &mut append);
        let found = search(PairOrder::Left, &mut places);
        places.flush();
        found
    }

    fn find_by_left(
        &mut self,
        left: &Centers<'_>,
        order: PairOrder,
        search: impl FnOnce(PairOrder, &mut PairBuffer<'_>) -> u64,
    ) -> u64 {
        let of = left.placed();
        let mut append = |pairs: &[[u32; 2]]| self.to.append_left_places(pairs, &of, order);
        let mut pairs = PairBuffer::in_room(self.room, &mut append);
        let found = search(PairOrder::Left, &mut pairs);
        pairs.flush();
        found
    }

    fn flush(&mut self) {
        self.to.flush();
    }

    fn total(&self) -> u64 {
        self.to.total()
    }
}
