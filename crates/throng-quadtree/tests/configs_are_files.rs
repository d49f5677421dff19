//! A dynamic tree's config can be read from and written to a file, and so can ids.
#![cfg(feature = "serde")]

use throng_core::{Aabb, SimdLevel};
use throng_quadtree::{ElementId, QuadtreeConfig};

#[test]
fn configs_are_read_back() {
    let region = Aabb::new([-8.0, 0.0], [8.0, 4.0]).unwrap();
    let config = QuadtreeConfig::new()
        .region(region)
        .split_above(7)
        .max_depth(9)
        .min_node_size(0.5)
        .max_copies(1);
    let text = serde_json::to_string(&config.simd(SimdLevel::Scalar)).unwrap();
    assert_eq!(
        serde_json::from_str::<QuadtreeConfig>(&text).unwrap(),
        config,
        "but for the instruction set, which is this machine's own"
    );
    let some = serde_json::from_str::<QuadtreeConfig>(r#"{"max_depth":3}"#).unwrap();
    assert_eq!(some, QuadtreeConfig::new().max_depth(3));
    let misspelt = serde_json::from_str::<QuadtreeConfig>(r#"{"depth":3}"#).unwrap_err();
    assert!(misspelt.to_string().contains("max_depth"), "{misspelt}");
}

#[test]
fn ids_are_read_back() {
    let id = ElementId::from_bits(3 << 32 | 17);
    let text = serde_json::to_string(&id).unwrap();
    assert_eq!(serde_json::from_str::<ElementId>(&text).unwrap(), id);
}
