//! What is verified, and that mistakes are seen.

use throng::{DoubleGridConfig, LooseQuadtreeConfig, OversizedStructure, StripsConfig};

use super::*;
use crate::{
    args::{self, Request},
    asked,
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
        Ok(Request::Run(args)) => asked::setup(&args).expect("there is nothing to read"),
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
            .map(|_| swarm.frame(Keep::Pairs, &mut verifier))
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
            .map(|_| swarm.frame(Keep::Pairs, &mut verifier))
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
            last = swarm.frame(Keep::Pairs, &mut verifier);
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
        let figures = swarm.frame(Keep::Pairs, &mut verifier);
        told = [told[0] + figures.began, told[1] + figures.ended];
    }
    assert!(!verifier.has_failed(), "{}", verifier.sentence());
    assert_eq!(told[0] - told[1], verifier.lasting.len() as u64);
    assert!(told[1] > 100, "{told:?}");
    // Somebody who lasts is forgotten: a begin is expected of a pair that only goes on.
    verifier.lasting.clear();
    swarm.frame(Keep::Pairs, &mut verifier);
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
    swarm.frame(Keep::Pairs, &mut verifier);
    assert_eq!((verifier.frames, verifier.mismatches), (1, 0));
    assert!(verifier.pairs > 500, "{}", verifier.pairs);

    let scenes: Vec<BoxScene> = swarm.kinds().iter().map(boxes).collect();
    let mut kept = verifier.all_pairs(&scenes, false);
    let truth = kept.clone();
    tamper(&mut kept);
    let found = kept.clone();
    let known = verifier.check_by(method, swarm.kinds(), kept);
    // Begins and ends are compared with these.
    match method {
        Method::BruteForce | Method::Sweep => assert_eq!(known, truth),
        Method::Sample(_) => assert_eq!(known, found),
    }
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
