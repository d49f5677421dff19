//! Each stage of a frame alone, for the structures of boxes of any size.
//!
//! *First update* fills an empty structure, its memory included; *update* moves every box; *pairs* searches.

use std::cell::LazyCell;
use std::hint::black_box;

use throng::Executor;
use throng_benches::{
    BoxColumns, Loose, Moving, Run, Workers, box_cases, criterion, measure_stage,
};
use throng_core::{FrameArenas, run_all};
use throng_loose::LooseStructure;

/// Where everything is in one frame after another; an update goes from each to the next, round and round.
type Frames = [BoxColumns; 4];

/// Makes everything ready for the runs of a stage.
type Stage = for<'s> fn(&'s Frames, Loose, &Workers) -> Run<'s>;

const STAGES: [(&str, Stage); 3] = [
    ("boxes first update", first_update),
    ("boxes update", update_all),
    ("boxes pairs", pairs),
];

fn main() {
    let mut criterion = criterion();
    let pools = [1, 2].map(|threads| Workers::new(threads).expect("threads can be started"));
    for (name, stage) in STAGES {
        let mut group = criterion.benchmark_group(name);
        for case in box_cases() {
            let frames = LazyCell::new(|| {
                let mut moving = Moving::new(case.population(), case.kind.motion());
                std::array::from_fn(|_| BoxColumns::of(moving.advance()))
            });
            for loose in Loose::ALL {
                for workers in &pools {
                    let (who, threads) = (loose.name(), workers.threads());
                    let id = format!("{who}, {case}, {threads} thread(s)");
                    let make = || stage(&frames, loose, workers);
                    measure_stage(&mut group, &id, case.agents, workers, make);
                }
            }
        }
    }
    criterion.final_summary();
}

fn first_update<'s>(frames: &'s Frames, loose: Loose, _: &Workers) -> Run<'s> {
    Box::new(move |executor| {
        let mut structure = loose.structure(None);
        update(&mut *structure, &frames[0], executor);
    })
}

fn update_all<'s>(frames: &'s Frames, loose: Loose, workers: &Workers) -> Run<'s> {
    let mut structure = loose.structure(None);
    workers.run(|executor| {
        frames
            .iter()
            .for_each(|frame| update(&mut *structure, frame, executor));
    });
    let mut frames = frames.iter().cycle();
    Box::new(move |executor| {
        let next = frames.next().expect("there is always a next one");
        update(&mut *structure, next, executor);
    })
}

fn pairs<'s>(frames: &'s Frames, loose: Loose, workers: &Workers) -> Run<'s> {
    let (mut structure, mut arenas) = (loose.structure(None), FrameArenas::new());
    workers.run(|executor| {
        frames
            .iter()
            .for_each(|frame| update(&mut *structure, frame, executor));
    });
    arenas.prepare(workers.threads(), structure.chunk_scratch_bytes());
    Box::new(move |executor| {
        run_all(executor, structure.chunks(), &|chunk| {
            let mut consume = |batch: &[[u32; 2]]| {
                black_box(batch);
            };
            arenas.with(|arena| structure.pairs_in_chunk(chunk, None, arena, &mut consume));
        });
    })
}

fn update(structure: &mut dyn LooseStructure, frame: &BoxColumns, executor: &dyn Executor) {
    let report = structure
        .update(frame.boxes(), executor)
        .expect("no more rows than it can hold");
    assert_eq!(report.rejected, 0, "scenes that are measured on are sound");
}
