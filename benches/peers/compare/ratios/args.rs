//! The command line.

use clap::Parser;
use throng::SimdLevel;
use throng_benches::{Case, Kind, Order, parse_count};

/// Compares throng with broccoli 6.3 and parry2d 0.31, and two threads with one, frame by frame in turns.
#[derive(Parser, Clone, Debug)]
#[command(name = "ratios", version, after_long_help = SCENES)]
pub struct Args {
    /// What lives in the world, one or several
    #[arg(
        long,
        value_name = "SCENE,..",
        value_delimiter = ',',
        value_enum,
        default_value = "uniform,mixed,rings"
    )]
    pub scene: Vec<Kind>,

    /// How many agents, one or several; 100k and 2M are understood [default: 100k,1M,2M of uniform, 250k of mixed, 200k
    /// of rings]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_count)]
    pub agents: Option<Vec<usize>>,

    /// Overlapping pairs per agent, one or several; rings has its own
    #[arg(long, value_name = "P,..", value_delimiter = ',', default_value = "1", value_parser = pairs)]
    pub pairs: Vec<f32>,

    /// Frames of each contender [default: 20 to 200, fewer for more agents]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// The instruction set: scalar, avx2 or avx512 [default: the best there is]
    #[arg(long, value_name = "LEVEL", value_parser = simd)]
    pub simd: Option<SimdLevel>,

    /// How many threads to compare with one
    #[arg(long, value_name = "T", default_value_t = 2, value_parser = clap::value_parser!(u16).range(2..=1024))]
    pub threads: u16,

    /// How agents lie in memory
    #[arg(long, value_enum, default_value_t = Order::Random)]
    pub order: Order,
}

/// What `--help` says of the scenes, after the options.
const SCENES: &str = "\
In every scene all agents move in every frame, and all pairs of overlapping boxes are found by everybody; the sets are
compared once before anything is timed, their sizes in every round. Ratios are taken round by round, to whichever peer
was the faster in that round.

uniform  boxes of one size in one coarse category: broccoli, the point grid alone, the whole step
mixed    half extents from 1 to 100, log-uniform, in one oversized category: broccoli, parry in two ways, each of the three
         structures for boxes of any size alone, the whole step
rings    units, one in twenty faeries, one in two hundred dragons, in three categories: broccoli and parry over all
         boxes together, the whole step; and what its parts cost, meetings of different categories above all";

impl Args {
    /// Everything that is asked for.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for &kind in &self.scene {
            let (sizes, pairs): (&[usize], _) = match kind {
                Kind::Uniform => (&[100_000, 1_000_000, 2_000_000], self.pairs.as_slice()),
                Kind::Mixed => (&[250_000], self.pairs.as_slice()),
                Kind::Rings => (&[200_000], &[1.0][..]),
            };
            let sizes = self.agents.as_deref().unwrap_or(sizes);
            for &pairs in pairs {
                let order = self.order;
                cases.extend(sizes.iter().map(|&agents| Case {
                    order,
                    ..Case::new(kind, agents, pairs)
                }));
            }
        }
        cases
    }

    /// The rounds asked for, or a number that takes some ten seconds.
    pub fn rounds(&self, agents: usize) -> usize {
        let asked = self.rounds.map(|rounds| rounds as usize);
        asked.unwrap_or_else(|| (50_000_000 / agents).clamp(20, 200))
    }

    /// The instruction set asked for, or the best there is.
    pub fn simd(&self) -> SimdLevel {
        self.simd.unwrap_or_else(SimdLevel::detect)
    }
}

/// A whole number; `20_000`, `20k` and `2M` are understood.
fn pairs(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(pairs) if (0.001..=100.0).contains(&pairs) => Ok(pairs),
        _ => Err("a number from 0.001 to 100 is needed".to_owned()),
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
    use super::{Args, Kind};
    use clap::{CommandFactory, Parser};

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("ratios").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn each_scene_has_sizes_of_its_own() {
        let args = parse("").unwrap();
        let cases = args.cases();
        let sizes = cases.iter().map(|case| (case.kind, case.agents));
        let expected = [
            (Kind::Uniform, 100_000),
            (Kind::Uniform, 1_000_000),
            (Kind::Uniform, 2_000_000),
            (Kind::Mixed, 250_000),
            (Kind::Rings, 200_000),
        ];
        assert_eq!(sizes.collect::<Vec<_>>(), expected);
        let rounds = [100_000, 1_000_000, 2_000_000].map(|agents| args.rounds(agents));
        assert_eq!((rounds, args.threads), ([200, 50, 25], 2));
    }

    #[test]
    fn what_is_given_is_taken() {
        let line = "--scene mixed,rings --agents 20k,1_500 --pairs 0.1,4 --rounds 3 --simd scalar";
        let args = parse(line).unwrap();
        let cases = args.cases();
        let cases = cases
            .iter()
            .map(|case| (case.kind, case.agents, case.pairs));
        let expected = [
            (Kind::Mixed, 20_000, 0.1),
            (Kind::Mixed, 1_500, 0.1),
            (Kind::Mixed, 20_000, 4.0),
            (Kind::Mixed, 1_500, 4.0),
            (Kind::Rings, 20_000, 1.0),
            (Kind::Rings, 1_500, 1.0),
        ];
        assert_eq!(cases.collect::<Vec<_>>(), expected);
        assert_eq!(args.rounds(20_000), 3);
        assert_eq!(args.simd().to_string(), "scalar");
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "--agents 0",
            "--agents x",
            "--scene town",
            "--pairs nan",
            "--rounds 0",
            "--simd mmx",
            "--threads 1",
            "1",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
