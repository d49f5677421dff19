//! The command line.

use clap::Parser;

use crate::parse_count;

/// How many frames a circle lives, if nothing is said.
const LIFETIME: u32 = 500;

/// Measures whole frames of circles that collide: centres written, pairs found, circles tested, contacts kept; everybody in
/// turns, over the same circles.
#[derive(Parser, Clone, Debug)]
#[command(name = "contacts", version)]
pub struct Args {
    /// How many circles, one or several; 100k and 2M are understood
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "20k,100k,1M", value_parser = parse_count)]
    pub agents: Vec<usize>,

    /// Frames of everybody, after 30 that are not timed [default: 80 to 400, fewer for more circles]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// How many frames a circle lives before it dies and is born elsewhere; 0: for ever
    #[arg(long, value_name = "FRAMES", default_value_t = LIFETIME)]
    pub lifetime: u32,

    /// How many threads throng works on; stages are then worker time, and the whole frame what passes
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// Prints a line of JSON for everybody instead of tables
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// As if lines of JSON were asked for, of so many circles.
    pub fn for_lines(circles: usize, rounds: Option<u32>, threads: u16) -> Self {
        Self {
            agents: vec![circles],
            rounds,
            lifetime: LIFETIME,
            threads,
            json: true,
        }
    }

    /// The rounds asked for, or a number that takes some ten seconds to two minutes.
    pub fn rounds(&self, circles: usize) -> u32 {
        self.rounds
            .unwrap_or_else(|| (40_000_000 / circles).clamp(80, 400) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("contacts").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn what_is_given_is_taken() {
        let args = parse("").unwrap();
        assert_eq!(args.agents, [20_000, 100_000, 1_000_000]);
        assert_eq!(
            [20_000, 200_000, 1_000_000].map(|n| args.rounds(n)),
            [400, 200, 80]
        );
        let args = parse("--agents 2M,5 --rounds 7 --lifetime 0 --threads 2 --json").unwrap();
        assert_eq!(
            (args.agents.as_slice(), args.rounds(5)),
            (&[2_000_000, 5][..], 7)
        );
        assert_eq!((args.lifetime, args.threads, args.json), (0, 2, true));
    }

    #[test]
    fn another_program_asks_as_a_command_line_does() {
        let said = |args: Args| format!("{args:?}");
        let asked = parse("--agents 5k --threads 2 --json").unwrap();
        assert_eq!(said(Args::for_lines(5_000, None, 2)), said(asked));
        let asked = parse("--agents 5k --rounds 7 --json").unwrap();
        assert_eq!(said(Args::for_lines(5_000, Some(7), 1)), said(asked));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "--agents 0",
            "--rounds 0",
            "--lifetime -1",
            "--threads 0",
            "20k",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
