//! Promise: advice is given where something is configured badly, says what to change, and is not given where all is
//! well.

use throng::{
    Aabb, Advice, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CategoryKind,
    CountPairs, DoubleGridConfig, LooseQuadtreeConfig, Masks, OversizedStructure, PairMode, Proxy,
    ProxyId, RowOrder, StripsConfig,
};
use throng_scenes::{BoxScene, hundred_giants, log_uniform_squares, lord_of_the_rings_with_walls};

/// A world of things of the given half extents, by turns, on a square of `side` by `side`, after one step.
fn world(config: BroadphaseConfig, side: f32, half_extents: &[f32], count: usize) -> Broadphase {
    let mut world = Broadphase::new(config).unwrap();
    let proxies = (0..count).map(|k| {
        let half = half_extents[k % half_extents.len()];
        Proxy::centered(place(k, side), [half; 2]).unwrap()
    });
    assert_eq!(world.insert_batch(proxies).refused, []);
    world.step(&CountPairs);
    world
}

/// Somewhere in a square, evenly spread.
fn place(k: usize, side: f32) -> [f32; 2] {
    let turn = |ratio: f64| (k as f64 * ratio).fract() as f32 * side;
    // The plastic number's powers: Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018.
    [turn(0.754_877_666_246_692_7), turn(0.569_840_290_998_053_2)]
}

fn config(category: CategoryConfig) -> BroadphaseConfig {
    BroadphaseConfig::new().category(category)
}

fn advice(world: &Broadphase) -> Vec<Advice> {
    world.report().advice()
}

/// The one piece of advice there is.
fn only(world: &Broadphase) -> Advice {
    let advice = advice(world);
    assert_eq!(advice.len(), 1, "{advice:#?}");
    advice.into_iter().next().unwrap()
}

/// Moves every proxy of the categories that move a little, as an engine does with its arrays, and steps.
fn play(world: &mut Broadphase, frames: usize) {
    for frame in 0..frames {
        for category in world.categories() {
            let [xs, ys] = world.centers(category);
            let by = if frame % 2 == 0 { 0.125 } else { -0.125 };
            let (xs, ys): (Vec<f32>, Vec<f32>) = (xs.iter().map(|x| x + by).collect(), ys.to_vec());
            if let Ok(mut centers) = world.centers_mut(category) {
                assert_eq!(centers.fill_from(&xs, &ys).unwrap().rejected, 0);
            }
        }
        world.step(&CountPairs);
    }
}

/// Things of one size in so many categories, which all meet, each named.
fn kinds(bounds: &[f32], each: usize) -> Broadphase {
    let mut config = BroadphaseConfig::new();
    for (kind, &bound) in bounds.iter().enumerate() {
        config = config.category(CategoryConfig::uniform(format!("kind {kind}"), bound));
    }
    kinds_of(config, each)
}

fn kinds_of(config: BroadphaseConfig, each: usize) -> Broadphase {
    let kinds = config.categories.len();
    let mut world = Broadphase::new(config).unwrap();
    let side = ((kinds * each) as f32).sqrt() * 3.0;
    for k in 0..kinds * each {
        let kind = k % kinds;
        let half = 0.95 * world.config().categories[kind].half_extents[0];
        let proxy = Proxy::centered(place(k, side), [half; 2]).unwrap();
        world
            .insert(proxy.in_category(CategoryId::new(kind as u16)))
            .unwrap();
    }
    world.step(&CountPairs);
    world
}

#[test]
fn many_categories_of_one_size_had_better_be_one() {
    let Advice::Merge {
        category,
        with,
        bound,
        rows,
        searches,
        saved,
    } = only(&kinds(&[1.0, 1.1, 1.0, 0.95], 500))
    else {
        panic!("they are alike");
    };
    assert_eq!((&category[..], rows, searches), ("kind 0", 2000, 10));
    assert_eq!(with, ["kind 1", "kind 2", "kind 3"]);
    assert_eq!(bound, [1.1; 2]);
    assert!((0.4..0.6).contains(&saved), "{saved}");
    let given = only(&kinds(&[1.0; 3], 100));
    let text = given.to_string();
    assert!(
        text.starts_with("\"kind 0\": with \"kind 1\", \"kind 2\" it is")
            && text.contains("6 searches"),
        "{text}"
    );
    let mut config = kinds(&[1.0; 3], 100).config().clone();
    assert!(
        !given.apply(&mut config),
        "names are for the code that inserts"
    );
}

