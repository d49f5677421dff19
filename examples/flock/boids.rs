//! Boids, in arrays by row.

use throng::{Permutation, PermutationError, Row};

/// A boid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boid {
    pub center: [f32; 2],
    pub velocity: [f32; 2],
}

/// Boids by row, in arrays.
#[derive(Default)]
pub struct Boids {
    pub xs: Vec<f32>,
    pub ys: Vec<f32>,
    pub vx: Vec<f32>,
    pub vy: Vec<f32>,
}

impl Boids {
    pub fn push(&mut self, boid: Boid) {
        self.xs.push(boid.center[0]);
        self.ys.push(boid.center[1]);
        self.vx.push(boid.velocity[0]);
        self.vy.push(boid.velocity[1]);
    }

    pub fn len(&self) -> usize {
        self.xs.len()
    }

    pub fn boid(&self, row: Row) -> Boid {
        let row = row as usize;
        Boid {
            center: [self.xs[row], self.ys[row]],
            velocity: [self.vx[row], self.vy[row]],
        }
    }

    /// Puts all arrays into another order of rows.
    pub fn follow(
        &mut self,
        sorted: &Permutation,
        spare: &mut Vec<f32>,
    ) -> Result<(), PermutationError> {
        let Self { xs, ys, vx, vy } = self;
        for column in [xs, ys, vx, vy] {
            sorted.apply(column, spare)?;
        }
        Ok(())
    }
}
