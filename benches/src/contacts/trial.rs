//! Rounds in which every engine has the same frame.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::{Engine, Found, STAGES, Stage, Times, tables};
use crate::{Samples, short};

/// Frames before the first that is timed: rows are sorted for the first time, and whatever is kept from frame to frame
/// becomes what it will be.
const WARM_UP: u32 = 30;

/// What the rounds came to.
pub struct Trial {
    /// How many circles there were.
    pub circles: usize,
    /// How many frames of each engine were timed.
    pub rounds: u32,
    /// Contacts per circle, on average over rounds.
    pub contacts_each: f64,
    /// One for each engine.
    pub figures: Vec<Figures>,
}

/// What was measured of one engine, in ns per circle.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Its name.
    pub name: &'static str,
    /// Whether it is another library.
    pub is_peer: bool,
    /// In how many frames it sorted its rows.
    pub sorts: u32,
    /// By stage; empty if there is no such stage, or no knowing.
    stages: [Samples; STAGES.len()],
}

impl Figures {
    /// What was measured of a stage.
    pub fn of(&self, stage: Stage) -> &Samples {
        &self.stages[stage as usize]
    }

    fn none_of(engine: &dyn Engine) -> Self {
        Self {
            name: engine.name(),
            is_peer: engine.is_peer(),
            sorts: 0,
            stages: Default::default(),
        }
    }

    fn add(&mut self, times: &Times, circles: usize) {
        for (samples, stage) in self.stages.iter_mut().zip(STAGES) {
            if let Some(time) = times.of(stage) {
                samples.push(time.as_secs_f64() * 1e9 / circles as f64);
            }
        }
        let sort = times.of(Stage::Sort);
        self.sorts += u32::from(sort.is_some_and(|time| time > Duration::ZERO));
    }
}

/// Not everybody found the same, so speed is of no interest.
#[derive(Debug, thiserror::Error)]
#[error(
    "{engine} found {} contacts in frame {frame} of {circles} circles where {reference} found {}, or others: there is a \
     defect",
    found.contacts, expected.contacts
)]
pub struct Disagreement {
    /// Who found something else.
    pub engine: &'static str,
    /// What it found.
    pub found: Found,
    /// When.
    pub frame: u32,
    /// Of how many.
    pub circles: usize,
    /// Who it is compared with.
    pub reference: &'static str,
    /// What that one found.
    pub expected: Found,
}

