//! Promise: a config that makes no sense is refused with every problem in it, each saying what
//! would be right.

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, ConfigProblem, DoubleGridConfig,
    EventsWith, LooseQuadtreeConfig, Proxy, Resting, StripsConfig,
};

fn problems(config: &BroadphaseConfig) -> Vec<String> {
    let error = config.validate().unwrap_err();
    let refused = Broadphase::new(config.clone()).unwrap_err();
    assert_eq!(refused.to_string(), error.to_string());
    let messages: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    let printed = error.to_string();
    assert!(
        messages
            .iter()
            .all(|message| printed.contains(&format!("\n- {message}"))),
        "{printed}"
    );
    messages
}

#[track_caller]
fn has(problems: &[String], words: &[&str]) {
    let matches = |problem: &&String| words.iter().all(|word| problem.contains(word));
    assert_eq!(
        problems.iter().filter(matches).count(),
        1,
        "{words:?} in {problems:#?}"
    );
}

#[test]
fn all_at_once() {
    let config = BroadphaseConfig::new()
        .migrate_back(1.5)
        .category(
            CategoryConfig::uniform("pixies", f32::NAN).meets(["ghosts", "infantry", "infantry"]),
        )
        .category(
            CategoryConfig::uniform("infantry", 1.0)
                .half_extents([-1.0, f32::INFINITY])
                .meets(["ogres"]),
        )
        .category(CategoryConfig::uniform("", 1.0))
        .category(CategoryConfig::uniform("pixies", 2.0))
        .category(CategoryConfig::uniform("ogres", 4.0).meets_nothing());
    let problems = problems(&config);
    has(&problems, &["migrate_back", "1.5", "at most 1"]);
    has(&problems, &["pixies", "half extent on x", "NaN"]);
    has(&problems, &["pixies", "half extent on y", "NaN"]);
    has(&problems, &["infantry", "half extent on x", "-1"]);
    has(&problems, &["infantry", "half extent on y", "inf"]);
    has(&problems, &["number 2", "empty name"]);
    has(&problems, &["must differ", "\"pixies\"", "0 and 3"]);
    has(&problems, &["ghosts", "not a category", "\"ogres\""]);
    has(&problems, &["\"pixies\" names \"infantry\" more than once"]);
    has(
        &problems,
        &["\"pixies\" meets \"infantry\"", "leaves \"pixies\" out"],
    );
    has(
        &problems,
        &["\"infantry\" meets \"ogres\"", "leaves \"infantry\" out"],
    );
    assert_eq!(problems.len(), 11);
}

#[test]
fn structures_and_bounds_of_the_oversized() {
    let strips = |height| StripsConfig::new().strip_height(height);
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.1).structure(strips(2.0)))
        .category(CategoryConfig::oversized("dragons").structure(strips(-1.0)))
        .category(
            CategoryConfig::oversized("ents")
                .structure(LooseQuadtreeConfig::new().split_above(0))
                .half_extents([f32::NAN, 8.0]),
        )
        .category(
            CategoryConfig::oversized("ships")
                .structure(DoubleGridConfig::new().tight_cell(f32::NAN)),
        );
    let problems = problems(&config);
    has(
        &problems,
        &["pixies", "not oversized", "leave its structure out"],
    );
    has(&problems, &["dragons", "strip_height", "-1", "above zero"]);
    has(&problems, &["ents", "split_above", "0 was given"]);
    has(
        &problems,
        &["ents", "half extent on x", "NaN", "must not be negative"],
    );
    has(&problems, &["ships", "tight_cell", "NaN"]);
    assert_eq!(problems.len(), 5);
}

#[test]
fn scenery_neither_rests_nor_wakes_as_it_is_told() {
    for walls in [
        CategoryConfig::scenery("walls").rests_after(9),
        CategoryConfig::scenery("walls").wakes_on_contact(),
        CategoryConfig::scenery("walls")
            .rests_when_told()
            .wakes_on_contact(),
    ] {
        let problems = problems(&BroadphaseConfig::new().category(walls));
        has(
            &problems,
            &[
                "always rests and never wakes",
                "`rests`",
                "`wakes_on_contact` out",
            ],
        );
        assert_eq!(problems.len(), 1);
    }
}

