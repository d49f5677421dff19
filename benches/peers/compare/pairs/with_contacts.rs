//! Whole frames with contacts, after the scenes: what the program `contacts` measures, for each number of circles and of threads in
//! a process of its own, since the threads are those of a process. It prints the lines of `contacts --json`; if it fails, there is
//! a line that says so, and the others go on.

use std::io::{self, IsTerminal, stderr};
use std::process::{Command, ExitStatus, Output, Stdio};

use comfy_table::Table;
use serde::Deserialize;
use serde_json::{Value, json};
use throng::SimdLevel;
use throng_benches::contacts::{self, Engine, ProgramError};
use throng_benches::short;

use crate::args::Args;
use crate::document::{nanoseconds, threads_in_words};
use crate::message::Who;
use crate::tables::new_table;

/// How many circles there are with the whole catalogue.
pub const CIRCLES: [usize; 3] = [20_000, 100_000, 1_000_000];

/// Before the table.
pub const CONDITIONS: &str = "\
Whole frames with contacts, ns per circle: centers are written, pairs found, circles tested, contacts kept. All who are not throng \
have one thread, however many throng has.\nx says how many times as fast throng is as the fastest of them, by medians.";

/// Whole frames of so many circles, throng on so many threads.
pub struct Frames {
    circles: usize,
    threads: usize,
    outcome: Result<Vec<Line>, Failure>,
}

/// Somebody's figures, as its process printed them, and what of them is in tables.
struct Line {
    said: Value,
    figures: Figures,
}

#[derive(Deserialize)]
struct Figures {
    rounds: u32,
    contacts_each: f64,
    who: String,
    is_peer: bool,
    ns_per_circle: Stages,
}

#[derive(Deserialize)]
struct Stages {
    all: Times,
}

#[derive(Deserialize)]
struct Times {
    best: f64,
    median: f64,
    mean: f64,
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the process could not be started: {0}")]
    Start(#[from] io::Error),
    /// In its own words.
    #[error("{0}")]
    Said(String),
    #[error("the process ended with {0}")]
    Ended(ExitStatus),
    #[error("the process printed no figures")]
    Silent,
}

/// Measures all that are asked for, one after the other.
pub fn run_all(args: &Args) -> Vec<Frames> {
    let mut all = Vec::new();
    for circles in args.circles() {
        for threads in args.thread_counts() {
            let frames = Frames {
                circles,
                threads,
                outcome: command(circles, threads, args)
                    .map_err(Failure::from)
                    .and_then(|mut command| ask(&mut command)),
            };
            // On a terminal, the bar of the process was there to see.
            if !stderr().is_terminal() {
                eprintln!("{}", frames.told());
            }
            all.push(frames);
        }
    }
    all
}

/// What the process of so many circles does.
///
/// # Errors
///
/// If the threads cannot be started, or somebody finds other contacts. It has printed why.
pub fn run_child(circles: usize, args: &Args) -> Result<(), ProgramError> {
    let is_wanted = |peer: &dyn Engine| {
        let name = peer.name().to_owned();
        args.wants(&Who { name, threads: 1 })
    };
    let asked = contacts::Args::for_lines(circles, args.rounds, args.threads);
    contacts::measure(&asked, |course| {
        let mut peers = throng_peers::contacts::peers(course);
        peers.retain(|peer| is_wanted(&**peer));
        peers
    })
    .inspect_err(|error| println!("{}", json!({ "failure": error.to_string() })))
}

/// This program again, for so many circles.
fn command(circles: usize, threads: usize, args: &Args) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--contacts-child", &circles.to_string()]);
    command.args(["--threads", &threads.to_string()]);
    if let Some(rounds) = args.rounds {
        command.args(["--rounds", &rounds.to_string()]);
    }
    for (option, names) in [("--only", &args.only), ("--without", &args.without)] {
        if !names.is_empty() {
            command.args([option, &names.join(",")]);
        }
    }
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    Ok(command)
}

/// Waits for a process, and reads what it prints.
fn ask(command: &mut Command) -> Result<Vec<Line>, Failure> {
    read(&command.output()?)
}

/// The figures, if the process has not failed.
fn read(output: &Output) -> Result<Vec<Line>, Failure> {
    let printed = String::from_utf8_lossy(&output.stdout);
    let failure =
        values_in(&printed).find_map(|value| value["failure"].as_str().map(str::to_owned));
    if let Some(why) = failure {
        return Err(Failure::Said(why));
    }
    if !output.status.success() {
        return Err(Failure::Ended(output.status));
    }
    let lines = lines_in(&printed);
    if lines.is_empty() {
        return Err(Failure::Silent);
    }
    Ok(lines)
}

/// What is JSON of what was printed: what a library prints is none.
fn values_in(printed: &str) -> impl Iterator<Item = Value> {
    let lines = printed.lines();
    lines.filter_map(|line| serde_json::from_str(line).ok())
}

fn lines_in(printed: &str) -> Vec<Line> {
    let line = |said| {
        let figures = Figures::deserialize(&said).ok()?;
        Some(Line { said, figures })
    };
    values_in(printed).filter_map(line).collect()
}

impl Figures {
    fn median(&self) -> f64 {
        self.ns_per_circle.all.median
    }
}

