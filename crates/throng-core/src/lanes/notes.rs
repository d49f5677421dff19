//! Lanes noted as bytes, side by side: what [`Hits`](super::Hits) keeps where no instruction moves words to the front.
//!
//! A lane and a shift are below sixteen each, so a byte has room for both. Eight bytes are one word of the processor's general
//! registers, and the numbers of the lanes in any set of eight are looked up in a table of 2 KiB; a shift is added to all eight at
//! once. Vectors have nothing to do with it, and are free for the comparisons. Whole steps of 20,000 to a million rows take 0.96 to 1.0
//! of the time that they took when notes were words, moved to the front in vectors, with AVX2, and 0.84 to 0.89 in portable code (Intel
//! Xeon, 2026-11-30). AVX-512 has an instruction that moves words; bytes from a table took 1.03 times as long there, and bytes moved by
//! its newer instruction for those (VBMI2), four groups at a time, as long as words.

use super::LANES;

/// How many lanes are looked up together.
pub(super) const HALF: usize = LANES / 2;

/// For each set of eight lanes: their numbers, ascending, and zeros behind them. Used as a permutation, they move the lanes of the set to
/// the front.
pub(super) static NUMBERS_OF: [[u8; HALF]; 256] = numbers_of_each();

const fn numbers_of_each() -> [[u8; HALF]; 256] {
    let mut table = [[0; HALF]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut kept) = (0, 0);
        while lane < HALF {
            if set >> lane & 1 == 1 {
                table[set][kept] = lane as u8;
                kept += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

/// One in each byte.
const EACH: u64 = u64::from_le_bytes([1; HALF]);

/// Notes the lanes of two sets, of the lower and of the upper eight, side by side: the lane in the lower four bits of each byte, the
/// shift in the upper. Writes anything behind them. Returns how many there are.
#[inline(always)]
pub(super) fn note_bytes(to: &mut [u8; LANES], [low, high]: [u8; 2], shift: usize) -> usize {
    let first = low.count_ones() as usize;
    let shifted = (shift as u64 & 15) * (EACH << 4);
    write(to, 0, low, shifted);
    write(to, first, high, shifted + EACH * HALF as u64);
    first + high.count_ones() as usize
}

/// The lower and the upper eight lanes of a set.
#[inline(always)]
pub(super) fn halves(set: u32) -> [u8; 2] {
    [set as u8, (set >> HALF) as u8]
}

#[inline(always)]
fn write(to: &mut [u8; LANES], at: usize, set: u8, add: u64) {
    let to = to[at..].first_chunk_mut();
    let numbers = u64::from_le_bytes(NUMBERS_OF[set as usize]);
    *to.expect("at most eight are in the other half") = (numbers + add).to_le_bytes();
}
