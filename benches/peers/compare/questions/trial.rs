//! Everybody, the same rows and questions, round after round.

use std::hint::black_box;

use throng_benches::{Answer, BoxColumns, Population, Samples, windows_that_find};
use throng_core::Serial;
use throng_peers::Stopwatch;
use throng_quadtree::{PackedConfig, PackedQuadtree};

use crate::everybody::{everybody, world_in_motion};

/// What was measured in one situation.
pub struct Trial {
    pub name: &'static str,
    pub rows: usize,
    /// How many rows a question finds on average.
    pub found: f64,
    pub entries: Vec<Entry>,
}

/// Somebody's figures.
pub struct Entry {
    pub name: &'static str,
    pub is_ours: bool,
    /// ns of the thread's time for each question.
    pub figures: Samples,
}

impl Trial {
    /// Asks those whose name contains a word in turns: so many questions, which find so many on average.
    pub fn run(
        name: &'static str,
        population: &Population,
        (hits, questions): (f64, usize),
        rounds: u32,
        who: &str,
    ) -> Self {
        let (world, now) = world_in_motion(population);
        let population = &now;
        let columns = BoxColumns::of(population);
        let tree = PackedQuadtree::build(columns.boxes(), PackedConfig::new(), &Serial);
        let tree = tree.expect("a tree of boxes");
        let windows = windows_that_find(hits, &tree, questions);
        drop((tree, columns));
        let mut everybody = everybody(population, &world);
        everybody.retain(|asked| asked.name.contains(who));
        let mut figures = vec![Samples::default(); everybody.len()];
        let mut expected = Answer::default();
        for _ in 0..rounds {
            for (asked, figures) in everybody.iter_mut().zip(&mut figures) {
                let started = Stopwatch::start(1);
                let answer = black_box((asked.ask)(&windows));
                let took = started.elapsed().as_nanos() as f64;
                figures.push(took / windows.len() as f64);
                if expected.found == 0 {
                    expected = answer;
                }
                // A batch whose answers are not read says nothing.
                let says_all = answer.found > 0 || expected.found == 0;
                assert!(
                    !says_all || expected.agrees(&answer),
                    "{}: {answer:?} and not {expected:?}",
                    asked.name
                );
            }
        }
        let entries = everybody.iter().zip(figures);
        Self {
            name,
            rows: population.len(),
            found: expected.found as f64 / windows.len() as f64,
            entries: entries
                .map(|(asked, figures)| Entry {
                    name: asked.name,
                    is_ours: asked.is_ours,
                    figures,
                })
                .collect(),
        }
    }

    /// The best peer's time over somebody's, round by round; `None` if no peer was asked.
    pub fn times_as_fast(&self, entry: &Entry) -> Option<f64> {
        let peers = self.entries.iter().filter(|entry| !entry.is_ours);
        let least = Samples::least(peers.map(|peer| &peer.figures));
        (!least.is_empty()).then(|| least.per_round_over(&entry.figures).median())
    }
}

#[cfg(test)]
mod tests {
    use super::Trial;
    use throng_benches::Population;

    #[test]
    fn everybody_answers_in_every_situation() {
        let populations: [Population; 3] = [
            throng_scenes::uniform(2_000, 1.0, 1).into(),
            Population::mixed(2_000, 1.0, 1),
            Population::walls(2_000, [0.5, 20.0], 0.5, 1),
        ];
        for population in populations {
            let trial = Trial::run("a few", &population, (2.0, 256), 2, "");
            assert!((1.0..3.0).contains(&trial.found), "{}", trial.found);
            for entry in &trial.entries {
                assert!(entry.figures.best() > 0.0, "{}", entry.name);
                assert!(trial.times_as_fast(entry) > Some(0.0));
            }
        }
    }
}