impl Frames {
    /// Everybody's figures, or why not, as lines of JSON. The number of threads is that of throng.
    pub fn json(&self) -> Vec<Value> {
        match &self.outcome {
            Ok(lines) => {
                let with_threads = |line: &Line| {
                    let mut said = line.said.clone();
                    said["threads"] = self.threads.into();
                    said
                };
                lines.iter().map(with_threads).collect()
            }
            Err(failure) => vec![json!({
                "circles": self.circles,
                "threads": self.threads,
                "who": null,
                "failure": failure.to_string(),
            })],
        }
    }

    /// Everybody's, or nobody's.
    fn figures(&self) -> impl Iterator<Item = &Figures> {
        let lines = self.outcome.iter().flatten();
        lines.map(|line| &line.figures)
    }

    /// The least of some medians.
    fn fastest(&self, of: impl Fn(&Figures) -> bool) -> Option<f64> {
        let medians = self.figures().filter(|figures| of(figures));
        medians.map(Figures::median).min_by(f64::total_cmp)
    }

    fn title(&self) -> String {
        format!(
            "{} circles with contacts, threads: {}",
            short(self.circles),
            self.threads
        )
    }

    /// In a line.
    fn told(&self) -> String {
        let mut text = self.title();
        if let Err(failure) = &self.outcome {
            text += &format!(": {failure}");
        }
        for figures in self.figures() {
            text += &format!("; {}: {:.1} ns a circle", figures.who, figures.median());
        }
        text
    }
}

/// Who has how many threads.
fn said_of_threads(threads: usize) -> String {
    let words = threads_in_words(threads);
    match threads {
        1 => words,
        _ => format!("throng on {words}, the others on one"),
    }
}

/// Everybody, or why there is nobody.
pub fn table(all: &[Frames]) -> Table {
    let head = [
        "circles", "who", "threads", "best", "median", "mean", "throng x",
    ];
    let mut table = new_table(&head, 2);
    for frames in all {
        let title = format!(
            "{}, {}",
            short(frames.circles),
            said_of_threads(frames.threads)
        );
        let found = frames.figures().next().map(|figures| {
            format!(
                "  {:.3} contacts each, {} rounds",
                figures.contacts_each, figures.rounds
            )
        });
        let mut titles = std::iter::once(title).chain(found);
        let peer = frames.fastest(|figures| figures.is_peer);
        for figures in frames.figures() {
            let Times { best, median, mean } = figures.ns_per_circle.all;
            let threads = if figures.is_peer { 1 } else { frames.threads };
            let times = peer.filter(|_| !figures.is_peer).map(|peer| peer / median);
            table.add_row([
                titles.next().unwrap_or_default(),
                figures.who.clone(),
                threads.to_string(),
                format!("{best:.1}"),
                format!("{median:.1}"),
                format!("{mean:.1}"),
                times.map_or(String::new(), |times| format!("{times:.2}")),
            ]);
        }
        if let Err(failure) = &frames.outcome {
            table.add_row([
                titles.next().unwrap_or_default(),
                String::new(),
                frames.threads.to_string(),
                String::new(),
                format!("failed: {failure}"),
            ]);
        }
    }
    table
}

/// A table for each number of threads, what a frame is, and who failed; nothing of no frames.
pub fn for_the_document(all: &[Frames], args: &Args) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut counts: Vec<_> = all.iter().map(|frames| frames.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut text = String::new();
    for threads in counts {
        let on = match threads {
            1 => "on one thread".to_owned(),
            _ => said_of_threads(threads),
        };
        text += &format!(
            "\nWhole frames with contacts, ns per circle, median (best), {on}, the fastest of each column in bold:\n\n"
        );
        let columns = all.iter().filter(|frames| frames.threads == threads);
        text += &markdown(&columns.collect::<Vec<_>>());
    }
    text += "\nIn such a frame centers are written, pairs found, circles tested, and contacts kept with depth and speed of approach; \
             [A whole frame](#a-whole-frame) tells more.";
    let best = SimdLevel::detect();
    if args.simd() != best {
        text += &format!(" Here throng ran its {best} kernels.");
    }
    let failed = all.iter().filter(|frames| frames.outcome.is_err());
    let failed: Vec<_> = failed
        .map(|frames| format!("- {}\n", frames.told()))
        .collect();
    if failed.is_empty() {
        text + " Everybody found the same contacts in every frame.\n"
    } else {
        text + " Some of these measurements failed:\n\n" + &failed.concat()
    }
}

/// A row for everybody, a column for each number of circles.
fn markdown(columns: &[&Frames]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for figures in columns.iter().flat_map(|frames| frames.figures()) {
        if !names.contains(&figures.who.as_str()) {
            names.push(&figures.who);
        }
    }
    let heads: Vec<_> = columns
        .iter()
        .map(|frames| format!("{} circles", short(frames.circles)))
        .collect();
    let mut text = format!("| who | {} |\n", heads.join(" | "));
    text += &format!("|---|{}\n", "---:|".repeat(columns.len()));
    for name in names {
        let cells: Vec<_> = columns.iter().map(|frames| cell(frames, name)).collect();
        text += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    text
}

fn cell(frames: &Frames, name: &str) -> String {
    if frames.outcome.is_err() {
        return "failed".to_owned();
    }
    let Some(figures) = frames.figures().find(|figures| figures.who == name) else {
        return String::new();
    };
    let Times { best, median, .. } = figures.ns_per_circle.all;
    let bold = if frames.fastest(|_| true) == Some(median) {
        "**"
    } else {
        ""
    };
    format!(
        "{bold}{}{bold} ({})",
        nanoseconds(median),
        nanoseconds(best)
    )
}

#[cfg(test)]
mod tests;
