//! Queries as values, of which many can be asked at once.

use throng_core::{Aabb, ConvexPolygon, MovingBox, NearestQuery, Segment};

use crate::error::QueryError;
use crate::query::find::keep_in;
use crate::query::nearest::Nearest;
use crate::query::queries::{Queries, QueryHit};
use crate::query::way::{Way, WayHit};

/// What [`Queries::find_batch`] can be asked many of.
///
/// | query | answer, in the order of |
/// |---|---|
/// | `[f32; 2]`, a point | [`Queries::point`] |
/// | [`Aabb`] | [`Queries::aabb`] |
/// | [`Circle`] | [`Queries::circle`] |
/// | [`ConvexPolygon`] | [`Queries::polygon`] |
/// | [`Way`], [`Segment`], [`MovingBox`] | [`Queries::find_hits`] |
/// | [`First`] of one of these | [`Queries::first_hit`]: one hit or none |
/// | [`NearestQuery`] | [`Queries::nearest`] |
///
/// A reference to a query is one too. Nothing else can be.
pub trait BatchQuery: Sync + sealed::Ask<<Self as BatchQuery>::Hit> {
    /// What an answer consists of.
    type Hit: Send + Sync + 'static;
}

/// A disc, border included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Circle {
    /// Its centre. Not NaN.
    pub center: [f32; 2],
    /// Not NaN, not negative; may be infinite.
    pub radius: f32,
}

/// Asks for no more than what a way touches first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct First<W>(pub W);

pub(crate) mod sealed {
    use super::{Queries, QueryError};

    pub trait Ask<Hit> {
        /// About where it looks.
        fn middle(&self) -> [f32; 2];

        /// Puts its answer behind what is in the vector; on error, nothing.
        fn append_hits(&self, queries: &Queries<'_>, hits: &mut Vec<Hit>)
        -> Result<(), QueryError>;
    }
}

/// Implements both traits: what is asked, what it finds, where its middle is, how it is asked.
macro_rules! batch_query {
    ([$($generics:tt)*] $query:ty => $hit:ty, |$this:ident| $middle:expr, |$queries:ident, $hits:ident| $ask:expr) => {
        impl<$($generics)*> BatchQuery for $query {
            type Hit = $hit;
        }

        impl<$($generics)*> sealed::Ask<$hit> for $query {
            fn middle(&self) -> [f32; 2] {
                let $this = self;
                $middle
            }

            fn append_hits(&self, $queries: &Queries<'_>, $hits: &mut Vec<$hit>) -> Result<(), QueryError> {
                let $this = self;
                $ask
            }
        }
    };
}

batch_query!([] [f32; 2] => QueryHit, |point| *point, |queries, hits| {
    queries.point(*point, keep_in(hits)).map(drop)
});

batch_query!([] Aabb => QueryHit, |aabb| aabb.center(), |queries, hits| {
    queries.aabb(aabb, keep_in(hits)).map(drop)
});

batch_query!([] Circle => QueryHit, |circle| circle.center, |queries, hits| {
    queries.circle(circle.center, circle.radius, keep_in(hits)).map(drop)
});

batch_query!([] ConvexPolygon => QueryHit, |polygon| polygon.bounds().center(), |queries, hits| {
    queries.polygon(polygon, keep_in(hits)).map(drop)
});

batch_query!([] Way => WayHit, |way| way.middle(), |queries, hits| queries.append_hits(*way, hits));

batch_query!([] Segment => WayHit, |way| Way::from(*way).middle(), |queries, hits| {
    queries.append_hits(*way, hits)
});

batch_query!([] MovingBox => WayHit, |way| Way::from(*way).middle(), |queries, hits| {
    queries.append_hits(*way, hits)
});

batch_query!([W: Into<Way> + Copy + Sync] First<W> => WayHit, |first| first.0.into().middle(), |queries, hits| {
    hits.extend(queries.first_hit(first.0)?);
    Ok(())
});

batch_query!([] NearestQuery => Nearest, |query| query.point, |queries, hits| {
    queries.append_nearest(query, hits)
});

batch_query!([Q: BatchQuery] &Q => Q::Hit, |query| (**query).middle(), |queries, hits| {
    (**query).append_hits(queries, hits)
});
