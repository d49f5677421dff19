//! Whole frames, everything moving: each structure alone, and the whole step with masks and a counting narrowphase.

use std::time::Duration;

use criterion::{BenchmarkGroup, SamplingMode, Throughput, measurement::WallTime};
use throng_benches::{
    Alone, Case, Contender, Kind, Loose, Motion, Moving, Population, WholeStep, Workers, cases,
    criterion, crowds, named_scene_agents, short, whole_world_cases,
};

/// Makes a contender for a population.
type Maker = fn(&Population, Workers) -> Box<dyn Contender>;

fn main() {
    let mut criterion = criterion();

    // Boxes of one size.
    for (name, make) in [
        ("grid frame", grid_alone as Maker),
        ("whole step", whole_step),
    ] {
        let mut group = criterion.benchmark_group(name);
        cases().for_each(|case| measure_case(&mut group, case, make));
        for population in crowds(named_scene_agents()) {
            let agents = population.len();
            let id = format!("{}, {}, 1 thread(s)", population.name, short(agents));
            measure(&mut group, &id, agents, || {
                let contender = contender(make, &population, 1);
                (contender, Moving::new(population.clone(), Motion::Hover))
            });
        }
    }

    // And of others.
    for (name, make) in [
        ("strips frame", strips as Maker),
        ("double grid frame", double_grid),
        ("quadtree frame", quadtree),
        ("whole step", whole_step),
    ] {
        let mut group = criterion.benchmark_group(name);
        for case in whole_world_cases() {
            if name == "whole step" || case.kind == Kind::Mixed {
                measure_case(&mut group, case, make);
            }
        }
    }
    criterion.final_summary();
}

fn measure_case(group: &mut BenchmarkGroup<'_, WallTime>, case: Case, make: Maker) {
    for threads in [1, 2] {
        let id = format!("{case}, {threads} thread(s)");
        measure(group, &id, case.agents, || {
            let population = case.population();
            let contender = contender(make, &population, threads);
            (contender, Moving::new(population, case.kind.motion()))
        });
    }
}

/// Measures frames; motion and preparation in between are no part of them. Scene and contender are made only if the
/// filter lets the benchmark through.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: &str,
    agents: usize,
    make: impl Fn() -> (Box<dyn Contender>, Moving),
) {
    // Linear sampling needs 55 frames for ten samples, however long they take.
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(agents as u64));
    let mut made = None;
    group.bench_function(id, |bencher| {
        let (contender, moving) = made.get_or_insert_with(&make);
        bencher.iter_custom(|frames| {
            let mut time = Duration::ZERO;
            for _ in 0..frames {
                let population = moving.advance();
                contender.prepare(population);
                time += contender.frame(population).time;
            }
            time
        });
    });
}

fn contender(make: Maker, population: &Population, threads: usize) -> Box<dyn Contender> {
    let workers = Workers::new(threads).expect("threads can be started");
    make(population, workers)
}

fn grid_alone(population: &Population, workers: Workers) -> Box<dyn Contender> {
    Box::new(Alone::grid(population.only().half, None, workers))
}

fn strips(_: &Population, workers: Workers) -> Box<dyn Contender> {
    Box::new(Alone::boxes(Loose::Strips, None, workers))
}

fn double_grid(_: &Population, workers: Workers) -> Box<dyn Contender> {
    Box::new(Alone::boxes(Loose::DoubleGrid, None, workers))
}

fn quadtree(_: &Population, workers: Workers) -> Box<dyn Contender> {
    Box::new(Alone::boxes(Loose::Quadtree, None, workers))
}

fn whole_step(population: &Population, workers: Workers) -> Box<dyn Contender> {
    Box::new(WholeStep::new(population, true, None, workers))
}
