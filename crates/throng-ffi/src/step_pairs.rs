//! One frame, with all pairs in the caller's buffer.

use throng::{CollectPairs, PairList};

use crate::pointers::Buffer;
use crate::refusals::Outcome;
use crate::shapes::number_of;
use crate::status::throng_status;
use crate::world::{State, change, read, throng_world};

/// Two proxies whose boxes overlap: the lower category first, or within a category the lower row.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct throng_pair {
    /// The row of each, in its category.
    pub rows: [u32; 2],
    /// The category of each.
    pub categories: [u16; 2],
}

impl State {
    /// All pairs of the last step that overlap, or all that are predicted.
    fn copy_pairs(&self, predicted: bool, mut buffer: Buffer<'_, throng_pair>) -> Outcome {
        let lists = self.broadphase.last_outputs::<PairList>();
        for list in lists.filter(|list| list.is_predicted() == predicted) {
            let categories = list.categories().unwrap_or_default().map(number_of);
            list.pairs()
                .iter()
                .for_each(|&rows| buffer.push(throng_pair { rows, categories }));
        }
        buffer.finish()
    }
}

/// Runs one frame, and writes all pairs whose boxes overlap, each once; the same ones in the same order on any number of
/// threads. If there are more than the buffer has room for, nothing is lost: all are kept for `throng_last_pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_step_pairs(
    world: *mut throng_world,
    pairs: *mut throng_pair,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let buffer = Buffer::new(pairs, capacity, count, "pairs")?;
            world.step(&CollectPairs);
            world.copy_pairs(false, buffer)
        })
    }
}

/// The pairs of the last `throng_step_pairs`, once more: none if another kind of step, `throng_shrink_to_fit` or `throng_world_copy_from` has followed. Their
/// rows are those of the step. Predicted ones are in `throng_last_predicted_pairs`, those of two that rest in `throng_resting_pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_last_pairs(
    world: *const throng_world,
    pairs: *mut throng_pair,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            world.copy_pairs(false, Buffer::new(pairs, capacity, count, "pairs")?)
        })
    }
}

/// The predicted pairs of the last `throng_step_pairs`: those that do not overlap, but would with the margins of their categories
/// or on their ways. Each once, in the same order on any number of threads; none if another kind of step, `throng_shrink_to_fit` or `throng_world_copy_from`
/// has followed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_last_predicted_pairs(
    world: *const throng_world,
    pairs: *mut throng_pair,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            world.copy_pairs(true, Buffer::new(pairs, capacity, count, "pairs")?)
        })
    }
}
