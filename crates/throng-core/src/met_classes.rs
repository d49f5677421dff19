//! Which classes of masks meet, as a table that fits registers.

use crate::mask_words::MaskWords;

/// Which classes of one side meet which of another, if neither has more than [`MOST`](Self::MOST).
///
/// With it, masks are looked up by class, thirty-two words in registers, instead of by row, in memory.
///
/// ```
/// use throng_core::{MaskWords, MetClasses};
///
/// let team = |bit: u32| MaskWords { memberships: 1 << bit, filter: !(1 << bit) };
/// let teams: Vec<_> = (0..4).map(team).collect();
/// let met = MetClasses::of([&teams, &teams[..2]]).unwrap();
/// assert!(met.meets(3, 1) && !met.meets(1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct MetClasses([u32; Self::MOST]);

impl MetClasses {
    /// The most classes of a side.
    pub const MOST: usize = 32;

    /// No class meets any.
    pub const NONE: Self = Self([0; Self::MOST]);

    /// Who meets whom according to the words of each class on either side; `None` if there are too many.
    #[must_use]
    pub fn of([left, right]: [&[MaskWords]; 2]) -> Option<Self> {
        if left.len().max(right.len()) > Self::MOST {
            return None;
        }
        let mut met = Self::NONE;
        for (met, one) in met.0.iter_mut().zip(left) {
            for (class, other) in right.iter().enumerate() {
                *met |= u32::from(one.meets(*other)) << class;
            }
        }
        Some(met)
    }

    /// Whether a class on the left meets one on the right. None beyond those that there are meets any.
    #[must_use]
    pub fn meets(&self, left: usize, right: usize) -> bool {
        let met = self.0.get(left).copied().unwrap_or(0);
        right < Self::MOST && met >> right & 1 == 1
    }

    /// For each class on the left, a bit for each on the right that it meets.
    #[must_use]
    pub fn words(&self) -> &[u32; Self::MOST] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_words_say_up_to_the_most_classes() {
        let words = |count: u32| -> Vec<MaskWords> {
            let of = |k: u32| MaskWords {
                memberships: k.wrapping_mul(0x9e37_79b9),
                filter: k.wrapping_mul(0x85eb_ca6b) & 0x1111_1111,
            };
            (0..count).map(of).collect()
        };
        let (all, few) = (words(32), words(7));
        for [left, right] in [[&all, &all], [&few, &all], [&all, &few]] {
            let met = MetClasses::of([left, right]).unwrap();
            for a in 0..40 {
                for b in 0..40 {
                    let both = left.get(a).zip(right.get(b));
                    let expected = both.is_some_and(|(a, b)| a.meets(*b));
                    assert_eq!(met.meets(a, b), expected, "{a} and {b}");
                }
            }
        }
        let many = words(33);
        assert!(MetClasses::of([&many, &few]).is_none());
        assert!(MetClasses::of([&few, &many]).is_none());
    }
}
