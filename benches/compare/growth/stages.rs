//! What each stage of a step takes.
//!
//! While rows are near where they were, an index is only refitted, and from time to time it is built. So what is taken is the best
//! average over several frames in a row, not the best frame.

use std::hint::black_box;
use std::time::Instant;

use throng::{CountPairs, Serial};
use throng_benches::{Samples, short};

use crate::crowd::Crowd;

/// How many frames in a row an average is taken of: a crowd is back where it was after eight.
const FRAMES: usize = 16;

/// A row of the table.
pub fn row(agents: usize, rounds: usize) -> Vec<String> {
    let mut crowd = Crowd::new(agents);
    let mut copy = Copying::new(agents);
    let mut stages: [Samples; 6] = Default::default();
    let (mut pairs, mut candidates, mut bytes) = (0, 0, 0);
    let mut sums = [0.0; 6];
    for frame in 0..=rounds.div_ceil(FRAMES) * FRAMES {
        crowd.advance();
        let started = Instant::now();
        crowd.fill();
        let filled = started.elapsed();
        let step = crowd.world.step_on(&Serial, &CountPairs);
        let whole = started.elapsed();
        let report = step.report();
        let times = &report.stages;
        (pairs, candidates) = (report.pairs, report.candidates);
        bytes = report.bytes;
        let parts = [filled, times.index, times.pairs];
        let rest = whole.saturating_sub(parts.iter().sum());
        let started = Instant::now();
        copy.run(&crowd, pairs);
        let copied = started.elapsed();
        // The first step makes the plan that the others keep.
        if frame == 0 {
            continue;
        }
        let all = parts.into_iter().chain([rest, whole, copied]);
        for ((sum, samples), time) in sums.iter_mut().zip(&mut stages).zip(all) {
            *sum += time.as_secs_f64() * 1e9 / agents as f64;
            if frame % FRAMES == 0 {
                samples.push(std::mem::take(sum) / FRAMES as f64);
            }
        }
    }
    let each = |count: u64| count as f64 / agents as f64;
    let times = stages
        .iter()
        .map(|samples| format!("{:.1}", samples.best()));
    let counts = [each(candidates), each(pairs)].map(|count| format!("{count:.1}"));
    let bytes = format!("{:.0}", each(bytes as u64));
    let row = [short(agents)].into_iter().chain(times);
    row.chain(counts).chain([bytes]).collect()
}

/// What even a search that knew all pairs would have to do: read every center, and write every pair.
struct Copying {
    centers: [Vec<f32>; 2],
    pairs: Vec<[u32; 2]>,
}

/// A batch of pairs stays in the cache until the narrowphase has read it.
const PAIRS_IN_BATCH: usize = 1024;

impl Copying {
    fn new(agents: usize) -> Self {
        Self {
            centers: [vec![0.0; agents], vec![0.0; agents]],
            pairs: vec![[0; 2]; PAIRS_IN_BATCH],
        }
    }

    fn run(&mut self, crowd: &Crowd, pairs: u64) {
        self.centers[0].copy_from_slice(&crowd.scene.xs);
        self.centers[1].copy_from_slice(&crowd.scene.ys);
        black_box(&self.centers);
        let mut left = pairs as usize;
        while left > 0 {
            let batch = left.min(PAIRS_IN_BATCH);
            for (pair, row) in self.pairs[..batch].iter_mut().zip(left as u32..) {
                *pair = [row, row + 1];
            }
            black_box(&self.pairs);
            left -= batch;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_row_has_a_figure_for_each_stage() {
        let row = row(2_000, 3);
        assert_eq!((row.len(), row[0].as_str()), (10, "2k"));
        let numbers: Vec<f64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        let (whole, pairs) = (numbers[4], numbers[7]);
        assert!(whole >= numbers[..3].iter().copied().fold(0.0, f64::max));
        assert!((0.8..1.2).contains(&pairs), "{pairs}");
    }
}
