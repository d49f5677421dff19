//! Work on many things, shared by the threads of a pool.

use std::ops::Range;

use rayon::prelude::*;

use crate::PairSum;

/// What is made of the pairs of things `0..len`, on one thread or in so many parts for each of several. `of_part` finds those of
/// a range.
pub fn sum_of_parts<S: PairSum>(
    len: usize,
    (threads, parts_each): (usize, usize),
    of_part: impl Fn(Range<usize>) -> S + Sync,
) -> S {
    if threads == 1 {
        return of_part(0..len);
    }
    let part = len.div_ceil(threads * parts_each).max(1);
    let parts = (0..len.div_ceil(part)).into_par_iter();
    let sums = parts.map(|index| of_part(index * part..((index + 1) * part).min(len)));
    sums.reduce(S::default, |mut a, b| {
        a.merge(b);
        a
    })
}
