//! Boids by the hundred thousand: each sees all others near it, in every frame.
//!
//! ```sh
//! cargo run --release --example flock
//! cargo run --release --example flock -- --headless --check --picture flock.png
//! ```
//!
//! Begin reading at `flock.rs`, which shows a frame: tell the world where everybody is, visit each boid with what is near
//! it, move. In the window they flee from the mouse, and Escape ends. `--headless` opens no window; with `--check` it
//! compares what boids saw with brute force now and then.

// Without a window, what only the window draws and does is not used.
#![cfg_attr(not(feature = "window"), allow(dead_code))]

mod boids;
#[path = "../shared/canvas.rs"]
#[allow(dead_code, reason = "a flock has no boxes and no text")]
mod canvas;
mod check;
#[cfg(feature = "window")]
#[path = "../shared/display.rs"]
mod display;
mod draw;
mod flock;
mod headless;
mod rules;
mod sums;
#[cfg(test)]
mod tests;
#[cfg(feature = "window")]
mod window;

use std::{error::Error, path::PathBuf, process::ExitCode};

use clap::Parser;
use rayon::ThreadPoolBuilder;
use throng_scenes::parse_count;

use flock::Flock;

/// What may be asked for.
#[derive(Parser, Debug)]
#[command(name = "flock", version)]
struct Args {
    /// How many boids; 20k and 2M are understood
    #[arg(long, value_name = "N", default_value = "100000", value_parser = agents)]
    agents: usize,

    /// Frames to run, then stop [default: until the window is closed; 240 without one]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,

    /// Threads to use [default: one for each processor]
    #[arg(long, value_name = "T", value_parser = threads)]
    threads: Option<usize>,

    /// Where the random numbers start; the same seed gives the same run on any number of threads
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Sorts boids by space every so many frames [default: when enough of the order is lost]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    sort_every: Option<u32>,

    /// Draws the last frame
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Opens no window
    #[arg(long)]
    headless: bool,

    /// Compares every tenth frame, and the last, with brute force (of a large flock, some boids of it)
    #[arg(long, requires = "headless")]
    check: bool,
}

fn agents(text: &str) -> Result<usize, String> {
    parse_count(text, 1..=10_000_000)
}

fn threads(text: &str) -> Result<usize, String> {
    parse_count(text, 1..=1024)
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("flock: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    // This thread is one of them. As many as there are processors if nobody says otherwise.
    ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0))
        .use_current_thread()
        .build_global()?;
    let mut flock = Flock::new(args.agents, args.seed)?;
    flock.sort_every = args.sort_every;
    run_frames(args, &mut flock)?;
    if let Some(path) = &args.picture {
        draw::write_png(path, &flock)?;
    }
    Ok(())
}

fn run_frames(args: &Args, flock: &mut Flock) -> Result<(), Box<dyn Error>> {
    #[cfg(feature = "window")]
    if !args.headless {
        match window::open() {
            Ok(window) => return window::run(window, flock, args.frames),
            Err(reason) => println!("No window: {reason}. Without one:"),
        }
    }
    headless::run(flock, args.frames.unwrap_or(headless::FRAMES), args.check)
}
