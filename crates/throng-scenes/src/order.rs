//! Orders in which a scene's rows may be stored.

use crate::random::Random;

/// The elements that `order` names, in that order.
pub(crate) fn permuted<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&row| column[row as usize]).collect()
}

/// Rows in an order unrelated to space.
pub(crate) fn shuffled(rows: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

/// Rows by strips of `strip_height`, and by x within each.
///
/// # Panics
///
/// If `strip_height` is not above zero.
pub(crate) fn by_space(xs: &[f32], ys: &[f32], strip_height: f32) -> Vec<u32> {
    assert!(strip_height > 0.0, "strip height {strip_height}");
    let strip = |row: u32| (ys[row as usize] / strip_height).floor();
    let mut order: Vec<u32> = (0..xs.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let by_strip = strip(a).total_cmp(&strip(b));
        by_strip.then(xs[a as usize].total_cmp(&xs[b as usize]))
    });
    order
}
