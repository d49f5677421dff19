//! Promise: queued commands have the same effect however the threads that queue them are scheduled.

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CommandDone, Masks, Proxy,
    ProxyId, RowRef,
};

fn world() -> Broadphase {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("small", 1.0).coarse())
        .category(CategoryConfig::uniform("large", 4.0).coarse());
    Broadphase::new(config).unwrap()
}

fn at(x: f32) -> Proxy {
    Proxy::centered([x, 0.0], [0.5, 0.5]).unwrap()
}

#[test]
fn whatever_a_world_can_do_to_a_proxy() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("orcs", 1.0))
        .category(CategoryConfig::uniform("trolls", 4.0));
    let [orcs, trolls] = [0, 1].map(CategoryId::new);
    let mut world = Broadphase::new(config).unwrap();
    // Trolls store no sizes, so whoever leaves them counts as large as the largest that was there.
    let proxy = Proxy::centered([0.0; 2], [0.5; 2]).unwrap();
    let ids = [(); 3].map(|()| world.insert(proxy).unwrap());
    let mut sender = world.sender();
    sender.set_center(ids[0], [3.0, 4.0]);
    sender.set_key(ids[0], 5);
    sender.set_masks(ids[0], Masks::NONE);
    sender.set_enabled(ids[0], false);
    let moved = sender.set_category(ids[0], Some(trolls));
    sender.set_category(ids[1], Some(orcs));
    let back = sender.set_category(ids[0], None);
    let grown = sender.set_aabb(ids[2], Aabb::from_center([0.0; 2], [2.0; 2]).unwrap());
    let nowhere = sender.set_category(ids[1], Some(CategoryId::new(9)));
    world.ingest();
    let outcomes: Vec<_> = world
        .ingested()
        .iter()
        .map(|outcome| outcome.ticket)
        .collect();
    assert_eq!(outcomes, [moved, back, grown, nowhere]);
    let Ok(CommandDone::Migrated(first)) = &world.ingested()[0].result else {
        panic!("{:?}", world.ingested());
    };
    assert_eq!((first.from.category, first.to.category), (orcs, trolls));
    assert!(world.ingested()[3].result.is_err());
    let view = world.get(ids[0]).unwrap();
    assert_eq!(
        (view.center, view.key, view.enabled),
        ([3.0, 4.0], 5, false)
    );
    assert_eq!((view.masks, view.category), (Masks::NONE, orcs));
    assert!(world.get(ids[1]).unwrap().named && !view.named);
    assert_eq!(world.get(ids[2]).unwrap().category, trolls);
}

#[test]
fn senders_in_the_order_of_their_making() {
    const EACH: usize = 500;
    let mut world = world();
    let senders: Vec<_> = (0..4).map(|_| world.sender()).collect();
    std::thread::scope(|scope| {
        // The last one made is the first to start.
        for (number, mut sender) in senders.into_iter().enumerate().rev() {
            scope.spawn(move || {
                for i in 0..EACH {
                    sender.insert(at(i as f32).key((number * EACH + i) as u64));
                }
            });
        }
    });
    world.refresh();
    let keys: Vec<u64> = (0..4 * EACH as u64).collect();
    assert_eq!(
        world.keys(world.category("small").unwrap()),
        Some(&keys[..])
    );
    let ids: Vec<ProxyId> = world.proxies(world.category("small").unwrap()).collect();
    let told = world.ingested().iter().map(|outcome| match outcome.result {
        Ok(CommandDone::Inserted(new)) => new.id,
        ref other => panic!("{other:?}"),
    });
    assert_eq!(told.collect::<Vec<_>>(), ids);
}

