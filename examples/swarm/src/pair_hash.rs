//! A hash of an ordered list of pairs that can be made in parts and joined.
//!
//! A polynomial in an odd base, modulo 2^64, over well-mixed pairs: the hash of two lists one after
//! the other follows from the hashes and lengths of both. Workers hash the chunks they find, and the
//! result is that of the whole list, wherever it was cut.

/// Odd, so that no power of it loses bits (the golden ratio, as in Knuth's multiplicative hash).
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a list of pairs, and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairHash {
    value: u64,
    length: u64,
}

impl PairHash {
    /// Adds pairs at the end of the list; `meeting` tells the pairs of different categories apart.
    pub fn extend(&mut self, meeting: u64, pairs: &[[u32; 2]]) {
        let salt = mix(meeting);
        for &[a, b] in pairs {
            let pair = u64::from(a) << 32 | u64::from(b);
            self.value = self.value.wrapping_mul(BASE).wrapping_add(mix(pair ^ salt));
        }
        self.length += pairs.len() as u64;
    }

    /// Adds a whole list at the end of the list.
    pub fn append(&mut self, list: Self) {
        self.value = self
            .value
            .wrapping_mul(power(list.length))
            .wrapping_add(list.value);
        self.length += list.length;
    }

    /// Marks the end of a frame, so that the same pairs in another frame are another list.
    pub fn end_frame(&mut self) {
        let pairs = self.length.wrapping_add(1);
        self.value = mix(self.value.wrapping_add(pairs)).wrapping_mul(BASE);
    }

    /// The hash of the list.
    pub fn value(&self) -> u64 {
        self.value
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline(always)]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The base to a power, by squaring.
fn power(mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1_u64, BASE);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [[u32; 2]; 7] = [[0, 1], [0, 2], [5, 9], [1, 2], [3, 4], [0, 0], [7, 8]];

    fn hash(pairs: &[[u32; 2]]) -> PairHash {
        let mut hash = PairHash::default();
        hash.extend(3, pairs);
        hash
    }

    #[test]
    fn a_list_may_be_cut_anywhere() {
        for cut in 0..=PAIRS.len() {
            let mut joined = hash(&PAIRS[..cut]);
            joined.append(hash(&PAIRS[cut..]));
            assert_eq!(joined, hash(&PAIRS));
        }
    }

    #[test]
    fn order_sides_and_meetings_matter() {
        let whole = hash(&PAIRS);
        let mut swapped = PAIRS;
        swapped.swap(1, 2);
        assert_ne!(hash(&swapped), whole);
        swapped = PAIRS;
        swapped[2] = [9, 5];
        assert_ne!(hash(&swapped), whole);
        let mut other = PairHash::default();
        other.extend(4, &PAIRS);
        assert_ne!(other, whole);
    }

    #[test]
    fn frames_matter_even_when_empty() {
        let mut one = hash(&PAIRS);
        one.end_frame();
        let mut two = one;
        two.end_frame();
        assert_ne!(one, two);
        let mut empty = PairHash::default();
        empty.end_frame();
        assert_ne!(empty, PairHash::default());
    }
}
