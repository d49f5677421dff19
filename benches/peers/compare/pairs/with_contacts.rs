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
use crate::document::nanoseconds;
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
    if threads == 1 {
        "one thread".to_owned()
    } else {
        format!("throng on {threads} threads, the others on one")
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
mod tests {
    use std::process::{Command, ExitStatus, Output, Stdio};
    use std::sync::Arc;

    use clap::Parser;
    use serde_json::json;
    use throng::SimdLevel;
    use throng_benches::contacts::{self, Course, Trial, own};

    use super::{CIRCLES, Failure, Frames, ask, command, for_the_document, lines_in, read};
    use crate::args::Args;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("pairs").chain(line.split_whitespace()))
    }

    /// What a process prints of somebody.
    fn line(who: &str, median: f64) -> String {
        let all = json!({ "best": median / 2.0, "median": median, "mean": 1.5 * median });
        let line = json!({
            "circles": 20_000,
            "rounds": 7,
            "contacts_each": 0.81,
            "who": who,
            "is_peer": !who.starts_with("throng"),
            "sorts": 3,
            "ns_per_circle": { "fill": all, "all": all },
        });
        format!("{line}\n")
    }

    fn frames(circles: usize, threads: usize, printed: &[String]) -> Frames {
        let outcome = Ok(lines_in(&printed.concat()));
        Frames {
            circles,
            threads,
            outcome,
        }
    }

    fn failed(circles: usize, threads: usize, why: &str) -> Frames {
        let outcome = Err(Failure::Said(why.to_owned()));
        Frames {
            circles,
            threads,
            outcome,
        }
    }

    /// On one thread twice, on two threads once and once in vain.
    fn some() -> [Frames; 4] {
        [
            frames(
                20_000,
                1,
                &[
                    line("slow", 160.0),
                    line("quick", 40.0),
                    line("throng", 8.0),
                ],
            ),
            frames(20_000, 2, &[line("quick", 40.0), line("throng", 5.0)]),
            frames(1_000_000, 1, &[line("quick", 6.0), line("throng", 12.0)]),
            failed(1_000_000, 2, "out of luck"),
        ]
    }

    #[test]
    fn with_the_catalogue_come_contacts_and_with_scenes_if_wanted() {
        let circles = |line: &str| parse(line).unwrap().circles();
        assert_eq!(circles(""), CIRCLES);
        assert_eq!(contacts::Args::parse_from(["contacts"]).agents, CIRCLES);
        assert_eq!(circles("--full"), CIRCLES);
        assert_eq!(circles("--contacts 3k"), [3_000]);
        for line in [
            "--no-contacts",
            "--scene even",
            "--scene even --no-contacts",
        ] {
            assert!(circles(line).is_empty(), "{line}");
        }
        assert_eq!(
            circles("--scene even --contacts 1_000,2M"),
            [1_000, 2_000_000]
        );
        for line in ["--contacts 5 --no-contacts", "--contacts 0", "--contacts"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_process_is_told_what_it_needs() {
        let told = |line: &str| {
            let command = command(5_000, 2, &parse(line).unwrap()).unwrap();
            let words = command.get_args().map(|word| word.to_str().unwrap());
            words.collect::<Vec<_>>().join(" ")
        };
        let line = "--scene even --rounds 9 --only parry,x --without y --threads 4 --json";
        let words = "--contacts-child 5000 --threads 2 --rounds 9 --only parry,x --without y";
        assert_eq!(told(line), words);
        assert_eq!(told(""), "--contacts-child 5000 --threads 2");
        let args = parse(words).unwrap();
        assert_eq!(args.contacts_child, Some(5_000));
        assert_eq!((args.threads, args.rounds), (2, Some(9)));
    }

    #[test]
    fn the_lines_of_a_real_trial_are_understood() {
        let course = Arc::new(Course::new(500, 20));
        let mut engines = throng_peers::contacts::peers(&course);
        engines.extend(own(&course, 1).unwrap());
        let trial = Trial::run(500, 2, &mut engines).unwrap();
        let printed: Vec<_> = trial.lines().map(|line| format!("{line}\n")).collect();
        let lines = lines_in(&format!("of a library\n[1]\n{}{{}}\n", printed.concat()));
        assert_eq!(lines.len(), engines.len());
        for (line, engine) in lines.iter().zip(&engines) {
            let figures = &line.figures;
            assert_eq!((figures.who.as_str(), figures.rounds), (engine.name(), 2));
            assert_eq!(figures.is_peer, engine.is_peer());
            let all = &figures.ns_per_circle.all;
            assert!(0.0 < all.best && all.best <= all.median && all.best <= all.mean);
            assert!((0.5..1.0).contains(&figures.contacts_each));
        }
    }

    #[test]
    fn whoever_fails_or_says_nothing_has_no_figures() {
        // The test program itself, which knows none of our options.
        let mut command = command(10, 1, &parse("").unwrap()).unwrap();
        let failure = ask(command.stderr(Stdio::null())).err();
        assert!(matches!(failure, Some(Failure::Ended(_))), "{failure:?}");
        let mut command = Command::new(std::env::current_exe().unwrap());
        let failure = ask(command.args(["no such test", "--exact"])).err();
        assert!(matches!(failure, Some(Failure::Silent)), "{failure:?}");
        let failure = ask(&mut Command::new("/no/such/program")).err();
        assert!(matches!(failure, Some(Failure::Start(_))), "{failure:?}");
    }

    #[test]
    fn whoever_says_why_is_quoted() {
        let ended_well = |stdout: String| Output {
            status: ExitStatus::default(),
            stdout: stdout.into_bytes(),
            stderr: Vec::new(),
        };
        let lines = read(&ended_well(line("throng", 1.0)));
        assert_eq!(lines.map(|lines| lines.len()).ok(), Some(1));
        let printed = line("throng", 1.0) + "{\"failure\":\"out of luck\"}\n";
        let failure = read(&ended_well(printed)).err();
        assert!(
            matches!(&failure, Some(Failure::Said(why)) if why == "out of luck"),
            "{failure:?}"
        );
    }

    #[test]
    fn everybody_is_in_the_table_and_in_lines() {
        let table = super::table(&some()).to_string();
        for row in [
            ["20k, one thread", "slow", " 1 ", "80.0", "160.0", "240.0"],
            [
                "  0.810 contacts each, 7 rounds",
                "quick",
                " 1 ",
                "20.0",
                "40.0",
                "60.0",
            ],
            ["", "throng", " 1 ", "4.0", "8.0", "5.00"],
            ["", "throng", " 2 ", "2.5", "7.5", "8.00"],
            [
                "20k, throng on 2 threads, the others on one",
                "quick",
                " 1 ",
                "20.0",
                "40.0",
                "60.0",
            ],
            ["", "throng", " 1 ", "6.0", "12.0", "0.50"],
            [
                "1M, throng on 2 threads, the others on one",
                "",
                " 2 ",
                "",
                "failed: ",
                "out of luck",
            ],
        ] {
            let has_all = |line: &str| row.iter().all(|cell| line.contains(cell));
            assert!(table.lines().any(has_all), "{row:?}\n{table}");
        }
        let lines: Vec<_> = some().iter().flat_map(Frames::json).collect();
        assert_eq!(lines.len(), 8);
        assert_eq!(
            (&lines[0]["threads"], &lines[3]["threads"]),
            (&1.into(), &2.into())
        );
        assert_eq!(lines[3]["ns_per_circle"]["fill"]["median"], 40.0);
        assert_eq!(
            (&lines[3]["who"], &lines[3]["sorts"]),
            (&"quick".into(), &3.into())
        );
        assert_eq!(lines[7]["failure"], "out of luck");
        assert_eq!(
            (&lines[7]["circles"], &lines[7]["threads"]),
            (&1_000_000.into(), &2.into())
        );
    }

    #[test]
    fn the_document_has_a_table_for_each_number_of_threads() {
        let args = parse("").unwrap();
        let text = for_the_document(&some(), &args);
        let on_one = "median (best), on one thread, the fastest of each column in bold:\n
| who | 20k circles | 1M circles |
|---|---:|---:|
| slow | 160 (80.0) |  |
| quick | 40.0 (20.0) | **6.0** (3.0) |
| throng | **8.0** (4.0) | 12.0 (6.0) |
";
        let on_two = "median (best), throng on 2 threads, the others on one, the fastest of each column in bold:\n
| who | 20k circles | 1M circles |
|---|---:|---:|
| quick | 40.0 (20.0) | failed |
| throng | **5.0** (2.5) | failed |
";
        let failed = "failed:\n\n- 1M circles with contacts, threads: 2: out of luck\n";
        for said in [on_one, on_two, failed, "(#a-whole-frame)"] {
            assert!(text.contains(said), "{said}\n{text}");
        }
        assert!(!text.contains("Everybody found"), "{text}");
        let sound = for_the_document(&some()[..3], &args);
        assert!(
            sound.ends_with(" Everybody found the same contacts in every frame.\n"),
            "{sound}"
        );
        assert!(
            !sound.contains("failed") && !sound.contains("kernels"),
            "{sound}"
        );
        assert_eq!(for_the_document(&[], &args), "");
    }

    #[test]
    fn kernels_are_named_if_others_were_asked_for() {
        let text = for_the_document(&some(), &parse("--simd scalar").unwrap());
        let best = SimdLevel::detect();
        let is_other = best.to_string() != "scalar";
        assert_eq!(
            text.contains(&format!("throng ran its {best} kernels")),
            is_other,
            "{text}"
        );
    }

    #[test]
    fn frames_are_told_in_a_line() {
        let [_, sound, _, failed] = some();
        let said = "20k circles with contacts, threads: 2; quick: 40.0 ns a circle; throng: 5.0 ns a circle";
        assert_eq!(sound.told(), said);
        let said = "1M circles with contacts, threads: 2: out of luck";
        assert_eq!(failed.told(), said);
    }
}
