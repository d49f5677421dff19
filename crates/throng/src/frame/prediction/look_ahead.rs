//! Who looks ahead in a category, and how far.

use throng_core::{Corners, for_both};

use crate::frame::resting::stillness::RESTING;
use crate::world::category::Category;
use crate::world::ids::Row;
use crate::world::rows_now::RowsNow;

/// Slower than anybody.
pub(super) const NOBODY: f32 = -1.0;

/// Who looks ahead in a category, and how far.
#[derive(Clone, Copy)]
pub(super) struct LookAhead<'w> {
    pub(super) now: RowsNow<'w>,
    pub(super) margin: f32,
    pub(super) velocities: Option<&'w [[f32; 2]]>,
    still: Option<&'w [u8]>,
    /// Whether anybody rests.
    pub(super) do_some_rest: bool,
    /// A row that goes farther along an axis is met by its swept box.
    pub(super) fastest: f32,
}

impl<'w> LookAhead<'w> {
    pub(super) fn of(category: &'w Category) -> Self {
        Self {
            now: category.rows_now(),
            margin: category.margin,
            velocities: category.columns.velocities.values(),
            still: category.columns.still.values(),
            do_some_rest: (category.stillness.as_ref())
                .is_some_and(|stillness| stillness.resting > 0),
            fastest: (category.swept.as_ref()).map_or(NOBODY, |swept| swept.fastest()),
        }
    }

    /// Whether a row's swept box is more than its box.
    #[inline]
    pub(super) fn has(&self, row: usize) -> bool {
        let is_disabled = || self.now.disabled.is_some_and(|rows| rows.contains(row));
        (self.margin_of(row) > 0.0 || self.velocity_of(row) != [0.0; 2]) && !is_disabled()
    }

    /// Whether a row is met by its swept box, and not where it is. Whoever rests is, if it has a velocity: the index of those that rest is
    /// not searched any wider for their own sake.
    #[inline]
    pub(super) fn is_far(&self, row: usize) -> bool {
        self.has(row) && (Speed::of(self.velocity_of(row)).get() > self.fastest || self.rests(row))
    }

    /// Lists the rows that are met by their swept boxes. O(rows).
    pub(super) fn list_far(&self, list: &mut Vec<Row>) {
        let rows = 0..self.now.len() as Row;
        let velocities = (self.velocities).filter(|_| {
            // Whoever is slow has the margin to look ahead with.
            let all_have_margins = self.margin > 0.0 && self.fastest == NOBODY;
            !all_have_margins && self.now.disabled.is_none() && !self.do_some_rest
        });
        let Some(velocities) = velocities else {
            list.extend(rows.filter(|&row| self.is_far(row as usize)));
            return;
        };
        // Each is written, and then counted or not: who is far is too unpredictable for a branch.
        let slowest = if self.fastest == NOBODY {
            0.0
        } else {
            self.fastest
        };
        list.resize(velocities.len(), 0);
        let mut count = 0;
        for (row, &velocity) in rows.zip(velocities) {
            list[count] = row;
            count += usize::from(Speed::of(velocity).get() > slowest);
        }
        list.truncate(count);
    }

    #[inline]
    pub(super) fn velocity_of(&self, row: usize) -> [f32; 2] {
        self.velocities
            .map_or([0.0; 2], |velocities| velocities[row])
    }

    #[inline]
    pub(super) fn rests(&self, row: usize) -> bool {
        self.still.is_some_and(|still| still[row] == RESTING)
    }

    /// Whoever rests has none.
    #[inline]
    fn margin_of(&self, row: usize) -> f32 {
        if self.rests(row) { 0.0 } else { self.margin }
    }

    /// A row's box along its way, with its margin: one that is larger by the margin, and then swept.
    #[inline]
    pub(super) fn swept(&self, row: usize) -> Corners {
        let margin = self.margin_of(row);
        let corners = if margin > 0.0 {
            self.now.corners_with(row, margin)
        } else {
            self.now.corners(row)
        };
        sweep(corners, self.velocity_of(row))
    }

    /// The same of consecutive rows, from `first` on.
    pub(super) fn write_swept(&self, first: usize, to: &mut [Corners]) {
        if self.do_some_rest {
            for (row, to) in (first..).zip(to) {
                *to = self.swept(row);
            }
            return;
        }
        self.now.write_corners(first, self.margin, to);
        if let Some(velocities) = self.velocities {
            for (to, &velocity) in to.iter_mut().zip(&velocities[first..]) {
                *to = sweep(*to, velocity);
            }
        }
    }
}

