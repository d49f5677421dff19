//! A crowd on one spot must not be one worker's work alone.

use crate::common::{STRUCTURES, build, pairs};
use throng_core::{Arena, Serial, SimdLevel};
use throng_scenes::{Threads, equal_boxes};

#[test]
fn a_crowd_is_many_chunks() {
    // Strips hand out no fewer than some thousand rows at a time, the others some hundred.
    for (rows, structures) in [(40_000, &STRUCTURES[..]), (6000, &STRUCTURES[1..])] {
        let scene = equal_boxes(rows, rows, 13);
        for (structure, make) in structures {
            let chunks = build(*make, &scene, SimdLevel::detect(), &Serial).chunks();
            assert!(chunks >= 6, "{structure}: {rows} rows in {chunks} chunks");
        }
    }
}

/// Two workers halve a crowd.
#[test]
fn no_chunk_has_most_of_a_crowd() {
    for rows in [2500, 5000] {
        let scene = equal_boxes(rows, rows, 13);
        for (structure, make) in STRUCTURES {
            let built = build(make, &scene, SimdLevel::detect(), &Serial);
            let mut arena = Arena::new();
            let mut cost = |chunk| {
                let stats = built.pairs_in_chunk(chunk, None, &mut arena, &mut |_| {});
                [stats.pairs, stats.candidates]
            };
            let costs: Vec<_> = (0..built.chunks()).map(&mut cost).collect();
            for which in 0..2 {
                let of_chunks = costs.iter().map(|cost| cost[which]);
                let (all, most) = (of_chunks.clone().sum::<u64>(), of_chunks.max().unwrap());
                assert!(2 * most <= all, "{structure}: {most} of {all} in one chunk");
            }
        }
    }
}

#[test]
fn everybody_in_a_crowd_meets_everybody() {
    const ROWS: usize = 4500;
    let scene = equal_boxes(ROWS, ROWS, 13);
    for (structure, make) in STRUCTURES {
        let built = build(make, &scene, SimdLevel::detect(), &Serial);
        let found = pairs(&*built, None, &Threads(2));
        assert_eq!(found.len(), ROWS * (ROWS - 1) / 2, "{structure}");
    }
}
