//! What was measured, for a person.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};

use crate::args::Args;
use crate::samples::Samples;
use crate::trial::Trial;

/// Under what conditions the figures came about, and what they leave out.
pub fn conditions(args: &Args) -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "Frames in turns over one scene, every agent moving; pairs compared in every round. {} kernels, {} \
         processors.\n\
         broccoli 6.3: Tree::new and find_colliding_pairs, on bots made anew for every frame; making them is not timed, \
         which favours it.\n\
         grid alone: built from the engine's own arrays, batches of row pairs handed to a black box.\n\
         whole step: masks on every row, a narrowphase that counts; filling its columns is not timed either.\n\
         \"before\" is what is not timed. ns per agent; x times is the median over rounds of the ratio within a round.",
        args.simd(),
        processors,
    )
}

/// Everybody against the peer.
pub fn against_broccoli(trials: &[Trial]) -> Table {
    let head = [
        "scene",
        "who",
        "threads",
        "before",
        "best",
        "median",
        "x broccoli",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let peer = &trial.figures[Trial::BROCCOLI].frame;
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
        for ([one, many], title) in [Trial::GRID, Trial::STEP].into_iter().zip(titles(trial)) {
            let [one, many] = [one, many].map(|index| &trial.figures[index]);
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

/// Bytes per agent, a column for each trial.
pub fn memory(trials: &[Trial]) -> Table {
    let titles = trials.iter().map(|trial| trial.case.to_string());
    let head: Vec<String> = std::iter::once("bytes per agent".to_owned())
        .chain(titles)
        .collect();
    let mut table = new_table(&head, 1);
    let mut add = |name: &str, bytes: &dyn Fn(&Trial) -> f64| {
        let figures = trials.iter().map(|trial| format!("{:.1}", bytes(trial)));
        table.add_row(std::iter::once(name.to_owned()).chain(figures));
    };
    let Some(first) = trials.first() else {
        return table;
    };
    for (part, (name, _)) in first.memory.world.iter().enumerate() {
        add(name, &|trial| trial.memory.world[part].1);
    }
    add("all of the world", &|trial| trial.memory.total());
    for (part, (name, _)) in first.memory.grid.iter().enumerate() {
        add(name, &|trial| trial.memory.grid[part].1);
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
