//! Frame after frame: boxes move, a little and then far, change their sizes, come and go.

use crate::common::{STRUCTURES, pairs, update_from};
use crate::scenes::{row_masks, scenes};
use fixedbitset::FixedBitSet;
use throng_core::SimdLevel;
use throng_scenes::{
    BoxScene, THREADS, Threads, overlapping_pairs, resize_some, sorted, step_box_motion,
};

/// About a twentieth of the rows, others in each frame, none in the first.
fn absent_in(frame: usize, rows: usize) -> FixedBitSet {
    let absent = (0..rows).filter(|row| frame > 0 && (row * 7 + frame * 13).is_multiple_of(20));
    absent.collect()
}

fn frames_of(mut scene: BoxScene) -> Vec<(BoxScene, FixedBitSet)> {
    let frames = (0..6).map(|frame| {
        if frame > 0 {
            step_box_motion(&mut scene, 0.05 * 4_f32.powi(frame), frame as u64);
            resize_some(&mut scene, 10, frame as u64);
        }
        (scene.clone(), absent_in(frame as usize, scene.len()))
    });
    frames.collect()
}

#[test]
fn pairs_while_everything_moves() {
    for scene in scenes(400, 7) {
        let levels = SimdLevel::available().iter();
        let mut all = STRUCTURES.map(|(structure, make)| {
            let of_levels: Vec<_> = levels.clone().map(|&level| make(level)).collect();
            (structure, of_levels)
        });
        for (frame, (scene, absent)) in frames_of(scene).iter().enumerate() {
            let expected = overlapping_pairs(&scene.without(absent.ones()));
            for (structure, of_levels) in &mut all {
                let name = format!("{structure}, {}, frame {frame}", scene.name);
                let found = of_levels.iter_mut().zip(THREADS).map(|(one, threads)| {
                    let rows = scene.boxes().without(absent);
                    update_from(&mut **one, rows, &name, &Threads(threads));
                    pairs(&**one, row_masks(scene), &Threads(threads))
                });
                let found: Vec<_> = found.collect();
                let alike = found.iter().all(|pairs| *pairs == found[0]);
                assert!(alike, "{name}: levels differ");
                assert!(sorted(found[0].clone()) == expected, "{name}");
            }
        }
    }
}
