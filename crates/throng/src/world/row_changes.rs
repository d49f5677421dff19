//! Which rows have come to rest, woken or changed while they rested, so that the index of those that rest can be mended.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_grid::{MovedRow, PointGrid};

use crate::world::ids::Row;

/// What has become of the rows of a category since its last index.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct RowChanges {
    /// Rows that may be in the index of those that rest and ought not to be, or the other way round, each once, and where that index
    /// has them, if it does.
    noted: Vec<MovedRow>,
    is_noted: FixedBitSet,
    /// The rows that are in that index.
    indexed: FixedBitSet,
    /// As many as can be noted before a build is faster than a mend; then no more are.
    most: usize,
    /// Whether there is an index, and these are all the changes since, but for those beyond `most`.
    are_all: bool,
    /// Whether anything has changed, in whatever way.
    are_any: bool,
    /// Whether an index is being built; it may never be finished, if the executor panics.
    is_building: bool,
}

impl RowChanges {
    /// Notes that some rows have moved that do not rest.
    #[inline]
    pub(crate) fn note_moves(&mut self) {
        self.are_any = true;
    }

    /// Notes that a row comes to rest, wakes, is about to change in another way than by a move, or to hold another proxy. `center` is
    /// where it was as of the last index, unless the row was noted before.
    pub(crate) fn note(&mut self, row: Row, center: [f32; 2]) {
        self.are_any = true;
        if !self.are_all || self.are_too_many() {
            return;
        }
        let at = row as usize;
        self.is_noted.grow(at + 1);
        if !self.is_noted.put(at) {
            let from = self.indexed.contains(at).then_some(center);
            self.noted.push(MovedRow { row, from });
        }
    }

    /// Notes that any rows may have changed.
    pub(crate) fn note_all(&mut self) {
        self.are_any = true;
        self.are_all = false;
    }

    fn are_too_many(&self) -> bool {
        self.noted.len() > self.most
    }

    /// Whether the last index was finished, and all changes since are known, but for those beyond `most`.
    pub(crate) fn are_all_known(&self) -> bool {
        self.are_all && !self.is_building
    }

    /// To be called before any index of the category is built.
    pub(crate) fn begin_index(&mut self) {
        self.is_building = true;
    }

    /// Whether there is an index, and nothing has changed since.
    pub(crate) fn are_none(&self) -> bool {
        self.are_all && !self.are_any
    }

    /// All changes to make to the index of those that rest, if they are known and not too many; what was noted but changes nothing there is dropped.
    /// `is_in` says whether it is to have a row.
    pub(crate) fn list(&mut self, is_in: impl Fn(Row) -> bool) -> Option<&[MovedRow]> {
        if !self.are_all || self.are_too_many() {
            return None;
        }
        let is_noted = &mut self.is_noted;
        self.noted.retain(|noted| {
            let counts = noted.from.is_some() || is_in(noted.row);
            is_noted.set(noted.row as usize, counts);
            counts
        });
        // Whoever wakes beside scenery is noted in the order of ids, which differ among machines that are to have the same orders.
        self.noted.sort_unstable_by_key(|noted| noted.row);
        Some(&self.noted)
    }

    /// To be called when the index of those that rest has been mended by what was listed.
    pub(crate) fn mended(&mut self, is_in: impl Fn(Row) -> bool) {
        for noted in &self.noted {
            let row = noted.row as usize;
            self.indexed.grow(row + 1);
            self.indexed.set(row, is_in(noted.row));
        }
    }

    /// To be called when the index of those that rest has been built from these rows of so many.
    pub(crate) fn built(&mut self, from: &[Row], rows: usize) {
        self.indexed.clear();
        self.indexed.grow(rows);
        from.iter()
            .for_each(|&row| self.indexed.insert(row as usize));
    }

    /// To be called when the index is up to date, of so many rows in all.
    pub(crate) fn restart(&mut self, rows: usize) {
        self.most = PointGrid::most_moved(rows);
        for noted in self.noted.drain(..) {
            self.is_noted.set(noted.row as usize, false);
        }
        (self.are_all, self.are_any, self.is_building) = (true, false, false);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let bits = [&self.is_noted, &self.indexed].map(|bits| size_of_val(bits.as_slice()));
        self.noted.capacity() * size_of::<MovedRow>() + bits.iter().sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_index_has_a_row_is_noted_once() {
        let mut changes = RowChanges::default();
        changes.note(3, [0.0; 2]);
        assert!(changes.list(|_| true).is_none(), "there is no index yet");
        changes.built(&[3, 5], 8);
        changes.restart(100);
        assert!(changes.are_none());

        changes.note(3, [1.0, 2.0]);
        changes.note(3, [7.0, 8.0]);
        changes.note(4, [3.0, 4.0]);
        changes.note(90, [5.0, 6.0]);
        assert!(!changes.are_none() && changes.are_all_known());
        let is_in = |row| row == 90;
        let [three, ninety] =
            [(3, Some([1.0, 2.0])), (90, None)].map(|(row, from)| MovedRow { row, from });
        assert_eq!(changes.list(is_in), Some(&[three, ninety][..]));
        changes.mended(is_in);
        changes.restart(100);

        changes.note(90, [5.0, 6.0]);
        changes.note(3, [1.0, 2.0]);
        let gone = MovedRow {
            row: 90,
            from: Some([5.0, 6.0]),
        };
        assert_eq!(changes.list(|_| false), Some(&[gone][..]));
        changes.restart(100);
        changes.note_moves();
        assert!(!changes.are_none());
        assert_eq!(changes.list(|_| false), Some(&[][..]));
        changes.note_all();
        assert!(changes.list(|_| false).is_none() && !changes.are_none());
        changes.restart(100);
        (0..1000).for_each(|row| changes.note(row, [0.0; 2]));
        assert!(changes.list(|_| true).is_none(), "a build is faster");
        assert!(changes.are_all_known() && changes.noted.len() < 50);
        changes.restart(100);
        assert_eq!(changes.list(|_| true), Some(&[][..]));
    }
}
