//! Whole frames of circles that collide, in each of throng's ways to read an engine's circles: centres written, pairs found,
//! circles tested, contacts kept. Moving them is no part of a frame, and sorting their rows is.

use std::sync::Arc;
use std::time::Duration;

use criterion::{SamplingMode, Throughput};
use throng_benches::contacts::{Course, own};
use throng_benches::{criterion, is_test_mode, short};

/// How many frames a circle lives before it is born elsewhere.
const LIFETIME: u32 = 500;
/// Frames before the first that is measured: rows are sorted for the first time.
const WARM_UP: u32 = 10;

fn main() {
    let mut criterion = criterion();
    let sizes: &[usize] = if is_test_mode() {
        &[2_000]
    } else {
        &[20_000, 100_000, 1_000_000]
    };
    let mut group = criterion.benchmark_group("contacts");
    // Linear sampling needs 55 frames for ten samples, however long they take.
    group.sampling_mode(SamplingMode::Flat);
    for &circles in sizes {
        group.throughput(Throughput::Elements(circles as u64));
        for threads in [1, 2] {
            let nobody = Arc::new(Course::new(0, 0));
            let names = own(&nobody, threads).expect("threads can be started");
            for (way, name) in names.iter().map(|engine| engine.name()).enumerate() {
                let id = format!("{name}, {}, {threads} thread(s)", short(circles));
                let mut made = None;
                group.bench_function(id, |bencher| {
                    let engine = made.get_or_insert_with(|| {
                        let course = Arc::new(Course::new(circles, LIFETIME));
                        let mut own = own(&course, threads).expect("threads can be started");
                        let mut engine = own.swap_remove(way);
                        for _ in 0..WARM_UP {
                            engine.advance();
                            engine.frame();
                        }
                        engine
                    });
                    bencher.iter_custom(|frames| {
                        let mut time = Duration::ZERO;
                        for _ in 0..frames {
                            engine.advance();
                            time += engine.frame().0.all();
                        }
                        time
                    });
                });
            }
        }
    }
    group.finish();
    criterion.final_summary();
}
