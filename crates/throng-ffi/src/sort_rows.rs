//! The rows of a category in another order.

use throng::RowOrder;

use crate::pointers::{Buffer, Out};
use crate::refusals::Refusal;
use crate::shapes::no_such;
use crate::status::throng_status;
use crate::world::{change, read, throng_world};

/// In which order rows are put.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum throng_row_order {
    /// What is near each other in the world comes near each other in memory.
    Space = 0,
    /// By key, lowest first; no two may be equal.
    Key = 1,
}

/// Puts the rows of a category into another order, a `throng_row_order`, and tells from where each came: what is in row `i` now
/// was in row `old_rows[i]`. The engine's own arrays can follow. If there is not room for all rows, nothing is sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_sort_rows(
    world: *mut throng_world,
    category: u16,
    order: u32,
    old_rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    const SPACE: u32 = throng_row_order::Space as u32;
    const KEY: u32 = throng_row_order::Key as u32;
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let category = world.known(category)?;
            let mut buffer = Buffer::new(old_rows, capacity, count, "old_rows")?;
            let order = match order {
                SPACE => RowOrder::Space,
                KEY => RowOrder::Key,
                other => return Err(no_such("order of rows", other)),
            };
            let rows = world.broadphase.rows(category);
            if capacity < rows {
                Out::new(count, "count")?.write(rows);
                let message = format!(
                    "there are {rows} rows, and the buffer has room for {capacity}: none is sorted"
                );
                return Err(Refusal::new(throng_status::BufferTooSmall, message));
            }
            let sorted = world.broadphase.sort_rows(category, order)?;
            buffer.push_all(sorted.old_rows());
            buffer.finish()
        })
    }
}

/// Whether it pays to sort the rows of a category by space now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_is_sort_due(
    world: *const throng_world,
    category: u16,
    due: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let category = world.known(category)?;
            Out::new(due, "due")?.write(world.broadphase.is_sort_due(category));
            Ok(())
        })
    }
}

/// Makes the next index of a category depend on its rows alone, so that the order of pairs does not depend on the steps before:
/// for machines that must agree although they have not taken the same steps. A copy of a world needs none of this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_forget_history(
    world: *mut throng_world,
    category: u16,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            let category = world.known(category)?;
            Ok(world.broadphase.forget_history(category)?)
        })
    }
}

/// Frees unused memory and what the last step has left: its outputs and listed pairs are gone. Pointers to its events become invalid;
/// ask for the events again. So do those to what the last write of boxes did.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_shrink_to_fit(world: *mut throng_world) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            world.broadphase.shrink_to_fit();
            world.events.shrink_to_fit();
            world.aabb_fill.forget();
            Ok(())
        })
    }
}
