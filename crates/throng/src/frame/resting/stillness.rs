//! One byte for each row of a category: how long it has not moved; or that it has been told to rest, is about to, or rests.
//!
//! They are in a column like all others, so that a byte goes wherever its row goes:
//!
//! ```text
//! 0           new, or moved since the last step
//! 1           moved in this step
//! k + 1       has not moved for k steps
//! TOLD        was told to rest
//! DUE         comes to rest with this step, if the step finds all pairs: its own are found once more, and kept
//! RESTING     rests
//! ```
//!
//! A disabled row goes on counting, but is never due: it takes part in no step. If it was told to rest, that holds until it is
//! enabled.
//!
//! Whether a row has moved is told by its center of the last index, which is kept beside it. While every row moves in every
//! step, only a sixteenth of them is looked at in each, and the others are taken to move as well: with a million rows, to
//! compare all would take a seventh of the step, for nothing. So a row that stops while all others go on may be noticed up
//! to sixteen steps late.
//!
//! Those that are awake are listed while they have an index of their own, or four times as many rest. As long as four times as many
//! rest, the list is kept from step to step, and a step looks only at the rows in it: one that wakes, or is new, is added. Whatever
//! else changes rows, such as a removal, makes the next step look through all of them again.

use std::ops::Range;

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{Spare, prefetch};

use crate::frame::resting::moved_rows::{Centers, Found};
use crate::world::category::Category;
use crate::world::columns::ProxyColumns;
use crate::world::config::CategoryConfig;
use crate::world::ids::{ProxyId, Row};
use crate::world::resting::Resting;
use crate::world::row_changes::RowChanges;
use crate::world::structure::IndexedRows;

/// Moved in this step.
pub(crate) const MOVED: u8 = 1;
/// A row that is awake counts no further.
const LONGEST: u8 = 250;
pub(crate) const TOLD: u8 = 253;
pub(crate) const DUE: u8 = 254;
pub(crate) const RESTING: u8 = 255;
const _: () = assert!(Resting::MOST_STEPS < LONGEST as u32 && LONGEST < TOLD);

/// More than one row in so many, and so many besides, are many to have moved.
const MOVED_ONE_IN: usize = 16;
/// How many rows are compared at once.
pub(super) const BLOCK: usize = 64;
/// How many bytes are looked at in one word.
pub(super) const EIGHT: usize = size_of::<u64>();
/// What is known of a row is prefetched this many rows ahead.
const AHEAD: usize = 16;
/// While all rows move, one block in so many is looked at in each step.
pub(super) const TURNS: usize = 16;

/// What a category that rests keeps besides its columns.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct Stillness {
    /// Whether those that rest wake when something that moves touches them.
    pub(crate) wakes_on_contact: bool,
    /// A row that counts more than this is due.
    most: u8,
    /// Those that rest, and of whom something other than the center has changed since the last step or refresh. Some may be gone, and
    /// some listed more than once.
    pub(crate) woken: Vec<ProxyId>,
    /// Rows that were written one by one since then; some may be gone.
    written: Vec<Row>,
    /// Whether any row may have been written since then.
    all_written: bool,
    /// How many rows rest, and how many are due in this step.
    pub(crate) resting: usize,
    pub(crate) due: usize,
    /// The rows that do not rest, but for disabled ones, if they are to be listed. They ascend after a count; those that wake later are
    /// appended.
    awake: Vec<Row>,
    /// Whether the last count has listed them.
    lists_awake: bool,
    /// Whether the list has been kept complete since then; it may be unsorted.
    are_listed: bool,
    /// Memory to sort them with.
    merged: Vec<Row>,
    /// Whether any row may have been told to rest since turns were taken.
    are_any_told: bool,
    /// While every row moves: whose turn it is to be looked at.
    turn: Option<usize>,
    /// For so many steps more, nothing that was known before counts: see [`forget_history`](Self::forget_history).
    forgetful_steps: u8,
    /// Whether many had moved when all were last written.
    were_many: bool,
    /// What has changed since the last index.
    pub(crate) changes: RowChanges,
    /// While a column of boxes is written: a bit for each row whose size changes.
    pub(crate) resized: Spare<Vec<u16>>,
}

