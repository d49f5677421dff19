//! What is refused, or given twice, or panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, AabbFill, Broadphase, BroadphaseConfig, CategoryConfig, ColumnError, Proxy, Serial,
    SimdLevel,
};

use super::{BOUNDS, world};
use crate::common::{Threads, category, ordered_pairs};

#[test]
fn a_row_that_is_listed_twice_is_set_twice() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("sheep", 1.0))
        .category(CategoryConfig::oversized("cows"));
    let mut world = Broadphase::new(config).unwrap();
    let boxes = [0.5, 0.25, 9.0, 0.75, f32::NAN].map(|half: f32| ([-half; 2], [half; 2]));
    let ids = [0, 1, 2].map(|_| {
        let sheep = Aabb::from_center([0.0; 2], [0.5; 2]).unwrap();
        world.insert(Proxy::moving(sheep)).unwrap()
    });
    let half_of = |world: &Broadphase, n: usize| world.get(ids[n]).unwrap().half_extents[0];

    let mut sheep = world.aabbs_mut(category(0)).unwrap();
    let fill = sheep.set_rows(&[0, 0], &[boxes[0], boxes[1]]).unwrap();
    assert_eq!(fill, AabbFill::default());
    assert_eq!(half_of(&world, 0), 0.25);

    // The last one goes to the cows, and comes back from there; then it is given no box.
    let mut sheep = world.aabbs_mut(category(0)).unwrap();
    let given = [boxes[2], boxes[3], boxes[4]];
    let fill = sheep.set_rows(&[2, 2, 2], &given).unwrap();
    let places: Vec<_> = fill
        .migrated
        .iter()
        .map(|went| (went.id, went.to.category))
        .collect();
    assert_eq!(places, [(ids[2], category(1)), (ids[2], category(0))]);
    assert_eq!(fill.refused.len(), 1);
    assert_eq!(half_of(&world, 2), 0.75);
    world.validate().unwrap();
}

/// A box whose conversion may panic.
#[derive(Clone, Copy)]
struct Fragile(Option<Aabb>);

impl From<Fragile> for Aabb {
    fn from(fragile: Fragile) -> Aabb {
        fragile.0.expect("it breaks")
    }
}

#[test]
fn a_conversion_that_panics_leaves_a_world_that_goes_on() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let rows = 40_000;
    for of in (0..3).map(category) {
        let mut world = world(SimdLevel::detect(), rows, 2000.0, &mut random);
        world.set_executor(Some(Arc::new(Threads(2))));
        ordered_pairs(&mut world, &Serial);
        let mut boxes: Vec<_> = (0..rows)
            .map(|_| {
                let center = [0; 2].map(|_| random.random_range(0.0..2000.0));
                let half = BOUNDS[of.index()] * random.random_range(0.85..0.9);
                Fragile(Some(Aabb::from_center(center, [half; 2]).unwrap()))
            })
            .collect();
        boxes[rows / 2] = Fragile(None);
        let written = catch_unwind(AssertUnwindSafe(|| {
            world.aabbs_mut(of).unwrap().fill_from(&boxes).unwrap()
        }));
        assert!(written.is_err());
        world.validate().unwrap();
        let is_written = |world: &Broadphase| {
            let xs = world.centers(of)[0].to_vec();
            let centers = boxes
                .iter()
                .map(|fragile| fragile.0.map(|aabb| aabb.center()[0]));
            xs.into_iter()
                .zip(centers)
                .filter(|(x, given)| Some(*x) == *given)
                .count()
        };
        assert!(is_written(&world) > 0, "some are written already");
        boxes[rows / 2] = boxes[0];
        let fill = world.aabbs_mut(of).unwrap().fill_from(&boxes).unwrap();
        assert_eq!(fill, AabbFill::default());
        let mut as_if_new = world.clone();
        as_if_new.forget_history(of).unwrap();
        let [mut found, mut expected] =
            [&mut world, &mut as_if_new].map(|world| ordered_pairs(world, &Serial));
        found.sort_unstable();
        expected.sort_unstable();
        assert!(found == expected);
    }
}

