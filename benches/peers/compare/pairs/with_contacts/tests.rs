//! Frames with contacts: what is asked of a process, what is read of it, and what is told.

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
    let said =
        "20k circles with contacts, threads: 2; quick: 40.0 ns a circle; throng: 5.0 ns a circle";
    assert_eq!(sound.told(), said);
    let said = "1M circles with contacts, threads: 2: out of luck";
    assert_eq!(failed.told(), said);
}
