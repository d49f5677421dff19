//! A complete small engine of one's own: soldiers, dragons and walls in plain structs of arrays.
//!
//! ```sh
//! cargo run --release --example embed_custom
//! cargo run --release --example embed_custom -- --headless
//! ```
//!
//! Two armies look for each other, fight at arm's length, burn under dragons and in fires, heal in shrines and go around
//! walls. What the engine asks the broadphase in a frame: who is the nearest enemy of each soldier, and is there a wall
//! between them (many queries at once); who collides (the step); who has come into a fire or a shrine, or gone (its events);
//! who stands within reach (pairs within a distance); who is under the mouse; whom does the camera see. `--headless` opens no window and checks each of these against brute force now and then.

mod bodies;
#[path = "../shared/canvas.rs"]
mod canvas;
mod check;
mod contacts;
#[cfg(feature = "window")]
#[path = "../shared/display.rs"]
mod display;
mod draw;
mod engine;
mod eyes;
mod fight;
mod grounds;
#[cfg(feature = "window")]
mod window;

use std::{error::Error, path::PathBuf, process::ExitCode};

use clap::Parser;

use engine::Engine;

/// Brute force takes a hundred times as long as a frame.
const CHECK_EVERY: u32 = 10;

/// What may be asked for.
#[derive(Parser, Debug)]
#[command(name = "embed_custom", version)]
struct Args {
    /// Soldiers on each side
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    soldiers: u32,

    /// Frames to run without a window
    #[arg(long, value_name = "K", default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,

    /// Draws the last frame
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Opens no window, and checks every tenth frame against brute force
    #[arg(long)]
    headless: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("embed_custom: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    // This thread steps the world, and so it is one of those that the others work with.
    rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global()?;
    let mut engine = Engine::new(args.soldiers)?;
    #[cfg(feature = "window")]
    if !args.headless {
        match window::open() {
            Ok(window) => return window::run(window, &mut engine),
            Err(reason) => println!("No window: {reason}. Without one:"),
        }
    }
    let mut totals = check::Totals::default();
    for _ in 0..args.frames {
        engine.frame()?;
        if args.headless && engine.frames.is_multiple_of(CHECK_EVERY) {
            check::frame(&engine)?;
        }
        totals.add(&engine)?;
    }
    if let Some(path) = &args.picture {
        draw::write_png(path, &engine)?;
    }
    println!("{totals}");
    if args.headless {
        println!("Everything that was found is what brute force finds.");
    }
    Ok(())
}
