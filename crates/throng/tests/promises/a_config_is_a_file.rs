//! Promise: with the `serde` feature a config is read from a file, strictly, and written back.
#![cfg(feature = "serde")]

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig, PairMode,
    SimdLevel,
};

const FILE: &str = r#"
migrate_back = 0.7

[[categories]]
name = "pixies"
half_extents = [0.1, 0.1]
pairs = "coarse"
meets = ["infantry"]

[[categories]]
name = "infantry"
kind = "uniform"
half_extents = [1, 2]

[[categories]]
name = "dragons"
kind = "oversized"
pairs = "exact"

[[categories]]
name = "ents"
kind = "oversized"
half_extents = [inf, 12]
pairs = "exact"
structure = { kind = "double_grid", loose_cell = 40 }

[[categories]]
name = "ships"
kind = "oversized"
pairs = "exact"
structure = { kind = "quadtree", split_above = 20 }
"#;

#[test]
fn reads_what_it_should() {
    let config: BroadphaseConfig = toml::from_str(FILE).unwrap();
    let expected = BroadphaseConfig::new()
        .migrate_back(0.7)
        .category(
            CategoryConfig::uniform("pixies", 0.1)
                .coarse()
                .meets(["infantry"]),
        )
        .category(CategoryConfig::uniform("infantry", 1.0).half_extents([1.0, 2.0]))
        .category(CategoryConfig::oversized("dragons"))
        .category(
            CategoryConfig::oversized("ents")
                .half_extents([f32::INFINITY, 12.0])
                .structure(DoubleGridConfig::new().loose_cell(40.0)),
        )
        .category(
            CategoryConfig::oversized("ships")
                .structure(LooseQuadtreeConfig::new().split_above(20)),
        );
    assert_eq!(config, expected);
    assert_eq!(config.categories[1].pairs, PairMode::Exact);
    assert!(Broadphase::new(config).is_ok());
}

#[test]
fn writes_what_it_reads() {
    let mut config: BroadphaseConfig = toml::from_str(FILE).unwrap();
    for level in [None, Some(SimdLevel::Scalar), Some(SimdLevel::Avx512)] {
        config.simd = level;
        let file = toml::to_string(&config).unwrap();
        assert_eq!(
            toml::from_str::<BroadphaseConfig>(&file).unwrap(),
            config,
            "{file}"
        );
    }
}

#[test]
fn events_are_true_or_a_list_of_names() {
    let file = |events: &str| {
        let category = "[[categories]]\nname = \"orcs\"\nhalf_extents = 1.0\n";
        toml::from_str::<BroadphaseConfig>(&format!(
            "pair_slots = true\n{category}events = {events}\n"
        ))
    };
    let orcs = || CategoryConfig::uniform("orcs", 1.0);
    for (events, expected) in [
        ("true", orcs().events()),
        ("false", orcs()),
        (
            "[\"orcs\", \"elves\"]",
            orcs().events_with(["orcs", "elves"]),
        ),
    ] {
        let config = file(events).unwrap();
        assert_eq!(
            config,
            BroadphaseConfig::new().pair_slots(true).category(expected)
        );
        let written = toml::to_string(&config).unwrap();
        assert_eq!(
            toml::from_str::<BroadphaseConfig>(&written).unwrap(),
            config
        );
        let written = serde_json::to_string(&config).unwrap();
        assert_eq!(
            serde_json::from_str::<BroadphaseConfig>(&written).unwrap(),
            config
        );
    }
    let silent = toml::to_string(&BroadphaseConfig::new().category(orcs())).unwrap();
    assert!(
        !silent.contains("events") && !silent.contains("pair_slots"),
        "{silent}"
    );
    let error = file("3").unwrap_err().to_string();
    assert!(
        error.contains("`events` needs `true`, `false`, or a list of names"),
        "{error}"
    );
}

