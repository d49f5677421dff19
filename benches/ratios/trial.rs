//! One case: rounds in which every contender has a frame of the same scene.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use throng_benches::{Broccoli, Case, Contender, GridAlone, Moving, WholeStep, Workers};
use throng_scenes::Scene;

use crate::Memory;
use crate::args::Args;
use crate::samples::Samples;

/// What the rounds of one case came to.
pub struct Trial {
    /// What was measured on.
    pub case: Case,
    /// How many rounds there were.
    pub rounds: usize,
    /// Pairs per agent, as found, on average over rounds.
    pub pairs_per_agent: f64,
    /// One entry per contender: broccoli; then the grid and the step on one thread each; then both on several.
    pub figures: [Figures; 5],
    /// What throng holds in memory.
    pub memory: Memory,
}

/// What was measured of one contender, in ns per agent.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Its name.
    pub name: &'static str,
    /// How many threads it works on.
    pub threads: usize,
    /// Its frames.
    pub frame: Samples,
    /// What came before each frame and is no part of it.
    pub prepare: Samples,
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The operating system gave no threads.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Speed is of no interest then.
    #[error(
        "{contender} found {found} pairs in round {round} of {case} where {reference} found {expected}, or \
         as many others: there is a defect"
    )]
    Disagreement {
        /// Who found something else.
        contender: &'static str,
        /// What it found.
        found: u64,
        /// When; round 0 is the one that is not timed.
        round: usize,
        /// On what.
        case: Case,
        /// Who it is compared with.
        reference: &'static str,
        /// What that one found.
        expected: u64,
    },
}

impl Trial {
    /// Where the peer is in [`figures`](Self::figures).
    pub const BROCCOLI: usize = 0;
    /// Where the grid is: on one thread, and on several.
    pub const GRID: [usize; 2] = [1, 3];
    /// Where the whole step is: on one thread, and on several.
    pub const STEP: [usize; 2] = [2, 4];

    /// Runs all rounds of a case.
    pub fn run(case: Case, args: &Args) -> Result<Self, TrialError> {
        let rounds = args.rounds(case.agents);
        let bar = progress(case, rounds);
        let mut moving = Moving::new(case.scene());

        let (scene, simd) = (moving.scene(), Some(args.simd()));
        let many = usize::from(args.threads);
        let mut broccoli = Broccoli::new();
        let mut grid = GridAlone::new(scene.half, simd, Workers::new(1)?);
        let mut step = WholeStep::new(scene, simd, Workers::new(1)?);
        let mut grid_on_many = GridAlone::new(scene.half, simd, Workers::new(many)?);
        let mut step_on_many = WholeStep::new(scene, simd, Workers::new(many)?);
        let mut contenders: [&mut dyn Contender; 5] = [
            &mut broccoli,
            &mut grid,
            &mut step,
            &mut grid_on_many,
            &mut step_on_many,
        ];

        // Once untimed, so that memory has grown, and to see that the sets are the same, not only their sizes.
        let scene = moving.advance();
        let found = contenders.each_mut().map(|contender| {
            contender.prepare(scene);
            (contender.name(), contender.fingerprint(scene))
        });
        agree(&found, |found| found.pairs, 0, case)?;

        let mut figures = contenders
            .each_ref()
            .map(|contender| Figures::none_of(&**contender));
        let mut pairs = 0;
        for round in 1..=rounds {
            let scene = moving.advance();
            let found = run_round(&mut contenders, scene, round, &mut figures);
            agree(&found, |&pairs| pairs, round, case)?;
            pairs += found[Self::BROCCOLI].1;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let pairs_per_agent = pairs as f64 / (rounds * case.agents) as f64;
        let memory = Memory::of(&step, &grid, case.agents);
        Ok(Self {
            case,
            rounds,
            pairs_per_agent,
            figures,
            memory,
        })
    }
}

impl Figures {
    fn none_of(contender: &dyn Contender) -> Self {
        let (name, threads) = (contender.name(), contender.threads());
        Self {
            name,
            threads,
            frame: Samples::default(),
            prepare: Samples::default(),
        }
    }
}

/// One frame of each, and what each found. Who begins changes from round to round, and so does the direction, because
/// it matters a little who was in the caches before.
fn run_round(
    contenders: &mut [&mut dyn Contender; 5],
    scene: &Scene,
    round: usize,
    figures: &mut [Figures; 5],
) -> [(&'static str, u64); 5] {
    let mut found = figures.each_ref().map(|figures| (figures.name, 0));
    let all = contenders.len();
    let stride = if round.is_multiple_of(2) { 1 } else { all - 1 };
    for turn in (0..all).map(|turn| (round + turn * stride) % all) {
        let contender = &mut contenders[turn];
        let started = Instant::now();
        contender.prepare(scene);
        figures[turn]
            .prepare
            .push(per_agent(started.elapsed(), scene));
        let frame = contender.frame(scene);
        figures[turn].frame.push(per_agent(frame.time, scene));
        found[turn].1 = frame.pairs;
    }
    found
}

fn per_agent(time: Duration, scene: &Scene) -> f64 {
    time.as_secs_f64() * 1e9 / scene.len() as f64
}

/// Everybody must have found what the peer has.
fn agree<F: PartialEq>(
    found: &[(&'static str, F)],
    pairs: impl Fn(&F) -> u64,
    round: usize,
    case: Case,
) -> Result<(), TrialError> {
    let (reference, expected) = &found[Trial::BROCCOLI];
    match found.iter().find(|(_, found)| found != expected) {
        None => Ok(()),
        Some((contender, found)) => Err(TrialError::Disagreement {
            contender,
            found: pairs(found),
            round,
            case,
            reference,
            expected: pairs(expected),
        }),
    }
}

/// On stderr, and hidden by itself where that is no terminal.
fn progress(case: Case, rounds: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg}  {bar:40} {pos}/{len} rounds  {eta} left")
        .expect("the template is sound");
    ProgressBar::new(rounds as u64)
        .with_style(style)
        .with_message(case.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Args, Trial, agree};
    use clap::Parser;
    use throng_benches::{Case, Order};

    const CASE: Case = Case {
        agents: 1_000,
        pairs: 1.0,
        order: Order::Random,
    };

    #[test]
    fn a_trial_has_a_figure_for_each_round() {
        let args = Args::parse_from(["ratios", "--rounds", "3"]);
        let trial = Trial::run(CASE, &args).unwrap();
        assert!((0.7..1.1).contains(&trial.pairs_per_agent));
        for figures in &trial.figures {
            assert!(figures.frame.best() > 0.0, "{}", figures.name);
        }
        let names = |indices: [usize; 2]| indices.map(|index| trial.figures[index].name);
        assert_eq!(names(Trial::GRID), ["grid alone"; 2]);
        assert_eq!(names(Trial::STEP), ["whole step"; 2]);
        let threads = |index: usize| trial.figures[index].threads;
        assert_eq!(Trial::STEP.map(threads), [1, 2]);
    }

    #[test]
    fn disagreement_is_an_error_that_says_who() {
        let check = |found: [(&'static str, u64); 2]| agree(&found, |&pairs| pairs, 1, CASE);
        assert!(check([("a", 5), ("b", 5)]).is_ok());
        let error = check([("a", 5), ("b", 6)]).unwrap_err().to_string();
        assert!(error.starts_with("b found 6 pairs"), "{error}");
    }
}