#[test]
fn every_command_does_what_the_method_does() {
    let mut world = world();
    let [a, b, c] = [1.0, 2.0, 3.0].map(|x| world.insert(at(x)).unwrap());
    let mut sender = world.sender();
    let masks = Masks::new(2, 3);
    sender.set_center(a, [9.0, 9.0]);
    sender.set_velocity(c, [7.0, 0.5]);
    sender.set_key(a, 5);
    sender.set_masks(a, masks);
    sender.set_enabled(a, false);
    sender.set_owner(c, 6);
    sender.exclude_pair(c, b);
    sender.exclude_pair(a, b);
    sender.include_pair(b, a);
    let grows = sender.set_aabb(b, Aabb::from_center([0.0; 2], [2.0; 2]).unwrap());
    sender.set_aabb(c, Aabb::from_center([4.0, 0.0], [0.25; 2]).unwrap());
    let goes = sender.remove(a);
    assert_eq!(
        world.get(a).unwrap().center,
        [1.0, 0.0],
        "not before the step"
    );

    world.refresh();
    let outcomes = world.ingested();
    assert_eq!(outcomes.len(), 2, "what changed rows");
    let Ok(CommandDone::Migrated(migration)) = outcomes[0].result else {
        panic!("{outcomes:?}")
    };
    let large = world.category("large").unwrap();
    assert_eq!(
        (outcomes[0].ticket, migration.to),
        (
            grows,
            RowRef {
                category: large,
                row: 0
            }
        )
    );
    let Ok(CommandDone::Removed(removed)) = outcomes[1].result else {
        panic!("{outcomes:?}")
    };
    assert_eq!(
        (outcomes[1].ticket, removed.key, removed.swapped_in),
        (goes, 5, Some(c))
    );
    assert_eq!(world.get(c).unwrap().center, [4.0, 0.0]);
    assert_eq!(world.get(c).unwrap().owner, 6);
    assert_eq!(world.velocity(c), Ok([7.0, 0.5]));
    assert!(world.excluded_partners(b).unwrap().eq([c]));
    assert_eq!(world.report().commands, 12);

    world.refresh();
    assert!(world.ingested().is_empty(), "told once");
}

#[test]
fn what_was_ingested_before_a_step_is_in_its_report() {
    let mut world = world();
    let [id, gone] = [0.0, 1.0].map(|x| world.insert(at(x)).unwrap());
    world.remove(gone).unwrap();
    let small = world.category("small").unwrap();
    let mut sender = world.sender();

    sender.insert(at(3.0));
    sender.remove(gone);
    let fill = world
        .centers_mut(small)
        .unwrap()
        .fill_from(&[f32::NAN], &[0.0]);
    assert_eq!(fill.unwrap().rejected, 1);
    world.ingest();
    assert_eq!(world.ingested().len(), 2);
    sender.insert(at(6.0));
    world.ingest();
    assert_eq!(world.ingested().len(), 1, "those of the last ingest");
    // These ingest as well.
    sender.insert(at(9.0));
    world.shrink_to_fit();
    sender.insert(at(12.0));
    world.reconfigure(world.config().clone()).unwrap();
    assert_eq!(world.ingested().len(), 1);
    sender.set_key(id, 3);

    let step = world.step_pairs();
    let report = step.report();
    assert_eq!((report.commands, report.commands_failed), (6, 1));
    let rejected: Vec<_> = report.rejected.iter().map(|one| one.id).collect();
    assert_eq!(rejected, [id]);
    assert_eq!(world.ingested(), []);

    let step = world.step_pairs();
    let report = step.report();
    assert_eq!((report.commands, report.commands_failed), (0, 0));
    assert_eq!(report.rejected, []);
}

#[test]
fn commands_run_even_if_a_config_is_refused() {
    let mut world = world();
    world.sender().insert(at(0.0));
    let too_small = BroadphaseConfig::new().category(CategoryConfig::uniform("small", 0.1));
    world.reconfigure(too_small).unwrap_err();
    assert_eq!((world.len(), world.ingested().len()), (1, 1));
    assert_eq!(world.config().categories.len(), 2);
    assert_eq!(world.step_pairs().report().commands, 1);
}
