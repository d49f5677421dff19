//! A world in which most things are of one size, many far smaller, and a few far bigger.

use crate::box_scene::BoxScene;
use crate::boxes::side_for_pairs;
use crate::random::Random;
use crate::scene::Scene;
use crate::scenery::wall_half_extents;

/// Armies with faeries among them and dragons above, all in one square, for three categories; and walls, if asked
/// for, for a fourth.
#[derive(Clone, PartialEq, Debug)]
pub struct LordOfTheRings {
    /// Nearly all things; half extents from 0.6 to 1.
    pub units: Scene,
    /// One in twenty; half extents from 0.05 to 0.2.
    pub faeries: Scene,
    /// One in two hundred; half extents from 10 to 20.
    pub dragons: BoxScene,
    /// Things that do not move, with the sizes of [`WallsAndAgents::walls`](crate::WallsAndAgents::walls).
    pub walls: BoxScene,
}

impl LordOfTheRings {
    /// All of them in one scene: units, then faeries, then dragons, then walls.
    #[must_use]
    pub fn together(&self) -> BoxScene {
        let groups = [
            BoxScene::from(&self.units),
            BoxScene::from(&self.faeries),
            self.dragons.clone(),
            self.walls.clone(),
        ];
        let boxes = groups
            .iter()
            .flat_map(|group| (0..group.len()).filter_map(|row| group.aabb(row)));
        BoxScene::new("lord of the rings", boxes)
    }
}

/// `n` of all kinds but walls, spread evenly over a square, dense enough for units to have about one pair each among
/// themselves, in random storage order. A dragon covers about two hundred units, so dragons and units make about one
/// more pair per unit.
#[must_use]
pub fn lord_of_the_rings(n: usize, seed: u64) -> LordOfTheRings {
    lord_of_the_rings_with_walls(n, 0, seed)
}

/// As [`lord_of_the_rings`], and the same for the same seed, with walls in the same square. With 50k walls and 200k
/// of everything else, a unit touches about two and a half walls.
#[must_use]
pub fn lord_of_the_rings_with_walls(n: usize, walls: usize, seed: u64) -> LordOfTheRings {
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
        walls: {
            let walls = wall_half_extents(walls, &mut random);
            BoxScene::around("walls", &walls, || random.in_square(0.0, side))
        },
    }
}