/// Two are not many, nor are few rows; others are of another size, or do not all meet, or are sensors.
#[test]
fn categories_that_are_apart_for_a_reason_stay_apart() {
    for world in [
        kinds(&[1.0; 2], 1000),
        kinds(&[1.0; 3], 50),
        kinds(&[1.0, 1.3, 1.0], 1000),
    ] {
        assert_eq!(advice(&world), []);
    }
    let kind = |k: usize| CategoryConfig::uniform(format!("kind {k}"), 1.0);
    let three = |third: CategoryConfig| {
        let config = BroadphaseConfig::new().category(kind(0)).category(kind(1));
        kinds_of(config.category(third), 1000)
    };
    assert_eq!(advice(&three(kind(2))).len(), 1);
    assert_eq!(advice(&three(kind(2).coarse())), []);
    assert_eq!(advice(&three(kind(2).meets(["kind 0", "kind 1"]))), []);
    assert_eq!(advice(&three(kind(2).meets(["kind 0", "kind 2"]))), []);
    assert_eq!(advice(&three(kind(2).sensor())), []);
    // One of another size does not keep three that are alike apart.
    let Advice::Merge { category, with, .. } = only(&kinds(&[2.0, 1.0, 1.0, 1.0], 300)) else {
        panic!("three are alike");
    };
    assert_eq!(
        (&category[..], &with[..]),
        ("kind 1", &["kind 2".to_owned(), "kind 3".to_owned()][..])
    );
}

#[test]
fn the_second_of_two_categories_with_one_bound_stays_empty() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("orcs", 1.0))
        .category(CategoryConfig::uniform("elves", 1.0));
    let mut world = world(config.clone(), 100.0, &[1.0], 10);
    let advice = only(&world);
    let Advice::SameBound {
        category,
        first,
        bound,
    } = &advice
    else {
        panic!("{advice}");
    };
    assert_eq!(
        (&category[..], &first[..], *bound),
        ("elves", "orcs", [1.0; 2])
    );
    let words = advice.to_string();
    assert!(
        words.contains("in_category") && words.starts_with("\"elves\": "),
        "{words}"
    );
    let mut same = config.clone();
    assert!(!advice.apply(&mut same) && same == config);

    let elf = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
    world.insert(elf.in_category(CategoryId::new(1))).unwrap();
    world.step(&CountPairs);
    assert_eq!(world.report().advice(), [], "by name it has its use");
}

/// A world in which the advice was followed.
fn followed(advice: &Advice, mut config: BroadphaseConfig) -> BroadphaseConfig {
    assert!(advice.apply(&mut config), "{advice}");
    config.validate().unwrap();
    let once = config.clone();
    assert!(!advice.apply(&mut config), "{advice}: again");
    assert_eq!(config, once);
    config
}

#[test]
fn masks_that_let_nothing_through_are_named() {
    let config = || {
        BroadphaseConfig::new()
            .category(CategoryConfig::uniform("units", 1.0))
            .category(CategoryConfig::uniform("ghosts", 1.0).meets(["units"]))
            .category(CategoryConfig::uniform("loners", 1.0).meets_nothing())
    };
    let masked = |ghost: Masks| {
        let mut world = Broadphase::new(config()).unwrap();
        for k in 0..300 {
            let proxy = Proxy::centered(place(k, 40.0), [0.9; 2]).unwrap();
            let masks = [Masks::new(1, 1), ghost, Masks::NONE][k % 3];
            let category = CategoryId::new((k % 3) as u16);
            world
                .insert(proxy.in_category(category).masks(masks))
                .unwrap();
        }
        world.step(&CountPairs);
        world
    };
    // They would meet units, but 1 << 33 was meant to be 1.
    let world = masked(Masks::new(1, 1 << 33));
    let advice = only(&world);
    let named = matches!(
        &advice,
        Advice::MasksMeetNobody { category, rows: 100, meetings: 1 } if category == "ghosts"
    );
    assert!(named, "{advice:?}");
    assert!(
        advice.to_string().contains("agree with nobody's"),
        "{advice}"
    );
    assert!(!advice.apply(&mut config()));
    assert_eq!(self::advice(&masked(Masks::new(1, 1))), []);
}

