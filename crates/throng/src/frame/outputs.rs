//! Outputs and scratch of narrowphases, kept from frame to frame whatever their type.

use std::any::{Any, TypeId};

use crossbeam::queue::ArrayQueue;
use crossbeam::utils::CachePadded;
use throng_core::{Executor, run_each};

use crate::frame::narrowphase::ChunkOutput;
use crate::frame::need::Need;

/// Values of a type that no step has used for this many steps are let go.
const UNUSED_STEPS: u64 = 256;

/// Stores one value per type; a step takes it and puts it back when it is done.
///
/// Types are looked up here, a few times per step; everywhere else in a step they are known at compile time. A list, because
/// there are seldom more than two.
#[derive(Default)]
pub(crate) struct StoredByType {
    values: Vec<Entry>,
    steps: u64,
}

struct Entry {
    of: TypeId,
    /// `None` while a step has it, and if that ended in a panic.
    value: Option<Box<dyn Stored>>,
    used_in: u64,
}

/// A value that is stored by its type.
pub(crate) trait Stored: Any + Send + Sync {
    /// Bytes that it owns.
    fn held_bytes(&self) -> usize;
}

/// A clone has none: they are of types that need not be `Clone`.
impl Clone for StoredByType {
    fn clone(&self) -> Self {
        Self::default()
    }

    /// Keeps the memory, but what is in it no longer counts as outputs of the last step.
    fn clone_from(&mut self, _: &Self) {
        self.begin_step();
    }
}

impl StoredByType {
    /// To be called once in each step: lets go of what has not been used for long.
    pub(crate) fn begin_step(&mut self) {
        self.steps += 1;
        let oldest = self.steps.saturating_sub(UNUSED_STEPS);
        self.values.retain(|entry| entry.used_in >= oldest);
    }

    /// The value of this type from last time, or a new one.
    pub(crate) fn take<T: Stored + Default>(&mut self) -> Box<T> {
        let kept = self.entry_mut::<T>().and_then(|entry| entry.value.take());
        kept.and_then(|value| (value as Box<dyn Any>).downcast().ok())
            .unwrap_or_default()
    }

    /// Keeps the value for the next [`take`](Self::take).
    pub(crate) fn put_back<T: Stored>(&mut self, value: Box<T>) {
        let used_in = self.steps;
        if let Some(entry) = self.entry_mut::<T>() {
            entry.value = Some(value);
            entry.used_in = used_in;
        } else {
            self.values.push(Entry {
                of: TypeId::of::<T>(),
                value: Some(value),
                used_in,
            });
        }
    }

    /// The value of this type, if the last step put it back.
    pub(crate) fn get_of_last_step<T: Stored>(&self) -> Option<&T> {
        let of = TypeId::of::<T>();
        let entry = self.values.iter().find(|entry| entry.of == of)?;
        let value = entry
            .value
            .as_deref()
            .filter(|_| entry.used_in == self.steps)?;
        (value as &dyn Any).downcast_ref()
    }

    fn entry_mut<T: Stored>(&mut self) -> Option<&mut Entry> {
        let of = TypeId::of::<T>();
        self.values.iter_mut().find(|entry| entry.of == of)
    }

    /// Bytes of all values.
    pub(crate) fn held_bytes(&self) -> usize {
        let values = self.values.iter().filter_map(|entry| entry.value.as_ref());
        values.map(|value| value.held_bytes()).sum()
    }
}

/// The outputs of all chunks, in chunk order, and what was counted for each.
pub(crate) struct Outputs<O, C = ()> {
    /// What an engine reads. Only the first `used` belong to this frame; the others keep their memory for a busier one.
    outputs: Vec<O>,
    used: usize,
    /// How many of them may not be empty.
    filled: usize,
    /// Where outputs are while workers write them: no two share a cache line.
    results: Vec<CachePadded<ChunkResult<O, C>>>,
    needs: Vec<Need>,
    held_bytes: usize,
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
            filled: 0,
            results: Vec::new(),
            needs: Vec::new(),
            held_bytes: 0,
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
            self.needs.resize(chunks, Need::default());
        }
        self.filled = self.filled.max(chunks);
        for (output, result) in self
            .outputs
            .iter_mut()
            .zip(&mut self.results[..self.filled])
        {
            std::mem::swap(output, &mut result.output);
            // Whatever the executor does, results of the last frame must not be mistaken for this one's.
            result.output.clear();
            result.count = C::default();
        }
        run_each(executor, &mut self.results[..chunks], |chunk, result| {
            result.count = write(chunk, &mut result.output);
        });
        for (output, result) in self
            .outputs
            .iter_mut()
            .zip(&mut self.results[..self.filled])
        {
            std::mem::swap(output, &mut result.output);
        }
        (self.used, self.filled) = (chunks, chunks);
        self.let_go();
    }

    /// Keeps the outputs of the first chunks, and empties the others.
    pub(crate) fn truncate(&mut self, chunks: usize) {
        self.used = self.used.min(chunks);
        self.outputs[self.used..].iter_mut().for_each(O::clear);
    }

    /// Gives back memory of outputs that have needed far less of it for long.
    fn let_go(&mut self) {
        self.held_bytes = 0;
        for (output, need) in self.outputs.iter_mut().zip(&mut self.needs) {
            if need.holds_too_much(output.used_bytes(), output.held_bytes()) {
                output.shrink_to_fit();
            }
            self.held_bytes += output.held_bytes();
        }
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

impl<O: ChunkOutput, C: Send + Sync + 'static> Stored for Outputs<O, C> {
    fn held_bytes(&self) -> usize {
        self.held_bytes
            + self.outputs.capacity() * size_of::<O>()
            + self.results.capacity() * size_of::<CachePadded<ChunkResult<O, C>>>()
            + self.needs.capacity() * size_of::<Need>()
    }
}

