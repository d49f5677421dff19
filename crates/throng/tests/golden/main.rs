//! Promise: the same calls give the same pairs and the same answers, in the same order, bit for bit, as they did when the
//! constants in `recorded.rs` were written.
//!
//! Other tests compare a build with itself or with brute force, and would not see that the order of pairs has drifted from
//! one version to the next, or from one platform to another. Here three worlds run for 300 frames: 20,000 units of three
//! sizes; units, faeries and dragons, in each of the three oversized structures; and a castle. A crowd on one spot runs for
//! six, and so do 20,000 boxes of all sizes. Everything moves in every frame; now and then something is inserted, removed, resized, put elsewhere, masked or
//! disabled. What is hashed is every pair of every frame, and the answers of every kind of query, now right after a step and now after writes, in the order
//! in which they come. Only the cells for debug drawing have no promised order; their hashes are added up.
//!
//! There is one set of constants for every number of threads, instruction set, profile, set of features and platform.
//! Motion and scenes use nothing but integers and `+`, `-` and `*` of floats, and numbers of their own (`dice.rs`). The
//! hash is `throng_scenes::PairHash`.
//!
//! **A constant changes only together with a sentence in CHANGELOG.md that says why.** Then
//! `GOLDEN_PRINT=1 cargo test -p throng --test golden -- --nocapture` prints the new ones, after comparing all runs with
//! each other. With `GOLDEN_SHORT=1` each instruction set runs once, to the first checkpoint, and that is all. In release:
//! `cargo test --release -p throng --test golden`.

#[path = "../common/mod.rs"]
mod common;

mod dice;
mod digest;
mod questions;
mod recorded;
mod stage;
mod worlds;

use std::fmt::Write;
use std::mem;

use common::Threads;
use digest::{Digests, Piece, Value};
use recorded::RECORDED;
use stage::Stage;
use throng::{CountPairs, Executor, Serial, SimdLevel};
use throng_core::run_each;

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

/// For worlds with millions of pairs, or many rows.
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

#[test]
fn boulders() {
    check("boulders", BRIEF, &worlds::boulders);
}

/// Runs a world through some checkpoints.
fn run(mut stage: Stage, executor: &dyn Executor, length: Length, way: &Way) -> History {
    let mut digests = Digests::default();
    let mut history = History::new();
    let mut copy = way.on_copies.then(|| stage.world.clone());
    for frame in 1..=length.checkpoints[way.checkpoints - 1] {
        if let Some(copy) = &mut copy {
            copy.clone_from(&stage.world);
            mem::swap(copy, &mut stage.world);
            // What the other does must not matter.
            copy.step_on(executor, &CountPairs);
        }
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

/// Who runs the tasks of a world.
#[derive(Clone, Copy, Debug)]
enum Workers {
    One,
    Threads(usize),
    #[cfg(feature = "parallel")]
    Pool(usize),
}

impl Workers {
    fn run(self, work: impl FnOnce(&dyn Executor) -> History + Send) -> History {
        match self {
            Self::One => work(&Serial),
            Self::Threads(threads) => work(&Threads(threads)),
            #[cfg(feature = "parallel")]
            Self::Pool(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| work(&throng::Rayon))
            }
        }
    }
}

/// A way to run a world.
#[derive(Clone, Copy)]
struct Way {
    level: SimdLevel,
    workers: Workers,
    /// How many checkpoints of it.
    checkpoints: usize,
    /// Whether each frame goes on with a copy of the world.
    on_copies: bool,
}

/// First, which is what is printed anew, the best instruction set to the end. Then the others as far as the first checkpoint, each on
/// another number of threads, and short runs of the best in other ways: one of them goes on with a copy of the world in each frame.
/// Without threads all run to the end. The promises run every combination, on smaller worlds.
fn ways() -> Vec<Way> {
    let way = |level, workers, checkpoints| Way {
        level,
        workers,
        checkpoints,
        on_copies: false,
    };
    let levels = SimdLevel::available().iter().rev().copied();
    if is_short() || !HAS_THREADS {
        let checkpoints = if is_short() { 1 } else { CHECKPOINTS };
        return levels
            .map(|level| way(level, Workers::One, checkpoints))
            .collect();
    }
    let numbers = [1, 8, 3, 2].map(Workers::Threads).into_iter().cycle();
    let best = SimdLevel::detect();
    let mut ways: Vec<Way> = levels
        .zip(numbers)
        .map(|(level, workers)| {
            let checkpoints = if level == best { CHECKPOINTS } else { 1 };
            way(level, workers, checkpoints)
        })
        .collect();
    ways.push(way(best, Workers::One, 1));
    ways.push(Way {
        on_copies: true,
        ..way(best, Workers::Threads(2), 1)
    });
    #[cfg(feature = "parallel")]
    ways.extend([1, 2, 8].map(|threads| way(best, Workers::Pool(threads), 1)));
    ways
}

const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// For emulators, in which everything takes fifty times as long.
fn is_short() -> bool {
    std::env::var_os("GOLDEN_SHORT").is_some()
}

/// What is printed anew comes from the first way, and the others must still agree with it.
fn check(world: &str, length: Length, make: &(dyn Fn(SimdLevel) -> Stage + Sync)) {
    let print = std::env::var_os("GOLDEN_PRINT").is_some();
    let recorded = RECORDED.iter().find(|(name, _)| *name == world);
    let recorded = recorded.filter(|_| !print);
    let mut expected = recorded.map(|(_, pieces)| history_of(pieces));
    let ways = ways();
    let found = run_all(&ways, |way| {
        way.workers
            .run(|executor| run(make(way.level), executor, length, way))
    });
    for (way, found) in ways.iter().zip(found) {
        match &expected {
            Some(expected) => {
                let copies = if way.on_copies { ", on copies" } else { "" };
                let way = format!("{}, {:?}{copies}", way.level, way.workers);
                assert_same(world, &way, length, expected, &found);
            }
            None => {
                assert!(print, "nothing is recorded of {world}");
                println!("{}", as_source(world, &found));
                expected = Some(found);
            }
        }
    }
}

/// Runs all ways, several at a time, so that the last world does not keep a single thread busy.
fn run_all(ways: &[Way], run: impl Fn(&Way) -> History + Sync) -> Vec<History> {
    let threads = Threads(std::thread::available_parallelism().map_or(1, usize::from));
    let executor: &dyn Executor = if HAS_THREADS { &threads } else { &Serial };
    let mut histories = vec![History::new(); ways.len()];
    let places = histories.iter_mut().zip(ways);
    run_each(executor, places, |_, (history, way)| {
        *history = run(way);
    });
    histories
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
