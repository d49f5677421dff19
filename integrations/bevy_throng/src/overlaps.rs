//! The pairs of a frame.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::ResMut;
use throng::{Narrowphase, PairBatch, Step};

use crate::messages::{self, OverlapBegan, OverlapEnded};
use crate::space::Space;

/// Every pair of entities whose boxes overlap and whose masks agree, each once, as of the last step. Where categories come
/// to rest, pairs of two that do are in [`Space::resting_overlaps`] instead.
///
/// A resource and not messages: it can be long, is read as a whole, and is out of date a frame later. The entity in
/// the lower category comes first; within a category, the one in the lower row.
#[derive(Resource, Clone, Debug, Default)]
pub struct Overlaps {
    pairs: Vec<[Entity; 2]>,
}

impl Overlaps {
    /// The pairs, in spatial order; the same on any number of threads.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [Entity; 2]> {
        self.pairs.iter().copied()
    }

    /// The pairs as a slice.
    pub fn as_slice(&self) -> &[[Entity; 2]] {
        &self.pairs
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn find<'s>(&mut self, space: &'s mut Space) -> Step<'s, Vec<[Entity; 2]>> {
        let step = space.step(&Entities);
        self.pairs.clear();
        for pairs in step.outputs() {
            self.pairs.extend_from_slice(pairs);
        }
        step
    }
}

/// The system that fills [`Overlaps`].
pub(crate) fn find_overlaps(mut space: ResMut<'_, Space>, mut overlaps: ResMut<'_, Overlaps>) {
    overlaps.find(&mut space);
}

/// The same, and what begins and ends is sent.
pub(crate) fn find_overlaps_and_send(
    mut space: ResMut<'_, Space>,
    mut overlaps: ResMut<'_, Overlaps>,
    mut began: MessageWriter<'_, OverlapBegan>,
    mut ended: MessageWriter<'_, OverlapEnded>,
) {
    let step = overlaps.find(&mut space);
    messages::send(&step, &mut began, &mut ended);
}

/// The keys of all proxies are entities: only the plugin inserts any.
struct Entities;

impl Narrowphase for Entities {
    type Scratch = ();
    type Output = Vec<[Entity; 2]>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), pairs: &mut Vec<[Entity; 2]>) {
        // Those do not overlap yet.
        if batch.is_predicted() {
            return;
        }
        let entities = batch.pairs().iter().filter_map(|&rows| {
            let [a, b] = batch.keys(rows).map(Entity::try_from_bits);
            Some([a?, b?])
        });
        pairs.extend(entities);
    }
}
