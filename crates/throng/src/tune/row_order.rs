//! How far the rows of a category are from the order of space, and when putting them into it pays.

use throng_core::float_key;

use crate::broadphase::Broadphase;
use crate::world::columns::ProxyColumns;
use crate::world::ids::CategoryId;
use crate::world::spacing::Spacing;
use crate::world::structure::Structure;
use crate::write::sort_rows::RowOrder;

/// How many rows are looked at for an estimate, each with the row after it.
const LOOKS: usize = 128;
/// In one of so many indices, rows are looked at: it takes five microseconds and more, and they do not scatter in a few frames.
const LOOK_EVERY: u8 = 4;
/// They are looked at earlier if there are more or fewer than then, by one in so many.
const PART_NEW: usize = 8;
/// Rows that are this far apart in the order of space are not in the cache together: a search is done with what it read
/// for one of them before it comes to the other. That many rows are a megabyte or two of an engine's arrays.
const FAR: u32 = 16_384;
/// Rows are to be sorted once their decay has added up to this. A sort takes as long as is lost in two or three frames when every
/// read misses the cache; but what is lost does not grow with the decay alone. Tried on a million circles with contacts, of which
/// some die and are born elsewhere: with 2 the median frame takes 30 to 32 ns a circle, with 0.7 28 to 30, and with 0.3 no less.
/// Above 1, so that a world in no order at all is not sorted for the sake of a single frame.
const PAID_AFTER: f32 = 1.25;

impl Broadphase {
    /// How much of the order of space has been lost, or was never there: the share of rows that are far in space from
    /// the row after them, from 0 to 1, less what the last sort left of it. 0 for a category that does not exist, and nearly
    /// so for one that fits into the cache whatever its order.
    ///
    /// Estimated from 128 rows: after a sort, within four steps or refreshes after a row has changed (more than one row in 64, where
    /// proxies rest), and as soon as there are an eighth more or fewer rows.
    ///
    /// A narrowphase that reads the engine's arrays by row waits for memory about this often.
    /// [`sort_rows`](Self::sort_rows) brings it to 0, and as things move it grows again.
    pub fn row_order_decay(&self, category: CategoryId) -> f32 {
        self.category_of(category)
            .map_or(0.0, |category| category.scatter.decay)
    }

    /// Whether [`sort_rows`](Self::sort_rows) by [`RowOrder::Space`](crate::RowOrder::Space) is due: true once unsorted rows
    /// have cost, since the last sort, about as much time as another sort would take. Asking changes nothing; once a frame is
    /// enough. O(1). False for a category that does not exist.
    ///
    /// Goes by the sum of [`row_order_decay`](Self::row_order_decay) over all steps and refreshes since, and not by the
    /// clock: the same calls give the same answer on any machine.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CountPairs, Proxy, RowOrder};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("locusts", 0.5)))?;
    /// let locusts = world.category("locusts").unwrap();
    /// let scattered = |i: u32| [i % 997, i.wrapping_mul(2_654_435_761) % 1009].map(|c| c as f32);
    /// world.insert_batch((0..100_000).map(|i| Proxy::centered(scattered(i), [0.5, 0.5]).unwrap()));
    ///
    /// let mut sorted = 0;
    /// for _frame in 0..10 {
    ///     if world.is_sort_due(locusts) {
    ///         world.sort_rows(locusts, RowOrder::Space)?; // and the engine's arrays with them
    ///         sorted += 1;
    ///     }
    ///     world.step(&CountPairs);
    /// }
    /// assert_eq!(sorted, 1, "nothing moves, so once is enough");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_sort_due(&self, category: CategoryId) -> bool {
        self.category_of(category)
            .is_some_and(|category| category.scatter.since_sorted >= PAID_AFTER)
    }
}

/// How the rows of a category lie compared with the order of space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RowScatter {
    /// How many rows lie, in the order of space, between a row and the row after it: the median, as far as 128 rows tell.
    pub apart: u32,
    /// The share of rows that are so far from the row after them that they are not in the cache together, from 0 to 1;
    /// see [`row_order_decay`](Broadphase::row_order_decay).
    pub decay: f32,
    /// The sum of `decay` over all steps and refreshes since the rows were last sorted, or since the category was last empty.
    pub since_sorted: f32,
    /// What the last sort by space left: some rows are far from the next in any order, and disabled rows are in none.
    at_best: f32,
    /// How many indices there are before rows are looked at again.
    until_look: u8,
    /// Whether rows have changed since the last look.
    is_outdated: bool,
    /// How many rows there were at the last look.
    rows: usize,
}

impl RowScatter {
    /// Whether it is time to look at the rows of an index, of which there are so many. `have_changed` tells whether enough of them have
    /// since the index before.
    pub(crate) fn is_to_be_seen(&mut self, have_changed: bool, rows: usize) -> bool {
        self.is_outdated |= have_changed;
        let are_new = rows.abs_diff(self.rows) > self.rows / PART_NEW;
        if self.until_look > 0 && !are_new {
            self.until_look -= 1;
            return false;
        }
        self.is_outdated
    }

    /// Looks at the rows as of an index; `spacing` is theirs.
    pub(crate) fn look(
        &mut self,
        columns: &ProxyColumns,
        structure: &Structure,
        spacing: &Spacing,
    ) {
        if columns.len() == 0 {
            *self = Self::default();
            return;
        }
        (self.until_look, self.rows) = (LOOK_EVERY - 1, columns.len());
        self.is_outdated = false;
        let (apart, decay) = match structure {
            Structure::Points(grid) => scatter(columns, |y| grid.strip_of(y)),
            Structure::Boxes(_) | Structure::Scenery(_) => {
                scatter(columns, |y| (y / (2.0 * spacing.get())) as i32)
            }
        };
        self.at_best = self.at_best.min(decay);
        (self.apart, self.decay) = (apart, decay - self.at_best);
    }

