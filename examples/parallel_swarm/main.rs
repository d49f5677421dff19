//! A swarm of circles of several sizes that steer, collide, push apart and bounce, and dragons and walls among them.
//!
//! ```sh
//! cargo run --release --example parallel_swarm
//! cargo run --release --example parallel_swarm -- --oversized 12
//! cargo run --release --example parallel_swarm -- --map castle
//! cargo run --release --example parallel_swarm -- --headless --agents 500k --picture swarm.png
//! ```
//!
//! The swarm itself is in `../swarm`. Begin reading at its `swarm.rs`, which shows all that the broadphase and an engine say
//! to each other in a frame, and at `contacts.rs`, the narrowphase. `--help` says what else there is.

// Without a window, what only the window draws and does is not used.
#![cfg_attr(not(feature = "window"), allow(dead_code))]

mod allocations;
mod args;
mod asked;
#[path = "../shared/canvas.rs"]
mod canvas;
#[cfg(feature = "window")]
#[path = "../shared/display.rs"]
mod display;
mod flashes;
mod headless;
mod history;
#[cfg(feature = "window")]
mod keyboard;
#[cfg(feature = "window")]
mod overlay;
mod picture;
mod run;
mod sample;
mod summary;
mod verify;
#[cfg(test)]
mod walled_runs;
#[cfg(test)]
mod whole_runs;
#[cfg(feature = "window")]
mod window;

use std::{
    io::{self, Write},
    process::ExitCode,
};

#[cfg(test)]
use throng_swarm::motion;
use throng_swarm::{
    bodies, contacts, failure, figures, paint, pair_hash, setup, swarm, terrain, view, walls,
    witness,
};

use args::{Args, Request};
use failure::Failure;
use run::Run;

fn main() -> ExitCode {
    match args::read(std::env::args_os()).and_then(|request| match request {
        Request::Run(args) => start(*args),
        Request::Print(text) => say(&text),
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            note(&format!("parallel_swarm: {failure}"));
            failure.exit_code()
        }
    }
}

/// Runs the swarm in a window, or without one where there is none to be had.
fn start(args: Args) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads())
        .use_current_thread()
        .build()
        .map_err(|error| Failure::run(format!("the threads could not be started: {error}")))?;
    let mut run = Run::new(args)?;
    #[cfg(feature = "window")]
    if !run.args.headless {
        match window::open() {
            Ok(window) => {
                window::run(window, &mut run, &pool)?;
                return run.finish();
            }
            Err(reason) => note(&format!("no window ({reason}), so this runs headless")),
        }
    }
    let frames = run.args.headless_frames();
    headless::run(&mut run, &pool, frames)?;
    run.finish()
}

/// Prints what was asked for; a reader who has gone away is no error.
fn say(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{}", text.trim_end()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::run(format!(
            "the results could not be printed: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Tells the person something beside the output.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
