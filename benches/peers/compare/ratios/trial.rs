//! One case: rounds in which every contender has a frame of the same population.

use std::ops::Range;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use throng_benches::{Case, Contender, Motion, Moving, Population, Samples};

use crate::args::Args;
use crate::contenders::{Contenders, own, peers};

/// Frames before the first that is timed, where things drift.
const WARM_UP: usize = 30;

/// What the rounds of one case came to.
pub struct Trial {
    /// What was measured on.
    pub case: Case,
    /// How many rounds there were.
    pub rounds: usize,
    /// Pairs per agent, as found, on average over rounds.
    pub pairs_per_agent: f64,
    /// One entry per contender: the peers; then throng's on one thread; then the same on several.
    pub figures: Vec<Figures>,
    peers: usize,
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
    /// What went into each frame, if it can say.
    pub shares: Vec<ShareFigures>,
    /// Bytes per agent that it holds in the end, by part, if it can say.
    pub memory: Vec<(&'static str, f64)>,
}

/// Worker time for a part of the frame, in ns per agent.
#[derive(Clone, Debug)]
pub struct ShareFigures {
    /// What was done.
    pub name: String,
    /// Whether it is a meeting of two different categories.
    pub is_between: bool,
    /// How long it took.
    pub time: Samples,
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
    /// Runs all rounds of a case.
    pub fn run(case: Case, args: &Args) -> Result<Self, TrialError> {
        let rounds = args.rounds(case.agents);
        let bar = progress(case, rounds);
        let mut moving = Moving::new(case.population(), case.kind.motion());
        let mut contenders = peers(case.kind);
        let peers = contenders.len();
        for threads in [1, usize::from(args.threads)] {
            let population = moving.population();
            contenders.extend(own(case.kind, population, args.simd(), threads)?);
        }

        // Once untimed, so that memory has grown, and to see that the sets are the same, not only their sizes.
        let population = moving.advance();
        let prints = contenders.iter_mut().map(|contender| {
            contender.prepare(population);
            (contender.name(), contender.fingerprint(population))
        });
        agree(&prints.collect::<Vec<_>>(), |found| found.pairs, 0, case)?;

        if case.kind.motion() == Motion::Drift {
            // What is kept from frame to frame has to have been through some before it is what it will be.
            for _ in 0..WARM_UP {
                let population = moving.advance();
                for contender in &mut contenders {
                    contender.prepare(population);
                    contender.frame(population);
                }
            }
        }

        let mut figures: Vec<_> = contenders
            .iter()
            .map(|contender| Figures::none_of(&**contender))
            .collect();
        let mut pairs = 0;
        for round in 1..=rounds {
            let population = moving.advance();
            let found = run_round(&mut contenders, population, round, &mut figures);
            agree(&found, |&pairs| pairs, round, case)?;
            pairs += found[0].1;
            bar.inc(1);
        }
        bar.finish_and_clear();
        for (figures, contender) in figures.iter_mut().zip(&contenders) {
            let parts = contender.memory().into_iter();
            let per_agent = parts.map(|(part, bytes)| (part, bytes as f64 / case.agents as f64));
            figures.memory = per_agent.collect();
        }
        Ok(Self {
            case,
            rounds,
            pairs_per_agent: pairs as f64 / (rounds * case.agents) as f64,
            figures,
            peers,
        })
    }

    /// The frames of whichever peer was the faster, round by round.
    pub fn fastest_peer(&self) -> Samples {
        let peers = self.figures[..self.peers].iter();
        Samples::least(peers.map(|figures| &figures.frame))
    }

    /// throng's contenders on one thread.
    pub fn on_one(&self) -> &[Figures] {
        &self.figures[self.own(0)]
    }

    /// The same on several.
    pub fn on_several(&self) -> &[Figures] {
        &self.figures[self.own(1)]
    }

    fn own(&self, half: usize) -> Range<usize> {
        let each = (self.figures.len() - self.peers) / 2;
        let first = self.peers + half * each;
        first..first + each
    }
}

impl Figures {
    /// Worker time between different categories, as a part of all worker time, round by round; `None` if there was no
    /// such meeting.
    pub fn between(&self) -> Option<Samples> {
        let sum = |wanted: fn(&ShareFigures) -> bool| {
            let wanted = self.shares.iter().filter(|share| wanted(share));
            Samples::sum(wanted.map(|share| &share.time))
        };
        let between = sum(|share| share.is_between)?;
        Some(between.per_round_over(&sum(|_| true)?))
    }

