//! The flock: a world of one category, the boids by row, and one frame of their life.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, ChunkOutput, NeighborOutputs,
    Proximity, Proxy, Rayon, Row, RowOrder,
};

use crate::boids::{Boid, Boids};
use crate::rules::{FRAME, SIGHT, SPEEDS, Surroundings, limited};
use crate::sums::Sums;

pub const BOIDS: CategoryId = CategoryId::new(0);
/// Nobody asks whose boxes touch, so any bound would do: about as large as they are drawn.
const HALF: f32 = 0.1 * SIGHT;
/// How many others each sees at first, spread over the square; about 20 when flocks have formed.
const NEIGHBORS: f32 = 12.0;

/// Where boids turn, and what they have seen: for one chunk of rows.
#[derive(Default)]
pub struct Turns {
    pub velocities: Vec<(Row, [f32; 2])>,
    pub neighbors: usize,
}

/// How long the parts of a frame took.
#[derive(Clone, Copy, Default)]
pub struct Times {
    /// Writing centres, and building the index or sorting the rows.
    pub index: Duration,
    pub visit: Duration,
    pub fly: Duration,
}

/// A flock.
pub struct Flock {
    pub world: Broadphase,
    pub boids: Boids,
    pub around: Surroundings,
    /// Whom each of them sees.
    pub sight: Proximity,
    /// What they have decided, in chunk order.
    pub turns: NeighborOutputs<Turns>,
    /// Sorts rows every so many frames; if `None`, when the world says that a sort is due.
    pub sort_every: Option<u32>,
    pub frames: u32,
    pub sorts: u32,
    pub times: Times,
    spare: Vec<f32>,
}

impl Flock {
    /// So many boids, spread over a square.
    pub fn new(agents: usize, seed: u64) -> Result<Self, Box<dyn Error>> {
        let config = BroadphaseConfig::new().category(CategoryConfig::uniform("boids", HALF));
        let mut world = Broadphase::new(config)?;
        let side = SIGHT * (agents as f32 * std::f32::consts::PI / NEIGHBORS).sqrt();
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut boids = Boids::default();
        for _ in 0..agents {
            let center = [0; 2].map(|_| random.random_range(0.0..side));
            let velocity = [0; 2].map(|_| random.random_range(-SPEEDS[1]..SPEEDS[1]));
            boids.push(Boid {
                center,
                velocity: limited(velocity),
            });
        }
        for (x, y) in boids.xs.iter().zip(&boids.ys) {
            world.insert(Proxy::centered([*x, *y], [HALF; 2])?)?;
        }
        let mut flock = Self {
            world,
            boids,
            around: Surroundings {
                side,
                predator: None,
            },
            sight: Proximity::centers([BOIDS; 2], SIGHT),
            turns: NeighborOutputs::new(),
            sort_every: None,
            frames: 0,
            sorts: 0,
            times: Times::default(),
            spare: Vec::new(),
        };
        flock.sort_rows()?;
        Ok(flock)
    }

    /// One frame: everybody looks around, and then everybody flies on.
    pub fn frame(&mut self) -> Result<(), Box<dyn Error>> {
        self.look()?;
        self.fly();
        Ok(())
    }

    /// The first half of a frame: tells the world where everybody is, and asks everybody where to turn.
    pub fn look(&mut self) -> Result<(), Box<dyn Error>> {
        let started = Instant::now();
        let Boids { xs, ys, .. } = &self.boids;
        let written = self.world.centers_mut(BOIDS)?.fill_from(xs, ys)?;
        if written.rejected > 0 {
            return Err("somebody is nowhere: a position is not finite".into());
        }
        if self.is_sort_due() {
            // This builds the index as well.
            self.sort_rows()?;
        } else {
            self.world.refresh_on(&Rayon);
        }
        let indexed = Instant::now();

        let (boids, around) = (&self.boids, &self.around);
        let Boids { vx, vy, .. } = boids;
        // On all threads in any case: to choose by the size of the flock, the world would have to measure steps.
        self.world.query_neighbors_on(
            &Rayon,
            &self.sight,
            &mut self.turns,
            |row, near, turns| {
                let boid = boids.boid(row);
                let wish = around.wish(boid, &Sums::of(near, vx, vy));
                turns.velocities.push((row, limited(wish)));
                turns.neighbors += near.rows.len();
            },
        )?;
        self.times.index = indexed - started;
        self.times.visit = indexed.elapsed();
        Ok(())
    }

    /// The second half: everybody turns and flies on.
    pub fn fly(&mut self) {
        let started = Instant::now();
        let Boids { xs, ys, vx, vy } = &mut self.boids;
        for turns in self.turns.iter() {
            for &(row, velocity) in &turns.velocities {
                let row = row as usize;
                [vx[row], vy[row]] = velocity;
                xs[row] += velocity[0] * FRAME;
                ys[row] += velocity[1] * FRAME;
            }
        }
        self.frames += 1;
        self.times.fly = started.elapsed();
    }

    /// Whether rows have been out of the order of space for long enough.
    fn is_sort_due(&self) -> bool {
        match self.sort_every {
            Some(every) => self.frames > 0 && self.frames.is_multiple_of(every),
            None => self.world.is_sort_due(BOIDS),
        }
    }

    /// Puts boids into the order of space, so that those who see each other are near each other in memory.
    fn sort_rows(&mut self) -> Result<(), Box<dyn Error>> {
        let sorted = self.world.sort_rows_on(&Rayon, BOIDS, RowOrder::Space)?;
        self.boids.follow(&sorted, &mut self.spare)?;
        self.sorts += 1;
        Ok(())
    }

    /// How many others a boid has seen, on average.
    pub fn mean_neighbors(&self) -> f64 {
        let seen: usize = self.turns.iter().map(|turns| turns.neighbors).sum();
        seen as f64 / self.boids.len() as f64
    }

    /// A hash of where everybody is, to the bit.
    pub fn hash(&self) -> u64 {
        let Boids { xs, ys, .. } = &self.boids;
        let bits = xs.iter().chain(ys).map(|place| u64::from(place.to_bits()));
        // FNV-1a (Fowler, Noll and Vo), with a float for each octet.
        bits.fold(0xcbf2_9ce4_8422_2325, |hash, bits| {
            (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

impl ChunkOutput for Turns {
    fn clear(&mut self) {
        self.velocities.clear();
        self.neighbors = 0;
    }

    fn used_bytes(&self) -> usize {
        self.velocities.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.velocities.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.velocities.shrink_to_fit();
    }
}
