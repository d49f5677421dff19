//! The end of a run, as a table for a person or a line of JSON for a program.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::HumanCount;
use serde::Serialize;

use crate::{
    args::{Args, RowOrder},
    figures::{FrameFigures, MEETINGS, STAGES},
    history::History,
    pair_hash::PairHash,
    verify::Verifier,
};

/// Everything there is to say about a run.
pub struct Summary<'a> {
    /// What was asked for.
    pub args: &'a Args,
    /// What the frames came to.
    pub history: &'a History,
    /// The hash of all pairs, if it was kept.
    pub hash: Option<PairHash>,
    /// What was checked, if anything.
    pub verifier: Option<&'a Verifier>,
}

/// The line that `--json` prints.
#[derive(Serialize)]
struct Line {
    agents: usize,
    oversized: usize,
    walls: usize,
    frames: usize,
    threads: usize,
    seed: u64,
    pairs_total: u64,
    pairs_by_meeting: PairsByMeeting,
    pair_hash: String,
    frame_ms_median: f64,
    frame_ms_p99: f64,
    frame_ms_mean: f64,
    row_order: RowOrder,
    row_sorts: u64,
    row_sort_ms: f64,
    stage_ms: StageTimes,
    bytes_per_agent: f64,
    allocations_per_frame: f64,
    events: Option<Events>,
    resting: u64,
    resting_pairs: u64,
    verified_frames: u64,
    mismatches: u64,
}

/// What began and ended in all frames, and what of it is wrong.
#[derive(Serialize)]
struct Events {
    began: u64,
    ended: u64,
    mismatches: u64,
}

/// Pairs of each of [`MEETINGS`].
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PairsByMeeting {
    uniform_uniform: u64,
    uniform_oversized: u64,
    oversized_oversized: u64,
    uniform_scenery: u64,
    oversized_scenery: u64,
}

/// Medians; `pairs` and `narrowphase` are worker time summed.
#[derive(Serialize)]
struct StageTimes {
    ingest: f64,
    index: f64,
    pairs: f64,
    narrowphase: f64,
}