#[test]
fn a_bound_too_large_is_lowered() {
    for category in [
        CategoryConfig::uniform("units", 5.0).coarse(),
        CategoryConfig::uniform("units", 5.0),
    ] {
        let config = config(category);
        let world_of = |config| world(config, 100.0, &[0.5, 0.4], 10_000);
        let advice = only(&world_of(config.clone()));
        let Advice::LowerBound { to, saved, .. } = &advice else {
            panic!("{advice}")
        };
        assert_eq!(*to, [0.5; 2]);
        assert!((0.9..1.0).contains(saved), "{saved}");
        assert!(
            advice.to_string().starts_with(
                "\"units\": the bound is [5.0, 5.0], and the largest ever seen in it is [0.5, 0.5]"
            ),
            "{advice}"
        );
        assert_eq!(self::advice(&world_of(followed(&advice, config))), []);
    }
}

/// Nobody wins anything by a tighter bound where nothing is near anything.
#[test]
fn a_bound_that_costs_nothing_may_be_large() {
    let config = config(CategoryConfig::uniform("units", 5.0).coarse());
    assert_eq!(advice(&world(config, 1e5, &[0.5], 2000)), []);
}

/// The pairs of others pay for a bound too.
#[test]
fn a_bound_counts_where_others_are_met() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.1).coarse())
        .category(
            CategoryConfig::uniform("bats", 4.0)
                .coarse()
                .meets(["pixies"]),
        );
    let mut world = Broadphase::new(config).unwrap();
    for k in 0..20_000 {
        let bat = Proxy::centered(place(k, 100.0), [0.1; 2]).unwrap();
        let category = CategoryId::new((k % 2) as u16);
        world.insert(bat.in_category(category)).unwrap();
    }
    world.step(&CountPairs);
    let advice = only(&world);
    assert!(
        matches!(advice, Advice::LowerBound { saved, .. } if saved > 0.9),
        "{advice}"
    );
}

#[test]
fn many_small_ones_are_split_off() {
    let sizes = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 2.0];
    for category in [
        CategoryConfig::uniform("units", 2.0).coarse(),
        CategoryConfig::uniform("units", 2.0),
    ] {
        let config = config(category);
        let world_of = |config| world(config, 100.0, &sizes, 10_000);
        let first = world_of(config.clone());
        let advice = only(&first);
        let Advice::Split {
            at,
            below,
            of,
            saved,
            ..
        } = advice
        else {
            panic!("{advice}")
        };
        assert!((0.1..0.125).contains(&at), "{at}");
        assert_eq!((below, of), (9000, 10_000));
        let split = world_of(followed(&advice, config.clone()));
        assert_eq!(self::advice(&split), [], "{advice}");
        let counted = |world: &Broadphase| match config.categories[0].pairs {
            PairMode::Coarse => world.report().pairs as f64,
            _ => world.report().candidates as f64,
        };
        let gone = 1.0 - counted(&split) / counted(&first);
        assert!((gone - saved).abs() < 0.15, "{gone} and not {saved}");
        let text = advice.to_string();
        assert!(text.contains("for 9000 of 10000"), "{text}");
    }
}

#[test]
fn a_split_keeps_the_meetings() {
    let config = BroadphaseConfig::new()
        .category(
            CategoryConfig::uniform("units", 2.0)
                .coarse()
                .meets(["units", "walls"]),
        )
        .category(
            CategoryConfig::uniform("ghosts", 2.0)
                .coarse()
                .meets(["walls"]),
        )
        .category(CategoryConfig::scenery("walls").meets(["units", "ghosts"]));
    let mut world = Broadphase::new(config.clone()).unwrap();
    for k in 0..10_000 {
        let half = if k % 10 == 0 { 2.0 } else { 0.1 };
        world
            .insert(Proxy::centered(place(k, 100.0), [half; 2]).unwrap())
            .unwrap();
    }
    for k in 0..100 {
        let wall = Aabb::from_center(place(k, 100.0), [3.0, 1.0]).unwrap();
        world.insert(Proxy::fixed(wall)).unwrap();
    }
    world.step(&CountPairs);
    let advice = advice(&world);
    let split = advice
        .iter()
        .find(|advice| matches!(advice, Advice::Split { .. }));
    let config = followed(split.unwrap(), config);
    let added = config.categories.last().unwrap();
    assert_eq!(added.name, "small units");
    let world = Broadphase::new(config.clone()).unwrap();
    let meets = |name| {
        let [a, b] = ["small units", name].map(|name| world.category(name).unwrap());
        world.meets(a, b)
    };
    assert_eq!(["units", "small units", "walls"].map(meets), [true; 3]);
    assert!(!meets("ghosts"));
}

