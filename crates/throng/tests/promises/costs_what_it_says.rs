//! Promise: a row costs what its columns and its sorted record cost, and what is not used is not
//! paid for.

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CountPairs, DoubleGridConfig,
    LooseQuadtreeConfig, Masks, MemoryReport, OversizedStructure, PairMode, Proxy, StripsConfig,
};
use throng_scenes::{BoxScene, hundred_giants, log_uniform_boxes, uniform};

const ROWS: usize = 200_000;

/// A world at rest: after a few steps in the same place.
fn world(pairs: PairMode, proxy: impl Fn(Proxy) -> Proxy) -> Broadphase {
    let scene = uniform(ROWS, 1.0, 1);
    let mut units = CategoryConfig::uniform("units", scene.half[0]).coarse();
    units.pairs = pairs;
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    let proxies = scene.xs.iter().zip(&scene.ys);
    let proxies = proxies.map(|(&x, &y)| proxy(Proxy::centered([x, y], scene.half).unwrap()));
    assert_eq!(world.insert_batch(proxies).refused, []);
    for _ in 0..4 {
        world.step(&CountPairs);
    }
    world
}

fn per_row(bytes: usize) -> f64 {
    bytes as f64 / ROWS as f64
}

fn columns(memory: &MemoryReport) -> [usize; 4] {
    let units = &memory.categories[0];
    [units.half_extents, units.keys, units.masks, units.disabled]
        // A palette of a few masks is not a cost per row.
        .map(|bytes| (per_row(bytes) - 0.01).ceil() as usize)
}

#[test]
fn what_is_not_used_is_not_paid_for() {
    let plain = world(PairMode::Coarse, |proxy| proxy).memory();
    assert_eq!(columns(&plain), [0, 0, 0, 0]);
    assert_eq!(
        columns(&world(PairMode::Coarse, |proxy| proxy.key(1)).memory()),
        [0, 8, 0, 0]
    );
    assert_eq!(
        columns(&world(PairMode::Coarse, |proxy| proxy.masks(throng::Masks::NONE)).memory()),
        [0, 0, 2, 0]
    );
    let all_of_the_bound = world(PairMode::Exact, |proxy| proxy).memory();
    assert_eq!(columns(&all_of_the_bound), [0, 0, 0, 0]);
    let of_their_own = world(PairMode::Exact, |proxy| {
        let half = proxy.aabb().half_extents().map(|half| 0.5 * half);
        Proxy::centered(proxy.aabb().center(), half).unwrap()
    });
    assert_eq!(columns(&of_their_own.memory()), [8, 0, 0, 0]);
    assert_eq!(
        columns(&world(PairMode::Coarse, Proxy::disabled).memory()),
        [0, 0, 0, 1]
    );
}

#[test]
fn at_most_sixty_four_bytes_with_keys_and_masks() {
    let masks = throng::Masks::new(1, 1);
    let world = world(PairMode::Coarse, |proxy| proxy.key(1).masks(masks));
    let memory = world.memory();
    assert_eq!(memory.total(), world.report().bytes);
    let units = &memory.categories[0];
    assert_eq!(
        units.total()
            + memory.slots
            + memory.arenas
            + memory.commands
            + memory.outputs
            + memory.filters,
        memory.total()
    );
    println!("{memory}");
    let total = per_row(memory.total());
    assert!(total <= 64.0, "{total:.1} bytes per row:\n{memory}");
    assert!(per_row(units.index) <= 24.0, "{memory}");
}

/// What the index of an oversized category takes for each of its rows, after some frames.
fn index_bytes_per_row(scene: &BoxScene, structure: OversizedStructure) -> f64 {
    let giants = CategoryConfig::oversized("giants").structure(structure);
    let mut world =
        Broadphase::new(BroadphaseConfig::new().category(giants.meets_nothing())).unwrap();
    let boxes = (0..scene.len()).map(|row| Proxy::moving(scene.aabb(row).unwrap()));
    assert_eq!(world.insert_batch(boxes).refused, []);
    for _ in 0..4 {
        world.refresh();
    }
    let memory = world.memory();
    println!("{}, {structure:?}: {memory}", scene.name);
    memory.categories[0].index as f64 / scene.len() as f64
}

