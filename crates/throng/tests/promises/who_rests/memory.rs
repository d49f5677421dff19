//! What pairs that rest take is let go.

use throng::CountPairs;

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
