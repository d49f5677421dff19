//! What is measured on.

use std::fmt;

use throng_benches::{Motion, Moving, Order, Population, short};
use throng_scenes::{
    Line, coincident_groups, marching_columns, on_a_line, towns_in_a_wide_world, uniform,
    wavy_front,
};

/// The seed of every scene.
const SEED: u64 = 1;

/// What lives in the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Kind {
    /// Boxes of one size, spread evenly
    Even,
    /// Boxes of many sizes, in one oversized category
    Sizes,
    /// Units, faeries, dragons: 189 to 10 to 1
    Rings,
    /// The same with a wall for every four
    Walls,
    /// Twenty towns in a world a million wide
    Towns,
    /// Twenty blobs that fill a hundredth of the world
    Blobs,
    /// One long thin front across the world, in waves
    Front,
    /// Three dozen long thin columns, at any angle
    March,
    /// Twenty-five boxes on each spot
    Spots,
    /// Everything on one diagonal line
    Diagonal,
}

/// A scene as it is measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scene {
    /// Of what.
    pub kind: Kind,
    /// How many move or may move.
    pub agents: usize,
    /// How many pairs there are for each agent, about, where that is a choice.
    pub pairs: f32,
    /// How many times as large as the smallest box the largest is, where that is a choice.
    pub spread: f32,
    /// Which part of all agents moves.
    pub share: f64,
    /// How rows lie in memory, where that is a choice.
    pub order: Order,
}

impl Kind {
    /// Those that are anything but even.
    pub const UNEVEN: [Self; 6] = [
        Self::Towns,
        Self::Blobs,
        Self::Front,
        Self::March,
        Self::Spots,
        Self::Diagonal,
    ];

    /// Whether its density is a choice.
    pub fn has_density(self) -> bool {
        matches!(self, Kind::Even | Kind::Sizes)
    }
}

impl Scene {
    /// With a pair each, sizes from 1 to 100, all of them moving, in random order.
    pub fn new(kind: Kind, agents: usize) -> Self {
        Self {
            kind,
            agents,
            pairs: 1.0,
            spread: 100.0,
            share: 1.0,
            order: Order::Random,
        }
    }

    /// What is measured if nothing is said; all of it, if it is to be `full`.
    pub fn catalogue(full: bool) -> Vec<Scene> {
        let even = |agents| Scene::new(Kind::Even, agents);
        let mut scenes = Vec::new();
        let sizes: &[usize] = &[1_000, 2_000, 10_000, 20_000, 100_000, 1_000_000, 10_000_000];
        scenes.extend(sizes[..if full { 7 } else { 6 }].iter().map(|&n| even(n)));
        let dense: &[usize] = if full {
            &[1_000, 10_000, 100_000, 1_000_000]
        } else {
            &[100_000]
        };
        for &agents in dense {
            scenes.extend([0.1, 4.0].map(|pairs| Scene {
                pairs,
                ..even(agents)
            }));
        }
        let spreads: &[f32] = if full {
            &[1.0, 3.0, 10.0, 30.0, 100.0, 1000.0]
        } else {
            &[1.0, 10.0, 100.0]
        };
        scenes.extend(spreads.iter().map(|&spread| Scene {
            spread,
            ..Scene::new(Kind::Sizes, 250_000)
        }));
        scenes.push(Scene::new(Kind::Walls, 200_000));
        scenes.extend(Kind::UNEVEN.map(|kind| Scene::new(kind, 100_000)));
        scenes.push(Scene::new(Kind::Towns, 2_000));
        // All of as many move above.
        scenes.extend([0.001, 0.01, 0.1].map(|share| Scene {
            share,
            ..even(100_000)
        }));
        scenes
    }

    /// Everything at home.
    fn population(&self) -> Population {
        let Self { agents, pairs, .. } = *self;
        let mut population = match self.kind {
            Kind::Even => uniform(agents, pairs, SEED).into(),
            Kind::Sizes => Population::of_sizes(agents, [1.0, self.spread], pairs, SEED),
            Kind::Rings => Population::rings(agents, SEED),
            Kind::Walls => Population::rings_with_walls(agents, agents / 4, SEED),
            Kind::Towns => towns_in_a_wide_world(agents, 1e6, SEED).into(),
            // A pair each needs an area of two for each agent.
            Kind::Blobs => {
                let width = (100.0 * 2.0 * agents as f32).sqrt();
                towns_in_a_wide_world(agents, width, SEED).into()
            }
            Kind::Front => wavy_front(agents, SEED).into(),
            Kind::March => marching_columns(agents, SEED).into(),
            Kind::Spots => coincident_groups(agents, 25, SEED).into(),
            Kind::Diagonal => on_a_line(agents, Line::Diagonal, SEED).into(),
        };
        if self.order == Order::Space {
            population.sort_by_space();
        }
        population
    }

    /// Everything at home, ready to move: straight on, or where that would undo the scene, around its home.
    pub fn moving(&self) -> Moving {
        let motion = match self.kind {
            Kind::Even if self.order == Order::Random => Motion::Drift,
            Kind::Sizes | Kind::Rings | Kind::Walls => Motion::Drift,
            _ => Motion::Hover,
        };
        if self.share < 1.0 {
            Moving::of_few(self.population(), self.share)
        } else {
            Moving::new(self.population(), motion)
        }
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = short(self.agents);
        match self.kind {
            Kind::Even => write!(f, "{agents} even, P={}", self.pairs)?,
            Kind::Sizes if self.spread <= 1.0 => write!(f, "{agents} of one size, as boxes")?,
            Kind::Sizes => write!(f, "{agents} of sizes 1 to {}", self.spread)?,
            Kind::Rings => write!(f, "{agents} units, faeries, dragons")?,
            Kind::Walls => {
                let walls = short(self.agents / 4);
                write!(f, "{agents} units, faeries, dragons, {walls} walls")?;
            }
            Kind::Towns => write!(f, "{agents} in towns, world 1e6 wide")?,
            Kind::Blobs => write!(f, "{agents} in a hundredth of the world")?,
            Kind::Front => write!(f, "{agents} in a wavy front")?,
            Kind::March => write!(f, "{agents} in marching columns")?,
            Kind::Spots => write!(f, "{agents}, 25 on each spot")?,
            Kind::Diagonal => write!(f, "{agents} on a diagonal line")?,
        }
        if self.share < 1.0 {
            write!(f, ", {} % move", (self.share * 1e6).round() / 1e4)?;
        }
        if self.order == Order::Space {
            write!(f, ", in space order")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Scene};

    #[test]
    fn every_scene_has_a_name_of_its_own_and_moves() {
        for full in [false, true] {
            let scenes = Scene::catalogue(full);
            let mut names: Vec<_> = scenes.iter().map(Scene::to_string).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), scenes.len(), "{names:?}");
        }
        for kind in [
            Kind::Even,
            Kind::Walls,
            Kind::Blobs,
            Kind::Front,
            Kind::March,
            Kind::Spots,
        ] {
            let mut moving = Scene::new(kind, 1_000).moving();
            let before = moving.population().clone();
            let now = moving.advance();
            assert_eq!(now.moved.len(), 1_000);
            assert!(!now.boxes().eq(before.boxes()));
        }
    }
}
