//! How the cost of a step grows: nanoseconds an agent and stage over the number of agents, beside a loop that only copies the
//! centers and writes as many pairs; and how evenly a step can be shared by up to 64 workers, on a machine that has fewer.
//! Equal agents evenly spread, a pair each, rows in random order, all of them moving; one thread.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin growth
//! cargo run --release --manifest-path benches/Cargo.toml --bin growth -- --agents 10k,10M --divide 1M --workers 16
//! ```

mod crowd;
mod division;
mod stages;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use indicatif::ProgressBar;
use throng_benches::{parse_count, short};

/// How the cost of a step grows with the number of agents, and how it can be shared.
#[derive(Parser)]
struct Args {
    /// How many agents; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "1k,3k,10k,30k,100k,300k,1M,3M,10M")]
    agents: Vec<usize>,
    /// How many agents to share among workers; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "20k,100k,1M")]
    divide: Vec<usize>,
    /// Among how many workers; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..), default_value = "2,4,8,16,32,64")]
    workers: Vec<u16>,
    /// How often each is measured; by default less often, the more agents there are.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
}

impl Args {
    fn rounds(&self, agents: usize) -> usize {
        let usual = (20_000_000 / agents.max(1)).clamp(8, 1_000);
        self.rounds.map_or(usual, |rounds| rounds as usize)
    }
}

fn main() {
    let args = Args::parse();
    let bar = ProgressBar::new((args.agents.len() + args.divide.len()) as u64);
    let mut growth = table(&[
        "agents",
        "fill",
        "index",
        "pairs",
        "rest of the step",
        "whole",
        "copying alone",
        "compared",
        "pairs each",
        "bytes",
    ]);
    for &agents in &args.agents {
        growth.add_row(stages::row(agents, args.rounds(agents)));
        bar.inc(1);
    }
    let counts = args.workers.iter().map(u16::to_string);
    let head: Vec<_> = ["agents".to_owned()].into_iter().chain(counts).collect();
    let mut division = table(&head);
    for &agents in &args.divide {
        let rounds = args.rounds(agents).min(40);
        let shared = args.workers.iter();
        let shared = shared.map(|&workers| division::cell(agents, usize::from(workers), rounds));
        division.add_row([short(agents)].into_iter().chain(shared));
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!(
        "Nanoseconds an agent, the best average over sixteen frames; boxes compared with each; bytes of the world and its outputs.\n"
    );
    println!("{growth}\n");
    println!(
        "How many times faster so many workers could be, none of whom waits for another's memory.\n"
    );
    println!("{division}");
}

fn table(head: &[impl AsRef<str>]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(head.iter().map(AsRef::as_ref));
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
        let args = Args::parse_from(["growth"]);
        assert_eq!((args.rounds(1_000), args.rounds(10_000_000)), (1_000, 8));
        assert!(Args::try_parse_from(["growth", "--workers", "0"]).is_err());
    }
}
