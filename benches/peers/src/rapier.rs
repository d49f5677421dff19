//! A peer: rapier2d's `BroadPhaseBvh`, parry's tree with everything that rapier keeps around it.

use rapier2d::dynamics::{IntegrationParameters, RigidBodySet};
use rapier2d::geometry::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle,
    ColliderSet,
};
use throng_benches::{Population, Sides};

use crate::exact_pairs::ExactPairs;
use crate::parry::aabb;
use crate::{Found, PairSum, Peer, Stopwatch};

/// A rapier frame: `set_aabb` for what has moved, then `update`, which gives the pairs that begin and end.
///
/// These are pairs of boxes that are 0.04 larger on each side. **Keeping them and comparing the boxes as they are is shown
/// apart.**
#[derive(Default)]
pub struct Rapier {
    world: World,
    boxes: Vec<Sides>,
    moved: Vec<u32>,
    movers: u32,
    pairs: ExactPairs,
}

#[derive(Default)]
struct World {
    phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    colliders: ColliderSet,
    bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
}

impl World {
    fn of(boxes: usize) -> Self {
        let mut world = World::default();
        world.handles = (0..boxes as u32)
            .map(|row| {
                let collider =
                    ColliderBuilder::ball(0.5).active_collision_types(ActiveCollisionTypes::all());
                let handle = world.colliders.insert(collider);
                assert_eq!(row_of(handle), row, "rapier counts as we do");
                handle
            })
            .collect();
        world
    }

    fn update(&mut self, boxes: &[Sides], changed: &[u32]) {
        for &row in changed {
            let (handle, sides) = (self.handles[row as usize], boxes[row as usize]);
            self.phase.set_aabb(&self.parameters, handle, aabb(sides));
        }
        self.events.clear();
        self.phase.update(
            &self.parameters,
            &self.colliders,
            &self.bodies,
            &[],
            &[],
            &mut self.events,
        );
    }
}

fn row_of(handle: ColliderHandle) -> u32 {
    handle.into_raw_parts().0
}

impl Peer for Rapier {
    fn name(&self) -> &'static str {
        "rapier"
    }

    fn way(&self) -> &'static str {
        "`BroadPhaseBvh`: `set_aabb` for what has moved, then `update` with nothing else, in a build with `parallel`; finds \
         pairs of boxes 0.04 larger, which are kept and compared in the time shown as \"filter\""
    }

    fn prepare(&mut self, population: &Population) {
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        self.moved.clone_from(&population.moved);
        self.movers = population.movers() as u32;
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let Self {
            world,
            boxes,
            moved,
            movers,
            pairs,
        } = self;
        let begun = Stopwatch::start(threads);
        pairs.begin(boxes, moved, *movers);
        let mut filter = begun.elapsed();

        let started = Stopwatch::start(threads);
        if world.handles.len() == boxes.len() {
            world.update(boxes, moved);
        } else {
            let all: Vec<u32> = (0..boxes.len() as u32).collect();
            *world = World::of(boxes.len());
            world.update(boxes, &all);
        }
        let time = started.elapsed();

        let begun = Stopwatch::start(threads);
        for event in &world.events {
            match event {
                BroadPhasePairEvent::AddPair(pair) => {
                    pairs.add(row_of(pair.collider1), row_of(pair.collider2));
                }
                BroadPhasePairEvent::DeletePair(pair) => {
                    pairs.remove(row_of(pair.collider1), row_of(pair.collider2));
                }
            }
        }
        let sum = pairs.finish(moved);
        filter += begun.elapsed();
        Found { sum, time, filter }
    }

    fn keeps(&self) -> bool {
        true
    }
}
