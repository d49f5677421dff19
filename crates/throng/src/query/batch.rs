//! Many queries at once, in parallel, with queries that are close together run one after another.

use throng_core::{
    Aabb, BoxCast, ConvexPolygon, Executor, NearestQuery, RayCast, default_executor,
};

use crate::error::QueryError;
use crate::query::answers::BatchResults;
use crate::query::cast::{Cast, CastHit};
use crate::query::circle::Circle;
use crate::query::nearest::NearestHit;
use crate::query::queries::{Queries, QueryHit, keep_in};

/// Queries are sorted by cells this many times the spacing of the rows wide.
const SPACINGS: f32 = 8.0;

impl Queries<'_> {
    /// Answers many queries of one kind at once, in the caller's rayon pool; without the `parallel` feature, on the
    /// calling thread. Replaces the contents of `answers`.
    ///
    /// Each answer is what that query alone would find, in the same order, on any number of threads. A query that is
    /// refused does not stop the others: its answer is empty, and [`BatchResults::refused`] says why. The queries may
    /// be in any order: they are run in an order that keeps those close together next to each other. Allocates nothing
    /// in a steady state.
    ///
    /// ```
    /// use throng::{BatchResults, Broadphase, BroadphaseConfig, CategoryConfig, Circle, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// world.insert_batch((0..100).map(|i| Proxy::centered([4.0 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// world.refresh();
    /// let mut answers = BatchResults::new(); // kept from frame to frame
    /// let around_units: Vec<_> = (0..100).map(|i| Circle { center: [4.0 * i as f32, 0.0], radius: 3.0 }).collect();
    /// world.query().find_batch(&around_units, &mut answers)?;
    /// assert_eq!(answers.refused(), []);
    /// assert_eq!(answers.of(0).len(), 2, "itself and the next");
    /// assert!(answers.iter().skip(1).take(98).all(|hits| hits.len() == 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world does not have a category of the filter; there are no answers then.
    pub fn find_batch<Q: BatchQuery>(
        &self,
        queries: &[Q],
        answers: &mut BatchResults<Q::Hit>,
    ) -> Result<(), QueryError> {
        self.find_batch_on(default_executor(), queries, answers)
    }

    /// As [`find_batch`](Self::find_batch), on a given executor.
    ///
    /// # Errors
    ///
    /// As [`find_batch`](Self::find_batch).
    pub fn find_batch_on<Q: BatchQuery>(
        &self,
        executor: &dyn Executor,
        queries: &[Q],
        answers: &mut BatchResults<Q::Hit>,
    ) -> Result<(), QueryError> {
        answers.clear();
        let width = SPACINGS * self.spacing()?;
        answers
            .order
            .sort(width, queries.iter().map(sealed::Ask::center));
        answers.fill(executor, queries.len(), |index, hits| {
            queries[index].append_hits(self, hits)
        });
        Ok(())
    }

    /// Roughly how far apart the rows of the largest category are.
    fn spacing(&self) -> Result<f32, QueryError> {
        let largest = self
            .selected()?
            .max_by_key(|category| category.structure.len());
        Ok(largest.map_or(0.0, |category| category.spacing.get()))
    }
}

/// A kind of query that [`Queries::find_batch`] can answer many of.
///
/// | query | answered as by |
/// |---|---|
/// | `[f32; 2]`, a point | [`Queries::query_point`] |
/// | [`Aabb`] | [`Queries::query_aabb`] |
/// | [`Circle`] | [`Queries::query_circle`] |
/// | [`ConvexPolygon`] | [`Queries::query_polygon`] |
/// | [`Cast`], [`RayCast`], [`BoxCast`] | [`Queries::cast_all`] |
/// | [`FirstOnly`] of one of these | [`Queries::cast_first`]: one hit or none |
/// | [`NearestQuery`] | [`Queries::find_nearest`] |
///
/// References to these queries work too. The trait is sealed.
pub trait BatchQuery: Sync + sealed::Ask<<Self as BatchQuery>::Hit> {
    /// What an answer consists of.
    type Hit: Send + Sync + 'static;
}

/// A query for only the first thing that a path touches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FirstOnly<W>(pub W);

mod sealed {
    use super::{Queries, QueryError};

    pub trait Ask<Hit> {
        /// Roughly where it looks.
        fn center(&self) -> [f32; 2];

        /// Appends its answer to the vector; on error, nothing.
        fn append_hits(&self, queries: &Queries<'_>, hits: &mut Vec<Hit>)
        -> Result<(), QueryError>;
    }
}

/// Implements both traits for a query: its type, the type of its hits, its center, and how it is run.
macro_rules! batch_query {
    ([$($generics:tt)*] $query:ty => $hit:ty, |$this:ident| $center:expr, |$queries:ident, $hits:ident| $ask:expr) => {
        impl<$($generics)*> BatchQuery for $query {
            type Hit = $hit;
        }

        impl<$($generics)*> sealed::Ask<$hit> for $query {
            fn center(&self) -> [f32; 2] {
                let $this = self;
                $center
            }

            fn append_hits(&self, $queries: &Queries<'_>, $hits: &mut Vec<$hit>) -> Result<(), QueryError> {
                let $this = self;
                $ask
            }
        }
    };
}

batch_query!([] [f32; 2] => QueryHit, |point| *point, |queries, hits| {
    queries.query_point(*point, keep_in(hits)).map(drop)
});

batch_query!([] Aabb => QueryHit, |aabb| aabb.center(), |queries, hits| {
    queries.query_aabb(aabb, keep_in(hits)).map(drop)
});

batch_query!([] Circle => QueryHit, |circle| circle.center, |queries, hits| {
    queries.query_circle(circle.center, circle.radius, keep_in(hits)).map(drop)
});

batch_query!([] ConvexPolygon => QueryHit, |polygon| polygon.bounds().center(), |queries, hits| {
    queries.query_polygon(polygon, keep_in(hits)).map(drop)
});

batch_query!([] Cast => CastHit, |cast| cast.center(), |queries, hits| queries.append_hits(*cast, hits));

batch_query!([] RayCast => CastHit, |cast| Cast::from(*cast).center(), |queries, hits| {
    queries.append_hits(*cast, hits)
});

batch_query!([] BoxCast => CastHit, |cast| Cast::from(*cast).center(), |queries, hits| {
    queries.append_hits(*cast, hits)
});

batch_query!([W: Into<Cast> + Copy + Sync] FirstOnly<W> => CastHit, |first| first.0.into().center(), |queries, hits| {
    hits.extend(queries.cast_first(first.0)?);
    Ok(())
});

batch_query!([] NearestQuery => NearestHit, |query| query.point, |queries, hits| {
    queries.append_nearest(query, hits)
});

batch_query!([Q: BatchQuery] &Q => Q::Hit, |query| (**query).center(), |queries, hits| {
    (**query).append_hits(queries, hits)
});
