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

/// Everything in one place, so that lists and slots of pairs take a thousand times what they take else.
#[test]
fn what_a_crowd_took_is_let_go_by_itself() {
    let units = throng::CategoryConfig::uniform("units", 1.0).events();
    let config = throng::BroadphaseConfig::new().category(units);
    let mut world = throng::Broadphase::new(config.pair_slots(true)).unwrap();
    let at = |x: f32| throng::Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
    for k in 0..500 {
        world.insert(at(1.5 * k as f32)).unwrap();
    }
    let units = throng::CategoryId::new(0);
    let step = |world: &mut throng::Broadphase, gap: f32| {
        for k in 0..500 {
            let mut centers = world.centers_mut(units).unwrap();
            centers.set(k, [gap * k as f32, 0.0]).unwrap();
        }
        // Whoever comes and goes has slots looked up.
        let id = world.insert(at(-9.0)).unwrap();
        world.step_pairs();
        world.remove(id).unwrap();
        world.memory().events
    };
    for _ in 0..3 {
        step(&mut world, 1.5);
    }
    let before = step(&mut world, 1.5);
    for _ in 0..3 {
        step(&mut world, 0.0);
    }
    let crowd = step(&mut world, 0.0);
    assert!(crowd > 500 * 499 / 2 * 20, "{crowd} bytes");
    for _ in 0..1000 {
        step(&mut world, 1.5);
    }
    let after = step(&mut world, 1.5);
    // What stays are the numbers of the slots that are free.
    let slots = world.pair_slots_len() * size_of::<u32>();
    assert!(
        after < crowd / 8 && after < before + slots,
        "{before}, {crowd}, {after} bytes"
    );
}

/// However the pairs of two categories alternate among those that wake.
#[test]
fn waking_in_two_categories_takes_less_than_twice_the_memory_of_one() {
    let taken = |categories: u32| {
        let mut config = throng::BroadphaseConfig::new();
        for name in ["ants", "bees"].into_iter().take(categories as usize) {
            let category = throng::CategoryConfig::uniform(name, 1.0);
            config = config.category(category.events().rests_after(2));
        }
        let mut world = throng::Broadphase::new(config).unwrap();
        for k in 0..4000_u32 {
            let at = [(k % 200) as f32 * 1.9, (k / 200) as f32 * 3.0];
            let category = throng::CategoryId::new((k % categories) as u16);
            let proxy = throng::Proxy::centered(at, [1.0; 2]).unwrap();
            world.insert(proxy.in_category(category)).unwrap();
        }
        for _ in 0..6 {
            world.step_pairs();
        }
        assert!(world.resting_pairs().len() > 3000);
        let ids: Vec<_> = (0..categories)
            .flat_map(|category| world.proxies(throng::CategoryId::new(category as u16)))
            .collect();
        for id in ids {
            world.set_resting(id, false).unwrap();
        }
        world.step_pairs();
        world.memory().events
    };
    let [of_one, of_two] = [1, 2].map(taken);
    assert!(of_two < 2 * of_one, "{of_one} and {of_two} bytes");
}

/// A slot costs an engine memory as well, in each of its arrays by slot.
#[test]
fn slots_that_are_free_are_taken_back() {
    let units = throng::CategoryConfig::uniform("units", 1.0).events();
    let config = throng::BroadphaseConfig::new().category(units);
    let mut world = throng::Broadphase::new(config.pair_slots(true)).unwrap();
    let at = |x: f32| throng::Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
    let first = [0.0, 1.5].map(|x| world.insert(at(x)).unwrap());
    world.step_pairs();
    let crowd: Vec<_> = (0..30).map(|_| world.insert(at(90.0)).unwrap()).collect();
    world.step_pairs();
    let slots = 1 + 30 * 29 / 2;
    assert_eq!(world.pair_slots_len(), slots);
    world.remove_batch(crowd);
    world.step_pairs();
    assert_eq!(world.pair_slots_len(), slots, "one has a slot");
    world.shrink_to_fit();
    assert_eq!(world.pair_slots_len(), 1, "the first is in use");
    let slots = |world: &mut throng::Broadphase| {
        let step = world.step_pairs();
        step.began().map(|event| event.slot).collect::<Vec<_>>()
    };
    world.insert(at(-1.5)).unwrap();
    assert_eq!(slots(&mut world), [Some(1)]);
    world.remove_batch(first);
    assert_eq!(slots(&mut world), []);
    assert_eq!(world.pair_slots_len(), 2, "those of what has just ended");
    assert_eq!(slots(&mut world), []);
    assert_eq!(world.pair_slots_len(), 0, "no pair has one");
    world.insert(at(0.0)).unwrap();
    assert_eq!(slots(&mut world), [Some(0)]);
}

/// Bullets that come and go between two steps, or without any, are in no pair that could end; what they leave is not kept. Those of
/// the last step end with their keys nevertheless, also if they rest.
#[test]
fn who_comes_and_goes_without_steps_leaves_nothing() {
    for rests in [false, true] {
        let mut units = throng::CategoryConfig::uniform("units", 1.0).events();
        if rests {
            units = units.rests_after(1);
        }
        let mut world =
            throng::Broadphase::new(throng::BroadphaseConfig::new().category(units)).unwrap();
        let at = |x: f32, key| {
            throng::Proxy::centered([x, 0.0], [1.0; 2])
                .unwrap()
                .key(key)
        };
        let lasting: Vec<_> = (0..100)
            .map(|k| world.insert(at(1.5 * k as f32, 1000 + k)).unwrap())
            .collect();
        for _ in 0..3 {
            world.step_pairs();
        }
        let gone: Vec<_> = lasting.iter().copied().step_by(3).collect();
        for id in &gone {
            world.remove(*id).unwrap();
        }
        world.refresh();
        let mut most = 0;
        for k in 0..20_000 {
            let id = world.insert(at(-9.0, k)).unwrap();
            world.remove(id).unwrap();
            if k % 1000 == 0 {
                world.refresh();
            }
            most = most.max(world.memory().events);
        }
        assert!(most < 150_000, "{most}");
        let step = world.step_pairs();
        assert_eq!(step.ended().len(), 66);
        for event in step.ended() {
            for (id, key) in event.ids.into_iter().zip(event.keys) {
                let place = lasting.iter().position(|known| *known == id).unwrap();
                assert_eq!(key, 1000 + place as u64);
            }
        }
    }
}
