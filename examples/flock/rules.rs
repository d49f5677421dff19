//! How boids steer (Reynolds, "Flocks, Herds, and Schools: A Distributed Behavioral Model", SIGGRAPH 1987).

use crate::boids::Boid;
use crate::sums::Sums;

/// How far a boid sees: the unit of length.
pub const SIGHT: f32 = 1.0;
/// Seconds in a frame.
pub const FRAME: f32 = 1.0 / 60.0;
/// The slowest and the fastest of them, in units of length a second.
pub const SPEEDS: [f32; 2] = [1.5, 3.5];

/// How hard boids are pushed from each other, drawn to the middle of those near them, and made to fly as those do.
pub const SEPARATION: f32 = 0.25;
pub const COHESION: f32 = 8.0;
pub const ALIGNMENT: f32 = 2.5;

/// How near the edge they begin to turn back, and how hard they turn for each unit of length beyond that.
const MARGIN: f32 = 3.0;
const TURN: f32 = 3.0;

/// From how far and how hard they flee from the predator.
pub const FEAR: f32 = 6.0;
const FLIGHT: f32 = 60.0;

/// What every boid steers by besides others.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// The side of the square that they stay in; one corner is at 0, 0.
    pub side: f32,
    pub predator: Option<[f32; 2]>,
}

impl Surroundings {
    /// The velocity that a boid would like to have in the next frame, however fast.
    pub fn wish(&self, boid: Boid, near: &Sums) -> [f32; 2] {
        let share = 1.0 / near.count.max(1) as f32;
        // With nobody near there is nothing to align with.
        let alignment = if near.count > 0 { ALIGNMENT } else { 0.0 };
        let fear = self.fear(boid.center);
        [0, 1].map(|axis| {
            let pull = SEPARATION * near.push[axis]
                + COHESION * near.offset[axis] * share
                + alignment * (near.velocity[axis] * share - boid.velocity[axis]);
            let turn = self.turn(boid.center[axis]);
            boid.velocity[axis] + FRAME * (pull + turn + fear[axis])
        })
    }

    /// Back from an edge, harder the nearer it is.
    fn turn(&self, place: f32) -> f32 {
        let margin = MARGIN.min(0.25 * self.side);
        TURN * ((margin - place).max(0.0) - (place - (self.side - margin)).max(0.0))
    }

    fn fear(&self, center: [f32; 2]) -> [f32; 2] {
        let Some(predator) = self.predator else {
            return [0.0; 2];
        };
        let away = [0, 1].map(|axis| center[axis] - predator[axis]);
        let distance = (away[0] * away[0] + away[1] * away[1]).sqrt();
        let share = (1.0 - distance / FEAR).max(0.0);
        away.map(|away| FLIGHT * share * away / distance.max(0.1))
    }
}

/// A velocity in the same direction that is neither too slow nor too fast.
pub fn limited(velocity: [f32; 2]) -> [f32; 2] {
    let speed = (velocity[0] * velocity[0] + velocity[1] * velocity[1]).sqrt();
    if speed < 1e-9 {
        return [SPEEDS[0], 0.0];
    }
    let factor = speed.clamp(SPEEDS[0], SPEEDS[1]) / speed;
    velocity.map(|part| part * factor)
}
