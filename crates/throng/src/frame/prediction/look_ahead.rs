//! Who looks ahead in a category, how far, and who is met where.

use std::ops::Range;

use throng_core::{Corners, Executor, for_both, run_each};

use crate::frame::resting::stillness::RESTING;
use crate::world::category::Category;
use crate::world::ids::Row;
use crate::world::rows_now::RowsNow;
use crate::world::structure::Structure;

/// Slower than anybody.
const NOBODY: f32 = -1.0;

/// How many rows a task looks at, and how many velocities it looks at in one go.
const TASK: usize = 1 << 14;
const AT_ONCE: usize = 1 << 8;

/// Limits of speed that are weighed, in half extents of the bound with its margin.
const LIMITS: [f32; 3] = [0.25, 1.0, 4.0];

/// What it costs to meet a row where it is: to search its index once more, and to test a candidate; and by its swept box: if all are, and
/// if few are in the way of many whose index is searched as if their boxes were wider. In nanoseconds, as measured with 20,000 to a
/// million rows; but only ratios count.
const SEARCHED: f32 = 8.0;
const CANDIDATE: f32 = 3.0;
const SWEPT: f32 = 36.0;
const SWEPT_AMONG_NEAR: f32 = 150.0;

/// Who looks ahead in a category, and how far.
#[derive(Clone, Copy)]
pub(crate) struct LookAhead<'w> {
    pub(crate) now: RowsNow<'w>,
    pub(super) margin: f32,
    velocities: Option<&'w [[f32; 2]]>,
    still: Option<&'w [u8]>,
    /// A row that goes farther along an axis is met by its swept box.
    pub(super) fastest: f32,
}

/// What has been found of the rows of a category.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    /// How many look ahead.
    looking: usize,
    /// How many of those rest, which have a velocity then.
    resting: usize,
    /// Of each limit: how many go farther, and how far those go at most that do not.
    faster: [usize; LIMITS.len()],
    highest: [Speed; LIMITS.len()],
}

type Limits = [Speed; LIMITS.len()];

/// How the rows of a category are met that look ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// A row that goes farther along an axis is met by its swept box.
    pub(super) fastest: f32,
    /// No other row looks farther than this along either axis.
    pub(super) reach: f32,
    /// How many rows are met by their swept boxes.
    pub(super) far: usize,
}

impl Choice {
    /// Nobody looks ahead.
    pub(super) const NONE: Self = Self {
        fastest: NOBODY,
        reach: 0.0,
        far: 0,
    };
}

impl<'w> LookAhead<'w> {
    pub(crate) fn of(category: &'w Category) -> Self {
        Self {
            now: category.rows_now(),
            margin: category.margin,
            velocities: category.columns.velocities.values(),
            still: category.columns.still.values(),
            fastest: (category.swept.as_ref()).map_or(NOBODY, |swept| swept.fastest()),
        }
    }

    /// Looks at consecutive rows. O(rows).
    fn survey(&self, rows: Range<usize>, do_some_rest: bool, limits: Limits) -> Survey {
        let mut seen = Survey::default();
        if do_some_rest || self.now.disabled.is_some() {
            for row in rows.filter(|&row| self.has(row)) {
                seen.looking += 1;
                if self.rests(row) {
                    seen.resting += 1;
                } else {
                    seen.note_all(&[self.velocity_of(row)], limits);
                }
            }
            return seen;
        }
        let count = rows.len();
        let velocities = self.velocities.map_or(&[][..], |all| &all[rows]);
        for velocities in velocities.chunks(AT_ONCE) {
            seen.looking += seen.note_all(velocities, limits);
        }
        if self.margin > 0.0 {
            seen.looking = count;
        }
        seen
    }

    pub(super) fn do_some_rest(&self) -> bool {
        self.still.is_some_and(|still| still.contains(&RESTING))
    }

    /// Whether a row's swept box is more than its box.
    #[inline]
    pub(super) fn has(&self, row: usize) -> bool {
        let is_disabled = || self.now.disabled.is_some_and(|rows| rows.contains(row));
        (self.margin_of(row) > 0.0 || self.velocity_of(row) != [0.0; 2]) && !is_disabled()
    }

