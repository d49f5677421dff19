//! Hash maps by numbers of our own: rows, slots of the pool, ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by an index of our own: a row, or a slot of the pool.
pub(crate) type IndexMap<V> = HashMap<u32, V, IndexHashing>;

/// Empties a table that keeps its memory. Clearing takes as long as the table has capacity, which may be large, so it is done only if
/// there is anything in it.
pub(crate) fn clear_table<K, V>(table: &mut HashMap<K, V, IndexHashing>) {
    if !table.is_empty() {
        table.clear();
    }
}

/// The bytes of a table with room for so many entries: one more for each than the entry itself.
pub(crate) const fn table_bytes<E>(capacity: usize) -> usize {
    capacity * (size_of::<E>() + 1)
}

/// Where a number goes, among so many places, a power of two: numbers in a row are spread evenly (Fibonacci hashing).
#[inline]
pub(crate) fn somewhere(number: u64, places: usize) -> usize {
    let bits = places.trailing_zeros();
    let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Not in one shift: for a single place it would be one by all 64 bits.
    (hash >> 1 >> (63 - bits)) as usize
}

/// The same for two numbers, in this order.
#[inline]
pub(crate) fn pair_somewhere([a, b]: [u32; 2], places: usize) -> usize {
    somewhere(u64::from(a) << 32 | u64::from(b), places)
}

/// Makes a hasher for each number.
pub(crate) type IndexHashing = BuildHasherDefault<IndexHasher>;

/// Hashes an index, or the bits of an id or two, by one multiplication each (Knuth's multiplicative hashing). They come from
/// our own columns and pool, so nobody can choose them to collide.
#[derive(Default)]
pub(crate) struct IndexHasher(u64);

impl Hasher for IndexHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, index: u32) {
        self.write_u64(u64::from(index));
    }

    fn write_u64(&mut self, word: u64) {
        // The table takes its bucket from the low bits and its tag from the high ones, so fold the product.
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}
