//! Many queries at once, in parallel, with queries that are close together run one after another.

use throng_core::{
    Aabb, BoxCast, CircleCast, ConvexPolygon, Executor, NearestQuery, RayCast, prefetch_for_reading,
};

use crate::error::QueryError;
use crate::query::answers::BatchResults;
use crate::query::cast::{Cast, CastHit};
use crate::query::circle::Circle;
use crate::query::nearest::NearestHit;
use crate::query::queries::{Queries, QueryHit, unresolved_in};

/// Queries are sorted by cells this many times the spacing of the rows wide.
const SPACINGS: f32 = 8.0;

impl Queries<'_> {
    /// Answers many queries of one kind at once, on the [executor](crate::Broadphase::set_executor) of the world. Replaces the
    /// contents of `answers`.
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
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex); there are no
    /// answers then.
    pub fn find_batch<Q: BatchQuery>(
        &self,
        queries: &[Q],
        answers: &mut BatchResults<Q::Hit>,
    ) -> Result<(), QueryError> {
        self.find_batch_on(self.world.executor(), queries, answers)
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
        let ask = |index: usize, hits: &mut Vec<Q::Hit>| queries[index].append_hits(self, hits);
        let resolve_all =
            |hits: &mut Vec<Q::Hit>, ends: &mut [usize]| Q::resolve_all(self, hits, ends);
        self.answer(executor, queries, answers, ask, resolve_all)
    }

    /// Casts many paths at once and asks your shapes, as [`cast_first_by`](Self::cast_first_by) and
    /// [`cast_all_by`](Self::cast_all_by) do for one, on the [executor](crate::Broadphase::set_executor) of the world. Replaces the
    /// contents of `answers`.
    ///
    /// `shape` is told which of the casts asks, by its position from 0. It is called from several threads at once, in no
    /// particular order. If it always says the same of the same shape, no answer depends on that.
    ///
    /// ```
    /// use throng::{BatchResults, Broadphase, BroadphaseConfig, CategoryConfig, FirstOnly, Proxy, RayCast};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("tanks", 1.0)))?;
    /// let radius = 0.8;
    /// for x in 0..10 {
    ///     world.insert(Proxy::centered([4.0 * x as f32, 0.0], [1.0, 1.0])?)?;
    /// }
    /// world.refresh();
    /// // Each tank shoots to the right, and does not hit itself.
    /// let shots: Result<Vec<_>, _> = (0..10)
    ///     .map(|x| RayCast::from_ray([4.0 * x as f32, 0.0], [1.0, 0.0], 100.0).map(FirstOnly))
    ///     .collect();
    /// let shots = shots?;
    /// let mut answers = BatchResults::new(); // kept from frame to frame
    /// world.query().find_batch_by(&shots, &mut answers, |shooter, candidate| {
    ///     if candidate.hit.row as usize == shooter {
    ///         return None;
    ///     }
    ///     shots[shooter].0.circle_entry(candidate.hit.center, radius)
    /// })?;
    /// assert!((0..9).all(|shooter| answers.of(shooter)[0].hit.row as usize == shooter + 1));
    /// assert_eq!(answers.of(9), []);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`find_batch`](Self::find_batch).
    #[doc(alias = "raycast")]
    #[doc(alias = "shape_cast")]
    pub fn find_batch_by<Q: CastQuery>(
        &self,
        casts: &[Q],
        answers: &mut BatchResults<CastHit>,
        shape: impl Fn(usize, &CastHit) -> Option<f32> + Sync,
    ) -> Result<(), QueryError> {
        self.find_batch_by_on(self.world.executor(), casts, answers, shape)
    }

    /// As [`find_batch_by`](Self::find_batch_by), on a given executor.
    ///
    /// # Errors
    ///
    /// As [`find_batch`](Self::find_batch).
    pub fn find_batch_by_on<Q: CastQuery>(
        &self,
        executor: &dyn Executor,
        casts: &[Q],
        answers: &mut BatchResults<CastHit>,
        shape: impl Fn(usize, &CastHit) -> Option<f32> + Sync,
    ) -> Result<(), QueryError> {
        let ask = |index: usize, hits: &mut Vec<CastHit>| {
            casts[index].append_shapes(self, hits, &mut |hit| shape(index, hit))
        };
        self.answer(executor, casts, answers, ask, |_, _| {})
    }

    /// Replaces the contents of `answers` with those of the queries. `ask` takes a query's position, and appends its answer;
    /// `resolve_all` completes the answers of several.
    fn answer<Q: BatchQuery>(
        &self,
        executor: &dyn Executor,
        queries: &[Q],
        answers: &mut BatchResults<Q::Hit>,
        ask: impl Fn(usize, &mut Vec<Q::Hit>) -> Result<(), QueryError> + Sync,
        resolve_all: impl Fn(&mut Vec<Q::Hit>, &mut [usize]) + Sync,
    ) -> Result<(), QueryError> {
        answers.clear();
        let width = SPACINGS * self.spacing()?;
        answers
            .order
            .sort(width, queries.iter().map(sealed::Ask::center));
        let prefetch = |index: usize| prefetch_for_reading(&queries[index]);
        answers.fill(executor, queries.len(), ask, prefetch, resolve_all);
        Ok(())
    }

    /// Roughly how far apart the rows of the largest category are.
    fn spacing(&self) -> Result<f32, QueryError> {
        let largest = self
            .selected()?
            .max_by_key(|category| category.indexed_rows());
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
/// | [`Cast`], [`RayCast`], [`BoxCast`], [`CircleCast`] | [`Queries::cast_all`] |
/// | [`FirstOnly`] of one of these | [`Queries::cast_first`]: one hit or none |
/// | [`NearestQuery`] | [`Queries::find_nearest`] |
///
/// References to these queries work too. The trait is sealed.
pub trait BatchQuery: Sync + sealed::Ask<<Self as BatchQuery>::Hit> {
    /// What an answer consists of.
    type Hit: Send + Sync + 'static;
}

/// A cast that [`Queries::find_batch_by`] can run many of: [`Cast`], [`RayCast`], [`BoxCast`], [`CircleCast`], for every shape on
/// the way, or [`FirstOnly`] of one of these. References to them work too. The trait is sealed.
pub trait CastQuery: BatchQuery<Hit = CastHit> + sealed::AskShapes {}

/// A query for only the first thing that a path touches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FirstOnly<W>(pub W);

mod sealed {
    use super::{CastHit, Queries, QueryError};

    /// Tells how far along a path a shape is touched.
    pub type Shape<'s> = dyn FnMut(&CastHit) -> Option<f32> + 's;

    pub trait AskShapes {
        /// Appends the hits whose shapes are touched to the vector; on error, nothing.
        fn append_shapes(
            &self,
            queries: &Queries<'_>,
            hits: &mut Vec<CastHit>,
            shape: &mut Shape<'_>,
        ) -> Result<(), QueryError>;
    }

    pub trait Ask<Hit> {
        /// Roughly where it looks.
        fn center(&self) -> [f32; 2];

        /// Appends its answer to the vector, to be resolved; on error, nothing.
        fn append_hits(&self, queries: &Queries<'_>, hits: &mut Vec<Hit>)
        -> Result<(), QueryError>;

        /// Completes the answers to several queries, given where each ends.
        fn resolve_all(_queries: &Queries<'_>, _hits: &mut Vec<Hit>, _ends: &mut [usize]) {}
    }
}

/// Implements both traits for a query: its type, the type of its hits, its center, how it is run, and how its hits are
/// resolved, unless they are complete at once.
macro_rules! batch_query {
    (
        [$($generics:tt)*] $query:ty => $hit:ty, |$this:ident| $center:expr, |$queries:ident, $hits:ident| $ask:expr
        $(, $resolve:path)?
    ) => {
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

            $(fn resolve_all(queries: &Queries<'_>, hits: &mut Vec<$hit>, ends: &mut [usize]) {
                $resolve(queries, hits, ends);
            })?
        }
    };
}

batch_query!([] [f32; 2] => QueryHit, |point| *point, |queries, hits| {
    queries.each_at_point(*point, unresolved_in(hits)).map(drop)
}, Queries::resolve_all);

batch_query!([] Aabb => QueryHit, |aabb| aabb.center(), |queries, hits| {
    queries.each_in_aabb(aabb, unresolved_in(hits)).map(drop)
}, Queries::resolve_all);

batch_query!([] Circle => QueryHit, |circle| circle.center, |queries, hits| {
    queries.each_in_circle(circle, unresolved_in(hits)).map(drop)
}, Queries::resolve_all);

batch_query!([] ConvexPolygon => QueryHit, |polygon| polygon.bounds().center(), |queries, hits| {
    queries.each_in_polygon(polygon, unresolved_in(hits)).map(drop)
}, Queries::resolve_all);

batch_query!([] Cast => CastHit, |cast| cast.center(), |queries, hits| queries.append_hits(*cast, hits));

batch_query!([] RayCast => CastHit, |cast| Cast::from(*cast).center(), |queries, hits| {
    queries.append_hits(*cast, hits)
});

batch_query!([] BoxCast => CastHit, |cast| Cast::from(*cast).center(), |queries, hits| {
    queries.append_hits(*cast, hits)
});

batch_query!([] CircleCast => CastHit, |cast| Cast::from(*cast).center(), |queries, hits| {
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
}, Q::resolve_all);

/// Implements [`CastQuery`] for a cast: its type, and how its shapes are found.
macro_rules! cast_query {
    ([$($generics:tt)*] $cast:ty, |$this:ident, $queries:ident, $hits:ident, $shape:ident| $ask:expr) => {
        impl<$($generics)*> CastQuery for $cast {}

        impl<$($generics)*> sealed::AskShapes for $cast {
            fn append_shapes(
                &self,
                $queries: &Queries<'_>,
                $hits: &mut Vec<CastHit>,
                $shape: &mut sealed::Shape<'_>,
            ) -> Result<(), QueryError> {
                let $this = self;
                $ask
            }
        }
    };
}

cast_query!([] Cast, |cast, queries, hits, shape| queries.append_shapes(*cast, hits, shape));
cast_query!([] RayCast, |cast, queries, hits, shape| queries.append_shapes(*cast, hits, shape));
cast_query!([] BoxCast, |cast, queries, hits, shape| queries.append_shapes(*cast, hits, shape));
cast_query!([] CircleCast, |cast, queries, hits, shape| queries.append_shapes(*cast, hits, shape));
cast_query!([W: Into<Cast> + Copy + Sync] FirstOnly<W>, |first, queries, hits, shape| {
    hits.extend(queries.cast_first_by(first.0, shape)?);
    Ok(())
});
cast_query!([Q: CastQuery] &Q, |cast, queries, hits, shape| (**cast).append_shapes(queries, hits, shape));
