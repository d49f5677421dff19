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

    /// Checks what a step says of begins and ends against its pairs and those of the step before, which are checked by
    /// themselves.
    pub fn check_events(&mut self, step: &Step<'_, Found>) {
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
        let found = step.outputs().flat_map(|found| &found.kept);
        let found = found.map(|&([a, b], [i, j])| unordered([id(a, i), id(b, j)]));
        let resting = step.resting_pairs().iter();
        let now: HashSet<[ProxyId; 2]> = found
            .chain(resting.map(|pair| unordered(pair.ids)))
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

    /// Checks the pairs that a step found and those of two that rest, before the bodies move on.
    pub fn check(&mut self, kinds: &[Kind], step: &Step<'_, Found>) {
        let counts = Counts::of(kinds);
        let found = step.outputs().flat_map(|found| &found.kept).copied();
        let resting = step.resting_pairs().iter();
        let resting = resting.map(|pair| resting_pair(pair, step.world()));
        let pairs = found.chain(resting).collect();
        self.check_by(method(counts.bodies() + counts.walls), kinds, pairs);
    }

    fn check_by(&mut self, method: Method, kinds: &[Kind], mut found: Vec<KindPair>) {
        self.method = method;
        let scenes: Vec<BoxScene> = kinds.iter().map(boxes).collect();
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
                found.retain(|pair| sample.holds(pair));
                sample.pairs(&scenes, &self.meetings)
            }
        };
        found.par_sort_unstable();
        self.mismatches += differences(&expected, &found);
        self.pairs += expected.len() as u64;
        self.frames += 1;
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
mod tests {
    use throng::{DoubleGridConfig, LooseQuadtreeConfig, OversizedStructure, StripsConfig};

    use super::*;
    use crate::{
        args::{self, Request},
        contacts::Keep,
        figures::FrameFigures,
        setup::Setup,
        swarm::Swarm,
    };

    #[test]
    fn differences_are_counted_one_by_one() {
        let pair = |row| ([0, 0], [row, row + 1]);
        let all = [pair(1), pair(2), pair(3)];
        assert_eq!(differences(&all, &all), 0);
        assert_eq!(differences(&all, &all[1..]), 1, "missed");
        assert_eq!(differences(&all[..1], &all), 2, "made up");
        assert_eq!(
            differences(&all, &[pair(1), pair(2), pair(2), pair(3)]),
            1,
            "given twice"
        );
    }

