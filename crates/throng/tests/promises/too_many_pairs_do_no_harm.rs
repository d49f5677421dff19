//! Promise: a crowd on one spot, whose pairs are the square of it, leaves no memory behind, and is cut off where a limit
//! is set, the same on any number of threads.

use throng::{
    Advice, Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, CountPairs, PairList,
    Proxy, StepCut,
};

use crate::common::{Threads, category};

/// Rows of things in pairs, most of them alone, and many on one spot, in the middle of the order.
fn world(max_pairs: Option<u64>, crowd: usize) -> Broadphase {
    let mut config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("bats", 0.5).coarse())
        .category(CategoryConfig::oversized("owls"));
    config.max_pairs = max_pairs;
    let mut world = Broadphase::new(config).unwrap();
    let place = |k: usize| [(k % 200) as f32 * 0.9, (k / 200) as f32 * 1.7];
    let alone = (0..40_000).map(|k| Proxy::centered(place(k), [0.5; 2]).unwrap());
    let crowd = (0..crowd).map(|_| Proxy::centered([50.0, 170.0], [0.5; 2]).unwrap());
    assert_eq!(world.insert_batch(alone.chain(crowd)).refused, []);
    let owls = (0..50).map(|k| Proxy::centered([k as f32 * 3.0, 40.0], [4.0; 2]).unwrap());
    assert_eq!(
        world
            .insert_batch(owls.map(|owl| owl.in_category(category(1))))
            .refused,
        []
    );
    world
}

fn lists(world: &mut Broadphase, threads: usize) -> (Vec<PairList>, Option<StepCut>, u64) {
    let step = world.step_on(&Threads(threads), &CollectPairs);
    let report = step.report();
    (step.outputs().cloned().collect(), report.cut, report.pairs)
}

#[test]
fn a_step_is_cut_to_the_longest_run_of_chunks_within_the_limit() {
    let crowd = 600;
    let (all, cut, pairs) = lists(&mut world(None, crowd), 2);
    assert_eq!(
        (cut, pairs),
        (None, all.iter().map(|list| list.pairs().len() as u64).sum())
    );
    let mut sums = vec![0];
    for list in &all {
        sums.push(sums[sums.len() - 1] + list.pairs().len() as u64);
    }
    let limits = sums
        .iter()
        .flat_map(|&sum| [sum.saturating_sub(1), sum, sum + 1]);
    for limit in limits.chain([u64::MAX]) {
        // The first chunks by definition: as many as have no more pairs than the limit.
        let kept = sums.iter().rposition(|&sum| sum <= limit).unwrap();
        for threads in [1, 2, 3, 8] {
            let mut world = world(Some(limit), crowd);
            for _step in 0..2 {
                let (left, cut, pairs) = lists(&mut world, threads);
                assert!(left == all[..kept], "limit {limit}, {threads} threads");
                assert_eq!(pairs, sums[kept]);
                assert_eq!(cut.is_some(), kept < all.len(), "limit {limit}");
                if let Some(cut) = cut {
                    assert_eq!((cut.chunks, cut.of), (kept, all.len()));
                    let first = &all[kept];
                    assert_eq!(cut.pairs, first.pairs().len() as u64);
                    assert_eq!(Some(cut.categories), first.categories());
                }
            }
            let text = world.report().to_string();
            assert_eq!(text.contains("the rest were dropped"), kept < all.len());
        }
    }
}

#[test]
fn a_limit_is_lifted_by_another_config() {
    let mut world = world(Some(10), 100);
    world.step(&CountPairs);
    assert!(world.report().cut.is_some());
    let mut config = world.config().clone();
    config.max_pairs = None;
    world.reconfigure(config).unwrap();
    world.step(&CountPairs);
    assert_eq!(world.report().cut, None);
}

#[test]
fn a_crowd_is_named_and_its_memory_let_go() {
    let crowd = 2000;
    let mut world = world(None, crowd);
    world.step(&CollectPairs);
    let square = crowd as u64 * (crowd as u64 - 1) / 2;
    assert!(world.report().pairs > square);
    let advice = world.report().advice();
    let named = advice
        .iter()
        .find(|advice| matches!(advice, Advice::Crowd { .. }));
    assert!(
        matches!(named, Some(Advice::Crowd { in_one_chunk, .. }) if *in_one_chunk > square / 2),
        "{advice:?}"
    );
    assert!(named.unwrap().to_string().contains("max_pairs"));
    let at_once = world.report().bytes;
    let outputs = world.memory().outputs;
    assert!(outputs as u64 >= 8 * square && at_once >= outputs);
    assert_eq!(at_once, world.memory().total());

    let ids: Vec<_> = world.proxies(category(0)).skip(40_000).collect();
    for (k, id) in ids.into_iter().enumerate() {
        world.set_center(id, [k as f32 * 2.0, -20.0]).unwrap();
    }
    for _ in 0..500 {
        world.step(&CollectPairs);
    }
    let after = world.memory().outputs;
    assert!(after * 8 < outputs, "{after} of {outputs} bytes");
    assert!(
        !world
            .report()
            .advice()
            .iter()
            .any(|advice| matches!(advice, Advice::Crowd { .. }))
    );

    world.shrink_to_fit();
    assert_eq!(world.memory().outputs, 0);
    world.step(&CountPairs);
}

#[test]
fn a_crowd_that_is_cut_off_is_named_too() {
    let mut world = world(Some(100_000), 2000);
    world.step(&CountPairs);
    let advice = world.report().advice();
    let is_crowd = |advice: &Advice| {
        matches!(
            advice,
            Advice::Crowd {
                in_one_chunk: 1_000_000..,
                ..
            }
        )
    };
    assert!(advice.iter().any(is_crowd), "{advice:?}");
}

#[test]
fn outputs_of_a_type_no_longer_used_are_let_go() {
    let mut world = world(None, 1000);
    world.step(&CollectPairs);
    let held = world.memory().outputs;
    (0..300).for_each(|_| {
        world.step(&CountPairs);
    });
    assert!(world.memory().outputs * 100 < held);
}
