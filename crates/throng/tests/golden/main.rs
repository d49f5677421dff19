//! Promise: the same calls give the same pairs and the same answers, in the same order, bit for bit, as they did when the
//! constants in `recorded.rs` were written.
//!
//! Other tests compare a build with itself or with brute force, and would not see that the order of pairs has drifted from
//! one version to the next, or from one platform to another. Here three worlds run for 300 frames: 20,000 units of three
//! sizes; units, faeries and dragons, in each of the three oversized structures; and a castle. A crowd on one spot runs for
//! six. Everything moves in every frame; now and then something is inserted, removed, resized, put elsewhere, masked or
//! disabled. What is hashed is every pair of every frame, and the answers of every kind of query, now right after a step and now after writes, in the order
//! in which they come. Only the cells for debug drawing have no promised order; their hashes are added up.
//!
//! There is one set of constants for every number of threads, instruction set, profile, set of features and platform.
//! Motion and scenes use nothing but integers and `+`, `-` and `*` of floats, and numbers of their own (`dice.rs`). The
//! hash is `throng_scenes::PairHash`.
//!
//! **A constant changes only together with a sentence in CHANGELOG.md that says why.** Then
//! `GOLDEN_PRINT=1 cargo test -p throng --test golden -- --nocapture` prints the new ones, after comparing all runs with
//! each other. With `GOLDEN_ON_ONE_THREAD=1` each instruction set runs once, and that is all. In release: `cargo test --release -p throng --test golden`.

#[path = "../common/mod.rs"]
mod common;

mod dice;
mod digest;
mod questions;
mod recorded;
mod stage;
mod worlds;

use std::fmt::Write;

use common::Threads;
use digest::{Digests, Piece, Value};
use recorded::RECORDED;
use stage::Stage;
use throng::{Executor, Serial, SimdLevel};

/// At how many frames of a world constants are pinned, so that a failure says about when it began.
const CHECKPOINTS: usize = 3;

/// What all pieces have come to, at each checkpoint.
type History = Vec<[Value; Piece::ALL.len()]>;

/// How long a world is run.
#[derive(Clone, Copy)]
struct Length {
    /// The last is the end; short runs end at the first.
    checkpoints: [u32; CHECKPOINTS],
    /// Queries are asked once in so many frames, if at all.
    ask_every: Option<u32>,
}

const LONG: Length = Length {
    checkpoints: [100, 200, 300],
    ask_every: Some(10),
};

/// For a world with millions of pairs.
const BRIEF: Length = Length {
    checkpoints: [2, 4, 6],
    ask_every: None,
};

#[test]
fn units() {
    check("units", LONG, &worlds::units);
}

#[test]
fn dragons_in_strips() {
    check("dragons_in_strips", LONG, &|level| {
        worlds::dragons(level, 0)
    });
}

#[test]
fn dragons_in_a_double_grid() {
    check("dragons_in_a_double_grid", LONG, &|level| {
        worlds::dragons(level, 1)
    });
}

#[test]
fn dragons_in_a_quadtree() {
    check("dragons_in_a_quadtree", LONG, &|level| {
        worlds::dragons(level, 2)
    });
}

#[test]
fn castle() {
    check("castle", LONG, &worlds::castle);
}

#[test]
fn crowd() {
    check("crowd", BRIEF, &worlds::crowd);
}

/// Runs a world through some checkpoints.
fn run(mut stage: Stage, executor: &dyn Executor, length: Length, checkpoints: usize) -> History {
    let mut digests = Digests::default();
    let mut history = History::new();
    for frame in 1..=length.checkpoints[checkpoints - 1] {
        stage.play(&mut digests);
        let asked = length
            .ask_every
            .filter(|&every| frame.is_multiple_of(every));
        let asked = asked.map(|every| frame / every);
        // Queries see the last step, whatever has been written since. Every other time something has.
        if let Some(asked) = asked.filter(|asked| !asked.is_multiple_of(2)) {
            questions::ask(&stage, asked, executor, &mut digests);
        }
        stage.step(executor, &mut digests);
        if let Some(asked) = asked.filter(|asked| asked.is_multiple_of(2)) {
            questions::ask(&stage, asked, executor, &mut digests);
        }
        if length.checkpoints.contains(&frame) {
            history.push(digests.values());
        }
    }
    history
}

