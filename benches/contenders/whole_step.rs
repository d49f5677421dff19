//! The whole broadphase.

use std::time::Instant;

use throng::{Broadphase, CategoryId, CountPairs, MemoryReport, SimdLevel};
use throng_scenes::Scene;

use super::fingerprint::TakeFingerprint;
use super::{Contender, Fingerprint, Frame};
use crate::{Workers, world_of};

/// A frame of the whole broadphase: one `step` with masks on every row and a narrowphase that counts.
///
/// Filling the columns comes before the step and is no part of it, as making broccoli's bots is no part of its frame.
pub struct WholeStep {
    world: Broadphase,
    agents: CategoryId,
    workers: Workers,
}

impl WholeStep {
    /// A world of the scene's rows; see [`world_of`].
    pub fn new(scene: &Scene, simd: Option<SimdLevel>, workers: Workers) -> Self {
        let (world, agents) = world_of(scene, simd);
        Self {
            world,
            agents,
            workers,
        }
    }

    /// What the world holds in memory.
    pub fn memory(&self) -> MemoryReport {
        self.world.memory()
    }
}

impl Contender for WholeStep {
    fn name(&self) -> &'static str {
        "whole step"
    }

    fn threads(&self) -> usize {
        self.workers.threads()
    }

    fn prepare(&mut self, scene: &Scene) {
        let mut centers = self
            .world
            .centers_mut(self.agents)
            .expect("it was made with it");
        let fill = centers
            .fill_from(&scene.xs, &scene.ys)
            .expect("as many rows as the scene");
        assert_eq!(fill.rejected, 0, "scenes that are measured on are finite");
    }

    fn frame(&mut self, _scene: &Scene) -> Frame {
        let Self { world, workers, .. } = self;
        workers.run(|executor| {
            let started = Instant::now();
            let pairs = world.step_on(executor, &CountPairs).outputs().sum();
            Frame {
                time: started.elapsed(),
                pairs,
            }
        })
    }

    fn fingerprint(&mut self, _scene: &Scene) -> Fingerprint {
        let Self { world, workers, .. } = self;
        workers.run(|executor| {
            let mut all = Fingerprint::default();
            let step = world.step_on(executor, &TakeFingerprint);
            step.outputs().for_each(|chunk| all.merge(*chunk));
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Broccoli, Contender, GridAlone, Moving, WholeStep, Workers};
    use throng_scenes::{overlapping_pairs, uniform};

    #[test]
    fn all_contenders_find_the_same_pairs() {
        let mut moving = Moving::new(uniform(2_000, 1.0, 3));
        let workers = |threads| Workers::new(threads).unwrap();
        let half = moving.scene().half;
        let mut contenders: Vec<Box<dyn Contender>> = vec![
            Box::new(Broccoli::new()),
            Box::new(GridAlone::new(half, None, workers(1))),
            Box::new(GridAlone::new(half, None, workers(3))),
            Box::new(WholeStep::new(moving.scene(), None, workers(1))),
            Box::new(WholeStep::new(moving.scene(), None, workers(3))),
        ];
        for _ in 0..3 {
            let scene = moving.advance();
            let mut expected = crate::Fingerprint::default();
            overlapping_pairs(scene)
                .iter()
                .for_each(|&[a, b]| expected.add(a, b));
            for contender in &mut contenders {
                contender.prepare(scene);
                assert_eq!(
                    contender.frame(scene).pairs,
                    expected.pairs,
                    "{}",
                    contender.name()
                );
                contender.prepare(scene);
                assert_eq!(
                    contender.fingerprint(scene),
                    expected,
                    "{}",
                    contender.name()
                );
            }
        }
    }
}
