//! A crowd in a world under one config, and how long its frames take.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use throng::{Aabb, Broadphase, BroadphaseConfig, Narrowphase, PairBatch, Proxy, ProxyId, Report};

use crate::crowd::Crowd;

/// Frames that are not timed: buffers grow in the first ones.
const WARM_UP: usize = 3;

/// A crowd in a world.
pub struct Trial {
    world: Broadphase,
    /// The agents that are there.
    ids: Vec<Option<ProxyId>>,
    /// The engine's own arrays, by key: agents, then what is fixed.
    shapes: Shapes,
    /// How long each timed frame took, in milliseconds.
    times: Vec<f64>,
}

/// Ellipses, each in its box.
struct Shapes(Vec<Aabb>);

impl Narrowphase for Shapes {
    type Scratch = ();
    type Output = u64;

    /// Counts those that come near each other as ellipses do.
    fn collide(&self, batch: PairBatch<'_>, _: &mut (), near: &mut u64) {
        for pair in batch.pairs() {
            let [a, b] = batch.keys(*pair).map(|key| &self.0[key as usize]);
            let between = |axis: usize| {
                let reach = (a.max()[axis] - a.min()[axis]) + (b.max()[axis] - b.min()[axis]);
                let apart = (a.max()[axis] + a.min()[axis]) - (b.max()[axis] + b.min()[axis]);
                (apart / reach.max(f32::MIN_POSITIVE)).powi(2)
            };
            *near += u64::from(between(0) + between(1) <= 1.0);
        }
    }
}

impl Trial {
    /// A world with what is fixed in it, and nobody yet.
    pub fn new(crowd: &Crowd, config: BroadphaseConfig) -> Result<Self, Box<dyn Error>> {
        let mut world = Broadphase::new(config)?;
        for (key, aabb) in (crowd.agents() as u64..).zip(&crowd.fixed) {
            world.insert(Proxy::fixed(*aabb).key(key))?;
        }
        let nobody = Aabb::point([0.0; 2])?;
        let mut shapes = vec![nobody; crowd.agents()];
        shapes.extend(&crowd.fixed);
        Ok(Self {
            world,
            ids: vec![None; crowd.agents()],
            shapes: Shapes(shapes),
            times: Vec::new(),
        })
    }

    /// Puts everybody where they are in a frame, steps, and counts who comes near whom.
    pub fn frame(&mut self, crowd: &Crowd, frame: usize) -> Result<u64, Box<dyn Error>> {
        self.write(crowd, frame)?;
        Ok(self.world.step(&self.shapes).outputs().sum())
    }

    /// The same, timed: the step, not the writing, which is the same under any config.
    fn timed_frame(&mut self, crowd: &Crowd, frame: usize) -> Result<u64, Box<dyn Error>> {
        self.write(crowd, frame)?;
        let started = Instant::now();
        let near = self.world.step(&self.shapes).outputs().sum();
        self.times.push(milliseconds(started.elapsed()));
        Ok(near)
    }

    /// Tells the world who came, who went, and where the others are.
    pub fn write(&mut self, crowd: &Crowd, frame: usize) -> Result<(), Box<dyn Error>> {
        let places = (0_u64..).zip(crowd.frame(frame)).zip(&mut self.ids);
        for ((key, place), id) in places {
            match (place, *id) {
                (Some(aabb), Some(id)) => drop(self.world.set_aabb(id, *aabb)?),
                (Some(aabb), None) => {
                    *id = Some(self.world.insert(Proxy::moving(*aabb).key(key))?);
                }
                (None, Some(gone)) => {
                    self.world.remove(gone)?;
                    *id = None;
                }
                (None, None) => {}
            }
            if let Some(aabb) = place {
                self.shapes.0[key as usize] = *aabb;
            }
        }
        Ok(())
    }

    /// The world.
    pub fn world_mut(&mut self) -> &mut Broadphase {
        &mut self.world
    }

    /// The config that it is run under.
    pub fn config(&self) -> &BroadphaseConfig {
        self.world.config()
    }

    /// What the last step came to.
    pub fn report(&self) -> &Report {
        self.world.report()
    }

    /// The milliseconds that half of the timed frames took no longer than; 0 if none was timed.
    pub fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Times frames of all trials by turns, so that whatever else the machine does hits all of them; and checks that in
/// each frame all of them find the same.
pub fn by_turns<N>(
    crowd: &Crowd,
    trials: &mut [(N, Trial)],
    rounds: usize,
) -> Result<(), Box<dyn Error>> {
    for frame in 0..WARM_UP + rounds {
        let mut found = None;
        for (_, trial) in &mut *trials {
            let near = if frame < WARM_UP {
                trial.frame(crowd, frame)?
            } else {
                trial.timed_frame(crowd, frame)?
            };
            if *found.get_or_insert(near) != near {
                return Err(
                    format!("frame {frame}: {near} come near each other, or {found:?}").into(),
                );
            }
        }
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
