//! Whether configs find the same pairs, and those that there are.

use std::error::Error;

use throng::{Aabb, BroadphaseConfig, CollectPairs, PairMode};

use crate::{crowd::Crowd, trial::Trial};

/// Agents that are compared with everybody, one by one.
const SAMPLE: usize = 100;
/// The frames that are looked at.
const FRAMES: [usize; 2] = [0, 5];

/// Runs some frames under each config, with own boxes compared so that there is only one right answer.
pub fn same_pairs(
    crowd: &Crowd,
    configs: &[(&str, &BroadphaseConfig)],
) -> Result<(), Box<dyn Error>> {
    let mut trials = Vec::new();
    for (name, config) in configs {
        let mut exact = (*config).clone();
        for category in &mut exact.categories {
            category.pairs = PairMode::Exact;
        }
        trials.push((name, Trial::new(crowd, exact)?));
    }
    for frame in FRAMES {
        let mut first: Option<Vec<[u64; 2]>> = None;
        for (name, trial) in &mut trials {
            trial.write(crowd, frame)?;
            let found = pairs(trial);
            compare_with_brute_force(crowd, frame, &found)
                .map_err(|what| format!("{}, {name}, frame {frame}: {what}", crowd.name))?;
            let first = first.get_or_insert_with(|| found.clone());
            if *first != found {
                let (found, expected) = (found.len(), first.len());
                return Err(
                    format!("{name}: {found} pairs in frame {frame}, not {expected}").into(),
                );
            }
        }
    }
    Ok(())
}

/// All pairs of a step, by key, sorted.
fn pairs(trial: &mut Trial) -> Vec<[u64; 2]> {
    let step = trial.world_mut().step(&CollectPairs);
    let world = step.world();
    let mut pairs = Vec::new();
    for list in step.outputs() {
        let Some(categories) = list.categories() else {
            continue;
        };
        let keys = categories.map(|category| world.keys(category));
        for rows in list.pairs() {
            let mut pair = [0, 1].map(|side| {
                // Without a column all keys are 0.
                keys[side].map_or(0, |keys: &[u64]| keys[rows[side] as usize])
            });
            pair.sort_unstable();
            pairs.push(pair);
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Everybody that some agents overlap, and no other, must be among the pairs.
fn compare_with_brute_force(crowd: &Crowd, frame: usize, found: &[[u64; 2]]) -> Result<(), String> {
    let places = crowd.frame(frame);
    let fixed = crowd.fixed.iter().map(|aabb| Some(*aabb));
    let all: Vec<Option<Aabb>> = places.iter().copied().chain(fixed).collect();
    let each = (places.len() / SAMPLE).max(1);
    let mut expected = Vec::new();
    for agent in (0..places.len()).step_by(each) {
        let Some(mine) = places[agent] else { continue };
        for (other, theirs) in all.iter().enumerate() {
            if other != agent && theirs.is_some_and(|theirs| theirs.overlaps(&mine)) {
                expected.push([agent.min(other) as u64, agent.max(other) as u64]);
            }
        }
    }
    expected.sort_unstable();
    expected.dedup();
    let sampled = |key: u64| key < places.len() as u64 && (key as usize).is_multiple_of(each);
    let mine = found
        .iter()
        .filter(|pair| sampled(pair[0]) || sampled(pair[1]));
    if mine.eq(&expected) {
        Ok(())
    } else {
        Err(format!(
            "not the {} pairs that {SAMPLE} of them have",
            expected.len()
        ))
    }
}
