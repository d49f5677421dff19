//! Whole runs of small swarms.

use std::collections::HashMap;

use rayon::ThreadPoolBuilder;
use throng::ProxyId;

use crate::{
    args::{self, Request},
    asked,
    bodies::Bodies,
    contacts::Keep,
    motion::TIME_STEP,
    pair_hash::PairHash,
    swarm::Swarm,
    witness::Nobody,
};

fn swarm(line: &str) -> Swarm {
    let line = format!("parallel_swarm {line}");
    match args::read(line.split_whitespace().map(Into::into)) {
        Ok(Request::Run(args)) => Swarm::new(asked::setup(&args).expect(&line)).expect(&line),
        other => panic!("{line}: {other:?}"),
    }
}

/// The hash and all positions, to the bit, after some frames on some threads.
fn outcome(line: &str, threads: usize, frames: usize) -> (PairHash, Vec<[u32; 2]>) {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a few threads");
    pool.install(|| {
        let mut swarm = swarm(line);
        for _ in 0..frames {
            swarm.frame(Keep::Hash, &mut Nobody);
        }
        let places = swarm.kinds().iter().flat_map(|kind| {
            let bodies = &kind.bodies;
            bodies.xs.iter().zip(&bodies.ys)
        });
        let places = places.map(|(x, y)| [x.to_bits(), y.to_bits()]).collect();
        (swarm.pair_hash(), places)
    })
}

#[test]
fn any_number_of_threads_gives_the_same_run() {
    let alone = outcome("--agents 6000", 1, 20);
    assert_ne!(alone.0.value(), outcome("--agents 6000", 1, 19).0.value());
    for threads in [2, 3, 8] {
        assert!(
            outcome("--agents 6000", threads, 20) == alone,
            "{threads} threads"
        );
    }
}

#[test]
fn so_it_does_with_dragons() {
    let line = "--agents 4000 --oversized 40";
    let alone = outcome(line, 1, 20);
    for threads in [2, 3, 8] {
        assert!(outcome(line, threads, 20) == alone, "{threads} threads");
    }
}

#[test]
fn so_it_does_where_most_sleep() {
    let line = "--agents 5000 --oversized 10 --map castle --awake 0.1";
    let alone = outcome(line, 1, 40);
    for threads in [2, 3, 8] {
        assert!(outcome(line, threads, 40) == alone, "{threads} threads");
    }
}

#[test]
fn it_is_the_same_run_where_nobody_sleeps() {
    for line in ["--agents 4000 --oversized 20", "--agents 1000 --map castle"] {
        let all = outcome(line, 2, 40);
        assert!(
            outcome(&format!("{line} --awake 1"), 2, 40) == all,
            "{line}"
        );
    }
}

#[test]
fn only_those_awake_move_and_the_others_rest() {
    let mut swarm = swarm("--agents 3000 --oversized 30 --map castle --awake 0.1");
    let mut before = places(&swarm);
    for frame in 0..200 {
        let figures = swarm.frame(Keep::Nothing, &mut Nobody);
        let now = places(&swarm);
        let moved = now.iter().filter(|(id, place)| before[*id] != **place);
        let moved = moved.count();
        assert!((200..450).contains(&moved), "{moved} in frame {frame}");
        if frame > 5 {
            let resting = figures.resting;
            assert!((2500..2850).contains(&resting), "{resting} in {frame}");
            assert!(figures.resting_pairs > 300, "{}", figures.resting_pairs);
        }
        before = now;
        sleepers_lie_still(&swarm);
    }
    // Rows come and go, and are sorted.
    for kind in [0, 3] {
        swarm.remove(kind, 10);
        some_frames(&mut swarm);
        swarm.add(kind, 20).expect("there is room");
        some_frames(&mut swarm);
        swarm.sort_rows(kind);
        some_frames(&mut swarm);
    }
    assert_eq!(swarm.counts().bodies(), 3050);
}

fn some_frames(swarm: &mut Swarm) {
    for _ in 0..10 {
        swarm.frame(Keep::Nothing, &mut Nobody);
        sleepers_lie_still(swarm);
    }
}

/// Who sleeps is where the broadphase has it, which nobody tells otherwise.
fn sleepers_lie_still(swarm: &Swarm) {
    for kind in swarm.kinds().iter().filter(|kind| !kind.is_scenery()) {
        let [xs, ys] = swarm.world().centers(kind.category);
        for row in (0..kind.bodies.len()).filter(|row| kind.is_asleep(*row)) {
            let place = (kind.bodies.xs[row], kind.bodies.ys[row]);
            assert_eq!(place, (xs[row], ys[row]), "{}, row {row}", kind.name);
        }
    }
}

/// Where everybody is, to the bit.
fn places(swarm: &Swarm) -> HashMap<ProxyId, [u32; 2]> {
    let of_kind = |bodies: &Bodies| {
        let places = bodies.xs.iter().zip(&bodies.ys);
        let places = places.map(|(x, y)| [x.to_bits(), y.to_bits()]);
        bodies.ids.iter().copied().zip(places).collect::<Vec<_>>()
    };
    let kinds = swarm.kinds().iter();
    kinds.flat_map(|kind| of_kind(&kind.bodies)).collect()
}

