//! What was measured, as pictures: time over the share that moves.

use std::error::Error;
use std::path::Path;

use throng_peers::plot::{Picture, Series};

use crate::scene::Layout;
use crate::trial::Trial;
use crate::written_step::Way;

/// Draws a picture for each layout of which there is more than one share, of the first number of proxies, and says where
/// each is and what it shows.
///
/// # Errors
///
/// If a file cannot be written.
pub fn draw(docs: &Path, trials: &[Trial]) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut drawn = Vec::new();
    let of_layouts = [
        (Layout::Even, "resting.svg", "evenly spread"),
        (Layout::Bunch, "resting_bunch.svg", "in one bunch"),
    ];
    for (layout, file, said) in of_layouts {
        let own = trials.iter().filter(|trial| trial.scene.layout == layout);
        let Some(first) = own.clone().next() else {
            continue;
        };
        let agents = first.scene.agents;
        let own: Vec<_> = own.filter(|trial| trial.scene.agents == agents).collect();
        if own.len() < 2 {
            continue;
        }
        let all: Vec<_> = first
            .figures
            .iter()
            .map(|figures| Series {
                name: figures.name,
                is_ours: figures.name == Way::Rows.name(),
                points: own
                    .iter()
                    .filter_map(|trial| {
                        let median = trial.of(figures.name)?.step.median();
                        Some((trial.scene.share * 100.0, median))
                    })
                    .collect(),
            })
            .collect();
        let count = throng_benches::short(agents);
        let picture = Picture {
            file,
            caption: &format!("Time over the share of {count} that moves, {said}, one thread"),
            below: "% that move",
            beside: "µs a step",
            names: &[],
        };
        drawn.push(picture.draw(docs, &all)?);
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::scene::Layout;
    use crate::tables::tests::a_trial;

    #[test]
    fn pictures_are_drawn_of_what_there_is() {
        let docs = std::env::temp_dir().join(format!("throng-rest-{}", std::process::id()));
        let trials = [
            a_trial(0.01, Layout::Even),
            a_trial(0.1, Layout::Even),
            a_trial(0.1, Layout::Bunch),
        ];
        let drawn = draw(&docs, &trials).unwrap();
        assert_eq!(drawn.len(), 1);
        let picture = std::fs::read_to_string(docs.join(&drawn[0].0)).unwrap();
        assert!(picture.contains("rapier") && picture.len() < 100_000);
        std::fs::remove_dir_all(docs).unwrap();
    }
}
