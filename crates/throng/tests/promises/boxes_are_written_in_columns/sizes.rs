//! Sizes: where they are stored and counted, and who wakes when one changes.

use throng::{
    Aabb, AabbFill, Broadphase, BroadphaseConfig, CategoryConfig, DoubleGridConfig,
    LooseQuadtreeConfig, OversizedStructure, Placement, Proxy, ProxyId, Serial, StripsConfig,
};

use crate::common::{category, ordered_pairs};

#[test]
fn sizes_of_a_coarse_category_are_those_that_were_last_given() {
    let clouds = CategoryConfig::uniform("clouds", 8.0).coarse();
    let mut world = Broadphase::new(BroadphaseConfig::new().category(clouds)).unwrap();
    world.insert_batch((0..100).map(|_| Proxy::centered([0.0; 2], [1.0; 2]).unwrap()));
    let halves: Vec<[f32; 2]> = (0..100)
        .map(|row| [if row < 30 { 2.0 } else { 4.0 }; 2])
        .collect();
    let mut boxes = world.aabbs_mut(category(0)).unwrap();
    let fill = boxes.fill_from_centers(&[[0.0; 2]; 100], &halves).unwrap();
    assert_eq!(fill, AabbFill::default());
    world.refresh();
    let sizes = world.report().categories[0].sizes.steps();
    let counts: Vec<_> = sizes.map(|step| (step.up_to, step.count)).collect();
    assert_eq!(counts, [(2.0, 30), (4.0, 70)]);

    let nothing = [([0.0; 2], [f32::NAN; 2]); 100];
    let fill = world.aabbs_mut(category(0)).unwrap().fill_from(&nothing);
    assert_eq!(fill.unwrap().refused.len(), 100);
    world.refresh();
    assert_eq!(world.report().categories[0].sizes.total(), 100, "as it was");
}

#[test]
fn sizes_are_stored_once_one_differs_and_not_before() {
    let units = CategoryConfig::uniform("units", 1.0);
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    world.insert_batch((0..40).map(|n| Proxy::centered([n as f32 * 3.0, 0.0], [1.0; 2]).unwrap()));
    let stored = |world: &Broadphase| world.memory().categories[0].half_extents > 0;
    let mut halves = vec![[1.0_f32; 2]; 40];
    let centers: Vec<[f32; 2]> = (0..40).map(|n| [n as f32, n as f32 * 0.5]).collect();
    let fill = |world: &mut Broadphase, halves: &[[f32; 2]]| {
        let mut boxes = world.aabbs_mut(category(0)).unwrap();
        let fill = boxes.fill_from_centers(&centers, halves).unwrap();
        assert_eq!(fill, AabbFill::default());
        world.validate().unwrap();
        ordered_pairs(world, &Serial).len()
    };
    let alike = fill(&mut world, &halves);
    assert!(!stored(&world));
    let none_stored = world.clone();
    // Among the first, among those in the middle that are looked at together, and among the last.
    for row in [3, 20, 39] {
        world.clone_from(&none_stored);
        halves[row] = [0.25; 2];
        let one_differs = fill(&mut world, &halves);
        assert!(stored(&world) && one_differs < alike, "{row}");
        halves[row] = [1.0; 2];
        assert_eq!(fill(&mut world, &halves), alike);
    }
}

