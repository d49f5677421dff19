//! What was measured, as pictures.

use std::error::Error;
use std::path::Path;

use throng_peers::plot::{Picture, Series};

use crate::document::{columns, in_column, threads_in_words};
use crate::figures::{OURS, Trial};
use crate::scene::{Kind, Scene};

/// What the times are.
const BESIDE: &str = "ns per agent and frame";

/// A picture: what it is about, and where each scene that belongs to it stands along x.
struct Plot {
    file: &'static str,
    caption: &'static str,
    below: &'static str,
    /// Whether scenes stand there by name, or by a number on a logarithmic axis.
    by_name: bool,
    place: fn(&Scene) -> Option<f64>,
}

const PLOTS: [Plot; 4] = [
    Plot {
        file: "size.svg",
        caption: "Time over the number of agents, a pair each, one thread",
        below: "agents",
        by_name: false,
        place: |scene| (is_even(scene) && scene.share == 1.0).then_some(scene.agents as f64),
    },
    Plot {
        file: "spread.svg",
        caption: "Time over the spread of sizes, 250k boxes, one thread",
        below: "largest box by smallest",
        by_name: false,
        place: |scene| (scene.kind == Kind::Sizes).then_some(f64::from(scene.spread)),
    },
    Plot {
        file: "unevenness.svg",
        caption: "Time by how 100k agents are spread, one thread",
        below: "",
        by_name: true,
        place: |scene| {
            let mut kinds = std::iter::once(Kind::Even).chain(Kind::UNEVEN);
            let place = kinds.position(|kind| kind == scene.kind)?;
            let is_plain = scene.agents == 100_000 && scene.pairs == 1.0 && scene.share == 1.0;
            is_plain.then_some(place as f64)
        },
    },
    Plot {
        file: "movers.svg",
        caption: "Time over the share of 100k agents that moves, one thread",
        below: "% that move",
        by_name: false,
        place: |scene| (is_even(scene) && scene.agents == 100_000).then_some(scene.share * 100.0),
    },
];

fn is_even(scene: &Scene) -> bool {
    scene.kind == Kind::Even && scene.pairs == 1.0
}

/// Draws every picture for which there are scenes, and says where each is and what it shows.
///
/// # Errors
///
/// If a file cannot be written.
pub fn draw(docs: &Path, trials: &[Trial]) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut drawn = Vec::new();
    for plot in PLOTS {
        let mut placed: Vec<_> = trials
            .iter()
            .filter_map(|trial| Some(((plot.place)(&trial.scene)?, trial)))
            .collect();
        placed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let all = columns().into_iter().map(|name| Series {
            name,
            is_ours: name == OURS,
            points: placed
                .iter()
                .enumerate()
                .filter_map(|(index, (x, trial))| {
                    // Evenly spaced on a logarithmic axis.
                    let x = if plot.by_name {
                        (1 << index) as f64
                    } else {
                        *x
                    };
                    Some((x, in_column(trial, name, 1)?.median()?))
                })
                .collect(),
        });
        let all: Vec<_> = all.collect();
        if placed.len() > 1 {
            let names = placed
                .iter()
                .map(|(_, trial)| name_of(trial.scene.kind).to_owned());
            let names: Vec<_> = names.filter(|_| plot.by_name).collect();
            let picture = Picture {
                file: plot.file,
                caption: plot.caption,
                below: plot.below,
                beside: BESIDE,
                names: &names,
            };
            drawn.push(picture.draw(docs, &all)?);
        }
    }
    drawn.extend(draw_threads(docs, trials)?);
    Ok(drawn)
}

/// Times on one thread and on more, on the largest even crowd.
fn draw_threads(docs: &Path, trials: &[Trial]) -> Result<Option<(String, String)>, Box<dyn Error>> {
    let even = trials
        .iter()
        .filter(|trial| is_even(&trial.scene) && trial.scene.share == 1.0);
    let Some(trial) = even.max_by_key(|trial| trial.scene.agents.min(1_000_000)) else {
        return Ok(None);
    };
    let mut threads: Vec<_> = trial
        .figures
        .iter()
        .map(|figures| figures.who.threads)
        .collect();
    threads.sort();
    threads.dedup();
    if threads.len() < 2 {
        return Ok(None);
    }
    let all: Vec<_> = columns()
        .into_iter()
        .map(|name| Series {
            name,
            is_ours: name == OURS,
            points: threads
                .iter()
                .enumerate()
                .filter_map(|(index, &count)| {
                    let time = in_column(trial, name, count)?.median()?;
                    Some(((1 << index) as f64, time))
                })
                .collect(),
        })
        .collect();
    let names: Vec<_> = threads.iter().copied().map(threads_in_words).collect();
    let caption = format!("Time over threads, {}", trial.scene);
    let picture = Picture {
        file: "threads.svg",
        caption: &caption,
        below: "",
        beside: BESIDE,
        names: &names,
    };
    picture.draw(docs, &all).map(Some)
}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Even => "even",
        Kind::Towns => "towns",
        Kind::Blobs => "in a hundredth",
        Kind::Front => "front",
        Kind::March => "columns",
        Kind::Spots => "25 on a spot",
        Kind::Diagonal => "diagonal",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::scene::{Kind, Scene};
    use crate::tables::tests::a_trial;

    #[test]
    fn pictures_are_drawn_of_what_there_is() {
        let docs = std::env::temp_dir().join(format!("throng-plots-{}", std::process::id()));
        let mut larger = a_trial();
        larger.scene = Scene::new(Kind::Even, 1_000_000);
        let mut line = a_trial();
        line.scene = Scene::new(Kind::Diagonal, 100_000);
        let drawn = draw(&docs, &[a_trial(), larger, line]).unwrap();
        let files: Vec<_> = drawn.iter().map(|(file, _)| file.as_str()).collect();
        let expected = ["size.svg", "unevenness.svg", "threads.svg"];
        assert_eq!(files, expected.map(|file| format!("benchmarks/{file}")));
        for file in files {
            let picture = std::fs::read_to_string(docs.join(file)).unwrap();
            assert!(picture.contains("throng") && picture.len() < 100_000);
        }
        std::fs::remove_dir_all(docs).unwrap();
    }
}
