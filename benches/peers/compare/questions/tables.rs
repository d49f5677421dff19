//! What was measured, for a person.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};

use crate::trial::Trial;

/// What the figures are of.
pub const CONDITIONS: &str = "\
Boxes all over the world in random order, the same for everybody, in turns; ns of one thread's time per question. x peer \
is the median over rounds of how many times as fast it is as whichever peer was the fastest in the round. A world's \
answers have ids, keys, places and boxes; those of structures and of peers are rows.";

/// How long questions take.
pub fn questions(trials: &[Trial]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_header([
        "rows",
        "situation",
        "found",
        "asked",
        "best",
        "median",
        "x peer",
    ]);
    for trial in trials {
        let mut title = [
            trial.rows.to_string(),
            trial.name.to_owned(),
            format!("{:.2}", trial.found),
        ];
        for entry in &trial.entries {
            let mut row = title.to_vec();
            row.push(entry.name.to_owned());
            row.push(format!("{:.0}", entry.figures.best()));
            row.push(format!("{:.0}", entry.figures.median()));
            let ratio = trial.times_as_fast(entry).filter(|_| entry.is_ours);
            row.push(ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")));
            table.add_row(row);
            title.iter_mut().for_each(String::clear);
        }
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
