//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use throng::SimdLevel;
use throng_benches::{Order, parse_count};

use crate::message::Who;
use crate::scene::{Kind, Scene};
use crate::with_contacts::CIRCLES;

/// Compares throng with every peer there is: all pairs of boxes that move, frame by frame in turns.
#[derive(Parser, Clone, Debug)]
#[command(name = "pairs", version, after_long_help = NOTES)]
pub struct Args {
    /// What lives in the world, one or several [default: the whole catalogue]
    #[arg(long, value_name = "SCENE,..", value_delimiter = ',', value_enum)]
    pub scene: Vec<Kind>,

    /// How many agents, one or several, where scenes are given; 100k and 2M are understood
    #[arg(long, value_name = "N,..", value_delimiter = ',', requires = "scene", default_value = "100k", value_parser = parse_count)]
    pub agents: Vec<usize>,

    /// Overlapping pairs per agent, one or several, of the scenes even and sizes
    #[arg(long, value_name = "P,..", value_delimiter = ',', requires = "scene", default_value = "1", value_parser = pairs)]
    pub pairs: Vec<f32>,

    /// How many times as large as the smallest box the largest is, one or several, of the scene sizes
    #[arg(long, value_name = "X,..", value_delimiter = ',', requires = "scene", default_value = "100", value_parser = spread)]
    pub spread: Vec<f32>,

    /// The part of all agents that moves, one or several
    #[arg(long, value_name = "S,..", value_delimiter = ',', requires = "scene", default_value = "1", value_parser = share)]
    pub share: Vec<f64>,

    /// How agents lie in memory
    #[arg(long, value_enum, requires = "scene", default_value_t = Order::Random)]
    pub order: Order,

    /// The whole catalogue with more sizes, densities and spreads, up to 10M agents
    #[arg(long, conflicts_with = "scene")]
    pub full: bool,

    /// How many circles there are in whole frames with contacts, one or several [default: 20k,100k,1M, or none where scenes are given]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_count)]
    pub contacts: Vec<usize>,

    /// Leave out whole frames with contacts
    #[arg(long, conflicts_with = "contacts")]
    pub no_contacts: bool,

    /// Take part, by name or the beginning of it: all others do not
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Do not take part, by name or the beginning of it
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub without: Vec<String>,

    /// Rounds: in scenes at most [default: 20 to 200, fewer for more agents], in frames with contacts exactly [default: 80 to 400]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// Seconds that each may spend on its rounds in a scene, after the first three
    #[arg(long, value_name = "S", default_value_t = 0.4)]
    pub budget: f64,

    /// Seconds for a frame, after which whoever has it is cut off; the first, which builds, has six times as many
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,

    /// The instruction set of throng in scenes: scalar, avx2 or avx512 [default: the best there is]
    #[arg(long, value_name = "LEVEL", value_parser = simd)]
    pub simd: Option<SimdLevel>,

    /// How many threads to have besides one; 1 for none
    #[arg(long, value_name = "T", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// What throng's frames consist of: its structures alone, masks on every row, shares of a frame, memory
    #[arg(long)]
    pub parts: bool,

    /// Lines of JSON instead of tables: for each contender on each scene and in frames with contacts, and for whoever is not there
    #[arg(long)]
    pub json: bool,

    /// Write the tables of benchmarks.md in this folder between its markers, and its plots
    #[arg(long, value_name = "FOLDER")]
    pub docs: Option<PathBuf>,

    /// What the document is to say of the machine, such as that it was quiet
    #[arg(long, value_name = "TEXT", requires = "docs")]
    pub note: Option<String>,

    /// Measure this scene of all and say so in messages
    #[arg(long, hide = true)]
    pub child: Option<usize>,

    /// Measure whole frames of so many circles and print their figures
    #[arg(long, hide = true, value_parser = parse_count)]
    pub contacts_child: Option<usize>,

    /// Only this one besides throng, of all that take part
    #[arg(long, hide = true)]
    pub alone: Option<String>,

    /// Without this one, which has failed before
    #[arg(long, hide = true)]
    pub failed: Vec<String>,
}

/// What `--help` says after the options.
const NOTES: &str = "\
Everybody's pairs are counted in every round, and compared as sets before the first and after the last; whoever finds others
has failed. Ratios are taken round by round. Times are ns per agent that moves or may move.

After the scenes come whole frames with contacts, as the program contacts measures them: throng on one thread, and on --threads,
always with the best instruction set; the others on one. They run all their rounds: --budget and --limit do not apply.

With the feature all-peers of this package, rapier, obvhs and Box2D's tree take part, and --docs draws plots.";

impl Args {
    /// Everything that is asked for.
    pub fn scenes(&self) -> Vec<Scene> {
        if self.scene.is_empty() {
            return Scene::catalogue(self.full);
        }
        let mut scenes = Vec::new();
        for &kind in &self.scene {
            let one = [1.0_f32];
            let pairs = if kind.has_density() {
                &self.pairs
            } else {
                &one[..]
            };
            let spreads = if kind == Kind::Sizes {
                &self.spread
            } else {
                &one[..]
            };
            for &agents in &self.agents {
                for &pairs in pairs {
                    for &spread in spreads {
                        scenes.extend(self.share.iter().map(|&share| Scene {
                            pairs,
                            spread,
                            share,
                            order: self.order,
                            ..Scene::new(kind, agents)
                        }));
                    }
                }
            }
        }
        scenes
    }

