//! Why points were refused as a convex polygon.

/// Points that do not make a convex polygon: which one, and what is needed. Points count from 0.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvexPolygonError {
    /// There were not enough points.
    #[error("a polygon needs at least {needed} points, but {given} were given")]
    TooFewPoints {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A coordinate was NaN or infinite.
    #[error("point {index} of the polygon is {point:?}; finite coordinates are needed")]
    NotFinite {
        /// Which point.
        index: usize,
        /// The point as given.
        point: [f32; 2],
    },
    /// A half extent of a rectangle was negative.
    #[error("a rectangle needs half extents of zero or more, but {given:?} were given")]
    HalfExtents {
        /// The half extents as given.
        given: [f32; 2],
    },
    /// What was given as cosine and sine cannot be those of an angle.
    #[error(
        "a rectangle is rotated by the cosine and sine of an angle, whose squares add up to 1, but {given:?} were given"
    )]
    Turn {
        /// The cosine and the sine as given.
        given: [f32; 2],
    },
    /// A point lies inside the smallest convex polygon around all points.
    #[error(
        "point {index} of the polygon, {point:?}, is a dent: it lies inside the line from point \
        {before} to point {after}, and must lie on it or outside"
    )]
    Dent {
        /// Which point.
        index: usize,
        /// The point as given.
        point: [f32; 2],
        /// The last corner before it.
        before: usize,
        /// The next corner after it.
        after: usize,
    },
    /// The points are those of a convex polygon, but in an order that does not go round it once.
    #[error(
        "point {index} of the polygon, {point:?}, is out of order: it comes next after point {after} on \
        the border; the points must be in the order in which they go round, either way"
    )]
    OutOfOrder {
        /// Which point.
        index: usize,
        /// The point as given.
        point: [f32; 2],
        /// The corner after which it comes.
        after: usize,
    },
}
