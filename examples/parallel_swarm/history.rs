//! The frames of a run, and the numbers that sum it up.

use crate::figures::{FrameFigures, MEETINGS};

/// The place of "sort rows" among the stages.
const SORT_ROWS: usize = 0;
/// Frames before a run counts as steady: buffers grow to what they need in the first ones.
const WARM_UP: usize = 60;
/// Frames to reserve memory for: more than this are not run often.
const MOST_RESERVED: usize = 10_000;

/// The frames of a run.
#[derive(Default)]
pub struct History {
    frames: Vec<FrameFigures>,
    /// Where the steady part begins.
    steady_from: usize,
}

/// A time series by its middle and its tail.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Half the frames took no longer.
    pub median: f64,
    /// One frame in a hundred took longer.
    pub p99: f64,
}

impl History {
    /// The history of a run of this many frames; `None` if nobody knows how many.
    pub fn new(frames: Option<usize>) -> Self {
        Self {
            frames: Vec::with_capacity(frames.unwrap_or(0).min(MOST_RESERVED)),
            steady_from: frames.map_or(WARM_UP, |frames| WARM_UP.min(frames / 2)),
        }
    }

    /// Adds a frame.
    pub fn push(&mut self, figures: FrameFigures) {
        self.frames.push(figures);
    }

    /// Says that agents came or went, so that buffers may grow once more.
    pub fn disturbed(&mut self) {
        self.steady_from = self.frames.len() + WARM_UP;
    }

    /// All frames.
    pub fn frames(&self) -> &[FrameFigures] {
        &self.frames
    }

    /// The frames after the buffers have grown; all of them, if the run was too short for that.
    fn steady(&self) -> &[FrameFigures] {
        match self.frames.get(self.steady_from..) {
            Some(steady) if !steady.is_empty() => steady,
            _ => &self.frames,
        }
    }

    /// The last frame.
    pub fn last(&self) -> FrameFigures {
        self.frames.last().copied().unwrap_or_default()
    }

    /// A figure over the steady frames.
    pub fn spread(&self, figure: impl Fn(&FrameFigures) -> f64) -> Spread {
        spread(self.steady().iter().map(figure).collect())
    }

    /// A figure over the latest frames, for a display.
    pub fn recent(&self, figure: impl Fn(&FrameFigures) -> f64) -> f64 {
        let recent = &self.frames[self.frames.len().saturating_sub(30)..];
        spread(recent.iter().map(figure).collect()).median
    }

    /// Allocations per frame of the steady part.
    pub fn allocations_per_frame(&self) -> f64 {
        self.mean(|frame| frame.allocations as f64)
    }

    /// The mean of a figure over the steady frames.
    pub fn mean(&self, figure: impl Fn(&FrameFigures) -> f64) -> f64 {
        let steady = self.steady();
        steady.iter().map(figure).sum::<f64>() / steady.len().max(1) as f64
    }

    /// How often rows were sorted in all frames, and how many milliseconds that took.
    pub fn row_sorts(&self) -> (u64, f64) {
        let sorts = self.frames.iter().map(|frame| frame.row_sorts).sum();
        let time = self.frames.iter().map(|frame| frame.stages[SORT_ROWS]);
        (sorts, time.sum())
    }

    /// Pairs of all frames.
    pub fn pairs(&self) -> u64 {
        self.frames.iter().map(|frame| frame.pairs).sum()
    }

    /// Pairs that began in all frames, and that ended.
    pub fn events(&self) -> [u64; 2] {
        let sum = |figure: fn(&FrameFigures) -> u64| self.frames.iter().map(figure).sum();
        [sum(|frame| frame.began), sum(|frame| frame.ended)]
    }

    /// Pairs of all frames, of each of [`MEETINGS`].
    pub fn pairs_by_meeting(&self) -> [u64; MEETINGS.len()] {
        std::array::from_fn(|meeting| {
            let pairs = self
                .frames
                .iter()
                .map(|frame| frame.pairs_by_meeting[meeting]);
            pairs.sum()
        })
    }

    /// Bytes the broadphase holds, walls and all, for each body, agent or oversized, at the end.
    pub fn bytes_per_agent(&self) -> f64 {
        let last = self.last();
        last.bytes as f64 / last.counts.bodies().max(1) as f64
    }
}

fn spread(mut values: Vec<f64>) -> Spread {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = (share * values.len() as f64).ceil() as usize;
        values.get(index.saturating_sub(1)).copied().unwrap_or(0.0)
    };
    Spread {
        median: at(0.5),
        p99: at(0.99),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_of_known_series() {
        let hundred = spread((1..=100).rev().map(f64::from).collect());
        assert_eq!((hundred.median, hundred.p99), (50.0, 99.0));
        assert_eq!(spread(Vec::new()), Spread::default());
        assert_eq!(spread(vec![4.0]).p99, 4.0);
    }

    #[test]
    fn allocations_of_the_first_frames_do_not_count() {
        let mut history = History::new(Some(10));
        for frame in 0..10 {
            history.push(FrameFigures {
                allocations: if frame < 5 { 1000 } else { 1 },
                ..FrameFigures::default()
            });
        }
        assert_eq!(history.allocations_per_frame(), 1.0);
    }
}
