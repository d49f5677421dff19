//! A run without a window, and its figures.

use std::{error::Error, time::Duration};

use crate::check;
use crate::flock::{Flock, Times};

/// Frames of a run of which nobody says how long it is.
pub const FRAMES: u32 = 240;
/// For a few thousand boids, brute force takes a hundred times as long as a frame.
const CHECK_EVERY: u32 = 10;

/// Runs some frames, checks some of them if asked to, and prints the figures.
pub fn run(flock: &mut Flock, frames: u32, check: bool) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    let (mut neighbors, mut checked) = (0.0, 0);
    for frame in 1..=frames {
        flock.look()?;
        if check && (frame.is_multiple_of(CHECK_EVERY) || frame == frames) {
            checked += check::frame(flock)?;
        }
        flock.fly();
        times.push(flock.times);
        neighbors += flock.mean_neighbors() / f64::from(frames);
    }
    let ms = |part: fn(&Times) -> Duration| median(times.iter().map(part).collect());
    println!("agents      {}", flock.boids.len());
    println!("frames      {frames}");
    println!("neighbors   {neighbors:.1} for each, on average");
    println!(
        "ms a frame  {:.3}: {:.3} index, {:.3} visit, {:.3} rest (medians)",
        ms(|times| times.index + times.visit + times.fly),
        ms(|times| times.index),
        ms(|times| times.visit),
        ms(|times| times.fly),
    );
    println!("sorts       {}", flock.sorts);
    if check {
        println!("checked     {checked} sights and turns are those that brute force finds");
    }
    println!("hash        {:016x}", flock.hash());
    Ok(())
}

/// The median of some times in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let middle = times.get(times.len() / 2);
    middle.map_or(0.0, |time| 1e3 * time.as_secs_f64())
}
