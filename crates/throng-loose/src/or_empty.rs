//! What happens to a structure when its executor panics.

use crate::LooseStructure;

/// Does some work on a structure. If the work panics, the structure is empty afterwards: half updated, none of its
/// contents could be trusted.
pub(crate) fn or_empty<S: LooseStructure, R>(
    structure: &mut S,
    work: impl FnOnce(&mut S) -> R,
) -> R {
    let mut guard = EmptyOnPanic {
        structure,
        armed: true,
    };
    let result = work(guard.structure);
    guard.armed = false;
    result
}

struct EmptyOnPanic<'a, S: LooseStructure> {
    structure: &'a mut S,
    armed: bool,
}

impl<S: LooseStructure> Drop for EmptyOnPanic<'_, S> {
    fn drop(&mut self) {
        if self.armed {
            self.structure.clear();
        }
    }
}
