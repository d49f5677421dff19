//! Who takes part in a scene.

use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use throng_benches::{Alone, Contender, Loose, Population, WholeStep, Workers};
use throng_peers::everybody;

use crate::args::Args;
use crate::figures::{Figures, OURS};
use crate::message::Who;
use crate::scene::{Kind, Scene};

/// Rounds that everybody takes part in, however slow.
const LEAST_ROUNDS: usize = 3;

/// Somebody who takes part, until its time is up or it has failed.
pub struct Entry {
    /// Who it is.
    pub contender: Box<dyn Contender>,
    /// What was measured of it, or why not.
    pub figures: Figures,
    /// How long it has had, and what came before its frames.
    pub spent: Duration,
}

impl Entry {
    /// Before its first frame.
    pub fn new(contender: Box<dyn Contender>, is_peer: bool) -> Self {
        let name = match contender.name() {
            "step, no masks" => OURS,
            "whole step" => "throng, masks on every row",
            name => name,
        };
        let who = Who {
            name: name.to_owned(),
            threads: contender.threads(),
        };
        Self {
            contender,
            figures: Figures::new(who, is_peer),
            spent: Duration::ZERO,
        }
    }

    /// What comes out of it, unless it panics, and then never again.
    pub fn guarded<R>(&mut self, act: impl FnOnce(&mut dyn Contender) -> R) -> Option<R> {
        if self.figures.failure.is_some() {
            return None;
        }
        let contender = &mut *self.contender;
        match catch_unwind(AssertUnwindSafe(|| act(contender))) {
            Ok(result) => Some(result),
            Err(panic) => {
                self.figures.failure = Some(format!("panicked: {}", said_by(&*panic)));
                None
            }
        }
    }

    /// Whether it has another round.
    pub fn takes_part(&self, budget: Duration) -> bool {
        let has_time = self.spent < budget || self.figures.frame.len() < LEAST_ROUNDS;
        has_time && self.figures.failure.is_none()
    }
}

fn said_by(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a word")
}

/// Ours, on one thread and then on more, then the peers.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn entries(
    scene: Scene,
    args: &Args,
    population: &Population,
) -> Result<Vec<Entry>, Box<dyn Error>> {
    let threads = args.thread_counts();
    let mut all = Vec::new();
    for &threads in &threads {
        let own = own(scene, args, population, threads)?;
        all.extend(
            own.into_iter()
                .map(|contender| Entry::new(contender, false)),
        );
    }
    for &threads in &threads {
        let peers = everybody(threads)?.into_iter();
        all.extend(peers.map(|contender| Entry::new(contender, true)));
    }
    // Ours is what the others are compared with.
    all.retain(|entry| entry.figures.who.name == OURS || args.wants(&entry.figures.who));
    Ok(all)
}

fn own(
    scene: Scene,
    args: &Args,
    population: &Population,
    threads: usize,
) -> Result<Vec<Box<dyn Contender>>, Box<dyn Error>> {
    let simd = Some(args.simd());
    let workers = || Workers::new(threads);
    let step = |masked| -> Result<Box<dyn Contender>, Box<dyn Error>> {
        let step = WholeStep::new(population, masked, simd, workers()?);
        // Where most stay where they are, everybody is told only of those that move.
        let few_move = scene.share < 1.0;
        Ok(Box::new(if few_move {
            step.resting().writing_rows()
        } else {
            step
        }))
    };
    // Peers know no masks, so what they are compared with has none either.
    let mut own = vec![step(false)?];
    if args.parts {
        own.push(step(true)?);
        match scene.kind {
            Kind::Sizes => {
                for loose in Loose::ALL {
                    own.push(Box::new(Alone::boxes(loose, simd, workers()?)));
                }
            }
            Kind::Rings | Kind::Walls => {}
            _ => {
                let half = population.only().half;
                own.push(Box::new(Alone::grid(half, simd, workers()?)));
            }
        }
    }
    Ok(own)
}
