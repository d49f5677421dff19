//! What is measured on: populations by size, density and storage order.

use std::fmt;

use throng_scenes::{
    Line, blobs, coincident_groups, gaussian_clusters, on_a_line, towns_in_a_wide_world, uniform,
};

use crate::Motion;
use crate::population::Population;

/// The seed of every scene.
const SEED: u64 = 1;

/// What lives in the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Kind {
    /// Boxes of one size, in one coarse uniform category
    Uniform,
    /// Boxes with half extents from 1 to 100, in one oversized category
    Mixed,
    /// Units and faeries in exact uniform categories, dragons in an oversized one
    Rings,
}

/// How rows lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Order {
    /// Unrelated to space: as spawned, long ago.
    Random,
    /// As an engine stores things that it sorted a frame ago.
    Space,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Random => "random order",
            Order::Space => "space order",
        })
    }
}

/// An even crowd.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Case {
    /// Of what.
    pub kind: Kind,
    /// How many.
    pub agents: usize,
    /// How many pairs there are for each agent, about. [`Kind::Rings`] has its own.
    pub pairs: f32,
    /// How they lie in memory.
    pub order: Order,
}

impl Case {
    /// A crowd in random order.
    pub fn new(kind: Kind, agents: usize, pairs: f32) -> Self {
        Self {
            kind,
            agents,
            pairs,
            order: Order::Random,
        }
    }

    /// The crowd, the same at every call.
    pub fn population(&self) -> Population {
        let mut population = match self.kind {
            Kind::Uniform => uniform(self.agents, self.pairs, SEED).into(),
            Kind::Mixed => Population::mixed(self.agents, self.pairs, SEED),
            Kind::Rings => Population::rings(self.agents, SEED),
        };
        if self.order == Order::Space {
            population.sort_by_space();
        }
        population
    }
}

impl Kind {
    /// How things of this kind move. Boxes of one size hover, so that what lies in space order goes on doing so; a
    /// structure that is built anew in every frame cannot tell.
    pub fn motion(self) -> Motion {
        match self {
            Kind::Uniform => Motion::Hover,
            Kind::Mixed | Kind::Rings => Motion::Drift,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (agents, Case { pairs, order, .. }) = (short(self.agents), self);
        match self.kind {
            Kind::Uniform => write!(f, "uniform P={pairs}, {agents}, {order}"),
            Kind::Mixed => write!(f, "mixed P={pairs}, {agents}, {order}"),
            Kind::Rings => write!(f, "rings, {agents}, {order}"),
        }
    }
}

/// Crowds that are not even, in random order; they stay what they are when everything moves a little.
pub fn crowds(agents: usize) -> Vec<Population> {
    let scenes = [
        blobs(agents, 1.0, SEED),
        gaussian_clusters(agents, 20, SEED),
        towns_in_a_wide_world(agents, 1e6, SEED),
    ];
    scenes.map(Population::from).into()
}

/// Arrangements that structures stumble over, in random order; the first motion would undo them.
pub fn patterns(agents: usize) -> Vec<Population> {
    let scenes = [
        on_a_line(agents, Line::Diagonal, SEED),
        on_a_line(agents, Line::Column, SEED),
        coincident_groups(agents, 25, SEED),
    ];
    scenes.map(Population::from).into()
}

/// A count as people say it: `10k`, `2M`.
pub fn short(count: usize) -> String {
    match count {
        0 => "0".to_owned(),
        _ if count.is_multiple_of(1_000_000) => format!("{}M", count / 1_000_000),
        _ if count.is_multiple_of(1_000) => format!("{}k", count / 1_000),
        _ => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Kind, Order, short};

    #[test]
    fn counts_are_short() {
        let counts = [0, 7, 1_500, 10_000, 1_200_000, 2_000_000];
        let said = counts.map(short);
        assert_eq!(said, ["0", "7", "1500", "10k", "1200k", "2M"]);
    }

    #[test]
    fn order_changes_nothing_but_the_order() {
        for kind in [Kind::Uniform, Kind::Mixed, Kind::Rings] {
            let random = Case::new(kind, 500, 1.0);
            let order = Order::Space;
            let boxes = [random, Case { order, ..random }].map(|case| {
                let boxes = case.population().boxes().collect::<Vec<_>>();
                boxes.iter().map(|sides| sides.map(f32::to_bits)).collect()
            });
            let [mut random, mut space]: [Vec<_>; 2] = boxes;
            assert_ne!(random, space);
            random.sort();
            space.sort();
            assert_eq!(random, space);
        }
    }
}
