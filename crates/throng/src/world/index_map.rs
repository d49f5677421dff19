//! A hash map by row or by slot.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by an index of our own: a row, or a slot of the pool.
pub(crate) type IndexMap<V> = HashMap<u32, V, BuildHasherDefault<IndexHasher>>;

/// Hashes an index by one multiplication (Knuth's multiplicative hashing). Indices come from our own columns and slots, so
/// nobody can choose them to collide.
#[derive(Default)]
pub(crate) struct IndexHasher(u64);

impl Hasher for IndexHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, index: u32) {
        // The table takes its bucket from the low bits and its tag from the high ones, so fold the product.
        let product = (self.0 ^ u64::from(index)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
