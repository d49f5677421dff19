//! The third pass of a mend: each leaf lets go whoever departs and takes in whoever arrives.

use super::Mend;
use super::places::Keys;
use super::scratch::{Arrival, Stretch};
use crate::leaf::{Leaf, leaf_at};
use crate::pieces::resize_piece;

/// Arrivals are ranked in their leaves this many ahead of the leaf that is spliced; and what is read for that is prefetched
/// as many ahead again.
const AHEAD: usize = 8;

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// Goes through departures and arrivals, leaf by leaf. `None` if more arrive than may before the next build, if a row departs twice,
    /// or if memory runs out.
    #[inline(always)]
    pub(super) fn splice_all(&mut self) -> Option<()> {
        if self.scratch.arrivals.len() > self.upkeep.arrivals_left {
            return None;
        }
        let mut departures = std::mem::take(&mut self.scratch.departures);
        let mut arrivals = std::mem::take(&mut self.scratch.arrivals);
        departures.sort_unstable();
        arrivals.sort_unstable_by_key(Arrival::order);
        self.upkeep.shifted += departures.len() + arrivals.len();
        self.upkeep.arrivals_left -= arrivals.len();
        let spliced = self.splice_each(&departures, &mut arrivals);
        (self.scratch.departures, self.scratch.arrivals) = (departures, arrivals);
        spliced
    }

    #[inline(always)]
    fn splice_each(&mut self, mut departures: &[u64], arrivals: &mut [Arrival]) -> Option<()> {
        let (mut asked_for, mut ranked, mut done) = (0, 0, 0);
        while let Some(first) = arrivals.get(done).copied() {
            let shared = |other: &&Arrival| other.shares_leaf(&first);
            let end = done + arrivals[done..].iter().take_while(shared).count();
            let [near, far] = [1, 2].map(|times| arrivals.len().min(end + times * AHEAD));
            for arrival in &arrivals[asked_for..far] {
                self.prefetch(arrival);
            }
            for arrival in &mut arrivals[ranked..near] {
                arrival.at = self.rank(arrival);
            }
            (asked_for, ranked) = (far, near);
            let arrivals = &mut arrivals[done..end];
            done = end;
            match leaf_at(self.strips, self.leaves, first.place()) {
                Some(leaf) => {
                    departures = self.let_go_before(leaf, departures)?;
                    let (gone, later) = split_off(leaf, departures);
                    departures = later;
                    self.splice(leaf, gone, arrivals)?;
                }
                None => self.found(arrivals)?,
            }
        }
        self.let_go_before(self.leaves.len(), departures)?;
        Some(())
    }

    /// Prefetches the memory in which an arrival belongs.
    #[inline(always)]
    fn prefetch(&self, arrival: &Arrival) {
        if let Some(leaf) = leaf_at(self.strips, self.leaves, arrival.place()) {
            let leaf = &self.leaves[leaf];
            leaf.prefetch(self.words, leaf.guess(arrival.center()[0]));
        }
    }

    /// How many of the records of its leaf an arrival comes after.
    #[inline(always)]
    fn rank(&self, arrival: &Arrival) -> u32 {
        let Some(leaf) = leaf_at(self.strips, self.leaves, arrival.place()) else {
            return 0;
        };
        let leaf = &self.leaves[leaf];
        let row_word = self.columns.row_word;
        let keys = Keys::new(self.words, leaf, &self.layout, row_word);
        let guess = leaf.guess(arrival.center()[0]);
        let row = row_word.row(arrival.word());
        keys.rank((arrival.place().column, row), guess as usize) as u32
    }

    /// Splices leaves before one, where nobody arrives. Returns the departures that are left.
    fn let_go_before<'d>(&mut self, leaf: usize, mut departures: &'d [u64]) -> Option<&'d [u64]> {
        while let Some(&first) = departures.first()
            && leaf_of(first) < leaf
        {
            let (gone, later) = split_off(leaf_of(first), departures);
            departures = later;
            self.splice(leaf_of(first), gone, &mut [])?;
        }
        Some(departures)
    }

    /// Removes records of a leaf and inserts others that are ranked in it, all at once.
    fn splice(&mut self, index: usize, departures: &[u64], arrivals: &mut [Arrival]) -> Option<()> {
        let mut leaf = self.leaves[index];
        // Ranks ascend as arrivals do. In a leaf that was refitted they do so only roughly, so each is raised to the highest before it.
        let mut highest = 0;
        for arrival in &mut *arrivals {
            highest = arrival.at.max(highest);
            arrival.at = highest;
        }
        list_stretches(leaf.len, departures, arrivals, &mut self.scratch.stretches)?;
        let before = leaf.len;
        let len = before + arrivals.len() as u32 - departures.len() as u32;
        self.make_room(&mut leaf, len)?;
        let columns = leaf.columns_mut::<WORDS>(self.words);
        for (word, column) in columns.into_iter().enumerate() {
            shift(column, &self.scratch.stretches);
            for arrival in &*arrivals {
                column[arrival.at as usize] = arrival.record[word];
            }
        }
        leaf.len = len;
        self.welcome(&mut leaf, arrivals);
        self.leaves[index] = leaf;
        self.upkeep.resized(before, len);
        let leaves = self.leaves.len();
        self.scratch.emptied |= len == 0;
        self.scratch.recut |= before != len && !resize_piece(self.pieces, leaves, index, len);
        Some(())
    }

    /// Makes a leaf of arrivals where there is none.
    fn found(&mut self, arrivals: &[Arrival]) -> Option<()> {
        let place = arrivals[0].place();
        let mut leaf = Leaf::empty((place.strip, place.block()));
        self.make_room(&mut leaf, arrivals.len() as u32)?;
        leaf.len = arrivals.len() as u32;
        let columns = leaf.columns_mut::<WORDS>(self.words);
        for (word, column) in columns.into_iter().enumerate() {
            for (value, arrival) in column.iter_mut().zip(arrivals) {
                *value = arrival.record[word];
            }
        }
        self.welcome(&mut leaf, arrivals);
        self.upkeep.resized(0, leaf.len);
        self.scratch.founded.push(leaf);
        self.scratch.recut = true;
        Some(())
    }

    /// Notes that arrivals are in a leaf now.
    fn welcome(&mut self, leaf: &mut Leaf, arrivals: &[Arrival]) {
        for arrival in arrivals {
            leaf.bounds.include(arrival.center());
            self.note_come(arrival.place(), arrival.center());
        }
    }
}

