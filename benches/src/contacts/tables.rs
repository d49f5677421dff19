//! What was measured, for a person or a program.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use serde_json::{Value, json};

use super::{Figures, STAGES, Stage, Trial};
use crate::short;

/// Of what the figures are, and what they leave out.
pub const CONDITIONS: &str = "\
Circles of one size move in every frame, and in every frame some die and are born elsewhere; whoever touches whom is found, \
tested, and kept with depth and speed of approach. Frames in turns, contacts compared in every one. Moving things is not part \
of a frame.
sort: rows and all of the engine's arrays are sorted by space, when that is due; on average over all frames. fill: centres \
are written; peers make their boxes while circles move, or while they bring their tree up to date. pairs and narrowphase: a \
peer tests circles while it searches, so its narrowphase is in its pairs.
as inserted: the narrowphase reads the engine's arrays, whose rows are in no order. sorted: they are kept in the order of space. \
in hand: it tests what comes with each pair, and reads the arrays of circles that touch. Where rows are in no order, it asks for \
those of a pair ahead.
ns per circle, medians. Frames that sort are too few to show in a median, and are in the mean.";

/// Everybody, stage by stage.
pub fn stages(trials: &[Trial]) -> Table {
    let head = [
        "circles",
        "who",
        "sorts",
        "sort",
        "fill",
        "index",
        "pairs",
        "narrowphase",
        "all: best",
        "median",
        "mean",
    ];
    let mut table = new_table(&head);
    for trial in trials {
        for (figures, title) in trial.figures.iter().zip(titles(trial)) {
            let typical = |stage| figure(figures.of(stage).median());
            let all = figures.of(Stage::All);
            table.add_row([
                title,
                figures.name.to_owned(),
                figures.sorts.to_string(),
                figure(figures.of(Stage::Sort).mean()),
                typical(Stage::Fill),
                typical(Stage::Index),
                typical(Stage::Pairs),
                typical(Stage::Narrowphase),
                figure(all.best()),
                figure(all.median()),
                figure(all.mean()),
            ]);
        }
    }
    table
}

/// How many times as fast everybody is as whom they are compared with.
pub fn ratios(trials: &[Trial]) -> Table {
    let head = [
        "circles",
        "who",
        "times as fast as",
        "median",
        "quartiles",
        "of bests",
        "of means",
    ];
    let mut table = new_table(&head);
    table
        .column_mut(2)
        .expect("there are seven")
        .set_cell_alignment(CellAlignment::Left);
    for trial in trials {
        let mut titles = titles(trial);
        let references = trial.references();
        for figures in &trial.figures {
            let own = figures.of(Stage::All);
            let others = references
                .iter()
                .filter(|(name, _)| !figures.is_peer && *name != figures.name);
            for (name, reference) in others {
                let rounds = reference.per_round_over(own);
                let [low, high] = rounds.quartiles();
                table.add_row([
                    titles.next().unwrap_or_default(),
                    figures.name.to_owned(),
                    (*name).to_owned(),
                    format!("{:.2}", rounds.median()),
                    format!("{low:.2} to {high:.2}"),
                    format!("{:.2}", reference.best() / own.best()),
                    format!("{:.2}", reference.mean() / own.mean()),
                ]);
            }
        }
    }
    table
}

/// One engine's figures as a line of JSON: ns per circle, by stage.
pub fn json(trial: &Trial, figures: &Figures) -> Value {
    let known = STAGES
        .into_iter()
        .filter(|&stage| !figures.of(stage).is_empty());
    let stages = known.map(|stage| {
        let samples = figures.of(stage);
        let said = json!({
            "best": samples.best(),
            "median": samples.median(),
            "mean": samples.mean(),
        });
        (stage.name().to_owned(), said)
    });
    json!({
        "circles": trial.circles,
        "rounds": trial.rounds,
        "contacts_each": trial.contacts_each,
        "who": figures.name,
        "is_peer": figures.is_peer,
        "sorts": figures.sorts,
        "ns_per_circle": stages.collect::<serde_json::Map<_, _>>(),
    })
}

/// What stands before the rows of a trial.
fn titles(trial: &Trial) -> impl Iterator<Item = String> {
    let found = format!(
        "  {:.3} contacts each, {} rounds",
        trial.contacts_each, trial.rounds
    );
    let first = [short(trial.circles), found];
    first.into_iter().chain(std::iter::repeat(String::new()))
}

/// Nothing where there is nothing to say.
fn figure(nanoseconds: f64) -> String {
    if nanoseconds.is_nan() {
        String::new()
    } else {
        format!("{nanoseconds:.1}")
    }
}

/// The first two columns hold words, the others figures.
fn new_table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_header(head.to_vec());
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::Workers;
    use crate::contacts::{Course, Engine, Rows, ThrongEngine, Trial};

    #[test]
    fn everybody_and_every_stage_are_in_what_is_printed() {
        let course = Arc::new(Course::new(200, 50));
        let mut engines: Vec<Box<dyn Engine>> = Vec::new();
        for rows in Rows::ALL {
            let workers = Workers::new(1).unwrap();
            engines.push(Box::new(ThrongEngine::new(&course, rows, workers)));
        }
        let trials = [Trial::run(200, 2, &mut engines).unwrap()];
        let stages = super::stages(&trials).to_string();
        let ratios = super::ratios(&trials).to_string();
        let all = Rows::ALL.map(Rows::name);
        assert!(all.iter().all(|who| stages.contains(who)), "{stages}");
        // Each beside the first.
        assert_eq!(ratios.matches("throng, as inserted").count(), 3, "{ratios}");
        let line = super::json(&trials[0], &trials[0].figures[1]);
        for stage in ["sort", "fill", "index", "pairs", "narrowphase", "all"] {
            let median = line["ns_per_circle"][stage]["median"].as_f64();
            assert!(
                median.is_some_and(|median| median >= 0.0),
                "{stage} in {line}"
            );
        }
        let unsorted = super::json(&trials[0], &trials[0].figures[0]);
        assert!(unsorted["ns_per_circle"]["sort"].is_null());
    }
}
