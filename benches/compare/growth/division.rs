//! How evenly a step can be shared.
//!
//! The step is told that there are so many workers, and so cuts its work for them, but all of it runs on one thread, task by
//! task, each with its time taken. As long as all tasks of a pass take, the pass would take if it were shared by greedy workers, each of
//! whom takes the next task as soon as it is done with its last; and what is outside of tasks, nobody shares.

use std::collections::BinaryHeap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use throng::{CountPairs, Executor};
use throng_benches::Samples;

use crate::crowd::Crowd;

/// How many times faster than one worker so many could be: the median of all rounds.
pub fn cell(agents: usize, workers: usize, rounds: usize) -> String {
    let mut crowd = Crowd::new(agents);
    let mut times = Samples::default();
    for round in 0..=rounds {
        crowd.advance();
        crowd.fill();
        let alone = Alone::new(workers);
        let started = Instant::now();
        crowd.world.step_on(&alone, &CountPairs);
        let whole = started.elapsed();
        let passes = alone.passes.into_inner().expect("no task panics");
        // The first step makes the plan that the others keep.
        if round > 0 {
            times.push(speed_up(whole, &passes, workers));
        }
    }
    format!("{:.1}", times.median())
}

/// How many times faster a step would be in which each pass is shared.
fn speed_up(whole: Duration, passes: &[Vec<Duration>], workers: usize) -> f64 {
    let of_tasks: Duration = passes.iter().flatten().sum();
    let shared: Duration = passes.iter().map(|tasks| shared(tasks, workers)).sum();
    let alone = whole.saturating_sub(of_tasks);
    whole.as_secs_f64() / (alone + shared).as_secs_f64()
}

/// When the last of some greedy workers is done.
fn shared(tasks: &[Duration], workers: usize) -> Duration {
    // Whoever is done first is the greatest.
    let mut done = BinaryHeap::from(vec![std::cmp::Reverse(Duration::ZERO); workers]);
    for &task in tasks {
        if let Some(mut first) = done.peek_mut() {
            first.0 += task;
        }
    }
    let done = done.into_iter().map(|done| done.0);
    done.max().unwrap_or_default()
}

/// Says that it has many threads, and runs everything on one.
struct Alone {
    workers: usize,
    /// How long each task of each pass took.
    passes: Mutex<Vec<Vec<Duration>>>,
}

impl Alone {
    fn new(workers: usize) -> Self {
        Self {
            workers,
            passes: Mutex::default(),
        }
    }
}

impl Executor for Alone {
    fn threads(&self) -> usize {
        self.workers
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let timed = |index: usize| {
            let started = Instant::now();
            task(index);
            started.elapsed()
        };
        let pass = (0..tasks).map(timed).collect();
        self.passes.lock().expect("no task panics").push(pass);
    }
}

#[cfg(test)]
mod tests {
    use super::{cell, shared, speed_up};
    use std::time::Duration;

    #[test]
    fn greedy_workers_take_the_next_task_when_they_are_free() {
        let tasks = [4, 1, 1, 1, 1].map(Duration::from_millis);
        let done = [1, 2, 3, 9].map(|workers| shared(&tasks, workers).as_millis());
        assert_eq!(done, [8, 4, 4, 4]);
        assert_eq!(shared(&[], 3), Duration::ZERO);
    }

    #[test]
    fn what_nobody_shares_takes_as_long() {
        let pass = vec![Duration::from_millis(1); 6];
        let whole = Duration::from_millis(8);
        assert_eq!(speed_up(whole, &[pass], 3), 2.0);
    }

    #[test]
    fn a_step_can_be_shared() {
        let times: f64 = cell(20_000, 8, 3).parse().unwrap();
        assert!((1.0..8.1).contains(&times), "{times}");
    }
}
