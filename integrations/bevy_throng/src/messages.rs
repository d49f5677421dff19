//! Which pairs began and which ended, as messages.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageWriter};
use throng::{CategoryId, ChunkOutput, PairEvent, Step};

/// Two entities overlap that did not in the last step: see [`BroadphasePlugin::with_messages`].
///
/// [`BroadphasePlugin::with_messages`]: crate::BroadphasePlugin::with_messages
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapBegan {
    /// The one in the lower category first; within a category, the one in the lower row.
    pub entities: [Entity; 2],
    /// Their categories.
    pub categories: [CategoryId; 2],
}

/// Two entities overlap no more, whatever the cause: one for each [`OverlapBegan`].
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapEnded {
    /// As in the begin, but within a category perhaps the other way round. They may be despawned by now.
    pub entities: [Entity; 2],
    /// Their categories.
    pub categories: [CategoryId; 2],
}

/// Sends what a step has to tell.
pub(crate) fn send<O: ChunkOutput>(
    step: &Step<'_, O>,
    began: &mut MessageWriter<'_, OverlapBegan>,
    ended: &mut MessageWriter<'_, OverlapEnded>,
) {
    ended.write_batch(step.ended().filter_map(|event| {
        let (entities, categories) = (entities(&event)?, event.categories);
        Some(OverlapEnded {
            entities,
            categories,
        })
    }));
    began.write_batch(step.began().filter_map(|event| {
        let (entities, categories) = (entities(&event)?, event.categories);
        Some(OverlapBegan {
            entities,
            categories,
        })
    }));
}

/// The keys of all proxies are entities: only the plugin inserts any.
fn entities(event: &PairEvent) -> Option<[Entity; 2]> {
    let [a, b] = event.keys.map(Entity::try_from_bits);
    Some([a?, b?])
}
