//! One scene: rounds in which everybody has a step over the same boxes.

use std::error::Error;

use throng_benches::{Contender, Fingerprint, Population, Samples};
use throng_peers::everybody;

use crate::args::Args;
use crate::churn::Churn;
use crate::scene::Scene;
use crate::written_step::{Way, WrittenStep};

/// Peers that keep their trees and are told what has moved. The others build anew in every frame.
const PEERS: [&str; 3] = ["rapier", "Box2D tree", "obvhs"];

/// What was measured of somebody.
pub struct Figures {
    /// Who.
    pub name: &'static str,
    /// Microseconds a step, round by round.
    pub step: Samples,
    /// Microseconds on top to get to the exact pairs, where a peer finds those of larger boxes.
    pub filter: Samples,
}

/// Everybody on one scene: throng in its four ways, then the peers.
pub struct Trial {
    /// Which.
    pub scene: Scene,
    /// In the same order on every scene.
    pub figures: Vec<Figures>,
}

impl Trial {
    /// Somebody's.
    pub fn of(&self, name: &str) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.name == name)
    }
}

/// Runs the churn and all rounds of a scene.
///
/// # Errors
///
/// If the threads cannot be started, or somebody finds other pairs than there are.
pub fn run(scene: Scene, args: &Args) -> Result<Trial, Box<dyn Error>> {
    let mut churn = Churn::new(scene);
    let mut all = contenders(churn.population(), args)?;
    for _ in 0..args.churn(scene) {
        churn.take_turns();
        let now = churn.advance();
        for contender in &mut all {
            contender.prepare(now);
            contender.frame(now);
        }
    }
    compare_sets(&mut all, churn.advance())?;
    let mut figures: Vec<_> = all
        .iter()
        .map(|contender| Figures {
            name: contender.name(),
            step: Samples::default(),
            filter: Samples::default(),
        })
        .collect();
    for round in 0..args.rounds() as usize {
        if args.churning {
            churn.take_turns();
        }
        let now = churn.advance();
        let mut pairs = None;
        for who in in_turns(Way::ALL.len(), all.len(), round) {
            all[who].prepare(now);
            let frame = all[who].frame(now);
            figures[who].step.push(frame.time.as_secs_f64() * 1e6);
            figures[who].filter.push(frame.filter.as_secs_f64() * 1e6);
            let expected = *pairs.get_or_insert(frame.pairs);
            if frame.pairs != expected {
                return Err(disagreement(figures[who].name, frame.pairs, expected));
            }
        }
    }
    compare_sets(&mut all, churn.advance())?;
    Ok(Trial { scene, figures })
}

/// Who runs after whom in a round: the first `ours` of `all` and the others in turns, so that most find somebody else's code in the
/// caches, as in a game. Who begins changes from round to round.
fn in_turns(ours: usize, all: usize, round: usize) -> Vec<usize> {
    let turned = |first: usize, count: usize| (0..count).map(move |k| first + (k + round) % count);
    let (mut first, mut others) = (turned(0, ours), turned(ours, all - ours));
    let turns = std::iter::from_fn(|| {
        let (one, other) = (first.next(), others.next());
        (one.is_some() || other.is_some()).then(|| one.into_iter().chain(other))
    });
    turns.flatten().collect()
}

fn contenders(
    population: &Population,
    args: &Args,
) -> Result<Vec<Box<dyn Contender>>, Box<dyn Error>> {
    let mut all: Vec<Box<dyn Contender>> = Vec::new();
    for way in Way::ALL {
        all.push(Box::new(WrittenStep::new(population, way)?));
    }
    let peers = everybody(1)?.into_iter();
    all.extend(peers.filter(|peer| PEERS.contains(&peer.name()) && args.wants(peer.name())));
    Ok(all)
}

/// Everybody must find the pairs that a sweep finds.
fn compare_sets(
    all: &mut [Box<dyn Contender>],
    population: &Population,
) -> Result<(), Box<dyn Error>> {
    let expected = Fingerprint::of(population);
    for contender in all {
        contender.prepare(population);
        let found = contender.fingerprint(population);
        if found != expected {
            return Err(disagreement(contender.name(), found.pairs, expected.pairs));
        }
    }
    Ok(())
}

fn disagreement(name: &str, found: u64, expected: u64) -> Box<dyn Error> {
    format!("{name} found {found} pairs, and not the {expected} that there are").into()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use throng_benches::{Contender, Fingerprint, Frame, Population};

    use super::{Args, compare_sets, in_turns, run};
    use crate::churn::Churn;
    use crate::scene::{Layout, Scene};
    use crate::written_step::Way;

    #[test]
    fn everybody_finds_the_same_after_churn_and_in_it() {
        for layout in Layout::ALL {
            for (share, more) in [
                (0.01, "--churning"),
                (0.1, ""),
                (0.5, "--churning"),
                (1.0, ""),
            ] {
                let line = format!("resting --churn 30 --rounds 3 {more}");
                let args = Args::parse_from(line.split_whitespace());
                let scene = Scene {
                    agents: 2_000,
                    share,
                    layout,
                };
                let trial = run(scene, &args).unwrap();
                let peers = if cfg!(feature = "all-peers") { 3 } else { 0 };
                assert_eq!(trial.figures.len(), Way::ALL.len() + peers);
                for figures in &trial.figures {
                    assert!(figures.step.best() > 0.0, "{}", figures.name);
                }
            }
        }
    }

    #[test]
    fn ours_and_others_take_turns() {
        assert_eq!(in_turns(4, 7, 0), [0, 4, 1, 5, 2, 6, 3]);
        assert_eq!(in_turns(4, 7, 5), [1, 6, 2, 4, 3, 5, 0]);
        assert_eq!(in_turns(1, 4, 1), [0, 2, 3, 1]);
        assert_eq!(in_turns(2, 2, 1), [1, 0]);
    }

    /// Finds nothing.
    struct Blind;

    impl Contender for Blind {
        fn name(&self) -> &'static str {
            "blind"
        }

        fn prepare(&mut self, _population: &Population) {}

        fn frame(&mut self, _population: &Population) -> Frame {
            unreachable!("it is not asked")
        }

        fn fingerprint(&mut self, _population: &Population) -> Fingerprint {
            Fingerprint::default()
        }
    }

    #[test]
    fn whoever_finds_something_else_ends_it() {
        let churn = Churn::new(Scene {
            agents: 500,
            share: 0.1,
            layout: Layout::Even,
        });
        let error = compare_sets(&mut [Box::new(Blind)], churn.population()).unwrap_err();
        assert!(
            error.to_string().starts_with("blind found 0 pairs"),
            "{error}"
        );
    }
}
