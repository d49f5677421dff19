//! The same boxes make the same bytes, whatever builds them.

use crate::common::{build, configs};
use crate::scenes::scenes;
use throng_core::{Serial, SimdLevel};
use throng_quadtree::PackedConfig;
use throng_scenes::{THREADS, Threads, hundred_giants, log_uniform_boxes};

#[test]
fn small_scenes() {
    for scene in scenes(500, 40) {
        for config in configs() {
            let expected = build(&scene, config, &Serial);
            for threads in THREADS {
                let tree = build(&scene, config, &Threads(threads));
                let same = tree.as_bytes() == expected.as_bytes();
                assert!(same, "{}: {config:?} on {threads} threads", scene.name);
            }
        }
    }
}

/// Enough rows for several tasks in every pass, and for giants to be separated.
#[test]
fn larger_scenes() {
    let scenes = [
        log_uniform_boxes(70_000, [1.0, 300.0], 1.0, 41),
        hundred_giants(60_000, 42),
    ];
    for scene in scenes {
        let expected = build(&scene, PackedConfig::new(), &Serial);
        for threads in THREADS {
            for &level in SimdLevel::available() {
                let config = PackedConfig::new().simd(level);
                let tree = build(&scene, config, &Threads(threads));
                let same = tree.as_bytes() == expected.as_bytes();
                assert!(same, "{}: {level} on {threads} threads", scene.name);
            }
        }
    }
}
