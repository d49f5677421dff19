//! What criterion is asked to run, and how long.

use std::time::Duration;

use criterion::Criterion;

use crate::{Case, Kind, Order};

/// Short runs: with hundreds of cases, whoever wants a figure to the percent runs one of them longer, with
/// criterion's own options.
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000)
        .without_plots()
        .configure_from_args()
}

/// Whether everything is only to be run once, by `cargo bench -- --test` or `cargo test --benches`: criterion's own
/// rule, which it does not tell.
pub fn is_test_mode() -> bool {
    let given = |flag: &str| std::env::args().any(|argument| argument == flag);
    given("--test") || !given("--bench")
}

/// Every case of boxes of one size: sizes by densities by storage orders.
pub fn cases() -> impl Iterator<Item = Case> {
    let sizes: &[usize] = if is_test_mode() {
        &[1_000, 10_000]
    } else {
        &[10_000, 100_000, 1_000_000, 2_000_000]
    };
    sizes.iter().flat_map(|&agents| {
        [0.1, 1.0, 4.0].into_iter().flat_map(move |pairs| {
            [Order::Random, Order::Space].map(|order| Case {
                order,
                ..Case::new(Kind::Uniform, agents, pairs)
            })
        })
    })
}

/// Every case of boxes of any size, for one stage at a time.
pub fn box_cases() -> impl Iterator<Item = Case> {
    let sizes: &[usize] = if is_test_mode() {
        &[1_000]
    } else {
        &[1_000, 10_000, 50_000, 250_000]
    };
    sizes
        .iter()
        .map(|&agents| Case::new(Kind::Mixed, agents, 1.0))
}

/// Worlds that are not all of one size, for whole frames: of many sizes, and of three kinds.
pub fn whole_world_cases() -> [Case; 2] {
    let [mixed, rings] = if is_test_mode() {
        [2_000, 2_000]
    } else {
        [250_000, 200_000]
    };
    [
        Case::new(Kind::Mixed, mixed, 1.0),
        Case::new(Kind::Rings, rings, 1.0),
    ]
}

/// How many agents there are in scenes that come in one size only.
pub fn named_scene_agents() -> usize {
    if is_test_mode() { 5_000 } else { 100_000 }
}
