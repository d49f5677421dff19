//! Windows to search for boxes with, chosen so that whatever can go wrong does.

use throng_core::Aabb;

use crate::box_scene::BoxScene;

/// Windows of about the size of the boxes and larger, of everything, of nothing, ending where boxes end, and
/// unbounded. Those of about the size of the boxes are around one row in `step`.
///
/// # Panics
///
/// If `step` is zero.
#[must_use]
pub fn windows(scene: &BoxScene, step: usize) -> Vec<Aabb> {
    const INFINITY: f32 = f32::INFINITY;
    let own = (0..scene.len()).step_by(step);
    let mut windows: Vec<Aabb> = own.filter_map(|row| scene.aabb(row)).collect();
    let mut more = Vec::new();
    for (k, own) in (0..).zip(&windows) {
        more.extend(Aabb::point(own.min()));
        more.extend(Aabb::point(own.max()));
        let half = 0.1 * 3_f32.powi(k % 10);
        more.extend(Aabb::from_center(own.max(), [half, 3000.0 * half]));
        more.extend(Aabb::from_center(own.center(), [half * 10.0, half]));
        more.extend(Aabb::new(own.min(), [INFINITY; 2]));
    }
    windows.extend(more);
    windows.extend(scene.bounds());
    windows.push(Aabb::EVERYWHERE);
    windows.extend(Aabb::new([-INFINITY, 1.0], [INFINITY, 2.0]));
    windows.extend(Aabb::new([3.0, -INFINITY], [INFINITY, 0.0]));
    windows.extend(Aabb::new([1e30; 2], [INFINITY; 2]));
    windows.extend(Aabb::new([-1e9; 2], [1e9; 2]));
    windows
}