    fn none_of(contender: &dyn Contender) -> Self {
        let (name, threads) = (contender.name(), contender.threads());
        Self {
            name,
            threads,
            frame: Samples::default(),
            prepare: Samples::default(),
            shares: Vec::new(),
            memory: Vec::new(),
        }
    }

    fn add_shares(&mut self, contender: &dyn Contender, agents: usize) {
        for (index, share) in contender.shares().into_iter().enumerate() {
            if index == self.shares.len() {
                self.shares.push(ShareFigures {
                    name: share.name,
                    is_between: share.is_between,
                    time: Samples::default(),
                });
            }
            let time = &mut self.shares[index].time;
            time.push(per_agent(share.time, agents));
        }
    }
}

/// One frame of each, and what each found. Who begins changes from round to round, and so does the direction, because
/// it matters a little who was in the caches before.
fn run_round(
    contenders: &mut Contenders,
    population: &Population,
    round: usize,
    figures: &mut [Figures],
) -> Vec<(&'static str, u64)> {
    let agents = population.len();
    let mut found: Vec<_> = figures.iter().map(|figures| (figures.name, 0)).collect();
    let all = contenders.len();
    let stride = if round.is_multiple_of(2) { 1 } else { all - 1 };
    for turn in (0..all).map(|turn| (round + turn * stride) % all) {
        let (contender, figures) = (&mut contenders[turn], &mut figures[turn]);
        let started = Instant::now();
        contender.prepare(population);
        figures.prepare.push(per_agent(started.elapsed(), agents));
        let frame = contender.frame(population);
        figures.frame.push(per_agent(frame.time, agents));
        figures.add_shares(&**contender, agents);
        found[turn].1 = frame.pairs;
    }
    found
}

fn per_agent(time: Duration, agents: usize) -> f64 {
    time.as_secs_f64() * 1e9 / agents as f64
}

/// Everybody must have found what the first has.
fn agree<F: PartialEq>(
    found: &[(&'static str, F)],
    pairs: impl Fn(&F) -> u64,
    round: usize,
    case: Case,
) -> Result<(), TrialError> {
    let (reference, expected) = &found[0];
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
    use throng_benches::{Case, Kind};

    fn trial(kind: Kind) -> Trial {
        let args = Args::parse_from(["ratios", "--rounds", "3"]);
        let trial = Trial::run(Case::new(kind, 1_000, 1.0), &args).unwrap();
        for figures in &trial.figures {
            assert!(figures.frame.best() > 0.0, "{}", figures.name);
        }
        trial
    }

    #[test]
    fn a_trial_has_figures_of_everybody() {
        let trial = trial(Kind::Uniform);
        assert!((0.7..1.1).contains(&trial.pairs_per_agent));
        for (own, threads) in [(trial.on_one(), 1), (trial.on_several(), 2)] {
            let own = own.iter().map(|figures| (figures.name, figures.threads));
            let names = ["grid alone", "whole step"];
            assert_eq!(own.collect::<Vec<_>>(), names.map(|name| (name, threads)));
        }
        assert!(trial.on_one()[1].between().is_none());
    }

    #[test]
    fn ratios_are_to_the_faster_peer() {
        let trial = trial(Kind::Mixed);
        assert_eq!(trial.on_one().len(), 5);
        let peers = [0, 1, 2].map(|peer| trial.figures[peer].frame.best());
        let best = peers.into_iter().reduce(f64::min).unwrap();
        assert_eq!(trial.fastest_peer().best(), best);
    }

    #[test]
    fn meetings_between_categories_have_a_share() {
        let trial = trial(Kind::Rings);
        let steps = trial.on_one();
        let names: Vec<_> = steps.iter().map(|figures| figures.name).collect();
        assert_eq!(names, ["step, no masks", "whole step"]);
        for step in steps {
            let between = step.between().unwrap().median();
            assert!((0.0..1.0).contains(&between), "{between}");
        }
    }

    #[test]
    fn disagreement_is_an_error_that_says_who() {
        let case = Case::new(Kind::Uniform, 1_000, 1.0);
        let check = |found: [(&'static str, u64); 2]| agree(&found, |&pairs| pairs, 1, case);
        assert!(check([("a", 5), ("b", 5)]).is_ok());
        let error = check([("a", 5), ("b", 6)]).unwrap_err().to_string();
        assert!(error.starts_with("b found 6 pairs"), "{error}");
    }
}