    /// How many circles there are in frames with contacts, of each that is asked for.
    pub fn circles(&self) -> Vec<usize> {
        if self.no_contacts {
            Vec::new()
        } else if self.contacts.is_empty() && self.scene.is_empty() {
            CIRCLES.to_vec()
        } else {
            self.contacts.clone()
        }
    }

    /// One, and more if there are to be more.
    pub fn thread_counts(&self) -> Vec<usize> {
        let mut counts = vec![1, usize::from(self.threads)];
        counts.dedup();
        counts
    }

    /// Whether somebody takes part.
    pub fn wants(&self, who: &Who) -> bool {
        let name = who.name.as_str();
        let in_any = |names: &[String]| names.iter().any(|begin| name.starts_with(begin.as_str()));
        let is_meant = self.alone.as_ref().is_none_or(|alone| alone == name)
            && self.failed.iter().all(|failed| failed != name);
        is_meant && (self.only.is_empty() || in_any(&self.only)) && !in_any(&self.without)
    }

    /// The rounds asked for, or a number that is enough.
    pub fn rounds(&self, agents: usize) -> usize {
        let asked = self.rounds.map(|rounds| rounds as usize);
        asked.unwrap_or_else(|| (50_000_000 / agents).clamp(20, 200))
    }

    /// How long somebody may spend on a scene.
    pub fn budget(&self) -> Duration {
        Duration::from_secs_f64(self.budget.clamp(0.0, 1e6))
    }

    /// How long a frame may take.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.limit)
    }

    /// The instruction set asked for, or the best there is.
    pub fn simd(&self) -> SimdLevel {
        self.simd.unwrap_or_else(SimdLevel::detect)
    }
}

fn pairs(text: &str) -> Result<f32, String> {
    number(text, 0.001, 100.0).map(|number| number as f32)
}

fn spread(text: &str) -> Result<f32, String> {
    number(text, 1.0, 1e4).map(|number| number as f32)
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 1e-6, 1.0)
}

fn number(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("a number from {low} to {high} is needed")),
    }
}

fn simd(text: &str) -> Result<SimdLevel, String> {
    let level: SimdLevel = text.parse().map_err(|error| format!("{error}"))?;
    let best = SimdLevel::detect();
    if level.is_available() {
        Ok(level)
    } else {
        Err(format!("this machine has {best} at best"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, Kind, Scene, Who};
    use clap::{CommandFactory, Parser};

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("pairs").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn without_scenes_the_catalogue_is_measured() {
        let args = parse("").unwrap();
        assert_eq!(args.scenes(), Scene::catalogue(false));
        assert_eq!(args.thread_counts(), [1, 2]);
        let rounds = [100_000, 1_000_000, 10_000_000].map(|agents| args.rounds(agents));
        assert_eq!(rounds, [200, 50, 20]);
        let full = parse("--full --threads 1").unwrap();
        assert!(full.scenes().len() > args.scenes().len());
        assert_eq!(full.thread_counts(), [1]);
    }

    #[test]
    fn what_is_given_is_taken() {
        let line = "--scene sizes,rings --agents 20k,1_500 --pairs 0.1,4 --rounds 3 --simd scalar";
        let args = parse(line).unwrap();
        let scenes = args.scenes();
        let scenes = scenes
            .iter()
            .map(|scene| (scene.kind, scene.agents, scene.pairs));
        let expected = [
            (Kind::Sizes, 20_000, 0.1),
            (Kind::Sizes, 20_000, 4.0),
            (Kind::Sizes, 1_500, 0.1),
            (Kind::Sizes, 1_500, 4.0),
            (Kind::Rings, 20_000, 1.0),
            (Kind::Rings, 1_500, 1.0),
        ];
        assert_eq!(scenes.collect::<Vec<_>>(), expected);
        assert_eq!(
            (args.rounds(20_000), args.simd().to_string()),
            (3, "scalar".to_owned())
        );
    }

    #[test]
    fn who_takes_part_is_said_by_the_beginning_of_names() {
        let wanted = |line: &str, name: &str| {
            let who = Who {
                name: name.to_owned(),
                threads: 1,
            };
            parse(line).unwrap().wants(&who)
        };
        assert!(wanted("", "rstar") && wanted("--only rs", "rstar"));
        assert!(!wanted("--only broccoli", "rstar") && !wanted("--without rstar,x", "rstar"));
        assert!(!wanted("--only parry --failed rstar", "rstar") && wanted("--failed r", "rstar"));
        assert!(wanted("--alone rstar", "rstar") && !wanted("--alone rstar", "broccoli"));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "--scene even --agents 0",
            "--agents 5",
            "--scene town",
            "--scene even --pairs nan",
            "--scene even --share 2",
            "--scene even --full",
            "--rounds 0",
            "--simd mmx",
            "--threads 0",
            "--note x",
            "1",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
