//! Promise: a collected pair tells its rows, and so its categories, its proxies and their keys.

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proxy};

#[test]
fn pairs_have_the_categories_and_keys_of_both() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::oversized("dragons"));
    let mut world = Broadphase::new(config).unwrap();
    let mut insert = |x: f32, half: f32, key: u64| {
        let proxy = Proxy::centered([x, 0.0], [half; 2]).unwrap();
        world.insert(proxy.key(key)).unwrap()
    };
    let ids =
        [(0.0, 1.0, 0), (1.0, 1.0, 0), (2.5, 3.0, 7)].map(|(x, half, key)| insert(x, half, key));
    let step = world.step_pairs();
    let units_and_dragons = [CategoryId::new(0), CategoryId::new(1)];
    let expected = [[ids[0], ids[1]], [ids[0], ids[2]], [ids[1], ids[2]]];
    let found = step
        .pairs()
        .map(|pair| pair.map(|row| step.world().proxy_at(row).unwrap()));
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    assert_eq!(found, expected);
    let mixed = step
        .pairs()
        .filter(|pair| pair.map(|row| row.category) == units_and_dragons);
    assert_eq!(mixed.count(), 2);
    let mut keys: Vec<_> = step.keys().collect();
    keys.sort_unstable();
    assert_eq!(keys, [[0, 0], [0, 7], [0, 7]]);
}
