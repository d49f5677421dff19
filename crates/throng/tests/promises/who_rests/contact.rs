//! Where it is wanted, whoever rests wakes when something that moves touches it.

use super::{counts, crates, resting, row_of, step_times};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Proxy, ProxyId,
};

use crate::common::Threads;

/// Crates in a row that all rest, and a ball that rolls towards the first of them.
fn crates_and_ball(crates: CategoryConfig, ball: CategoryConfig) -> (Broadphase, Vec<ProxyId>) {
    let config = BroadphaseConfig::new()
        .category(crates)
        .category(ball)
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let unit = |x: f32, category| {
        let unit = Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
        unit.in_category(CategoryId::new(category))
    };
    let mut ids: Vec<_> = (0..3)
        .map(|k| world.insert(unit(1.5 * k as f32, 0)).unwrap())
        .collect();
    ids.push(world.insert(unit(-9.0, 1)).unwrap());
    let ground = Aabb::new([-20.0, 1.0], [20.0, 2.0]).unwrap();
    world.insert(Proxy::fixed(ground)).unwrap();
    step_times(&mut world, 5);
    (world, ids)
}

#[test]
fn contact_with_what_moves_wakes_where_that_is_wanted() {
    let ball = || CategoryConfig::uniform("balls", 1.0).rests_after(2);
    let (mut world, ids) = crates_and_ball(crates().rests_after(2).wakes_on_contact(), ball());
    let roll = |world: &mut Broadphase, x: f32| world.set_center(ids[3], [x, 0.0]).unwrap();
    assert_eq!(
        resting(&world, &ids),
        [true; 4],
        "though they touch each other, and the ground"
    );
    roll(&mut world, -3.0);
    world.step_pairs();
    assert_eq!(
        resting(&world, &ids),
        [true, true, true, false],
        "not there yet"
    );
    roll(&mut world, -1.8);
    world.step_pairs();
    assert_eq!(
        resting(&world, &ids),
        [true, true, true, false],
        "from the next step on"
    );
    roll(&mut world, -1.7);
    let step = world.step_pairs();
    let pairs: Vec<_> = step
        .pairs()
        .map(|pair| pair.map(|at| (at.category.index(), at.row)))
        .collect();
    assert_eq!(
        pairs.len(),
        4,
        "the ball, the other crate and the ground, and the ball and the ground: {pairs:?}"
    );
    assert_eq!(
        resting(&world, &ids),
        [false, true, true, false],
        "who has not moved wakes nobody"
    );
    // Touched for as long as the ball moves.
    for x in [-1.6, -1.5, -1.4, -1.3, -1.2] {
        roll(&mut world, x);
        world.step_pairs();
    }
    assert_eq!(resting(&world, &ids)[1..], [true, true, false]);
    // All balls have moved, which is why it is noticed later that none does any more.
    step_times(&mut world, 24);
    assert_eq!(resting(&world, &ids), [true; 4], "it lies still");
    // Who is pushed, and so is moved, wakes the next one.
    world.set_center(ids[0], [0.1, 0.0]).unwrap();
    world.step_pairs();
    world.step_pairs();
    assert_eq!(resting(&world, &ids), [false, false, true, true]);

    // Where it is not wanted, nobody wakes.
    let (mut world, ids) = crates_and_ball(crates().rests_after(2), ball());
    for x in [-1.8, -1.7, -1.6] {
        world.set_center(ids[3], [x, 0.0]).unwrap();
        world.step_pairs();
    }
    assert_eq!(resting(&world, &ids), [true, true, true, false]);
}

/// While everything in a category moves, its rows are looked at in turns, and not counted.
#[test]
fn contact_with_one_of_many_that_all_move_wakes() {
    for (what, is_new, is_loaded) in [
        ("moves on", false, false),
        ("is new", true, false),
        ("moves on after a level was loaded", false, true),
    ] {
        let bees = CategoryConfig::uniform("bees", 1.0).meets(["crates"]);
        let config = BroadphaseConfig::new()
            .category(crates().rests_after(2).wakes_on_contact())
            .category(bees.rests_after(2))
            .category(CategoryConfig::scenery("walls"));
        let (bees, walls) = (CategoryId::new(1), CategoryId::new(2));
        let mut world = Broadphase::new(config).unwrap();
        let at = |x: f32, y: f32, category| {
            let proxy = Proxy::centered([x, y], [1.0; 2]).unwrap();
            proxy.in_category(category)
        };
        let a_crate = world.insert(at(0.0, 0.0, CategoryId::new(0))).unwrap();
        for k in 0..300 {
            world.insert(at(k as f32, 100.0, bees)).unwrap();
        }
        let mut ys: Vec<f32> = vec![100.0; 300];
        let mut fly = |world: &mut Broadphase| {
            ys.iter_mut().for_each(|y| *y += 0.25);
            let xs: Vec<f32> = (0..world.rows(bees)).map(|k| k as f32).collect();
            ys.resize(xs.len(), 0.0);
            assert_eq!(
                world
                    .centers_mut(bees)
                    .unwrap()
                    .fill_from(&xs, &ys)
                    .unwrap()
                    .rejected,
                0
            );
            world.step_pairs();
        };
        (0..4).for_each(|_| fly(&mut world));
        if is_loaded {
            let level = world.pack_scenery(walls).unwrap();
            world.load_scenery(walls, &level).unwrap();
        }
        (0..6).for_each(|_| fly(&mut world));
        assert_eq!(resting(&world, &[a_crate]), [true]);
        let comes = if is_new {
            world.insert(at(0.0, 50.0, bees)).unwrap()
        } else {
            world.proxies(bees).next().unwrap()
        };
        world.set_center(comes, [0.5, 0.5]).unwrap();
        world.step_pairs();
        world.set_center(comes, [0.5, 0.75]).unwrap();
        world.step_pairs();
        assert_eq!(resting(&world, &[a_crate]), [false], "one that {what}");
    }
}

