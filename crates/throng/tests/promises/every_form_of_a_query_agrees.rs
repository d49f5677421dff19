//! Promise: a query visits, collects and answers in a batch the same, in the same order, on any number of threads; and
//! that is what asking every row finds.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::worlds::{World, structures};
use crate::common::{Threads, category, nearest_of};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, BatchQuery, BatchResults, BoxCast, Broadphase, BroadphaseConfig, Cast, CastHit,
    CategoryConfig, CategoryId, Circle, CircleCast, ConvexPolygon, Executor, FirstOnly, Masks,
    NearestQuery, Proxy, ProxyId, Queries, QueryError, QueryFilter, QueryHit, RayCast, Row, Serial,
    SimdLevel,
};
use throng_scenes::{log_uniform_boxes, masked, mixed_sizes};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// So many that a batch sorts them; some chunks, and a part of one.
const MANY: usize = 1100;

/// So few that they are asked as given.
const FEW: usize = 60;

/// Of how many one is compared with every row.
const SAMPLE: usize = 7;

/// A coarse category, an exact one, an oversized one and scenery.
fn worlds() -> impl Iterator<Item = Broadphase> {
    let units = [masked(1500, 1), mixed_sizes(1000, 2)];
    let dragons = [log_uniform_boxes(150, [2.0, 40.0], 1.0, 3)];
    let walls = [log_uniform_boxes(500, [0.5, 15.0], 0.5, 4)];
    structures().into_iter().map(move |structure| {
        let mut world = World::new(&units, &dragons, &walls, structure, SimdLevel::detect()).world;
        world.refresh();
        world
    })
}

/// A proxy as it was indexed.
struct Indexed {
    id: ProxyId,
    place: (CategoryId, Row),
    aabb: Aabb,
    masks: Masks,
}

fn indexed(world: &Broadphase) -> Vec<Indexed> {
    let places = world.categories().flat_map(|category| {
        let rows = (0..).zip(world.proxies(category));
        rows.map(move |(row, id)| ((category, row), id))
    });
    let all = places.map(|(place, id)| {
        let view = world.get(id).unwrap();
        Indexed {
            id,
            place,
            aabb: view.aabb,
            masks: view.masks,
        }
    });
    all.collect()
}