    /// Whether a row is met by its swept box, and not where it is. Whoever rests has only a velocity, and others do not look for it.
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
            !all_have_margins && self.now.disabled.is_none() && !self.do_some_rest()
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
    fn velocity_of(&self, row: usize) -> [f32; 2] {
        self.velocities
            .map_or([0.0; 2], |velocities| velocities[row])
    }

    #[inline]
    fn rests(&self, row: usize) -> bool {
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
    pub(super) fn write_swept(&self, first: usize, do_some_rest: bool, to: &mut [Corners]) {
        if do_some_rest {
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
pub(super) struct Speed(i32);

impl Speed {
    #[inline]
    fn of([x, y]: [f32; 2]) -> Self {
        let (x, y) = (x.abs().to_bits() as i32, y.abs().to_bits() as i32);
        Self(if x > y { x } else { y })
    }

    #[inline]
    fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }

    fn get(self) -> f32 {
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

impl Default for Survey {
    fn default() -> Self {
        Self {
            looking: 0,
            resting: 0,
            faster: [0; LIMITS.len()],
            highest: [Speed::default(); LIMITS.len()],
        }
    }
}

impl Survey {
    /// Notes some velocities, and returns how many are not 0. Mostly, all are below all limits.
    fn note_all(&mut self, velocities: &[[f32; 2]], limits: Limits) -> usize {
        let (mut some, mut highest) = (0, Speed::default());
        for &velocity in velocities {
            let speed = Speed::of(velocity);
            some += u32::from(speed.0 > 0);
            highest = highest.max(speed);
        }
        for (k, limit) in limits.into_iter().enumerate() {
            if highest <= limit {
                self.highest[k] = self.highest[k].max(highest);
            } else {
                self.note_above(k, limit, velocities);
            }
        }
        some as usize
    }

    /// The same for one limit, which some are above.
    fn note_above(&mut self, k: usize, limit: Speed, velocities: &[[f32; 2]]) {
        let (mut faster, mut highest) = (0, Speed::default());
        for &velocity in velocities {
            let speed = Speed::of(velocity);
            faster += u32::from(speed > limit);
            highest = highest.max(if speed > limit {
                Speed::default()
            } else {
                speed
            });
        }
        self.faster[k] += faster as usize;
        self.highest[k] = self.highest[k].max(highest);
    }

    /// Of the rows of both.
    fn with(mut self, other: &Self) -> Self {
        self.looking += other.looking;
        self.resting += other.resting;
        for k in 0..LIMITS.len() {
            self.faster[k] += other.faster[k];
            self.highest[k] = self.highest[k].max(other.highest[k]);
        }
        self
    }

    /// The way that costs least.
    fn choose(&self, of: &Category) -> Choice {
        let all_far = Choice {
            far: self.looking,
            ..Choice::NONE
        };
        let Structure::Points(grid) = &of.structure else {
            return all_far;
        };
        let rows = of.indexed_rows() as f32;
        let density = 1.0 / square(of.local_spacing());
        let near = |k: usize| {
            let reach = of.margin + self.highest[k].get();
            let [width, height] = grid.half_extents().map(|half| 2.0 * half);
            let wider = |by: f32| (width + by) * (height + by);
            // Boxes that a row's would overlap if both were wider by this, less those that have to be found anyway because of margins. Each
            // has one of two rows.
            let candidates = 2.0 * density * (wider(2.0 * reach) - wider(2.0 * of.margin));
            let far = self.faster[k] + self.resting;
            let cost = rows * (SEARCHED + CANDIDATE * candidates) + SWEPT_AMONG_NEAR * far as f32;
            let choice = Choice {
                fastest: limits_of(of)[k],
                reach,
                far,
            };
            (cost, choice)
        };
        let costs = (0..LIMITS.len()).map(near);
        // With NaN, which is not less, everybody is met by a swept box.
        let cheaper = |least: (f32, Choice), next: (f32, Choice)| {
            if next.0 < least.0 { next } else { least }
        };
        let (_, choice) = costs.fold((SWEPT * self.looking as f32, all_far), cheaper);
        choice
    }
}

fn square(length: f32) -> f32 {
    length * length
}

/// The limits of speed of a category.
fn limits_of(category: &Category) -> [f32; LIMITS.len()] {
    let half = if category.bound[0] < category.bound[1] {
        category.bound[0]
    } else {
        category.bound[1]
    };
    LIMITS.map(|limit| limit * (half + category.margin))
}

impl Category {
    /// Looks at all rows that may look ahead, and chooses how they are met. O(rows).
    pub(super) fn choose_how_to_look(
        &self,
        surveys: &mut Vec<Survey>,
        executor: &dyn Executor,
    ) -> Choice {
        let ahead = LookAhead::of(self);
        let rows = self.len();
        let limits = limits_of(self).map(|limit| Speed::of([limit, 0.0]));
        let do_some_rest = ahead.do_some_rest();
        surveys.resize(rows.div_ceil(TASK), Survey::default());
        run_each(executor, surveys.iter_mut(), |task, seen| {
            let rows = task * TASK..rows.min((task + 1) * TASK);
            *seen = ahead.survey(rows, do_some_rest, limits);
        });
        let seen = surveys.iter().fold(Survey::default(), Survey::with);
        if seen.looking == 0 {
            return Choice::NONE;
        }
        seen.choose(self)
    }

    /// About how far apart rows are where they are dense.
    fn local_spacing(&self) -> f32 {
        let even = self.spacing.get();
        let local = self.structure.source().spacing();
        local.filter(|local| *local < even).unwrap_or(even)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyId};

    /// A thousand units of half a unit's half extents, each a unit and a quarter from the next; and whoever moves as it is told.
    fn choice(category: CategoryConfig, velocity: impl Fn(usize) -> [f32; 2]) -> Choice {
        let (world, _) = world(category, velocity);
        world.categories[0].choose_how_to_look(&mut Vec::new(), &crate::Serial)
    }

    fn world(
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

    fn units() -> CategoryConfig {
        CategoryConfig::uniform("units", 0.5)
    }

    #[test]
    fn most_that_are_slow_are_met_where_they_are_and_a_few_that_are_fast_by_their_swept_boxes() {
        assert_eq!(choice(units(), |_| [0.0; 2]), Choice::NONE);
        let slow = |k: usize| [0.25, -0.5][k % 2];
        let all_slow = choice(units(), |k| [0.0, slow(k)]);
        assert_eq!((all_slow.reach, all_slow.far), (0.5, 0));
        let but_one = choice(
            units(),
            |k| if k == 7 { [-60.0, 0.1] } else { [slow(k), 0.1] },
        );
        assert_eq!((but_one.reach, but_one.far), (0.5, 1));
        assert!((0.5..60.0).contains(&but_one.fastest));
        // A few that are slow are not worth a search for all, and so are many that go far.
        let few = choice(units(), |k| if k < 10 { [0.1, 0.0] } else { [0.0; 2] });
        assert_eq!(
            (few, few.far),
            (
                Choice {
                    far: 10,
                    ..Choice::NONE
                },
                10
            )
        );
        let fast = choice(units(), |_| [0.0, 12.0]);
        assert_eq!(
            fast,
            Choice {
                far: 1000,
                ..Choice::NONE
            }
        );
    }

    #[test]
    fn a_margin_adds_to_the_reach_and_boxes_of_any_size_look_far() {
        let margin = choice(units().margin(0.125), |_| [0.0; 2]);
        assert_eq!((margin.reach, margin.far), (0.125, 0));
        let both = choice(units().margin(0.125), |_| [0.25, 0.0]);
        assert_eq!((both.reach, both.far), (0.375, 0));
        let giants = choice(CategoryConfig::oversized("giants").margin(0.5), |_| {
            [0.0; 2]
        });
        assert_eq!(
            giants,
            Choice {
                far: 1000,
                ..Choice::NONE
            }
        );
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
                ahead.write_swept(7, do_some_rest, &mut found);
                let expected = (7..27).map(|row| ahead.swept(row));
                assert!(expected.eq(found));
            }
            let [min, max] = ahead.swept(1002 % 1000);
            assert_eq!(min, [2.5 - (0.5 + margin), -(0.5 + margin)]);
            assert_eq!(max, [2.5 + (0.5 + margin) + 9.0, 0.5 + margin + 0.3]);
        }
    }
}
