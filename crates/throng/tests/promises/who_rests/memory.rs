//! What pairs that rest take is let go.

use throng::CountPairs;

use super::{crates, row_of};

/// Many rest on one spot, and wake; far fewer pairs rest from then on.
#[test]
fn what_a_crowd_at_rest_took_is_let_go_by_itself() {
    const CRATES: usize = 400;
    let (mut world, ids) = row_of(CRATES, crates().rests_after(1));
    let mut place = |gap: f32| {
        for (k, &id) in ids.iter().enumerate() {
            world.set_center(id, [gap * k as f32, 0.0]).unwrap();
        }
        for _ in 0..4 {
            world.step(&CountPairs);
        }
        (world.resting_pairs().len(), world.memory().resting)
    };
    let (pairs, bytes) = place(0.0);
    assert_eq!(pairs, CRATES * (CRATES - 1) / 2);
    assert!(bytes >= pairs * 40);
    assert_eq!(place(1.6).0, CRATES - 1);
    let mut y = 0.0;
    for _ in 0..700 {
        // One goes on moving, and the others rest.
        y += 0.001;
        world.set_center(ids[0], [0.0, y]).unwrap();
        world.step(&CountPairs);
    }
    assert!(world.resting_pairs().len() >= CRATES - 3);
    let left = world.memory().resting;
    assert!(left < bytes / 10, "{left} of {bytes}");
}
