//! Scenery packed into bytes, loaded from them and unloaded.

use std::ffi::c_void;

use throng::{AlignedBytes, CategoryId, PackedQuadtree, Scenery, SceneryId, SharedBytes};

use crate::border::border;
use crate::pointers::{Buffer, Out, many, tell_if_wanted};
use crate::refusals::{Outcome, Refusal};
use crate::shapes::throng_aabb;
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

/// Packs boxes as scenery without a world, for tools that make levels: into the bytes that `throng_pack_scenery` gives for them. Row
/// `i` is `boxes[i]`. If one is not a box, nothing is packed: `THRONG_STATUS_BAD_BOX`, and the message says which, counted from 0.
///
/// To ask for the size first is to pack twice; `64 * box_count + 1024` bytes are always enough. On all threads of the pool that
/// worlds share.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_pack_boxes(
    boxes: *const throng_aabb,
    box_count: usize,
    bytes: *mut c_void,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    border(|| unsafe {
        let boxes = many(boxes, box_count, "boxes")?;
        let mut buffer = Buffer::new(bytes.cast::<u8>(), capacity, count, "bytes")?;
        let boxes = boxes.iter().enumerate().map(|(index, aabb)| {
            aabb.checked().map_err(|refusal| {
                let message = format!("number {index}: {}", refusal.message);
                Refusal::new(refusal.status, message)
            })
        });
        let boxes: Vec<_> = boxes.collect::<Outcome<_>>()?;
        let packed = Scenery::from_boxes(&boxes)
            .map_err(|error| Refusal::new(throng_status::Full, error.to_string()))?;
        buffer.push_all(packed.as_bytes());
        buffer.finish()
    })
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
            let packed = packed(bytes, count)?;
            let category = CategoryId::new(category);
            world.broadphase.load_scenery(category, &packed)?;
            Ok(())
        })
    }
}

/// Adds what was packed to a category of scenery, in new last rows, in the same order: a piece of a level that is streamed. The
/// bytes are copied. `scenery` gets the id by which `throng_unload_scenery` removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_add_scenery(
    world: *mut throng_world,
    category: u16,
    bytes: *const c_void,
    count: usize,
    scenery: *mut u64,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let scenery = Out::new(scenery, "scenery")?;
            let packed = packed(bytes, count)?;
            let category = CategoryId::new(category);
            let id = world.broadphase.add_scenery(category, &packed)?;
            scenery.write(id.to_bits());
            Ok(())
        })
    }
}

/// Removes every proxy that came with scenery and is still there; `removed`, which may be null, tells how many there were. To
/// follow the rows, remove its proxies one by one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_unload_scenery(
    world: *mut throng_world,
    scenery: u64,
    removed: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let scenery = SceneryId::from_bits(scenery);
            let left = world.broadphase.unload_scenery(scenery)?;
            tell_if_wanted(removed, left);
            Ok(())
        })
    }
}

/// The proxies that came with scenery, in the order of its rows. Those that were removed since are still listed, with
/// the ids that they had.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_scenery_proxies(
    world: *const throng_world,
    scenery: u64,
    ids: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let mut buffer = Buffer::new(ids, capacity, count, "ids")?;
            let scenery = SceneryId::from_bits(scenery);
            let proxies = world.broadphase.scenery_proxies(scenery)?;
            proxies.iter().for_each(|id| buffer.push(id.to_bits()));
            buffer.finish()
        })
    }
}

/// A tree from a copy of its bytes.
///
/// # Safety
///
/// The pointer is null, or good for `count` bytes.
unsafe fn packed(bytes: *const c_void, count: usize) -> Outcome<Scenery> {
    // SAFETY: as above.
    let bytes = unsafe { many(bytes.cast::<u8>(), count, "bytes")? };
    Ok(PackedQuadtree::from_bytes(SharedBytes::new(
        AlignedBytes::from(bytes),
    ))?)
}
