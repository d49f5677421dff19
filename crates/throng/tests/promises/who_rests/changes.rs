//! Who is reported to have come to rest, and to have woken.

use std::collections::BTreeSet;

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CollectPairs, Proxy, ProxyId, Resting,
};

use super::{Panics, crates, row_of, step_times};

/// Those that woke with the last step, and those that came to rest, by their number in the row.
fn changes(world: &Broadphase, ids: &[ProxyId]) -> [Vec<usize>; 2] {
    let number = |id| {
        ids.iter()
            .position(|&of| of == id)
            .expect("it is one of them")
    };
    [
        world.woken().map(number).collect(),
        world.came_to_rest().map(number).collect(),
    ]
}

fn none() -> [Vec<usize>; 2] {
    [Vec::new(), Vec::new()]
}

/// Three at rest, whose last step is the one in which they came to rest.
fn three_at_rest(category: CategoryConfig) -> (Broadphase, Vec<ProxyId>) {
    let (mut world, ids) = row_of(3, category);
    step_times(&mut world, 2);
    assert_eq!(changes(&world, &ids), none());
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), [vec![], vec![0, 1, 2]]);
    (world, ids)
}

#[test]
fn each_is_told_once() {
    let (mut world, ids) = three_at_rest(crates().rests_after(1));
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), none(), "they go on resting");

    world.set_center(ids[2], [3.1, 0.0]).unwrap();
    world.set_resting(ids[0], false).unwrap();
    world.refresh();
    assert_eq!(changes(&world, &ids), none(), "a refresh is no step");
    world.set_center(ids[2], [3.2, 0.0]).unwrap();
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), [vec![0, 2], vec![]]);
    step_times(&mut world, 2);
    assert_eq!(changes(&world, &ids), [vec![], vec![0, 2]]);
}

/// Two are due; one of them moves just before the step in which it would rest.
#[test]
fn who_is_woken_before_it_rests_is_not_told_of() {
    let (mut world, ids) = row_of(2, crates().rests_after(1));
    step_times(&mut world, 2);
    world.set_center(ids[0], [0.1, 0.0]).unwrap();
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), [vec![], vec![1]]);
}

#[test]
fn who_is_gone_did_not_wake() {
    let (mut world, mut ids) = three_at_rest(crates().rests_after(1));
    world.remove(ids[1]).unwrap();
    // It gets the slot, and comes to rest in turn.
    let center = Proxy::centered([1.5, 0.0], [1.0; 2]).unwrap();
    ids[1] = world.insert(center).unwrap();
    assert_eq!(ids[1].index(), 1, "the slot of the one that is gone");
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), none());
    step_times(&mut world, 2);
    assert_eq!(changes(&world, &ids), [vec![], vec![1]]);

    world.clear();
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &[]), none());
}

/// One that rests in the second category is removed, and another gets its slot, in the first, and is woken before the next step.
#[test]
fn who_gets_the_slot_of_one_at_rest_has_not_woken() {
    for reconfigures in [false, true] {
        let category = |name| CategoryConfig::uniform(name, 1.0).rests_after(1);
        let config = BroadphaseConfig::new().category(category("a"));
        let config = config.category(category("b"));
        let mut world = Broadphase::new(config).unwrap();
        let proxy = |category| {
            let proxy = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
            proxy.in_category(CategoryId::new(category))
        };
        let old = world.insert(proxy(1)).unwrap();
        step_times(&mut world, 3);
        assert_eq!(world.is_resting(old), Ok(true));
        world.remove(old).unwrap();
        let new = world.insert(proxy(0)).unwrap();
        assert_eq!(new.index(), old.index());
        world.set_owner(new, 7).unwrap();
        if reconfigures {
            let mut config = world.config().clone();
            config.world_tag = Some(world.world_tag());
            config.max_pairs = Some(1000);
            config.categories[0].half_extents = [2.0; 2];
            world.reconfigure(config).unwrap();
        }
        step_times(&mut world, 1);
        assert_eq!(world.woken().count(), 0, "reconfigures: {reconfigures}");
        step_times(&mut world, 2);
        assert!(world.came_to_rest().eq([new]));
    }
}

#[test]
fn who_is_disabled_wakes_once() {
    let (mut world, ids) = three_at_rest(crates().rests_after(1));
    world.set_enabled(ids[1], false).unwrap();
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), [vec![1], vec![]]);
    step_times(&mut world, 4);
    world.set_enabled(ids[1], true).unwrap();
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), none(), "it has not rested");
    step_times(&mut world, 2);
    assert_eq!(changes(&world, &ids), [vec![], vec![1]]);
}

#[test]
fn all_wake_when_the_world_is_reconfigured() {
    let (mut world, ids) = three_at_rest(crates().rests_after(1));
    let mut config = world.config().clone();
    config.world_tag = Some(world.world_tag());
    config.categories[0].rests = Resting::Never;
    world.reconfigure(config).unwrap();
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), [vec![0, 1, 2], vec![]]);
    step_times(&mut world, 3);
    assert_eq!(changes(&world, &ids), none());
}

/// Whoever wakes for a step that panics is told of by the next one; so is whoever was to come to rest with it.
#[test]
fn a_step_that_panics_loses_nobody() {
    let (mut world, ids) = three_at_rest(crates().rests_after(1));
    let panics = |world: &mut Broadphase| {
        let step = std::panic::AssertUnwindSafe(|| {
            world.step(&Panics(true));
        });
        assert!(std::panic::catch_unwind(step).is_err());
    };
    world.set_center(ids[1], [1.6, 0.0]).unwrap();
    panics(&mut world);
    assert_eq!(
        changes(&world, &ids),
        [vec![], vec![0, 1, 2]],
        "of the last that finished"
    );
    step_times(&mut world, 1);
    assert_eq!(changes(&world, &ids), [vec![1], vec![]]);

    // From here on, whoever is reported must be who does.
    let mut at_rest: BTreeSet<usize> = [0, 2].into();
    for step in 0..9 {
        if step == 3 {
            world.set_center(ids[0], [0.1, 0.0]).unwrap();
            panics(&mut world);
        }
        world.step(&CollectPairs);
        let [woken, came] = changes(&world, &ids);
        assert!(woken.iter().all(|of| at_rest.remove(of)), "step {step}");
        assert!(came.iter().all(|&of| at_rest.insert(of)), "step {step}");
        let rest = (0..3).filter(|&of| world.is_resting(ids[of]) == Ok(true));
        assert!(rest.eq(at_rest.iter().copied()), "step {step}");
    }
    assert_eq!(at_rest.len(), 3);
}
