//! Plain public data as bytes: what the feature `bytemuck` adds.
#![allow(
    unsafe_code,
    reason = "that a type is plain data is promised by an unsafe trait; each has its layout stated beside it"
)]

use bytemuck::{Pod, Zeroable};

use crate::{CategoryId, Circle, ProxyId};

// SAFETY: `repr(transparent)` over a `Handle`, which is `Zeroable`.
unsafe impl Zeroable for ProxyId {}
// SAFETY: `repr(transparent)` over a `Handle`, which is `Pod`; any bits are an id, as `ProxyId::from_bits` takes any.
unsafe impl Pod for ProxyId {}

// SAFETY: `repr(transparent)` over a `u16`.
unsafe impl Zeroable for CategoryId {}
// SAFETY: `repr(transparent)` over a `u16`; any bits are the id of some category, which a world need not have.
unsafe impl Pod for CategoryId {}

// SAFETY: `repr(C)`, three `f32` without padding.
unsafe impl Zeroable for Circle {}
// SAFETY: as above; a query refuses circles that are none.
unsafe impl Pod for Circle {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_values() {
        let id = ProxyId::from_bits(0x0012_3456_0000_0007);
        let words: [u32; 2] = bytemuck::cast(id);
        assert_eq!((words[0], bytemuck::cast::<_, ProxyId>(words)), (7, id));
        let circles = [Circle {
            center: [1.0, 2.0],
            radius: 3.0,
        }; 2];
        let floats: &[f32] = bytemuck::cast_slice(&circles);
        assert_eq!(floats, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
        assert_eq!(bytemuck::cast::<_, CategoryId>(9_u16), CategoryId::new(9));
    }
}
