//! Checking the pairs of a frame against brute force, in full where that is reasonable.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use throng::{Aabb, Broadphase, CategoryId, EventsWith, PairEvent, ProxyId, RestingPair, Step};
use throng_scenes::{BoxScene, oracle};

use crate::{
    bodies::{Counts, Kind},
    contacts::{Found, KindPair},
    sample::Sample,
    witness::Witness,
};

/// Up to this many bodies and walls, every box is compared with every other box in every frame.
const MOST_FOR_BRUTE_FORCE: usize = 4_000;
/// Up to this many, a sorted sweep stands in, after brute force has checked the sweep itself.
const MOST_FOR_SWEEP: usize = 60_000;
/// Above that, some are compared with all: this many comparisons a frame.
const COMPARISONS_PER_FRAME: usize = 32_000_000;

/// Compares what the broadphase found with what it should have.
pub struct Verifier {
    /// The couples of kinds that meet.
    meetings: Vec<[u16; 2]>,
    random: Pcg64Mcg,
    method: Method,
    is_sweep_checked: bool,
    /// Frames checked.
    pub frames: u64,
    /// Pairs that should have been found, in all frames checked.
    pub pairs: u64,
    /// Pairs missed, made up, or given more than once.
    pub mismatches: u64,
    /// The pairs of the last frame that may end, by id.
    lasting: HashSet<[ProxyId; 2]>,
    /// Begins and ends missed, made up, or told more than once.
    pub event_mismatches: u64,
}

/// How the pairs of a frame are known without the broadphase.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    BruteForce,
    Sweep,
    Sample(usize),
}

impl Verifier {
    /// A verifier of this world.
    pub fn new(world: &Broadphase, seed: u64) -> Self {
        let kinds = || 0..world.categories().len() as u16;
        let couples = kinds().flat_map(|a| (a..kinds().end).map(move |b| [a, b]));
        let meet = |[a, b]: [u16; 2]| world.meets(CategoryId::new(a), CategoryId::new(b));
        Self {
            meetings: couples.filter(|couple| meet(*couple)).collect(),
            random: Pcg64Mcg::seed_from_u64(seed ^ 0x5eed),
            method: Method::BruteForce,
            is_sweep_checked: false,
            frames: 0,
            pairs: 0,
            mismatches: 0,
            lasting: HashSet::new(),
            event_mismatches: 0,
        }
    }

    /// Checks what a step says of begins and ends against the pairs of its boxes and those of the step before. Where there are too
    /// many boxes to know all pairs, `known` is what the step found, of which a sample has been checked.
    fn check_events(&mut self, step: &Step<'_, Found>, known: Vec<KindPair>) {
        let world = step.world();
        let has_events = |events: &EventsWith| *events != EventsWith::Nobody;
        if !(world.config().categories.iter()).any(|category| has_events(&category.events)) {
            return;
        }
        let ids: Vec<Vec<ProxyId>> = world
            .categories()
            .map(|category| world.proxies(category).collect())
            .collect();
        let id = |kind: u16, row: u32| ids[usize::from(kind)][row as usize];
        let known = known.into_iter();
        let now: HashSet<[ProxyId; 2]> = known
            .map(|([a, b], [i, j])| unordered([id(a, i), id(b, j)]))
            .collect();
        let told = |events: &mut dyn Iterator<Item = PairEvent>| {
            let mut told: Vec<_> = events.map(|event| unordered(event.ids)).collect();
            told.sort_unstable();
            told
        };
        let began = told(&mut step.began());
        let ended = told(&mut step.ended());
        let mut expected: Vec<_> = now.difference(&self.lasting).copied().collect();
        expected.sort_unstable();
        self.event_mismatches += differences(&expected, &began);
        let mut expected: Vec<_> = self.lasting.difference(&now).copied().collect();
        expected.sort_unstable();
        self.event_mismatches += differences(&expected, &ended);
        self.lasting = now;
    }

    /// Whether anything was wrong.
    pub fn has_failed(&self) -> bool {
        self.mismatches + self.event_mismatches > 0
    }

    /// Checks the pairs that a step found and those of two that rest, before the bodies move on. Returns all pairs: the true ones
    /// or, where these are too many to know, those found.
    fn check(&mut self, kinds: &[Kind], step: &Step<'_, Found>) -> Vec<KindPair> {
        let counts = Counts::of(kinds);
        let found = step.outputs().flat_map(|found| &found.kept).copied();
        let resting = step.resting_pairs().iter();
        let resting = resting.map(|pair| resting_pair(pair, step.world()));
        let pairs = found.chain(resting).collect();
        self.check_by(method(counts.bodies() + counts.walls), kinds, pairs)
    }

