//! The handles of values that came to a pool together.

use crate::handle::Handle;

/// The handles of values that came together, in their order, as [`Pool::try_insert_all`](crate::Pool::try_insert_all) returns
/// them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Handles {
    /// Of new slots, one after the other: nothing is stored for each.
    Run(HandleRun),
    /// Of any slots.
    List(Vec<Handle>),
}

/// Handles of slots one after the other that had no value before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandleRun {
    pub(crate) first: Handle,
    pub(crate) len: u32,
}

impl HandleRun {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Handle> + ExactSizeIterator + use<> {
        let Handle { index, generation } = self.first;
        (0..self.len).map(move |k| Handle {
            index: index + k,
            generation,
        })
    }
}

impl Handles {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Handles::Run(run) => run.len(),
            Handles::List(list) => list.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes all of them.
    ///
    /// # Panics
    ///
    /// If there is not room for exactly as many.
    pub fn write(&self, into: &mut [Handle]) {
        assert_eq!(into.len(), self.len(), "room for as many handles");
        match self {
            Handles::Run(run) => {
                for (slot, handle) in into.iter_mut().zip(run.iter()) {
                    *slot = handle;
                }
            }
            Handles::List(list) => into.copy_from_slice(list),
        }
    }
}
