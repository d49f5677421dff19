//! Bad input is refused with a reason, and changes nothing.

use std::ops::ControlFlow;
use throng_core::{Aabb, ShapeError, SimdLevel, SimdUnavailable};
use throng_quadtree::{ElementId, MOST_ELEMENTS, Quadtree, QuadtreeConfig, QuadtreeError};

fn refused(config: QuadtreeConfig) -> String {
    Quadtree::<()>::new(config).unwrap_err().to_string()
}

#[test]
fn settings_out_of_range_are_refused() {
    let config = QuadtreeConfig::new;
    assert!(refused(config().split_above(0)).contains("split_above must be 1 to 65536, but 0"));
    assert!(refused(config().split_above(65_537)).contains("65537"));
    assert!(refused(config().max_depth(0)).contains("max_depth must be 1 to 20, but 0"));
    assert!(refused(config().max_depth(21)).contains("21"));
    assert!(refused(config().max_copies(0)).contains("max_copies must be 1 to 64, but 0"));
    assert!(refused(config().max_copies(65)).contains("65"));
    for size in [f32::NAN, f32::INFINITY, 1.1e36, -1.0] {
        let said = refused(config().min_node_size(size));
        assert!(said.contains(&format!("but {size} was given")), "{said}");
    }
}

#[test]
fn regions_that_cannot_be_divided_are_refused() {
    let region = |min, max| QuadtreeConfig::new().region(Aabb::new(min, max).unwrap());
    for config in [
        region([0.0; 2], [f32::INFINITY; 2]),
        region([-1.0, f32::NEG_INFINITY], [1.0; 2]),
        region([3.0, 4.0], [3.0, 4.0]),
    ] {
        let said = refused(config);
        assert!(said.contains("finite and more than a point"), "{said}");
    }
    // A line is more than a point, and the largest possible square is allowed.
    for config in [
        region([0.0; 2], [0.0, 1e-40]),
        region([f32::MIN; 2], [f32::MAX; 2]),
    ] {
        let mut tree = Quadtree::new(config.split_above(1)).unwrap();
        for k in 0..9 {
            let aabb = Aabb::point([k as f32 * 1e37, 1e-41 * k as f32]).unwrap();
            tree.insert(aabb, k).unwrap();
        }
        assert_eq!(tree.validate(), Ok(()));
        assert_eq!(tree.find_in_aabb(&Aabb::EVERYWHERE).len(), 9);
    }
}

/// The largest allowed minimum node size, in the largest possible world.
#[test]
fn the_largest_world_is_divided_as_far_as_asked() {
    for config in [
        QuadtreeConfig::new().min_node_size(1e36),
        QuadtreeConfig::new().max_depth(1),
        QuadtreeConfig::new(),
    ] {
        let mut tree = Quadtree::new(config.split_above(1)).unwrap();
        for k in 0..100 {
            let place = [f32::MAX / 51.0 * (k - 50) as f32, k as f32];
            tree.insert(Aabb::point(place).unwrap(), k).unwrap();
        }
        for _ in 0..3 {
            tree.clean_up();
            assert_eq!(tree.validate(), Ok(()));
            assert_eq!(tree.find_in_aabb(&Aabb::EVERYWHERE).len(), 100);
            assert!(tree.find_pairs().is_empty());
        }
    }
}

#[test]
fn levels_that_are_not_there_are_refused() {
    for level in SimdLevel::ALL {
        let made = Quadtree::<()>::new(QuadtreeConfig::new().simd(level));
        let best = SimdLevel::detect();
        let expected = (!level.is_available())
            .then_some(QuadtreeError::Simd(SimdUnavailable { given: level, best }));
        assert_eq!(made.err(), expected, "{level}");
    }
}

#[test]
fn queries_of_nothing_are_refused() {
    let tree: Quadtree<()> = Quadtree::new(QuadtreeConfig::new()).unwrap();
    let nobody = |_: throng_quadtree::Element<'_, ()>| ControlFlow::<()>::Continue(());
    for given in [[f32::NAN, 0.0], [1.0, f32::NAN]] {
        for refused in [
            tree.query_point(given, nobody).map(|_| ()),
            tree.query_circle(given, 1.0, nobody).map(|_| ()),
            tree.find_at_point(given).map(|_| ()),
        ] {
            assert!(
                matches!(refused, Err(ShapeError::NotANumber { .. })),
                "{refused:?}"
            );
        }
    }
    for given in [-1.0, f32::NAN] {
        let refused = tree.find_in_circle([0.0; 2], given).unwrap_err();
        assert!(matches!(refused, ShapeError::Reach { .. }), "{refused}");
        assert!(
            refused.to_string().contains(&given.to_string()),
            "{refused}"
        );
    }
}

#[test]
fn ids_of_what_is_gone_say_so() {
    let unit = Aabb::new([0.0; 2], [1.0; 2]).unwrap();
    let mut tree = Quadtree::new(QuadtreeConfig::new()).unwrap();
    let first = tree.insert(unit, 'a').unwrap();
    assert_eq!(tree.remove(first), Ok('a'));
    let second = tree.insert(unit, 'b').unwrap();
    assert_eq!(first.index(), second.index(), "the slot is reused");
    let refused = tree.set_aabb(first, unit).unwrap_err();
    assert_eq!(refused, QuadtreeError::Stale { id: first });
    assert!(
        refused
            .to_string()
            .contains("element 0v1 is not in the tree"),
        "{refused}"
    );
    assert_eq!(tree.get(second), Ok(&'b'));

    assert_eq!(ElementId::from_bits(second.to_bits()), second);
    for bits in [0, u64::MAX, u64::from(MOST_ELEMENTS)] {
        let id = ElementId::from_bits(bits);
        assert_eq!(tree.aabb(id), Err(QuadtreeError::Stale { id }));
    }
    let full = QuadtreeError::Full.to_string();
    assert!(full.contains(&MOST_ELEMENTS.to_string()), "{full}");
}
