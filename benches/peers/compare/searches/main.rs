//! How fast static trees are built and searched: the packed quadtree, static_aabb2d_index, geo-index and rstar in turns, over the
//! same boxes and queries, with what they find compared in every round; and what a frame costs that meets scenery.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin searches
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin searches -- --boxes 100k,1M --rounds 50
//! ```

mod frame;
mod tables;
mod trial;

use clap::Parser;
use throng_benches::parse_count;

/// Compares the packed quadtree with static_aabb2d_index 2.1, geo-index 0.4 and rstar 0.14, query by query in turns.
#[derive(Parser, Clone, Debug)]
#[command(name = "searches", version)]
struct Args {
    /// How many boxes, one or several; 100k and 1M are understood
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1k,10k,100k,1M", value_parser = parse_count)]
    boxes: Vec<usize>,

    /// Rounds, in each of which everybody answers the same queries
    #[arg(long, value_name = "K", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Frames that meet scenery
    #[arg(long, value_name = "K", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
}

fn main() {
    let args = Args::parse();
    let trials: Vec<_> = args
        .boxes
        .iter()
        .map(|&boxes| trial::Trial::run(boxes, args.rounds))
        .collect();
    println!("{}\n", tables::CONDITIONS);
    println!("{}\n", tables::builds(&trials));
    println!("{}\n", tables::searches(&trials));
    let frames = [false, true].map(|exact| frame::measure(args.frames, exact));
    println!("{}", tables::frames(&frames));
}
