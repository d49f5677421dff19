//! Plain public data as bytes: what the feature `bytemuck` adds.
#![allow(
    unsafe_code,
    reason = "that a type is plain data is promised by an unsafe trait; each has its layout stated beside it"
)]

use bytemuck::{NoUninit, Pod, Zeroable};

use crate::{Aabb, Handle};

// SAFETY: `repr(C)`, four `f32` without padding; all zero is the box of one point.
unsafe impl Zeroable for Aabb {}
// SAFETY: as above, and `Aabb` is `Copy` and `'static`. Not `Pod`: not all bytes make a box.
unsafe impl NoUninit for Aabb {}

// SAFETY: `repr(C)`, two `u32` without padding; all zero is the handle that is never valid.
unsafe impl Zeroable for Handle {}
// SAFETY: as above, and any bits are a handle, as `Handle::from_bits` takes any.
unsafe impl Pod for Handle {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_values() {
        let aabb = Aabb::new([1.0, 2.0], [3.0, 4.0]).unwrap();
        let sides: &[f32] = bytemuck::cast_slice(std::slice::from_ref(&aabb));
        assert_eq!(sides, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(Aabb::zeroed(), Aabb::new([0.0; 2], [0.0; 2]).unwrap());
        let handle = Handle::from_bits(0x0012_3456_0000_0007);
        let words: [u32; 2] = bytemuck::cast(handle);
        assert_eq!(words, [7, 0x0012_3456]);
        assert_eq!(bytemuck::cast::<_, Handle>(words), handle);
    }
}
