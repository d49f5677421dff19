//! The corners of the smallest convex polygon around points, and whether the points go round it in order.

use super::error::ConvexPolygonError;
use crate::for_both;

/// How far inside a point on the border may be computed to lie, in ulps of the farthest coordinate: enough for the
/// rounding of an interpolation between two corners, with some to spare.
const TOLERATED_ULPS: f64 = 4.0;

/// The indices of the corners of the hull of finite points (at least one), counter-clockwise if y points up, starting
/// from the leftmost, the lower of two. Points between two corners of an edge are left out; of points at the same
/// place, the first is used.
///
/// The monotone chain of Andrew ("Another efficient algorithm for convex hulls in two dimensions", 1979).
pub(super) fn corners(points: &[[f32; 2]]) -> Vec<usize> {
    // Adding 0 turns -0 into 0, so that equal places sort as equal.
    let place = |index: usize| points[index].map(|v| v + 0.0);
    let mut sorted: Vec<usize> = (0..points.len()).collect();
    sorted.sort_by(|&a, &b| {
        let ([ax, ay], [bx, by]) = (place(a), place(b));
        ax.total_cmp(&bx).then(ay.total_cmp(&by))
    });
    sorted.dedup_by_key(|index| place(*index));
    if sorted.len() == 1 {
        return sorted;
    }
    let mut round = chain(points, sorted.iter().copied());
    round.pop();
    round.append(&mut chain(points, sorted.iter().rev().copied()));
    round.pop();
    round
}

/// The sorted points that bound the others on the right of the line from the first to the last.
fn chain(points: &[[f32; 2]], sorted: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut chain: Vec<usize> = Vec::new();
    for index in sorted {
        while let [.., a, b] = chain[..]
            && cross(points[a], points[b], points[index]) <= 0.0
        {
            chain.pop();
        }
        chain.push(index);
    }
    chain
}

/// Rejects points that do not go round the hull with the given corners exactly once, in either direction.
pub(super) fn check_order(
    points: &[[f32; 2]],
    corners: &[usize],
) -> Result<(), ConvexPolygonError> {
    let mut corners = corners.to_vec();
    if 2 * descents(&corners).count() > corners.len() {
        corners.reverse();
    }
    // In a valid order, numbers descend only once: where they start over.
    let first = corners.iter().copied().min();
    let astray = descents(&corners).find(|&(_, index)| Some(index) != first);
    if let Some((after, index)) = astray {
        let point = points[index];
        return Err(ConvexPolygonError::OutOfOrder {
            index,
            point,
            after,
        });
    }

    let tolerated = TOLERATED_ULPS * ulp_of_farthest(points);
    for (before, after) in cyclic_pairs(&corners) {
        let (a, b) = (points[before], points[after]);
        let length = length(a, b);
        let between = (before + 1..).map(|index| index % points.len());
        for index in between.take_while(|&index| index != after && index != before) {
            let point = points[index];
            if cross(a, b, point).abs() > tolerated * length {
                return Err(ConvexPolygonError::Dent {
                    index,
                    point,
                    before,
                    after,
                });
            }
        }
    }
    Ok(())
}

fn cyclic_pairs(corners: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&a, &b)| (a, b))
}

/// The corners that are followed by one of a lower number.
fn descents(corners: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    cyclic_pairs(corners).filter(|(a, b)| b < a)
}

fn ulp_of_farthest(points: &[[f32; 2]]) -> f64 {
    let farthest = points
        .iter()
        .flatten()
        .fold(0.0, |a: f32, b| a.max(b.abs()));
    f64::from(farthest) - f64::from(farthest.next_down())
}

/// Twice the area of three points; above zero if the path `a`, `b`, `c` turns left. The sign is exact, and the value
/// has one rounding: products of two `f32` are exact in `f64`, and their sum is kept exact in parts. (Shewchuk,
/// "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997.)
fn cross(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> f64 {
    let [a, b, c] = [a, b, c].map(|point| point.map(f64::from));
    let products = [
        a[0] * b[1],
        -a[1] * b[0],
        b[0] * c[1],
        -b[1] * c[0],
        c[0] * a[1],
        -c[1] * a[0],
    ];
    // The parts of one sum, each greater than all before it.
    let mut parts = [0.0; 6];
    for (n, product) in products.into_iter().enumerate() {
        let mut sum = product;
        for part in &mut parts[..n] {
            (sum, *part) = exact_sum(sum, *part);
        }
        parts[n] = sum;
    }
    let greatest = parts.into_iter().rfind(|&part| part != 0.0);
    greatest.unwrap_or(0.0)
}

/// A rounded sum, and the part that rounding removed.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_in_sum = sum - a;
    (sum, (a - (sum - b_in_sum)) + (b - b_in_sum))
}

fn length(a: [f32; 2], b: [f32; 2]) -> f64 {
    let [x, y] = for_both(|axis| f64::from(b[axis]) - f64::from(a[axis]));
    (x * x + y * y).sqrt()
}
