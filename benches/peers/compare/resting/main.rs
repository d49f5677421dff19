//! What a step costs where most proxies rest: throng told of what moves, throng given whole columns, throng in which nothing
//! rests, and peers that keep their trees, in turns over the same boxes, with what each finds compared before its time is
//! believed. Writing is part of the time: rows or columns of throng, the boxes of the peers.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin resting
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin resting -- --quick
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin resting -- --docs docs --note "in quiet"
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin resting -- --agents 200k --share 0.01 --churning
//! ```

mod args;
mod churn;
mod document;
#[cfg(feature = "all-peers")]
mod plots;
mod scene;
mod tables;
mod trial;
mod written_step;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use args::Args;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("resting: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut trials = Vec::new();
    for scene in args.scenes() {
        eprintln!("{scene}");
        trials.push(trial::run(scene, args)?);
    }
    println!("{}", tables::all(&trials));
    if let Some(docs) = &args.docs {
        document::write(docs, &trials, args)?;
    }
    Ok(())
}
