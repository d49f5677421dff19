//! How much faster than a peer, and how much faster on more threads: frames of all contenders in turns, over one moving
//! scene, with their pairs compared in every frame.
//!
//! ```sh
//! cargo run --release -p throng-benches --bin ratios
//! cargo run --release -p throng-benches --bin ratios -- --agents 1M --simd avx2 --rounds 100
//! ```

mod args;
mod memory;
mod samples;
mod tables;
mod trial;

use std::process::ExitCode;

use clap::Parser;
use throng_benches::Case;

use args::Args;
use memory::Memory;
use trial::{Trial, TrialError};

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ratios: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), TrialError> {
    let mut trials = Vec::new();
    for &pairs in &args.pairs {
        for &agents in &args.agents {
            let case = Case {
                agents,
                pairs,
                order: args.order,
            };
            trials.push(Trial::run(case, args)?);
        }
    }
    println!("{}\n", tables::conditions(args));
    println!("{}\n", tables::against_broccoli(&trials));
    println!("{}\n", tables::scaling(&trials));
    println!("{}", tables::memory(&trials));
    Ok(())
}
