//! What a record says of its row: the row's number and, below it, perhaps a class of masks.
//!
//! The numbers of rows leave some bits of their word unused. A class there comes with the record for nothing: the partition
//! reads the column of classes from front to back, as it reads all columns. A search that looked classes up by row would
//! read that column in the order of space, and wait for it.
//!
//! The class is in the lower bits, so that words compare as rows do, and tables in registers, which go by the lower bits of
//! what is looked up, can be asked with words as they are.

use crate::RowClasses;
use std::ops::Range;
use throng_core::MetClasses;

/// How the word of a record is divided. Everything that hands out rows takes the class off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowWord {
    /// How many bits the class takes; none if there is no class.
    pub shift: u32,
    /// The class that is stored as 0, if there is room for one, whether it is stored or not: an index with other classes has to be
    /// built, and whether it is must not depend on the instruction set.
    first: Option<usize>,
}

/// How many bits classes can take: as many as [`MetClasses`] tells apart.
const SHIFT: u32 = MetClasses::MOST.trailing_zeros();

impl RowWord {
    /// The number alone.
    pub const PLAIN: Self = Self {
        shift: 0,
        first: None,
    };

    /// With a class, if there are few enough of them, and room for one beside the number of each row; otherwise the number
    /// alone.
    pub fn with_classes(rows: usize, classes: &RowClasses<'_>) -> Self {
        let Range { start, end } = classes.in_use;
        let fits = rows <= 1 << (u32::BITS - SHIFT) && end.saturating_sub(start) <= 1 << SHIFT;
        if fits {
            Self {
                shift: SHIFT,
                first: Some(start),
            }
        } else {
            Self::PLAIN
        }
    }

    /// The number alone where a class would have room beside it.
    pub fn without_class(self) -> Self {
        Self { shift: 0, ..self }
    }

    /// Whether no class is stored.
    #[inline(always)]
    pub fn is_plain(self) -> bool {
        self.shift == 0
    }

    /// The class that is stored as 0.
    #[inline(always)]
    pub fn first(self) -> usize {
        self.first.unwrap_or(0)
    }

    /// Whether there is room for this many rows beside a class, if there was one when the index was built.
    pub fn has_room_for(self, rows: usize) -> bool {
        let shift = self.first.map_or(0, |_| SHIFT);
        (rows as u64) << shift <= 1 << u32::BITS
    }

    /// The word of a row. If words are plain, the class is ignored.
    #[inline(always)]
    pub fn word(self, row: u32, class: u16) -> u32 {
        let most = (1 << self.shift) - 1;
        row << self.shift | u32::from(class.wrapping_sub(self.first() as u16)) & most
    }

    /// The row that a word names.
    #[inline(always)]
    pub fn row(self, word: u32) -> u32 {
        word >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(rows: usize, in_use: Range<usize>) -> RowWord {
        let classes = RowClasses {
            of_rows: &[],
            in_use,
        };
        RowWord::with_classes(rows, &classes)
    }

    #[test]
    fn classes_are_carried_while_there_is_room_beside_the_rows() {
        let most_rows = 1 << 27;
        for rows in [0, 1, most_rows - 1, most_rows] {
            for in_use in [0..0, 0..1, 0..32, 1..33, 65_504..65_536] {
                let words = with(rows, in_use.clone());
                assert!(!words.is_plain(), "{rows} rows of {in_use:?}");
                for row in [0, 1, rows.saturating_sub(1) as u32] {
                    for class in [in_use.start, in_use.end.saturating_sub(1)] {
                        let word = words.word(row, class as u16);
                        assert_eq!(words.row(word), row);
                        assert_eq!((word & 31) as usize, class - in_use.start);
                    }
                }
            }
            assert!(with(rows, 0..33).is_plain() && with(rows, 7..40).is_plain());
        }
        assert!(with(most_rows + 1, 0..1).is_plain());
        assert_eq!(RowWord::PLAIN.row(u32::MAX), u32::MAX);
    }

    #[test]
    fn what_is_not_stored_makes_an_index_as_different_as_what_is() {
        let words = [with(9, 0..3), with(9, 1..3), with(9, 0..40)];
        for a in words {
            for b in words {
                assert_eq!(a == b, a.without_class() == b.without_class());
            }
            let most = if a.is_plain() { 1 << 32 } else { 1 << 27 };
            for word in [a, a.without_class()] {
                assert!(word.has_room_for(most) && !word.has_room_for(most + 1));
            }
            let plain = a.without_class();
            assert!(plain.is_plain() && plain.word(7, 2) == 7 && plain.row(7) == 7);
        }
    }

    #[test]
    fn words_ascend_as_rows_do_and_a_wrong_class_changes_no_row() {
        let words = with(1000, 5..37);
        assert!(words.word(6, 36) < words.word(7, 5));
        for class in [0, 4, 37, 65_535] {
            assert_eq!(words.row(words.word(999, class)), 999);
        }
    }
}
