//! Each stage of a frame alone, on a scene that stands still.
//!
//! A small scene that stands still flatters whatever has branches, because the processor learns it by heart: compare
//! with `frames`, where everything moves.

use std::cell::LazyCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use throng::{CategoryId, CountPairs, Executor};
use throng_benches::{
    Case, Order, Population, Run, Workers, cases, criterion, crowds, measure_stage,
    named_scene_agents, patterns, short, world_of,
};
use throng_core::{FrameArenas, run_all};
use throng_grid::{GridConfig, PointGrid, Points};

/// Makes everything ready for the runs of a stage.
type Stage = for<'s> fn(&'s Population, &Workers) -> Run<'s>;

const STAGES: [(&str, Stage); 3] = [
    ("grid build", grid_build),
    ("grid pairs", grid_pairs),
    ("masked pairs and counting", masked_pairs_and_counting),
];

fn main() {
    let mut criterion = criterion();
    let pools = [1, 2].map(|threads| Workers::new(threads).expect("threads can be started"));
    for (name, stage) in STAGES {
        let mut group = criterion.benchmark_group(name);
        for case in cases() {
            let scene = LazyCell::new(|| case.population());
            for workers in &pools {
                let id = format!("{case}, {} thread(s)", workers.threads());
                let make = || stage(&scene, workers);
                measure_stage(&mut group, &id, case.agents, workers, make);
            }
        }
        let agents = named_scene_agents();
        for scene in crowds(agents).iter().chain(&patterns(agents)) {
            let id = format!("{}, {}, 1 thread(s)", scene.name, short(agents));
            let make = || stage(scene, &pools[0]);
            measure_stage(&mut group, &id, agents, &pools[0], make);
        }
    }

    // Neither density nor order matters to a copy.
    let mut group = criterion.benchmark_group("column fill");
    let mattering = |case: &Case| case.pairs == 1.0 && case.order == Order::Random;
    for case in cases().filter(mattering) {
        let scene = LazyCell::new(|| case.population());
        let make = || column_fill(&scene, &pools[0]);
        measure_stage(
            &mut group,
            &short(case.agents),
            case.agents,
            &pools[0],
            make,
        );
    }
    group.finish();
    criterion.final_summary();
}

fn grid_build<'s>(population: &'s Population, _: &Workers) -> Run<'s> {
    let mut grid = empty_grid(population);
    Box::new(move |executor| build(&mut grid, points_of(population), executor))
}

fn grid_pairs<'s>(population: &'s Population, workers: &Workers) -> Run<'s> {
    let (mut grid, mut arenas) = (empty_grid(population), FrameArenas::new());
    workers.run(|executor| build(&mut grid, points_of(population), executor));
    arenas.prepare(workers.threads(), grid.chunk_scratch_bytes());
    Box::new(move |executor| {
        run_all(executor, grid.chunks(), &|chunk| {
            let mut consume = |batch: &[[u32; 2]]| {
                black_box(batch);
            };
            arenas.with(|arena| grid.pairs_in_chunk(chunk, None, arena, &mut consume));
        });
    })
}

/// The second half of a step, run from its plan. What it costs beyond "grid pairs" is masks and handing over.
fn masked_pairs_and_counting<'s>(population: &'s Population, workers: &Workers) -> Run<'s> {
    let mut world = world_of(population, true, None);
    workers.run(|executor| world.refresh_on(executor));
    Box::new(move |executor| {
        let plan = world.plan().expect("nothing has changed since the refresh");
        let total = AtomicU64::new(0);
        run_all(executor, plan.chunks(), &|chunk| {
            let mut pairs = 0;
            plan.collide(chunk, &CountPairs, &mut (), &mut pairs);
            total.fetch_add(pairs, Ordering::Relaxed);
        });
        black_box(total);
    })
}

/// An engine's arrays, copied into the columns of the broadphase and checked.
fn column_fill<'s>(population: &'s Population, _: &Workers) -> Run<'s> {
    let (mut world, scene) = (world_of(population, true, None), population.only());
    Box::new(move |_| {
        let mut centers = world
            .centers_mut(CategoryId::new(0))
            .expect("it was made with it");
        let fill = centers.fill_from(black_box(&scene.xs), black_box(&scene.ys));
        assert_eq!(fill.map(|fill| fill.rejected), Ok(0), "scenes are finite");
    })
}

fn empty_grid(population: &Population) -> PointGrid {
    PointGrid::new(GridConfig::new(population.only().half)).expect("a sound bound")
}

fn points_of(population: &Population) -> Points<'_> {
    let scene = population.only();
    Points::new(&scene.xs, &scene.ys)
}

fn build(grid: &mut PointGrid, points: Points<'_>, executor: &dyn Executor) {
    let report = grid.build(points, executor).expect("columns of one length");
    assert_eq!(report.rows, points.xs.len(), "scenes are finite");
}