#[test]
fn who_rests_wakes_when_its_size_changes() {
    let resting = |category: CategoryConfig| category.rests_after(1);
    let crates = resting(CategoryConfig::uniform("crates", 1.0));
    let mut world = Broadphase::new(BroadphaseConfig::new().category(crates)).unwrap();
    let boxes: Vec<Aabb> = (0..50)
        .map(|n| Aabb::from_center([n as f32, 0.0], [0.75; 2]).unwrap())
        .collect();
    let ids = world
        .insert_batch(boxes.iter().map(|&aabb| Proxy::moving(aabb)))
        .ids;
    let fill = |world: &mut Broadphase, boxes: &[Aabb]| {
        let fill = world.aabbs_mut(category(0)).unwrap().fill_from(boxes);
        assert_eq!(fill.unwrap(), AabbFill::default());
        ordered_pairs(world, &Serial).len()
    };
    for _ in 0..6 {
        fill(&mut world, &boxes);
    }
    let resting = |world: &Broadphase| -> Vec<usize> {
        let rests = |n: &usize| world.is_resting(ids[*n].unwrap()).unwrap();
        (0..50).filter(rests).collect()
    };
    assert_eq!(resting(&world).len(), 50, "written to where they are");

    let mut others = boxes.clone();
    others[7] = Aabb::from_center([7.0, 0.0], [0.5; 2]).unwrap();
    others[33] = Aabb::from_center([33.0, 0.0], [0.75, 0.5]).unwrap();
    fill(&mut world, &others);
    let expected: Vec<usize> = (0..50).filter(|n| ![7, 33].contains(n)).collect();
    assert_eq!(resting(&world), expected);
    world.validate().unwrap();

    let some = [boxes[12], others[7]];
    let fill = world
        .aabbs_mut(category(0))
        .unwrap()
        .set_rows(&[12, 7], &some);
    assert_eq!(fill.unwrap(), AabbFill::default());
    world.step_pairs();
    assert_eq!(resting(&world).len(), 48, "nothing has changed");
    let moved = Aabb::from_center([20.5, 0.0], [0.75; 2]).unwrap();
    let fill = world
        .aabbs_mut(category(0))
        .unwrap()
        .set_rows(&[20], &[moved]);
    assert_eq!(fill.unwrap(), AabbFill::default());
    world.step_pairs();
    assert!(!resting(&world).contains(&20));
}

#[test]
fn a_size_that_changes_is_seen_where_nobody_moves() {
    type Grow = fn(&mut Broadphase, ProxyId, &[Aabb]);
    let ways: [Grow; 3] = [
        |world, id, boxes| assert_eq!(world.set_aabb(id, boxes[20]), Ok(Placement::Stayed)),
        |world, _, boxes| {
            let fill = world.aabbs_mut(category(0)).unwrap().fill_from(boxes);
            assert_eq!(fill, Ok(AabbFill::default()));
        },
        |world, _, boxes| {
            let mut all = world.aabbs_mut(category(0)).unwrap();
            assert_eq!(all.set_rows_from(&[20], boxes), Ok(AabbFill::default()));
        },
    ];
    let uniform = CategoryConfig::uniform("crates", 2.0);
    let oversized =
        |structure: OversizedStructure| CategoryConfig::oversized("crates").structure(structure);
    for crates in [
        uniform,
        oversized(StripsConfig::new().into()),
        oversized(DoubleGridConfig::new().into()),
        oversized(LooseQuadtreeConfig::new().into()),
    ] {
        for grow in ways {
            let config = BroadphaseConfig::new().category(crates.clone().rests_after(100));
            let mut world = Broadphase::new(config).unwrap();
            let mut boxes: Vec<Aabb> = (0..50)
                .map(|n| Aabb::from_center([n as f32 * 2.0, 0.0], [0.75; 2]).unwrap())
                .collect();
            let ids = world.insert_batch(boxes.iter().map(|&aabb| Proxy::moving(aabb)));
            for _ in 0..4 {
                assert_eq!(ordered_pairs(&mut world, &Serial), []);
            }
            boxes[20] = Aabb::from_center([40.0, 0.0], [1.5; 2]).unwrap();
            grow(&mut world, ids.ids[20].unwrap(), &boxes);
            assert_eq!(ordered_pairs(&mut world, &Serial).len(), 2);
            // And such a frame is not one in which nothing has changed.
            let quiet = world.report().categories[0].activity.quiet;
            let mut smaller = boxes.clone();
            smaller[20] = Aabb::from_center([40.0, 0.0], [0.5; 2]).unwrap();
            grow(&mut world, ids.ids[20].unwrap(), &smaller);
            assert_eq!(ordered_pairs(&mut world, &Serial), []);
            assert_eq!(world.report().categories[0].activity.quiet, quiet);
        }
    }
}
