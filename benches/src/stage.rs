//! How a stage of a frame is measured.

use std::time::Instant;

use criterion::{BenchmarkGroup, SamplingMode, Throughput, measurement::WallTime};
use throng::Executor;

use crate::Workers;

/// One run of a stage.
pub type Run<'s> = Box<dyn FnMut(&dyn Executor) + Send + 's>;

/// Measures runs inside the workers' pool. What they need is made only if the filter lets them through.
pub fn measure_stage<'s>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: &str,
    agents: usize,
    workers: &Workers,
    make: impl Fn() -> Run<'s>,
) {
    // Linear sampling needs 55 runs for ten samples, however long they take.
    group.sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(agents as u64));
    let mut made = None;
    group.bench_function(id, |bencher| {
        let run = made.get_or_insert_with(&make);
        bencher.iter_custom(|times| {
            workers.run(|executor| {
                let started = Instant::now();
                (0..times).for_each(|_| run(executor));
                started.elapsed()
            })
        });
    });
}
