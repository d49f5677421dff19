//! What is in this box? Asked again and again, all over the world, so that nearly everything that is read is a cache miss:
//! of each structure by itself, of a world that holds it, one by one and in batches, and of other libraries, in turns. What
//! they find is compared in every round. Before it is asked, a world has moved for some frames; other structures, and ours by
//! themselves, are built for where everything is then.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin questions
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin questions -- --rows 20k --walls 50k --rounds 50
//! ```

mod everybody;
mod tables;
mod trial;

use clap::Parser;
use throng_benches::{Population, parse_count};
use trial::Trial;

/// Compares questions to every structure, alone and through a world, with those to parry 0.31, rstar 0.14,
/// static_aabb2d_index 2.1 and geo-index 0.4, in turns.
#[derive(Parser, Clone, Debug)]
#[command(name = "questions", version)]
struct Args {
    /// How many rows are asked for two at a time; 100k and 1M are understood
    #[arg(long, value_name = "N", default_value = "200k", value_parser = parse_count)]
    rows: usize,

    /// How many walls are asked for one at a time
    #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_count)]
    walls: usize,

    /// How many questions everybody answers in each round; a power of two
    #[arg(long, value_name = "N", default_value = "65536", value_parser = parse_count)]
    questions: usize,

    /// Rounds, in each of which everybody answers the same questions
    #[arg(long, value_name = "K", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Only situations whose name contains this
    #[arg(long, value_name = "WORD", default_value = "")]
    only: String,

    /// Only those whose name contains this are asked
    #[arg(long, value_name = "WORD", default_value = "")]
    who: String,
}

/// Half extents of walls, as in the program `searches`.
const WALLS: [f32; 2] = [0.5, 20.0];

fn main() {
    let args = Args::parse();
    type Situation = (&'static str, f64, fn(&Args) -> Population);
    let situations: [Situation; 4] = [
        ("units of one size, in a grid", 2.0, |args| {
            throng_scenes::uniform(args.rows, 1.0, 1).into()
        }),
        ("boxes of 1 to 100, in strips", 2.0, |args| {
            Population::mixed(args.rows, 1.0, 1)
        }),
        ("scenery", 2.0, |args| {
            Population::walls(args.rows, WALLS, 0.5, 1)
        }),
        ("much scenery", 1.0, |args| {
            Population::walls(args.walls, WALLS, 0.5, 1)
        }),
    ];
    let asked_for = situations
        .into_iter()
        .filter(|(name, ..)| name.contains(&args.only));
    let trials: Vec<_> = asked_for
        .map(|(name, hits, population)| {
            let windows = (hits, args.questions);
            Trial::run(name, &population(&args), windows, args.rounds, &args.who)
        })
        .collect();
    println!("{}\n\n{}", tables::CONDITIONS, tables::questions(&trials));
}
