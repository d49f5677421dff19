//! The point grid without the broadphase around it.

use std::hint::black_box;
use std::sync::Mutex;
use std::time::Instant;

use throng::SimdLevel;
use throng_core::{Executor, FrameArenas, run_all};
use throng_grid::{GridConfig, GridMemory, PointGrid, Points};
use throng_scenes::Scene;

use super::{Contender, Fingerprint, Frame};
use crate::Workers;

/// A frame of the grid alone: built from the scene's own columns, then all pairs handed out in batches of rows, without
/// masks. A batch has to be in memory when it is handed out, as for a consumer nobody knows anything about.
pub struct GridAlone {
    grid: PointGrid,
    arenas: FrameArenas,
    workers: Workers,
}

impl GridAlone {
    /// For boxes of a scene's bound.
    ///
    /// # Panics
    ///
    /// If the machine lacks the instruction set.
    pub fn new(half_extents: [f32; 2], simd: Option<SimdLevel>, workers: Workers) -> Self {
        let mut config = GridConfig::new(half_extents);
        config.simd = simd;
        let grid = PointGrid::new(config).expect("a sound bound and an instruction set there is");
        Self {
            grid,
            arenas: FrameArenas::new(),
            workers,
        }
    }

    /// What the grid holds in memory.
    pub fn memory(&self) -> GridMemory {
        self.grid.memory()
    }
}

/// Builds the grid and makes ready to search it.
fn build(grid: &mut PointGrid, arenas: &mut FrameArenas, scene: &Scene, executor: &dyn Executor) {
    let points = Points::new(&scene.xs, &scene.ys);
    grid.build(points, executor).expect("columns of one length");
    arenas.prepare(executor.threads(), grid.chunk_scratch_bytes());
}

/// Searches all chunks, each with a sum of its own, and adds the sums up.
fn search<S: Default + Send>(
    grid: &PointGrid,
    arenas: &FrameArenas,
    executor: &dyn Executor,
    visit: impl Fn(&mut S, &[[u32; 2]]) + Sync,
    add: impl Fn(&mut S, S) + Sync,
) -> S {
    let total = Mutex::new(S::default());
    run_all(executor, grid.chunks(), &|chunk| {
        let mut sum = S::default();
        arenas.with(|arena| {
            grid.pairs_in_chunk(chunk, None, arena, &mut |batch| visit(&mut sum, batch))
        });
        add(
            &mut total.lock().expect("nothing panics while it is locked"),
            sum,
        );
    });
    total
        .into_inner()
        .expect("nothing panics while it is locked")
}

impl Contender for GridAlone {
    fn name(&self) -> &'static str {
        "grid alone"
    }

    fn threads(&self) -> usize {
        self.workers.threads()
    }

    /// Nothing: the grid reads the engine's own arrays.
    fn prepare(&mut self, _scene: &Scene) {}

    fn frame(&mut self, scene: &Scene) -> Frame {
        let Self {
            grid,
            arenas,
            workers,
        } = self;
        workers.run(|executor| {
            let started = Instant::now();
            build(grid, arenas, scene, executor);
            let consume =
                |pairs: &mut u64, batch: &[[u32; 2]]| *pairs += black_box(batch).len() as u64;
            let pairs = search(grid, arenas, executor, consume, |total, pairs| {
                *total += pairs
            });
            Frame {
                time: started.elapsed(),
                pairs,
            }
        })
    }

    fn fingerprint(&mut self, scene: &Scene) -> Fingerprint {
        let Self {
            grid,
            arenas,
            workers,
        } = self;
        workers.run(|executor| {
            build(grid, arenas, scene, executor);
            let take = |fingerprint: &mut Fingerprint, batch: &[[u32; 2]]| {
                batch.iter().for_each(|&[a, b]| fingerprint.add(a, b));
            };
            search(grid, arenas, executor, take, Fingerprint::merge)
        })
    }
}
