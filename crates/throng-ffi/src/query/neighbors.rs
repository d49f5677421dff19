//! Lists of neighbors: for each row, the rows that are near it.

use std::cell::Cell;

use throng::{CategoryId, Neighbors};

use crate::growing::grown;
use crate::pointers::{Buffer, many};
use crate::query::pairs_within::{THRONG_PROXIMITY_EACH_PAIR_ONCE, throng_proximity};
use crate::query::scratch::with_kept;
use crate::refusals::Refusal;
use crate::status::throng_status;
use crate::world::{read, throng_world};

/// Lists with each pair twice, and such with each pair once.
#[derive(Default)]
struct KeptLists {
    both_ways: Neighbors,
    once: Once,
}

struct Once(Neighbors);

impl Default for Once {
    fn default() -> Self {
        Self(Neighbors::each_pair_once())
    }
}

thread_local! {
    static LISTS: Cell<KeptLists> = Cell::default();
}

/// For each row of a category, the rows of another one, or of the same, that are near it: ascending, one list after the other.
/// The categories are the only pair in `proximity`, in this order. `starts` has room for one more than the first has rows: the
/// list of row `i` is from `starts[i]` to before `starts[i + 1]`; with less room the status is `THRONG_STATUS_LENGTH_MISMATCH`. It is
/// filled also if `rows` has too little room. If each pair is to be in one list, the first category must not be the higher one.
///
/// By the index of the last step or refresh, since which no row of either category may have come or gone, been enabled or disabled, or been given other
/// masks. On all threads of the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_neighbors(
    world: *const throng_world,
    proximity: *const throng_proximity,
    starts: *mut usize,
    start_capacity: usize,
    rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let mut needed = 0;
            let mut starts = Buffer::new(starts, start_capacity, &raw mut needed, "starts")?;
            let mut buffer = Buffer::new(rows, capacity, count, "rows")?;
            let proximity = grown(proximity)?;
            let within = proximity.checked()?;
            let categories = many(proximity.categories, proximity.category_count, "categories")?;
            let &[[of, among]] = categories else {
                let message = "neighbors are listed for one pair of categories at a time";
                return Err(Refusal::new(throng_status::BadValue, message));
            };
            with_kept(&LISTS, |kept| {
                let found = if proximity.flags & THRONG_PROXIMITY_EACH_PAIR_ONCE == 0 {
                    &mut kept.both_ways
                } else {
                    &mut kept.once.0
                };
                world.broadphase.find_neighbors(&within, found)?;
                let lists = found.lists(CategoryId::new(of), CategoryId::new(among));
                let lists = lists.ok_or_else(|| {
                    let message = "with each pair once, the lists are those of the lower category: name it first";
                    Refusal::new(throng_status::BadValue, message)
                })?;
                let all_starts = lists.starts();
                if all_starts.len() > start_capacity {
                    let message = format!(
                        "`starts` has room for {start_capacity}, and needs {}: one more than category {of} has rows",
                        all_starts.len()
                    );
                    return Err(Refusal::new(throng_status::LengthMismatch, message));
                }
                starts.push_all(all_starts);
                buffer.push_all(lists.rows());
                starts.finish()?;
                buffer.finish()
            })
        })
    }
}