/// A filter, and the rows that pass it.
fn filters(world: &Broadphase) -> [(QueryFilter<'static>, Vec<Indexed>); 2] {
    let masks = Masks::new(0b0110, 0b0011);
    let three = [0, 1, 3].map(category);
    let some = three
        .iter()
        .fold(QueryFilter::new().masks(masks), |filter, &category| {
            filter.category(category)
        });
    let mut passing = indexed(world);
    passing.retain(|row| three.contains(&row.place.0) && row.masks.meets(masks));
    [(QueryFilter::new(), indexed(world)), (some, passing)]
}

/// Queries of every kind, in no order.
struct Asked {
    points: Vec<[f32; 2]>,
    windows: Vec<Aabb>,
    circles: Vec<Circle>,
    polygons: Vec<ConvexPolygon>,
    rays: Vec<RayCast>,
    boxes: Vec<BoxCast>,
    balls: Vec<CircleCast>,
    nearest: Vec<NearestQuery>,
}

impl Asked {
    fn new(rows: &[Indexed], count: usize, seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut place = || {
            let near = rows[random.random_range(0..rows.len())].aabb;
            let shift = [0.0, 1.0, 30.0, 500.0][random.random_range(0..4)];
            let corner = [near.min(), near.max(), near.center()][random.random_range(0..3)];
            corner.map(|v| v + random.random_range(-1.0..=1.0) * shift)
        };
        let points: Vec<_> = (0..count).map(|_| place()).collect();
        let polygons = (0..count).map(|_| ConvexPolygon::hull_of(&[place(), place(), place()]));
        let polygons = polygons.map(Result::unwrap).collect();
        let ends: Vec<_> = (0..count).map(|_| [place(), place()]).collect();
        let ray = |&[from, to]: &[[f32; 2]; 2]| RayCast::from_to(from, to).unwrap();
        let reach = |i: usize| [0.0, 0.7, 5.0, 60.0][i % 4];
        let moving = |(i, &[from, to]): (usize, &[[f32; 2]; 2])| {
            let begin = Aabb::from_center(from, [reach(i), 0.5]).unwrap();
            BoxCast::new(begin, [to[0] - from[0], to[1] - from[1]]).unwrap()
        };
        let ball = |(i, &[from, to]): (usize, &[[f32; 2]; 2])| {
            CircleCast::new(from, reach(i), [to[0] - from[0], to[1] - from[1]]).unwrap()
        };
        let window = |(i, &point): (usize, &[f32; 2])| {
            Aabb::from_center(point, [reach(i), reach(i + 1)]).unwrap()
        };
        let circle = |(i, &center): (usize, &[f32; 2])| Circle {
            center,
            radius: reach(i),
        };
        let nearest = |(i, &point): (usize, &[f32; 2])| NearestQuery {
            point,
            k: [1, 7, 0, 90][i % 4],
            max_distance: [f32::INFINITY, 3.0, 40.0][i % 3],
        };
        let mut asked = Self {
            windows: points.iter().enumerate().map(window).collect(),
            circles: points.iter().enumerate().map(circle).collect(),
            nearest: points.iter().enumerate().map(nearest).collect(),
            rays: ends.iter().map(ray).collect(),
            boxes: ends.iter().enumerate().map(moving).collect(),
            balls: ends.iter().enumerate().map(ball).collect(),
            polygons,
            points,
        };
        asked.points[count / 2] = [f32::INFINITY, 0.0];
        asked.windows[count / 2] = Aabb::EVERYWHERE;
        asked.circles[count / 2].radius = f32::INFINITY;
        asked
    }
}

/// What each of many queries finds alone, by `find`.
fn alone<Q, H: Clone>(asked: &[Q], find: impl Fn(&Q, &mut Vec<H>)) -> Vec<Vec<H>> {
    let mut hits = Vec::new();
    let find = |query| {
        find(query, &mut hits);
        hits.clone()
    };
    asked.iter().map(find).collect()
}

/// A batch gives the same as its queries alone, whoever runs it.
fn check_batch<Q: BatchQuery>(queries: Queries<'_>, asked: &[Q], alone: &[Vec<Q::Hit>])
where
    Q::Hit: PartialEq + Debug,
{
    let mut answers = BatchResults::new();
    let mut check = |executor: &dyn Executor| {
        let found = queries.find_batch_on(executor, asked, &mut answers);
        assert_eq!((found, answers.refused()), (Ok(()), &[][..]));
        assert_eq!(
            (answers.len(), answers.iter().len()),
            (asked.len(), asked.len())
        );
        assert_eq!(answers.is_empty(), asked.is_empty());
        for (index, (answer, alone)) in answers.iter().zip(alone).enumerate() {
            assert!(answer == alone, "query {index}: {answer:?}, not {alone:?}");
        }
    };
    check(&Serial);
    THREADS.iter().for_each(|&threads| check(&Threads(threads)));
    queries.find_batch(asked, &mut answers).unwrap();
    assert!(answers.iter().eq(alone.iter().map(Vec::as_slice)));
}

/// Boxes by a test of each, in whatever order.
fn check_hits(hits: &[QueryHit], rows: &[Indexed], is_hit: impl Fn(&Aabb) -> bool) {
    let mut found: Vec<_> = hits.iter().map(|hit| hit.id).collect();
    let hit_rows = rows.iter().filter(|row| is_hit(&row.aabb));
    let mut expected: Vec<_> = hit_rows.map(|row| row.id).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert!(found == expected, "{found:?}, not {expected:?}");
}

/// What a visitor is shown, in order.
fn visited(
    query: impl FnOnce(
        &mut dyn FnMut(QueryHit) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, QueryError>,
) -> Vec<QueryHit> {
    let mut hits = Vec::new();
    let every = query(&mut |hit| {
        hits.push(hit);
        ControlFlow::Continue(())
    });
    assert_eq!(every, Ok(ControlFlow::Continue(())));
    hits
}

fn check_shapes(queries: Queries<'_>, rows: &[Indexed], asked: &Asked) {
    let found = alone(&asked.points, |&point, hits| {
        queries.find_at_point(point, hits).unwrap()
    });
    for (&point, hits) in asked.points.iter().zip(&found).step_by(SAMPLE) {
        check_hits(hits, rows, |aabb| aabb.contains_point(point));
        assert_eq!(*hits, visited(|visit| queries.query_point(point, visit)));
    }
    check_batch(queries, &asked.points, &found);

    let found = alone(&asked.windows, |window, hits| {
        queries.find_in_aabb(window, hits).unwrap()
    });
    for (window, hits) in asked.windows.iter().zip(&found).step_by(SAMPLE) {
        check_hits(hits, rows, |aabb| aabb.overlaps(window));
        assert_eq!(*hits, visited(|visit| queries.query_aabb(window, visit)));
    }
    check_batch(queries, &asked.windows, &found);

    let found = alone(&asked.circles, |circle, hits| {
        queries
            .find_in_circle(circle.center, circle.radius, hits)
            .unwrap();
    });
    for (&Circle { center, radius }, hits) in asked.circles.iter().zip(&found).step_by(SAMPLE) {
        check_hits(hits, rows, |aabb| {
            aabb.distance_squared(center) <= radius * radius
        });
        assert_eq!(
            *hits,
            visited(|visit| queries.query_circle(center, radius, visit))
        );
    }
    check_batch(queries, &asked.circles, &found);

    let found = alone(&asked.polygons, |polygon, hits| {
        queries.find_in_polygon(polygon, hits).unwrap();
    });
    for (polygon, hits) in asked.polygons.iter().zip(&found).step_by(SAMPLE) {
        check_hits(hits, rows, |aabb| polygon.touches(aabb));
        assert_eq!(
            *hits,
            visited(|visit| queries.query_polygon(polygon, visit))
        );
    }
    check_batch(queries, &asked.polygons, &found);
    let borrowed: Vec<_> = asked.polygons[..FEW].iter().collect();
    check_batch(queries, &borrowed, &found[..FEW]);
}

fn check_casts<W>(queries: Queries<'_>, rows: &[Indexed], asked: &[W])
where
    W: BatchQuery<Hit = CastHit> + Into<Cast> + Copy,
{
    let found = alone(asked, |&cast, hits| queries.cast_all(cast, hits).unwrap());
    for (&cast, hits) in asked.iter().zip(&found).step_by(SAMPLE) {
        let entries = rows.iter().filter_map(|row| {
            let fraction = cast.into().entry(&row.aabb)?;
            Some((fraction.to_bits(), row.place, row.id))
        });
        let mut expected: Vec<_> = entries.collect();
        expected.sort_unstable();
        let of_hit = |hit: &CastHit| {
            let place = (hit.hit.category, hit.hit.row);
            (hit.fraction.to_bits(), place, hit.hit.id)
        };
        assert!(hits.iter().map(of_hit).eq(expected));
        // Shapes that fill their boxes.
        let first = queries.cast_first_by(cast, |hit| Some(hit.fraction));
        assert_eq!(first.unwrap(), hits.first().copied());
        let mut shapes = Vec::new();
        queries
            .cast_all_by(cast, &mut shapes, |hit| Some(hit.fraction))
            .unwrap();
        assert!(shapes == *hits);
    }
    check_batch(queries, asked, &found);
    let (asked, found) = (&asked[..FEW], &found[..FEW]);
    let casts: Vec<Cast> = asked.iter().map(|&cast| cast.into()).collect();
    check_batch(queries, &casts, found);
    let first: Vec<_> = asked.iter().map(|&cast| FirstOnly(cast)).collect();
    let cut: Vec<_> = found
        .iter()
        .map(|hits| hits[..hits.len().min(1)].to_vec())
        .collect();
    check_batch(queries, &first, &cut);

    check_shapes_in_batches(queries, &casts);
}

/// Which of a box's shapes is asked for: one for each cast, so that it matters who asks.
fn shape_for(asking: usize, hit: &CastHit) -> Option<f32> {
    let drawn = (hit.hit.id.to_bits() ^ asking as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match drawn >> 62 {
        0 => None,
        1 => Some(hit.fraction),
        _ => Some(hit.fraction + (1.0 - hit.fraction) / 2.0),
    }
}

/// Casts that ask shapes find the same in a batch as alone.
fn check_shapes_in_batches(queries: Queries<'_>, casts: &[Cast]) {
    let (mut every, mut first) = (Vec::new(), Vec::new());
    for (index, &cast) in casts.iter().enumerate() {
        let mut hits = Vec::new();
        let shape = |hit: &CastHit| shape_for(index, hit);
        queries.cast_all_by(cast, &mut hits, shape).unwrap();
        first.push(Vec::from_iter(queries.cast_first_by(cast, shape).unwrap()));
        assert_eq!(first[index].first(), hits.first());
        every.push(hits);
    }
    let first_only: Vec<_> = casts.iter().map(|&cast| FirstOnly(cast)).collect();
    let mut answers = BatchResults::new();
    for threads in THREADS {
        let on = Threads(threads);
        queries
            .find_batch_by_on(&on, casts, &mut answers, shape_for)
            .unwrap();
        assert!(answers.iter().eq(every.iter().map(Vec::as_slice)));
        queries
            .find_batch_by_on(&on, &first_only, &mut answers, shape_for)
            .unwrap();
        assert!(answers.iter().eq(first.iter().map(Vec::as_slice)));
    }
    let by_reference: Vec<_> = casts.iter().collect();
    queries
        .find_batch_by(&by_reference, &mut answers, shape_for)
        .unwrap();
    assert!(answers.iter().eq(every.iter().map(Vec::as_slice)));
}

fn check_nearest(queries: Queries<'_>, rows: &[Indexed], asked: &[NearestQuery]) {
    let found = alone(asked, |query, nearest| {
        queries
            .find_nearest(query.point, query.k, query.max_distance, nearest)
            .unwrap();
    });
    for (query, nearest) in asked.iter().zip(&found).step_by(SAMPLE) {
        let limit = query.max_distance * query.max_distance;
        let distances = rows
            .iter()
            .map(|row| (row.aabb.distance_squared(query.point), row.place));
        let mut expected: Vec<_> = distances.filter(|near| near.0 <= limit).collect();
        expected.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        expected.truncate(query.k);
        let found = nearest
            .iter()
            .map(|near| (near.distance_squared, (near.hit.category, near.hit.row)));
        assert!(found.eq(expected), "{query:?}");
    }
    check_batch(queries, asked, &found);
    check_nearest_shapes(queries, rows, asked);
}

/// The distance of a box's shape, given that of the box: sometimes none, or one that counts as the box's.
fn shape_near(id: ProxyId, of_box: f32) -> Option<f32> {
    match id.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 {
        0 => None,
        1 => Some(f32::NAN),
        2 => Some(-9.0),
        3 => Some(of_box / 2.0),
        4 => Some(of_box),
        5 => Some(of_box + 40.0),
        6 => Some(f32::INFINITY),
        _ => Some(1.5 * of_box + 0.3),
    }
}

/// The square of that distance as it counts; none if the shape is missed.
fn square_near(id: ProxyId, of_box: f32, max_distance: f32) -> Option<f32> {
    let distance = shape_near(id, of_box.sqrt()).filter(|&distance| distance <= max_distance)?;
    Some((distance.max(0.0) * distance.max(0.0)).max(of_box))
}

/// The nearest shapes are those that asking every row finds.
fn check_nearest_shapes(queries: Queries<'_>, rows: &[Indexed], asked: &[NearestQuery]) {
    let mut nearest = Vec::new();
    for query in asked.iter().step_by(SAMPLE) {
        let limit = query.max_distance * query.max_distance;
        let distances = rows.iter().filter_map(|row| {
            let of_box = row.aabb.distance_squared(query.point);
            let squared = square_near(row.id, of_box, query.max_distance)?;
            (of_box <= limit).then_some((squared, row.place))
        });
        let mut expected: Vec<_> = distances.collect();
        expected.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        expected.truncate(query.k);
        let (point, k, max_distance) = (query.point, query.k, query.max_distance);
        let mut found_so_far = Vec::new();
        queries
            .find_nearest_by(point, k, max_distance, &mut nearest, |near| {
                let (id, of_box) = (near.hit.id, near.distance_squared);
                let so_far = &mut found_so_far;
                let farthest = so_far.get(k.wrapping_sub(1)).copied().unwrap_or(limit);
                assert!(of_box <= farthest, "no box that is too far away is asked");
                so_far.extend(square_near(id, of_box, max_distance));
                so_far.sort_unstable_by(f32::total_cmp);
                shape_near(id, of_box.sqrt())
            })
            .unwrap();
        let found = nearest
            .iter()
            .map(|near| (near.distance_squared, (near.hit.category, near.hit.row)));
        assert!(found.eq(expected), "{query:?}");
    }
}

#[test]
fn shapes_of_every_kind() {
    for ((seed, world), many) in (0..).zip(worlds()).zip([MANY, FEW, FEW]) {
        for ((filter, rows), count) in filters(&world).iter().zip([FEW, many]) {
            let asked = Asked::new(rows, count, seed);
            check_shapes(world.query_with(filter), rows, &asked);
        }
    }
}

#[test]
fn casts_and_the_nearest() {
    for ((seed, world), many) in (10..).zip(worlds()).zip([MANY, FEW, FEW]) {
        for ((filter, rows), count) in filters(&world).iter().zip([FEW, many]) {
            let asked = Asked::new(rows, count, seed);
            check_casts(world.query_with(filter), rows, &asked.rays);
            check_casts(world.query_with(filter), rows, &asked.boxes);
            check_casts(world.query_with(filter), rows, &asked.balls);
            check_nearest(world.query_with(filter), rows, &asked.nearest);
        }
    }
}

/// Without a filter, as with one that lets everything pass.
#[test]
fn of_everything() {
    let world = worlds().next().unwrap();
    let asked = Asked::new(&indexed(&world), 40, 20);
    let everything = QueryFilter::new();
    let queries = world.query_with(&everything);
    let (mut own, mut filtered) = (Vec::new(), Vec::new());
    let point = indexed(&world)[0].aabb.center();
    world.query().find_at_point(point, &mut own).unwrap();
    queries.find_at_point(point, &mut filtered).unwrap();
    assert!(own == filtered && !own.is_empty());
    world
        .query()
        .find_in_aabb(&Aabb::EVERYWHERE, &mut own)
        .unwrap();
    queries
        .find_in_aabb(&Aabb::EVERYWHERE, &mut filtered)
        .unwrap();
    assert!(own == filtered && own.len() == world.len());
    world.query().find_in_circle(point, 20.0, &mut own).unwrap();
    queries.find_in_circle(point, 20.0, &mut filtered).unwrap();
    assert!(own == filtered && !own.is_empty());
    let light = ConvexPolygon::rectangle(point, [20.0, 10.0], [0.8, 0.6]).unwrap();
    world.query().find_in_polygon(&light, &mut own).unwrap();
    queries.find_in_polygon(&light, &mut filtered).unwrap();
    assert!(own == filtered && !own.is_empty());
    let (mut own, mut filtered) = (Vec::new(), Vec::new());
    world
        .query()
        .find_nearest(point, 9, 50.0, &mut own)
        .unwrap();
    queries.find_nearest(point, 9, 50.0, &mut filtered).unwrap();
    assert!(own == filtered && own.len() == 9);
    let (mut own, mut filtered) = (BatchResults::new(), BatchResults::new());
    world.query().find_batch(&asked.circles, &mut own).unwrap();
    queries.find_batch(&asked.circles, &mut filtered).unwrap();
    assert!(own.iter().eq(filtered.iter()) && own.iter().any(|hits| !hits.is_empty()));
    world
        .query()
        .find_batch_on(&Threads(3), &asked.circles, &mut own)
        .unwrap();
    assert!(own.iter().eq(filtered.iter()));
}

#[test]
fn partners_pass_the_filter() {
    let mut found = 0;
    for world in worlds() {
        let is_odd = |hit: &QueryHit| hit.id.to_bits() % 2 == 1;
        for (filter, passing) in filters(&world) {
            let passing: BTreeSet<_> = passing.iter().map(|row| row.id).collect();
            for row in indexed(&world).iter().step_by(31) {
                let (mut all, mut some, mut odd) = (Vec::new(), Vec::new(), Vec::new());
                world.query().find_partners(row.id, &mut all).unwrap();
                let are_partners = |hit: &QueryHit| {
                    assert!(all.contains(hit), "other tests come first");
                    is_odd(hit)
                };
                let queries = world.query_with(&filter);
                queries.find_partners(row.id, &mut some).unwrap();
                let picky = filter.clone().only(&are_partners);
                let queries = world.query_with(&picky);
                queries.find_partners(row.id, &mut odd).unwrap();
                assert_eq!(visited(|visit| queries.query_partners(row.id, visit)), odd);
                let first = queries.query_partners(row.id, ControlFlow::Break);
                assert_eq!(first.unwrap().break_value(), odd.first().copied());
                found += some.len();
                all.retain(|hit| passing.contains(&hit.id));
                assert_eq!(some, all);
                some.retain(is_odd);
                assert_eq!(odd, some);
            }
        }
    }
    assert!(found > 300, "{found}");
}

/// Who has gone since into a category that meets another one, or out of it, is found again after the next step.
#[test]
fn partners_that_migrate() {
    let units = CategoryConfig::uniform("units", 1.0);
    let ghosts = CategoryConfig::uniform("ghosts", 1.0).meets_nothing();
    let config = BroadphaseConfig::new().category(units).category(ghosts);
    let mut world = Broadphase::new(config).unwrap();
    let at = |index| {
        let proxy = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
        proxy.in_category(category(index))
    };
    let ids = [0, 0, 1].map(|index| world.insert(at(index)).unwrap());
    let partners = |world: &Broadphase| {
        let mut hits = Vec::new();
        world.query().find_partners(ids[0], &mut hits).unwrap();
        hits.iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    world.refresh();
    assert_eq!(partners(&world), [ids[1]]);
    world.set_category(ids[1], Some(category(1))).unwrap();
    assert_eq!(partners(&world), []);
    world.set_category(ids[2], Some(category(0))).unwrap();
    assert_eq!(partners(&world), []);
    world.refresh();
    assert_eq!(partners(&world), [ids[2]]);
}

#[test]
fn of_what_has_changed_since_the_index() {
    let mut world = worlds().next().unwrap();
    let mut then = indexed(&world);
    let circles = Asked::new(&then, MANY, 21).circles;
    for (index, row) in then.iter().enumerate() {
        match index % 5 {
            0 => drop(world.remove(row.id).unwrap()),
            1 => world.set_enabled(row.id, false).unwrap(),
            2 => world.set_center(row.id, [1e4, 1e4]).unwrap(),
            _ => {}
        }
    }
    world
        .insert(Proxy::centered([0.0; 2], [0.1; 2]).unwrap())
        .unwrap();
    let mut index = 0..;
    then.retain(|_| index.next().is_some_and(|index| index % 5 > 1));
    let everything = QueryFilter::new();
    let queries = world.query_with(&everything);
    let found = alone(&circles, |circle, hits| {
        queries
            .find_in_circle(circle.center, circle.radius, hits)
            .unwrap();
    });
    for (&Circle { center, radius }, hits) in circles.iter().zip(&found).step_by(SAMPLE) {
        check_hits(hits, &then, |aabb| {
            aabb.distance_squared(center) <= radius * radius
        });
    }
    check_batch(queries, &circles, &found);
    let mut nearest = Vec::new();
    world
        .query()
        .find_nearest([0.0; 2], usize::MAX, f32::INFINITY, &mut nearest)
        .unwrap();
    assert_eq!(nearest.len(), then.len());
}

#[test]
fn a_bad_query_is_an_answer() {
    let world = worlds().next().unwrap();
    let everything = QueryFilter::new();
    let queries = world.query_with(&everything);
    let mut circles = Asked::new(&indexed(&world), MANY, 22).circles;
    let bad = [0, 256, 257, MANY - 1];
    circles[bad[0]].center[1] = f32::NAN;
    circles[bad[1]].radius = -1.0;
    circles[bad[2]].radius = f32::NAN;
    circles[bad[3]].center = [f32::NAN; 2];
    let mut hits = Vec::new();
    for threads in THREADS {
        let mut answers = BatchResults::new();
        world
            .query()
            .find_batch_on(&Threads(threads), &circles, &mut answers)
            .unwrap();
        assert_eq!(answers.len(), circles.len());
        let refused: Vec<_> = answers.refused().iter().map(|refused| refused.0).collect();
        assert_eq!(refused, bad);
        for (index, circle) in circles.iter().enumerate() {
            let alone = queries.find_in_circle(circle.center, circle.radius, &mut hits);
            assert_eq!(answers.of(index), hits, "{index}");
            let refused = answers.refused().iter().find(|refused| refused.0 == index);
            // As text, because a NaN is not itself.
            let refused = refused.map(|refused| refused.1.to_string());
            assert_eq!(alone.err().map(|error| error.to_string()), refused);
        }
        let nowhere = NearestQuery {
            point: [0.0; 2],
            k: 0,
            max_distance: -1.0,
        };
        let mut answers = BatchResults::new();
        world
            .query()
            .find_batch_on(&Threads(threads), &[nowhere], &mut answers)
            .unwrap();
        assert!(answers.of(0).is_empty() && answers.refused().len() == 1);
    }
}

#[test]
fn a_refused_query_leaves_nothing() {
    let world = worlds().next().unwrap();
    let mut hits = Vec::new();
    let fill = |hits: &mut Vec<QueryHit>| {
        world.query().find_in_aabb(&Aabb::EVERYWHERE, hits).unwrap();
        assert_eq!(hits.len(), world.len());
    };
    fill(&mut hits);
    assert!(
        world
            .query()
            .find_at_point([f32::NAN; 2], &mut hits)
            .is_err()
            && hits.is_empty()
    );
    fill(&mut hits);
    assert!(
        world
            .query()
            .find_in_circle([0.0; 2], -1.0, &mut hits)
            .is_err()
            && hits.is_empty()
    );
    let somebody = world.proxies(category(0)).next().unwrap();
    let mut stranger = Broadphase::new(world.config().clone()).unwrap();
    let elsewhere = stranger.insert(Proxy::centered([0.0; 2], [0.1; 2]).unwrap());
    fill(&mut hits);
    let refused = world.query().find_partners(elsewhere.unwrap(), &mut hits);
    assert!(refused.is_err() && hits.is_empty());
    let mut nearest = nearest_of(world.query(), [0.0; 2], 5, f32::INFINITY).unwrap();
    assert!(
        world
            .query()
            .find_nearest([0.0; 2], 5, -1.0, &mut nearest)
            .is_err()
            && nearest.is_empty()
    );

    let unknown = QueryFilter::new().category(category(7));
    let queries = world.query_with(&unknown);
    fill(&mut hits);
    assert!(queries.find_in_aabb(&Aabb::EVERYWHERE, &mut hits).is_err() && hits.is_empty());
    fill(&mut hits);
    assert!(queries.find_partners(somebody, &mut hits).is_err() && hits.is_empty());
    fill(&mut hits);
    let light = ConvexPolygon::hull_of(&[[0.0; 2]]).unwrap();
    assert!(queries.find_in_polygon(&light, &mut hits).is_err() && hits.is_empty());
    let mut answers = BatchResults::new();
    world
        .query()
        .find_batch(&[Aabb::EVERYWHERE], &mut answers)
        .unwrap();
    assert!(answers.of(0).len() == world.len());
    assert!(
        queries
            .find_batch(&[Aabb::EVERYWHERE], &mut answers)
            .is_err()
    );
    assert!(answers.is_empty() && answers.of(0).is_empty() && answers.iter().len() == 0);
}

#[test]
fn of_nothing() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(CategoryConfig::oversized("dragons"))
        .category(CategoryConfig::scenery("walls"));
    let mut empty = Broadphase::new(config).unwrap();
    for refresh in [false, true] {
        if refresh {
            empty.refresh();
        }
        let mut answers = BatchResults::new();
        empty
            .query()
            .find_batch(&vec![[0.0, 0.0]; MANY], &mut answers)
            .unwrap();
        assert!(answers.len() == MANY && answers.iter().all(<[_]>::is_empty));
        assert!(answers.of(MANY).is_empty() && answers.of(usize::MAX).is_empty());
        let mut nearest = Vec::new();
        empty
            .query()
            .find_nearest([0.0; 2], 3, f32::INFINITY, &mut nearest)
            .unwrap();
        assert!(nearest.is_empty());
    }
    let world = worlds().next().unwrap();
    let mut answers = BatchResults::new();
    world
        .query()
        .find_batch::<Circle>(&[], &mut answers)
        .unwrap();
    assert!(answers.is_empty() && answers.of(0).is_empty() && answers.iter().len() == 0);
}

/// One set of answers for batches of all sizes and kinds, one of which panics.
#[test]
fn answers_are_those_of_the_last_batch() {
    /// Runs some of the tasks, then panics.
    struct Panics;

    impl Executor for Panics {
        fn threads(&self) -> usize {
            1
        }

        fn run(&self, _: usize, task: &(dyn Fn(usize) + Sync)) {
            task(0);
            panic!("meant to panic");
        }
    }

    let world = worlds().next().unwrap();
    let asked = Asked::new(&indexed(&world), MANY, 23);
    let mut answers = BatchResults::new();
    for count in [MANY, 3, 300, 0, MANY - 1, 1] {
        world
            .query()
            .find_batch(&asked.circles[..count], &mut answers)
            .unwrap();
        let mut hits = Vec::new();
        for (circle, found) in asked.circles.iter().zip(answers.iter()) {
            world
                .query()
                .find_in_circle(circle.center, circle.radius, &mut hits)
                .unwrap();
            assert_eq!(found, hits);
        }
        assert_eq!(answers.len(), count);
        let run = AssertUnwindSafe(|| {
            world
                .query()
                .find_batch_on(&Panics, &asked.windows, &mut answers)
        });
        assert!(catch_unwind(run).is_err());
        assert!(answers.is_empty() && answers.refused().is_empty());
        world
            .query()
            .find_batch(&asked.points[..count], &mut answers)
            .unwrap();
        for (&point, found) in asked.points.iter().zip(answers.iter()) {
            world.query().find_at_point(point, &mut hits).unwrap();
            assert_eq!(found, hits);
        }
    }
    answers.clear();
    assert!(answers.is_empty());
}
