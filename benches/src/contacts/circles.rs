//! The circles of a frame, and how they move.

use crate::contenders::mixed;

/// How far a circle gets in a frame on each axis at most, in half extents of its box.
const SPEED: f32 = 0.1;
/// So much smaller than half its box is a circle. Whoever rounds the sides of boxes a little differently must not lose a
/// contact for it.
const RADIUS: f32 = 0.999;

/// A circle, as it is handed over: engines keep it as they like.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Circle {
    /// Its centre.
    pub center: [f32; 2],
    /// How far it gets in a frame.
    pub velocity: [f32; 2],
    /// Its radius.
    pub radius: f32,
    /// What it is called by everybody, wherever it is kept.
    pub name: u32,
}

/// The same course of events for every engine: the same circles are in the same places in the same frame, bit for bit.
#[derive(Clone, Debug)]
pub struct Course {
    /// Where they are in frame 0, by name. The order has nothing to do with space.
    start: Vec<[f32; 2]>,
    /// Circles turn back at 0 and at this, on both axes.
    side: f32,
    half_extent: f32,
    /// In so many frames each circle dies once, and is born elsewhere; 0 if none does.
    lifetime: u32,
}

impl Course {
    /// So many circles of one size, with about one overlapping pair of boxes each, of which each lives for so many frames, or
    /// for ever if that is 0.
    pub fn new(circles: usize, lifetime: u32) -> Self {
        let scene = throng_scenes::uniform(circles, 1.0, 1);
        let all = scene.xs.iter().chain(&scene.ys);
        Self {
            side: all.copied().fold(0.0, f32::max),
            half_extent: scene.half[0],
            start: scene.xs.into_iter().zip(scene.ys).map(Into::into).collect(),
            lifetime,
        }
    }

    /// How many circles there are in every frame.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Half the side of every circle's box.
    pub fn half_extent(&self) -> f32 {
        self.half_extent
    }

    /// The radius of every circle.
    pub fn radius(&self) -> f32 {
        RADIUS * self.half_extent
    }

    /// All circles as of frame 0, by name.
    pub fn start(&self) -> impl Iterator<Item = Circle> {
        let circles = self.start.iter().zip(0..);
        circles.map(|(&center, name)| self.circle(center, name, 0))
    }

    /// Whether a circle dies in a frame. In one frame after another it is the turn of names that follow each other, so as many
    /// die in each.
    #[inline]
    pub fn dies(&self, name: u32, frame: u32) -> bool {
        self.lifetime != 0 && name.wrapping_add(frame).is_multiple_of(self.lifetime)
    }

    /// The circle that takes the place of one that dies.
    pub fn born(&self, name: u32, frame: u32) -> Circle {
        let at = |axis| self.side * unit(name, frame, axis);
        self.circle([at(0), at(1)], name, frame)
    }

    /// A circle in a frame, as it was in the frame before.
    #[inline]
    pub fn next(&self, circle: &Circle, frame: u32) -> Circle {
        if self.dies(circle.name, frame) {
            return self.born(circle.name, frame);
        }
        let mut next = *circle;
        for axis in 0..2 {
            [next.center[axis], next.velocity[axis]] =
                self.moved(circle.center[axis], circle.velocity[axis]);
        }
        next
    }

    /// Where something is a frame later, and with what velocity, on one axis.
    #[inline]
    pub fn moved(&self, at: f32, velocity: f32) -> [f32; 2] {
        let at = at + velocity;
        let is_outside = if velocity < 0.0 {
            at < 0.0
        } else {
            at > self.side
        };
        [at, if is_outside { -velocity } else { velocity }]
    }

    fn circle(&self, center: [f32; 2], name: u32, frame: u32) -> Circle {
        let fastest = SPEED * self.half_extent;
        let along = |axis| (2.0 * unit(name, frame, axis) - 1.0) * fastest;
        Circle {
            center,
            velocity: [along(2), along(3)],
            radius: self.radius(),
            name,
        }
    }
}

/// A number from 0 to 1 that looks like chance.
fn unit(name: u32, frame: u32, which: u64) -> f32 {
    let bits = mixed(mixed(u64::from(name) << 32 | u64::from(frame)) + which);
    (bits >> 40) as f32 / (1_u64 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::Course;

    #[test]
    fn circles_stay_in_the_square_and_each_dies_once_in_a_lifetime() {
        let course = Course::new(500, 20);
        let mut circles: Vec<_> = course.start().collect();
        let mut deaths = vec![0; circles.len()];
        for frame in 1..=40 {
            for circle in &mut circles {
                let was = *circle;
                *circle = course.next(&was, frame);
                assert_ne!(was.center, circle.center);
                deaths[circle.name as usize] += u32::from(course.dies(circle.name, frame));
            }
            let inside = -0.1..=course.side + 0.1;
            assert!(
                circles
                    .iter()
                    .all(|circle| circle.center.iter().all(|c| inside.contains(c)))
            );
        }
        assert_eq!(deaths, [2; 500]);
        assert!(!Course::new(10, 0).dies(0, 0), "nobody dies");
    }

    #[test]
    fn circles_go_all_ways() {
        let circles: Vec<_> = Course::new(1_000, 0).start().collect();
        for axis in 0..2 {
            let forward = circles.iter().filter(|circle| circle.velocity[axis] > 0.0);
            assert!((400..600).contains(&forward.count()));
        }
    }
}
