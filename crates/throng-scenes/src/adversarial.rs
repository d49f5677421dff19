//! Every scene that has ever made a broadphase lose a pair.

use crate::{
    Line, Scene, blobs, coincident_groups, denormals, extremes, far_from_origin, gaussian_clusters,
    half_outside, lattice, masked, mixed_sizes, on_a_line, one_dense_cell, towns_in_a_wide_world,
    uniform, zero_extents,
};

/// The most rows of a scene in which all boxes, or one in a few, meet all others.
const DENSE_ROWS: usize = 1500;

/// All scenes of one category, of `n` rows each; those whose pairs grow with the square of their rows have at most
/// 1500.
///
/// Meant for a few thousand rows: there are about thirty, and the oracle is quadratic.
#[must_use]
pub fn adversarial(n: usize, seed: u64) -> Vec<Scene> {
    let dense = n.min(DENSE_ROWS);
    let mut scenes = vec![
        uniform(n, 0.1, seed),
        uniform(n, 1.0, seed),
        uniform(n, 4.0, seed),
        blobs(n, 1.0, seed),
        gaussian_clusters(n, 7, seed),
        towns_in_a_wide_world(n, 1e6, seed),
        one_dense_cell(dense, seed),
        on_a_line(n, Line::Row, seed),
        on_a_line(n, Line::Column, seed),
        on_a_line(n, Line::Diagonal, seed),
        coincident_groups(n, 25, seed),
        coincident_groups(dense, dense.max(1), seed),
        half_outside(n, seed),
        far_from_origin(n, 1e7, seed),
        far_from_origin(n, -1e7, seed),
        denormals(n, seed),
        zero_extents(n, seed),
        extremes(dense, 0.5, seed),
        extremes(dense, 1e30, seed),
        extremes(dense, 1e38, seed),
        mixed_sizes(n, seed),
        masked(n, seed),
    ];
    for ulps in [-1, 0, 1] {
        scenes.push(lattice(n, [-8.0, -8.0], [0.5, 0.5], ulps, seed));
        scenes.push(lattice(n, [-3.0, 5.0], [0.1, 0.3], ulps, seed));
        scenes.push(lattice(n, [1e5, -2e6], [0.3, 0.7], ulps, seed));
    }
    scenes
}
