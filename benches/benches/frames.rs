//! Whole frames, everything moving: the grid alone, and the whole step with masks and a counting narrowphase.

use std::time::Duration;

use criterion::{BenchmarkGroup, SamplingMode, Throughput, measurement::WallTime};
use throng_benches::{
    Contender, GridAlone, Moving, WholeStep, Workers, cases, criterion, crowds, named_scene_agents,
    short,
};
use throng_scenes::Scene;

/// Makes a contender for a scene.
type Maker = fn(&Scene, Workers) -> Box<dyn Contender>;

const CONTENDERS: [(&str, Maker); 2] = [("grid frame", grid_alone), ("whole step", whole_step)];

fn main() {
    let mut criterion = criterion();
    for (name, make) in CONTENDERS {
        let mut group = criterion.benchmark_group(name);
        for case in cases() {
            for threads in [1, 2] {
                let id = format!("{case}, {threads} thread(s)");
                measure(&mut group, &id, case.agents, || {
                    let scene = case.scene();
                    (contender(make, &scene, threads), Moving::new(scene))
                });
            }
        }
        for scene in crowds(named_scene_agents()) {
            let id = format!("{}, {}, 1 thread(s)", scene.name, short(scene.len()));
            measure(&mut group, &id, scene.len(), || {
                (contender(make, &scene, 1), Moving::new(scene.clone()))
            });
        }
    }
    criterion.final_summary();
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
                let scene = moving.advance();
                contender.prepare(scene);
                time += contender.frame(scene).time;
            }
            time
        });
    });
}

fn contender(make: Maker, scene: &Scene, threads: usize) -> Box<dyn Contender> {
    make(
        scene,
        Workers::new(threads).expect("threads can be started"),
    )
}

fn grid_alone(scene: &Scene, workers: Workers) -> Box<dyn Contender> {
    Box::new(GridAlone::new(scene.half, None, workers))
}

fn whole_step(scene: &Scene, workers: Workers) -> Box<dyn Contender> {
    Box::new(WholeStep::new(scene, None, workers))
}
