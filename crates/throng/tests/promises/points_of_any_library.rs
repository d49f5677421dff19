//! Points of math libraries go in as they are, and come out of queries and pairs.

use std::ops::ControlFlow;

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, ColumnError, Fill, Proxy, Row};

/// A point of a library that nobody has heard of.
#[derive(Clone, Copy)]
struct Point(f32, f32);

impl From<Point> for [f32; 2] {
    fn from(Point(x, y): Point) -> Self {
        [x, y]
    }
}

fn world() -> Broadphase {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 1.0).coarse());
    let mut world = Broadphase::new(config).unwrap();
    for x in 0..5 {
        let place = Point(4.0 * x as f32, 1.0);
        world
            .insert(Proxy::centered(place, [0.5, 1.0]).unwrap())
            .unwrap();
    }
    world
}

#[test]
fn whatever_becomes_two_numbers_moves_things() {
    let mut world = world();
    let sheep = world.category("sheep").unwrap();
    let ids: Vec<_> = world.proxies(sheep).collect();
    world.set_center(ids[0], Point(7.0, 8.0)).unwrap();
    world.sender().set_center(ids[1], Point(9.0, 10.0));
    world
        .centers_mut(sheep)
        .unwrap()
        .set(2, Point(11.0, 12.0))
        .unwrap();
    world.refresh();
    let near = world
        .query()
        .query_circle(Point(7.0, 10.0), 1.5, ControlFlow::Break)
        .unwrap();
    assert!(matches!(near, ControlFlow::Break(hit) if hit.id == ids[0]));
    assert_eq!(world.centers(sheep)[0], [7.0, 9.0, 11.0, 12.0, 16.0]);
    assert_eq!(world.centers(sheep)[1], [8.0, 10.0, 12.0, 1.0, 1.0]);
}

#[test]
fn points_fill_columns_and_those_that_are_nowhere_are_turned_away() {
    let mut world = world();
    let sheep = world.category("sheep").unwrap();
    let points: Vec<Point> = (0..5)
        .map(|row| Point(row as f32, 10.0 * row as f32))
        .collect();
    let mut centers = world.centers_mut(sheep).unwrap();
    assert_eq!(centers.fill_from_points(&points).unwrap().rejected, 0);
    let short = centers.fill_from_points(&points[1..]);
    assert_eq!(
        short,
        Err(ColumnError::PointsMismatch {
            category: "sheep".to_owned(),
            points: 4,
            rows: 5
        })
    );

    let last = centers
        .chunks(2)
        .last()
        .unwrap()
        .fill_from_points(&[[f32::INFINITY, 0.0]]);
    assert_eq!(last.unwrap().rejected, 1);
    let middle = centers
        .chunks(2)
        .nth(1)
        .unwrap()
        .fill_from_points(&[[8.0, 9.0], [5.0, f32::NAN]]);
    assert_eq!(middle.unwrap().rejected, 1);
    drop(centers);
    world.refresh();
    assert_eq!(world.centers(sheep)[0], [0.0, 1.0, 8.0, 3.0, 4.0]);
    assert_eq!(world.centers(sheep)[1], [0.0, 10.0, 9.0, 30.0, 40.0]);
    let rejected: Vec<_> = world
        .report()
        .rejected
        .iter()
        .map(|rejected| rejected.row)
        .collect();
    assert_eq!(rejected, [3, 4]);
}

#[test]
fn some_rows_are_written_from_columns_of_all() {
    let mut world = world();
    let sheep = world.category("sheep").unwrap();
    let xs = [10.0, 11.0, f32::NAN, 13.0, 14.0];
    let ys = [20.0, 21.0, 22.0, 23.0, 24.0];
    let points: Vec<Point> = xs.iter().zip(ys).map(|(&x, y)| Point(x, y)).collect();
    let before = world.centers(sheep);
    let before = before.map(<[f32]>::to_vec);
    for as_points in [false, true] {
        let mut centers = world.centers_mut(sheep).unwrap();
        let fill = centers.fill_from(&before[0], &before[1]).unwrap();
        assert_eq!(fill.rejected, 0);
        let mut set = |rows: &[Row], columns: std::ops::Range<usize>| {
            if as_points {
                centers.set_rows_from_points(rows, &points[columns])
            } else {
                centers.set_rows_from(rows, &xs[columns.clone()], &ys[columns])
            }
        };

        let fill = set(&[4, 2, 0, 4], 0..5).unwrap();
        assert_eq!((fill.rejected, fill.first_rejected), (1, Some(2)));
        assert_eq!(set(&[], 0..5), Ok(Fill::default()));

        // As many as are written are not enough, and nothing is written if one does not exist.
        let category = || "sheep".to_owned();
        let short = if as_points {
            let (points, rows) = (1, 5);
            ColumnError::PointsMismatch {
                category: category(),
                points,
                rows,
            }
        } else {
            let (xs, ys, rows) = (1, 1, 5);
            ColumnError::LengthMismatch {
                category: category(),
                xs,
                ys,
                rows,
            }
        };
        assert_eq!(set(&[1], 1..2), Err(short));
        let beyond = set(&[1, 5], 0..5);
        assert!(
            matches!(beyond, Err(ColumnError::NoSuchRow { row: 5, .. })),
            "{beyond:?}"
        );
        drop(centers);
        world.refresh();
        assert_eq!(world.centers(sheep)[0], [10.0, 4.0, 8.0, 12.0, 14.0]);
        assert_eq!(world.centers(sheep)[1], [20.0, 1.0, 1.0, 1.0, 24.0]);
        assert_eq!(world.report().rejected.len(), 1);
    }
}

