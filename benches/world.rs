//! A broadphase that holds a scene.

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Masks, Proxy, SimdLevel};
use throng_scenes::Scene;

/// A world of one category, row `i` being row `i` of the scene, with a key and masks for every row.
///
/// The masks are those of [`masks_of_row`].
///
/// # Panics
///
/// If the scene is not sound, or the machine lacks the instruction set.
pub fn world_of(scene: &Scene, simd: Option<SimdLevel>) -> (Broadphase, CategoryId) {
    let mut config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("agents", 0.0).half_extents(scene.half));
    config.simd = simd;
    let mut world = Broadphase::new(config).expect("one sound category");
    let agents = CategoryId::new(0);

    let proxies = (0..scene.len()).map(|row| {
        Proxy::centered([scene.xs[row], scene.ys[row]], scene.half)
            .expect("scenes that are measured on are finite")
            .in_category(agents)
            .key(row as u64 + 1)
            .masks(masks_of_row(row))
    });
    let refused = world.insert_batch(proxies).refused;
    assert_eq!(refused, [], "all fit the one category");
    (world, agents)
}

/// Masks that differ from row to row and yet let every pair through, so that the pairs are those of the
/// scene and the work of testing masks is done.
pub fn masks_of_row(row: usize) -> Masks {
    Masks {
        memberships: 1 << (row % 32),
        filter: u32::MAX,
    }
}
