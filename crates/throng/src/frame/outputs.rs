//! Outputs and scratch of narrowphases, kept from frame to frame whatever their type.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use crossbeam::queue::ArrayQueue;
use crossbeam::utils::CachePadded;
use throng_core::{Executor, run_each};

use crate::frame::narrowphase::ChunkOutput;

/// One kept value per type, taken out by a step and put back when it is done.
///
/// Types are resolved here, a few times a step; inside a step everything is of known type.
#[derive(Default)]
pub(crate) struct Keep {
    values: HashMap<TypeId, Option<Box<dyn Any + Send + Sync>>>,
}

impl Keep {
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

    /// The value of this type, if it was put back.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.values
            .get(&TypeId::of::<T>())?
            .as_ref()?
            .downcast_ref()
    }
}

/// The outputs of all chunks, in chunk order, and what was counted of each.
pub(crate) struct Outputs<O, C = ()> {
    /// What an engine reads; only the first `used` are of this frame, the others keep their memory
    /// for a busier one.
    outputs: Vec<O>,
    used: usize,
    /// Where they are while workers write them: no two in a cache line.
    desks: Vec<CachePadded<Desk<O, C>>>,
}

/// What one chunk writes.
#[derive(Default)]
struct Desk<O, C> {
    output: O,
    count: C,
}

impl<O, C> Default for Outputs<O, C> {
    fn default() -> Self {
        Self {
            outputs: Vec::new(),
            used: 0,
            desks: Vec::new(),
        }
    }
}

impl<O: ChunkOutput, C: Default + Send> Outputs<O, C> {
    /// Has every chunk write its output, which is the one that it had last time, cleared. `write` returns what is
    /// counted of the chunk. Allocates only for more chunks than ever. If a chunk panics there are no outputs.
    pub(crate) fn fill(
        &mut self,
        executor: &dyn Executor,
        chunks: usize,
        write: impl Fn(usize, &mut O) -> C + Sync,
    ) {
        self.used = 0;
        if self.outputs.len() < chunks {
            self.outputs.resize_with(chunks, O::default);
            self.desks.resize_with(chunks, Default::default);
        }
        for (output, desk) in self.outputs.iter_mut().zip(&mut self.desks) {
            std::mem::swap(output, &mut desk.output);
            // Whatever the executor does, nothing of the last frame may pass for this one's.
            desk.output.clear();
            desk.count = C::default();
        }
        run_each(executor, &mut self.desks[..chunks], |chunk, desk| {
            desk.count = write(chunk, &mut desk.output);
        });
        for (output, desk) in self.outputs.iter_mut().zip(&mut self.desks) {
            std::mem::swap(output, &mut desk.output);
        }
        self.used = chunks;
    }
}

impl<O, C> Outputs<O, C> {
    pub(crate) fn as_slice(&self) -> &[O] {
        &self.outputs[..self.used]
    }

    /// What was counted of each chunk.
    pub(crate) fn counts(&self) -> impl Iterator<Item = &C> {
        self.desks[..self.used].iter().map(|desk| &desk.count)
    }
}

/// Scratch for as many workers as run at once, borrowed and given back without a lock.
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
    /// Makes room to keep the scratch of `workers` workers and the caller.
    pub(crate) fn prepare(&mut self, workers: usize) {
        let wanted = workers.saturating_add(1);
        if self.idle.capacity() < wanted {
            let roomier = ArrayQueue::new(wanted);
            while let Some(scratch) = self.idle.pop() {
                // There is more room than before, so it is always taken.
                drop(roomier.push(scratch));
            }
            self.idle = roomier;
        }
    }

    pub(crate) fn borrow(&self) -> S {
        self.idle.pop().unwrap_or_default()
    }

    /// One more than there is room for is dropped: more threads than the executor said.
    pub(crate) fn give_back(&self, scratch: S) {
        drop(self.idle.push(scratch));
    }
}