#[test]
fn what_cannot_be_written_is_told() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("sheep", 1.0))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let sheep = Aabb::from_center([0.0; 2], [0.5; 2]).unwrap();
    let ids = world.insert_batch([Proxy::moving(sheep); 3]).ids;
    let before = world.clone();
    let mut boxes = world.aabbs_mut(category(0)).unwrap();
    assert_eq!((boxes.len(), boxes.is_empty()), (3, false));
    assert_eq!(
        format!("{boxes:?}"),
        r#"AabbsMut { category: "sheep", rows: 3, .. }"#
    );
    let said = |written: Result<AabbFill, ColumnError>| written.unwrap_err().to_string();
    let two_for_three =
        "category \"sheep\": 2 boxes were given for 3 rows; there must be one for each row";
    assert_eq!(said(boxes.fill_from(&[sheep; 2])), two_for_three);
    assert_eq!(said(boxes.set_rows_from(&[0], &[sheep; 2])), two_for_three);
    assert_eq!(
        said(boxes.set_rows(&[0, 1], &[sheep])),
        "category \"sheep\": 1 boxes were given for 2 rows; there must be one for each row"
    );
    let points = [[0.0; 2]; 3];
    assert_eq!(
        said(boxes.fill_from_centers(&points, &points[..2])),
        "category \"sheep\": 2 half extents were given for 3 rows; there must be one for each row"
    );
    assert_eq!(
        said(boxes.fill_from_centers(&points[..2], &points)),
        "category \"sheep\": 2 points were given for 3 rows; there must be one for each row"
    );
    let three = [&[0.0; 3][..]; 2];
    assert_eq!(
        said(boxes.fill_from_columns(three, [&[0.0; 3], &[0.0; 4]])),
        "category \"sheep\": 4 half extents were given for 3 rows; there must be one for each row"
    );
    assert_eq!(
        said(boxes.fill_from_columns([&[0.0; 3], &[0.0; 2]], three)),
        "category \"sheep\": 3 xs and 2 ys were given for 3 rows; all three must be equal"
    );
    let no_such_row =
        "category \"sheep\": row 3 is not one of the 3 rows there are, counted from 0";
    assert_eq!(said(boxes.set_rows(&[1, 3], &[sheep; 2])), no_such_row);
    assert_eq!(said(boxes.set_rows_from(&[1, 3], &[sheep; 3])), no_such_row);
    let refused = world.aabbs_mut(category(1)).unwrap_err().to_string();
    assert!(refused.contains("\"walls\" is scenery"), "{refused}");

    // None of them fits, each for a reason of its own.
    let id = |row: usize| ids[row].unwrap();
    let corners = [
        ([0.0, 0.0], [f32::NAN, 1.0]),
        ([0.0, 0.0], [-1.0, 1.0]),
        ([0.0, 0.0], [9.0, 1.0]),
    ];
    let fill = world
        .aabbs_mut(category(0))
        .unwrap()
        .fill_from(&corners)
        .unwrap();
    assert_eq!(fill.migrated, []);
    let said: Vec<_> = fill
        .refused
        .iter()
        .map(|(row, problem)| format!("{row}: {problem}"))
        .collect();
    assert!(
        said[0].starts_with(&format!("0: {:?} stays as it was: ", id(0))),
        "{said:?}"
    );
    assert!(said[0].contains("NaN"), "{said:?}");
    assert!(
        said[1].starts_with(&format!("1: {:?} stays as it was: ", id(1))),
        "{said:?}"
    );
    assert_eq!(
        fill.refused[2].1,
        world
            .set_aabb(id(2), Aabb::new([0.0; 2], [9.0, 1.0]).unwrap())
            .unwrap_err()
    );
    for id in ids.into_iter().flatten() {
        assert_eq!(world.get(id), before.get(id));
    }
}
