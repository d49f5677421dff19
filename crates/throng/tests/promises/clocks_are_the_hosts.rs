//! Promise: times are read from the clock that the host gives, and nothing but times depends on it.

use std::cell::Cell;
use std::time::Duration;

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, ChunkStats, Clock, CollectPairs, Proxy, Serial,
    StageTimes,
};

thread_local! {
    /// How often this thread has read its clock.
    static READINGS: Cell<u32> = const { Cell::new(0) };
}

const TICK: Duration = Duration::from_millis(1);

/// A clock that goes on by a tick whenever it is read.
fn ticking() -> Duration {
    READINGS.set(READINGS.get() + 1);
    READINGS.get() * TICK
}

/// A clock that goes back.
fn backwards() -> Duration {
    READINGS.set(READINGS.get() + 1);
    Duration::from_secs(3600) - READINGS.get() * TICK
}

fn world(clock: Clock) -> Broadphase {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("flies", 1.0).coarse());
    let mut world = Broadphase::new(config).unwrap();
    world.set_clock(clock);
    for x in [0.0, 1.5] {
        world
            .insert(Proxy::centered([x, 0.0], [1.0, 1.0]).unwrap())
            .unwrap();
    }
    world
}

/// One frame's pairs, its times, and those of its one meeting.
fn frame(world: &mut Broadphase) -> (Vec<[u32; 2]>, StageTimes, ChunkStats) {
    let step = world.step_on(&Serial, &CollectPairs);
    let pairs = step.outputs().flat_map(|list| list.pairs()).copied();
    let [meeting] = &step.report().meetings[..] else {
        panic!("there is one category")
    };
    (pairs.collect(), step.report().stages, meeting.stats)
}

#[test]
fn the_hosts_clock_is_the_one_that_is_read() {
    let mut world = world(Clock::Host(ticking));
    let before = READINGS.get();
    let (pairs, stages, stats) = frame(&mut world);
    assert_eq!(pairs, [[0, 1]]);
    assert_eq!((stages.ingest, stages.index), (TICK, TICK));
    // One pair, so one batch: read as its chunk begins, before `collide` and after it, and as its chunk ends.
    assert_eq!((stages.narrowphase, stages.pairs), (TICK, 2 * TICK));
    assert_eq!((stats.narrowphase, stats.search), (TICK, 2 * TICK));
    assert_eq!(stages.step, 7 * TICK, "from the first reading to the last");
    // One more on either side of it, around the way to the executor and back.
    assert_eq!(READINGS.get() - before, 2 + 8);
}

#[test]
fn without_a_clock_times_are_zero_and_pairs_are_found() {
    let mut world = world(Clock::None);
    let (pairs, stages, stats) = frame(&mut world);
    assert_eq!(pairs, [[0, 1]]);
    assert_eq!(stages, StageTimes::default());
    assert_eq!((stats.narrowphase, stats.search), Default::default());
    assert_eq!(stats.pairs, 1);
}

#[test]
fn a_clock_that_goes_back_is_no_panic() {
    let mut world = world(Clock::Host(backwards));
    let (pairs, stages, _) = frame(&mut world);
    assert_eq!(pairs, [[0, 1]]);
    assert_eq!(stages, StageTimes::default());
}

/// A clock that is read as the beginning and as the end of time by turns.
fn swinging() -> Duration {
    READINGS.set(READINGS.get() + 1);
    if READINGS.get().is_multiple_of(2) {
        Duration::ZERO
    } else {
        Duration::MAX
    }
}

#[test]
fn a_clock_may_say_anything() {
    let mut world = world(Clock::Host(swinging));
    for k in 0..2000 {
        let at = [(k % 50) as f32 * 1.5, (k / 50) as f32 * 1.5];
        world
            .insert(Proxy::centered(at, [1.0; 2]).unwrap())
            .unwrap();
    }
    for odd in [false, true, false] {
        if odd {
            swinging();
        }
        frame(&mut world);
        let _ = world.report().to_string();
    }
}
