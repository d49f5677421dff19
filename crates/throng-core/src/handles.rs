//! The handles of values that came to a pool together.

use crate::handle::Handle;

/// The handles of values that came together, in their order, as [`Pool::try_insert_all`](crate::Pool::try_insert_all) returns
/// them. Where slots follow each other, nothing is stored for each of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Handles {
    /// As few as there can be.
    runs: Vec<HandleRun>,
    len: usize,
}

/// Handles of slots one after the other, all of the same generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HandleRun {
    pub first: Handle,
    pub len: u32,
}

impl HandleRun {
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Handle> + ExactSizeIterator {
        (0..self.len).map(move |k| self.after_first(k))
    }

    /// What comes so many after the first; it need not be one of the run.
    fn after_first(self, k: u32) -> Handle {
        Handle {
            index: self.first.index.wrapping_add(k),
            ..self.first
        }
    }
}

impl From<HandleRun> for Handles {
    fn from(run: HandleRun) -> Self {
        Self {
            len: run.len as usize,
            runs: Vec::from_iter((run.len > 0).then_some(run)),
        }
    }
}

impl Handles {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Handle> + use<'_> {
        self.runs.iter().flat_map(|run| run.iter())
    }

    /// Writes all of them.
    ///
    /// # Panics
    ///
    /// If there is not room for exactly as many.
    pub fn write(&self, into: &mut [Handle]) {
        assert_eq!(into.len(), self.len(), "room for as many handles");
        let mut rest = into;
        for run in &self.runs {
            let own = rest.split_off_mut(..run.len as usize);
            for (slot, handle) in own.into_iter().flatten().zip(run.iter()) {
                *slot = handle;
            }
        }
    }

    /// Bytes on the heap: 12 for each run of slots.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.runs.capacity() * size_of::<HandleRun>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.runs.shrink_to_fit();
    }

    pub(crate) fn push(&mut self, handle: Handle) {
        self.len += 1;
        match self.runs.last_mut() {
            Some(last) if last.after_first(last.len) == handle => last.len += 1,
            _ => self.runs.push(HandleRun {
                first: handle,
                len: 1,
            }),
        }
    }
}
