//! A population in which everything moves every frame.

use throng_scenes::{Scene, step_motion};

use crate::contenders::mixed;
use crate::population::Population;

/// How far a row gets from its home on each axis, where it hovers, in its own half extents.
const REACH: f32 = 0.2;
/// How far a row gets in a frame on each axis at most, where it drifts, in its own half extents.
const SPEED: f32 = 0.1;

/// How things move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Everything is somewhere else near its home in every frame, so that not even the order in which it is stored
    /// loses what it has to do with space, however many frames a benchmark runs.
    Hover,
    /// Everything goes its way, straight on, and turns back at the border, as things do in a game. What was
    /// built for the first frame and only mended since gets worse from frame to frame.
    Drift,
}

/// A population that moves for as long as is wanted without changing its density.
pub struct Moving {
    home: Population,
    now: Population,
    /// Of each row of each group, in its own half extents a frame.
    velocities: Vec<[Vec<f32>; 2]>,
    /// The rows of each group that move, if not all do.
    few: Option<Vec<Vec<u32>>>,
    /// Lower and upper corner of all homes.
    bounds: [[f32; 2]; 2],
    motion: Motion,
    frame: u64,
}

impl Moving {
    /// Everything is at home.
    pub fn new(home: Population, motion: Motion) -> Self {
        let still = |group: &crate::population::Group| {
            let mut scene = group.scene.clone();
            scene.xs.fill(0.0);
            scene.ys.fill(0.0);
            step_motion(&mut scene, SPEED, 1);
            [scene.xs, scene.ys]
        };
        let mut bounds = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
        for group in &home.groups {
            for (axis, centers) in [&group.scene.xs, &group.scene.ys].into_iter().enumerate() {
                for &center in centers {
                    bounds[0][axis] = bounds[0][axis].min(center);
                    bounds[1][axis] = bounds[1][axis].max(center);
                }
            }
        }
        Self {
            velocities: home.groups.iter().map(still).collect(),
            few: None,
            bounds,
            now: home.clone(),
            home,
            motion,
            frame: 0,
        }
    }

    /// A share of all that may move drifts, the same rows in every frame, anywhere among the others; the rest stays
    /// where it is, to the bit.
    pub fn of_few(home: Population, share: f64) -> Self {
        let mut moving = Self::new(home, Motion::Drift);
        let drifts = |&row: &u32| {
            let chance = mixed(u64::from(row)) >> 11;
            (chance as f64) < share * (1_u64 << 53) as f64
        };
        let drifting: Vec<u32> = moving.home.moved.iter().copied().filter(drifts).collect();
        let firsts = moving.home.first_rows();
        let few = firsts
            .iter()
            .zip(&moving.home.groups)
            .map(|(&first, group)| {
                let rows = first..first + group.scene.len() as u32;
                let own = drifting.iter().filter(|row| rows.contains(row));
                own.map(|row| row - first).collect()
            });
        moving.few = Some(few.collect());
        moving.now.moved = drifting;
        moving
    }

    /// Moves everything that moves and shows where all is now.
    pub fn advance(&mut self) -> &Population {
        self.frame += 1;
        for group in 0..self.home.groups.len() {
            if !self.home.groups[group].moves() {
                continue;
            }
            match self.motion {
                Motion::Hover => self.hover(group),
                Motion::Drift => self.drift(group),
            }
        }
        &self.now
    }

    fn hover(&mut self, group: usize) {
        let home = &self.home.groups[group].scene;
        let now = &mut self.now.groups[group].scene;
        now.xs.fill(0.0);
        now.ys.fill(0.0);
        step_motion(
            now,
            REACH,
            self.frame * self.home.groups.len() as u64 + group as u64,
        );
        for row in 0..home.len() {
            let [half_x, half_y] = home.half_extents_of(row);
            now.xs[row] = home.xs[row] + now.xs[row] * half_x;
            now.ys[row] = home.ys[row] + now.ys[row] * half_y;
        }
    }

