//! Points of maths libraries convert to boxes and back.

use throng_core::Aabb;

/// A point of some unknown library.
struct Point(f32, f32);

impl From<Point> for [f32; 2] {
    fn from(Point(x, y): Point) -> Self {
        [x, y]
    }
}

#[test]
fn whatever_becomes_two_numbers_goes_in() {
    let aabb = Aabb::new([0.0, 1.0], [2.0, 5.0]).unwrap();
    assert_eq!(Aabb::new(Point(0.0, 1.0), (2.0, 5.0)).unwrap(), aabb);
    assert_eq!(
        Aabb::from_center(Point(1.0, 3.0), [1.0, 2.0]).unwrap(),
        aabb
    );
    assert_eq!(Aabb::point(Point(4.0, 3.0)).unwrap().max(), [4.0, 3.0]);
    assert!(Aabb::new(Point(3.0, 1.0), [2.0, 5.0]).is_err());
}

#[cfg(feature = "glam")]
#[test]
fn glam_goes_in_and_comes_out() {
    use glam::Vec2;

    let (min, max) = (Vec2::new(0.0, 1.0), Vec2::new(2.0, 5.0));
    let aabb = Aabb::new(min, max).unwrap();
    assert_eq!((aabb.min_vec2(), aabb.max_vec2()), (min, max));
    assert_eq!(aabb.center_vec2(), Vec2::new(1.0, 3.0));
    assert_eq!(
        Aabb::from_center(aabb.center_vec2(), (max - min) / 2.0),
        Ok(aabb)
    );
}

#[cfg(feature = "mint")]
#[test]
fn mint_goes_in_and_comes_out() {
    use mint::{Point2, Vector2};

    let (min, max) = (Point2 { x: 0.0, y: 1.0 }, Point2 { x: 2.0, y: 5.0 });
    let aabb = Aabb::new(min, max).unwrap();
    assert_eq!((aabb.min_mint(), aabb.max_mint()), (min, max));
    assert_eq!(aabb.center_mint(), Point2 { x: 1.0, y: 3.0 });
    let half_extents = Vector2 { x: 1.0, y: 2.0 };
    assert_eq!(
        Aabb::from_center(aabb.center_mint(), half_extents),
        Ok(aabb)
    );
}
