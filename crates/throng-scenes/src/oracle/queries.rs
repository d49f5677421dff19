//! What each query must find: every row, tested in turn.

use throng_core::Aabb;

use crate::rows::Rows;

/// The rows whose boxes overlap `aabb`, in ascending order. O(rows).
#[must_use]
pub fn rows_in_box(scene: &impl Rows, aabb: &Aabb) -> Vec<u32> {
    rows_where(scene, |row| row.overlaps(aabb))
}

/// The rows whose boxes contain `point`, border included, in ascending order. O(rows).
#[must_use]
pub fn rows_at_point(scene: &impl Rows, point: [f32; 2]) -> Vec<u32> {
    rows_where(scene, |row| row.contains_point(point))
}

/// The rows whose boxes touch the closed disc, in ascending order. O(rows).
///
/// Compares [`Aabb::distance_squared`] with `radius * radius`, in `f32`; where that overflows to infinity, the disc
/// holds everything.
#[must_use]
pub fn rows_in_circle(scene: &impl Rows, center: [f32; 2], radius: f32) -> Vec<u32> {
    rows_where(scene, |row| row.distance_squared(center) <= radius * radius)
}

/// The `k` rows whose boxes are nearest to `point`, and at most `max_distance` away, each with its squared distance;
/// nearest first, the lower row first if equally near. O(rows * log(rows)).
#[must_use]
pub fn nearest(scene: &impl Rows, point: [f32; 2], k: usize, max_distance: f32) -> Vec<(u32, f32)> {
    let mut found: Vec<_> = rows_where(scene, |row| {
        row.distance_squared(point) <= max_distance * max_distance
    })
    .into_iter()
    .filter_map(|row| Some((row, scene.aabb(row as usize)?.distance_squared(point))))
    .collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    found.truncate(k);
    found
}

fn rows_where(scene: &impl Rows, is_hit: impl Fn(&Aabb) -> bool) -> Vec<u32> {
    let hits =
        (0..scene.row_count()).filter(|&row| scene.aabb(row).is_some_and(|aabb| is_hit(&aabb)));
    hits.map(|row| row as u32).collect()
}
