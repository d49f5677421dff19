//! What was measured, for `docs/benchmarks.md`.

use std::error::Error;
use std::path::Path;

use throng_peers::conditions::{processor, today, version};
use throng_peers::document::{Document, pictures};

use crate::args::Args;
use crate::tables;
use crate::trial::Trial;

/// What is written begins with this.
const BEGIN: &str =
    "<!-- Written by `--bin resting -- --docs docs`, and overwritten by the next. -->";

/// Writes the section of `benchmarks.md` in this folder, and the plots beside it.
///
/// # Errors
///
/// If there is no such document, if it lacks the markers, or if something cannot be written.
pub fn write(docs: &Path, trials: &[Trial], args: &Args) -> Result<(), Box<dyn Error>> {
    let document = Document::read(docs)?;
    #[cfg(feature = "all-peers")]
    let drawn = crate::plots::draw(docs, trials)?;
    #[cfg(not(feature = "all-peers"))]
    let drawn = Vec::new();
    document.write_section(BEGIN, &(section(trials, args) + &pictures(&drawn)))
}

fn section(trials: &[Trial], args: &Args) -> String {
    let note = args.note.as_deref().map(|note| format!(", {note}"));
    let versions = ["throng", "rapier2d", "boxdd-sys", "obvhs"].map(|package| {
        let version = version(package).unwrap_or("of an unknown version");
        format!("{package} {version}")
    });
    let turns = if args.churning {
        ", and which went on"
    } else {
        ""
    };
    format!(
        "Measured on {} on an {}{}, one thread, after {} steps of churn{turns} (a tenth of it where all move), {} rounds; {}. Medians, and best times in \
         brackets; + is what it takes on top to get to the exact pairs, where a peer keeps those of larger boxes.\n\n{}",
        today(),
        processor(),
        note.unwrap_or_default(),
        args.churn,
        args.rounds(),
        versions.join(", "),
        tables::all(trials),
    )
}