/// Each row is asked for once for each time that it is listed, and those that are nowhere are turned away.
#[test]
fn rows_are_asked_for_where_they_are() {
    let mut world = world();
    let sheep = world.category("sheep").unwrap();
    let mut asked = Vec::new();
    let mut centers = world.centers_mut(sheep).unwrap();
    let fill = centers.fill_with(|row| {
        asked.push(row);
        let x = if row == 3 {
            f32::NAN
        } else {
            10.0 + row as f32
        };
        Point(x, 20.0)
    });
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(3)));
    assert_eq!(asked, [0, 1, 2, 3, 4]);

    asked.clear();
    let fill = centers.set_rows_with(&[4, 1, 4], |row| {
        asked.push(row);
        [
            30.0 + asked.len() as f32,
            if row == 1 { 2.0 } else { f32::INFINITY },
        ]
    });
    let fill = fill.unwrap();
    assert_eq!((fill.rejected, fill.first_rejected), (2, Some(4)));
    assert_eq!(asked, [4, 1, 4]);

    let mut last = centers.chunks(2).last().unwrap();
    let fill = last.fill_with(|row| [40.0 + row as f32, 1.0]);
    assert_eq!(fill, Fill::default());

    let beyond = centers.set_rows_with(&[1, 5], |row| -> [f32; 2] { panic!("{row}") });
    let beyond = beyond.unwrap_err();
    assert!(
        matches!(
            beyond,
            ColumnError::NoSuchRow {
                row: 5,
                first: 0,
                rows: 5,
                ..
            }
        ),
        "{beyond:?}"
    );
    drop(centers);
    assert_eq!(world.centers(sheep)[0], [10.0, 32.0, 12.0, 12.0, 44.0]);
    assert_eq!(world.centers(sheep)[1], [20.0, 2.0, 20.0, 1.0, 1.0]);
}

#[cfg(feature = "glam")]
#[test]
fn glam_goes_in_and_comes_out() {
    use crate::common::nearest_of;
    use glam::Vec2;
    use throng::{Narrowphase, PairBatch, RayCast};

    /// How far apart the middles of each pair are.
    struct Distances;

    impl Narrowphase for Distances {
        type Scratch = ();
        type Output = Vec<f32>;

        fn collide(&self, batch: PairBatch<'_>, _: &mut (), distances: &mut Vec<f32>) {
            for &pair in batch.pairs() {
                let [a, b] = batch.centers_vec2(pair);
                distances.push(a.distance(b));
            }
        }
    }

    let mut world = world();
    let sheep = world.category("sheep").unwrap();
    let mut places: Vec<Vec2> = (0..5).map(|row| Vec2::new(3.0 * row as f32, 2.0)).collect();
    places[1] -= Vec2::X * 1.5;
    let fill = world.centers_mut(sheep).unwrap().fill_from_points(&places);
    assert_eq!(fill.unwrap().rejected, 0);
    let distances: Vec<f32> = world
        .step(&Distances)
        .outputs()
        .flatten()
        .copied()
        .collect();
    assert_eq!(distances, [1.5]);

    let dog = world
        .insert(Proxy::centered(Vec2::ONE, Vec2::splat(0.5)).unwrap())
        .unwrap();
    world.set_center(dog, 40.0 * Vec2::Y).unwrap();
    assert_eq!(world.get(dog).unwrap().center_vec2(), Vec2::new(0.0, 40.0));
    world.refresh();
    let found = world
        .query()
        .query_point(40.0 * Vec2::Y, ControlFlow::Break);
    let Ok(ControlFlow::Break(hit)) = found else {
        panic!("the dog is there");
    };
    assert_eq!((hit.id, hit.center_vec2()), (dog, 40.0 * Vec2::Y));
    assert_eq!(hit.aabb.min_vec2(), Vec2::new(-1.0, 39.0), "of the bound");
    let point = (30.0 * Vec2::Y).to_array();
    let nearest = nearest_of(world.query(), point, 1, f32::INFINITY).unwrap();
    assert_eq!(
        (nearest[0].hit.id, nearest[0].distance_squared),
        (dog, 81.0)
    );
    let shot = RayCast::from_to(Vec2::new(-9.0, 40.0), Vec2::new(7.0, 40.0)).unwrap();
    assert_eq!(
        world
            .query()
            .cast_first(shot)
            .unwrap()
            .map(|hit| (hit.hit.id, hit.fraction)),
        Some((dog, 0.5))
    );
}
