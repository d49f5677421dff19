//! Outputs and scratch of narrowphases, kept from frame to frame whatever their type.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use crossbeam::queue::ArrayQueue;
use crossbeam::utils::CachePadded;
use throng_core::{Executor, run_each};

use crate::frame::narrowphase::ChunkOutput;

/// Stores one value per type; a step takes it and puts it back when it is done.
///
/// Types are looked up here, a few times per step; everywhere else in a step they are known at compile time.
#[derive(Default)]
pub(crate) struct StoredByType {
    values: HashMap<TypeId, Option<Box<dyn Any + Send + Sync>>>,
}

impl StoredByType {
    /// The value of this type from last time, or a new one.
    pub(crate) fn take<T: Default + Send + Sync + 'static>(&mut self) -> Box<T> {
        let kept = self
            .values
            .get_mut(&TypeId::of::<T>())
            .and_then(Option::take);
        kept.and_then(|value| value.downcast().ok())
            .unwrap_or_default()
    }

    /// Keeps the value for the next [`take`](Self::take).
    pub(crate) fn put_back<T: Send + Sync + 'static>(&mut self, value: Box<T>) {
        self.values.insert(TypeId::of::<T>(), Some(value));
    }

    /// The value of this type, if there is one.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.values
            .get(&TypeId::of::<T>())?
            .as_ref()?
            .downcast_ref()
    }
}

/// The outputs of all chunks, in chunk order, and what was counted for each.
pub(crate) struct Outputs<O, C = ()> {
    /// What an engine reads. Only the first `used` belong to this frame; the others keep their memory for a busier one.
    outputs: Vec<O>,
    used: usize,
    /// Where outputs are while workers write them: no two share a cache line.
    results: Vec<CachePadded<ChunkResult<O, C>>>,
}

/// What one chunk writes.
#[derive(Default)]
struct ChunkResult<O, C> {
    output: O,
    count: C,
}

impl<O, C> Default for Outputs<O, C> {
    fn default() -> Self {
        Self {
            outputs: Vec::new(),
            used: 0,
            results: Vec::new(),
        }
    }
}

impl<O: ChunkOutput, C: Default + Send> Outputs<O, C> {
    /// Lets every chunk write its output, which is the one from last time, cleared. `write` returns the counts of the
    /// chunk. Allocates only if there are more chunks than ever before. If a chunk panics, there are no outputs.
    pub(crate) fn fill(
        &mut self,
        executor: &dyn Executor,
        chunks: usize,
        write: impl Fn(usize, &mut O) -> C + Sync,
    ) {
        self.used = 0;
        if self.outputs.len() < chunks {
            self.outputs.resize_with(chunks, O::default);
            self.results.resize_with(chunks, Default::default);
        }
        for (output, result) in self.outputs.iter_mut().zip(&mut self.results) {
            std::mem::swap(output, &mut result.output);
            // Whatever the executor does, results of the last frame must not be mistaken for this one's.
            result.output.clear();
            result.count = C::default();
        }
        run_each(executor, &mut self.results[..chunks], |chunk, result| {
            result.count = write(chunk, &mut result.output);
        });
        for (output, result) in self.outputs.iter_mut().zip(&mut self.results) {
            std::mem::swap(output, &mut result.output);
        }
        self.used = chunks;
    }
}

impl<O, C> Outputs<O, C> {
    pub(crate) fn as_slice(&self) -> &[O] {
        &self.outputs[..self.used]
    }

    /// What was counted for each chunk.
    pub(crate) fn counts(&self) -> impl Iterator<Item = &C> {
        self.results[..self.used].iter().map(|result| &result.count)
    }
}

/// Scratch for as many workers as run at once, borrowed and returned without a lock.
pub(crate) struct Scratches<S> {
    idle: ArrayQueue<S>,
}

impl<S> Default for Scratches<S> {
    fn default() -> Self {
        Self {
            idle: ArrayQueue::new(1),
        }
    }
}

impl<S: Default> Scratches<S> {
    /// Makes room for the scratch of `workers` workers and the caller.
    pub(crate) fn prepare(&mut self, workers: usize) {
        let wanted = workers.saturating_add(1);
        if self.idle.capacity() < wanted {
            let roomier = ArrayQueue::new(wanted);
            while let Some(scratch) = self.idle.pop() {
                // There is more room than before, so this cannot fail.
                drop(roomier.push(scratch));
            }
            self.idle = roomier;
        }
    }

    pub(crate) fn borrow(&self) -> S {
        self.idle.pop().unwrap_or_default()
    }

    /// If there is no room, it is dropped: more threads than the executor said.
    pub(crate) fn give_back(&self, scratch: S) {
        drop(self.idle.push(scratch));
    }
}