#[test]
fn oversized_things_that_are_not_become_uniform() {
    let config = config(CategoryConfig::oversized("dragons"));
    let world_of = |config| world(config, 500.0, &[1.0, 1.5], 10_000);
    let mut dragons = world_of(config.clone());
    let advice = only(&dragons);
    assert!(
        matches!(
            advice,
            Advice::MakeUniform {
                bound: [1.5, 1.5],
                below: 10_000,
                of: 10_000,
                ..
            }
        ),
        "{advice}"
    );
    assert!(
        advice.to_string().contains("kind = \"uniform\""),
        "{advice}"
    );
    let mut uniform = world_of(followed(&advice, config));
    assert_eq!(self::advice(&uniform), []);
    let pairs = |world: &mut Broadphase| world.step(&CountPairs).report().pairs;
    assert_eq!(pairs(&mut uniform), pairs(&mut dragons));
}

/// What is to become uniform has no use for a better structure.
#[test]
fn advice_does_not_contradict_itself() {
    let dragons = CategoryConfig::oversized("dragons").structure(DoubleGridConfig::new());
    let mut world = world(config(dragons), 100.0, &[0.9, 1.0], 2000);
    play(&mut world, 20);
    let given = advice(&world);
    assert!(
        matches!(given[..], [Advice::MakeUniform { .. }]),
        "{given:#?}"
    );
}

#[test]
fn small_things_among_giants_get_a_category_of_their_own() {
    let giants = hundred_giants(10_000, 3);
    let config = config(CategoryConfig::oversized("dragons"));
    let world_of = |config| of_scene(config, &giants);
    let mut dragons = world_of(config.clone());
    let advice = only(&dragons);
    assert!(
        matches!(advice, Advice::MakeUniform { below, of, .. } if below < of && below > 9000),
        "{advice}"
    );
    let mut apart = world_of(followed(&advice, config));
    assert_eq!(self::advice(&apart), []);
    let pairs = |world: &mut Broadphase| world.step(&CountPairs).report().pairs;
    assert_eq!(pairs(&mut apart), pairs(&mut dragons));
}

#[test]
fn oversized_things_of_all_sizes_stay() {
    let scene = log_uniform_squares(10_000, [1.0, 100.0], 1.0, 1);
    assert_eq!(
        advice(&of_scene(
            config(CategoryConfig::oversized("dragons")),
            &scene
        )),
        []
    );
}

fn of_scene(config: BroadphaseConfig, scene: &BoxScene) -> Broadphase {
    let mut world = Broadphase::new(config).unwrap();
    let boxes = (0..scene.len()).map(|row| Proxy::moving(scene.aabb(row).unwrap()));
    assert_eq!(world.insert_batch(boxes).refused, []);
    world.step(&CountPairs);
    world
}

#[test]
fn scenery_that_moves_is_told_of() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(CategoryConfig::scenery("walls"));
    let mut world = world(config.clone(), 200.0, &[1.0], 1000);
    let wall = |k| Proxy::fixed(Aabb::from_center(place(k, 200.0), [5.0, 1.0]).unwrap());
    let walls: Vec<ProxyId> = (0..1000).map(|k| world.insert(wall(k)).unwrap()).collect();
    play(&mut world, 20);
    assert_eq!(advice(&world), [], "packed once");
    for (frame, &door) in walls.iter().enumerate().take(20) {
        world.set_center(door, place(frame + 7, 200.0)).unwrap();
        play(&mut world, 1);
    }
    assert_eq!(advice(&world), [], "doors");
    for frame in 0..20 {
        for (k, &wall) in walls.iter().step_by(4).enumerate() {
            world.set_center(wall, place(frame + k, 200.0)).unwrap();
        }
        play(&mut world, 1);
    }
    let advice = only(&world);
    assert!(
        matches!(
            advice,
            Advice::SceneryMoves {
                packed: 20,
                frames: 61,
                rows: 1000,
                ..
            }
        ),
        "{advice:?}"
    );
    let text = advice.to_string();
    assert!(
        text.starts_with(
            "\"walls\": scenery, but most of its 1000 rows were packed again in 20 of 61 frames"
        ),
        "{text}"
    );
    assert!(
        !advice.apply(&mut config.clone()),
        "not for the config to say"
    );
    play(&mut world, 64);
    assert_eq!(self::advice(&world), [], "it has stood for a while");
}