    /// Has the next index looked at, however recent the last look.
    pub(crate) fn look_next(&mut self) {
        (self.until_look, self.is_outdated) = (0, true);
    }

    /// To be called in each step and refresh.
    pub(crate) fn add_up(&mut self) {
        self.since_sorted += self.decay;
    }

    /// To be called when rows have been sorted and looked at again.
    pub(crate) fn sorted(&mut self, order: RowOrder) {
        let decay = self.decay + self.at_best;
        self.since_sorted = 0.0;
        // By key, worlds with the same contents are the same from then on, and this is part of them.
        (self.at_best, self.decay) = match order {
            RowOrder::Space => (decay, 0.0),
            RowOrder::Key => (0.0, decay),
        };
    }
}

/// The median distance of rows to the row after them, and the share of those that are far away, both in the order of
/// space: strip by strip, from left to right. A sample of all rows tells how many lie between two places.
fn scatter(columns: &ProxyColumns, strip_of: impl Fn(f32) -> i32) -> (u32, f32) {
    let rows = columns.len();
    if rows <= FAR as usize {
        return (0, 0.0);
    }
    let place = |row: usize| {
        let [x, y] = columns.center(row);
        place_in_order(strip_of(y), x)
    };
    let row_of = |look: usize| look * (rows - 1) / LOOKS;
    let mut sample: [u64; LOOKS] = std::array::from_fn(|look| place(row_of(look)));
    sample.sort_unstable();
    let rank = |place: u64| sample.partition_point(|&other| other < place);
    let mut apart: [u32; LOOKS] = std::array::from_fn(|look| {
        let row = row_of(look);
        // One less: the row itself may be the only one of the sample between them.
        let ranks = rank(place(row)).abs_diff(rank(place(row + 1)));
        (ranks.saturating_sub(1) * rows / LOOKS) as u32
    });
    let far = apart.iter().filter(|&&apart| apart > FAR).count();
    apart.sort_unstable();
    (apart[LOOKS / 2], far as f32 / LOOKS as f32)
}

/// A number that is greater, the later a center comes in the order of space. One number, because places are compared some
/// thousand times in a look: as a strip and an `x`, that took twice as long.
fn place_in_order(strip: i32, x: f32) -> u64 {
    let strip = strip as u32 ^ 1 << 31;
    u64::from(strip) << 32 | u64::from(float_key(x))
}

#[cfg(test)]
mod tests {
    use throng_core::Columns;

    use super::*;

    fn strip(y: f32) -> i32 {
        y.floor() as i32
    }

    /// Rows in a square of points, a unit apart, strip by strip.
    fn square(side: usize) -> ProxyColumns {
        let mut columns = ProxyColumns::default();
        for row in 0..side * side {
            columns.push_row();
            (columns.xs[row], columns.ys[row]) = ((row % side) as f32, (row / side) as f32);
        }
        columns
    }

    fn shuffle(columns: &mut ProxyColumns, rows: usize) {
        for row in 0..rows {
            let other = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize % rows;
            columns.xs.swap(row, other);
            columns.ys.swap(row, other);
        }
    }

    #[test]
    fn sorted_rows_are_near_and_shuffled_ones_far() {
        for side in [200, 1000] {
            let mut columns = square(side);
            let rows = columns.len();
            assert_eq!(scatter(&columns, strip), (0, 0.0));
            shuffle(&mut columns, rows);
            let (apart, decay) = scatter(&columns, strip);
            // Of two random rows: a quarter to a third of all between them, and near in a share that grows smaller.
            assert!(
                (rows / 5..rows / 2).contains(&(apart as usize)),
                "{apart} of {rows}"
            );
            let near = 2.0 * FAR as f32 / rows as f32 - (FAR as f32 / rows as f32).powi(2);
            assert!(
                (decay - (1.0 - near)).abs() < 0.15,
                "{decay}, not {}",
                1.0 - near
            );
        }
    }

    #[test]
    fn a_part_that_is_out_of_order_shows_as_its_share() {
        let mut columns = square(1000);
        shuffle(&mut columns, 1_000_000);
        let mut sorted = square(1000);
        for row in 0..300_000 {
            (sorted.xs[row], sorted.ys[row]) = (columns.xs[row], columns.ys[row]);
        }
        let (_, decay) = scatter(&sorted, strip);
        assert!((0.2..0.4).contains(&decay), "{decay}");
    }

    #[test]
    fn a_long_row_of_things_has_an_order_too() {
        let mut columns = square(1000);
        columns.ys.fill(7.5);
        let rows = columns.len();
        for row in 0..rows {
            columns.xs[row] = row as f32;
        }
        assert_eq!(scatter(&columns, strip).1, 0.0);
        shuffle(&mut columns, rows);
        assert!(scatter(&columns, strip).1 > 0.8);
    }

    #[test]
    fn places_are_ordered_by_strip_and_then_from_left_to_right() {
        let strips = [i32::MIN, -7, -1, 0, 1, i32::MAX];
        let xs = [
            f32::NEG_INFINITY,
            -2.5,
            -2.0,
            -f32::MIN_POSITIVE,
            -0.0,
            0.0,
            1e-40,
            2.0,
            2.5,
            f32::MAX,
        ];
        let places = strips
            .into_iter()
            .flat_map(|strip| xs.map(|x| place_in_order(strip, x)));
        assert!(places.collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn few_rows_are_never_scattered() {
        let mut columns = square(128);
        let rows = columns.len();
        shuffle(&mut columns, rows);
        assert_eq!(scatter(&columns, strip), (0, 0.0));
    }
}
