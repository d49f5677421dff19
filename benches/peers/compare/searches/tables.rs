//! What was measured, for a person.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};

use crate::frame::Figures;
use crate::trial::{Contest, Trial};

/// What the figures are of.
pub const CONDITIONS: &str = "\
Boxes of half extents 0.5 to 20, log-uniform, overlapping half a neighbour each; one thread; the same questions to \
everybody in turns, and their answers compared in every round. static_aabb2d_index with a stack or queue that is kept, geo-index with \
the lists that it returns, rstar bulk loaded and asked with visitors.
ns per box built, or per query; x peer is the median over rounds of the ratio within a round, to whichever peer was the \
fastest in it.";

/// How long trees take to build, and how large ours are.
pub fn builds(trials: &[Trial]) -> Table {
    let mut table = new_table(&[
        "boxes",
        "built by",
        "best",
        "median",
        "x peer",
        "bytes per box",
    ]);
    for trial in trials {
        let bytes = format!("{:.1}", trial.bytes_per_box);
        add_contest(
            &mut table,
            vec![trial.boxes.to_string()],
            &trial.builds,
            &bytes,
        );
    }
    table
}

/// How long searches take.
pub fn searches(trials: &[Trial]) -> Table {
    let head = [
        "boxes",
        "asked for",
        "found",
        "by",
        "best",
        "median",
        "x peer",
        "",
    ];
    let mut table = new_table(&head);
    for trial in trials {
        for (name, found, contest) in &trial.searches {
            let title = vec![trial.boxes.to_string(), name.clone(), format!("{found:.2}")];
            add_contest(&mut table, title, contest, "");
        }
    }
    table
}

/// What a frame costs that meets scenery.
pub fn frames(figures: &[Figures]) -> Table {
    let mut table = new_table(&[
        "agents",
        "sizes",
        "walls",
        "pairs each",
        "ns per agent",
        "best",
        "median",
    ]);
    for figures in figures {
        let sizes = if figures.exact {
            "of their own"
        } else {
            "one for all"
        };
        for (how, samples) in [
            ("a look per leaf of agents", &figures.by_leaf),
            ("a walk per agent", &figures.by_agent),
        ] {
            table.add_row([
                figures.agents.to_string(),
                sizes.to_owned(),
                figures.walls.to_string(),
                format!("{:.2}", figures.pairs_each),
                how.to_owned(),
                format!("{:.1}", samples.best()),
                format!("{:.1}", samples.median()),
            ]);
        }
    }
    table
}

fn add_contest(table: &mut Table, title: Vec<String>, contest: &Contest, last: &str) {
    let ratio = format!("{:.2}", contest.ratio().median());
    let mut front = title;
    for (who, figures) in contest.names.iter().zip(&contest.figures) {
        let ours = *who == contest.names[0];
        let mut row = front.clone();
        row.extend([
            (*who).to_owned(),
            format!("{:.1}", figures.best()),
            format!("{:.1}", figures.median()),
            if ours { ratio.clone() } else { String::new() },
            if ours { last.to_owned() } else { String::new() },
        ]);
        table.add_row(row);
        front.iter_mut().for_each(String::clear);
    }
}

fn new_table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_header(head.to_vec());
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
