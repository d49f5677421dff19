//! Boxes of which a part moves, and not always the same part.

use throng_benches::{Population, mixed};
use throng_scenes::uniform;

use crate::scene::{Layout, Scene};

/// The seed of every scene.
const SEED: u64 = 1;
/// One in so many of those that move falls asleep in a step of churn.
const SLEEPERS: usize = 20;
/// How many may move for one that does, where they are in one bunch: with all of them awake nobody could take turns.
const BUNCH: f64 = 1.25;
/// How far a box gets from its home on each axis, in its own half extents.
const REACH: f32 = 10.0;
/// How far it gets in a step on each axis, in its own half extents.
const SPEEDS: [f32; 2] = [0.05, 0.15];

/// A crowd in which some move around their homes, and all others stand still, to the bit.
pub struct Churn {
    now: Population,
    homes: [Vec<f32>; 2],
    velocities: [Vec<f32>; 2],
    /// The rows that take turns. The first so many of them are awake.
    pool: Vec<u32>,
    awake: usize,
    numbers: Numbers,
}

impl Churn {
    /// Everything at home.
    pub fn new(scene: Scene) -> Self {
        let now = Population::from(uniform(scene.agents, 1.0, SEED));
        let mut numbers = Numbers(SEED);
        let own = now.only();
        let homes = [own.xs.clone(), own.ys.clone()];
        let velocities = [0, 1].map(|axis| {
            let half = own.half[axis];
            let mut velocity = |_| {
                let speed = SPEEDS[0] + (SPEEDS[1] - SPEEDS[0]) * numbers.part();
                let sign = if numbers.below(2) == 0 { 1.0 } else { -1.0 };
                sign * speed * half
            };
            (0..scene.agents).map(&mut velocity).collect()
        });
        let mut pool: Vec<u32> = (0..scene.agents as u32).collect();
        if scene.layout == Layout::Bunch {
            let most = (scene.movers() as f64 * BUNCH).ceil() as usize;
            pool = around_the_middle(&homes, most.min(scene.agents));
        }
        // Whoever is awake is anywhere among those that take turns.
        for first in 0..scene.movers() {
            let other = first + numbers.below(pool.len() - first);
            pool.swap(first, other);
        }
        Self {
            now,
            homes,
            velocities,
            pool,
            awake: scene.movers(),
            numbers,
        }
    }

    /// Lets a twentieth of those that move fall asleep and as many others wake, if there are others.
    pub fn take_turns(&mut self) {
        let asleep = self.pool.len() - self.awake;
        let turns = self.awake.div_ceil(SLEEPERS);
        for _ in 0..if asleep == 0 { 0 } else { turns } {
            let tired = self.numbers.below(self.awake);
            let rested = self.awake + self.numbers.below(asleep);
            self.pool.swap(tired, rested);
        }
    }

    /// Moves all that are awake, and shows where all is now.
    pub fn advance(&mut self) -> &Population {
        let awake = &self.pool[..self.awake];
        let own = &mut self.now.groups[0].scene;
        let half = own.half;
        let axes = [&mut own.xs, &mut own.ys].into_iter().zip(half);
        let courses = self.homes.iter().zip(&mut self.velocities);
        for ((centers, half), (homes, velocities)) in axes.zip(courses) {
            for row in awake.iter().map(|&row| row as usize) {
                let (center, velocity) = (&mut centers[row], &mut velocities[row]);
                let is_outward = (*center + *velocity - homes[row]).abs() > REACH * half;
                if is_outward && (*center - homes[row]) * *velocity > 0.0 {
                    *velocity = -*velocity;
                }
                *center += *velocity;
            }
        }
        self.now.moved.clear();
        self.now.moved.extend_from_slice(awake);
        self.now.moved.sort_unstable();
        &self.now
    }

    /// Where everything is now.
    pub fn population(&self) -> &Population {
        &self.now
    }
}

/// So many rows, those nearest to the middle of all.
fn around_the_middle([xs, ys]: &[Vec<f32>; 2], most: usize) -> Vec<u32> {
    let middle = [xs, ys].map(|homes| homes.iter().sum::<f32>() / homes.len() as f32);
    let far = |row: &u32| {
        let [x, y] = [xs[*row as usize] - middle[0], ys[*row as usize] - middle[1]];
        x * x + y * y
    };
    let mut rows: Vec<u32> = (0..xs.len() as u32).collect();
    rows.sort_by(|a, b| far(a).total_cmp(&far(b)));
    rows.truncate(most);
    rows
}

/// Numbers without a pattern (splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// One of `0..end`.
    fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 32) as usize * end) >> 32
    }

    /// From 0 to 1.
    fn part(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::{Churn, REACH};
    use crate::scene::{Layout, Scene};

    #[test]
    fn exactly_those_awake_move_and_they_take_turns() {
        for layout in Layout::ALL {
            for (share, turns) in [(0.1, true), (1.0, false)] {
                let scene = Scene {
                    agents: 1_000,
                    share,
                    layout,
                };
                let mut churn = Churn::new(scene);
                let homes = churn.population().only().clone();
                let mut before = churn.advance().clone();
                let first = before.moved.clone();
                for _ in 0..200 {
                    churn.take_turns();
                    let now = churn.advance();
                    let pairs = before.boxes().zip(now.boxes()).zip(0..);
                    let elsewhere = pairs.filter(|((then, now), _)| then != now);
                    assert!(elsewhere.map(|(_, row)| row).eq(now.moved.iter().copied()));
                    assert_eq!(now.moved.len(), scene.movers());
                    before = now.clone();
                }
                assert_eq!(before.moved != first, turns, "{scene}");
                let xs = before.only().xs.iter().zip(&homes.xs);
                let reach = 1.001 * REACH * homes.half[0];
                assert!(xs.into_iter().all(|(x, home)| (x - home).abs() <= reach));
            }
        }
    }

    #[test]
    fn a_bunch_is_in_one_place() {
        let width = |layout| {
            let scene = Scene {
                agents: 10_000,
                share: 0.01,
                layout,
            };
            let mut churn = Churn::new(scene);
            let now = churn.advance();
            let xs = now.moved.iter().map(|&row| now.only().xs[row as usize]);
            xs.clone().fold(f32::MIN, f32::max) - xs.fold(f32::MAX, f32::min)
        };
        assert!(width(Layout::Bunch) * 5.0 < width(Layout::Even));
    }
}
