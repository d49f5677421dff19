//! What was measured, for `docs/benchmarks.md`.

use std::error::Error;
use std::path::Path;

use throng_peers::conditions::{gain_of_threads, processor, today};
use throng_peers::document::{Document, pictures};
use throng_peers::ways;

use crate::absent::{Absent, EVERY_SCENE, absent};
use crate::args::Args;
use crate::conditions::versions;
use crate::figures::{Figures, OURS, Trial, samples};
use crate::tables::said_of_filter;
use crate::with_contacts::{self, Frames};

/// What is written begins with this.
const BEGIN: &str =
    "<!-- Written by `--bin pairs -- --docs docs`, and overwritten by the next. -->";

/// A ratio nearer to one than this is no difference.
const NOISE: f64 = 1.03;

/// Writes the section of `benchmarks.md` in this folder, and the plots beside it.
///
/// # Errors
///
/// If there is no such document, if it lacks the markers, or if something cannot be written.
pub fn write(
    docs: &Path,
    trials: &[Trial],
    with_contacts: &[Frames],
    args: &Args,
) -> Result<(), Box<dyn Error>> {
    let document = Document::read(docs)?;
    #[cfg(feature = "all-peers")]
    let drawn = crate::plots::draw(docs, trials)?;
    #[cfg(not(feature = "all-peers"))]
    let drawn = Vec::new();
    let section = [
        section(trials, args),
        with_contacts::for_the_document(with_contacts, args),
        pictures(&drawn),
        said_of_ways(),
    ];
    document.write_section(BEGIN, &section.concat())
}

fn section(trials: &[Trial], args: &Args) -> String {
    let note = args.note.as_deref().map(|note| format!(", {note}"));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = format!(
        "Measured on {} on an {} with {processors} processors{}; throng ran its {} kernels. Versions: {}.\n",
        today(),
        processor(),
        note.unwrap_or_default(),
        args.simd(),
        versions(trials),
    );
    for threads in args.thread_counts() {
        let count = threads_in_words(threads);
        text += &format!(
            "\nMedian ns per agent and frame on {count}, the fastest of each row in bold:\n\n"
        );
        text += &table(trials, threads);
        if threads > 1 {
            text += &format!(
                "\nOn this machine, {count} that only compute in registers, and share nothing, got {:.1} times as much done as one.\n",
                gain_of_threads(threads)
            );
        }
    }
    text += "\n(On one thread, times are what the thread itself had; on more, the wall's, which other work on the machine \
             lengthens. + is what it takes on top to get to the exact pairs, where a peer finds those of larger boxes. parry is the faster \
             of two ways to keep its tree.)\n";
    text += &said_of_winners(trials, &args.thread_counts());
    text += &said_of_failures(trials, &absent(args));
    text
}

/// The columns: what stands above each, and how the names of those in it begin.
pub fn columns() -> Vec<&'static str> {
    let mut columns = vec![OURS];
    for (name, _) in ways() {
        let (library, _) = name.split_once(',').unwrap_or((name, ""));
        if !columns.contains(&library) {
            columns.push(library);
        }
    }
    columns
}

/// The fastest in a column.
pub fn in_column<'a>(trial: &'a Trial, column: &str, threads: usize) -> Option<&'a Figures> {
    let of_column = trial.figures.iter().filter(|figures| {
        let (library, _) = figures
            .who
            .name
            .split_once(',')
            .unwrap_or((&figures.who.name, ""));
        let is_ours = !figures.is_peer && figures.who.name != OURS;
        library == column && figures.who.threads == threads && !is_ours
    });
    of_column.min_by(|a, b| {
        let [a, b] = [a, b].map(|figures| figures.median().unwrap_or(f64::INFINITY));
        a.total_cmp(&b)
    })
}