/// A box along its way.
#[inline]
fn sweep([min, max]: Corners, velocity: [f32; 2]) -> Corners {
    [
        for_both(|axis| min[axis] + lower(velocity[axis], 0.0)),
        for_both(|axis| max[axis] + higher(velocity[axis], 0.0)),
    ]
}

/// How far a velocity goes along the axis along which it goes farther: the bits of a number without a sign, whose order is that of the
/// numbers. The highest of many integers is found by vector code, that of floats is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Speed(pub(super) i32);

impl Speed {
    #[inline]
    pub(super) fn of([x, y]: [f32; 2]) -> Self {
        let (x, y) = (x.abs().to_bits() as i32, y.abs().to_bits() as i32);
        Self(if x > y { x } else { y })
    }

    #[inline]
    pub(super) fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }

    pub(super) fn get(self) -> f32 {
        f32::from_bits(self.0 as u32)
    }
}

/// The higher of two numbers; neither is NaN.
#[inline]
pub(super) fn higher(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline]
fn lower(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyId};

    /// A thousand units of half a unit's half extents, each a unit and a quarter from the next; and whoever moves as it is told.
    pub(in crate::frame::prediction) fn world(
        category: CategoryConfig,
        velocity: impl Fn(usize) -> [f32; 2],
    ) -> (Broadphase, Vec<ProxyId>) {
        let mut world = Broadphase::new(BroadphaseConfig::new().category(category)).unwrap();
        let mut ids = Vec::new();
        for k in 0..1000 {
            let place = [(k % 40) as f32 * 1.25, (k / 40) as f32 * 1.25];
            let proxy = Proxy::centered(place, [0.5; 2]).unwrap();
            ids.push(world.insert(proxy).unwrap());
            world.set_velocity(ids[k], velocity(k)).unwrap();
        }
        world.refresh();
        (world, ids)
    }

    pub(in crate::frame::prediction) fn units() -> CategoryConfig {
        CategoryConfig::uniform("units", 0.5)
    }

    #[test]
    fn who_is_far_is_listed_alike_in_either_way() {
        let velocity = |k: usize| [[0.0, 0.1], [0.0; 2], [9.0, 0.0], [-0.0, -30.0]][k % 4];
        for (margin, disabled) in [(0.0, 0), (0.0, 5), (0.25, 0), (0.25, 5)] {
            let (mut world, ids) = world(units().margin(margin), velocity);
            for &id in &ids[..disabled] {
                world.set_enabled(id, false).unwrap();
            }
            for fastest in [NOBODY, 0.0, 0.1, 9.0, 30.0] {
                let mut ahead = LookAhead::of(&world.categories[0]);
                ahead.fastest = fastest;
                let mut list = Vec::new();
                ahead.list_far(&mut list);
                let expected = (disabled..1000).filter(|&k| {
                    let [x, y] = velocity(k);
                    let looks = margin > 0.0 || k % 4 != 1;
                    looks && x.abs().max(y.abs()) > fastest
                });
                assert!(
                    list.iter().map(|&row| row as usize).eq(expected),
                    "{fastest} {margin}"
                );
            }
        }
    }

    #[test]
    fn swept_boxes_of_consecutive_rows_are_those_of_each() {
        let velocity = |k: usize| [[0.0, 0.1], [0.0; 2], [9.0, 0.3], [-0.0, -30.0]][k % 4];
        for margin in [0.0, 0.25] {
            let (world, _) = world(units().margin(margin), velocity);
            let ahead = LookAhead::of(&world.categories[0]);
            for do_some_rest in [false, true] {
                let mut found = vec![Corners::default(); 20];
                LookAhead {
                    do_some_rest,
                    ..ahead
                }
                .write_swept(7, &mut found);
                let expected = (7..27).map(|row| ahead.swept(row));
                assert!(expected.eq(found));
            }
            let [min, max] = ahead.swept(1002 % 1000);
            assert_eq!(min, [2.5 - (0.5 + margin), -(0.5 + margin)]);
            assert_eq!(max, [2.5 + (0.5 + margin) + 9.0, 0.5 + margin + 0.3]);
        }
    }
}