#[test]
fn so_it_does_with_walls() {
    let line = "--agents 3000 --oversized 6 --map castle";
    let alone = outcome(line, 1, 20);
    for threads in [2, 3, 8] {
        assert!(outcome(line, threads, 20) == alone, "{threads} threads");
    }
}

#[test]
fn dragons_part_from_each_other_and_from_agents() {
    let mut swarm = swarm("--agents 3000 --oversized 8");
    let first = swarm.frame(Keep::Nothing, &mut Nobody);
    assert_eq!((first.counts.agents, first.counts.oversized), (3000, 8));
    assert_eq!(first.pairs_by_meeting.iter().sum::<u64>(), first.pairs);
    for _ in 0..119 {
        swarm.frame(Keep::Nothing, &mut Nobody);
    }
    let after = swarm.frame(Keep::Nothing, &mut Nobody);
    assert!(after.pairs_by_meeting[0] > 100, "agents still meet");
    let [width, height] = swarm.terrain().size();
    let dragons = &swarm.kinds()[3].bodies;
    for row in 0..dragons.len() {
        let [x, y, radius] = [dragons.xs[row], dragons.ys[row], dragons.radii.of(row)];
        let inside = |at: f32, size: f32| at >= 0.999 * radius && at <= size - 0.999 * radius;
        assert!(inside(x, width) && inside(y, height), "{x} {y} {radius}");
        let deep = |of: &Bodies| {
            let away = of.xs.iter().zip(&of.ys);
            let away = away.map(|(ax, ay)| (ax - x).hypot(ay - y));
            // It is in the middle of itself.
            away.filter(|away| (0.01..0.8 * radius).contains(away))
                .count()
        };
        let deep: usize = swarm.kinds().iter().map(|kind| deep(&kind.bodies)).sum();
        assert!(deep <= 3, "{deep} deep in dragon {row}");
    }
}

#[test]
fn dragons_spread_and_keep_going() {
    let mut swarm = swarm("--agents 3000 --oversized 8");
    let [width, height] = swarm.terrain().size();
    let mut quarters = [0; 4];
    for _ in 0..20 {
        for _ in 0..60 {
            swarm.frame(Keep::Nothing, &mut Nobody);
        }
        let dragons = &swarm.kinds()[3].bodies;
        for (x, y) in dragons.xs.iter().zip(&dragons.ys) {
            quarters[2 * usize::from(*x > width / 2.0) + usize::from(*y > height / 2.0)] += 1;
        }
    }
    assert!(
        quarters.iter().all(|times| *times > 16),
        "{quarters:?} of 160"
    );
}

#[test]
fn dragons_never_lie_across_walls() {
    let mut swarm = swarm("--agents 3000 --oversized 8 --map castle");
    let mut travelled = 0.0;
    for _ in 0..300 {
        swarm.frame(Keep::Nothing, &mut Nobody);
        let dragons = swarm
            .kinds()
            .iter()
            .find(|kind| kind.is_oversized())
            .unwrap();
        let walls = swarm.kinds().iter().find(|kind| kind.is_scenery()).unwrap();
        let Bodies {
            xs,
            ys,
            velocities,
            radii,
            ..
        } = &dragons.bodies;
        for row in 0..xs.len() {
            let clear = 0.98 * radii.of(row);
            let squared = walls
                .walls
                .iter()
                .map(|wall| wall.distance_squared([xs[row], ys[row]]));
            assert!(
                squared.fold(f32::INFINITY, f32::min) > clear * clear,
                "dragon {row}"
            );
            travelled += velocities[row][0].hypot(velocities[row][1]) * TIME_STEP / radii.of(row);
        }
    }
    assert!(travelled > 8.0, "they went {travelled} radii in all");
}

#[test]
fn another_seed_gives_another_run() {
    let one = outcome("--agents 500 --seed 1", 2, 5);
    let two = outcome("--agents 500 --seed 2", 2, 5);
    assert_ne!(one.0, two.0);
}

#[test]
fn units_stay_inside_and_keep_moving() {
    let mut swarm = swarm("--agents 2000");
    for _ in 0..120 {
        swarm.frame(Keep::Nothing, &mut Nobody);
    }
    let [width, height] = swarm.terrain().size();
    for kind in swarm.kinds() {
        for (x, y) in kind.bodies.xs.iter().zip(&kind.bodies.ys) {
            // A push may reach over the wall until the next frame.
            assert!((-1.0..=width + 1.0).contains(x) && (-1.0..=height + 1.0).contains(y));
        }
        let moving = kind.bodies.velocities.iter();
        assert!(moving.filter(|v| v[0].abs() + v[1].abs() > 0.01).count() >= kind.bodies.len() / 2);
    }
}

#[test]
fn adding_and_removing_keeps_rows_in_step() {
    let mut swarm = swarm("--agents 300 --oversized 4");
    swarm.frame(Keep::Nothing, &mut Nobody);
    swarm.add(1, 50).expect("they fit");
    swarm.add(3, 9).expect("they fit");
    swarm.remove(0, 100);
    swarm.remove(2, 10_000);
    swarm.remove(3, 2);
    let figures = swarm.frame(Keep::Nothing, &mut Nobody);
    assert_eq!(figures.counts.oversized, 11);
    assert_eq!(figures.counts.bodies(), swarm.world().len());
    for kind in swarm.kinds() {
        let rows: Vec<_> = swarm.world().proxies(kind.category).collect();
        assert_eq!(rows, kind.bodies.ids);
    }
}
