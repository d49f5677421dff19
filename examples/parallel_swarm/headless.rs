//! A run without a window: a progress bar, then the sums.

use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;

use crate::{failure::Failure, run::Run};

/// Runs all frames.
pub fn run(run: &mut Run, pool: &ThreadPool, frames: usize) -> Result<(), Failure> {
    let style =
        ProgressStyle::with_template("{bar:40.cyan/blue} {pos}/{len} frames  {msg}  {eta} left")
            .expect("the template is sound");
    // Hidden by itself where the output is not a terminal.
    let bar = ProgressBar::new(frames as u64).with_style(style);
    run.begin(Some(frames), true)?;
    pool.install(|| {
        for _ in 0..frames {
            let figures = run.frame()?;
            if bar.is_hidden() {
                continue;
            }
            bar.set_message(format!("{} pairs  {:.2} ms", figures.pairs, figures.frame));
            bar.inc(1);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(())
}
