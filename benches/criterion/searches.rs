//! The packed quadtree: how long it takes to build, and each kind of search.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::Throughput;
use throng_benches::{
    Packed, Queries, Run, Tree, Workers, criterion, is_test_mode, measure_stage, questions, short,
    shots,
};
use throng_quadtree::{PackedConfig, PackedQuadtree};
use throng_scenes::{BoxScene, log_uniform_boxes};

fn main() {
    let mut criterion = criterion();
    let pools = [1, 2].map(|threads| Workers::new(threads).expect("threads can be started"));
    let sizes: &[usize] = if is_test_mode() {
        &[1_000]
    } else {
        &[1_000, 10_000, 100_000, 1_000_000]
    };
    for &boxes in sizes {
        let scene = LazyCell::new(|| log_uniform_boxes(boxes, [0.5, 20.0], 0.5, 1));
        let mut group = criterion.benchmark_group("packed build");
        for workers in &pools {
            let id = format!("{}, {} thread(s)", short(boxes), workers.threads());
            measure_stage(&mut group, &id, boxes, workers, || build(&scene));
        }
        group.finish();

        let mut packed = Packed::build(scene.boxes());
        let mut group = criterion.benchmark_group(format!("packed searches, {}", short(boxes)));
        for (name, queries) in questions(packed.tree()) {
            group.throughput(Throughput::Elements(queries.count() as u64));
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    black_box(match &queries {
                        Queries::Windows(windows) => packed.touching(windows),
                        Queries::Points(points) => packed.at(points),
                        Queries::Nearest(points) => packed.nearest(points),
                    })
                });
            });
        }
        let shots = shots(packed.tree());
        group.throughput(Throughput::Elements(shots.len() as u64));
        group.bench_function("ray, first hit", |bencher| {
            bencher.iter(|| black_box(packed.first_hits(&shots)));
        });
        group.finish();
    }
    criterion.final_summary();
}

fn build(scene: &BoxScene) -> Run<'_> {
    Box::new(move |executor| {
        let tree = PackedQuadtree::build(scene.boxes(), PackedConfig::new(), executor);
        black_box(tree.expect("boxes make a tree"));
    })
}
