//! How fast throng and everybody else find all pairs: frames in turns over one moving population, scene by scene, with
//! what each finds compared before its time is believed. After the scenes come whole frames with contacts (`with_contacts.rs`).
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin pairs
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin pairs -- --docs docs
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin pairs -- --scene even --agents 1M --simd avx2 --rounds 100
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin pairs -- --scene sizes,rings --only throng,broccoli --parts
//! ```
//!
//! Each scene is measured in a process of its own (`trial.rs`), which says what it is about to do before it does it
//! (`message.rs`). So whoever hangs, aborts or runs out of stack is known, is given up for that scene, and is a line that says
//! so in the tables; the others go on (`referee.rs`). Where stderr is no terminal, it has a line for each scene that is done
//! (`progress.rs`), so that a run which is stopped early still leaves results.

mod absent;
mod args;
mod conditions;
mod document;
mod entry;
mod figures;
mod message;
mod parts;
#[cfg(feature = "all-peers")]
mod plots;
mod progress;
mod referee;
mod scene;
mod tables;
mod trial;
mod with_contacts;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use args::Args;
use throng_benches::work_on;
use with_contacts::Frames;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pairs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    if let Some(index) = args.child {
        work_on(args.threads.into())?;
        return trial::run(args.scenes()[index], args, &mut message::print);
    }
    if let Some(circles) = args.contacts_child {
        return Ok(with_contacts::run_child(circles, args)?);
    }
    let trials = referee::run_all(args)?;
    let with_contacts = with_contacts::run_all(args);
    let absent = absent::absent(args);
    if args.json {
        let lines = trials.iter().flat_map(tables::json);
        let lines = lines.chain(absent.iter().flat_map(tables::json_of_absent));
        for line in lines.chain(with_contacts.iter().flat_map(Frames::json)) {
            println!("{line}");
        }
    } else {
        println!("{}\n", conditions::for_a_terminal(args));
        println!("{}", tables::all(&trials, &absent));
        println!("\n{}", tables::scaling(&trials));
        if args.parts {
            println!("\n{}\n", parts::shares(&trials));
            println!("{}", parts::memory(&trials));
        }
        if !with_contacts.is_empty() {
            println!("\n{}\n", with_contacts::CONDITIONS);
            println!("{}", with_contacts::table(&with_contacts));
        }
    }
    if let Some(docs) = &args.docs {
        document::write(docs, &trials, &with_contacts, args)?;
    }
    Ok(())
}
