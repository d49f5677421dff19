//! Scenery as a whole, packed into bytes and loaded from them.

use std::ffi::c_void;

use throng::{AlignedBytes, CategoryId, PackedQuadtree, SharedBytes};

use crate::pointers::{Buffer, many};
use crate::status::throng_status;
use crate::world::{change, read, throng_world};

/// Everything in a category of scenery as bytes, to be written to a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_pack_scenery(
    world: *const throng_world,
    category: u16,
    bytes: *mut c_void,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let mut buffer = Buffer::new(bytes.cast::<u8>(), capacity, count, "bytes")?;
            let packed = world.broadphase.pack_scenery(CategoryId::new(category))?;
            buffer.push_all(packed.as_bytes());
            buffer.finish()
        })
    }
}

/// Replaces everything in a category of scenery with what was packed, in the same order of rows. The bytes are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_load_scenery(
    world: *mut throng_world,
    category: u16,
    bytes: *const c_void,
    count: usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let bytes = AlignedBytes::from(many(bytes.cast::<u8>(), count, "bytes")?);
            let packed = PackedQuadtree::from_bytes(SharedBytes::new(bytes))?;
            Ok(world
                .broadphase
                .load_scenery(CategoryId::new(category), &packed)?)
        })
    }
}