#[test]
fn in_a_category_that_never_rests_everybody_counts_as_moving() {
    let ball = CategoryConfig::uniform("balls", 1.0);
    let (mut world, ids) = crates_and_ball(crates().rests_when_told().wakes_on_contact(), ball);
    let crates = &ids[..3];
    for &id in crates {
        world.set_resting(id, true).unwrap();
    }
    step_times(&mut world, 3);
    assert_eq!(resting(&world, crates), [true; 3]);
    world.set_center(ids[3], [4.5, 0.0]).unwrap();
    world.step_pairs();
    assert_eq!(resting(&world, crates), [true; 3]);
    // The pairs that it had go back to the narrowphase.
    assert_eq!(counts(&mut world), (4, 3));
    assert_eq!(resting(&world, crates), [true, true, false]);
    step_times(&mut world, 9);
    assert_eq!(
        resting(&world, crates),
        [true, true, false],
        "until it is told"
    );
}

/// What is touched all the time does not come to rest in between.
#[test]
fn who_is_touched_in_every_step_stays_awake() {
    for steps in [1, 2, 6] {
        let config = BroadphaseConfig::new()
            .category(crates().rests_after(steps).wakes_on_contact())
            .category(CategoryConfig::uniform("players", 1.0));
        let mut world = Broadphase::new(config).unwrap();
        let at = |x: f32| Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
        let ids = [0.0, 50.0].map(|x| world.insert(at(x)).unwrap());
        let player = at(1.5).in_category(CategoryId::new(1));
        let player = world.insert(player).unwrap();
        for step in 0..20 {
            assert_eq!(counts(&mut world), (1, 0), "step {step} of {steps}");
            assert!(!world.is_resting(ids[0]).unwrap(), "step {step} of {steps}");
        }
        assert!(world.is_resting(ids[1]).unwrap(), "nobody touches it");
        world.remove(player).unwrap();
        step_times(&mut world, steps as usize + 2);
        assert!(world.is_resting(ids[0]).unwrap());
    }
}

/// A step that is cut has the pairs that are left of it, on any number of threads.
#[test]
fn contact_that_is_cut_off_wakes_nobody() {
    let config = BroadphaseConfig::new()
        .max_pairs(3000)
        .category(crates().rests_after(1).wakes_on_contact())
        .category(CategoryConfig::uniform("balls", 1.0));
    for threads in [1, 3] {
        let mut world = Broadphase::new(config.clone()).unwrap();
        let fill = |world: &mut Broadphase, category, shift| {
            for k in 0..8000 {
                let unit = Proxy::centered([3.0 * k as f32 + shift, 0.0], [1.0; 2]).unwrap();
                world
                    .insert(unit.in_category(CategoryId::new(category)))
                    .unwrap();
            }
        };
        fill(&mut world, 0, 0.0);
        step_times(&mut world, 4);
        fill(&mut world, 1, 0.5);
        let step = world.step_on(&Threads(threads), &CountPairs);
        let left = step.report().pairs as usize;
        assert!(
            step.report().cut.is_some() && (1000..=3000).contains(&left),
            "{left}"
        );
        world.refresh();
        // One ball for each crate.
        assert_eq!(world.report().resting, 8000 - left);
    }
}

/// As the guide says of saved games: those that do not rest are new in the first step, and would wake the others.
#[test]
fn a_world_is_loaded_at_rest_in_two_steps() {
    let rests = |k: usize| !k.is_multiple_of(3);
    let told = |steps_before: usize| {
        let (mut world, ids) = row_of(31, crates().rests_when_told().wakes_on_contact());
        step_times(&mut world, steps_before);
        for k in (0..31).filter(|&k| rests(k)) {
            world.set_resting(ids[k], true).unwrap();
        }
        step_times(&mut world, 3);
        resting(&world, &ids)
    };
    assert_eq!(told(0), [false; 31], "each is touched by one that is new");
    assert!(told(1).into_iter().eq((0..31).map(rests)));
}
