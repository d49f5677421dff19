//! What each config costs, side by side.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use throng::{BroadphaseConfig, CategoryKind};

use crate::trial::Trial;

/// A line for each trial.
pub fn of(trials: &[(&str, Trial)]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_header([
        "config",
        "categories",
        "ms per step",
        "pairs",
        "candidates per pair",
        "MB",
    ]);
    for (name, trial) in trials {
        let report = trial.report();
        table.add_row([
            (*name).to_owned(),
            in_short(trial.config()),
            format!("{:.2}", trial.median()),
            report.pairs.to_string(),
            format!(
                "{:.2}",
                report.candidates as f64 / report.pairs.max(1) as f64
            ),
            format!("{:.2}", report.bytes as f64 / 1e6),
        ]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The categories that move, by bound, and the others by name.
fn in_short(config: &BroadphaseConfig) -> String {
    let category = |category: &throng::CategoryConfig| match category.kind {
        CategoryKind::Uniform => {
            let [x, y] = category.half_extents.map(short);
            if x == y { x } else { format!("{x} x {y}") }
        }
        _ => category.name.clone(),
    };
    let categories: Vec<String> = config.categories.iter().map(category).collect();
    categories.join(", ")
}

/// A length to a hundredth.
fn short(length: f32) -> String {
    let text = format!("{length:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
