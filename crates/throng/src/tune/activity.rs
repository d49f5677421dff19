//! What a category did in the last frames, estimated from a few samples of each.

use educe::Educe;

use crate::world::columns::ProxyColumns;

/// How many rows are sampled in each frame.
const LOOKS: usize = 32;
/// After this many samples, older ones count half: the estimate covers about the last hundred frames.
const MOST_LOOKS: u32 = 128 * LOOKS as u32;
/// How many frames one word remembers.
const REMEMBERED: u32 = u64::BITS;
/// So many rows are packed in no time.
const FEW_PACKED: usize = 256;
/// 2^64 divided by the golden ratio: its multiples are evenly spread, so that every row gets its turn.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a category did in the last frames. A frame here is one update of the indices, by a step or a refresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// How many frames are remembered: the last 64, or as many as there were.
    pub frames: u32,
    /// In how many of them most of the scenery was packed again, and more than a few hundred rows, not counting the first time.
    pub packed: u32,
    /// In how many of them there were any rows.
    pub occupied: u32,
    /// In how many of them no row was seen to come, go or move. Single writes are always seen; writes to columns are
    /// seen as far as samples show them.
    pub quiet: u32,
    /// How often a row was checked for having moved since the frame before: 32 rows in each frame, different ones
    /// every time, so that the cost does not depend on the number of rows. Frames in which rows came or went are left
    /// out, and older checks count less.
    pub looks: u32,
    /// How often the row had moved.
    pub moved: u32,
}

impl Activity {
    /// The share of rows that move from one frame to the next, from 0 to 1; `None` before anything was sampled.
    pub fn moving_share(&self) -> Option<f64> {
        (self.looks > 0).then(|| f64::from(self.moved) / f64::from(self.looks))
    }
}

/// Keeps a category's [`Activity`]. O(1) in each frame, however many rows there are.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct ActivityLog {
    /// The last frames, one bit each, the newest lowest.
    packed: u64,
    occupied: u64,
    quiet: u64,
    /// Whether it was ever packed.
    was_packed: bool,
    /// How many frames there were.
    frames: u64,
    looks: u32,
    moved: u32,
    /// Rows to check next time, and where they were.
    watched: Vec<([f32; 2], usize)>,
    /// How many rows there were.
    rows: usize,
}

impl ActivityLog {
    /// Records a frame in which this many rows were packed; `written` if anything other than columns was written since the one
    /// before.
    pub(crate) fn note(&mut self, columns: &ProxyColumns, packed: usize, written: bool) {
        let moved = self.look(columns);
        let packed = packed * 2 > columns.len() && packed > FEW_PACKED;
        for (bits, bit) in [
            (&mut self.packed, packed && self.was_packed),
            (&mut self.occupied, columns.len() > 0),
            (&mut self.quiet, !written && moved == 0),
        ] {
            *bits = *bits << 1 | u64::from(bit);
        }
        self.was_packed |= packed;
        self.frames += 1;
        self.watch(columns);
    }

    /// To be called when rows have changed places: those that were to be checked are let go.
    pub(crate) fn rows_changed(&mut self) {
        self.watched.clear();
    }

    /// How many of the watched rows have moved.
    fn look(&mut self, columns: &ProxyColumns) -> u32 {
        if columns.len() != self.rows {
            return 0;
        }
        let has_moved = |(before, row): &&([f32; 2], usize)| *before != columns.center(*row);
        let moved = self.watched.iter().filter(has_moved).count() as u32;
        self.looks += self.watched.len() as u32;
        self.moved += moved;
        if self.looks > MOST_LOOKS {
            self.looks /= 2;
            self.moved /= 2;
        }
        moved
    }

    fn watch(&mut self, columns: &ProxyColumns) {
        self.rows = columns.len();
        let rows = self.rows;
        self.watched.clear();
        let looks = LOOKS.min(rows);
        if looks > 0 {
            self.watched.reserve(LOOKS);
            let turn = ((self.frames.wrapping_mul(GOLDEN) >> 32) * rows as u64) >> 32;
            self.watched.extend((0..looks).map(|look| {
                // As many looks as rows, or a power of two: no division.
                let first = if looks == LOOKS {
                    look * rows / LOOKS
                } else {
                    look
                };
                let row = first + turn as usize;
                let row = if row < rows { row } else { row - rows };
                (columns.center(row), row)
            }));
        }
    }

    pub(crate) fn summary(&self) -> Activity {
        Activity {
            frames: self.frames.min(u64::from(REMEMBERED)) as u32,
            packed: self.packed.count_ones(),
            occupied: self.occupied.count_ones(),
            quiet: self.quiet.count_ones(),
            looks: self.looks,
            moved: self.moved,
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.watched.capacity() * size_of::<([f32; 2], usize)>()
    }
}

#[cfg(test)]
mod tests {
    use throng_core::Columns;

    use super::*;

    fn columns(rows: usize) -> ProxyColumns {
        let mut columns = ProxyColumns::default();
        (0..rows).for_each(|_| {
            columns.push_row();
        });
        columns
    }

    #[test]
    fn the_share_that_moves_is_found_without_looking_at_all() {
        for (rows, every) in [(10, 2), (1000, 4), (100_000, 50)] {
            let (mut log, mut columns) = (ActivityLog::default(), columns(rows));
            for _ in 0..200 {
                log.note(&columns, 0, false);
                for row in (0..rows).step_by(every) {
                    columns.xs[row] += 1.0;
                }
            }
            let share = log.summary().moving_share().unwrap();
            let expected = 1.0 / every as f64;
            assert!(
                (share - expected).abs() < 0.4 * expected,
                "{share}, not {expected}"
            );
        }
    }

    #[test]
    fn what_stands_still_is_seen_to() {
        let (mut log, columns) = (ActivityLog::default(), columns(1000));
        assert_eq!(log.summary().moving_share(), None);
        (0..10).for_each(|_| log.note(&columns, 0, false));
        assert_eq!(log.summary().moving_share(), Some(0.0));
    }

    #[test]
    fn frames_are_remembered_for_a_while() {
        let (mut log, columns) = (ActivityLog::default(), columns(600));
        (0..100_usize).for_each(|frame| {
            let packed = [301, 300, 0, 1][frame % 4];
            log.note(&columns, packed, frame.is_multiple_of(2));
        });
        let seen = log.summary();
        let counts = [seen.frames, seen.packed, seen.occupied, seen.quiet];
        assert_eq!(counts, [64, 16, 64, 32]);
    }
}