/// Scratch for as many workers as run at once, borrowed and returned without a lock.
pub(crate) struct Scratches<S> {
    idle: ArrayQueue<S>,
    /// Bytes that they own, when they were last counted.
    owned: usize,
}

impl<S> Default for Scratches<S> {
    fn default() -> Self {
        Self {
            idle: ArrayQueue::new(1),
            owned: 0,
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

    /// Counts the bytes that they own. To be called while nobody has borrowed one.
    pub(crate) fn count(&mut self, bytes: impl Fn(&S) -> usize) {
        self.owned = 0;
        for _ in 0..self.idle.len() {
            if let Some(scratch) = self.idle.pop() {
                self.owned += bytes(&scratch);
                self.give_back(scratch);
            }
        }
    }
}

impl<S: Send + 'static> Stored for Scratches<S> {
    fn held_bytes(&self) -> usize {
        self.idle.capacity() * size_of::<S>() + self.owned
    }
}

#[cfg(test)]
mod tests {
    use throng_core::Serial;

    use super::*;

    type Words = Outputs<Vec<u64>>;

    fn fill(outputs: &mut Words, lengths: &[usize]) {
        outputs.fill(&Serial, lengths.len(), |chunk, output| {
            output.extend((0..lengths[chunk] as u64).map(|k| k + chunk as u64));
        });
    }

    #[test]
    fn what_a_spike_left_is_let_go_and_what_is_needed_is_not() {
        let mut outputs = Words::default();
        fill(&mut outputs, &[1_000_000, 5000, 500_000]);
        let most = outputs.held_bytes();
        assert!(most >= 8_000_000);
        let capacities = |outputs: &Words| {
            outputs
                .outputs
                .iter()
                .map(Vec::capacity)
                .collect::<Vec<_>>()
        };
        let mut changes = 0;
        for frame in 0..600 {
            let before = capacities(&outputs);
            // As many as usual, give or take.
            fill(
                &mut outputs,
                &[4000 + frame % 7 * 100, 5000 - frame % 3 * 200],
            );
            changes += usize::from(capacities(&outputs) != before);
            assert_eq!(outputs.as_slice()[1].len(), 5000 - frame % 3 * 200);
        }
        assert!(
            outputs.held_bytes() < 400_000,
            "{} bytes",
            outputs.held_bytes()
        );
        assert!(capacities(&outputs)[1] >= 5000);
        assert!(changes <= 4, "{changes} times, not once a frame");
    }

    #[test]
    fn chunks_that_are_cut_off_are_empty() {
        let mut outputs = Words::default();
        fill(&mut outputs, &[3, 4, 5]);
        outputs.truncate(2);
        assert_eq!(outputs.as_slice(), [vec![0, 1, 2], vec![1, 2, 3, 4]]);
        assert!(outputs.outputs[2].is_empty());
        assert_eq!(outputs.counts().count(), 2);
        outputs.truncate(5);
        assert_eq!(outputs.as_slice().len(), 2);
    }

    #[test]
    fn types_that_are_not_used_for_long_are_forgotten() {
        let mut stored = StoredByType::default();
        let mut words = stored.take::<Words>();
        fill(&mut words, &[1000]);
        stored.put_back(words);
        assert!(stored.get_of_last_step::<Words>().is_some());
        assert!(stored.held_bytes() >= 8000);
        for _ in 0..UNUSED_STEPS {
            stored.begin_step();
            let other = stored.take::<Outputs<u32>>();
            stored.put_back(other);
            assert!(stored.get_of_last_step::<Outputs<u32>>().is_some());
            assert!(stored.get_of_last_step::<Words>().is_none());
        }
        assert!(stored.held_bytes() >= 8000);
        stored.begin_step();
        assert_eq!(stored.held_bytes(), 0);
    }
}