    fn drift(&mut self, group: usize) {
        let home = &self.home.groups[group].scene;
        let now = &mut self.now.groups[group].scene;
        let [x_velocities, y_velocities] = &self.velocities[group];
        let ([left, lower], [right, upper]) = (self.bounds[0], self.bounds[1]);
        let frames = self.frame as f32;
        let mut drift = |row: usize| {
            let [half_x, half_y] = home.half_extents_of(row);
            let x = home.xs[row] + x_velocities[row] * half_x * frames;
            let y = home.ys[row] + y_velocities[row] * half_y * frames;
            now.xs[row] = turned_back([left, right], x);
            now.ys[row] = turned_back([lower, upper], y);
        };
        match &self.few {
            None => (0..home.len()).for_each(drift),
            Some(few) => few[group].iter().for_each(|&row| drift(row as usize)),
        }
    }

    /// Where everything is now.
    pub fn population(&self) -> &Population {
        &self.now
    }
}

/// Moves a scene on for four frames and back in the next four, so that it stays as even and as sorted as it is. `speed` is how far
/// each goes in a frame on each axis at most, in the smaller of its half extents.
pub fn there_and_back(scene: &mut Scene, speed: f32, frame: u64) {
    let direction = if frame % 8 < 4 { 1.0 } else { -1.0 };
    let half_extent = scene.half[0].min(scene.half[1]);
    step_motion(scene, direction * speed * half_extent, frame % 4);
}

/// Where something is that would be at `to` if it did not turn back at the borders.
fn turned_back([low, high]: [f32; 2], to: f32) -> f32 {
    let width = (high - low).max(f32::MIN_POSITIVE);
    let there_and_back = ((to - low) / width).rem_euclid(2.0);
    let along = if there_and_back > 1.0 {
        2.0 - there_and_back
    } else {
        there_and_back
    };
    (low + along * width).min(high)
}

#[cfg(test)]
mod tests {
    use super::{Motion, Moving, REACH};
    use crate::Population;

    /// Moves for fifty frames and says of each row how far that was, by group.
    fn moved(motion: Motion) -> (Population, Moving) {
        let home = Population::rings(600, 1);
        let mut moving = Moving::new(home.clone(), motion);
        for _ in 0..50 {
            let before = moving.population().clone();
            let now = moving.advance();
            for index in 0..home.groups.len() {
                let [now, then] = [now, &before].map(|population| &population.groups[index].scene);
                let pairs = now.xs.iter().zip(&then.xs);
                let moved = pairs.filter(|(now, then)| now != then).count();
                assert!(moved * 30 >= now.len() * 29, "{moved} moved");
            }
        }
        (home, moving)
    }

    #[test]
    fn what_hovers_stays_near_its_home() {
        let (home, moving) = moved(Motion::Hover);
        for (home, now) in home.groups.iter().zip(&moving.population().groups) {
            let near = |(x, home_x): (&f32, &f32)| {
                (x - home_x).abs() <= 1.001 * REACH * home.scene.half[0]
            };
            assert!(now.scene.xs.iter().zip(&home.scene.xs).all(near));
        }
    }

    #[test]
    fn few_move_and_the_rest_stays() {
        let home = Population::rings_with_walls(2_000, 100, 1);
        let mut moving = Moving::of_few(home.clone(), 0.1);
        for _ in 0..3 {
            let now = moving.advance();
            assert!((150..250).contains(&now.moved.len()));
            let pairs = home.boxes().zip(now.boxes()).zip(0..);
            let elsewhere = pairs.filter(|((home, now), _)| home != now);
            assert!(elsewhere.map(|(_, row)| row).eq(now.moved.iter().copied()));
        }
    }

    #[test]
    fn what_drifts_gets_far_and_stays_inside() {
        let (home, moving) = moved(Motion::Drift);
        let [low, high] = moving.bounds;
        let (mut far, mut all) = (0, 0);
        for (home, now) in home.groups.iter().zip(&moving.population().groups) {
            assert!(now.scene.xs.iter().all(|x| (low[0]..=high[0]).contains(x)));
            let from_home = home.scene.xs.iter().zip(&now.scene.xs);
            far += from_home
                .filter(|(home_x, x)| (*x - *home_x).abs() > 0.5 * home.scene.half[0])
                .count();
            all += home.scene.len();
        }
        assert!(far * 2 > all, "{far} of {all}");
    }
}
