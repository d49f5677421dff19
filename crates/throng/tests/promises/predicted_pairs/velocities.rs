//! Velocities are kept, go along with their proxies, and are refused where they make no sense.

use super::{row_of, rows, unit, world_of};
use crate::common::category;
use throng::{
    Aabb, Broadphase, CategoryConfig, CollectPairs, ColumnError, Fill, PairList, Proxy, ProxyError,
    RowOrder,
};
use throng_core::for_both;

#[test]
fn a_velocity_may_come_with_the_proxy() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    row_of(&mut world, 3);
    let fast = world.insert(unit(-9.0).velocity([7.0, 0.0])).unwrap();
    assert_eq!(world.velocity(fast), Ok([7.0, 0.0]));
    assert_eq!(rows(&mut world), [vec![], vec![[0, 3]]]);
    // Queued, and in a batch in which another is refused.
    world.sender().insert(unit(-20.0).velocity([9.0, 0.0]));
    let all = [f32::NAN, 2.0].map(|speed| unit(100.0).velocity([speed, 0.0]));
    let batch = world.insert_batch(all);
    assert_eq!((batch.refused.len(), batch.refused[0].0), (1, 0));
    let [overlapping, mut predicted] = rows(&mut world);
    predicted.sort_unstable();
    assert_eq!((overlapping.len(), predicted), (0, vec![[0, 3], [3, 5]]));
    assert!(world.validate().is_ok());
}

#[test]
fn a_velocity_is_kept_until_it_is_set_again_and_goes_along() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0),
        CategoryConfig::oversized("giants"),
        CategoryConfig::scenery("walls"),
    ]);
    let ids = row_of(&mut world, 3);
    assert_eq!(world.velocities(category(0)), None);
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    velocities.set(2, [-0.5, 0.0]).unwrap();
    assert!(matches!(
        velocities.set(3, [0.0; 2]),
        Err(ColumnError::NoSuchRow { row: 3, .. })
    ));
    let not_finite = velocities.set(1, [f32::NAN, 0.0]).unwrap_err();
    assert!(matches!(
        not_finite,
        ColumnError::VelocityNotFinite { row: 1, .. }
    ));
    let message = not_finite.to_string();
    assert!(message.contains("velocity [NaN, 0.0]") && message.contains("row 1"));
    let (columns, points) = ([[9.0, 0.5, 9.0], [0.25; 3]], [[1.0, 2.0]; 3]);
    let [xs, ys] = &columns;
    assert_eq!(velocities.set_rows_from(&[1], xs, ys).unwrap().rejected, 0);
    assert!(matches!(
        velocities.set_rows_from(&[1], &xs[1..], ys),
        Err(ColumnError::LengthMismatch { .. })
    ));
    assert!(matches!(
        velocities.set_rows_from_points(&[3], &points),
        Err(ColumnError::NoSuchRow { row: 3, .. })
    ));
    assert!(matches!(
        velocities.set_rows_from_points(&[0], &points[1..]),
        Err(ColumnError::PointsMismatch { .. })
    ));
    let fill = velocities.set_rows_from_points(&[0], &points).unwrap();
    assert_eq!(fill.rejected, 0);
    let fill = velocities.set_rows_with(&[1], |row| [0.5 * row as f32, 0.25]);
    assert_eq!(fill.unwrap().rejected, 0);
    assert!(matches!(
        velocities.set_rows_with(&[0, 3], |row| -> [f32; 2] { panic!("{row}") }),
        Err(ColumnError::NoSuchRow { row: 3, .. })
    ));
    let all = [[1.0, 2.0], [0.5, 0.25], [-0.5, 0.0]];
    assert_eq!(world.velocities(category(0)), Some(&all[..]));
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    let fill = velocities.fill_with(|row| [row as f32, 4.0 / row as f32]);
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(0)));
    let asked = [[1.0, 2.0], [1.0, 4.0], [2.0, 2.0]];
    assert_eq!(world.velocities(category(0)), Some(&asked[..]));
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    let fill = velocities.fill_with(|row| all[row as usize]);
    assert_eq!(fill, Fill::default());
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    velocities.set(0, [0.0; 2]).unwrap();
    velocities.set(1, [0.0; 2]).unwrap();
    let all = [[0.0; 2], [0.0; 2], [-0.5, 0.0]];
    assert_eq!(world.velocities(category(0)), Some(&all[..]));
    assert_eq!([0; 3].map(|_| rows(&mut world)[1].len()), [1; 3]);

    // To another row, another category, under another config, and in another order.
    world.remove(ids[0]).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 1]]);
    world.set_category(ids[2], Some(category(1))).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 0]]);
    world.reconfigure(world.config().clone()).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 0]]);
    world.sort_rows(category(1), RowOrder::Space).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 0]]);
    assert_eq!(world.velocity(ids[2]), Ok([-0.5, 0.0]));

    // Whoever becomes a wall stands still.
    world.set_category(ids[2], Some(category(2))).unwrap();
    assert_eq!(world.velocity(ids[2]), Ok([0.0; 2]));
    assert_eq!(rows(&mut world)[1], [[0; 2]; 0]);
}

#[test]
fn sorted_rows_keep_their_velocities() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    for k in [3, 1, 0, 2] {
        let id = world.insert(unit(k as f32 * 2.5).key(k)).unwrap();
        world
            .set_velocity(id, [if k == 0 { 0.5 } else { 0.0 }, 0.0])
            .unwrap();
    }
    assert_eq!(rows(&mut world)[1], [[1, 2]]);
    world.sort_rows(category(0), RowOrder::Key).unwrap();
    let plan = world.plan().unwrap();
    let predicted = (0..plan.chunks()).filter(|&chunk| plan.is_predicted(chunk) == Some(true));
    let lists = predicted.map(|chunk| {
        let mut list = PairList::default();
        plan.collide(chunk, &CollectPairs, &mut (), &mut list);
        list.pairs().to_vec()
    });
    assert_eq!(
        lists.flatten().collect::<Vec<_>>(),
        [[0, 1]],
        "also before the next step"
    );
    assert_eq!(rows(&mut world)[1], [[0, 1]]);
}

