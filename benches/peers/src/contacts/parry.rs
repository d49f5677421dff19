//! parry2d 0.31's `Bvh` beside an array of circles.

use std::sync::Arc;
use std::time::Instant;

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use throng_benches::contacts::{Circle, Contact, Course, Engine, Found, Stage, Times, touch};

use crate::Upkeep;

/// An engine with an array of structs, so that a circle is one line of the cache, and a tree whose leaves are their places.
///
/// What makes it fair, or kinder than that: a circle that is born elsewhere is taken out of the tree and put in again while
/// circles move, which is not timed.
pub struct ParryBodies {
    course: Arc<Course>,
    frame: u32,
    upkeep: Upkeep,
    circles: Vec<Circle>,
    tree: Bvh,
    workspace: BvhWorkspace,
    contacts: Vec<Contact>,
}

impl ParryBodies {
    /// As of frame 0.
    pub fn new(course: &Arc<Course>, upkeep: Upkeep) -> Self {
        let circles: Vec<_> = course.start().collect();
        let boxes: Vec<_> = circles
            .iter()
            .map(|circle| boxed(circle, course.half_extent()))
            .collect();
        Self {
            course: Arc::clone(course),
            frame: 0,
            upkeep,
            circles,
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            workspace: BvhWorkspace::default(),
            contacts: Vec::new(),
        }
    }
}

fn boxed(circle: &Circle, half: f32) -> Aabb {
    let [x, y] = circle.center;
    Aabb::new(
        Vector::new(x - half, y - half),
        Vector::new(x + half, y + half),
    )
}

impl Engine for ParryBodies {
    fn name(&self) -> &'static str {
        match self.upkeep {
            Upkeep::Refit => "parry, refit",
            Upkeep::Optimize => "parry, optimized",
        }
    }

    fn is_peer(&self) -> bool {
        true
    }

    fn advance(&mut self) {
        self.frame += 1;
        let course = &self.course;
        for (circle, leaf) in self.circles.iter_mut().zip(0..) {
            let is_born = course.dies(circle.name, self.frame);
            *circle = course.next(circle, self.frame);
            if is_born {
                self.tree.remove(leaf);
                self.tree.insert(boxed(circle, course.half_extent()), leaf);
            }
        }
    }

    fn frame(&mut self) -> (Times, Found) {
        self.contacts.clear();
        let half = self.course.half_extent();
        let (circles, contacts) = (&self.circles, &mut self.contacts);
        let started = Instant::now();
        for (circle, leaf) in circles.iter().zip(0..) {
            self.tree
                .insert_or_update_partially(boxed(circle, half), leaf, 0.0);
        }
        self.upkeep.keep_up(&mut self.tree, &mut self.workspace, 1);
        let indexed = Instant::now();
        let mut visit = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|leaf| &circles[leaf as usize]);
            let offset = [b.center[0] - a.center[0], b.center[1] - a.center[1]];
            let velocity = || [b.velocity[0] - a.velocity[0], b.velocity[1] - a.velocity[1]];
            if let Some([depth, approach]) = touch(offset, a.radius + b.radius, velocity) {
                contacts.push(Contact {
                    a: a.name,
                    b: b.name,
                    depth,
                    approach,
                });
            }
        };
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut visit);
        let all = started.elapsed();
        let times = Times::default()
            .with(Stage::Index, indexed - started)
            .with(Stage::Pairs, all - (indexed - started))
            .with(Stage::All, all);
        let mut found = Found::default();
        for contact in &self.contacts {
            found.add([contact.a, contact.b], contact);
        }
        (times, found)
    }
}
