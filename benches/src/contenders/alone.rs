//! A structure without the broadphase around it.

mod grid;
mod loose;

use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use throng::SimdLevel;
use throng_core::{Arena, Executor, FrameArenas, run_all};

use super::{Contender, Fingerprint, Frame};
use crate::{Population, Workers};

pub use loose::Loose;

/// A frame of a structure alone: built or brought up to date from columns, then all pairs handed out in batches of rows,
/// without masks. A batch has to be in memory when it is handed out, as for a consumer nobody knows anything about.
pub struct Alone {
    structure: Box<dyn Structure>,
    arenas: FrameArenas,
    workers: Workers,
}

/// A structure that is searched chunk by chunk.
trait Structure: Send + Sync {
    fn name(&self) -> &'static str;

    /// Brings the columns up to date that it reads, if the population has other ones. Not timed.
    fn prepare(&mut self, population: &Population);

    fn update(&mut self, population: &Population, executor: &dyn Executor);

    fn chunks(&self) -> usize;

    fn chunk_scratch_bytes(&self) -> usize;

    fn pairs_in_chunk(&self, chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]]));

    fn memory(&self) -> Vec<(&'static str, usize)>;
}

impl Alone {
    /// The point grid, for populations of one uniform category with this bound.
    ///
    /// # Panics
    ///
    /// If the machine lacks the instruction set.
    pub fn grid(half_extents: [f32; 2], simd: Option<SimdLevel>, workers: Workers) -> Self {
        Self::new(grid::Grid::new(half_extents, simd), workers)
    }

    /// A structure for boxes of any size, for all populations.
    ///
    /// # Panics
    ///
    /// If the machine lacks the instruction set.
    pub fn boxes(loose: Loose, simd: Option<SimdLevel>, workers: Workers) -> Self {
        Self::new(loose::Boxes::new(loose, simd), workers)
    }

    fn new(structure: impl Structure + 'static, workers: Workers) -> Self {
        Self {
            structure: Box::new(structure),
            arenas: FrameArenas::new(),
            workers,
        }
    }
}

/// Brings the structure up to date and makes ready to search it.
fn update(
    structure: &mut dyn Structure,
    arenas: &mut FrameArenas,
    population: &Population,
    executor: &dyn Executor,
) {
    structure.update(population, executor);
    arenas.prepare(executor.threads(), structure.chunk_scratch_bytes());
}

/// Searches all chunks, each with a sum of its own, and adds the sums up.
fn search<S: Default + Send>(
    structure: &dyn Structure,
    arenas: &FrameArenas,
    executor: &dyn Executor,
    visit: impl Fn(&mut S, &[[u32; 2]]) + Sync,
    add: impl Fn(&mut S, S) + Sync,
) -> S {
    let total = Mutex::new(S::default());
    run_all(executor, structure.chunks(), &|chunk| {
        let mut sum = S::default();
        arenas.with(|arena| {
            structure.pairs_in_chunk(chunk, arena, &mut |batch| visit(&mut sum, batch))
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

impl Contender for Alone {
    fn name(&self) -> &'static str {
        self.structure.name()
    }

    fn threads(&self) -> usize {
        self.workers.threads()
    }

    fn prepare(&mut self, population: &Population) {
        self.structure.prepare(population);
    }

    fn frame(&mut self, population: &Population) -> Frame {
        let (structure, arenas) = (&mut *self.structure, &mut self.arenas);
        self.workers.run(|executor| {
            let started = Instant::now();
            update(structure, arenas, population, executor);
            let consume =
                |pairs: &mut u64, batch: &[[u32; 2]]| *pairs += black_box(batch).len() as u64;
            let pairs = search(structure, arenas, executor, consume, |total, pairs| {
                *total += pairs
            });
            Frame {
                time: started.elapsed(),
                filter: Duration::ZERO,
                pairs,
            }
        })
    }

    fn fingerprint(&mut self, population: &Population) -> Fingerprint {
        let (structure, arenas) = (&mut *self.structure, &mut self.arenas);
        self.workers.run(|executor| {
            update(structure, arenas, population, executor);
            let take = |fingerprint: &mut Fingerprint, batch: &[[u32; 2]]| {
                batch.iter().for_each(|&[a, b]| fingerprint.add(a, b));
            };
            search(structure, arenas, executor, take, Fingerprint::merge)
        })
    }

    fn memory(&self) -> Vec<(&'static str, usize)> {
        self.structure.memory()
    }
}
