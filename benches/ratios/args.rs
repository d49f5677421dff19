//! The command line.

use clap::Parser;
use throng::SimdLevel;
use throng_benches::Order;

/// Compares throng with broccoli 6.3, and two threads with one, frame by frame in turns.
#[derive(Parser, Clone, Debug)]
#[command(name = "ratios", version)]
pub struct Args {
    /// How many agents, one or several; 100k and 2M are understood
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "100k,1M,2M", value_parser = agents)]
    pub agents: Vec<usize>,

    /// Overlapping pairs per agent, one or several
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

impl Args {
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
fn agents(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let number: usize = digits
        .replace('_', "")
        .parse()
        .map_err(|_| "a whole number is needed, such as 20000 or 20k".to_owned())?;
    match number.checked_mul(unit) {
        Some(agents @ 1..=50_000_000) => Ok(agents),
        _ => Err("it must be from 1 to 50M".to_owned()),
    }
}

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
    use super::Args;
    use clap::{CommandFactory, Parser};

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("ratios").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn defaults_are_the_three_sizes() {
        let args = parse("").unwrap();
        assert_eq!(args.agents, [100_000, 1_000_000, 2_000_000]);
        let rounds: Vec<usize> = args
            .agents
            .iter()
            .map(|&agents| args.rounds(agents))
            .collect();
        assert_eq!(rounds, [200, 50, 25]);
        assert_eq!((args.pairs, args.threads), (vec![1.0], 2));
    }

    #[test]
    fn what_is_given_is_taken() {
        let args = parse("--agents 20k,1_500 --pairs 0.1,4 --rounds 3 --simd scalar").unwrap();
        assert_eq!(
            (args.agents.as_slice(), args.pairs.as_slice()),
            (&[20_000, 1_500][..], &[0.1, 4.0][..])
        );
        assert_eq!(args.rounds(20_000), 3);
        assert_eq!(args.simd().to_string(), "scalar");
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "--agents 0",
            "--agents x",
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
