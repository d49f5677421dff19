//! Every overlapping pair exactly once, and the same order everywhere: every structure, scene, number of threads
//! and instruction set against the oracle.

use crate::common::{STRUCTURES, build, pairs, update, validate};
use crate::scenes::{KINDS, masks_of_kind, row_masks, scenes, with_kinds};
use throng_core::{MaskWords, RowMasks, Serial, SimdLevel};
use throng_scenes::{
    BoxScene, THREADS, Threads, log_uniform_boxes, overlapping_pairs, overlapping_pairs_sweep,
    sorted,
};

fn check(scene: &BoxScene) {
    let masked = with_kinds(scene);
    let expected = [overlapping_pairs(scene), overlapping_pairs(&masked)];
    for (structure, make) in STRUCTURES {
        let name = format!("{structure}, {}", scene.name);
        let scalar = build(make, scene, SimdLevel::Scalar, &Serial);
        let reference = [scene, &masked].map(|scene| pairs(&*scalar, row_masks(scene), &Serial));
        let ordered = reference[0].iter().all(|[a, b]| a < b);
        assert!(ordered, "{name}: the lower row comes first");
        assert!(sorted(reference[0].clone()) == expected[0], "{name}");
        assert!(
            sorted(reference[1].clone()) == expected[1],
            "{name}: masked"
        );
        for &level in SimdLevel::available() {
            for threads in THREADS {
                let executor = Threads(threads);
                let built = build(make, scene, level, &executor);
                let found =
                    [scene, &masked].map(|scene| pairs(&*built, row_masks(scene), &executor));
                assert!(
                    found == reference,
                    "{name}: {level} on {threads} threads differs"
                );
            }
        }
    }
}

#[test]
fn pairs_of_adversarial_scenes() {
    for scene in scenes(400, 1) {
        check(&scene);
    }
}

#[test]
fn pairs_of_tiny_scenes() {
    for n in 0..130 {
        let scene = log_uniform_boxes(n, [1.0, 30.0], 3.0, n as u64);
        if n < 20 {
            check(&scene);
            continue;
        }
        let expected = overlapping_pairs(&scene);
        for (structure, make) in STRUCTURES {
            let built = build(make, &scene, SimdLevel::detect(), &Serial);
            let found = sorted(pairs(&*built, None, &Serial));
            assert!(found == expected, "{structure}, {n} rows");
        }
    }
}

/// Enough rows for several tasks in every pass.
#[test]
fn pairs_of_a_larger_scene() {
    let scene = log_uniform_boxes(40_000, [1.0, 300.0], 1.0, 2);
    let expected = overlapping_pairs_sweep(&scene);
    for (structure, make) in STRUCTURES {
        let built = build(make, &scene, SimdLevel::detect(), &Serial);
        assert!(built.chunks() > 8, "{structure}: {}", built.chunks());
        assert!(built.cells() > 20, "{structure}: {}", built.cells());
        let reference = pairs(&*built, None, &Serial);
        for threads in THREADS {
            let built = build(make, &scene, SimdLevel::Scalar, &Threads(threads));
            let found = pairs(&*built, None, &Threads(2));
            assert!(found == reference, "{structure}: {threads} threads");
        }
        assert!(sorted(reference) == expected, "{structure}");
    }
}

/// The same masks give the same pairs in the same order, whether each row has its own or each class.
#[test]
fn pairs_by_classes() {
    let scene = with_kinds(&log_uniform_boxes(2000, [1.0, 30.0], 6.0, 3));
    let classes: Vec<u16> = (0..2000).map(|row| (row % KINDS) as u16).collect();
    let palette: Vec<MaskWords> = (0..KINDS).map(masks_of_kind).collect();
    let by_class = RowMasks::Classes {
        classes: &classes,
        palette: &palette,
    };
    let expected = overlapping_pairs(&scene);
    for (structure, make) in STRUCTURES {
        for &level in SimdLevel::available() {
            let built = build(make, &scene, level, &Serial);
            let found = pairs(&*built, row_masks(&scene), &Serial);
            assert!(
                found == pairs(&*built, Some(by_class), &Serial),
                "{structure}, {level}"
            );
            assert!(sorted(found) == expected, "{structure}, {level}");
        }
    }
}

#[test]
fn pairs_of_one_scene_after_another() {
    for (structure, make) in STRUCTURES {
        let levels = SimdLevel::available().iter();
        let mut all: Vec<_> = levels.map(|&level| make(level)).collect();
        for scene in scenes(300, 4).iter().chain(&scenes(500, 5)) {
            let expected = overlapping_pairs(scene);
            // The second time there may be a new plan.
            for _ in 0..2 {
                let found = all.iter_mut().zip(THREADS).map(|(all, threads)| {
                    update(&mut **all, scene, &Threads(threads));
                    pairs(&**all, row_masks(scene), &Threads(threads))
                });
                let found: Vec<_> = found.collect();
                let alike = found.iter().all(|pairs| *pairs == found[0]);
                assert!(alike, "{structure}, {}", scene.name);
                assert!(
                    sorted(found[0].clone()) == expected,
                    "{structure}, {}",
                    scene.name
                );
            }
        }
    }
}

#[test]
fn nothing_is_left_after_clear() {
    let scene = log_uniform_boxes(2000, [1.0, 20.0], 1.0, 6);
    for (structure, make) in STRUCTURES {
        let mut built = build(make, &scene, SimdLevel::detect(), &Serial);
        for _ in 0..2 {
            built.clear();
            validate(&*built, structure);
            assert!(built.is_empty() && built.bounds().is_none());
            assert_eq!((built.len(), built.chunks()), (0, 0));
            let report = built.update(scene.boxes(), &Serial).unwrap();
            assert_eq!((report.rows, report.removed), (2000, 0), "{structure}");
            validate(&*built, structure);
        }
    }
}
