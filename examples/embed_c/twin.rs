//! A swarm of 100,000 marbles, with timings, as `main.c` has it: to see what it costs to come from C.
//!
//! ```sh
//! make -C examples/embed_c compare
//! ```

mod swarm;

use std::time::{Duration, Instant};

use swarm::Swarm;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Result<Vec<usize>, String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--headless")
        .map(|argument| {
            argument.parse().map_err(|_| {
                format!("{argument:?} is not a whole number; usage: embed_c_twin [marbles] [frames] [threads]")
            })
        })
        .collect();
    let arguments = arguments?;
    let argument = |index: usize, usual: usize| arguments.get(index).copied().unwrap_or(usual);
    let (marbles, frames, threads) = (argument(0, 100_000), argument(1, 300), argument(2, 0));
    if threads > 0 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global()?;
    }

    let mut swarm = Swarm::new(marbles, 1)?;
    let (mut whole, mut steps, mut contacts) = (Vec::new(), Vec::new(), 0);
    for _ in 0..frames {
        let started = Instant::now();
        let frame = swarm.frame()?;
        whole.push(started.elapsed());
        steps.push(frame.step);
        contacts += frame.contacts;
    }
    let [[frame, best], [step, best_step]] =
        [median_and_best(&mut whole)?, median_and_best(&mut steps)?];
    println!(
        "rust  {marbles} marbles, {frames} frames, {contacts} contacts, hash {:016x}, ms a frame: {frame:.3} (best {best:.3}), of \
         which steps: {step:.3} (best {best_step:.3})",
        swarm.hash
    );
    Ok(())
}

/// In milliseconds.
fn median_and_best(times: &mut [Duration]) -> Result<[f64; 2], &'static str> {
    times.sort_unstable();
    let best = times.first().ok_or("at least one frame")?;
    Ok([times[times.len() / 2], *best].map(|time| 1000.0 * time.as_secs_f64()))
}
