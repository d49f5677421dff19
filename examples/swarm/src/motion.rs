//! Moving: every unit steers with its current, drifts on, and stays inside the world.

use rayon::prelude::*;

use crate::{
    bodies::{Bodies, Kind, Radii},
    flow::Flow,
    restraint,
    terrain::Terrain,
};

/// Seconds of simulated time in a frame.
pub const TIME_STEP: f32 = 1.0 / 60.0;
/// The part of the difference between its velocity and its current a unit makes up for in a second.
const STEERING: f32 = 1.5;
/// The sixteenths of its glow a unit keeps for the next frame.
const GLOW_KEPT: u16 = 15;
/// Rows one task moves: enough to be worth a task, few enough to share out.
pub const ROWS_PER_TASK: usize = 4096;

/// Moves all bodies that are awake by one time step; each on its own, so on any thread in any order. Walls are not looked at; where
/// there are any, nobody is so fast as to pass one unseen.
pub fn move_bodies(kinds: &mut [Kind], terrain: &Terrain, seconds: f32) {
    let has_walls = kinds.iter().any(|kind| !kind.walls.is_empty());
    for (number, kind) in kinds.iter_mut().enumerate() {
        let rules = Rules {
            flow: Flow::new(terrain.size(), number, seconds),
            cruise: kind.cruise,
            low: terrain.bounds().min(),
            high: terrain.bounds().max(),
            seconds,
        };
        match &mut kind.sleep {
            None => rules.move_all(&mut kind.bodies, has_walls),
            Some(sleep) => {
                sleep.gather(&kind.bodies);
                rules.move_all(&mut sleep.awake, has_walls);
                sleep.scatter(&mut kind.bodies);
            }
        }
    }
}

/// What moves the units of one kind in one frame.
struct Rules {
    flow: Flow,
    cruise: f32,
    low: [f32; 2],
    high: [f32; 2],
    seconds: f32,
}

impl Rules {
    /// Moves all of these bodies.
    fn move_all(&self, bodies: &mut Bodies, has_walls: bool) {
        let Bodies {
            xs,
            ys,
            velocities,
            glow,
            ids,
            radii,
        } = bodies;
        (
            xs.par_chunks_mut(ROWS_PER_TASK),
            ys.par_chunks_mut(ROWS_PER_TASK),
            velocities.par_chunks_mut(ROWS_PER_TASK),
            glow.par_chunks_mut(ROWS_PER_TASK),
        )
            .into_par_iter()
            .enumerate()
            .for_each(|(task, (xs, ys, velocities, glow))| {
                let first_row = task * ROWS_PER_TASK;
                match &*radii {
                    Radii::Same(_) => self.steer(xs, ys, velocities),
                    Radii::Own(radii) => {
                        let bodies = ids[first_row..].iter().zip(&radii[first_row..]);
                        let places = xs.iter().zip(&*ys).zip(velocities.iter_mut());
                        for (((x, y), velocity), (id, radius)) in places.zip(bodies) {
                            self.steer_one([*x, *y], id.index(), *radius, velocity);
                        }
                    }
                }
                if has_walls {
                    restraint::slow_down(radii, first_row, velocities);
                }
                match &*radii {
                    Radii::Same(radius) => self.drift(xs, ys, velocities, |_| *radius),
                    Radii::Own(radii) => {
                        let radii = &radii[first_row..];
                        self.drift(xs, ys, velocities, |row| radii[row]);
                    }
                }
                for glow in glow {
                    *glow = (u16::from(*glow) * GLOW_KEPT / 16) as u8;
                }
            });
    }

    fn steer(&self, xs: &[f32], ys: &[f32], velocities: &mut [[f32; 2]]) {
        let gain = STEERING * TIME_STEP;
        for ((x, y), velocity) in xs.iter().zip(ys).zip(velocities) {
            let current = self.flow.at(x - self.low[0], y - self.low[1]);
            velocity[0] += (self.cruise * current[0] - velocity[0]) * gain;
            velocity[1] += (self.cruise * current[1] - velocity[1]) * gain;
        }
    }

    /// Steers one of the big with a current of its own, in a world smaller by its radius: the current vanishes where it
    /// would touch the border, rather than where its middle would be there.
    fn steer_one(&self, place: [f32; 2], body: u32, radius: f32, velocity: &mut [f32; 2]) {
        let size = [0, 1].map(|axis| (self.high[axis] - self.low[axis] - 2.0 * radius).max(radius));
        let [x, y] = [0, 1].map(|axis| {
            let inside = place[axis] - self.low[axis] - radius;
            inside.max(0.0).min(size[axis])
        });
        let current = Flow::of_one(size, body, self.seconds).at(x, y);
        for axis in [0, 1] {
            velocity[axis] += (self.cruise * current[axis] - velocity[axis]) * STEERING * TIME_STEP;
        }
    }

    #[inline(always)]
    fn drift(
        &self,
        xs: &mut [f32],
        ys: &mut [f32],
        velocities: &mut [[f32; 2]],
        radius: impl Fn(usize) -> f32,
    ) {
        for (row, ((x, y), velocity)) in xs.iter_mut().zip(ys).zip(velocities).enumerate() {
            self.advance(0, radius(row), x, &mut velocity[0]);
            self.advance(1, radius(row), y, &mut velocity[1]);
        }
    }

    /// One axis of one body: on by its velocity, and back from the side of the world it ran into.
    #[inline(always)]
    fn advance(&self, axis: usize, radius: f32, place: &mut f32, velocity: &mut f32) {
        let (low, high) = (self.low[axis] + radius, self.high[axis] - radius);
        let next = *place + *velocity * TIME_STEP;
        let bounced = if next < low {
            velocity.abs()
        } else {
            -velocity.abs()
        };
        let inside = next >= low && next <= high;
        *velocity = if inside { *velocity } else { bounced };
        *place = next.max(low).min(high);
    }
}