fn table(trials: &[Trial], threads: usize) -> String {
    let columns = columns();
    let mut text = format!("| scene | {} |\n", columns.join(" | "));
    text += &format!("|---|{}\n", "---:|".repeat(columns.len()));
    for trial in trials {
        let cells: Vec<_> = columns
            .iter()
            .map(|column| in_column(trial, column, threads))
            .collect();
        let times = cells
            .iter()
            .flatten()
            .filter_map(|figures| figures.median());
        let best = times.fold(f64::INFINITY, f64::min);
        let cells = cells.into_iter().map(|figures| cell(figures, best));
        text += &format!(
            "| {} | {} |\n",
            trial.scene,
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
    text
}

fn cell(figures: Option<&Figures>, best: f64) -> String {
    let Some(figures) = figures else {
        return String::new();
    };
    let Some(median) = figures.median() else {
        return "failed".to_owned();
    };
    let time = nanoseconds(median);
    let time = if median <= best {
        format!("**{time}**")
    } else {
        time
    };
    match said_of_filter(figures) {
        Some(filter) => format!("{time} + {filter}"),
        None => time,
    }
}

/// So many threads.
pub fn threads_in_words(threads: usize) -> String {
    match threads {
        1 => "one thread".to_owned(),
        _ => format!("{threads} threads"),
    }
}

/// A time in a table.
pub fn nanoseconds(time: f64) -> String {
    if time < 99.95 {
        format!("{time:.1}")
    } else {
        format!("{time:.0}")
    }
}

/// Where a peer is faster, and how far ahead we are elsewhere.
fn said_of_winners(trials: &[Trial], threads: &[usize]) -> String {
    let (mut lost, mut won) = (Vec::new(), Vec::<f64>::new());
    for trial in trials {
        for &threads in threads {
            let Some(peer) = trial.fastest_peer(threads) else {
                continue;
            };
            let ratio = samples(&peer.ratios).median();
            if ratio * NOISE < 1.0 {
                let on = threads_in_words(threads);
                lost.push(format!(
                    "- {}, {on}: {} is {:.1} times as fast as throng.\n",
                    trial.scene,
                    peer.who.name,
                    1.0 / ratio
                ));
            } else {
                won.push(ratio);
            }
        }
    }
    won.sort_by(f64::total_cmp);
    let mut text = String::from(
        "\n**Where a peer is faster**, the fastest of them (by medians of ratios within rounds, without the time after the +; where \
         few move, peers that keep their pairs answer what has changed, and throng lets the others rest):\n\n",
    );
    if lost.is_empty() {
        text = String::from("\nNo peer was faster on any of these scenes.\n");
    }
    text += &lost.concat();
    if let [least, .., most] = won[..] {
        text += &format!(
            "\nIn the other rows throng is {least:.1} to {most:.1} times as fast as the fastest peer, by the median of ratios \
             within rounds; half of these rows are above {:.1}.\n",
            won[won.len() / 2]
        );
    }
    text
}

fn said_of_failures(trials: &[Trial], absent: &[Absent]) -> String {
    let mut text = String::new();
    for trial in trials {
        for figures in &trial.figures {
            if let Some(why) = &figures.failure {
                text += &format!(
                    "- {}, {}, threads: {}: {why}\n",
                    trial.scene, figures.who.name, figures.who.threads
                );
            }
        }
    }
    let found_the_same = text.is_empty();
    for absent in absent {
        text += &format!(
            "- {EVERY_SCENE}, {}, threads: {}: {}\n",
            absent.name,
            absent.said_of_threads(),
            absent.failure(),
        );
    }
    match (found_the_same, absent) {
        (true, []) => {
            "\nNobody failed: everybody found the same pairs in every frame.\n".to_owned()
        }
        (true, _) => format!(
            "\nWho failed, and why; everybody else found the same pairs in every frame:\n\n{text}"
        ),
        (false, _) => format!("\nWho failed, and why:\n\n{text}"),
    }
}

/// How each is used.
fn said_of_ways() -> String {
    let mut text = String::from("\nHow each is used:\n\n");
    text += "- throng: centers written into its columns (where few move, into their rows; on more threads, in chunks), and one \
             `step` with a narrowphase that counts; no masks.\n";
    for (name, way) in ways() {
        text += &format!("- {name}: {way}.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{said_of_failures, section};
    use crate::absent::tests::two;
    use crate::args::Args;
    use crate::figures::Trial;
    use crate::tables::tests::a_trial;

    /// The same under names that have columns.
    fn trial() -> Trial {
        let mut trial = a_trial();
        for figures in &mut trial.figures {
            figures.who.name = match figures.who.name.as_str() {
                "slow" => "parry, refit".to_owned(),
                "quick" => "broccoli".to_owned(),
                "lost" => "rstar".to_owned(),
                name => name.to_owned(),
            };
        }
        trial
    }

    #[test]
    fn the_document_says_who_wins_and_who_fails() {
        let args = Args::parse_from(["pairs", "--docs", "x", "--note", "in a dream"]);
        let text = section(&[trial()], &args);
        for said in [
            "| 100k even, P=1 | **20.0** | 40.0 | 160 + 7.0 |",
            "| 100k even, P=1 | 10.0 | **8.0** | 100 + 7.0 |",
            "2 threads: broccoli is 1.2 times as fast as throng",
            "rstar, threads: 1: panicked: of boredom",
            "in a dream",
            "2 threads that only compute in registers",
            "failed |",
        ] {
            assert!(text.contains(said), "{said}\n{text}");
        }
        // Here or not, it does not run on two threads.
        let absent = text.matches("- every scene, LAMMPS, threads: ").count();
        assert_eq!(absent, 1, "{text}");
    }

    #[test]
    fn whoever_is_not_there_has_failed() {
        let mut sound = trial();
        sound.figures.retain(|figures| figures.failure.is_none());
        let nobody = "Nobody failed";
        assert!(said_of_failures(&[], &[]).contains(nobody));
        for (trials, others) in [
            (vec![sound], "everybody else found the same"),
            (vec![trial(), trial()], "panicked"),
        ] {
            let text = said_of_failures(&trials, &two());
            assert!(text.contains(others) && !text.contains(nobody), "{text}");
            for said in [
                "- every scene, away, threads: 1 and 2: left out: gone fishing\n",
                "- every scene, loner, threads: 2: left out: works alone\n",
            ] {
                assert_eq!(text.matches(said).count(), 1, "{said}\n{text}");
            }
        }
    }
}
