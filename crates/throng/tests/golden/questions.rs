//! Every kind of query, asked of a stage.

use throng::{
    Aabb, BatchQuery, BatchResults, BoxCast, Broadphase, Cast, CategoryId, CategoryKind, Circle,
    ConvexPolygon, Executor, FirstOnly, Masks, NearestQuery, Proximity, ProximityPairs, Queries,
    QueryFilter, RayCast,
};

use crate::dice::Dice;
use crate::digest::{Digest, Digests, Piece};
use crate::stage::{Body, Stage};

/// How many of each kind are asked one by one.
const ALONE: usize = 12;

/// So many circles that a batch sorts them, in several chunks.
const MANY: usize = 1100;

/// Shapes, about where things are.
struct Shapes<'s> {
    dice: Dice,
    bodies: &'s [Body],
    size: [f32; 2],
}

impl Shapes<'_> {
    /// Somebody's middle or corner, or not far from there, or anywhere.
    fn point(&mut self) -> [f32; 2] {
        let body = self.dice.of(self.bodies);
        let [x, y] = body.center;
        let [half_x, half_y] = body.half_extents;
        match self.dice.below(5) {
            0 => [x, y],
            1 => [x + half_x, y + half_y],
            2 => [x - half_x, y],
            3 => [
                x + self.dice.between(-9.0, 9.0),
                y + self.dice.between(-9.0, 9.0),
            ],
            _ => self.dice.place(self.size),
        }
    }

    fn reach(&mut self) -> f32 {
        self.dice.of(&[0.0, 0.5, 2.0, 7.0, 40.0])
    }

    fn window(&mut self) -> Aabb {
        if self.dice.one_in(30) {
            return Aabb::EVERYWHERE;
        }
        Aabb::from_center(self.point(), [self.reach(), self.reach()]).unwrap()
    }

    fn circle(&mut self) -> Circle {
        let radius = self.reach();
        Circle {
            center: self.point(),
            radius,
        }
    }

    fn polygon(&mut self) -> ConvexPolygon {
        let [x, y] = self.point();
        let mut corner = || {
            let [dx, dy] = [0; 2].map(|_| self.dice.between(-20.0, 20.0));
            [x + dx, y + dy]
        };
        ConvexPolygon::hull_of(&[corner(), corner(), corner(), corner()]).unwrap()
    }

    fn ray(&mut self) -> RayCast {
        RayCast::from_to(self.point(), self.point()).unwrap()
    }

    fn box_cast(&mut self) -> BoxCast {
        let ([x, y], to) = (self.point(), self.point());
        let half = [self.dice.of(&[0.0, 0.5, 3.0]), 0.5];
        let begin = Aabb::from_center([x, y], half).unwrap();
        BoxCast::new(begin, [to[0] - x, to[1] - y]).unwrap()
    }

    fn nearest(&mut self) -> NearestQuery {
        NearestQuery {
            point: self.point(),
            k: self.dice.of(&[1, 1, 5, 40, 0]),
            max_distance: self.dice.of(&[f32::INFINITY, f32::INFINITY, 30.0, 2.0]),
        }
    }
}

/// Asks everything once, each time something else.
pub fn ask(stage: &Stage, time: u32, executor: &dyn Executor, digests: &mut Digests) {
    let mut shapes = Shapes {
        dice: Dice::new(u64::from(time) << 32 | 7),
        bodies: &stage.bodies,
        size: stage.size,
    };
    let world = &stage.world;
    let everything = QueryFilter::new();
    let some = QueryFilter::new()
        .category(CategoryId::new(0))
        .category(CategoryId::new(world.categories().len() as u16 - 1))
        .masks(Masks::new(0b0011, !0b0100));
    for filter in [&everything, &some] {
        let queries = world.query_with(filter);
        ask_alone(queries, &mut shapes, digests);
        ask_batches(queries, &mut shapes, executor, digests);
    }
    ask_pairs_within(world, time, &mut shapes.dice, executor, digests);
    for category in world.categories() {
        digests
            .of(Piece::Cells)
            .cells(|visit| world.visit_cells(category, visit));
        if world.config().categories[category.index()].kind == CategoryKind::Scenery {
            take_scenery(digests.of(Piece::Scenery), world, category);
        }
    }
}

