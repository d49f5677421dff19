//! How crowded a sample of boxes is.

use std::collections::HashMap;

use throng_core::{Aabb, for_both};

/// How many boxes are sampled.
const SAMPLE: usize = 8192;
/// Fewer pairs than this in one cell say little; larger cells are tried instead.
const TRUSTED_PAIRS: u64 = 64;

/// The area in which the same number of boxes, evenly spread, would be as close together as these are: that of the
/// world if they are evenly spread, that of their towns if they live in towns. Above zero.
///
/// Counts pairs of centers in a cell that is about as wide as boxes reach: a correlation sum (Grassberger and
/// Procaccia, "Measuring the strangeness of strange attractors", 1983).
pub(crate) fn area_as_if_even(boxes: &[Aabb]) -> f64 {
    let each = boxes.len().div_ceil(SAMPLE).max(1);
    let sample = boxes.iter().step_by(each).filter(|aabb| aabb.is_finite());
    let sample: Vec<&Aabb> = sample.collect();
    let Some(bounds) = sample.iter().map(|aabb| **aabb).reduce(|a, b| a.union(&b)) else {
        return 1.0;
    };
    let width =
        |aabb: &Aabb, axis: usize| f64::from(aabb.max()[axis]) - f64::from(aabb.min()[axis]);
    let widths = sample.iter().map(|aabb| width(aabb, 0) + width(aabb, 1));
    let reach = widths.sum::<f64>() / sample.len() as f64;
    let world = width(&bounds, 0).max(width(&bounds, 1));
    // If all are on one spot, as far as the mean box reaches; if that is nothing, too little for anything to
    // overflow.
    let least = (reach * reach).max(1e-100);

    let pairs = sample.len() as f64 * (sample.len() as f64 - 1.0) / 2.0;
    let mut side = reach.max(world / (1u64 << 40) as f64);
    while side < world {
        let sharing = pairs_in_cells(&sample, &bounds, side);
        if sharing >= TRUSTED_PAIRS {
            return (side * side * pairs / sharing as f64).max(least);
        }
        side *= 2.0;
    }
    (width(&bounds, 0) * width(&bounds, 1)).max(least)
}

/// How many pairs of centers lie in the same cell.
fn pairs_in_cells(sample: &[&Aabb], bounds: &Aabb, side: f64) -> u64 {
    let mut cells = HashMap::<[i64; 2], u64>::new();
    for aabb in sample {
        let cell = for_both(|axis| {
            let from_edge = f64::from(aabb.center()[axis]) - f64::from(bounds.min()[axis]);
            (from_edge / side) as i64
        });
        *cells.entry(cell).or_default() += 1;
    }
    cells.values().map(|count| count * (count - 1) / 2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_scenes::{BoxScene, box_towns, boxes_on_a_point, log_uniform_squares};

    fn area(scene: &BoxScene) -> f64 {
        let boxes: Vec<Aabb> = (0..scene.len()).filter_map(|row| scene.aabb(row)).collect();
        area_as_if_even(&boxes)
    }

    #[test]
    fn an_even_crowd_has_the_area_of_its_world() {
        for pairs in [0.01, 1.0, 10.0] {
            let scene = log_uniform_squares(20_000, [1.0, 4.0], pairs, 1);
            let bounds = scene.bounds().unwrap();
            let world = f64::from(bounds.max()[0] - bounds.min()[0]).powi(2);
            let ratio = area(&scene) / world;
            assert!((0.8..1.25).contains(&ratio), "{ratio} at {pairs} pairs");
        }
    }

    #[test]
    fn towns_have_their_own_area_however_far_apart() {
        let [near, far] = [1e5, 1e6].map(|width| area(&box_towns(20_000, width, 1)));
        assert!((0.7..1.4).contains(&(near / far)), "{near} and {far}");
    }

    #[test]
    fn there_is_always_an_area() {
        assert!(area(&boxes_on_a_point(1000, 1)) > 0.0);
        assert_eq!(area_as_if_even(&[Aabb::EVERYWHERE]), 1.0);
        let alike = vec![Aabb::from_center([3.0, 4.0], [5.0, 2.0]).unwrap(); 10];
        assert_eq!(
            area_as_if_even(&alike),
            14.0 * 14.0,
            "as far as they reach: the sum of their sides"
        );
        let points = vec![Aabb::point([3.0, 4.0]).unwrap(); 10];
        assert!(area_as_if_even(&points) > 0.0);
    }
}
