//! What a structure of boxes is built from.

use fixedbitset::FixedBitSet;

use crate::aabb::{Aabb, is_box};
use crate::aabb_error::AabbError;

/// Columns of boxes, one element per row: the sides as they are compared. Borrowed for one build only.
///
/// Sides rather than centers and extents, because a side that is not stored has to be computed, and what is computed
/// is rounded.
///
/// ```
/// use throng_core::Boxes;
///
/// let boxes = Boxes::new([&[0.0, 5.0], &[0.0, 5.0]], [&[1.0, 4.0], &[1.0, 6.0]])?;
/// assert!(boxes.is_sound(0));
/// assert!(!boxes.is_sound(1), "inverted in x");
/// # Ok::<(), throng_core::ColumnsDiffer>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    min: [&'a [f32]; 2],
    max: [&'a [f32]; 2],
    absent: Option<&'a FixedBitSet>,
}

/// Columns that should have the same length and do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the four columns of boxes must have the same length, but min has {min:?} (x, y) and max has {max:?}"
)]
pub struct ColumnsDiffer {
    /// Lengths of the columns of lower sides: x, y.
    pub min: [usize; 2],
    /// Lengths of the columns of upper sides: x, y.
    pub max: [usize; 2],
}

impl<'a> Boxes<'a> {
    /// All rows of four columns: lower sides along x and y, upper sides along x and y.
    ///
    /// # Errors
    ///
    /// If their lengths differ. The values are not looked at: refusing a row that is not a valid box is up to the
    /// structure; see [`is_sound`](Self::is_sound).
    pub fn new(min: [&'a [f32]; 2], max: [&'a [f32]; 2]) -> Result<Self, ColumnsDiffer> {
        let lengths = ColumnsDiffer {
            min: min.map(<[f32]>::len),
            max: max.map(<[f32]>::len),
        };
        let one = lengths.min[0];
        if [lengths.min[1], lengths.max[0], lengths.max[1]] != [one; 3] {
            return Err(lengths);
        }
        Ok(Self {
            min,
            max,
            absent: None,
        })
    }

    /// The same rows without those whose bit is set, which are called absent. Rows beyond the set's length are
    /// present.
    #[must_use]
    pub fn without(self, absent: &'a FixedBitSet) -> Self {
        Self {
            absent: Some(absent),
            ..self
        }
    }

    /// How many rows there are, absent ones included.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.min[0].len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns: lower sides along x and y, upper sides along x and y. All have the same length.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> [&'a [f32]; 4] {
        [self.min[0], self.min[1], self.max[0], self.max[1]]
    }

    /// Which rows are left out, if any are.
    #[must_use]
    pub fn absent(&self) -> Option<&'a FixedBitSet> {
        self.absent
    }

    /// Whether the row takes part: it is not marked absent. Its values are not looked at.
    #[inline]
    #[must_use]
    pub fn is_present(&self, row: usize) -> bool {
        self.absent.is_none_or(|absent| !absent.contains(row))
    }

    /// The lower and the upper corner of a row, whether or not they make a valid box.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn corners(&self, row: usize) -> [[f32; 2]; 2] {
        [
            [self.min[0][row], self.min[1][row]],
            [self.max[0][row], self.max[1][row]],
        ]
    }

    /// Whether the row's corners make a valid box, absent or not: exactly when [`get`](Self::get) returns one.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn is_sound(&self, row: usize) -> bool {
        let [min, max] = self.corners(row);
        is_box(min, max)
    }

    /// A row's box, absent or not.
    ///
    /// # Errors
    ///
    /// As [`Aabb::new`].
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn get(&self, row: usize) -> Result<Aabb, AabbError> {
        let [min, max] = self.corners(row);
        Aabb::new(min, max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side() -> BoxedStrategy<f32> {
        prop_oneof![
            4 => (-3_i32..3).prop_map(|k| k as f32),
            1 => Just(f32::NAN),
            1 => Just(f32::INFINITY),
            1 => Just(f32::NEG_INFINITY),
            2 => any::<u32>().prop_map(f32::from_bits),
        ]
        .boxed()
    }

    proptest! {
        #[test]
        fn sound_is_what_a_box_accepts(x0 in side(), y0 in side(), x1 in side(), y1 in side()) {
            let sides = [[x0], [y0], [x1], [y1]];
            let boxes = Boxes::new([&sides[0], &sides[1]], [&sides[2], &sides[3]]).unwrap();
            prop_assert_eq!(boxes.is_sound(0), boxes.get(0).is_ok());
            if let Ok(aabb) = boxes.get(0) {
                prop_assert_eq!([aabb.min(), aabb.max()], boxes.corners(0));
            }
        }
    }

    #[test]
    fn no_boxes_are_empty() {
        let one = [0.0];
        assert!(!Boxes::new([&one; 2], [&one; 2]).unwrap().is_empty());
        assert!(Boxes::new([&[]; 2], [&[]; 2]).unwrap().is_empty());
    }

    #[test]
    fn columns_are_those_given_lower_sides_first() {
        let sides = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]];
        let [min_x, min_y, max_x, max_y] = sides.each_ref().map(|side| &side[..]);
        let boxes = Boxes::new([min_x, min_y], [max_x, max_y]).unwrap();
        assert_eq!(boxes.columns(), sides);
    }

    #[test]
    fn columns_that_differ_are_refused_with_their_lengths() {
        let three = [0.0_f32; 3];
        for odd in 0..4 {
            let mut columns = [&three[..]; 4];
            columns[odd] = &three[..2];
            let error = Boxes::new([columns[0], columns[1]], [columns[2], columns[3]]).unwrap_err();
            let lengths = [error.min[0], error.min[1], error.max[0], error.max[1]];
            assert_eq!(lengths.iter().sum::<usize>(), 11, "{error}");
            assert_eq!(lengths[odd], 2, "{error}");
        }
    }

    #[test]
    fn rows_are_present_unless_their_bit_is_set() {
        let column = [0.0_f32; 4];
        let mut absent = FixedBitSet::with_capacity(3);
        absent.insert(1);
        let boxes = Boxes::new([&column; 2], [&column; 2]).unwrap();
        assert!((0..4).all(|row| boxes.is_present(row)));
        let boxes = boxes.without(&absent);
        assert_eq!(
            [0, 1, 2, 3].map(|row| boxes.is_present(row)),
            [true, false, true, true]
        );
    }
}
