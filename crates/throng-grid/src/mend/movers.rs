//! What has become of a mover: where the index has it, and what the columns say.

use super::{Columns, Mend, MovedRow};
use crate::layout::Place;
use crate::leaf::leaf_at;
use crate::partition::EXACT_WORDS;
use throng_core::prefetch_for_reading;

/// This many movers are looked up before the first of them is handled, which gives what is prefetched for them time to
/// arrive.
pub(super) const GROUP: usize = 16;

/// A mover, looked up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mover {
    pub row: u32,
    pub from: Option<Origin>,
    pub now: Now,
}

/// Where the index has a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub center: [f32; 2],
    pub place: Place,
    pub leaf: u32,
    /// Where it may be in its leaf.
    pub guess: u32,
}

/// What the columns say of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Now {
    #[default]
    Absent,
    Rejected,
    Present {
        place: Place,
        record: [u32; EXACT_WORDS],
    },
}

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// Looks up a group of movers and prefetches where they probably are, and the columns of those that come next. Nothing if
    /// one comes from where there are no rows.
    #[inline(always)]
    pub(super) fn look_up(&self, group: &[MovedRow], next: &[MovedRow]) -> Option<[Mover; GROUP]> {
        for mover in next {
            self.prefetch_columns(mover.row as usize);
        }
        let mut movers = [Mover::default(); GROUP];
        for (looked_up, &MovedRow { row, from }) in movers.iter_mut().zip(group) {
            let from = match from {
                Some(center) => Some(self.origin(center)?),
                None => None,
            };
            let now = self.now(row);
            *looked_up = Mover { row, from, now };
        }
        Some(movers)
    }

    #[inline(always)]
    fn prefetch_columns(&self, row: usize) {
        let columns = &self.columns;
        let (x, y) = (columns.points.xs.get(row), columns.points.ys.get(row));
        let own = columns.points.half_extents.and_then(|own| own.get(row));
        if let (Some(x), Some(y)) = (x, y) {
            prefetch_for_reading(x);
            prefetch_for_reading(y);
        }
        if let Some(own) = own {
            prefetch_for_reading(own);
        }
        if let Some(class) = columns.classes.get(row) {
            prefetch_for_reading(class);
        }
    }

    #[inline(always)]
    fn origin(&self, center: [f32; 2]) -> Option<Origin> {
        let place = self.layout.place(center[0], center[1]);
        let leaf = leaf_at(self.strips, self.leaves, place)?;
        let guess = self.leaves[leaf].guess(center[0]);
        self.leaves[leaf].prefetch(self.words, guess);
        Some(Origin {
            center,
            place,
            leaf: leaf as u32,
            guess,
        })
    }

    #[inline(always)]
    pub(super) fn now(&self, row: u32) -> Now {
        let Columns {
            row_word, classes, ..
        } = &self.columns;
        let class = if row_word.is_plain() {
            None
        } else {
            classes.get(row as usize)
        };
        self.now_in_class(row, class.copied().unwrap_or(0))
    }

    /// The same, if it has this class.
    #[inline(always)]
    pub(super) fn now_in_class(&self, row: u32, class: u16) -> Now {
        let (at, columns) = (row as usize, &self.columns);
        let points = &columns.points;
        if at >= points.xs.len() || !points.is_present(at) {
            return Now::Absent;
        }
        if !points.is_sound(at, columns.bound) {
            return Now::Rejected;
        }
        let [x, y] = [points.xs[at], points.ys[at]];
        let own = points.half_extents.map_or([0.0; 2], |own| own[at]);
        let word = columns.row_word.word(row, class);
        Now::Present {
            place: self.layout.place(x, y),
            record: [
                x.to_bits(),
                y.to_bits(),
                word,
                own[0].to_bits(),
                own[1].to_bits(),
            ],
        }
    }
}
