//! Checking the pairs of a frame against brute force, in full where that is reasonable.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use throng::{Aabb, Broadphase, CategoryId};
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
        }
    }

    /// Checks the pairs that a step found, before the bodies move on.
    pub fn check<'a>(&mut self, kinds: &[Kind], outputs: impl IntoIterator<Item = &'a Found>) {
        let counts = Counts::of(kinds);
        self.check_by(method(counts.bodies() + counts.walls), kinds, outputs);
    }

    fn check_by<'a>(
        &mut self,
        method: Method,
        kinds: &[Kind],
        outputs: impl IntoIterator<Item = &'a Found>,
    ) {
        self.method = method;
        let mut found: Vec<KindPair> = outputs
            .into_iter()
            .flat_map(|found| found.kept.iter().copied())
            .collect();
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
        format!("verified {frames} frames ({how}): {pairs} pairs expected, {mismatches} mismatches")
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

/// How many entries of two sorted lists have no counterpart in the other.
fn differences(expected: &[KindPair], found: &[KindPair]) -> u64 {
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
        let found = Found {
            kept,
            ..Found::default()
        };
        verifier.check_by(method, swarm.kinds(), [&found]);
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
