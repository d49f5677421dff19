//! Where a record is, and where it belongs.

use crate::layout::Layout;
use crate::leaf::Leaf;
use crate::row_word::RowWord;
use throng_core::cell::CellMap;
use throng_core::prefetch_for_reading;

/// Rows are looked for in this many records at once, around where they are expected. A guess in a leaf of a thousand evenly
/// spread rows is rarely wrong by more than half of that.
const WINDOW: usize = 64;

impl Leaf {
    /// About which record of the leaf has a center at `x`, if they are spread evenly.
    #[inline(always)]
    pub(super) fn guess(&self, x: f32) -> u32 {
        let [from, to] = [self.bounds.min[0], self.bounds.max[0]];
        // Rounds to zero what is not a number.
        let guess = (x - from) / (to - from) * self.len as f32;
        (guess as u32).min(self.len.saturating_sub(1))
    }

    /// Prefetches what is read to find a record near a guess.
    #[inline(always)]
    pub(super) fn prefetch(&self, words: &[u32], guess: u32) {
        const IN_LINE: usize = 16;
        let first = (guess as usize).saturating_sub(WINDOW / 2);
        for column in 0..3 {
            let column = (self.start + column * self.stride) as usize;
            for line in 0..WINDOW / IN_LINE {
                if let Some(word) = words.get(column + first + line * IN_LINE) {
                    prefetch_for_reading(word);
                }
            }
        }
    }
}

/// The columns by which the records of a leaf are sorted.
#[derive(Clone, Copy)]
pub(super) struct Keys<'a> {
    pub xs: &'a [f32],
    /// As records have them. A row of the same number that departs may be of another class, so keys are rows, and have the lowest word
    /// that names one.
    rows: &'a [u32],
    row_word: RowWord,
    columns: CellMap,
}

impl<'a> Keys<'a> {
    #[inline(always)]
    pub fn new(words: &'a [u32], leaf: &Leaf, layout: &Layout, row_word: RowWord) -> Self {
        let run = |column: u32| {
            let start = (leaf.start + column * leaf.stride) as usize;
            &words[start..start + leaf.len as usize]
        };
        Self {
            xs: bytemuck::cast_slice(run(0)),
            rows: run(2),
            row_word,
            columns: layout.columns,
        }
    }

    /// Whether a record belongs before one of this column and row.
    #[inline(always)]
    fn is_before(&self, at: usize, (column, row): (i32, u32)) -> bool {
        let own = self.columns.cell(self.xs[at]);
        own < column || own == column && self.rows[at] < row << self.row_word.shift
    }

    /// Which record is that of a row, given the column that it is in and where it is expected.
    #[inline(always)]
    pub fn find(&self, row: u32, column: i32, guess: u32) -> Option<usize> {
        let first = self.window_around::<WINDOW>(guess as usize);
        if let Some(window) = self.rows[first..].first_chunk::<WINDOW>() {
            let mut found = 0_u32;
            // At most one is the row, and no branch depends on which.
            for (lane, word) in (1..).zip(window) {
                found |= if self.row_word.row(*word) == row {
                    lane
                } else {
                    0
                };
            }
            if found > 0 {
                return Some(first + found as usize - 1);
            }
        }
        let at = self.rank_by_steps((column, row), guess as usize);
        (at < self.rows.len() && self.row_word.row(self.rows[at]) == row).then_some(at)
    }

    /// Where a window around a record begins.
    #[inline(always)]
    fn window_around<const WIDTH: usize>(&self, guess: usize) -> usize {
        let last = self.rows.len().saturating_sub(WIDTH);
        guess.saturating_sub(WIDTH / 2).min(last)
    }

    /// How many records belong before one of this column and row. O(log of how wrong the guess is).
    #[inline(always)]
    pub fn rank(&self, key: (i32, u32), guess: usize) -> usize {
        self.rank_around::<WINDOW>(key, guess)
    }

    /// The same, for a guess that is probably not wrong by more than half of `WIDTH`.
    #[inline(always)]
    pub fn rank_around<const WIDTH: usize>(&self, key: (i32, u32), guess: usize) -> usize {
        let first = self.window_around::<WIDTH>(guess);
        let window = [&self.rows[first..], bytemuck::cast_slice(&self.xs[first..])];
        let [Some(rows), Some(xs)] = window.map(<[u32]>::first_chunk::<WIDTH>) else {
            return self.rank_by_steps(key, guess);
        };
        let (column, word) = (key.0, key.1 << self.row_word.shift);
        let mut before = 0;
        // No branch depends on how many these are, either.
        for lane in 0..WIDTH {
            let own = self.columns.cell(f32::from_bits(xs[lane]));
            before += u32::from((own < column) | ((own == column) & (rows[lane] < word)));
        }
        let (rank, end) = (first + before as usize, first + WIDTH);
        if (rank > first || first == 0) && (rank < end || end == self.rows.len()) {
            rank
        } else {
            self.rank_by_steps(key, rank)
        }
    }

    #[inline(never)]
    fn rank_by_steps(&self, key: (i32, u32), guess: usize) -> usize {
        let len = self.rows.len();
        let (mut end, mut step) = (guess.min(len), 1);
        let mut first;
        if end < len && self.is_before(end, key) {
            first = end + 1;
            while first + step <= len && self.is_before(first + step - 1, key) {
                first += step;
                step *= 2;
            }
            end = len.min(first + step - 1);
        } else {
            while step <= end && !self.is_before(end - step, key) {
                end -= step;
                step *= 2;
            }
            first = (end + 1).saturating_sub(step);
        }
        while first < end {
            let middle = first + (end - first) / 2;
            if self.is_before(middle, key) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }
}