/// Lists the stretches of `len` records that move, and says where each arrival is put. `None` if a record departs twice.
fn list_stretches(
    len: u32,
    departures: &[u64],
    arrivals: &mut [Arrival],
    stretches: &mut Vec<Stretch>,
) -> Option<()> {
    stretches.clear();
    let (mut first, mut by) = (0, 0);
    let mut departures = departures
        .iter()
        .map(|&departure| place_of(departure))
        .peekable();
    let mut arrivals = arrivals.iter_mut().peekable();
    loop {
        let goes = departures.peek().copied();
        let comes = arrivals.peek().map(|arrival| arrival.at);
        let end = goes.unwrap_or(len).min(comes.unwrap_or(len));
        if end < first {
            return None;
        }
        if first < end && by != 0 {
            stretches.push(Stretch { first, end, by });
        }
        first = end;
        if let Some(arrival) = arrivals.next_if(|arrival| arrival.at == end) {
            arrival.at = end.wrapping_add_signed(by);
            by += 1;
        } else if departures.next().is_some() {
            first += 1;
            by -= 1;
        } else {
            return Some(());
        }
    }
}

/// Moves each stretch of a column. None is written over before it has moved: those that move down, first to last, only write
/// over what has moved down before, and those that move up, last to first, over what has moved up before.
fn shift(column: &mut [u32], stretches: &[Stretch]) {
    let down = stretches.iter().filter(|stretch| stretch.by < 0);
    let up = stretches.iter().rev().filter(|stretch| stretch.by > 0);
    for &Stretch { first, end, by } in down.chain(up) {
        column.copy_within(
            first as usize..end as usize,
            first.wrapping_add_signed(by) as usize,
        );
    }
}

/// A departure from this place in a leaf. They ascend as leaves and places do.
pub(crate) fn departure(leaf: u32, place: usize) -> u64 {
    u64::from(leaf) << 32 | place as u64
}

pub(crate) fn leaf_of(departure: u64) -> usize {
    (departure >> 32) as usize
}

pub(super) fn place_of(departure: u64) -> u32 {
    departure as u32
}

/// The departures from a leaf, which come first if there are any, and the others.
fn split_off(leaf: usize, departures: &[u64]) -> (&[u64], &[u64]) {
    let its = departures
        .iter()
        .take_while(|&&departure| leaf_of(departure) == leaf);
    departures.split_at(its.count())
}
