//! A batch of pairs, as the callback of a step gets it.

use std::ffi::c_void;

use throng::{PairBatch, ProxyId};

use crate::border::border;
use crate::pointers::{Buffer, Out, one};
use crate::refusals::{Outcome, Refusal};
use crate::shapes::{number_of, throng_aabb, throng_masks};
use crate::status::throng_status;

/// What stands for a slot that a pair does not have.
pub const THRONG_NO_SLOT: u32 = u32::MAX;
const _: () = assert!(THRONG_NO_SLOT == throng::NO_SLOT);

/// Some pairs of two categories, or of one: their boxes overlap, unless they are predicted, and each pair comes once. Everything in it is good until the
/// callback returns.
#[repr(C)]
pub struct throng_pair_batch {
    /// The first row of each pair is of the first, the second row of the second.
    pub categories: [u16; 2],
    /// Whether these pairs do not overlap yet, but would with their margins, or on the ways that their velocities take them. Batches
    /// of such pairs come after all others in the outputs, though they may be called back earlier.
    pub predicted: bool,
    /// How many pairs there are; never 0.
    pub count: usize,
    /// Two rows each.
    pub pairs: *const [u32; 2],
    /// The centers of all rows of each side: along x.
    pub xs: [*const f32; 2],
    /// The same along y.
    pub ys: [*const f32; 2],
    /// The library's own.
    pub batch: *const c_void,
    /// The keys of all rows of each side; null until one is set that is not 0.
    pub keys: [*const u64; 2],
    /// The slot of each pair, as `throng_batch_slot` tells it. Null if slots are off, if the pairs have no events, or if they are
    /// predicted; `throng_batch_slot` tells what slots there are all the same.
    pub slots: *const u32,
}

impl throng_pair_batch {
    pub(crate) fn of(batch: &PairBatch<'_>) -> Self {
        let columns = [0, 1].map(|side| batch.centers(side));
        Self {
            categories: batch.categories().map(number_of),
            predicted: batch.is_predicted(),
            count: batch.pairs().len(),
            pairs: batch.pairs().as_ptr(),
            xs: columns.map(|[xs, _]| xs.as_ptr()),
            ys: columns.map(|[_, ys]| ys.as_ptr()),
            batch: (&raw const *batch).cast(),
            keys: [0, 1].map(|side| first_of(batch.row_keys(side))),
            slots: first_of(batch.slot_list()),
        }
    }
}

/// The first of some values, or null.
fn first_of<T>(values: Option<&[T]>) -> *const T {
    values.map_or(std::ptr::null(), <[T]>::as_ptr)
}

/// Looks something up about a pair of a batch.
///
/// # Safety
///
/// The pointer is null, or that of a batch whose callback has not returned.
unsafe fn look<T>(
    batch: *const throng_pair_batch,
    pair: usize,
    place: *mut T,
    find: impl FnOnce(&PairBatch<'_>, [u32; 2]) -> T,
) -> throng_status {
    border(|| {
        // SAFETY: as above.
        let (batch, place) = unsafe { (known_batch(batch)?, Out::new(place, ANSWERS)?) };
        place.write(find(batch, known(batch, pair)?));
        Ok(())
    })
}

/// What a place for answers is called.
const ANSWERS: &str = "the place for the answer";

/// Looks something up about each pair of a batch, in order.
///
/// # Safety
///
/// The first pointer is null, or that of a batch whose callback has not returned. The other is null, or there is room for as many.
unsafe fn look_at_all<T>(
    batch: *const throng_pair_batch,
    places: *mut T,
    find: impl Fn(&PairBatch<'_>, [u32; 2]) -> T,
) -> throng_status {
    border(|| {
        // SAFETY: as above.
        let batch = unsafe { known_batch(batch)? };
        let mut count = 0;
        let pairs = batch.pairs();
        // SAFETY: as above.
        let places = unsafe { Buffer::new(places, pairs.len(), &raw mut count, ANSWERS)? };
        places.fill(pairs.iter().map(|&rows| find(batch, rows)))
    })
}

/// The Rust batch that a batch was made from.
///
/// # Safety
///
/// The pointer is null, or that of a batch whose callback has not returned.
unsafe fn known_batch<'b>(batch: *const throng_pair_batch) -> Outcome<&'b PairBatch<'b>> {
    // SAFETY: as above.
    unsafe {
        let batch = one(
            one(batch, "the batch")?.batch,
            "the library's own part of the batch",
        )?;
        Ok(&*(&raw const *batch).cast::<PairBatch<'_>>())
    }
}

fn known(batch: &PairBatch<'_>, pair: usize) -> Outcome<[u32; 2]> {
    let pairs = batch.pairs();
    pairs.get(pair).copied().ok_or_else(|| {
        let message = format!("pair {pair} is not one of the {} of the batch", pairs.len());
        Refusal::new(throng_status::BadValue, message)
    })
}

fn ids_of(batch: &PairBatch<'_>, rows: [u32; 2]) -> [u64; 2] {
    batch.ids(rows).map(ProxyId::to_bits)
}

fn aabbs_of(batch: &PairBatch<'_>, rows: [u32; 2]) -> [throng_aabb; 2] {
    batch.aabbs(rows).map(Into::into)
}

/// The ids of both proxies of a pair, by its place in the batch: two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_ids(
    batch: *const throng_pair_batch,
    pair: usize,
    ids: *mut [u64; 2],
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { look(batch, pair, ids, ids_of) }
}

/// The ids of both proxies of each pair of a batch: two for each of its `count`. Takes a third of the time of a call for each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_all_ids(
    batch: *const throng_pair_batch,
    ids: *mut [u64; 2],
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { look_at_all(batch, ids, ids_of) }
}

/// The keys of both proxies of a pair: two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_keys(
    batch: *const throng_pair_batch,
    pair: usize,
    keys: *mut [u64; 2],
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { look(batch, pair, keys, |batch, rows| batch.keys(rows)) }
}

/// The masks of both proxies of a pair: two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_masks(
    batch: *const throng_pair_batch,
    pair: usize,
    masks: *mut [throng_masks; 2],
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        look(batch, pair, masks, |batch, rows| {
            batch.masks(rows).map(Into::into)
        })
    }
}

/// The boxes by which a pair was found: two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_aabbs(
    batch: *const throng_pair_batch,
    pair: usize,
    aabbs: *mut [throng_aabb; 2],
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { look(batch, pair, aabbs, aabbs_of) }
}

/// The boxes by which each pair of a batch was found: two for each of its `count`. Faster than a call for each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_all_aabbs(
    batch: *const throng_pair_batch,
    aabbs: *mut [throng_aabb; 2],
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { look_at_all(batch, aabbs, aabbs_of) }
}

/// The slot of a pair that has not begun in this step: a number that is the pair's as long as it lasts. `THRONG_NO_SLOT` for
/// one that begins now, whose slot comes with its event; for pairs without events; and where slots are off. A pair that ends in this
/// step but is still found, as predicted or without events, has its slot for the last time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_batch_slot(
    batch: *const throng_pair_batch,
    pair: usize,
    slot: *mut u32,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        look(batch, pair, slot, |batch, _| {
            batch.slot_at(pair).unwrap_or(THRONG_NO_SLOT)
        })
    }
}
