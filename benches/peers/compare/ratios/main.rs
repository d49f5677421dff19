//! How much faster than peers, and how much faster on more threads: frames of all contenders in turns, over one moving
//! population, with their pairs compared in every frame.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin ratios
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin ratios -- --scene uniform --agents 1M --simd avx2 --rounds 100
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin ratios -- --scene mixed,rings
//! ```

mod args;
mod contenders;
mod tables;
mod trial;

use std::process::ExitCode;

use clap::Parser;

use args::Args;
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
    let cases = args.cases().into_iter();
    let trials: Vec<_> = cases
        .map(|case| Trial::run(case, args))
        .collect::<Result<_, _>>()?;
    println!("{}\n", tables::conditions(args));
    println!("{}\n", tables::against_peers(&trials));
    println!("{}\n", tables::scaling(&trials));
    println!("{}\n", tables::shares(&trials));
    println!("{}", tables::memory(&trials));
    Ok(())
}
