//! What the queries of every structure agree on: which input is refused, and how far a reach reaches.

use std::ops::ControlFlow;

use crate::aabb::Aabb;

/// Why a query was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A coordinate of the query is NaN.
    #[error("a query needs a place, but a coordinate of {given:?} is not a number")]
    NotANumber {
        /// The point as given.
        given: [f32; 2],
    },
    /// A radius or a distance is negative or NaN.
    #[error("a query's reach must be zero or more, but {given} was given")]
    Reach {
        /// The radius or distance as given.
        given: f32,
    },
    /// A box that moves has no end, or moves to where it has none.
    #[error(
        "a box that moves must be bounded from beginning to end, but {given} moving by {by:?} was given"
    )]
    Unbounded {
        /// The box as given.
        given: Aabb,
        /// The way as given.
        by: [f32; 2],
    },
    /// An end of a segment is infinitely far away.
    #[error("a segment needs finite ends, but {given:?} was given")]
    InfiniteEnd {
        /// The end as given.
        given: [f32; 2],
    },
}

/// Refuses a point that is nowhere. Infinite coordinates are somewhere: unbounded boxes reach them.
///
/// # Errors
///
/// If a coordinate is NaN.
pub fn check_point(point: [f32; 2]) -> Result<(), QueryError> {
    if point.iter().any(|v| v.is_nan()) {
        return Err(QueryError::NotANumber { given: point });
    }
    Ok(())
}

/// Refuses a radius or a distance that is none.
///
/// # Errors
///
/// If it is NaN or negative.
pub fn check_reach(reach: f32) -> Result<(), QueryError> {
    if reach >= 0.0 {
        Ok(())
    } else {
        Err(QueryError::Reach { given: reach })
    }
}

/// A box that touches every box whose computed squared distance to `center` can be within `reach²`.
///
/// The squares and their sum are each rounded once, which can hide about one part in 2^23 of the reach;
/// and squares below the smallest `f32` vanish altogether, which can hide about 1e-22. A square that
/// overflows hides everything: then every distance is within reach.
#[must_use]
pub fn window_around(center: [f32; 2], reach: f32) -> Aabb {
    let widened = reach * (1.0 + 1e-5) + 1e-21;
    let min = center.map(|c| (c - widened).next_down());
    let max = center.map(|c| (c + widened).next_up());
    if reach * reach == f32::INFINITY {
        return Aabb::EVERYWHERE;
    }
    // Around a point at infinity there is no box; whatever is there reaches there.
    Aabb::new(min, max).unwrap_or(Aabb::EVERYWHERE)
}

/// Whether to go on, told to a walk that does not care what its visitor broke with.
#[inline]
pub fn whether_broken<B>(outcome: &ControlFlow<B>) -> ControlFlow<()> {
    match outcome {
        ControlFlow::Continue(()) => ControlFlow::Continue(()),
        ControlFlow::Break(_) => ControlFlow::Break(()),
    }
}