#[test]
fn what_never_moves_is_scenery() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(
            CategoryConfig::uniform("crates", 1.0)
                .coarse()
                .meets(["units", "crates"]),
        );
    let mut world = world(config.clone(), 200.0, &[1.0], 1000);
    let crates = CategoryId::new(1);
    let place_crate = |k| Proxy::centered(place(k, 200.0), [1.0; 2]).unwrap();
    for k in 0..1000 {
        world.insert(place_crate(k).in_category(crates)).unwrap();
    }
    let play = |world: &mut Broadphase, frames| {
        for _ in 0..frames {
            let ([units, crates], ys) = (
                [0, 1].map(|category| world.centers(CategoryId::new(category))[0].to_vec()),
                [0, 1].map(|category| world.centers(CategoryId::new(category))[1].to_vec()),
            );
            let units: Vec<f32> = units.iter().map(|x| x + 0.25).collect();
            for (category, xs) in [(0, units), (1, crates)] {
                let mut centers = world.centers_mut(CategoryId::new(category)).unwrap();
                let _ = centers.fill_from(&xs, &ys[usize::from(category)]).unwrap();
            }
            world.step(&CountPairs);
        }
    };
    play(&mut world, 60);
    assert_eq!(advice(&world), [], "not yet");
    play(&mut world, 10);
    let advice = only(&world);
    assert!(
        matches!(&advice, Advice::MakeScenery { category, rows: 1000, .. } if category == "crates"),
        "{advice:?}"
    );
    let config = followed(&advice, config);
    assert_eq!(config.categories[0], world.config().categories[0]);
    assert_eq!(config.categories[2].kind, CategoryKind::Scenery);
    let meets = |category: usize| config.categories[category].meets.as_deref().unwrap();
    assert_eq!(meets(1), ["units", "crates", "fixed crates"]);
    assert_eq!(meets(2), ["units", "crates"]);
    let mut next = Broadphase::new(config).unwrap();
    for k in 0..1000 {
        next.insert(Proxy::fixed(
            Aabb::from_center(place(k, 200.0), [1.0; 2]).unwrap(),
        ))
        .unwrap();
        next.insert(place_crate(k)).unwrap();
    }
    next.step(&CountPairs);
    assert_eq!(
        next.category("fixed crates")
            .map(|id| next.proxies(id).count()),
        Some(1000)
    );

    let first = world
        .proxy_at(throng::RowRef {
            category: crates,
            row: 0,
        })
        .unwrap();
    world.set_center(first, [3.0, 4.0]).unwrap();
    play(&mut world, 1);
    assert_eq!(self::advice(&world), [], "one has moved");
}

#[test]
fn structures_fit_what_moves() {
    for structure in [
        OversizedStructure::from(DoubleGridConfig::new()),
        LooseQuadtreeConfig::new().into(),
    ] {
        let config = config(CategoryConfig::oversized("ships").structure(structure));
        let mut world = world(config.clone(), 300.0, &[0.2, 1.0, 4.0, 16.0], 1000);
        play(&mut world, 4);
        let advice = only(&world);
        assert!(
            matches!(
                advice,
                Advice::ChangeStructure {
                    moving: Some(1.0),
                    ..
                }
            ),
            "{advice:?}"
        );
        assert!(
            advice
                .to_string()
                .contains("structure = { kind = \"strips\" }"),
            "{advice}"
        );
        let config = followed(&advice, config);
        assert_eq!(config.categories[0].structure, StripsConfig::new().into());
    }
}

