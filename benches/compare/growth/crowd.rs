//! A world of equal agents, all of which move.

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proxy};
use throng_scenes::{Scene, step_motion, uniform};

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
        let mut world =
            Broadphase::new(BroadphaseConfig::new().category(units)).expect("a sound config");
        let centers = scene.xs.iter().zip(&scene.ys);
        let proxy = |(&x, &y)| Proxy::centered([x, y], scene.half).expect("a sound scene");
        assert_eq!(world.insert_batch(centers.map(proxy)).refused, []);
        Self {
            scene,
            world,
            frame: 0,
        }
    }

    /// Everything moves; there and back again, so that the crowd stays as even as it is.
    pub fn advance(&mut self) {
        let direction = if self.frame % 8 < 4 { 1.0 } else { -1.0 };
        step_motion(&mut self.scene, direction * SPEED, self.frame % 4);
        self.frame += 1;
    }

    /// Writes the centers to the world.
    pub fn fill(&mut self) {
        let mut centers = self.world.centers_mut(UNITS).expect("it moves");
        let filled = centers.fill_from(&self.scene.xs, &self.scene.ys);
        assert_eq!(filled.expect("one for each row").rejected, 0);
    }
}