/// The list of those that are awake is kept up to date while so many times more rest. If not, it is faster to look at all.
const TIMES_MORE_REST: usize = 4;
/// Rows that are written one by one are listed only as long as they are no more than one in so many: to look at one of them takes
/// as long as to look at some twenty in order.
const WRITTEN_ONE_IN: usize = 16;

impl Stillness {
    /// `None` for a category that never rests.
    pub(crate) fn new(config: &CategoryConfig) -> Option<Box<Self>> {
        let most = match config.rests {
            Resting::Never => return None,
            Resting::After(steps) => steps as u8,
            Resting::WhenTold => u8::MAX,
        };
        Some(Box::new(Self {
            wakes_on_contact: config.wakes_on_contact,
            most,
            ..Self::default()
        }))
    }

    /// To be called when something other than the center of a proxy that rests changes, or before it is removed.
    pub(crate) fn wake(&mut self, id: ProxyId) {
        // Nobody comes to rest between two steps, so there are no more of them than rested in the last one; but they may be changed
        // again and again.
        let listed = self.woken.len();
        if listed > 2 * self.resting && listed.is_power_of_two() {
            self.woken.sort_unstable();
            self.woken.dedup();
        }
        self.woken.push(id);
    }

    /// To be called when a row does not rest any more, or is new; `center` is where it was as of the last index.
    pub(crate) fn note_awake(&mut self, row: usize, center: [f32; 2]) {
        self.changes.note(row as Row, center);
        if self.are_listed {
            self.awake.push(row as Row);
        }
    }

    /// To be called when there is a new last row, of `rows`.
    pub(crate) fn note_new(&mut self, row: usize, rows: usize) {
        self.note_rows_written(&[row as Row], rows);
        // There was no such row as of the last index, or it is noted already.
        self.note_awake(row, [0.0; 2]);
    }

    /// To be called before a row changes in another way than by a write of its center, or comes to hold another proxy. `center` is
    /// where it was as of the last index.
    pub(crate) fn note_change(&mut self, row: usize, center: [f32; 2]) {
        self.changes.note(row as Row, center);
        self.are_listed = false;
    }

    /// To be called when any rows may be other than the index says.
    pub(crate) fn note_all_changed(&mut self) {
        self.changes.note_all();
        self.are_listed = false;
    }

    /// To be called when what comes is to depend on the rows alone, and on who is told to rest. The next step takes no turns, and
    /// its index is [built anew](Self::forgets_index): in a world that was just loaded, who rests in it may not rest before. Nor
    /// does the step after that take turns: if turns ended in the one before, all rows counted as moved in it.
    pub(crate) fn forget_history(&mut self) {
        self.forgetful_steps = 2;
    }

    /// Whether the index of this step is to depend on the rows alone. To be asked once it is known who has moved.
    pub(crate) fn forgets_index(&self) -> bool {
        self.forgetful_steps == 1
    }

    /// To be called when a row is told to rest.
    pub(crate) fn note_told(&mut self) {
        self.are_any_told |= self.turn.is_some();
    }

    /// To be called when some of `rows` rows are written, or come to hold other proxies. There may be no such rows.
    #[inline]
    pub(crate) fn note_rows_written(&mut self, written: &[Row], rows: usize) {
        // From so many on it is faster to go through all of them.
        if (self.written.len() + written.len()) * WRITTEN_ONE_IN > rows {
            self.note_all_written();
        }
        if !self.all_written {
            self.written.extend_from_slice(written);
        }
    }

    /// To be called when any rows may be written.
    pub(crate) fn note_all_written(&mut self) {
        self.all_written = true;
        self.written.clear();
    }