    /// The same, by a method.
    fn check_by(
        &mut self,
        method: Method,
        kinds: &[Kind],
        mut found: Vec<KindPair>,
    ) -> Vec<KindPair> {
        self.method = method;
        let scenes: Vec<BoxScene> = kinds.iter().map(boxes).collect();
        let mut all = None;
        let expected = match method {
            Method::BruteForce => self.all_pairs(&scenes, false),
            Method::Sweep => {
                let expected = self.all_pairs(&scenes, true);
                if !std::mem::replace(&mut self.is_sweep_checked, true) {
                    self.mismatches += differences(&expected, &self.all_pairs(&scenes, false));
                }
                expected
            }
            Method::Sample(size) => {
                let sample = Sample::choose(&scenes, size, &mut self.random);
                all = Some(found.clone());
                found.retain(|pair| sample.holds(pair));
                sample.pairs(&scenes, &self.meetings)
            }
        };
        found.par_sort_unstable();
        self.mismatches += differences(&expected, &found);
        self.pairs += expected.len() as u64;
        self.frames += 1;
        all.unwrap_or(expected)
    }

    /// One sentence on what was checked, and how.
    pub fn sentence(&self) -> String {
        let how = match self.method {
            Method::BruteForce => "every box against every box".to_owned(),
            Method::Sweep => {
                "every pair by a sorted sweep, itself checked by brute force in the first"
                    .to_owned()
            }
            Method::Sample(size) => format!(
                "{size} bodies or walls in each, as many of each kind as of any other, against all others, as all \
                 against all would take too long"
            ),
        };
        let Self {
            frames,
            pairs,
            mismatches,
            ..
        } = self;
        let mut text = format!(
            "verified {frames} frames ({how}): {pairs} pairs expected, {mismatches} mismatches"
        );
        if self.event_mismatches > 0 {
            text += &format!("; {} begins and ends are wrong", self.event_mismatches);
        }
        text
    }

    fn all_pairs(&self, scenes: &[BoxScene], sweep: bool) -> Vec<KindPair> {
        let of_meeting = |meeting: &[u16; 2]| {
            let [a, b] = meeting.map(|kind| &scenes[kind as usize]);
            let pairs = match (meeting[0] == meeting[1], sweep) {
                (true, true) => oracle::overlapping_pairs_sweep(a),
                (true, false) => oracle::overlapping_pairs(a),
                (false, true) => oracle::overlapping_pairs_between_sweep(a, b),
                (false, false) => oracle::overlapping_pairs_between(a, b),
            };
            pairs
                .into_iter()
                .map(|rows| (*meeting, rows))
                .collect::<Vec<_>>()
        };
        let mut pairs: Vec<KindPair> = self.meetings.par_iter().flat_map_iter(of_meeting).collect();
        pairs.par_sort_unstable();
        pairs
    }
}

impl Witness for Verifier {
    fn look(&mut self, kinds: &[Kind], step: &Step<'_, Found>) {
        let known = self.check(kinds, step);
        self.check_events(step, known);
    }
}

fn method(boxes: usize) -> Method {
    if boxes <= MOST_FOR_BRUTE_FORCE {
        Method::BruteForce
    } else if boxes <= MOST_FOR_SWEEP {
        Method::Sweep
    } else {
        Method::Sample((COMPARISONS_PER_FRAME / boxes).max(1))
    }
}

/// The boxes that a kind's pairs are found by, as the oracle knows them.
fn boxes(kind: &Kind) -> BoxScene {
    let bodies = &kind.bodies;
    let has_own = kind.exact || kind.is_oversized();
    let of_body = |row: usize| {
        let half_extents = if has_own {
            [bodies.radii.of(row); 2]
        } else {
            kind.bound
        };
        Aabb::from_center([bodies.xs[row], bodies.ys[row]], half_extents)
            .expect("bodies stay finite")
    };
    let of_bodies = (0..bodies.len()).map(of_body);
    BoxScene::new(
        kind.name.as_str(),
        of_bodies.chain(kind.walls.iter().copied()),
    )
}

/// Where the two of a pair are that rest, the lower first.
fn resting_pair(pair: &RestingPair, world: &Broadphase) -> KindPair {
    let mut places = pair.ids.map(|id| {
        let place = world.locate(id).expect("who rests is alive");
        (place.category.index() as u16, place.row)
    });
    places.sort_unstable();
    (places.map(|(kind, _)| kind), places.map(|(_, row)| row))
}

fn unordered([a, b]: [ProxyId; 2]) -> [ProxyId; 2] {
    [a.min(b), a.max(b)]
}

/// How many entries of two sorted lists have no counterpart in the other.
fn differences<P: Ord>(expected: &[P], found: &[P]) -> u64 {
    let (mut a, mut b, mut alone) = (0, 0, 0);
    while a < expected.len() && b < found.len() {
        match expected[a].cmp(&found[b]) {
            std::cmp::Ordering::Equal => (a, b) = (a + 1, b + 1),
            std::cmp::Ordering::Less => (a, alone) = (a + 1, alone + 1),
            std::cmp::Ordering::Greater => (b, alone) = (b + 1, alone + 1),
        }
    }
    alone + (expected.len() - a + found.len() - b) as u64
}

#[cfg(test)]
mod tests;
