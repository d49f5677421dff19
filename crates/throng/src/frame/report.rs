//! What happened in a frame: counts, times, bytes.

use std::fmt;
use std::time::Duration;

use educe::Educe;

use crate::frame::plan::{PlannedMeetings, Sought};
use crate::tune::activity::Activity;
use crate::tune::row_order::RowScatter;
use crate::tune::sizes::SizeCounts;
use crate::world::category::Category;
use crate::world::config::{
    BroadphaseConfig, CategoryConfig, CategoryKind, OversizedStructure, PairMode,
};
use crate::world::ids::{CategoryId, ProxyId, Row};

/// The counts and times of the last step or refresh. Prints as a table.
///
/// After a [`refresh`](crate::Broadphase::refresh), everything about pairs is still that of the last step, except
/// [`resting_pairs`](Self::resting_pairs).
/// [`advice`](Self::advice) says what could be configured better.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
#[non_exhaustive]
pub struct Report {
    /// Pairs handed to the narrowphase; of a step that was [`cut`](Self::cut), those that are left.
    pub pairs: u64,
    /// Pairs with a [sensor](crate::CategoryConfig::sensor), which come only as events; of a step that was cut, those that are
    /// left. Those of two that rest are not counted here, but among [`resting_pairs`](Self::resting_pairs).
    pub sensor_pairs: u64,
    /// [Predicted](crate::PairBatch::is_predicted) pairs, which were handed to the narrowphase after all others; of a step that was
    /// cut, those that are left.
    pub predicted_pairs: u64,
    /// Comparisons made to find pairs, those of sensors and predicted ones included.
    pub candidates: u64,
    /// Rows in all categories, including disabled ones.
    pub rows: usize,
    /// Leaves of the indices that hold rows.
    pub cells: usize,
    /// Rows so far out that they are clamped to the outermost cell; found like all others, but slower.
    pub outside: usize,
    /// Rows of scenery that were packed, because some of their category came or changed: usually 0, and some dozens for each
    /// that comes or moves far. If it is often more, something is scenery that should not be.
    pub scenery_packed: usize,
    /// Rows for which a column write gave a center that is not finite, by category and row. They stay where they were.
    pub rejected: Vec<RejectedCenter>,
    /// Queued commands that ran since the previous step or refresh, and in this one.
    pub commands: usize,
    /// How many of them failed; see [`Broadphase::ingested`](crate::Broadphase::ingested).
    pub commands_failed: usize,
    /// Pairs with events that began in the last step.
    pub began: usize,
    /// Pairs with events that ended in the last step.
    pub ended: usize,
    /// Proxies that rest, as of the last step or refresh; scenery is not counted.
    pub resting: usize,
    /// Pairs of two that rest, as of the last step or refresh: see [`Broadphase::resting_pairs`](crate::Broadphase::resting_pairs).
    pub resting_pairs: usize,
    /// Pairs by meeting, in chunk order; meetings where either side has no rows are left out.
    pub meetings: Vec<MeetingReport>,
    /// The same for predicted pairs. Those in which a row goes far beyond its own size are apart from those in which none does, as are
    /// those with one that rests, so that two categories may have up to eight entries.
    pub predicted_meetings: Vec<MeetingReport>,
    /// Every category, in config order: sizes, rows, and its recent activity.
    pub categories: Vec<CategoryReport>,
    /// How long each stage took.
    pub stages: StageTimes,
    /// Whether the last step found more pairs than [`max_pairs`](crate::BroadphaseConfig::max_pairs), and what is left of it:
    /// `None` if it has all its pairs. All other figures about pairs then leave out what was dropped.
    pub cut: Option<StepCut>,
    /// Bytes owned by the world; [`Broadphase::memory`](crate::Broadphase::memory) breaks them down.
    pub bytes: usize,
}

/// What is left of a step that found too many pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepCut {
    /// How many chunks are left: the first ones.
    pub chunks: usize,
    /// How many there were.
    pub of: usize,
    /// The categories whose meeting the first dropped chunk is part of. All later meetings are dropped as a whole.
    pub categories: [CategoryId; 2],
    /// The pairs of that chunk.
    pub pairs: u64,
}

/// A row that keeps its last good center.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedCenter {
    /// The category.
    pub category: CategoryId,
    /// The row, as of the report.
    pub row: Row,
    /// The proxy in it.
    pub id: ProxyId,
}

/// The pairs of one meeting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeetingReport {
    /// The categories that meet, lower first; for a category with itself, twice the same.
    pub categories: [CategoryId; 2],
    /// In how many chunks it was searched.
    pub chunks: usize,
    /// Whether masks are known to keep all of them apart, so that it was not searched at all.
    pub keeps_all_apart: bool,
    /// The pairs of the chunk that has the most. A chunk is the search of several thousand rows.
    pub busiest_chunk: u64,
    /// Pairs handed to the narrowphase, comparisons, and worker time.
    pub stats: ChunkStats,
}

