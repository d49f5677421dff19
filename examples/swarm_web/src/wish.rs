//! What the sliders of the page ask for.

use std::{fmt, ops::RangeInclusive};

use throng::{BroadphaseConfig, CategoryConfig};
use throng_scenes::map::GridMap;
use throng_swarm::setup::Wish;

/// Half the side of the box of the agents in the middle.
const MIDDLE: f32 = 0.6;

/// A swarm as the sliders describe it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sliders {
    /// How many agents there are.
    pub agents: u32,
    /// How many times as large agents of a kind are as those of the next smaller one; there are three kinds.
    pub spread: f32,
    /// How crowded it is: overlapping boxes per agent, if agents stood anywhere in the world that is made for them.
    pub crowding: f32,
    /// How many dragons there are.
    pub dragons: u32,
    /// How large they are, in sizes that suit the world.
    pub dragon_size: f32,
    /// Whether there is a castle of walls.
    pub castle: bool,
    /// Where the random numbers start.
    pub seed: u32,
}

impl Default for Sliders {
    /// As `parallel_swarm --oversized 5 --map castle` has it.
    fn default() -> Self {
        Self {
            agents: 20_000,
            spread: 2.0,
            crowding: 1.0,
            dragons: 5,
            dragon_size: 1.0,
            castle: true,
            seed: 1,
        }
    }
}

/// A slider that stands where there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfRange {
    name: &'static str,
    given: f64,
    range: RangeInclusive<f64>,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, given, range } = self;
        write!(
            f,
            "{name} may be {} to {}, not {given}",
            range.start(),
            range.end()
        )
    }
}

impl Sliders {
    /// The wish that they stand for.
    pub fn wish(&self) -> Result<Wish, OutOfRange> {
        for (name, given, range) in [
            ("agents", f64::from(self.agents), 1.0..=1e6),
            ("spread", f64::from(self.spread), 1.0..=4.0),
            ("crowding", f64::from(self.crowding), 0.05..=8.0),
            ("dragons", f64::from(self.dragons), 0.0..=1000.0),
            ("dragon_size", f64::from(self.dragon_size), 0.1..=4.0),
        ] {
            if !range.contains(&given) {
                return Err(OutOfRange { name, given, range });
            }
        }
        Ok(Wish {
            agents: self.agents as usize,
            oversized: self.dragons as usize,
            size_of_big: self.dragon_size,
            pairs_each: f64::from(self.crowding),
            map: self.castle.then(GridMap::castle),
            seed: u64::from(self.seed),
            ..Wish::of(self.config())
        })
    }

    fn config(&self) -> BroadphaseConfig {
        let kind = |name, bound| CategoryConfig::uniform(name, bound).coarse();
        BroadphaseConfig::new()
            .category(kind("pixies", MIDDLE / self.spread))
            .category(kind("infantry", MIDDLE))
            .category(kind("cavalry", MIDDLE * self.spread))
            .category(CategoryConfig::oversized("dragons"))
    }
}

#[cfg(test)]
mod tests {
    use throng_swarm::setup::default_config;

    use super::*;

    #[test]
    fn sliders_stand_where_parallel_swarm_does_at_first() {
        assert_eq!(Sliders::default().config(), default_config());
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let refused = |sliders: Sliders| {
            sliders
                .wish()
                .map(drop)
                .expect_err("it is refused")
                .to_string()
        };
        let text = refused(Sliders {
            crowding: f32::NAN,
            ..Sliders::default()
        });
        assert_eq!(text, "crowding may be 0.05 to 8, not NaN");
        let text = refused(Sliders {
            agents: 0,
            ..Sliders::default()
        });
        assert_eq!(text, "agents may be 1 to 1000000, not 0");
    }
}