impl Summary<'_> {
    /// One line of JSON.
    pub fn json(&self) -> String {
        let stage = |name: &str| self.stage(name);
        let frame = self.history.spread(|frame| frame.frame);
        let [
            uniform_uniform,
            uniform_oversized,
            oversized_oversized,
            uniform_scenery,
            oversized_scenery,
        ] = self.history.pairs_by_meeting();
        let last = self.history.last();
        let counts = last.counts;
        let (row_sorts, row_sort_ms) = self.history.row_sorts();
        let line = Line {
            agents: counts.agents,
            oversized: counts.oversized,
            walls: counts.walls,
            frames: self.history.frames().len(),
            threads: self.args.threads(),
            seed: self.args.seed,
            pairs_total: self.history.pairs(),
            pairs_by_meeting: PairsByMeeting {
                uniform_uniform,
                uniform_oversized,
                oversized_oversized,
                uniform_scenery,
                oversized_scenery,
            },
            pair_hash: self.hash_text(),
            frame_ms_median: rounded(frame.median),
            frame_ms_p99: rounded(frame.p99),
            frame_ms_mean: rounded(self.history.mean(|frame| frame.frame)),
            row_order: self.args.row_order,
            row_sorts,
            row_sort_ms: rounded(row_sort_ms),
            stage_ms: StageTimes {
                ingest: stage("ingest"),
                index: stage("index"),
                pairs: stage("pairs"),
                narrowphase: stage("narrowphase"),
            },
            bytes_per_agent: rounded(self.history.bytes_per_agent()),
            allocations_per_frame: rounded(self.history.allocations_per_frame()),
            events: self.args.events.then(|| self.events()),
            resting: last.resting,
            resting_pairs: last.resting_pairs,
            verified_frames: self.verifier.map_or(0, |verifier| verifier.frames),
            mismatches: self.verifier.map_or(0, |verifier| verifier.mismatches),
        };
        serde_json::to_string(&line).expect("numbers and strings can be written as JSON")
    }

    fn events(&self) -> Events {
        let [began, ended] = self.history.events();
        Events {
            began,
            ended,
            mismatches: self
                .verifier
                .map_or(0, |verifier| verifier.event_mismatches),
        }
    }

    /// The pairs of a frame by what met.
    fn meetings(&self) -> String {
        let of_meeting = |(index, name): (usize, &str)| {
            let pairs = |frame: &FrameFigures| frame.pairs_by_meeting[index] as f64;
            let pairs = HumanCount(self.history.spread(pairs).median as u64);
            format!("{pairs} {name}")
        };
        let meetings = MEETINGS.into_iter().enumerate();
        meetings.map(of_meeting).collect::<Vec<_>>().join(", ")
    }

    fn events_text(&self) -> String {
        let Events { began, ended, .. } = self.events();
        let [began, ended] = [began, ended].map(HumanCount);
        format!("{began} pairs began, {ended} ended")
    }

    fn resting_text(&self) -> String {
        let last = self.history.last();
        let [of, resting, pairs] = [
            last.counts.bodies() as u64,
            last.resting,
            last.resting_pairs,
        ]
        .map(HumanCount);
        format!("{resting} of {of}, and {pairs} pairs of two that do, at the end")
    }

    fn hash_text(&self) -> String {
        let text = |hash: PairHash| format!("{:016x}", hash.value());
        self.hash.map_or_else(|| "not kept".to_owned(), text)
    }

    fn stage(&self, name: &str) -> f64 {
        let index = STAGES.iter().position(|stage| *stage == name);
        index.map_or(0.0, |index| {
            rounded(self.history.spread(|frame| frame.stages[index]).median)
        })
    }

    /// A table of stage times, and what else there is to know.
    pub fn table(&self) -> String {
        let history = self.history;
        let last = history.last();
        let agents = last.counts.bodies().max(1) as f64;
        let mut table = Table::new();
        table.load_style(UTF8_BORDERS_ONLY).set_header([
            "stage",
            "median ms",
            "p99 ms",
            "ns per agent",
        ]);
        let mut add = |name: &str, figure: &dyn Fn(&FrameFigures) -> f64| {
            let time = history.spread(figure);
            table.add_row([
                name.to_owned(),
                format!("{:.3}", time.median),
                format!("{:.3}", time.p99),
                format!("{:.1}", time.median * 1e6 / agents),
            ]);
        };
        for (index, name) in STAGES.iter().enumerate() {
            let together = matches!(*name, "pairs" | "narrowphase");
            let label = if together {
                format!("{name} *")
            } else {
                (*name).to_owned()
            };
            add(&label, &|frame| frame.stages[index]);
        }
        add("whole frame", &|frame| frame.frame);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let frame = history.spread(|frame| frame.frame).median;
        let mut text = format!(
            "{table}\n* worker time summed over {} threads; the rest is by the clock\n\n",
            self.args.threads(),
        );
        let pairs = history.spread(|frame| frame.pairs as f64).median;
        let candidates = history.spread(|frame| frame.candidates as f64).median;
        let contacts = history.spread(|frame| frame.contacts as f64).median;
        let bumps = history.spread(|frame| frame.bumps as f64).median;
        let (row_sorts, row_sort_ms) = history.row_sorts();
        let mean = history.mean(|frame| frame.frame);
        for (name, value) in [
            ("agents", HumanCount(last.counts.agents as u64).to_string()),
            (
                "oversized",
                HumanCount(last.counts.oversized as u64).to_string(),
            ),
            ("walls", HumanCount(last.counts.walls as u64).to_string()),
            (
                "frames",
                format!(
                    "{} at {:.0} per second, {mean:.3} ms on average",
                    HumanCount(history.frames().len() as u64),
                    1e3 / frame.max(1e-6)
                ),
            ),
            (
                "rows",
                format!(
                    "in the order of {}, sorted {row_sorts} times in {row_sort_ms:.1} ms",
                    match self.args.row_order {
                        RowOrder::Inserted => "insertion",
                        RowOrder::Space => "space",
                    }
                ),
            ),
            (
                "pairs",
                format!(
                    "{} a frame, from {} candidates",
                    HumanCount(pairs as u64),
                    HumanCount(candidates as u64)
                ),
            ),
            ("of these", self.meetings()),
            (
                "contacts",
                format!(
                    "{} a frame, and {} with walls",
                    HumanCount(contacts as u64),
                    HumanCount(bumps as u64)
                ),
            ),
            (
                "memory",
                format!(
                    "{:.1} bytes per agent in the broadphase",
                    history.bytes_per_agent()
                ),
            ),
            (
                "allocations",
                format!(
                    "{:.3} a frame, once steady",
                    history.allocations_per_frame()
                ),
            ),
            ("pair hash", self.hash_text()),
        ]
        .into_iter()
        .chain(self.args.events.then(|| ("events", self.events_text())))
        .chain(self.args.awake.map(|_| ("resting", self.resting_text())))
        {
            text += &format!("{name:<12} {value}\n");
        }
        text
    }
}

/// To a tenth of a microsecond: what follows is noise.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn the_line_has_the_keys_it_promises() {
        let args = Args::parse_from(["parallel_swarm"]);
        let summary = Summary {
            args: &args,
            history: &History::default(),
            hash: None,
            verifier: None,
        };
        let line: serde_json::Value = serde_json::from_str(&summary.json()).expect("it is JSON");
        for key in [
            "agents",
            "oversized",
            "walls",
            "frames",
            "threads",
            "seed",
            "pairs_total",
            "pairs_by_meeting",
            "pair_hash",
            "frame_ms_median",
            "frame_ms_p99",
            "frame_ms_mean",
            "row_order",
            "row_sorts",
            "row_sort_ms",
            "stage_ms",
            "bytes_per_agent",
            "allocations_per_frame",
            "events",
            "resting",
            "resting_pairs",
            "verified_frames",
            "mismatches",
        ] {
            assert!(line.get(key).is_some(), "{key}");
        }
        assert!(line["stage_ms"]["narrowphase"].is_number());
        for meeting in MEETINGS {
            assert_eq!(line["pairs_by_meeting"][meeting], 0, "{meeting}");
        }
    }
}
