//! What events take is counted, and let go.

use crate::common::world_of;
use throng::PairMode;
use throng_scenes::uniform;

#[test]
fn what_was_listed_for_events_is_counted_and_let_go() {
    let scene = uniform(2000, 4.0, 4);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    world.step_pairs();
    assert_eq!(world.memory().events, 0);
    assert_eq!(world.memory().categories[0].then, 0);
    let mut config = world.config().clone().pair_slots(true);
    config.categories[0].events = throng::EventsWith::Everybody;
    world.reconfigure(config).unwrap();
    let pairs = world.step_pairs().report().pairs as usize;
    let memory = world.memory();
    assert!(memory.events >= pairs * (8 + 20), "{memory}");
    assert!(memory.categories[0].then >= 2000 * 8, "{memory}");
    world.clear();
    world.step_pairs();
    world.step_pairs();
    world.shrink_to_fit();
    assert!(
        world.memory().events < memory.events / 10,
        "{}",
        world.memory()
    );
}
