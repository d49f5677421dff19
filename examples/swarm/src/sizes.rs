//! The sizes of the big: many times larger than any agent, and no larger than their world can hold.

use std::f64::consts::PI;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::terrain::SHAPE;

/// Radii of the smallest and the largest, in bounds of the largest kind of agents.
const TIMES_LARGER: [f32; 2] = [8.0, 40.0];
/// The most that a radius may be of the shorter side of the world, or it could not get past others.
const OF_WORLD: f64 = 0.2;
/// How much of the world there is for each, in its own areas.
const ROOM: f64 = 2.5;

/// The radii that the big of one kind may have.
///
/// One over the radius is uniform: the smaller, the more numerous. That is as wide a choice as the
/// logarithm's, and needs basic arithmetic only: the same bits on every machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    smallest: f32,
    largest: f32,
}

impl Sizes {
    /// The radii beside agents of this bound, in a world with this much open ground.
    pub fn new(agent: f32, area: f64) -> Self {
        let [smallest, largest] = TIMES_LARGER.map(|times| times * agent);
        let fitting = OF_WORLD * (area / SHAPE).sqrt();
        Self {
            smallest,
            largest: (fitting as f32).clamp(smallest, largest),
        }
    }

    /// The same, so many times as large.
    pub fn times(self, factor: f32) -> Self {
        Self {
            smallest: factor * self.smallest,
            largest: factor * self.largest,
        }
    }

    /// The same, but none above a bound.
    pub fn within(self, bound: f32) -> Self {
        Self {
            smallest: self.smallest.min(bound),
            largest: self.largest.min(bound),
        }
    }

    /// One of these radii.
    pub fn choose(self, random: &mut Pcg64Mcg) -> f32 {
        let [from, to] = [self.largest, self.smallest].map(f32::recip);
        let chosen = (from + (to - from) * random.random::<f32>()).recip();
        chosen.clamp(self.smallest, self.largest)
    }

    /// The radius of which the square is the mean of all squares.
    pub fn typical(self) -> f32 {
        (self.smallest * self.largest).sqrt()
    }
}

/// The area of a world for this many of the big, and for agents of this bound that by themselves would
/// have `agents_area`.
pub fn area_with(count: usize, agent: f32, agents_area: f64) -> f64 {
    let smallest = f64::from(TIMES_LARGER[0] * agent);
    // The room for all of them is this times the largest radius, which itself goes with the side of the
    // world: a quadratic equation in the square root of its area.
    let room = ROOM * PI * smallest * count as f64;
    let slope = room * OF_WORLD / SHAPE.sqrt();
    let root = 0.5 * (slope + (slope * slope + 4.0 * agents_area).sqrt());
    agents_area + room * f64::from(Sizes::new(agent, root * root).largest)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn the_big_are_as_large_as_they_say_and_fit() {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        for (count, agents_area) in [(1, 0.0), (1, 200.0), (6, 12e3), (500, 0.0), (50, 4e6)] {
            let area = area_with(count, 1.2, agents_area);
            let sizes = Sizes::new(1.2, area);
            assert!(
                f64::from(2.0 * sizes.largest) <= (area / SHAPE).sqrt(),
                "{sizes:?}"
            );
            let radii: Vec<f32> = (0..20_000).map(|_| sizes.choose(&mut random)).collect();
            assert!(radii.iter().all(|radius| (9.6..=48.0).contains(radius)));
            let squares = radii.iter().map(|radius| radius * radius).sum::<f32>() / 20_000.0;
            assert!((squares.sqrt() / sizes.typical() - 1.0).abs() < 0.05);
            let room = area - agents_area;
            let covered = PI * f64::from(sizes.typical()).powi(2) * count as f64;
            assert!((room / covered - ROOM).abs() < 0.01, "{sizes:?}");
        }
    }

    #[test]
    fn a_bound_is_kept() {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let sizes = Sizes::new(1.0, 1e9).within(3.0);
        assert_eq!(sizes.choose(&mut random), 3.0);
        assert_eq!(sizes.typical(), 3.0);
    }
}