    /// Counts a step for every row. If `is_settled`, those that were due in the last one rest from now on, and `rests` is called
    /// with each; otherwise they are due again. O(rows), and a byte each, or O(rows that are awake) if these are listed.
    pub(crate) fn tick(
        &mut self,
        columns: &mut ProxyColumns,
        disabled: Option<&FixedBitSet>,
        is_settled: bool,
        rests: &mut dyn FnMut(ProxyId),
    ) {
        if self.turn.is_some() {
            return;
        }
        let settled = if is_settled { RESTING } else { DUE };
        let most = self.most;
        let longer = |still: u8| still.saturating_add(1).min(LONGEST);
        let tick = |still: &mut u8| {
            let more = longer(*still);
            let awake = if more > most { DUE } else { more };
            *still = match *still {
                RESTING => RESTING,
                DUE => settled,
                TOLD => DUE,
                _ => awake,
            };
        };
        let tick_disabled = |still: &mut u8| {
            if *still != TOLD {
                *still = longer(*still);
            }
        };
        let (ids, xs, ys) = (&columns.ids, &columns.last_xs, &columns.last_ys);
        let all = columns.still.values_mut();
        let changes = &mut self.changes;
        let mut note = |row: usize| {
            changes.note(row as Row, [xs.get(row), ys.get(row)]);
            rests(ProxyId(ids[row]));
        };
        if self.are_listed {
            // Each row is written, and counts as kept only if it does not rest; otherwise the next overwrites it.
            let mut kept = 0;
            for place in 0..self.awake.len() {
                let row = self.awake[place];
                if let Some(&later) = self.awake.get(place + AHEAD) {
                    prefetch(all, later);
                }
                self.awake[kept] = row;
                let still = &mut all[row as usize];
                tick(still);
                if *still == RESTING {
                    note(row as usize);
                } else {
                    kept += 1;
                }
            }
            self.awake.truncate(kept);
            return;
        }
        let some_come_to_rest = is_settled && self.due > 0;
        for (first, block) in (0..).step_by(BLOCK).zip(all.chunks_mut(BLOCK)) {
            if all_rest(block) {
                continue;
            }
            if some_come_to_rest {
                let due = (first..).zip(&*block).filter(|(_, still)| **still == DUE);
                due.for_each(|(row, _)| note(row));
            }
            match disabled {
                Some(disabled) if has_any(disabled, first..first + block.len()) => {
                    for (row, still) in (first..).zip(block) {
                        if disabled.contains(row) {
                            tick_disabled(still);
                        } else {
                            tick(still);
                        }
                    }
                }
                _ => block.iter_mut().for_each(tick),
            }
        }
    }

    /// Takes back a step that was counted, but never finished. Who moved in it then counts as moved in the next, where that wakes
    /// others. O(rows).
    pub(crate) fn untick(&self, columns: &mut ProxyColumns) {
        if self.turn.is_some() {
            return;
        }
        let counts = columns.still.values_mut().iter_mut();
        for still in counts.filter(|still| **still <= LONGEST) {
            *still = still.saturating_sub(1);
        }
    }

    /// Finds out which rows have moved since the last index: they get `moved`, and `wake` is called with each that was resting.
    /// O(rows), or O(rows written) if only some were.
    pub(crate) fn find_moved(
        &mut self,
        columns: &mut ProxyColumns,
        disabled: Option<&FixedBitSet>,
        moved: u8,
        wake: &mut dyn FnMut(Row),
    ) {
        let (rows, all_written) = (columns.len(), std::mem::take(&mut self.all_written));
        let forgets = self.forgetful_steps > 0;
        let mut all = Centers::of(columns);
        if self.turn.is_some() {
            self.changes.note_moves();
        }
        let mut found = Found {
            changes: &mut self.changes,
            awake: self.are_listed.then_some(&mut self.awake),
            wake,
            expects_many: self.were_many,
            moved: 0,
            again: 0,
        };
        if let Some(turn) = self.turn {
            let next = (turn + 1) % TURNS;
            let go_on = !std::mem::take(&mut self.are_any_told) && !forgets && all.all_move(turn);
            self.turn = go_on.then_some(next);
            if self.turn.is_some() {
                all.keep_turn(next);
            } else {
                for row in 0..rows {
                    let is_disabled = disabled.is_some_and(|disabled| disabled.contains(row));
                    all.end_turns(row, moved, is_disabled);
                }
            }
        } else if all_written {
            for first in (0..rows).step_by(BLOCK) {
                let block = first..(first + BLOCK).min(rows);
                all.find_moved(block, moved, &mut found);
            }
            if found.again == rows && rows > 0 && moved == MOVED && !forgets {
                self.turn = Some(0);
            }
            self.were_many = found.moved > rows / MOVED_ONE_IN + MOVED_ONE_IN;
        } else {
            for (place, &row) in self.written.iter().enumerate() {
                if let Some(&later) = self.written.get(place + AHEAD) {
                    all.prefetch(later as usize);
                }
                all.look_at(row as usize, moved, &mut found);
            }
        }
        if found.moved > 0 {
            found.changes.note_moves();
        }
        if moved == MOVED {
            self.forgetful_steps = self.forgetful_steps.saturating_sub(1);
        }
        self.written.clear();
    }