/// Every instruction set on one thread to the end, and the best of them on several; short runs of other combinations. What
/// is printed anew comes from the first run, and the others must still agree with it.
fn check(world: &str, length: Length, make: &(dyn Fn(SimdLevel) -> Stage + Sync)) {
    let print = std::env::var_os("GOLDEN_PRINT").is_some();
    let recorded = RECORDED.iter().find(|(name, _)| *name == world);
    let recorded = recorded.filter(|_| !print);
    let mut expected = recorded.map(|(_, pieces)| history_of(pieces));
    let mut compare = |what: String, found: History| match &expected {
        Some(expected) => assert_same(world, &what, length, expected, &found),
        None => {
            assert!(print, "nothing is recorded of {world}");
            println!("{}", as_source(world, &found));
            expected = Some(found);
        }
    };
    let best = SimdLevel::detect();
    for &level in SimdLevel::available() {
        compare(
            format!("{level}"),
            run(make(level), &Serial, length, CHECKPOINTS),
        );
    }
    // In a browser there are no threads to be had, and in an emulator everything takes fifty times as long.
    if cfg!(target_family = "wasm") || std::env::var_os("GOLDEN_ON_ONE_THREAD").is_some() {
        return;
    }
    for threads in [2, 3, 8] {
        let what = format!("{best} on {threads} threads");
        compare(
            what,
            run(make(best), &Threads(threads), length, CHECKPOINTS),
        );
    }
    for &level in SimdLevel::available() {
        let what = format!("{level} on 8 threads");
        compare(what, run(make(level), &Threads(8), length, 1));
    }
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let found = pool.install(|| run(make(best), &throng::Rayon, length, 1));
        compare(format!("{best} in a pool of {threads}"), found);
    }
}

/// Every piece that differs, and the frames between which it began to.
fn assert_same(world: &str, what: &str, length: Length, expected: &History, found: &History) {
    let mut differences = String::new();
    for (index, piece) in Piece::ALL.iter().enumerate() {
        let mut begin = 0;
        for ((end, expected), found) in length.checkpoints.iter().zip(expected).zip(found) {
            let (expected, found) = (expected[index], found[index]);
            if expected != found {
                let when = format!("in frames {} to {end}", begin + 1);
                writeln!(differences, "  {piece:?}, {when}: {found}, not {expected}")
                    .expect("a string takes everything");
                break;
            }
            begin = *end;
        }
    }
    assert!(
        differences.is_empty(),
        "{world}, by {what}: not as recorded\n{differences}\
         If this is meant, the changelog says why, and new constants are printed by\n  \
         GOLDEN_PRINT=1 cargo test -p throng --test golden -- --nocapture"
    );
}

/// What is recorded, by checkpoint.
fn history_of(pieces: &[(Piece, [(u64, u64); CHECKPOINTS])]) -> History {
    assert!(pieces.iter().map(|&(piece, _)| piece).eq(Piece::ALL));
    let at = |checkpoint: usize| {
        std::array::from_fn(|index| {
            let (found, hash) = pieces[index].1[checkpoint];
            Value { found, hash }
        })
    };
    (0..CHECKPOINTS).map(at).collect()
}

/// A world's part of `recorded.rs`.
fn as_source(world: &str, history: &History) -> String {
    let mut source = format!("    (\"{world}\", [\n");
    for (index, piece) in Piece::ALL.iter().enumerate() {
        let values = history.iter().map(|values| values[index]);
        let values: Vec<_> = values
            .map(|Value { found, hash }| format!("({found}, {hash:#018x})"))
            .collect();
        writeln!(source, "        ({piece:?}, [{}]),", values.join(", "))
            .expect("a string takes everything");
    }
    source + "    ]),"
}
