//! A world in which most are of one size, many far smaller, and a few far bigger.

use crate::box_scene::BoxScene;
use crate::boxes::side_for_pairs;
use crate::random::Random;
use crate::scene::Scene;

/// Armies with faeries among them and dragons above, all in one square: what three categories hold.
#[derive(Clone, PartialEq, Debug)]
pub struct LordOfTheRings {
    /// Nearly all; half extents from 0.6 to 1.
    pub units: Scene,
    /// One in twenty; half extents from 0.05 to 0.2.
    pub faeries: Scene,
    /// One in two hundred; half extents from 10 to 20.
    pub dragons: BoxScene,
}

impl LordOfTheRings {
    /// All of them in one scene: units, then faeries, then dragons.
    #[must_use]
    pub fn together(&self) -> BoxScene {
        let groups = [
            BoxScene::from(&self.units),
            BoxScene::from(&self.faeries),
            self.dragons.clone(),
        ];
        let boxes = groups
            .iter()
            .flat_map(|group| (0..group.len()).filter_map(|row| group.aabb(row)));
        BoxScene::new("lord of the rings", boxes)
    }
}

/// `n` of all kinds, spread evenly over a square so dense that units have about one pair each among
/// themselves, in random storage order. A dragon covers about two hundred units, so that dragons
/// and units make about one pair per unit more.
#[must_use]
pub fn lord_of_the_rings(n: usize, seed: u64) -> LordOfTheRings {
    let mut random = Random::new(seed);
    let (faeries, dragons) = (n / 20, n / 200);
    let mut sizes =
        |n, low, high| -> Vec<[f32; 2]> { (0..n).map(|_| random.in_square(low, high)).collect() };
    let units = sizes(n - faeries - dragons, 0.6, 1.0);
    let (faeries, dragons) = (sizes(faeries, 0.05, 0.2), sizes(dragons, 10.0, 20.0));
    let side = side_for_pairs(&units, 1.0);

    let mut category = |name, half, half_extents: Vec<_>| {
        let centers = half_extents.iter().map(|_| random.in_square(0.0, side));
        let mut scene = Scene::new(name, [half; 2], centers);
        scene.half_extents = Some(half_extents);
        scene
    };
    LordOfTheRings {
        units: category("units", 1.0, units),
        faeries: category("faeries", 0.2, faeries),
        dragons: BoxScene::around("dragons", &dragons, || random.in_square(0.0, side)),
    }
}