/// Visiting and collecting, one after the other.
fn ask_alone(queries: Queries<'_>, shapes: &mut Shapes<'_>, digests: &mut Digests) {
    let (mut hits, mut cast_hit, mut nearest) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ALONE {
        let digest = digests.of(Piece::Points);
        let point = shapes.point();
        digest.visited(Digest::hit, |visit| queries.query_point(point, visit));
        queries.find_at_point(point, &mut hits).unwrap();
        digest.answer(&hits, Digest::hit);

        let digest = digests.of(Piece::Boxes);
        let window = shapes.window();
        digest.visited(Digest::hit, |visit| queries.query_aabb(&window, visit));
        queries.find_in_aabb(&window, &mut hits).unwrap();
        digest.answer(&hits, Digest::hit);

        let digest = digests.of(Piece::Circles);
        let Circle { center, radius } = shapes.circle();
        digest.visited(Digest::hit, |visit| {
            queries.query_circle(center, radius, visit)
        });
        queries.find_in_circle(center, radius, &mut hits).unwrap();
        digest.answer(&hits, Digest::hit);

        let digest = digests.of(Piece::Polygons);
        let polygon = shapes.polygon();
        digest.visited(Digest::hit, |visit| queries.query_polygon(&polygon, visit));
        queries.find_in_polygon(&polygon, &mut hits).unwrap();
        digest.answer(&hits, Digest::hit);

        let casts: [(Piece, Cast); 2] = [
            (Piece::Rays, shapes.ray().into()),
            (Piece::BoxCasts, shapes.box_cast().into()),
        ];
        for (piece, cast) in casts {
            let digest = digests.of(piece);
            // Not in order along the way, but in the same order on any machine.
            digest.visited(Digest::cast_hit, |visit| queries.query_cast(cast, visit));
            digest.answer(&queries.cast_first(cast).unwrap(), Digest::cast_hit);
            queries.cast_all(cast, &mut cast_hit).unwrap();
            digest.answer(&cast_hit, Digest::cast_hit);
        }

        let digest = digests.of(Piece::NearestHit);
        let NearestQuery {
            point,
            k,
            max_distance,
        } = shapes.nearest();
        queries
            .find_nearest(point, k, max_distance, &mut nearest)
            .unwrap();
        digest.answer(&nearest, Digest::nearest);
        let mut alone = Vec::new();
        queries
            .find_nearest(point, k, max_distance, &mut alone)
            .unwrap();
        digest.answer(&alone, Digest::nearest);
    }
}

fn ask_batches(
    queries: Queries<'_>,
    shapes: &mut Shapes<'_>,
    executor: &dyn Executor,
    digests: &mut Digests,
) {
    fn ask<Q: BatchQuery>(
        queries: Queries<'_>,
        asked: &[Q],
        executor: &dyn Executor,
        digest: &mut Digest,
        take: impl Fn(&mut Digest, &Q::Hit) + Copy,
    ) {
        let mut answers = BatchResults::new();
        queries
            .find_batch_on(executor, asked, &mut answers)
            .unwrap();
        assert_eq!(answers.refused(), []);
        answers.iter().for_each(|hits| digest.answer(hits, take));
    }
    /// Some of a kind.
    fn some<'s, Q>(shapes: &mut Shapes<'s>, make: impl Fn(&mut Shapes<'s>) -> Q) -> Vec<Q> {
        (0..ALONE).map(|_| make(shapes)).collect()
    }
    let digest = digests.of(Piece::Batches);
    let small = |shapes: &mut Shapes<'_>| Circle {
        center: shapes.point(),
        radius: 1.5,
    };
    let circles: Vec<_> = (0..MANY).map(|_| small(shapes)).collect();
    ask(queries, &circles, executor, digest, Digest::hit);
    let points = some(shapes, Shapes::point);
    ask(queries, &points, executor, digest, Digest::hit);
    let windows = some(shapes, Shapes::window);
    ask(queries, &windows, executor, digest, Digest::hit);
    let polygons = some(shapes, Shapes::polygon);
    ask(queries, &polygons, executor, digest, Digest::hit);
    let rays = some(shapes, Shapes::ray);
    ask(queries, &rays, executor, digest, Digest::cast_hit);
    let boxes = some(shapes, Shapes::box_cast);
    ask(queries, &boxes, executor, digest, Digest::cast_hit);
    let first = some(shapes, |shapes| FirstOnly(shapes.ray()));
    ask(queries, &first, executor, digest, Digest::cast_hit);
    let nearest = some(shapes, Shapes::nearest);
    ask(queries, &nearest, executor, digest, Digest::nearest);
}

/// Two meetings at a time, scenery with scenery too, each in one of three forms.
fn ask_pairs_within(
    world: &Broadphase,
    time: u32,
    dice: &mut Dice,
    executor: &dyn Executor,
    digests: &mut Digests,
) {
    let meetings = crate::common::meetings(world);
    for turn in [0, 1] {
        let meeting = meetings[(2 * time as usize + turn) % meetings.len()];
        let distance = dice.of(&[0.0, 0.75, 2.5]);
        let measured = [
            (Piece::BoxesWithin, Proximity::boxes(meeting, distance)),
            (Piece::CentersWithin, Proximity::centers(meeting, distance)),
        ];
        for (piece, mut within) in measured {
            if dice.one_in(2) {
                within = within.ignoring_masks();
            }
            let digest = digests.of(piece);
            match dice.below(3) {
                0 => digest.visited(Digest::near_pair, |visit| {
                    world.query_pairs_within(&within, visit)
                }),
                form => {
                    let mut pairs = ProximityPairs::with_distances();
                    if form == 1 {
                        world.find_pairs_within(&within, &mut pairs).unwrap();
                    } else {
                        world
                            .find_pairs_within_on(executor, &within, &mut pairs)
                            .unwrap();
                    }
                    let distances = pairs.batches().flat_map(|batch| batch.distances_squared);
                    for (rows, distance) in pairs.iter().zip(distances) {
                        digest.near(rows, *distance);
                    }
                }
            }
        }
    }
}

/// The file of a category of scenery, word by word.
fn take_scenery(digest: &mut Digest, world: &Broadphase, category: CategoryId) {
    let packed = world.pack_scenery(category).unwrap();
    let (words, rest) = packed.as_bytes().as_chunks::<8>();
    assert!(rest.is_empty(), "the file is made of words");
    for word in words {
        digest.long(u64::from_le_bytes(*word));
    }
}