/// The counts and times of one chunk's search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkStats {
    /// Pairs handed to the narrowphase.
    pub pairs: u64,
    /// Pairs with a sensor, which are not.
    pub sensor_pairs: u64,
    /// Predicted pairs handed to the narrowphase.
    pub predicted_pairs: u64,
    /// Comparisons made for them.
    pub candidates: u64,
    /// Time spent in the narrowphase. Zero without a [`Clock`](crate::Clock), like `search`.
    pub narrowphase: Duration,
    /// Time spent searching, without the narrowphase.
    pub search: Duration,
    /// Time spent telling which pairs began.
    pub events: Duration,
}

impl ChunkStats {
    /// Those of sensors and predicted ones included.
    pub(crate) fn all_pairs(&self) -> u64 {
        self.pairs + self.sensor_pairs + self.predicted_pairs
    }
}

impl std::ops::AddAssign for ChunkStats {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.sensor_pairs += other.sensor_pairs;
        self.predicted_pairs += other.predicted_pairs;
        self.candidates += other.candidates;
        // A host may say what it likes of time.
        self.narrowphase = self.narrowphase.saturating_add(other.narrowphase);
        self.search = self.search.saturating_add(other.search);
        self.events = self.events.saturating_add(other.events);
    }
}

/// One category, as of the last step or refresh: how it is configured, and what was measured.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
#[non_exhaustive]
pub struct CategoryReport {
    /// The category.
    pub category: CategoryId,
    /// Its name.
    pub name: String,
    /// Which kind of index it has.
    pub kind: CategoryKind,
    /// The structure of an oversized one.
    pub structure: OversizedStructure,
    /// Which pairs it reports.
    pub pairs: PairMode,
    /// The bound of its half extents.
    pub bound: [f32; 2],
    /// The largest half extents, per axis, since it was last empty.
    pub largest: [f32; 2],
    /// How many things there are of each size; see [`SizeCounts`] for what is known about a coarse category.
    pub sizes: SizeCounts,
    /// Its rows, including disabled ones.
    pub rows: usize,
    /// Leaves of its index that hold rows.
    pub cells: usize,
    /// Rows so far out that they are clamped to the outermost cell.
    pub outside: usize,
    /// Whether the index kept the order of an earlier step, because no row has gone far since. That takes less time than to build
    /// it. Only for uniform categories.
    pub refitted: bool,
    /// What changed in it in recent frames.
    pub activity: Activity,
    /// How its rows lie compared with the order of space.
    pub scatter: RowScatter,
    /// How many of its rows rest; 0 for scenery, which always does.
    pub resting: usize,
}

/// How long each stage of a frame took. All zero in a world without a [`Clock`](crate::Clock).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageTimes {
    /// Queued commands, rejected rows, and finding out who wakes and who comes to rest. Wall clock.
    pub ingest: Duration,
    /// Building the indices and planning the search. Wall clock.
    pub index: Duration,
    /// Finding pairs, without the narrowphase. Summed over workers: with two busy, twice the wall clock.
    pub pairs: Duration,
    /// In the narrowphase. Summed over workers.
    pub narrowphase: Duration,
    /// Finding which pairs began, summed over workers, and the wall clock of finding which ended and of giving slots.
    pub events: Duration,
    /// The whole call. Wall clock.
    pub step: Duration,
}

impl Report {
    /// Counts what is in the indices.
    pub(crate) fn count_index(&mut self, categories: &[Category], config: &BroadphaseConfig) {
        self.categories
            .resize_with(categories.len(), CategoryReport::default);
        let described = self.categories.iter_mut().zip(&config.categories);
        for (index, (report, settings)) in described.enumerate() {
            report.describe(CategoryId::from_index(index), settings, &categories[index]);
        }
        self.rows = categories.iter().map(Category::len).sum();
        self.resting = self
            .categories
            .iter()
            .map(|category| category.resting)
            .sum();
        self.cells = categories
            .iter()
            .map(|category| category.indexed.cells)
            .sum();
        self.scenery_packed = categories
            .iter()
            .map(|category| category.indexed.packed)
            .sum();
        self.outside = categories
            .iter()
            .map(|category| category.indexed.outside)
            .sum();
    }