    /// Makes every row count as new, but for those that were told to rest and have yet to take part in a step. `wake` is called
    /// with each that was resting. O(rows).
    pub(crate) fn wake_all(&mut self, columns: &mut ProxyColumns, wake: &mut dyn FnMut(Row)) {
        self.note_all_changed();
        for (row, still) in (0..).zip(columns.still.values_mut()) {
            if *still != TOLD && std::mem::replace(still, 0) == RESTING {
                wake(row);
            }
        }
    }

    /// Counts who rests and who is due. Lists who does not rest, if somebody does, and `is_list_wanted` says so of how many are awake and
    /// how many rest, or the list can be kept. Disabled rows are left out. O(rows), and a byte each, or O(rows that are awake) if these are
    /// listed already.
    pub(crate) fn count(
        &mut self,
        columns: &ProxyColumns,
        disabled: Option<&FixedBitSet>,
        is_list_wanted: impl FnOnce(usize, usize) -> bool,
    ) {
        let still = columns.still.values().unwrap_or_default();
        self.are_listed &= disabled.is_none();
        if self.are_listed {
            debug_assert!(self.are_exactly_awake(still));
            let awake = self.awake.len();
            let is_due = |row: &&Row| still[**row as usize] == DUE;
            self.resting = still.len() - awake;
            self.due = self.awake.iter().filter(is_due).count();
            if self.resting > 0 {
                sort_awake(&mut self.awake, &mut self.merged);
            }
            self.are_listed = self.is_list_kept(awake);
            return;
        }
        (self.resting, self.due, self.lists_awake) = (0, 0, false);
        if self.turn.is_some() {
            return;
        }
        for block in still.chunks(BLOCK) {
            if all_rest(block) {
                self.resting += block.len();
                continue;
            }
            self.resting += count(block, RESTING);
            self.due += count(block, DUE);
        }
        let mut enabled = still.len();
        if let Some(disabled) = disabled {
            for row in disabled.ones().take_while(|&row| row < still.len()) {
                enabled -= 1;
                self.resting -= usize::from(still[row] == RESTING);
                self.due -= usize::from(still[row] == DUE);
            }
        }
        let awake = enabled - self.resting;
        let is_list_kept = disabled.is_none() && self.is_list_kept(awake);
        if self.resting > 0 && (is_list_kept || is_list_wanted(awake, self.resting)) {
            list_where(false, still, disabled, &mut self.awake);
            self.lists_awake = true;
            self.are_listed = is_list_kept;
        }
    }

    /// Whether it is faster to keep their list up to date than to make it anew.
    fn is_list_kept(&self, awake: usize) -> bool {
        awake <= self.resting / TIMES_MORE_REST
    }

    /// The rows that do not rest, ascending; `None` if nobody rests, or no list was wanted. To be called when they have been counted.
    pub(crate) fn awake(&self) -> Option<&[Row]> {
        (self.resting > 0 && self.lists_awake).then_some(&self.awake)
    }

    /// Whether the rows that are listed are those that do not rest. Takes no memory, so it compares sums of rows.
    fn are_exactly_awake(&self, still: &[u8]) -> bool {
        let awake = (0_u64..).zip(still).filter(|(_, still)| **still != RESTING);
        let listed = self.awake.iter().map(|&row| u64::from(row));
        let is_awake = |row: &Row| {
            still
                .get(*row as usize)
                .is_some_and(|&still| still != RESTING)
        };
        self.awake.iter().all(is_awake)
            && awake.clone().count() == self.awake.len()
            && awake.map(|(row, _)| row).sum::<u64>() == listed.sum::<u64>()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = [&self.written, &self.awake, &self.merged];
        let rows: usize = lists.iter().map(|rows| rows.capacity()).sum();
        let woken = self.woken.capacity() * size_of::<ProxyId>();
        let resized = self.resized.capacity() * size_of::<u16>();
        size_of::<Self>() + woken + resized + rows * size_of::<Row>() + self.changes.memory_bytes()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.woken.shrink_to_fit();
        self.written.shrink_to_fit();
        self.changes = RowChanges::default();
        self.awake.shrink_to_fit();
        self.merged = Vec::new();
        self.resized = Spare::default();
    }
}

