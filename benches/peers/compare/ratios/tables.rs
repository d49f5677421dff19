//! What was measured, for a person.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};

use throng_benches::Samples;

use crate::args::Args;
use crate::trial::{Figures, Trial};

/// Under what conditions the figures came about, and what they leave out.
pub fn conditions(args: &Args) -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "Frames in turns over one population, every agent moving; pairs compared in every round. {} kernels, {} \
         processors.\n\
         broccoli 6.3: Tree::new and find_colliding_pairs, on bots made anew for every frame; making them is not timed, \
         which favours it.\n\
         parry2d 0.31: a Bvh, every leaf updated, refit_without_opt or optimize_incremental and refit, \
         traverse_bvtt_single_tree. In the mixed scene and the rings everything drifts, at up to 0.1 half extents a frame \
         and for 30 frames before the first that is timed, so that refit alone works on an older and older tree.\n\
         grid, strips, double grid, quadtree alone: from columns as an engine has them, batches of row pairs handed to a \
         black box.\n\
         whole step: masks on every row or none, a narrowphase that counts; filling its columns is not timed either.\n\
         \"before\" is what is not timed. ns per agent; x times is the median over rounds of the ratio within a round, \
         to whichever peer was the faster in it.",
        args.simd(),
        processors,
    )
}

/// Everybody against the faster of the peers.
pub fn against_peers(trials: &[Trial]) -> Table {
    let head = [
        "scene",
        "who",
        "threads",
        "before",
        "best",
        "median",
        "x peer",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let peer = trial.fastest_peer();
        for (figures, title) in trial.figures.iter().zip(titles(trial)) {
            let mut row = vec![
                title,
                figures.name.to_owned(),
                figures.threads.to_string(),
                format!("{:.1}", figures.prepare.median()),
                format!("{:.1}", figures.frame.best()),
                format!("{:.1}", figures.frame.median()),
            ];
            row.extend(ratio(&peer.per_round_over(&figures.frame)));
            table.add_row(row);
        }
    }
    table
}

/// Several threads against one.
pub fn scaling(trials: &[Trial]) -> Table {
    let head = [
        "scene",
        "who",
        "threads",
        "one: best",
        "median",
        "all: best",
        "median",
        "x one: of bests",
        "median",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let own = trial.on_one().iter().zip(trial.on_several());
        for ((one, many), title) in own.zip(titles(trial)) {
            let mut row = vec![title, many.name.to_owned(), many.threads.to_string()];
            for samples in [&one.frame, &many.frame] {
                row.push(format!("{:.1}", samples.best()));
                row.push(format!("{:.1}", samples.median()));
            }
            // Two workers that wake on one processor spoil a median and leave the best alone.
            row.push(format!("{:.2}", one.frame.best() / many.frame.best()));
            row.extend(ratio(&one.frame.per_round_over(&many.frame)));
            table.add_row(row);
        }
    }
    table
}

/// What went into the frames of whoever can say, where there are several categories.
pub fn shares(trials: &[Trial]) -> Table {
    let head = [
        "scene",
        "worker time of",
        "threads",
        "median",
        "% of all",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let own = trial.on_one().iter().chain(trial.on_several());
        for figures in own {
            let Some(between) = figures.between() else {
                continue;
            };
            let all = Samples::sum(figures.shares.iter().map(|share| &share.time));
            let all = all.unwrap_or_default();
            let parts = figures
                .shares
                .iter()
                .map(|share| (share.name.as_str(), share.time.per_round_over(&all)));
            let parts = parts.chain([("meetings of different categories", between)]);
            for ((name, part), title) in parts.zip(titles(trial)) {
                let [low, high] = part.quartiles();
                table.add_row([
                    title,
                    name.to_owned(),
                    figures.threads.to_string(),
                    format!("{:.1}", part.median() * all.median()),
                    format!("{:.1}", part.median() * 100.0),
                    format!("{:.1} to {:.1}", low * 100.0, high * 100.0),
                ]);
            }
        }
    }
    table
}

/// Bytes per agent of whoever can say, on one thread; a column for each trial.
pub fn memory(trials: &[Trial]) -> Table {
    let titles = trials.iter().map(|trial| trial.case.to_string());
    let head: Vec<String> = std::iter::once("bytes per agent".to_owned())
        .chain(titles)
        .collect();
    let mut table = new_table(&head, 1);
    let held = |trial: &Trial| -> Vec<(String, f64)> {
        let of = |figures: &Figures| {
            let parts = figures.memory.iter();
            let named = parts.map(|(part, bytes)| (format!("{}: {part}", figures.name), *bytes));
            named.collect::<Vec<_>>()
        };
        trial.on_one().iter().flat_map(of).collect()
    };
    let held: Vec<_> = trials.iter().map(held).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in held.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let bytes = held.iter().map(|held| {
            let part = held.iter().find(|(part, _)| part == name);
            part.map_or(String::new(), |(_, bytes)| format!("{bytes:.1}"))
        });
        table.add_row(std::iter::once(name.clone()).chain(bytes));
    }
    table
}

/// What stands before the rows of a trial.
fn titles(trial: &Trial) -> impl Iterator<Item = String> {
    let (pairs, rounds) = (trial.pairs_per_agent, trial.rounds);
    let found = format!("  {pairs:.3} pairs each, {rounds} rounds");
    let first = [trial.case.to_string(), found];
    first.into_iter().chain(std::iter::repeat(String::new()))
}

fn ratio(per_round: &Samples) -> [String; 2] {
    let [low, high] = per_round.quartiles();
    [
        format!("{:.2}", per_round.median()),
        format!("{low:.2} to {high:.2}"),
    ]
}

/// The first columns hold words, the others figures.
fn new_table<S: ToString>(head: &[S], words: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_header(head.iter().map(S::to_string));
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