    /// Adds up the counts of all chunks, in chunk order, by meeting.
    pub(crate) fn count_chunks<'c>(
        &mut self,
        planned: &PlannedMeetings,
        counts: impl Iterator<Item = &'c ChunkStats>,
    ) {
        self.meetings.clear();
        let blank = |(categories, keeps_all_apart)| MeetingReport {
            categories,
            keeps_all_apart,
            ..MeetingReport::default()
        };
        self.meetings.extend(planned.categories().map(blank));
        self.predicted_meetings.clear();
        let predicted = planned.predicted().iter().map(|meeting| MeetingReport {
            categories: meeting.categories,
            ..MeetingReport::default()
        });
        self.predicted_meetings.extend(predicted);
        for (chunk, stats) in counts.enumerate() {
            if let Some(sought) = planned.sought_in(chunk) {
                let met = match sought {
                    Sought::Overlapping(meeting, _) => &mut self.meetings[meeting.words],
                    Sought::Predicted(meeting) => &mut self.predicted_meetings[meeting.place],
                };
                met.chunks += 1;
                met.busiest_chunk = met.busiest_chunk.max(stats.all_pairs());
                met.stats += *stats;
            }
        }
        let mut total = ChunkStats::default();
        let meetings = self.meetings.iter().chain(&self.predicted_meetings);
        meetings.for_each(|meeting| total += meeting.stats);
        (self.pairs, self.candidates) = (total.pairs, total.candidates);
        self.sensor_pairs = total.sensor_pairs;
        self.predicted_pairs = total.predicted_pairs;
        (self.stages.pairs, self.stages.narrowphase) = (total.search, total.narrowphase);
        self.stages.events = total.events;
    }
}

impl CategoryReport {
    /// Writes the current state of a category into existing memory. O(1).
    pub(crate) fn describe(&mut self, id: CategoryId, config: &CategoryConfig, now: &Category) {
        self.category = id;
        self.name.clone_from(&config.name);
        (self.kind, self.structure, self.pairs) = (config.kind, config.structure, config.pairs);
        (self.bound, self.largest) = (config.half_extents, now.largest);
        self.sizes.copy_from(&now.sizes);
        self.rows = now.len();
        (self.cells, self.outside) = (now.indexed.cells, now.indexed.outside);
        self.refitted = now.indexed.refitted;
        self.activity = now.activity.summary();
        self.scatter = now.scatter;
        self.resting = now
            .stillness
            .as_ref()
            .map_or(0, |stillness| stillness.resting);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StageTimes {
            ingest,
            index,
            pairs,
            narrowphase,
            events,
            step,
        } = self.stages;
        let per_row = self.bytes as f64 / self.rows.max(1) as f64;
        let counts = [
            (
                "rows",
                self.rows as u64,
                format!("{} outside, {} rejected", self.outside, self.rejected.len()),
            ),
            (
                "cells",
                self.cells as u64,
                match self.categories.iter().filter(|of| of.refitted).count() {
                    0 => String::new(),
                    refitted => format!("refitted indices: {refitted}"),
                },
            ),
            ("candidates", self.candidates, String::new()),
            (
                "pairs",
                self.pairs,
                match self.cut {
                    None => {
                        let also = |count: u64, whose: &str| match count {
                            0 => String::new(),
                            _ => format!(", and {count} {whose}"),
                        };
                        let meetings = self.meetings.len();
                        let sensors = also(self.sensor_pairs, "with sensors");
                        let predicted = also(self.predicted_pairs, "predicted");
                        format!("in {meetings} meetings{sensors}{predicted}")
                    }
                    Some(StepCut { chunks, of, .. }) => {
                        format!(
                            "in the first {chunks} of {of} chunks; the rest were dropped (`max_pairs`)"
                        )
                    }
                },
            ),
            (
                "resting",
                self.resting as u64,
                format!("{} pairs", self.resting_pairs),
            ),
            ("began", self.began as u64, format!("{} ended", self.ended)),
            (
                "commands",
                self.commands as u64,
                format!("{} failed", self.commands_failed),
            ),
            ("bytes", self.bytes as u64, format!("{per_row:.1} per row")),
        ];
        for (name, count, remark) in counts {
            writeln!(
                f,
                "{}",
                format!("{name:<12}{count:>14}  {remark}").trim_end()
            )?;
        }
        let times = [
            ("ingest", ingest, ""),
            ("index", index, ""),
            ("pairs", pairs, "of worker time"),
            ("narrowphase", narrowphase, "of worker time"),
            (
                "events",
                events,
                "of worker time, and wall clock for what ended",
            ),
            ("step", step, ""),
        ];
        for (name, time, remark) in times {
            let ms = time.as_secs_f64() * 1e3;
            writeln!(
                f,
                "{}",
                format!("{name:<12}{ms:>11.3} ms  {remark}").trim_end()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_chunks_may_be_more_than_there_is() {
        let mut stats = ChunkStats {
            pairs: 1,
            narrowphase: Duration::MAX,
            search: Duration::MAX,
            events: Duration::MAX,
            ..ChunkStats::default()
        };
        stats += stats;
        assert_eq!(stats.pairs, 2);
        let times = [stats.narrowphase, stats.search, stats.events];
        assert_eq!(times, [Duration::MAX; 3]);
    }
}