    fn setup(line: &str) -> Setup {
        let line = format!("parallel_swarm {line}");
        match args::read(line.split_whitespace().map(Into::into)) {
            Ok(Request::Run(args)) => Setup::new(&args).expect("there is nothing to read"),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_structure_finds_what_is_to_be_found_of_the_big() {
        let structures: [OversizedStructure; 3] = [
            StripsConfig::default().into(),
            DoubleGridConfig::default().into(),
            LooseQuadtreeConfig::default().into(),
        ];
        let lines = [
            "--agents 900 --oversized 30",
            "--agents 0 --oversized 200",
            "--agents 50 --oversized 1",
        ];
        for (line, structure) in lines.iter().flat_map(|line| structures.map(|s| (line, s))) {
            let mut setup = setup(line);
            let dragons = setup.config.categories.last_mut();
            dragons.expect("there are four").structure = structure;
            let mut swarm = Swarm::new(setup).expect("the config is sound");
            let mut verifier = Verifier::new(swarm.world(), 1);
            let met: u64 = (0..10)
                .map(|_| swarm.frame(Keep::Pairs, Some(&mut verifier)))
                .map(|figures| figures.pairs_by_meeting[1..].iter().sum::<u64>())
                .sum();
            let found = (verifier.frames, verifier.mismatches);
            assert_eq!(found, (10, 0), "{line}, {structure:?}");
            assert!(met > 10, "{line}, {structure:?}: {met}");
        }
    }

    #[test]
    fn walls_are_verified_too() {
        for line in [
            "--agents 900 --oversized 30 --map castle",
            "--agents 5000 --oversized 3 --map castle",
            "--agents 0 --oversized 40 --map castle",
        ] {
            let mut swarm = Swarm::new(setup(line)).expect("the config is sound");
            let mut verifier = Verifier::new(swarm.world(), 1);
            let met: u64 = (0..60)
                .map(|_| swarm.frame(Keep::Pairs, Some(&mut verifier)))
                .map(|figures| figures.pairs_by_meeting[3..].iter().sum::<u64>())
                .sum();
            assert_eq!((verifier.frames, verifier.mismatches), (60, 0), "{line}");
            assert!(met > 100, "{line}: {met}");
        }
    }

    #[test]
    fn pairs_that_rest_are_verified_too() {
        for (line, frames) in [
            ("--agents 900 --oversized 30 --map castle --awake 0.1", 400),
            ("--agents 900 --oversized 30 --awake 0", 20),
            ("--agents 5000 --awake 0.02 --row-order inserted", 40),
        ] {
            let line = format!("{line} --events");
            let mut swarm = Swarm::new(setup(&line)).expect("the config is sound");
            let mut verifier = Verifier::new(swarm.world(), 1);
            let mut last = FrameFigures::default();
            for _ in 0..frames {
                last = swarm.frame(Keep::Pairs, Some(&mut verifier));
            }
            assert!(!verifier.has_failed(), "{line}: {}", verifier.sentence());
            assert!(
                last.resting > 700 && last.resting_pairs > 100,
                "{line}: {last:?}"
            );
        }
    }

    #[test]
    fn begins_and_ends_are_verified_too() {
        let line = "--agents 900 --oversized 30 --map castle --events";
        let mut swarm = Swarm::new(setup(line)).expect("the config is sound");
        let mut verifier = Verifier::new(swarm.world(), 1);
        let mut told = [0; 2];
        for _ in 0..60 {
            let figures = swarm.frame(Keep::Pairs, Some(&mut verifier));
            told = [told[0] + figures.began, told[1] + figures.ended];
        }
        assert!(!verifier.has_failed(), "{}", verifier.sentence());
        assert_eq!(told[0] - told[1], verifier.lasting.len() as u64);
        assert!(told[1] > 100, "{told:?}");
        // Somebody who lasts is forgotten: a begin is expected of a pair that only goes on.
        verifier.lasting.clear();
        swarm.frame(Keep::Pairs, Some(&mut verifier));
        assert!(verifier.has_failed() && verifier.mismatches == 0);
        assert!(verifier.sentence().contains("begins and ends are wrong"));
    }

    #[test]
    fn samples_have_the_few_in_them() {
        let setup = setup("--agents 5000 --oversized 3");
        let swarm = Swarm::new(setup).expect("the default config is sound");
        let scenes: Vec<BoxScene> = swarm.kinds().iter().map(boxes).collect();
        let sample = Sample::choose(&scenes, 100, &mut Pcg64Mcg::seed_from_u64(1));
        for dragon in 0..3 {
            assert!(sample.holds(&([3, 3], [dragon, dragon])), "{dragon}");
        }
    }

    /// What is verified of a small swarm, with the pairs that the broadphase found changed first.
    fn verified(method: Method, tamper: impl Fn(&mut Vec<KindPair>)) -> Verifier {
        let setup = setup("--agents 2500 --oversized 60 --map castle");
        let mut swarm = Swarm::new(setup).expect("the default config is sound");
        let mut verifier = Verifier::new(swarm.world(), 1);
        swarm.frame(Keep::Pairs, Some(&mut verifier));
        assert_eq!((verifier.frames, verifier.mismatches), (1, 0));
        assert!(verifier.pairs > 500, "{}", verifier.pairs);

        let scenes: Vec<BoxScene> = swarm.kinds().iter().map(boxes).collect();
        let mut kept = verifier.all_pairs(&scenes, false);
        tamper(&mut kept);
        verifier.check_by(method, swarm.kinds(), kept);
        verifier
    }

    #[test]
    fn every_method_accepts_what_is_right_and_sees_what_is_not() {
        for method in [Method::BruteForce, Method::Sweep, Method::Sample(20_000)] {
            assert_eq!(verified(method, |_| ()).mismatches, 0);
            let missed = verified(method, |pairs| pairs.truncate(pairs.len() - 1));
            assert_eq!(missed.mismatches, 1, "{method:?} missed");
            let twice = verified(method, |pairs| pairs.push(pairs[5]));
            assert_eq!(twice.mismatches, 1, "{method:?} twice");
            let made_up = verified(method, |pairs| pairs.push(([0, 0], [3, 1_000_000])));
            assert_eq!(made_up.mismatches, 1, "{method:?} made up");
        }
    }

    #[test]
    fn large_swarms_are_sampled() {
        assert_eq!(method(4_000), Method::BruteForce);
        assert_eq!(method(20_000), Method::Sweep);
        assert_eq!(method(100_000), Method::Sample(320));
        assert_eq!(method(50_000_000), Method::Sample(1));
    }
}
