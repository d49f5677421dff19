//! From what is wished for to a world: which kinds of units, on what ground, how many of each.

use std::path::PathBuf;

use throng::{BroadphaseConfig, CategoryConfig, CategoryKind, EventsWith, Resting, Scenery};
use throng_scenes::map::GridMap;

use crate::{
    bodies::shares,
    failure::Failure,
    ground::{Crowd, Ground},
    sizes::Sizes,
    sleep::{self, Share},
    terrain::Terrain,
    walls::{self, Walls},
};

/// How crowded a world is if nobody wishes for anything else.
const PAIRS_EACH: f64 = 1.0;

/// What somebody wants to see, without the files it was read from.
pub struct Wish {
    /// The categories, each a kind of unit.
    pub config: BroadphaseConfig,
    /// How many agents there are in its uniform categories; nobody, where there is none.
    pub agents: usize,
    /// How many big ones there are in its oversized categories; nobody, where there is none.
    pub oversized: usize,
    /// How large the big ones are, in sizes that suit their world.
    pub size_of_big: f32,
    /// How crowded it is: for so many overlapping boxes per agent, if agents stood anywhere, the ground is made.
    pub pairs_each: f64,
    /// A map of walls.
    pub map: Option<GridMap>,
    /// How large its cells are, unless they are as large as fits.
    pub cell: Option<f32>,
    /// Walls that were read from this file.
    pub packed: Option<(PathBuf, Scenery)>,
    /// Where the random numbers start.
    pub seed: u64,
    /// Whether rows are kept in the order of space.
    pub sorts_rows: bool,
    /// The part of them that is awake, unless all are.
    pub awake: Option<f64>,
    /// Whether the broadphase is to tell which pairs begin and end.
    pub events: bool,
}

impl Wish {
    /// Nobody yet, in the open.
    pub fn of(config: BroadphaseConfig) -> Self {
        Self {
            config,
            agents: 0,
            oversized: 0,
            size_of_big: 1.0,
            pairs_each: PAIRS_EACH,
            map: None,
            cell: None,
            packed: None,
            seed: 1,
            sorts_rows: true,
            awake: None,
            events: false,
        }
    }
}

/// All that decides how a run goes, but for the number of threads.
pub struct Setup {
    /// The categories, each a kind of unit.
    pub config: BroadphaseConfig,
    /// Where units may be.
    pub terrain: Terrain,
    /// What they run into there.
    pub walls: Walls,
    /// How many of each kind there are at first.
    pub counts: Vec<usize>,
    /// How big the oversized are.
    pub sizes: Sizes,
    /// Where the random numbers start.
    pub seed: u64,
    /// Whether rows are kept in the order of space.
    pub sorts_rows: bool,
    /// How many of them are awake, unless all are.
    pub awake: Option<Share>,
}

impl Setup {
    /// Finds a ground that suits the wish.
    pub fn new(wish: Wish) -> Result<Self, Failure> {
        let mut config = wish.config;
        if wish.map.is_some() || wish.packed.is_some() {
            walls::make_room(&mut config);
        }
        if wish.events {
            for category in &mut config.categories {
                category.events = EventsWith::Everybody;
            }
        }
        if wish.awake.is_some() {
            let categories = config.categories.iter_mut();
            let moving = categories.filter(|category| category.kind != CategoryKind::Scenery);
            for category in moving.filter(|category| category.rests == Resting::Never) {
                category.rests = Resting::After(sleep::RESTS_AFTER);
            }
        }
        let bounds: Vec<[f32; 2]> = of_kind(&config, CategoryKind::Uniform)
            .map(|(_, category)| category.half_extents)
            .collect();
        let shares = shares(&bounds, wish.agents);
        let largest = bounds.iter().flatten().copied().reduce(f32::max);
        let crowd = Crowd {
            oversized: wish.oversized,
            pairs_each: wish.pairs_each,
            // Where there are no agents to be larger than, a unit of length is as good as any.
            largest: largest.unwrap_or(1.0),
            bounds,
            shares,
        };
        let Ground {
            terrain,
            walls,
            open_area,
        } = crowd.ground(wish.map.as_ref(), wish.cell, wish.packed)?;
        Ok(Self {
            counts: counts(&config, &crowd.shares, wish.oversized),
            sizes: Sizes::new(crowd.largest, open_area).times(wish.size_of_big),
            config,
            terrain,
            walls,
            seed: wish.seed,
            sorts_rows: wish.sorts_rows,
            awake: wish.awake.map(|share| Share::new(share, wish.seed)),
        })
    }
}

/// The categories of one kind, each with its place in the configuration.
pub fn of_kind(
    config: &BroadphaseConfig,
    kind: CategoryKind,
) -> impl Iterator<Item = (usize, &CategoryConfig)> {
    let categories = config.categories.iter().enumerate();
    categories.filter(move |(_, category)| category.kind == kind)
}

/// How many there are in each category: agents as they are shared out, and an equal part of the oversized.
fn counts(config: &BroadphaseConfig, shares: &[usize], oversized: usize) -> Vec<usize> {
    let mut counts = vec![0; config.categories.len()];
    for ((place, _), share) in of_kind(config, CategoryKind::Uniform).zip(shares) {
        counts[place] = *share;
    }
    let kinds = of_kind(config, CategoryKind::Oversized).count().max(1);
    for (turn, (place, _)) in of_kind(config, CategoryKind::Oversized).enumerate() {
        counts[place] = oversized / kinds + usize::from(turn < oversized % kinds);
    }
    counts
}

/// Three kinds of agents, each twice the size of the one before, and dragons.
pub fn default_config() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.3).coarse())
        .category(CategoryConfig::uniform("infantry", 0.6).coarse())
        .category(CategoryConfig::uniform("cavalry", 1.2).coarse())
        .category(CategoryConfig::oversized("dragons"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_config_is_sound() {
        default_config().validate().expect("it validates");
    }

    #[test]
    fn everyone_gets_a_category_of_their_kind() {
        let config = default_config().category(CategoryConfig::oversized("ents"));
        let setup = Setup::new(Wish {
            agents: 700,
            oversized: 5,
            ..Wish::of(config)
        });
        let counts = setup.expect("there is room").counts;
        assert_eq!(counts[..3].iter().sum::<usize>(), 700);
        assert_eq!(counts[3..], [3, 2]);
    }
}
