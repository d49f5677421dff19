//! All pairs within a distance.

use std::cell::Cell;

use throng::{CategoryId, Proximity, ProximityPairs};

use crate::config::check_flags;
use crate::growing::{Growing, first_size, grown};
use crate::pointers::{Buffer, many};
use crate::query::scratch::with_kept;
use crate::refusals::{Outcome, Refusal};
use crate::shapes::number_of;
use crate::status::throng_status;
use crate::world::{read, throng_world};

/// Which pairs to find: of which categories, how near, and how that is measured.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_proximity {
    /// `sizeof(throng_proximity)`.
    pub struct_size: usize,
    /// Pairs of categories, which may be the same twice.
    pub categories: *const [u16; 2],
    /// How many pairs of categories there are; at least 1.
    pub category_count: usize,
    /// How far apart they may be. Finite.
    pub distance: f32,
    /// A sum of `THRONG_PROXIMITY_...`.
    pub flags: u32,
}

/// The distance is that of boxes, and not of centers.
pub const THRONG_PROXIMITY_OF_BOXES: u32 = 1;
/// Those whose masks do not agree count as well.
pub const THRONG_PROXIMITY_IGNORING_MASKS: u32 = 2;
/// Of lists of neighbors: each pair once, in the list of the lower row, or of the row of the lower category.
pub const THRONG_PROXIMITY_EACH_PAIR_ONCE: u32 = 4;

/// Two proxies near each other: the lower category first, or within a category the lower row.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_near_pair {
    /// The row of each, in its category.
    pub rows: [u32; 2],
    /// The category of each.
    pub categories: [u16; 2],
    /// The square of the distance between them when the index was built.
    pub distance_squared: f32,
}

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_proximity {
    const FIRST_SIZE: usize = first_size!(flags: u32);
    const NAME: &'static str = "proximity";
}

impl throng_proximity {
    /// # Safety
    ///
    /// Its pointers are as the front page asks.
    pub(crate) unsafe fn checked(&self) -> Outcome<Proximity> {
        let known = THRONG_PROXIMITY_OF_BOXES
            | THRONG_PROXIMITY_IGNORING_MASKS
            | THRONG_PROXIMITY_EACH_PAIR_ONCE;
        check_flags(self.flags, known, "proximity")?;
        // SAFETY: as above.
        let categories = unsafe { many(self.categories, self.category_count, "categories") }?;
        let mut pairs = categories.iter().map(|pair| pair.map(CategoryId::new));
        let first = pairs.next().ok_or_else(|| {
            let message = "there are no categories whose pairs could be near each other";
            Refusal::new(throng_status::BadValue, message)
        })?;
        let proximity = if self.flags & THRONG_PROXIMITY_OF_BOXES == 0 {
            Proximity::centers(first, self.distance)
        } else {
            Proximity::boxes(first, self.distance)
        };
        let proximity = pairs.fold(proximity, Proximity::and);
        Ok(if self.flags & THRONG_PROXIMITY_IGNORING_MASKS == 0 {
            proximity
        } else {
            proximity.ignoring_masks()
        })
    }
}

/// The pairs of the last search, in the memory that is kept.
struct KeptPairs(ProximityPairs);

impl Default for KeptPairs {
    fn default() -> Self {
        Self(ProximityPairs::with_distances())
    }
}

thread_local! {
    static PAIRS: Cell<KeptPairs> = Cell::default();
}

/// All pairs within a distance, each once, by the index of the last step or refresh: on all threads of the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_pairs_within(
    world: *const throng_world,
    proximity: *const throng_proximity,
    pairs: *mut throng_near_pair,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let mut buffer = Buffer::new(pairs, capacity, count, "pairs")?;
            let within = grown(proximity)?.checked()?;
            with_kept(&PAIRS, |KeptPairs(found)| {
                world.broadphase.find_pairs_within(&within, found)?;
                for batch in found.batches() {
                    let categories = batch.categories.map(number_of);
                    for (&rows, &distance_squared) in
                        batch.pairs.iter().zip(batch.distances_squared)
                    {
                        buffer.push(throng_near_pair {
                            rows,
                            categories,
                            distance_squared,
                        });
                    }
                }
                buffer.finish()
            })
        })
    }
}
