//! Two circles that touch.

use crate::contenders::mixed;

/// What a solver needs of two circles that touch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contact {
    /// Where the engine keeps one of them, or its name.
    pub a: u32,
    /// And the other.
    pub b: u32,
    /// How far they overlap.
    pub depth: f32,
    /// How fast they come closer; below zero if they part.
    pub approach: f32,
}

/// Whether two circles touch, given one as seen from the other and the sum of their radii.
#[inline]
pub fn is_within(offset: [f32; 2], radii: f32) -> bool {
    offset[0] * offset[0] + offset[1] * offset[1] < radii * radii
}

/// Depth and speed of approach of two circles that touch, given `b` as seen from `a`, the sum of their radii, and the difference
/// of their velocities.
///
/// The same bits whichever of the two is `a`.
#[inline]
pub fn depth_and_approach(offset: [f32; 2], radii: f32, [vx, vy]: [f32; 2]) -> [f32; 2] {
    let distance = (offset[0] * offset[0] + offset[1] * offset[1]).sqrt();
    // On one spot there is no direction, and the speed is 0: taken from 0, so that it is not -0 for one of the two ways round.
    let along = vx * offset[0] + vy * offset[1];
    let closing = 0.0 - along / distance.max(f32::MIN_POSITIVE);
    [radii - distance, closing]
}

/// [`depth_and_approach`], or `None` if they do not touch. Asks for the difference of velocities only if they do, so that velocities
/// of those that do not are never read.
#[inline]
pub fn touch(
    offset: [f32; 2],
    radii: f32,
    velocity: impl FnOnce() -> [f32; 2],
) -> Option<[f32; 2]> {
    is_within(offset, radii).then(|| depth_and_approach(offset, radii, velocity()))
}

/// A set of contacts as one number, whatever their order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Found {
    /// How many.
    pub contacts: u64,
    sum: u64,
}

impl Found {
    /// Adds a contact of circles with these names, whichever way round.
    pub fn add(&mut self, names: [u32; 2], contact: &Contact) {
        let [a, b] = names;
        let pair = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        let figures = [contact.depth, contact.approach].map(|figure| u64::from(figure.to_bits()));
        self.contacts += 1;
        self.sum = self
            .sum
            .wrapping_add(mixed(mixed(pair) ^ (figures[0] << 32 | figures[1])));
    }
}

#[cfg(test)]
mod tests {
    use super::{Contact, Found, touch};

    #[test]
    fn circles_that_touch_say_how_deep_and_how_fast() {
        let head_on = touch([3.0, 4.0], 6.0, || [-3.0, -4.0]);
        assert_eq!(head_on, Some([1.0, 5.0]));
        assert_eq!(touch([-3.0, -4.0], 6.0, || [3.0, 4.0]), head_on);
        for [x, y] in [[0.3, -0.7], [0.0, 0.5], [0.0, 0.0], [-0.1, 0.1]] {
            let both_ways = [1.0_f32, -1.0].map(|way| {
                let velocity = || [way * 9.0, way * 9.0];
                touch([way * x, way * y], 1.0, velocity).map(|contact| contact.map(f32::to_bits))
            });
            assert_eq!(both_ways[0], both_ways[1], "{x}, {y}");
            assert!(both_ways[0].is_some());
        }
        assert_eq!(
            touch([3.0, 4.0], 5.0, || unreachable!("read for nothing")),
            None
        );
    }

    #[test]
    fn order_does_not_count_and_everything_else_does() {
        let contact = |depth| Contact {
            a: 7,
            b: 8,
            depth,
            approach: 0.5,
        };
        let of = |all: &[([u32; 2], f32)]| {
            let mut found = Found::default();
            for &(names, depth) in all {
                found.add(names, &contact(depth));
            }
            found
        };
        let two = [([0, 1], 1.0), ([2, 5], 2.0)];
        assert_eq!(of(&two), of(&[([5, 2], 2.0), ([1, 0], 1.0)]));
        assert_ne!(of(&two), of(&[([0, 1], 2.0), ([2, 5], 1.0)]));
        assert_ne!(of(&two), of(&two[..1]));
    }
}