#[test]
fn what_is_wrong_is_said() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0),
        CategoryConfig::scenery("walls"),
    ]);
    let ids = row_of(&mut world, 2);
    let wall = Aabb::new([50.0, 0.0], [51.0, 1.0]).unwrap();
    let wall = world.insert(Proxy::fixed(wall)).unwrap();
    world.set_velocity(ids[0], [1.0, 2.0]).unwrap();

    let refused = world.set_velocity(ids[0], [f32::NAN, 0.0]).unwrap_err();
    let message = refused.to_string();
    assert!(
        message.starts_with("the velocity [NaN, 0.0] is not finite"),
        "{message}"
    );
    assert!(message.ends_with("keeps the one it has"), "{message}");
    let refused = world.set_velocity(wall, [0.0; 2]).unwrap_err();
    assert_eq!(refused, ProxyError::NeverMoves { id: wall });
    assert!(
        refused
            .to_string()
            .contains("is scenery, which has no velocity"),
        "{refused}"
    );
    let refused = world.velocities_mut(category(1)).unwrap_err();
    assert!(
        refused.to_string().contains("\"walls\" is scenery"),
        "{refused}"
    );
    assert!(matches!(
        world.velocities_mut(category(2)),
        Err(ColumnError::UnknownCategory(_))
    ));

    let mut velocities = world.velocities_mut(category(0)).unwrap();
    assert_eq!((velocities.len(), velocities.is_empty()), (2, false));
    let short = velocities.fill_from(&[1.0], &[1.0, 2.0]).unwrap_err();
    assert!(
        short
            .to_string()
            .contains("1 xs and 2 ys were given for 2 rows"),
        "{short}"
    );
    let short = velocities.fill_from_points(&[[1.0; 2]]).unwrap_err();
    assert!(
        short.to_string().contains("1 points were given for 2 rows"),
        "{short}"
    );
    let beyond = velocities
        .set_rows(&[0, 2], &[5.0; 2], &[5.0; 2])
        .unwrap_err();
    assert!(
        beyond
            .to_string()
            .contains("row 2 is not one of the 2 rows"),
        "{beyond}"
    );
    let short = velocities.set_rows(&[0], &[5.0; 2], &[5.0]).unwrap_err();
    assert!(short.to_string().contains("for 1 rows"), "{short}");
    let fill = velocities
        .fill_from_points(&[[f32::INFINITY, 0.0], [3.0, 4.0]])
        .unwrap();
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(0)));
    let fill = velocities
        .set_rows(&[1, 1], &[6.0, f32::NAN], &[7.0; 2])
        .unwrap();
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(1)));
    let kept = for_both(|k| world.velocity(ids[k]).unwrap());
    assert_eq!(kept, [[1.0, 2.0], [6.0, 7.0]]);
    world.remove(ids[0]).unwrap();
    assert!(matches!(
        world.velocity(ids[0]),
        Err(ProxyError::Stale { .. })
    ));
    assert!(matches!(
        world.set_velocity(ids[0], [0.0; 2]),
        Err(ProxyError::Stale { .. })
    ));
}

#[test]
fn a_column_of_velocities_makes_a_plan_stale_if_any_differs() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    row_of(&mut world, 3);
    let fill = |world: &mut Broadphase, xs: [f32; 3], ys: [f32; 3]| {
        let mut velocities = world.velocities_mut(category(0)).unwrap();
        velocities.fill_from(&xs, &ys).unwrap().rejected
    };
    for (xs, ys, differ) in [
        ([0.0; 3], [0.0; 3], false),
        ([0.0, 0.5, 0.0], [0.0; 3], true),
        ([0.0, 0.5, 0.0], [0.0; 3], false),
        ([0.0, 0.5, 0.0], [0.0, 0.0, 0.25], true),
        ([f32::NAN, 0.5, 0.0], [0.0, f32::INFINITY, 0.25], false),
        ([0.0; 3], [0.0, 0.0, 0.25], true),
        ([0.0; 3], [0.0; 3], true),
    ] {
        world.refresh();
        let plan = world.plan().unwrap();
        let was_predicted = (0..plan.chunks()).any(|chunk| plan.is_predicted(chunk) == Some(true));
        let rejected = fill(&mut world, xs, ys);
        let bad = xs
            .iter()
            .zip(&ys)
            .filter(|(x, y)| !x.is_finite() || !y.is_finite());
        assert_eq!(rejected, bad.count());
        let is_stale = world.plan().is_err();
        assert_eq!(is_stale, differ && was_predicted, "{xs:?} {ys:?}");
    }
}

#[test]
fn velocities_written_before_a_panic_make_a_plan_stale() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    row_of(&mut world, 3);
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    assert_eq!(velocities.fill_with(|_| [0.5, 0.0]), Fill::default());
    world.step_pairs();
    assert!(world.plan().is_ok());
    let filled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut velocities = world.velocities_mut(category(0)).unwrap();
        velocities.fill_with(|row| {
            assert!(row < 2, "the last has none");
            [9.0, 0.0]
        })
    }));
    assert!(filled.is_err());
    let written = [[9.0, 0.0], [9.0, 0.0], [0.5, 0.0]];
    assert_eq!(world.velocities(category(0)), Some(&written[..]));
    assert!(world.plan().is_err(), "what it was made for has changed");
}