#[test]
fn strips_are_not_rebuilt_for_a_few() {
    let ships = CategoryConfig::oversized("ships").meets_nothing();
    let config = config(ships);
    let mut world = world(config.clone(), 300.0, &[0.2, 1.0, 4.0, 16.0], 1000);
    let id = world.proxies(CategoryId::new(0)).next().unwrap();
    for frame in 0..10 {
        world.set_center(id, place(frame, 300.0)).unwrap();
        world.step(&CountPairs);
    }
    let advice = only(&world);
    assert!(
        matches!(advice, Advice::ChangeStructure { moving: Some(share), .. } if share < 0.05),
        "{advice:?}"
    );
    assert!(
        advice
            .to_string()
            .contains("structure = { kind = \"double_grid\" }"),
        "{advice}"
    );
    let _ = followed(&advice, config);
    play(&mut world, 100);
    assert_eq!(self::advice(&world), [], "now all of them move");
}

#[test]
fn what_fell_out_of_the_world_is_told_of() {
    let config = config(CategoryConfig::uniform("units", 1.0).coarse());
    let mut world = world(config, 100.0, &[1.0], 1000);
    assert_eq!(advice(&world), []);
    for k in 0..50 {
        let away = Proxy::centered([1e30, k as f32 * 1e28], [1.0; 2]).unwrap();
        world.insert(away).unwrap();
    }
    world.step(&CountPairs);
    let advice = only(&world);
    assert!(
        matches!(
            advice,
            Advice::FarOut {
                outside: 50,
                rows: 1050,
                ..
            }
        ),
        "{advice:?}"
    );
    assert!(
        advice
            .to_string()
            .starts_with("\"units\": 50 of 1050 rows are so far out")
    );
}

#[test]
fn what_is_empty_is_named() {
    let config = BroadphaseConfig::new()
        .category(
            CategoryConfig::uniform("units", 1.0)
                .coarse()
                .meets(["units", "ghosts"]),
        )
        .category(
            CategoryConfig::uniform("ghosts", 1.0)
                .coarse()
                .meets(["units"]),
        )
        .category(CategoryConfig::oversized("dragons"));
    let nobody = Broadphase::new(config.clone()).unwrap();
    assert_eq!(advice(&nobody), []);
    let mut world = world(config.clone(), 100.0, &[1.0], 100);
    let advice = advice(&world);
    let names: Vec<&str> = advice.iter().map(Advice::category).collect();
    assert_eq!(names, ["ghosts", "dragons"]);
    for advice in &advice {
        assert!(
            !advice.apply(&mut config.clone()),
            "who knows what is to come"
        );
    }

    world.clear();
    world.step(&CountPairs);
    assert_eq!(self::advice(&world), [], "an empty world says nothing");
}

/// The sizes of a coarse category are those of what came in, and stay known when the config changes.
#[test]
fn sizes_are_known_where_none_are_stored() {
    let config = config(CategoryConfig::uniform("units", 8.0).coarse());
    let mut world = world(config, 200.0, &[0.5, 1.0, 4.0], 3000);
    let sizes = |world: &Broadphase| -> Vec<(f32, u64)> {
        let steps = world.report().categories[0].sizes.steps();
        steps.map(|step| (step.up_to, step.count)).collect()
    };
    let expected = [(0.5, 1000), (1.0, 1000), (4.0, 1000)];
    assert_eq!(sizes(&world), expected);

    let lower = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 4.0).coarse());
    world.reconfigure(lower).unwrap();
    world.step(&CountPairs);
    assert_eq!(sizes(&world), expected);

    // Half go and come again, larger: those that went are forgotten by and by.
    let ids: Vec<ProxyId> = world.proxies(CategoryId::new(0)).collect();
    for round in 0..4 {
        for id in &ids {
            let aabb = Aabb::from_center(place(round, 200.0), [4.0; 2]).unwrap();
            world.set_aabb(*id, aabb).unwrap();
        }
    }
    world.step(&CountPairs);
    let sizes = &world.report().categories[0].sizes;
    assert!(sizes.up_to(1.0) * 4 < sizes.total(), "{sizes:?}");
}