/// Whether they cover a hundredth of the world or all of it.
#[test]
fn giants_cost_no_more_memory_than_others() {
    const N: usize = 20_000;
    let everywhere = throng::Aabb::from_center([0.0; 2], [1e6; 2]).unwrap();
    let scenes = [
        log_uniform_boxes(N, [1.0, 100.0], 1.0, 1),
        log_uniform_boxes(N, [1.0, 100_000.0], 1.0, 2),
        log_uniform_boxes(N, [1.0, 100.0], 500.0, 3),
        hundred_giants(N, 4),
        BoxScene::new("all cover everything", (0..N).map(|_| everywhere)),
    ];
    for scene in &scenes {
        let structures: [(OversizedStructure, f64); 3] = [
            (StripsConfig::new().into(), 240.0),
            (DoubleGridConfig::new().into(), 140.0),
            (LooseQuadtreeConfig::new().into(), 120.0),
        ];
        for (structure, most) in structures {
            let bytes = index_bytes_per_row(scene, structure);
            // Four sides, at least, and what the structure stores.
            let range = 32.0..=most;
            assert!(
                range.contains(&bytes),
                "{}, {structure:?}: {bytes:.1}",
                scene.name
            );
        }
    }
}

#[test]
fn memory_comes_back_when_asked_for() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::oversized("giants"))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let at = |k: usize| [(k % 200) as f32 * 9.0, (k / 200) as f32 * 9.0];
    let masks = |k: usize| Masks::new(1 + k as u64, !0);
    let units = (0..20_000).map(|k| {
        Proxy::centered(at(k), [1.0; 2])
            .unwrap()
            .key(7)
            .masks(masks(k))
    });
    let giants = (0..20_000).map(|k| Proxy::centered(at(k), [5.0; 2]).unwrap());
    let walls = (0..20_000).map(|k| Proxy::fixed(Aabb::from_center(at(k), [1.0; 2]).unwrap()));
    let ids = world.insert_batch(units.chain(giants).chain(walls)).ids;
    let pairs = world.step_pairs().report().pairs;
    assert!(pairs > 20_000);
    let most = world.memory().total();
    world.shrink_to_fit();
    assert_eq!(world.step_pairs().report().pairs, pairs);

    let kept: Vec<_> = ids.iter().flatten().copied().step_by(600).collect();
    world.remove_batch(ids.into_iter().flatten().filter(|id| !kept.contains(id)));
    let few = world.step_pairs().report().pairs;
    world.shrink_to_fit();
    let memory = world.memory();
    // The slots behind the ids must remember which ids were given out.
    let least = memory.slots;
    assert!(
        memory.total() - least < most / 20,
        "{most} bytes, now\n{memory}"
    );
    world.validate().unwrap();
    let mut found = 0;
    let all = world
        .query()
        .query_aabb(&Aabb::EVERYWHERE, |_| -> std::ops::ControlFlow<()> {
            found += 1;
            std::ops::ControlFlow::Continue(())
        });
    assert!(all.unwrap().is_continue());
    assert_eq!((found, world.step_pairs().report().pairs), (100, few));
}

/// Whatever has been allocated shows where it belongs, and is not smaller than what is in it.
#[test]
fn what_is_held_is_counted() {
    let units = || CategoryConfig::uniform("units", 1.0).coarse();
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units())).unwrap();
    world.step(&CountPairs);
    assert_eq!((world.memory().arenas, world.memory().commands), (0, 0));

    let category = world.category("units").unwrap();
    world.reserve(category, 1000).unwrap();
    let proxy = |k: usize| Proxy::centered([3.0 * k as f32, 0.0], [1.0; 2]).unwrap();
    world.insert(proxy(0).key(7)).unwrap();
    let memory = world.memory();
    assert!(
        memory.categories[0].keys >= 8000,
        "as much room as the others have: {memory}"
    );

    let mut sender = world.sender();
    for k in 1..500 {
        sender.insert(proxy(k));
    }
    world.step(&CountPairs);
    assert!(
        world.memory().commands >= 500 * size_of::<Proxy>(),
        "{}",
        world.memory()
    );

    let ids: Vec<_> = world.proxies(category).step_by(2).collect();
    world.remove_batch(ids);
    let noted = 12 * 250;
    assert!(
        world.memory().categories[0].journal >= noted,
        "{}",
        world.memory()
    );
}
