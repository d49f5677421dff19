//! Hash maps by numbers of our own: rows, slots of the pool, ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by an index of our own: a row, or a slot of the pool.
pub(crate) type IndexMap<V> = HashMap<u32, V, IndexHashing>;

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
