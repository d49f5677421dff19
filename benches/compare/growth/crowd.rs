//! A world of equal agents, all of which move.

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId};
use throng_benches::{there_and_back, world_of_scene};
use throng_scenes::{Scene, uniform};

/// How far each goes in a frame on each axis at most, in half extents.
const SPEED: f32 = 0.1;
const UNITS: CategoryId = CategoryId::new(0);

/// Agents as an engine has them, and a world of them.
pub struct Crowd {
    pub scene: Scene,
    pub world: Broadphase,
    frame: u64,
}

impl Crowd {
    pub fn new(agents: usize) -> Self {
        let scene = uniform(agents, 1.0, 1);
        let units = CategoryConfig::uniform("units", 0.0).half_extents(scene.half);
        Self {
            world: world_of_scene(&scene, BroadphaseConfig::new().category(units)),
            scene,
            frame: 0,
        }
    }

    /// Everything moves.
    pub fn advance(&mut self) {
        there_and_back(&mut self.scene, SPEED, self.frame);
        self.frame += 1;
    }

    /// Writes the centers to the world.
    pub fn fill(&mut self) {
        let mut centers = self.world.centers_mut(UNITS).expect("it moves");
        let filled = centers.fill_from(&self.scene.xs, &self.scene.ys);
        assert_eq!(filled.expect("one for each row").rejected, 0);
    }
}
