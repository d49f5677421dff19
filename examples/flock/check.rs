//! Recomputes by brute force what boids saw and decided.

use std::error::Error;

use throng::{NeighborOutputs, Rayon, Row};

use crate::flock::Flock;
use crate::rules::{ALIGNMENT, COHESION, FRAME, SEPARATION, SIGHT, SPEEDS, limited};
use crate::sums::{SOFTENING, Sums};

/// Of a larger flock not all boids are checked: each is compared with all others.
const ALL_UP_TO: usize = 2000;
/// About how many are checked then.
const SAMPLE: usize = 300;

/// Compares what boids saw and decided with what there is to see; between the two halves of a frame. Returns how many were
/// looked at.
pub fn frame(flock: &Flock) -> Result<usize, Box<dyn Error>> {
    let agents = flock.boids.len();
    let every = if agents <= ALL_UP_TO {
        1
    } else {
        agents.div_ceil(SAMPLE)
    };
    let is_checked = |row: Row| (row as usize).is_multiple_of(every);

    let mut decided: Vec<_> = flock
        .turns
        .iter()
        .flat_map(|turns| &turns.velocities)
        .copied()
        .collect();
    decided.sort_unstable_by_key(|(row, _)| *row);
    if !decided.iter().map(|(row, _)| *row as usize).eq(0..agents) {
        return Err(format!("{} of {agents} boids decided, or some twice", decided.len()).into());
    }

    let mut seen: NeighborOutputs<Vec<(Row, Vec<Other>)>> = NeighborOutputs::new();
    flock
        .world
        .query_neighbors_on(&Rayon, &flock.sight, &mut seen, |row, near, seen| {
            if is_checked(row) {
                let offsets = near.dx.iter().zip(near.dy).map(|(&dx, &dy)| [dx, dy]);
                let mut others: Vec<Other> = near.rows.iter().copied().zip(offsets).collect();
                others.sort_unstable_by_key(|(row, _)| *row);
                seen.push((row, others));
            }
        })?;
    let mut checked = 0;
    for (row, seen) in seen.iter().flatten() {
        let there = Sight::of(flock, *row);
        if *seen != there.others {
            return Err(format!("row {row} saw {seen:?}, and {:?} are there", there.others).into());
        }
        there.check(flock, *row, decided[*row as usize].1)?;
        checked += 1;
    }
    if checked != agents.div_ceil(every) {
        return Err(format!("only {checked} of {agents} boids saw anything").into());
    }
    Ok(checked)
}

/// Another boid, and how far to the right and above it is.
type Other = (Row, [f32; 2]);

/// What there is to see for a boid.
struct Sight {
    /// Ascending.
    others: Vec<Other>,
    /// Made by adding up in the order of rows, with twice the digits.
    sums: Sums,
    /// How much a velocity may be off before it is limited, because floats were added up in another order.
    slack: f32,
}

impl Sight {
    fn of(flock: &Flock, row: Row) -> Self {
        let boids = &flock.boids;
        let own = boids.boid(row).center;
        let mut others = Vec::new();
        let [mut push, mut offset, mut velocity] = [[0.0_f64; 2]; 3];
        // The same of the absolute values.
        let [mut pushes, mut offsets, mut velocities] = [0.0_f64; 3];
        for other in (0..boids.len() as Row).filter(|other| *other != row) {
            let boid = boids.boid(other);
            let [dx, dy] = [0, 1].map(|axis| boid.center[axis] - own[axis]);
            // In floats, as the world defines nearness.
            if dx * dx + dy * dy > SIGHT * SIGHT {
                continue;
            }
            others.push((other, [dx, dy]));
            let [dx, dy] = [0, 1].map(|axis| f64::from(boid.center[axis]) - f64::from(own[axis]));
            let weight = 1.0 / (dx * dx + dy * dy + f64::from(SOFTENING));
            for (axis, away) in [dx, dy].into_iter().enumerate() {
                let speed = f64::from(boid.velocity[axis]);
                push[axis] -= away * weight;
                offset[axis] += away;
                velocity[axis] += speed;
                pushes += (away * weight).abs();
                offsets += away.abs();
                velocities += speed.abs();
            }
        }
        let share = 1.0 / others.len().max(1) as f64;
        let terms = f64::from(SEPARATION) * pushes
            + f64::from(COHESION) * share * offsets
            + f64::from(ALIGNMENT) * share * velocities;
        // A sum of n floats is off by at most n - 1 roundings of the sum of their absolute values, in whatever order
        // (Higham, "The Accuracy of Floating Point Summation", 1993). Each term has a few roundings of its own, and so
        // has what is made of the sums, of numbers no larger than a speed or two. In all it is some millionths.
        let sums = f64::from(FRAME) * (others.len() + 8) as f64 * terms;
        let slack = f64::from(f32::EPSILON) * (sums + 8.0 * f64::from(SPEEDS[1]));
        Self {
            sums: Sums {
                count: others.len(),
                push: push.map(|part| part as f32),
                offset: offset.map(|part| part as f32),
                velocity: velocity.map(|part| part as f32),
            },
            others,
            slack: slack as f32,
        }
    }

    /// Checks a velocity that a boid has decided on.
    fn check(&self, flock: &Flock, row: Row, decided: [f32; 2]) -> Result<(), Box<dyn Error>> {
        let wish = flock.around.wish(flock.boids.boid(row), &self.sums);
        let expected = limited(wish);
        // One that wishes to stand still must go on somewhere, and the last digit of the wish says where.
        let speed = wish[0].hypot(wish[1]).max(f32::MIN_POSITIVE);
        let slack = self.slack * (4.0 * SPEEDS[0] / speed).max(1.0);
        let off = (decided[0] - expected[0]).hypot(decided[1] - expected[1]);
        // Not the other way round, or NaN would pass.
        if off <= slack {
            Ok(())
        } else {
            let decisions = format!("row {row} decided on {decided:?}, and not on {expected:?}");
            Err(format!("{decisions}: off by {off}, where {slack} is rounding").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flock(agents: usize) -> Flock {
        Flock::new(agents, 1).expect("it is a flock")
    }

    #[test]
    fn boids_see_and_do_what_brute_force_says() {
        let mut flock = flock(500);
        flock.sort_every = Some(7);
        for number in 0..20 {
            // It comes and goes.
            flock.around.predator = (number % 2 == 0).then_some([2.0, 3.0]);
            flock.look().expect("they are somewhere");
            assert_eq!(frame(&flock).map_err(|error| error.to_string()), Ok(500));
            flock.fly();
        }
    }

    #[test]
    fn of_a_large_flock_some_are_checked() {
        let mut flock = flock(5000);
        flock.look().expect("they are somewhere");
        let checked = frame(&flock).expect("all is as it should be");
        assert!((SAMPLE / 2..=SAMPLE).contains(&checked), "{checked}");
    }

    #[test]
    fn mistakes_are_found() {
        let mut flock = flock(500);
        flock.look().expect("they are somewhere");
        let turned = flock.boids.vx[100];
        // Somebody saw it fly otherwise.
        flock.boids.vx[100] += 0.01;
        assert!(frame(&flock).is_err());
        flock.boids.vx[100] = turned;
        frame(&flock).expect("all is as it was");
        // Somebody saw it elsewhere.
        flock.boids.xs[100] += 2.0;
        assert!(frame(&flock).is_err());
    }
}
