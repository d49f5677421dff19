//! What can be chosen.

use std::path::PathBuf;

use clap::Parser;
use throng_benches::parse_count;

use crate::scene::{Layout, Scene};

/// The shares that move, if nothing is said.
const SHARES: [f64; 6] = [0.001, 0.01, 0.025, 0.05, 0.1, 1.0];
/// From this share on, there is a tenth of the churn: all trees are kept whole then, and it takes long.
const LARGE: f64 = 0.5;

/// Compares steps in which most proxies rest: throng in four ways, and peers that keep their trees, on one thread.
#[derive(Parser, Clone, Debug)]
#[command(name = "resting", version, after_help = NOTES)]
pub struct Args {
    /// How many proxies, one or several [default: 200k, and 1M with a thousand that move]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_count)]
    pub agents: Vec<usize>,

    /// Which part of them moves, one or several [default: 0.001 to 1]
    #[arg(long, value_name = "S,..", value_delimiter = ',', value_parser = share)]
    pub share: Vec<f64>,

    /// Steps before the first that is timed, in each of which a twentieth of those that move falls asleep and as many others wake; a tenth of it if half move or more
    #[arg(long, value_name = "K", default_value_t = 1_000)]
    pub churn: u32,

    /// Go on like that while it is timed
    #[arg(long)]
    pub churning: bool,

    /// Rounds, in each of which everybody has a step
    #[arg(long, value_name = "K", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// 200k alone with 1 and 10 % that move, a hundred steps of churn and twenty rounds
    #[arg(long, conflicts_with_all = ["agents", "share", "churn", "rounds", "docs"])]
    pub quick: bool,

    /// Do not take part, by name or the beginning of it
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub without: Vec<String>,

    /// Write the table of benchmarks.md in this folder between its markers, and its plots
    #[arg(long, value_name = "FOLDER")]
    pub docs: Option<PathBuf>,

    /// What the document is to say of the machine, such as that it was quiet
    #[arg(long, value_name = "TEXT", requires = "docs")]
    pub note: Option<String>,
}

/// What `--help` says after the options.
const NOTES: &str = "\
Everybody's pairs are compared as sets with those of a sweep, before the first round and after the last, and counted in every
round; whoever finds others ends the program. Times are those of the thread, in microseconds a step, writing included.

With the feature all-peers of this package, rapier, Box2D's tree and obvhs take part, and --docs draws plots.";

impl Args {
    /// Everything that is asked for.
    pub fn scenes(&self) -> Vec<Scene> {
        let own = |agents: &[usize], shares: &[f64]| {
            let mut scenes = Vec::new();
            for layout in Layout::ALL {
                for &agents in agents {
                    scenes.extend(shares.iter().map(|&share| Scene {
                        agents,
                        share,
                        layout,
                    }));
                }
            }
            scenes
        };
        if self.quick {
            return own(&[200_000], &[0.01, 0.1]);
        }
        let shares = if self.share.is_empty() {
            &SHARES
        } else {
            &self.share[..]
        };
        if !self.agents.is_empty() {
            return own(&self.agents, shares);
        }
        let mut scenes = own(&[200_000], shares);
        if self.share.is_empty() {
            scenes.extend(own(&[1_000_000], &[0.001]));
        }
        scenes
    }

    /// Steps before the first that is timed.
    pub fn churn(&self, scene: Scene) -> u32 {
        let churn = if self.quick { 100 } else { self.churn };
        if scene.share >= LARGE {
            churn.div_ceil(10)
        } else {
            churn
        }
    }

    /// Rounds that are timed.
    pub fn rounds(&self) -> u32 {
        if self.quick { 20 } else { self.rounds }
    }

    /// Whether somebody takes part.
    pub fn wants(&self, name: &str) -> bool {
        let mut without = self.without.iter();
        without.all(|begin| !name.starts_with(begin.as_str()))
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (1e-6..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 1e-6 to 1 is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Args;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("resting").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn scenes_are_those_asked_for() {
        let count = |line: &str| parse(line).unwrap().scenes().len();
        assert_eq!(
            [count(""), count("--quick"), count("--share 0.1,1")],
            [14, 4, 4]
        );
        assert_eq!(count("--agents 1k,2k --share 0.1"), 4);
        let args = parse("--quick --without rap").unwrap();
        let churn = args.scenes().into_iter().map(|scene| args.churn(scene));
        assert!(churn.eq([100; 4]));
        assert_eq!(args.rounds(), 20);
        assert!(!args.wants("rapier") && args.wants("Box2D tree"));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "--share 2",
            "--share x",
            "--rounds 0",
            "--quick --agents 5",
            "--note x",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
