//! Promise: a query finds what asking every row finds.

use std::ops::ControlFlow;

use crate::common::{category, nearest_of, wide, world_of};
use throng::{Aabb, Broadphase, CategoryId, Masks, PairMode, QueryFilter, QueryHit, Row};
use throng_scenes::{
    Scene, four_categories, masked, mixed_sizes, nearest, rows_at_point, rows_in_box,
    rows_in_circle, uniform,
};

fn refreshed(scenes: &[Scene]) -> Broadphase {
    let mut world = world_of(scenes, PairMode::Exact, None);
    world.refresh();
    world
}

/// Points in, between and beyond the rows.
fn places(scene: &Scene) -> Vec<[f32; 2]> {
    let on_rows = (0..scene.len())
        .step_by(97)
        .map(|row| [scene.xs[row], scene.ys[row]]);
    on_rows
        .flat_map(|[x, y]| [[x, y], [x + 0.5, y - 0.25], [-3.0 * x, 2.0 * y]])
        .collect()
}

fn gather<E>(
    query: impl FnOnce(&mut dyn FnMut(QueryHit) -> ControlFlow<()>) -> Result<ControlFlow<()>, E>,
) -> Vec<(CategoryId, Row)> {
    let mut rows = Vec::new();
    let walked = query(&mut |hit| {
        rows.push((hit.category, hit.row));
        ControlFlow::Continue(())
    });
    assert!(walked.is_ok_and(|flow| flow.is_continue()));
    rows.sort_unstable();
    rows
}

fn expected(scenes: &[Scene], rows_of: impl Fn(&Scene) -> Vec<Row>) -> Vec<(CategoryId, Row)> {
    let rows = |(index, scene)| {
        rows_of(scene)
            .into_iter()
            .map(move |row| (category(index), row))
    };
    scenes.iter().enumerate().flat_map(rows).collect()
}

#[test]
fn points_boxes_and_circles() {
    for scenes in [
        vec![uniform(3000, 2.0, 1)],
        vec![mixed_sizes(3000, 2)],
        four_categories(3000, 3),
    ] {
        let world = refreshed(&scenes);
        for place in places(&scenes[0]) {
            let found = gather(|visit| world.query().query_point(place, visit));
            assert_eq!(
                found,
                expected(&scenes, |scene| rows_at_point(scene, place))
            );
            for reach in [0.0, 0.7, 12.0] {
                let window = Aabb::from_center(place, [reach, reach / 2.0]).unwrap();
                let found = gather(|visit| world.query().query_aabb(&window, visit));
                assert_eq!(
                    found,
                    expected(&scenes, |scene| rows_in_box(scene, &window))
                );
                let found = gather(|visit| world.query().query_circle(place, reach, visit));
                assert_eq!(
                    found,
                    expected(&scenes, |scene| rows_in_circle(scene, place, reach))
                );
            }
        }
    }
}

#[test]
fn an_unbounded_box_finds_everything() {
    let scenes = four_categories(3000, 4);
    let world = refreshed(&scenes);
    let found = gather(|visit| {
        let everywhere = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]).unwrap();
        world.query().query_aabb(&everywhere, visit)
    });
    assert_eq!(found.len(), world.len());
}

#[test]
fn the_nearest_of_all_categories() {
    let scenes = four_categories(2000, 5);
    let world = refreshed(&scenes);
    for place in places(&scenes[0]) {
        for (k, reach) in [(1, f32::INFINITY), (20, 3.0), (5000, 40.0), (0, 1.0)] {
            let mut expected: Vec<(f32, CategoryId, Row)> = Vec::new();
            for (index, scene) in scenes.iter().enumerate() {
                let rows = nearest(scene, place, k, reach).into_iter();
                expected.extend(rows.map(|(row, distance)| (distance, category(index), row)));
            }
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            expected.truncate(k);
            let found = nearest_of(world.query(), place, k, reach).unwrap();
            let found: Vec<_> = found
                .iter()
                .map(|near| (near.distance_squared, near.hit.category, near.hit.row))
                .collect();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn filters_by_category_and_masks() {
    let scenes = [masked(2000, 6), masked(2000, 7), uniform(500, 1.0, 8)];
    let world = refreshed(&scenes);
    let masks = Masks::new(0b0110, 0b0011);
    let filter = QueryFilter::new()
        .category(category(1))
        .category(category(2))
        .masks(masks);
    let passes = |&(category, row): &(CategoryId, Row)| {
        category.index() > 0 && wide(scenes[category.index()].masks_of(row as usize)).meets(masks)
    };
    for place in places(&scenes[0]) {
        let mut all = expected(&scenes, |scene| rows_in_circle(scene, place, 5.0));
        all.retain(passes);
        assert_eq!(
            gather(|visit| world.query_with(&filter).query_circle(place, 5.0, visit)),
            all
        );
        let near = nearest_of(world.query_with(&filter), place, 7, 5.0).unwrap();
        assert_eq!(near.len(), all.len().min(7));
        assert!(
            near.iter()
                .all(|near| passes(&(near.hit.category, near.hit.row)))
        );
    }
}

#[test]
fn a_query_ends_when_told() {
    let world = refreshed(&four_categories(3000, 9));
    let mut asked = 0;
    let everywhere = Aabb::new([-1e9; 2], [1e9; 2]).unwrap();
    let end = world.query().query_aabb(&everywhere, |hit| {
        asked += 1;
        if asked == 7 {
            ControlFlow::Break(hit.id)
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(asked == 7 && end.unwrap().is_break());
}

#[test]
fn from_many_threads_at_once() {
    let scenes = [uniform(3000, 2.0, 10)];
    let world = refreshed(&scenes);
    let everything = expected(&scenes, |scene| rows_in_circle(scene, [10.0, 10.0], 9.0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(
                        gather(|visit| world.query().query_circle([10.0, 10.0], 9.0, visit)),
                        everything
                    );
                }
            });
        }
    });
}

#[test]
fn a_world_can_be_shared_and_sent() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Broadphase>();
    is_send_and_sync::<throng::Plan<'_>>();
    is_send_and_sync::<throng::Queries<'_>>();
    is_send_and_sync::<throng::CommandSender>();
    is_send_and_sync::<throng::CenterChunk<'_>>();
}
