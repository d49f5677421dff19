//! Everybody, the same boxes and questions, round after round.

use std::hint::black_box;
use std::time::Instant;

use throng_benches::{Answer, Packed, Queries, Samples, Tree, questions};
use throng_core::Boxes;
use throng_peers::{GeoIndex, Rstar, StaticIndex};
use throng_scenes::log_uniform_boxes;

/// Builds of a big tree take long enough to be measured in few rounds.
const BUILDS: u32 = 5;

/// What was measured of so many boxes.
pub struct Trial {
    pub boxes: usize,
    pub bytes_per_box: f64,
    /// ns per box.
    pub builds: Contest,
    /// What was asked, how many were found by each, and ns per query.
    pub searches: Vec<(String, f64, Contest)>,
}

/// Figures of everybody, ours first, then of the peers.
pub struct Contest {
    pub names: [&'static str; 4],
    pub figures: [Samples; 4],
}

impl Contest {
    fn new() -> Self {
        Self {
            names: [
                Packed::NAME,
                <StaticIndex>::NAME,
                <GeoIndex>::NAME,
                Rstar::NAME,
            ],
            figures: Default::default(),
        }
    }

    /// How many times as fast as the faster of the peers ours is, round by round.
    pub fn ratio(&self) -> Samples {
        let [ours, peers @ ..] = &self.figures;
        Samples::least(peers).per_round_over(ours)
    }
}

impl Trial {
    pub fn run(count: usize, rounds: u32) -> Self {
        let scene = log_uniform_boxes(count, [0.5, 20.0], 0.5, 1);
        let boxes = scene.boxes();
        let mut builds = Contest::new();
        for _ in 0..BUILDS.min(rounds) {
            let [a, b, c, d] = &mut builds.figures;
            time_build::<Packed>(boxes, a);
            time_build::<StaticIndex>(boxes, b);
            time_build::<GeoIndex>(boxes, c);
            time_build::<Rstar>(boxes, d);
        }
        let mut packed = Packed::build(boxes);
        let mut index = <StaticIndex>::build(boxes);
        let mut geo = <GeoIndex>::build(boxes);
        let mut rstar = Rstar::build(boxes);
        let bytes_per_box = packed.bytes() as f64 / count as f64;
        let mut searches = Vec::new();
        for (name, queries) in questions(packed.tree()) {
            let mut contest = Contest::new();
            let mut found = 0.0;
            for _ in 0..rounds {
                let [a, b, c, d] = &mut contest.figures;
                let expected = time(&mut packed, &queries, a);
                agree(expected, time(&mut index, &queries, b), &name);
                agree(expected, time(&mut geo, &queries, c), &name);
                agree(expected, time(&mut rstar, &queries, d), &name);
                found = expected.found as f64 / queries.count() as f64;
            }
            searches.push((name, found, contest));
        }
        Self {
            boxes: count,
            bytes_per_box,
            builds,
            searches,
        }
    }
}

fn time_build<T: Tree>(boxes: Boxes<'_>, figures: &mut Samples) {
    let started = Instant::now();
    let tree = black_box(T::build(boxes));
    figures.push(started.elapsed().as_nanos() as f64 / boxes.len() as f64);
    drop(tree);
}

fn time(tree: &mut impl Tree, queries: &Queries, figures: &mut Samples) -> Answer {
    let started = Instant::now();
    let answer = match queries {
        Queries::Windows(windows) => tree.touching(windows),
        Queries::Points(points) => tree.at(points),
        Queries::Nearest(points) => tree.nearest(points),
    };
    let took = started.elapsed().as_nanos() as f64;
    figures.push(took / queries.count() as f64);
    black_box(answer)
}

fn agree(a: Answer, b: Answer, what: &str) {
    assert!(a.agrees(&b), "{what}: {a:?} and {b:?} were found");
}

#[cfg(test)]
mod tests {
    use super::Trial;

    #[test]
    fn a_trial_has_figures_of_everybody_for_every_question() {
        let trial = Trial::run(1_000, 2);
        for (name, found, contest) in &trial.searches {
            assert!(*found > 0.0, "{name}");
            for (who, figures) in contest.names.iter().zip(&contest.figures) {
                assert!(figures.best() > 0.0, "{who}, {name}");
            }
        }
        assert_eq!(trial.searches.len(), 8, "two orders of four questions");
    }
}
