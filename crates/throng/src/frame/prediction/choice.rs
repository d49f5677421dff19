//! How rows that look ahead are met: where they are, or by their swept boxes.
//!
//! To meet rows where they are costs a search of all rows, with more candidates the farther any of them looks. To meet one by its swept
//! box costs more for each, and nothing for the others. So rows up to some speed are met where they are if they are many, and
//! faster ones by their swept boxes. Which limit costs least follows from how many rows go how far.

use std::ops::Range;

use throng_core::{Executor, run_each};

use crate::frame::prediction::look_ahead::{LookAhead, NOBODY, Speed};
use crate::world::category::Category;
use crate::world::structure::Structure;

/// How many rows a task looks at, and how many velocities it looks at in one go.
const TASK: usize = 1 << 14;
const AT_ONCE: usize = 1 << 8;

/// Limits of speed that are weighed, in the smaller half extent of the bound with the margin.
const LIMITS: [f32; 3] = [0.25, 1.0, 4.0];

/// What it costs to meet a row where it is: to search its index once more, and to test a candidate; and by its swept box: if all are, and
/// if few are in the way of many whose index is searched as if their boxes were wider. In nanoseconds, as measured with 20,000 to a
/// million rows; but only ratios count.
const SEARCHED: f32 = 8.0;
const CANDIDATE: f32 = 3.0;
const SWEPT: f32 = 36.0;
const SWEPT_AMONG_NEAR: f32 = 150.0;

/// What has been found of the rows of a category.
#[derive(Clone, Copy, Debug, Default)]
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
    /// How far the others go at most along an axis.
    pub(super) speed: f32,
    /// The same with the margin; 0 if no other row looks ahead.
    pub(super) reach: f32,
    /// How many rows are met by their swept boxes, or a few more.
    pub(super) far: usize,
}

impl Choice {
    /// Nobody looks ahead.
    pub(super) const NONE: Self = Self {
        fastest: NOBODY,
        speed: 0.0,
        reach: 0.0,
        far: 0,
    };
}

impl LookAhead<'_> {
    /// Looks at consecutive rows. O(rows).
    fn survey(&self, rows: Range<usize>, limits: Limits) -> Survey {
        debug_assert!(
            self.do_some_rest || !rows.clone().any(|row| self.rests(row)),
            "who rests is counted"
        );
        let mut seen = Survey::default();
        if self.do_some_rest || self.now.disabled.is_some() {
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
            let speed = self.highest[k].get();
            let reach = of.margin + speed;
            let [width, height] = grid.half_extents().map(|half| 2.0 * half);
            let wider = |by: f32| (width + by) * (height + by);
            // For each row: boxes overlap whose centers are less than a whole box apart along both axes, which is four times its area, and
            // each pair is of two rows. Without those that margins bring anyway.
            let candidates = 2.0 * density * (wider(2.0 * reach) - wider(2.0 * of.margin));
            let far = self.faster[k] + self.resting;
            let cost = rows * (SEARCHED + CANDIDATE * candidates) + SWEPT_AMONG_NEAR * far as f32;
            let choice = Choice {
                fastest: limits_of(of)[k],
                speed,
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
    let half = category.bound[0].min(category.bound[1]);
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
        surveys.resize(rows.div_ceil(TASK), Survey::default());
        run_each(executor, surveys.iter_mut(), |task, seen| {
            let rows = task * TASK..rows.min((task + 1) * TASK);
            *seen = ahead.survey(rows, limits);
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
    use crate::frame::prediction::look_ahead::tests::{units, world};
    use crate::{CategoryConfig, Serial};

    fn choice(category: CategoryConfig, velocity: impl Fn(usize) -> [f32; 2]) -> Choice {
        let (world, _) = world(category, velocity);
        world.categories[0].choose_how_to_look(&mut Vec::new(), &Serial)
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
}