impl Trial {
    /// Runs all rounds. What engines find is compared in every frame, also in those that are not timed.
    ///
    /// # Errors
    ///
    /// If engines find different contacts.
    ///
    /// # Panics
    ///
    /// If there is no engine.
    pub fn run(
        circles: usize,
        rounds: u32,
        engines: &mut [Box<dyn Engine>],
    ) -> Result<Self, Disagreement> {
        let bar = progress(circles, rounds);
        let mut figures: Vec<_> = engines
            .iter()
            .map(|engine| Figures::none_of(&**engine))
            .collect();
        let mut contacts = 0;
        for frame in 1..=WARM_UP + rounds {
            let all = run_frame(engines, frame);
            contacts +=
                agreed(&all, engines, frame, circles)?.contacts * u64::from(frame > WARM_UP);
            if frame > WARM_UP {
                for (figures, (times, _)) in figures.iter_mut().zip(&all) {
                    figures.add(times, circles);
                }
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        Ok(Self {
            circles,
            rounds,
            contacts_each: contacts as f64 / (f64::from(rounds) * circles as f64),
            figures,
        })
    }

    /// Everybody's figures, each as a line of JSON: ns per circle, by stage.
    pub fn lines(&self) -> impl Iterator<Item = Value> {
        let figures = self.figures.iter();
        figures.map(|figures| tables::json(self, figures))
    }

    /// Who others are compared with: each peer, or the first engine if there is none.
    pub fn references(&self) -> Vec<(&'static str, Samples)> {
        let mut peers: Vec<_> = self
            .figures
            .iter()
            .filter(|figures| figures.is_peer)
            .collect();
        if peers.is_empty() {
            peers.extend(self.figures.first());
        }
        let frames = |figures: &&Figures| (figures.name, figures.of(Stage::All).clone());
        let mut references: Vec<_> = peers.iter().map(frames).collect();
        if references.len() > 1 {
            let fastest = Samples::least(references.iter().map(|(_, samples)| samples));
            references.push(("whichever was the fastest", fastest));
        }
        references
    }
}

/// One frame of each. Who begins changes from frame to frame, and so does the direction, because it matters a little who was
/// in the caches before.
fn run_frame(engines: &mut [Box<dyn Engine>], frame: u32) -> Vec<(Times, Found)> {
    let all = engines.len();
    let stride = if frame.is_multiple_of(2) { 1 } else { all - 1 };
    let mut done = vec![<(Times, Found)>::default(); all];
    for turn in (0..all).map(|turn| (frame as usize + turn * stride) % all) {
        engines[turn].advance();
        done[turn] = engines[turn].frame();
    }
    done
}

/// What everybody has found.
fn agreed(
    all: &[(Times, Found)],
    engines: &[Box<dyn Engine>],
    frame: u32,
    circles: usize,
) -> Result<Found, Disagreement> {
    let expected = all[0].1;
    match all.iter().position(|(_, found)| *found != expected) {
        None => Ok(expected),
        Some(other) => Err(Disagreement {
            engine: engines[other].name(),
            found: all[other].1,
            frame,
            circles,
            reference: engines[0].name(),
            expected,
        }),
    }
}

/// On stderr, and hidden by itself where that is no terminal.
fn progress(circles: usize, rounds: u32) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg}  {bar:40} {pos}/{len} rounds  {eta} left")
        .expect("the template is sound");
    ProgressBar::new(rounds.into())
        .with_style(style)
        .with_message(format!("{} circles", short(circles)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Trial, WARM_UP};
    use crate::Workers;
    use crate::contacts::{Contact, Course, Engine, Found, Rows, Stage, ThrongEngine, Times};

    /// An engine that only pretends: it says how long its frames took, and what it found.
    struct Fake {
        is_peer: bool,
        milliseconds: u64,
        frame: u32,
        /// From here on it finds something else.
        errs_from: u32,
    }

    impl Engine for Fake {
        fn name(&self) -> &'static str {
            if self.is_peer { "peer" } else { "own" }
        }

        fn is_peer(&self) -> bool {
            self.is_peer
        }

        fn advance(&mut self) {
            self.frame += 1;
        }

        fn frame(&mut self) -> (Times, Found) {
            let time = Duration::from_millis(self.milliseconds);
            let depth = f32::from(u8::from(self.frame >= self.errs_from));
            let mut found = Found::default();
            let contact = Contact {
                a: 0,
                b: 1,
                depth,
                approach: 0.0,
            };
            found.add([0, 1], &contact);
            (Times::default().with(Stage::All, time), found)
        }
    }

    fn fake(is_peer: bool, milliseconds: u64, errs_from: u32) -> Box<dyn Engine> {
        Box::new(Fake {
            is_peer,
            milliseconds,
            frame: 0,
            errs_from,
        })
    }

    #[test]
    fn ratios_are_to_each_peer_and_to_the_fastest() {
        let mut engines = [fake(true, 8, 99), fake(true, 6, 99), fake(false, 2, 99)];
        let trial = Trial::run(1_000, 3, &mut engines).unwrap();
        let own = trial.figures[2].of(Stage::All);
        assert_eq!(own.median(), 2_000.0);
        let times = trial
            .references()
            .into_iter()
            .map(|(_, reference)| reference.per_round_over(own).median());
        assert_eq!(times.collect::<Vec<_>>(), [4.0, 3.0, 3.0]);
        assert_eq!((trial.rounds, trial.contacts_each), (3, 0.001));
    }

    #[test]
    fn whoever_finds_something_else_is_named() {
        for errs_from in [1, WARM_UP + 2] {
            let mut engines = [fake(false, 1, 99), fake(true, 1, errs_from)];
            let error = Trial::run(10, 3, &mut engines).err().unwrap();
            assert_eq!((error.engine, error.frame), ("peer", errs_from));
            assert!(error.to_string().starts_with("peer found 1 contacts"));
        }
    }

    #[test]
    fn a_trial_has_figures_of_every_way() {
        let course = Arc::new(Course::new(1_000, 50));
        let mut engines: Vec<Box<dyn Engine>> = Vec::new();
        for rows in Rows::ALL {
            let workers = Workers::new(1).unwrap();
            engines.push(Box::new(ThrongEngine::new(&course, rows, workers)));
        }
        let trial = Trial::run(1_000, 3, &mut engines).unwrap();
        assert!(
            (0.5..1.0).contains(&trial.contacts_each),
            "{}",
            trial.contacts_each
        );
        for figures in &trial.figures {
            let parts = [Stage::Fill, Stage::Index, Stage::Pairs, Stage::Narrowphase];
            let sum: f64 = parts.map(|stage| figures.of(stage).median()).iter().sum();
            assert!(sum > 0.0, "{}", figures.name);
        }
        assert_eq!(trial.references()[0].0, "throng, as inserted");
    }
}
