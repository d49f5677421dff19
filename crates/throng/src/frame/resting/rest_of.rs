//! What a search asks of the rows that it finds: whether they rest, are due, or have moved.

use crate::frame::resting::lists::RestList;
use crate::frame::resting::stillness::{DUE, MOVED};
use crate::world::category::Category;
use crate::world::ids::Row;

/// Whether a row counts as resting, in one category.
#[derive(Clone, Copy)]
pub(crate) enum RestOf<'w> {
    /// All do: it is scenery.
    All,
    /// Those that have not moved for long.
    Rows(&'w [u8]),
}

/// Who rests on the two sides of a meeting, and what is listed as its pairs are found.
#[derive(Clone, Copy)]
pub(crate) struct RestOfSides<'w> {
    rest: [Option<RestOf<'w>>; 2],
    /// Which of them wake when they are touched.
    wakes: [bool; 2],
}

impl<'w> RestOfSides<'w> {
    /// A sensor wakes nobody, and is woken by nobody.
    pub(crate) fn of(sides: [&'w Category; 2]) -> Self {
        let are_sensors = sides.iter().any(|side| side.is_sensor);
        let wakes = |category: &Category| {
            let stillness = category.stillness.as_deref();
            let wakes = stillness.is_some_and(|still| {
                still.wakes_on_contact && (still.resting > 0 || still.due > 0)
            });
            wakes && !are_sensors
        };
        Self {
            rest: sides.map(RestOf::of),
            wakes: sides.map(wakes),
        }
    }

    /// Lists which of some pairs are about to settle, and which of their rows are about to wake.
    pub(crate) fn list(&self, pairs: &[[Row; 2]], list: &mut RestList) {
        if let [Some(one), Some(other)] = self.rest {
            // Both are always looked at: a branch on the first would be mispredicted too often.
            let settle =
                |pair: &&[Row; 2]| one.is_still(pair[0], DUE) & other.is_still(pair[1], DUE);
            list.settling.extend(pairs.iter().filter(settle));
        }
        for side in [0, 1] {
            if let (true, Some(RestOf::Rows(still))) = (self.wakes[side], self.rest[side]) {
                let other = self.rest[1 - side];
                let is_touched = |pair: &&[Row; 2]| {
                    still[pair[side] as usize] >= DUE
                        && other.is_none_or(|other| other.has_moved(pair[1 - side]))
                };
                let touched = pairs.iter().filter(is_touched);
                list.touched[side].extend(touched.map(|pair| pair[side]));
            }
        }
    }
}

impl<'w> RestOf<'w> {
    /// `None` for a category that never rests.
    pub(crate) fn of(category: &'w Category) -> Option<Self> {
        if category.structure.is_scenery() {
            return Some(Self::All);
        }
        let still = category.columns.still.values().unwrap_or_default();
        category.stillness.is_some().then_some(Self::Rows(still))
    }

    /// Whether a row has moved in this step, or is new.
    fn has_moved(self, row: Row) -> bool {
        match self {
            Self::All => false,
            // While every row moves, new ones are not counted.
            Self::Rows(still) => still[row as usize] <= MOVED,
        }
    }

    /// Whether a row has been still for at least this long, in the numbers of [`stillness`](crate::frame::resting::stillness).
    #[inline(always)]
    pub(crate) fn is_still(self, row: Row, least: u8) -> bool {
        match self {
            Self::All => true,
            Self::Rows(still) => still[row as usize] >= least,
        }
    }
}