#[test]
fn only_a_uniform_category_counts_boxes_with_its_bound() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.1).coarse())
        .category(CategoryConfig::oversized("dragons").coarse())
        .category(CategoryConfig::scenery("walls").coarse());
    let problems = problems(&config);
    for name in ["dragons", "walls"] {
        let name = format!("{name:?} is not uniform");
        has(&problems, &[&name, "`coarse()`", "pairs = \"coarse\""]);
    }
    assert_eq!(problems.len(), 2);
}

#[test]
fn events_without_a_meeting() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).events_with(["ghosts", "units", "spirits"]))
        .category(
            CategoryConfig::uniform("ghosts", 1.0)
                .meets(["walls"])
                .events_with(["units"]),
        )
        .category(CategoryConfig::scenery("walls").events_with(["ghosts", "rocks", "walls"]))
        .category(CategoryConfig::scenery("rocks").events());
    let problems = problems(&config);
    has(
        &problems,
        &[
            "\"units\" asks for events",
            "\"spirits\"",
            "there are \"units\", \"ghosts\"",
        ],
    );
    for other in ["rocks", "walls"] {
        has(
            &problems,
            &["\"walls\"", "both scenery", &format!("take {other:?} out")],
        );
    }
    for [asks, other] in [["units", "ghosts"], ["ghosts", "units"]] {
        let who = format!("{asks:?} asks for events with {other:?}, and does not meet it");
        has(&problems, &[&who, &format!("take {other:?} out")]);
    }
    assert_eq!(problems.len(), 5, "{problems:?}");
}

#[test]
fn rest_that_never_comes() {
    let mut walls = CategoryConfig::scenery("walls");
    walls.rests = Resting::WhenTold;
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("crates", 1.0).rests_after(0))
        .category(CategoryConfig::uniform("boulders", 2.0).rests_after(241))
        .category(CategoryConfig::uniform("balls", 1.0).wakes_on_contact())
        .category(walls);
    let problems = problems(&config);
    has(&problems, &["\"crates\" rests after 0 steps", "1 to 240"]);
    has(&problems, &["\"boulders\" rests after 241 steps"]);
    has(&problems, &["\"balls\" wakes on contact, but never rests"]);
    has(&problems, &["\"walls\" is scenery, which always rests"]);
    assert_eq!(problems.len(), 4);
}

#[test]
fn sensors_that_nobody_hears_of() {
    let mut deaf = CategoryConfig::uniform("deaf", 1.0).sensor();
    deaf.events = EventsWith::Nobody;
    let of_some = CategoryConfig::scenery("traps").sensor();
    let config = BroadphaseConfig::new()
        .category(deaf)
        .category(of_some.events_with(["deaf"]))
        .category(CategoryConfig::oversized("areas").sensor());
    let problems = problems(&config);
    has(&problems, &["\"deaf\" is a sensor", "set `events`"]);
    has(&problems, &["\"traps\" is a sensor"]);
    assert_eq!(problems.len(), 2);
}

#[test]
fn slots_without_events() {
    let units = CategoryConfig::uniform("units", 1.0);
    let config = |units| BroadphaseConfig::new().category(units).pair_slots(true);
    for off in [
        units.clone(),
        units.clone().events_with(Vec::<String>::new()),
    ] {
        has(
            &problems(&config(off)),
            &["`pair_slots` are on", "set `events`"],
        );
    }
    assert!(config(units.events()).validate().is_ok());
}

/// As a category of a file that has neither a kind nor a bound.
#[test]
fn a_uniform_category_without_a_bound() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("dragons", f32::INFINITY))
        .category(CategoryConfig::uniform("rivers", 1.0).half_extents([f32::INFINITY, 1.0]));
    let problems = problems(&config);
    has(
        &problems,
        &[
            "\"dragons\" has no bound",
            "half_extents",
            "kind = \"oversized\"",
        ],
    );
    has(&problems, &["rivers", "half extent on x is inf", "finite"]);
    assert_eq!(problems.len(), 2, "{problems:?}");
}

