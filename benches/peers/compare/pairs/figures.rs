//! What was measured of somebody on a scene.

use serde::{Deserialize, Serialize};
use throng_benches::{Contender, Samples};

use crate::message::Who;
use crate::scene::Scene;

/// What our own frame is called.
pub const OURS: &str = "throng";

/// Of one contender, in ns per agent, a figure for each round that it took part in: the first so many of all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Of whom.
    pub who: Who,
    /// Whether it is another library.
    pub is_peer: bool,
    /// Its frames.
    pub frame: Vec<f64>,
    /// How many times as fast ours was on as many threads, round by round, in the rounds of both.
    pub ratios: Vec<f64>,
    /// What came on top to get to the exact pairs.
    pub filter: Vec<f64>,
    /// What came before each frame: making boxes, which is no part of it, or writing centers into throng's columns, which is.
    pub prepare: Vec<f64>,
    /// What went into its frames, if it can say: worker time.
    pub shares: Vec<Share>,
    /// Bytes per agent that it holds in the end, by part, if it can say.
    pub memory: Vec<(String, f64)>,
    /// Why it has no figures, if it has none to believe.
    pub failure: Option<String>,
}

/// Worker time for a part of the frame, in ns per agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Share {
    /// What was done.
    pub name: String,
    /// Whether it is a meeting of two different categories.
    pub is_between: bool,
    /// How long it took.
    pub time: Vec<f64>,
}

impl Figures {
    /// Of nothing as yet.
    pub fn new(who: Who, is_peer: bool) -> Self {
        Self {
            who,
            is_peer,
            frame: Vec::new(),
            ratios: Vec::new(),
            filter: Vec::new(),
            prepare: Vec::new(),
            shares: Vec::new(),
            memory: Vec::new(),
            failure: None,
        }
    }

    /// Of somebody who failed.
    pub fn failed(who: Who, is_peer: bool, why: &str) -> Self {
        Self {
            failure: Some(why.to_owned()),
            ..Self::new(who, is_peer)
        }
    }

    /// The median of its frames.
    pub fn median(&self) -> Option<f64> {
        let is_sound = self.failure.is_none() && !self.frame.is_empty();
        is_sound.then(|| samples(&self.frame).median())
    }

    /// How many times as fast as this one the other is, round by round, in the rounds of both.
    pub fn over(&self, other: &Figures) -> Vec<f64> {
        let rounds = self.frame.iter().zip(&other.frame);
        rounds.map(|(a, b)| a / b).collect()
    }

    /// Adds what the contender says of its last frame.
    pub fn add_shares(&mut self, contender: &dyn Contender, agents: usize) {
        for (index, share) in contender.shares().into_iter().enumerate() {
            if index == self.shares.len() {
                self.shares.push(Share {
                    name: share.name,
                    is_between: share.is_between,
                    time: Vec::new(),
                });
            }
            let time = share.time.as_secs_f64() * 1e9 / agents as f64;
            self.shares[index].time.push(time);
        }
    }
}

/// Fills in everybody's ratios to ours.
pub fn compare_with_ours(all: &mut [Figures]) {
    let ours = all.iter().filter(|figures| figures.who.name == OURS);
    let ours: Vec<Figures> = ours.cloned().collect();
    for figures in all {
        let on_as_many = ours
            .iter()
            .find(|ours| ours.who.threads == figures.who.threads);
        figures.ratios = on_as_many.map_or(Vec::new(), |ours| figures.over(ours));
    }
}

/// As something that knows its median.
pub fn samples(figures: &[f64]) -> Samples {
    figures.iter().copied().collect()
}

/// Everybody on one scene.
pub struct Trial {
    /// Which.
    pub scene: Scene,
    /// As found, on average.
    pub pairs_each: f64,
    /// Ours first, then the peers, each on one thread and then on more.
    pub figures: Vec<Figures>,
}

impl Trial {
    /// Somebody's.
    pub fn of(&self, name: &str, threads: usize) -> Option<&Figures> {
        let mut figures = self.figures.iter();
        figures.find(|figures| figures.who.name == name && figures.who.threads == threads)
    }

    /// The fastest of the peers on so many threads, by medians.
    pub fn fastest_peer(&self, threads: usize) -> Option<&Figures> {
        let peers = self.figures.iter().filter(|figures| {
            figures.is_peer && figures.who.threads == threads && figures.median().is_some()
        });
        peers.min_by(|a, b| {
            let [a, b] = [a, b].map(|figures| figures.median().unwrap_or(f64::INFINITY));
            a.total_cmp(&b)
        })
    }
}