/// JSON has no infinity.
#[test]
fn rest_is_a_number_of_steps_or_a_word() {
    let read = |line: &str| {
        let file = format!("[[categories]]\nname = \"crates\"\nhalf_extents = 1.0\n{line}");
        toml::from_str::<BroadphaseConfig>(&file).map_err(|error| error.to_string())
    };
    let crates = || CategoryConfig::uniform("crates", 1.0);
    for (line, expected) in [
        ("", crates()),
        ("rests = false", crates()),
        ("sensor = true\nevents = true", crates().sensor()),
        ("rests = 30", crates().rests_after(30)),
        ("rests = \"when_told\"", crates().rests_when_told()),
        (
            "rests = 5\nwakes_on_contact = true",
            crates().rests_after(5).wakes_on_contact(),
        ),
    ] {
        let expected = BroadphaseConfig::new().category(expected);
        assert_eq!(read(line).as_ref(), Ok(&expected), "{line}");
        let written = toml::to_string(&expected).unwrap();
        assert_eq!(
            toml::from_str::<BroadphaseConfig>(&written).unwrap(),
            expected
        );
    }
    for line in ["rests = true", "rests = \"later\"", "rests = -1"] {
        let error = read(line).unwrap_err();
        assert!(
            error.contains("a number of steps, \"when_told\", or `false`"),
            "{error}"
        );
    }
}

#[test]
fn an_unbounded_category_is_written_without_a_bound() {
    let config = BroadphaseConfig::suggest(&[]);
    let file = toml::to_string(&config).unwrap();
    assert!(!file.contains("half_extents"), "{file}");
    assert_eq!(toml::from_str::<BroadphaseConfig>(&file).unwrap(), config);
}

#[test]
fn a_bound_along_one_axis_comes_back_from_any_file() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 0.5).coarse())
        .category(CategoryConfig::oversized("rivers").half_extents([f32::INFINITY, 5.0]));
    let file = toml::to_string(&config).unwrap();
    assert_eq!(toml::from_str::<BroadphaseConfig>(&file).unwrap(), config);
    let file = serde_json::to_string(&config).unwrap();
    assert!(file.contains("[null,5.0]"), "{file}");
    assert_eq!(
        serde_json::from_str::<BroadphaseConfig>(&file).unwrap(),
        config
    );
}

#[test]
fn one_number_is_a_bound_along_both_axes() {
    let one = |half: &str| format!("[[categories]]\nname = \"orcs\"\nhalf_extents = {half}\n");
    for half in ["1.5", "[1.5, 1.5]"] {
        let config: BroadphaseConfig = toml::from_str(&one(half)).unwrap();
        assert_eq!(config.categories, [CategoryConfig::uniform("orcs", 1.5)]);
    }
    let config: BroadphaseConfig = toml::from_str(&one("3")).unwrap();
    assert_eq!(config.categories[0].half_extents, [3.0; 2]);
    for (given, half) in [("3", 3.0), ("0.25", 0.25), ("-1", -1.0)] {
        let json = format!("{{\"name\": \"orcs\", \"half_extents\": {given}}}");
        let category: CategoryConfig = serde_json::from_str(&json).unwrap();
        assert_eq!(category.half_extents, [half; 2]);
    }
    let error = toml::from_str::<BroadphaseConfig>(&one("\"small\"")).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("a number, or two of them"), "{words}");
}

#[test]
fn a_structure_that_is_no_table_says_what_it_should_be() {
    let wrong = FILE.replace("{ kind = \"double_grid\", loose_cell = 40 }", "\"strips\"");
    let error = toml::from_str::<BroadphaseConfig>(&wrong).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("{ kind = \"strips\" }"), "{words}");
}

#[test]
fn a_world_tag_is_written_if_there_is_one() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("orcs", 1.0));
    assert!(!toml::to_string(&config).unwrap().contains("world_tag"));
    let tagged = config.world_tag(12);
    let file = toml::to_string(&tagged).unwrap();
    assert_eq!(toml::from_str::<BroadphaseConfig>(&file).unwrap(), tagged);
}

#[test]
fn refuses_what_it_does_not_know() {
    for (right, wrong) in [
        ("migrate_back", "migrate_bock"),
        ("kind = \"uniform\"", "kind = \"unicorn\""),
        ("pairs = \"exact\"", "pears = \"exact\""),
        ("half_extents = [1, 2]", "half_extents = [1]"),
        ("name = \"pixies\"\n", ""),
        ("migrate_back = 0.7", "simd = \"sse9\""),
        ("kind = \"quadtree\"", "kind = \"quodtree\""),
        ("loose_cell = 40", "lose_cell = 40"),
    ] {
        assert!(FILE.contains(right));
        let error = toml::from_str::<BroadphaseConfig>(&FILE.replace(right, wrong)).unwrap_err();
        assert!(!error.to_string().is_empty(), "{wrong} is refused");
    }
}