#[test]
fn no_categories_or_too_many() {
    has(
        &problems(&BroadphaseConfig::new()),
        &["no categories", "add at least one"],
    );
    let mut config = BroadphaseConfig::new();
    config.categories = (0..70_000)
        .map(|i| CategoryConfig::uniform(format!("{i}"), 1.0))
        .collect();
    has(&problems(&config), &["70000", "65535"]);
}

#[test]
fn an_instruction_set_of_another_machine() {
    let one = BroadphaseConfig::new().category(CategoryConfig::uniform("all", 1.0));
    for level in throng::SimdLevel::ALL {
        let config = one.clone().simd(level);
        let available = throng::SimdLevel::available().contains(&level);
        assert_eq!(config.validate().is_ok(), available);
        if !available {
            assert!(matches!(
                config.validate().unwrap_err().problems(),
                [ConfigProblem::SimdUnavailable { .. }]
            ));
        }
    }
}

#[test]
fn lists_that_agree_are_fine() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("points", 0.0).meets(["walls"]))
        .category(CategoryConfig::uniform("walls", 1.0).meets(["points", "units"]))
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::uniform("ghosts", 1.0).meets_nothing());
    let world = Broadphase::new(config).unwrap();
    let [points, walls, units, ghosts] =
        ["points", "walls", "units", "ghosts"].map(|name| world.category(name).unwrap());
    assert!(
        world.meets(points, walls) && world.meets(walls, points) && !world.meets(points, points)
    );
    assert!(world.meets(walls, units) && !world.meets(walls, walls) && world.meets(units, units));
    assert!(
        !world.meets(points, units),
        "units meet all, but points do not meet them"
    );
    for other in world.categories() {
        assert!(!world.meets(ghosts, other) && !world.meets(other, ghosts));
    }
}

/// Millions of names, each looked up in two lists: looking through the lists would take minutes.
#[test]
fn thousands_of_categories_that_name_each_other() {
    const CATEGORIES: usize = 1500;
    let name = |k: usize| format!("{k}");
    let mut config = BroadphaseConfig::new();
    config.categories = (0..CATEGORIES)
        .map(|k| CategoryConfig::uniform(name(k), 1.0).meets((0..CATEGORIES).map(name)))
        .collect();
    assert!(config.validate().is_ok());

    // Each of these leaves a later one out, which so names it in vain, and has the last twice.
    let mut expected = Vec::new();
    for k in (0..CATEGORIES / 2).step_by(100) {
        let names = config.categories[k].meets.as_mut().unwrap();
        names[k + 50] = name(CATEGORIES - 1);
        expected.push(format!(
            "\"{k}\" names \"{}\" more than once",
            CATEGORIES - 1
        ));
        expected.push(format!("\"{}\" meets \"{k}\"", k + 50));
    }
    let problems = problems(&config);
    assert_eq!(problems.len(), expected.len());
    for (problem, expected) in problems.iter().zip(&expected) {
        assert!(problem.contains(expected), "{problem}, not {expected}");
    }
}

/// A category without a list meets all; but of two, either's list may leave the other out, wherever it stands.
#[test]
fn one_list_is_enough_to_keep_two_categories_apart() {
    let unit = |name| CategoryConfig::uniform(name, 1.0);
    let config = BroadphaseConfig::new()
        .category(unit("before"))
        .category(unit("choosy").meets(["friends"]))
        .category(unit("friends"))
        .category(unit("after"));
    let mut world = Broadphase::new(config).unwrap();
    for category in world.categories() {
        let proxy = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
        world.insert(proxy.in_category(category)).unwrap();
    }
    let met = |a: CategoryId, b: CategoryId| {
        let choosy = [a, b].contains(&CategoryId::new(1));
        a != b && (!choosy || [a, b].contains(&CategoryId::new(2)))
    };
    let mut expected = Vec::new();
    for a in world.categories() {
        for b in world.categories().filter(|&b| a != b) {
            assert_eq!(world.meets(a, b), met(a, b), "{a:?} and {b:?}");
            expected.extend((a < b && met(a, b)).then_some([a, b]));
        }
    }
    let step = world.step_pairs();
    let lists = step.outputs().filter(|list| !list.pairs().is_empty());
    let found: Vec<_> = lists.filter_map(|list| list.categories()).collect();
    assert_eq!(found, expected);
}
