//! A list of tasks that several workers share.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tasks, each of which one worker claims.
pub(super) struct TaskList<'t> {
    task: &'t (dyn Fn(usize) + Sync),
    ranges: [TaskRange; MOST_RANGES],
    /// How many ranges are in use.
    used: usize,
}

impl<'t> TaskList<'t> {
    /// A list of so many tasks for so many workers; `None` if there are more tasks than a `u32` can count.
    pub fn new(tasks: usize, workers: usize, task: &'t (dyn Fn(usize) + Sync)) -> Option<Self> {
        let end = u32::try_from(tasks).ok()?;
        let used = workers.min(MOST_RANGES);
        let bound = |k: usize| (u64::from(end) * k as u64 / used as u64) as u32;
        let range = |k: usize| {
            if k < used {
                bound(k)..bound(k + 1)
            } else {
                0..0
            }
        };
        let ranges = std::array::from_fn(|k| TaskRange::new(range(k)));
        Some(Self { task, ranges, used })
    }

    /// Runs what worker `own` claims, until there is nothing left to claim. `run` gets each task as a closure, and has to call it.
    pub fn work_as(&self, own: usize, run: impl Fn(&dyn Fn())) {
        let (ranges, own) = (&self.ranges[..self.used], own % self.used);
        let run = |i: u32| run(&|| (self.task)(i as usize));
        while let Some(i) = ranges[own].claim_first() {
            run(i);
        }
        // Begins with the range after its own, so that not all help the same worker.
        for k in 1..ranges.len() {
            while let Some(i) = ranges[(own + k) % ranges.len()].claim_last() {
                run(i);
            }
        }
    }
}

/// The most ranges that tasks are cut into.
const MOST_RANGES: usize = 64;

/// Tasks that nobody has claimed yet: the first of them, and where they end, in one word. No two share a cache line.
#[repr(align(64))]
struct TaskRange(AtomicU64);

impl TaskRange {
    fn new(tasks: Range<u32>) -> Self {
        Self(AtomicU64::new(Self::word(tasks.start, tasks.end)))
    }

    fn word(first: u32, end: u32) -> u64 {
        u64::from(first) << 32 | u64::from(end)
    }

    /// Claims the first task; `None` if there are no more.
    fn claim_first(&self) -> Option<u32> {
        self.claim(|first, end| Self::word(first + 1, end))
            .map(|[first, _]| first)
    }

    /// Claims the last task; `None` if there are no more.
    fn claim_last(&self) -> Option<u32> {
        self.claim(|first, end| Self::word(first, end - 1))
            .map(|[_, end]| end - 1)
    }

    /// Claims a task by putting the `rest` of the range in its place. Returns the range as it was, unless it was empty.
    fn claim(&self, rest: impl Fn(u32, u32) -> u64) -> Option<[u32; 2]> {
        let split = |word: u64| [(word >> 32) as u32, word as u32];
        let claimed = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
                let [first, end] = split(word);
                (first < end).then(|| rest(first, end))
            });
        claimed.ok().map(split)
    }
}

#[cfg(test)]
mod tests {
    use super::TaskRange;

    #[test]
    fn a_range_is_claimed_from_both_ends() {
        let range = TaskRange::new(3..8);
        let claimed = [
            range.claim_first(),
            range.claim_last(),
            range.claim_last(),
            range.claim_first(),
        ];
        assert_eq!(claimed, [Some(3), Some(7), Some(6), Some(4)]);
        assert_eq!(
            [range.claim_last(), range.claim_first(), range.claim_last()],
            [Some(5), None, None]
        );
        assert_eq!(TaskRange::new(4..4).claim_first(), None);
    }
}