/// The rows that rest, but for disabled ones.
pub(crate) struct RestingRows<'c> {
    still: &'c [u8],
    disabled: Option<&'c FixedBitSet>,
}

impl<'c> RestingRows<'c> {
    pub(crate) fn of(rows: &IndexedRows<'c>) -> Self {
        Self {
            still: rows.columns.still.values().unwrap_or_default(),
            disabled: rows.disabled,
        }
    }

    /// Whether a row is one of them. There may be no such row.
    pub(crate) fn has(&self, row: Row) -> bool {
        let row = row as usize;
        let is_disabled = || self.disabled.is_some_and(|disabled| disabled.contains(row));
        self.still.get(row) == Some(&RESTING) && !is_disabled()
    }

    /// Lists them, ascending.
    pub(crate) fn list(&self, rows: &mut Vec<Row>) {
        list_where(true, self.still, self.disabled, rows);
    }
}

impl Category {
    /// The rows that do not rest, but for disabled ones, ascending.
    pub(crate) fn awake_rows(&self) -> impl Iterator<Item = Row> {
        let still = self.columns.still.values().unwrap_or_default();
        let blocks = (0..self.len())
            .step_by(BLOCK)
            .map(|first| first..(first + BLOCK).min(self.len()));
        let block_of = |block: &Range<usize>| still.get(block.clone());
        let awake = blocks.filter(move |block| !block_of(block).is_some_and(all_rest));
        let is_awake =
            move |row: &usize| still.get(*row) != Some(&RESTING) && self.is_enabled(*row);
        awake.flatten().filter(is_awake).map(|row| row as Row)
    }
}

/// Sorts rows of which most, from the first on, ascend already.
fn sort_awake(rows: &mut Vec<Row>, merged: &mut Vec<Row>) {
    let Some(sorted) = rows.windows(2).position(|two| two[0] > two[1]) else {
        return;
    };
    let (first, later) = rows.split_at_mut(sorted + 1);
    later.sort_unstable();
    merged.clear();
    let mut first = first.iter().copied().peekable();
    for &row in &*later {
        while let Some(before) = first.next_if(|&before| before < row) {
            merged.push(before);
        }
        merged.push(row);
    }
    merged.extend(first);
    std::mem::swap(rows, merged);
}

/// Whether all rows of a block rest.
#[inline(always)]
fn all_rest(block: &[u8]) -> bool {
    let (eights, rest) = block.as_chunks::<EIGHT>();
    let all = |all: u64, eight: &[u8; EIGHT]| all & u64::from_ne_bytes(*eight);
    eights.iter().fold(u64::MAX, all) == u64::MAX && rest.iter().all(|&still| still == RESTING)
}
const _: () = assert!(RESTING == u8::MAX, "any other value lacks a bit");

/// Lists the rows that rest or, if `rests` is false, those that do not; disabled rows in neither case.
fn list_where(rests: bool, still: &[u8], disabled: Option<&FixedBitSet>, rows: &mut Vec<Row>) {
    rows.clear();
    for (first, block) in (0..).step_by(BLOCK).zip(still.chunks(BLOCK)) {
        if all_rest(block) {
            if rests {
                rows.extend(first..first + block.len() as Row);
            }
            continue;
        }
        // Each is written, and then counted or not: whether one rests is too unpredictable for a branch.
        let (mut listed, mut count) = ([0; BLOCK], 0);
        for (row, &still) in (first..).zip(block) {
            listed[count] = row;
            count += usize::from((still == RESTING) == rests);
        }
        rows.extend_from_slice(&listed[..count]);
    }
    if let Some(disabled) = disabled {
        rows.retain(|&row| !disabled.contains(row as usize));
    }
}

/// Whether a set has any of some rows.
fn has_any(set: &FixedBitSet, rows: Range<usize>) -> bool {
    let end = rows.end.min(set.len());
    rows.start < end && set.contains_any_in_range(rows.start..end)
}

/// How many times a value occurs in a block.
fn count(block: &[u8], value: u8) -> usize {
    // In bytes, which is a vector of them; no block has more than fit.
    let found = block
        .iter()
        .fold(0, |found: u8, &still| found + u8::from(still == value));
    usize::from(found)
}
const _: () = assert!(BLOCK <= u8::MAX as usize);

#[cfg(test)]
mod tests;