/// Where sizes are stored, what is counted is what is there.
#[test]
fn stored_sizes_are_counted_as_they_are() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 2.0))
        .category(CategoryConfig::oversized("dragons"))
        .category(CategoryConfig::scenery("walls"));
    let mut world = world(config, 100.0, &[1.0, 2.0, 8.0], 300);
    let endless = Aabb::new([0.0; 2], [f32::INFINITY, 1.0]).unwrap();
    let dragon = world.insert(Proxy::moving(endless)).unwrap();
    let walls: Vec<ProxyId> = (0..9)
        .map(|k| {
            let wall = Aabb::from_center([k as f32, 0.0], [4.0, 1.0]).unwrap();
            world.insert(Proxy::fixed(wall)).unwrap()
        })
        .collect();
    world.set_center(walls[0], [3.0; 2]).unwrap();
    world.remove(walls[1]).unwrap();
    let steps = |world: &mut Broadphase, category: usize| -> Vec<(f32, u64)> {
        world.validate().unwrap();
        world.step(&CountPairs);
        let steps = world.report().categories[category].sizes.steps();
        steps.map(|step| (step.up_to, step.count)).collect()
    };
    assert_eq!(steps(&mut world, 0), [(1.0, 100), (2.0, 100)]);
    assert_eq!(steps(&mut world, 1), [(8.0, 100), (f32::INFINITY, 1)]);
    assert_eq!(steps(&mut world, 2), [(4.0, 8)]);
    let small = Aabb::from_center([5.0; 2], [1.0; 2]).unwrap();
    world.set_aabb(dragon, small).unwrap();
    world.set_aabb(walls[2], small).unwrap();
    assert_eq!(
        steps(&mut world, 0),
        [(1.0, 101), (2.0, 100)],
        "it has migrated"
    );
    assert_eq!(steps(&mut world, 1), [(8.0, 100)]);
    assert_eq!(steps(&mut world, 2), [(1.0, 1), (4.0, 7)]);
}

/// Categories that fit what is in them, all of which moves: nothing to say, however long it goes on.
#[test]
fn a_well_tuned_world_hears_nothing() {
    let scene = lord_of_the_rings_with_walls(4000, 500, 1);
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("faeries", 0.2).coarse())
        .category(CategoryConfig::uniform("units", 1.0).coarse())
        .category(CategoryConfig::oversized("dragons"))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let moving = [
        BoxScene::from(&scene.units),
        BoxScene::from(&scene.faeries),
        scene.dragons,
    ];
    for scene in &moving {
        let boxes = (0..scene.len()).map(|row| Proxy::moving(scene.aabb(row).unwrap()));
        assert_eq!(world.insert_batch(boxes).refused, []);
    }
    let walls = (0..scene.walls.len()).map(|row| Proxy::fixed(scene.walls.aabb(row).unwrap()));
    assert_eq!(world.insert_batch(walls).refused, []);
    for _ in 0..9 {
        play(&mut world, 10);
        assert_eq!(advice(&world), []);
    }
}

/// Rows in no order of space are named after a while, and no more once they are sorted; the policy says when that is due.
#[test]
fn scattered_rows_are_to_be_sorted() {
    let units = config(CategoryConfig::uniform("units", 1.0).coarse());
    let mut world = world(units, 1000.0, &[1.0], 100_000);
    let category = CategoryId::new(0);
    let decay = world.row_order_decay(category);
    assert!(decay > 0.5, "{decay}");
    let scatter = world.report().categories[0].scatter;
    assert_eq!((scatter.decay, scatter.since_sorted), (decay, decay));
    assert!(!world.is_sort_due(category), "one frame is no loss yet");
    assert_eq!(advice(&world), []);
    world.refresh();
    let scatter = world.report().categories[0].scatter;
    assert_eq!(
        scatter.since_sorted,
        2.0 * decay,
        "as a frame without pairs"
    );
    play(&mut world, 40);
    assert!(world.is_sort_due(category));
    let given = only(&world);
    assert!(
        matches!(
            &given,
            Advice::SortRows {
                rows: 100_000,
                apart: 16_384..,
                ..
            }
        ),
        "{given:?}"
    );
    let text = given.to_string();
    assert!(
        text.contains("`sort_rows` with `RowOrder::Space`"),
        "{text}"
    );
    assert!(
        !given.apply(&mut world.config().clone()),
        "it is not in the config"
    );

    world.sort_rows(category, RowOrder::Space).unwrap();
    assert!(!world.is_sort_due(category) && world.row_order_decay(category) < 0.05);
    play(&mut world, 40);
    assert!(!world.is_sort_due(category), "they hardly moved");
    assert_eq!(advice(&world), []);
    assert_eq!(world.row_order_decay(CategoryId::new(7)), 0.0);
    assert!(!world.is_sort_due(CategoryId::new(7)));
}
