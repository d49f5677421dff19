//! Many questions of one kind at once, on all threads of the world.

use std::cell::Cell;
use std::thread::LocalKey;

use throng::{
    BatchQuery, BatchResults, CastHit, Circle, FirstOnly, NearestHit, NearestQuery, Queries,
    QueryHit,
};

use crate::insert::Refused;
use crate::pointers::{Buffer, many};
use crate::query::casts::throng_cast;
use crate::query::filter::{ask, throng_query_filter};
use crate::query::hits::{throng_cast_hit, throng_nearest_hit, throng_query_hit};
use crate::query::places::throng_circle;
use crate::query::scratch::with_kept;
use crate::refusals::Outcome;
use crate::shapes::{throng_aabb, throng_point};
use crate::status::throng_status;
use crate::world::{State, throng_world};

/// A question about the nearest few.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_nearest_query {
    /// Where to look.
    pub point: throng_point,
    /// How far to look; may be infinite.
    pub max_distance: f32,
    /// How many to find.
    pub k: usize,
}

/// What the answers to a kind of question consist of, and where a thread keeps them.
trait Kept: Sized + Send + Sync + 'static {
    fn kept() -> &'static LocalKey<Cell<BatchResults<Self>>>;
}

/// Implements it: the hit.
macro_rules! kept {
    ($hit:ty) => {
        impl Kept for $hit {
            fn kept() -> &'static LocalKey<Cell<BatchResults<Self>>> {
                thread_local! {
                    static ANSWERS: Cell<BatchResults<$hit>> = Cell::default();
                }
                &ANSWERS
            }
        }
    };
}

kept!(QueryHit);
kept!(CastHit);
kept!(NearestHit);

/// Where answers go: the hits of all questions one after the other, and where those of each begin.
struct Answers<'a, H> {
    starts: Buffer<'a, usize>,
    hits: Buffer<'a, H>,
}

impl<H> Answers<'_, H> {
    /// # Safety
    ///
    /// Pointers are as the front page asks. There is room for the starts of `questions`, and one more.
    unsafe fn new(
        questions: usize,
        starts: *mut usize,
        start_count: &mut usize,
        (hits, capacity): (*mut H, usize),
        count: *mut usize,
    ) -> Outcome<Self> {
        // SAFETY: as above.
        unsafe {
            Ok(Self {
                starts: Buffer::new(starts, questions.saturating_add(1), start_count, "starts")?,
                hits: Buffer::new(hits, capacity, count, "hits")?,
            })
        }
    }

    fn ask_all<Q>(mut self, queries: Queries<'_>, questions: &[Q]) -> Outcome
    where
        Q: BatchQuery,
        Q::Hit: Kept,
        H: for<'h> From<&'h Q::Hit>,
    {
        with_kept(Q::Hit::kept(), |answers| {
            queries.find_batch(questions, answers)?;
            let mut start = 0;
            self.starts.push(start);
            for hits in answers.iter() {
                start += hits.len();
                self.starts.push(start);
                hits.iter().for_each(|hit| self.hits.push(hit.into()));
            }
            self.starts.finish()?;
            self.hits.finish()?;
            let mut refused = Refused::default();
            for (index, error) in answers.refused() {
                refused.add(*index, error.clone().into());
            }
            refused.finish(questions.len())
        })
    }
}

