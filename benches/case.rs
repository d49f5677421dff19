//! What is measured on: scenes by size, density and storage order.

use std::fmt;

use throng_scenes::{
    Line, Scene, blobs, coincident_groups, gaussian_clusters, on_a_line, towns_in_a_wide_world,
    uniform,
};

/// The seed of every scene.
const SEED: u64 = 1;

/// Several boxes tall: about how the grid lays out its strips at one pair per agent, but nothing depends on it.
const STRIP_HEIGHT: f32 = 6.0;

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

/// An even crowd of boxes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Case {
    /// How many.
    pub agents: usize,
    /// How many pairs there are for each agent, about.
    pub pairs: f32,
    /// How they lie in memory.
    pub order: Order,
}

impl Case {
    /// The crowd, the same at every call.
    pub fn scene(&self) -> Scene {
        let mut scene = uniform(self.agents, self.pairs, SEED);
        if self.order == Order::Space {
            scene.sort_by_space(STRIP_HEIGHT);
        }
        scene
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (agents, Case { pairs, order, .. }) = (short(self.agents), self);
        write!(f, "uniform P={pairs}, {agents}, {order}")
    }
}

/// Crowds that are not even, in random order; they stay what they are when everything moves a little.
pub fn crowds(agents: usize) -> Vec<Scene> {
    vec![
        blobs(agents, 1.0, SEED),
        gaussian_clusters(agents, 20, SEED),
        towns_in_a_wide_world(agents, 1e6, SEED),
    ]
}

/// Arrangements that structures stumble over, in random order; the first motion would undo them.
pub fn patterns(agents: usize) -> Vec<Scene> {
    vec![
        on_a_line(agents, Line::Diagonal, SEED),
        on_a_line(agents, Line::Column, SEED),
        coincident_groups(agents, 25, SEED),
    ]
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
    use super::{Case, Order, short};

    #[test]
    fn counts_are_short() {
        let counts = [0, 7, 1_500, 10_000, 1_200_000, 2_000_000];
        let said = counts.map(short);
        assert_eq!(said, ["0", "7", "1500", "10k", "1200k", "2M"]);
    }

    #[test]
    fn order_changes_nothing_but_the_order() {
        let [random, space] = [Order::Random, Order::Space].map(|order| {
            let case = Case {
                agents: 500,
                pairs: 1.0,
                order,
            };
            case.scene()
        });
        assert_ne!(random.xs, space.xs);
        let sorted = |xs: &[f32]| {
            let mut xs = xs.to_vec();
            xs.sort_by(f32::total_cmp);
            xs
        };
        assert_eq!(sorted(&random.xs), sorted(&space.xs));
    }
}
