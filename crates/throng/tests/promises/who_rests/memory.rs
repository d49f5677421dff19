//! What pairs that rest take is let go.

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CountPairs, Masks, Proxy, Scenery,
};

use super::{crates, row_of};

/// Many rest on one spot, and wake; far fewer pairs rest from then on.
#[test]
fn what_a_crowd_at_rest_took_is_let_go_by_itself() {
    const CRATES: usize = 400;
    let (mut world, ids) = row_of(CRATES, crates().rests_after(1));
    let mut config = world.config().clone().pair_slots(true);
    config.world_tag = Some(world.world_tag());
    world.reconfigure(config).unwrap();
    let mut place = |gap: f32| {
        for (k, &id) in ids.iter().enumerate() {
            world.set_center(id, [gap * k as f32, 0.0]).unwrap();
        }
        for _ in 0..4 {
            world.step(&CountPairs);
        }
        (world.resting_pairs().len(), world.memory())
    };
    let (pairs, crowd) = place(0.0);
    assert_eq!(pairs, CRATES * (CRATES - 1) / 2);
    assert!(crowd.resting >= pairs * 40 && crowd.events >= pairs * 20);
    assert_eq!(place(1.6).0, CRATES - 1);
    let mut y = 0.0;
    for _ in 0..700 {
        // One goes on moving, and the others rest.
        y += 0.001;
        world.set_center(ids[0], [0.0, y]).unwrap();
        world.step(&CountPairs);
    }
    assert!(world.resting_pairs().len() >= CRATES - 3);
    let left = world.memory();
    assert!(left.resting < crowd.resting / 10, "{left} of {crowd}");
    // What stays are the numbers of the slots that are free.
    let slots = world.pair_slots_len() * size_of::<u32>();
    assert!(left.events < crowd.events / 10 + slots, "{left} of {crowd}");
}

/// Who comes and goes, or changes again and again, without a step in between, leaves nothing behind.
#[test]
fn what_happens_between_two_steps_takes_no_memory_for_ever() {
    let config = BroadphaseConfig::new()
        .category(crates().rests_after(1))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let unit = || Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
    let wall = Aabb::new([5.0; 2], [6.0; 2]).unwrap();
    let [stays, wall] = [unit(), Proxy::fixed(wall)].map(|who| world.insert(who).unwrap());
    for _ in 0..4 {
        world.step(&CountPairs);
    }
    let walls = world.category("walls").unwrap();
    let rocks = Scenery::from_boxes(&[Aabb::new([0.5; 2], [0.75; 2]).unwrap()]).unwrap();
    let mut change_often = |rounds: u32| {
        for round in 0..rounds {
            let masks = Masks::new(1 << (round % 2), u64::MAX);
            let id = world.insert(unit()).unwrap();
            world.set_masks(id, masks).unwrap();
            world.remove(id).unwrap();
            world.set_masks(stays, masks).unwrap();
            world.set_masks(wall, masks).unwrap();
            let rocks = world.add_scenery(walls, &rocks).unwrap();
            world.unload_scenery(rocks).unwrap();
        }
        let memory = world.memory();
        memory
            .categories
            .iter()
            .map(|of| of.stillness + of.index)
            .sum::<usize>()
    };
    let some = change_often(20_000);
    let more = change_often(200_000);
    assert!(more <= some + 1024, "{some} bytes, then {more}");
    world.step(&CountPairs);
    assert!(!world.is_resting(stays).unwrap());
}