/// Asks many questions, each made of what the caller gave.
///
/// # Safety
///
/// Pointers are as the front page asks. There is room for the starts of all questions, and one more.
unsafe fn ask_each<T, H, Q>(
    world: *const throng_world,
    filter: *const throng_query_filter,
    (asked, len, what): (*const T, usize, &str),
    starts: *mut usize,
    (hits, capacity, count): (*mut H, usize, *mut usize),
    question: impl Fn(&State, &T) -> Outcome<Q>,
) -> throng_status
where
    Q: BatchQuery,
    Q::Hit: Kept,
    H: for<'h> From<&'h Q::Hit>,
{
    // SAFETY: as above.
    unsafe {
        ask(world, filter, |world, queries| {
            let mut written = 0;
            let answers = Answers::new(len, starts, &mut written, (hits, capacity), count)?;
            let asked = many(asked, len, what)?.iter().enumerate();
            let questions = asked.map(|(index, asked)| {
                let question = question(world, asked);
                question.map_err(|refusal| refusal.of(&format!("{what}[{index}]")))
            });
            answers.ask_all(queries, &questions.collect::<Outcome<Vec<Q>>>()?)
        })
    }
}

/// All whose boxes hold each of many points. `starts` has room for one more than there are points: the hits of point `i` are
/// from `starts[i]` to before `starts[i + 1]`. A point that is refused has none, and does not stop the others:
/// `THRONG_STATUS_SOME_REFUSED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_batch_at_points(
    world: *const throng_world,
    filter: *const throng_query_filter,
    points: *const throng_point,
    point_count: usize,
    starts: *mut usize,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        let (asked, to) = ((points, point_count, "points"), (hits, capacity, count));
        ask_each(world, filter, asked, starts, to, |_, &point| {
            Ok(<[f32; 2]>::from(point))
        })
    }
}

/// All whose boxes touch each of many boxes. As `throng_find_batch_at_points`, but that one which is no box refuses all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_batch_in_aabbs(
    world: *const throng_world,
    filter: *const throng_query_filter,
    aabbs: *const throng_aabb,
    aabb_count: usize,
    starts: *mut usize,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        let (asked, to) = ((aabbs, aabb_count, "aabbs"), (hits, capacity, count));
        ask_each(world, filter, asked, starts, to, |_, aabb| aabb.checked())
    }
}

/// All whose boxes touch each of many circles. As `throng_find_batch_at_points`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_batch_in_circles(
    world: *const throng_world,
    filter: *const throng_query_filter,
    circles: *const throng_circle,
    circle_count: usize,
    starts: *mut usize,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        let (asked, to) = ((circles, circle_count, "circles"), (hits, capacity, count));
        ask_each(world, filter, asked, starts, to, |_, &circle| {
            Ok(Circle::from(circle))
        })
    }
}

/// The nearest few of each of many points. As `throng_find_batch_at_points`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_batch_nearest(
    world: *const throng_world,
    filter: *const throng_query_filter,
    questions: *const throng_nearest_query,
    question_count: usize,
    starts: *mut usize,
    hits: *mut throng_nearest_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        let (asked, to) = (
            (questions, question_count, "questions"),
            (hits, capacity, count),
        );
        ask_each(world, filter, asked, starts, to, |world, question| {
            Ok(NearestQuery {
                point: question.point.into(),
                k: question.k.min(world.broadphase.len()),
                max_distance: question.max_distance,
            })
        })
    }
}

/// Everything that each of many paths touches. As `throng_find_batch_at_points`, but that one which is no path refuses all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_cast_batch_all(
    world: *const throng_world,
    filter: *const throng_query_filter,
    casts: *const throng_cast,
    cast_count: usize,
    starts: *mut usize,
    hits: *mut throng_cast_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        let (asked, to) = ((casts, cast_count, "casts"), (hits, capacity, count));
        ask_each(world, filter, asked, starts, to, |_, cast| cast.checked())
    }
}

/// What each of many paths touches first: one hit or none. As `throng_cast_batch_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_cast_batch_first(
    world: *const throng_world,
    filter: *const throng_query_filter,
    casts: *const throng_cast,
    cast_count: usize,
    starts: *mut usize,
    hits: *mut throng_cast_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        let (asked, to) = ((casts, cast_count, "casts"), (hits, capacity, count));
        ask_each(world, filter, asked, starts, to, |_, cast| {
            Ok(FirstOnly(cast.checked()?))
        })
    }
}
