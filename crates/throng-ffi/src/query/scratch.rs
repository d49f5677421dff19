//! Memory that a thread keeps from one search to the next.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::pointers::Buffer;
use crate::refusals::Outcome;

/// Lends out what the thread keeps. A search from inside of a callback of another one gets a new one.
pub(crate) fn with_kept<T: Default, R>(
    kept: &'static LocalKey<Cell<T>>,
    work: impl FnOnce(&mut T) -> R,
) -> R {
    // A thread that is about to end has none any more.
    let mut value = kept.try_with(Cell::take).unwrap_or_default();
    let result = work(&mut value);
    let _ = kept.try_with(|kept| kept.set(value));
    result
}

/// Writes the hits that a search finds to a buffer.
pub(crate) fn tell_hits<Hit, C: for<'h> From<&'h Hit>>(
    kept: &'static LocalKey<Cell<Vec<Hit>>>,
    buffer: Buffer<'_, C>,
    find: impl FnOnce(&mut Vec<Hit>) -> Outcome,
) -> Outcome {
    with_kept(kept, |hits| {
        find(hits)?;
        buffer.fill(hits.iter().map(C::from))
    })
}
