//! What a boid makes of those near it.

use throng::Neighborhood;

/// Keeps two boids on one spot from dividing by zero; a square of a length.
pub const SOFTENING: f32 = 0.01;

/// Sums over all that are near a boid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub count: usize,
    /// Away from each, harder the nearer it is.
    pub push: [f32; 2],
    /// How far away they are.
    pub offset: [f32; 2],
    pub velocity: [f32; 2],
}

impl Sums {
    /// Sums over a neighborhood; velocities are by row.
    pub fn of(near: Neighborhood<'_>, vx: &[f32], vy: &[f32]) -> Self {
        let mut sums = Self {
            count: near.rows.len(),
            ..Self::default()
        };
        for ((&row, &dx), &dy) in near.rows.iter().zip(near.dx).zip(near.dy) {
            let weight = 1.0 / (dx * dx + dy * dy + SOFTENING);
            sums.push[0] -= dx * weight;
            sums.push[1] -= dy * weight;
            sums.offset[0] += dx;
            sums.offset[1] += dy;
            sums.velocity[0] += vx[row as usize];
            sums.velocity[1] += vy[row as usize];
        }
        sums
    }
}
