//! Where a few numbers are among many that are in no order.

use crate::lanes::{Kernel, Lanes, Simd};
use std::ops::Range;

/// How many words are compared before it is asked whether one is sought.
const AT_ONCE: usize = 64;

impl Simd {
    /// Calls `note` with the place of each word for which `word >> shift` is in `sought`. Places come in ascending order. `sought` must
    /// ascend, and `shift` be less than 32.
    ///
    /// O(words · sought), as many at a time as a vector holds: for a few sought it is faster than to look each word up in a set.
    ///
    /// ```
    /// use throng_core::Simd;
    ///
    /// let mut places = Vec::new();
    /// Simd::new(None)?.find_words(&[5, 9, 2, 9, 7], 0, &[2, 9], &mut |place| places.push(place));
    /// assert_eq!(places, [1, 2, 3]);
    /// # Ok::<(), throng_core::SimdUnavailable>(())
    /// ```
    pub fn find_words(
        self,
        words: &[u32],
        shift: u32,
        sought: &[u32],
        note: &mut dyn FnMut(usize),
    ) {
        self.run(FindWords {
            words,
            shift,
            sought,
            note,
        });
    }
}

struct FindWords<'a> {
    words: &'a [u32],
    shift: u32,
    sought: &'a [u32],
    note: &'a mut dyn FnMut(usize),
}

impl Kernel for FindWords<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let Self {
            words,
            shift,
            sought,
            note,
        } = self;
        let (groups, rest) = words.as_chunks::<AT_ONCE>();
        for (group, own) in groups.iter().enumerate() {
            let mut found = [0_u32; AT_ONCE];
            for one in sought {
                // Without a branch, in vectors.
                for lane in 0..AT_ONCE {
                    found[lane] |= u32::from(own[lane] >> shift == *one);
                }
            }
            let mut any = 0;
            for found in found {
                any |= found;
            }
            if any > 0 {
                let first = group * AT_ONCE;
                note_those(words, first..first + AT_ONCE, shift, sought, note);
            }
        }
        let places = words.len() - rest.len()..words.len();
        note_those(words, places, shift, sought, note);
    }
}

fn note_those(
    words: &[u32],
    places: Range<usize>,
    shift: u32,
    sought: &[u32],
    note: &mut dyn FnMut(usize),
) {
    for place in places {
        if sought.binary_search(&(words[place] >> shift)).is_ok() {
            note(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_that_are_sought_are_found(
            words in prop::collection::vec(0..200_u32, 0..400), shift in 0..3_u32,
            sought in prop::collection::btree_set(0..100_u32, 0..20),
        ) {
            let sought: Vec<u32> = sought.into_iter().collect();
            let is_sought = |place: &usize| sought.contains(&(words[*place] >> shift));
            let expected: Vec<usize> = (0..words.len()).filter(is_sought).collect();
            for &level in SimdLevel::available() {
                let simd = Simd::new(Some(level)).unwrap();
                let mut found = Vec::new();
                simd.find_words(&words, shift, &sought, &mut |place| found.push(place));
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
