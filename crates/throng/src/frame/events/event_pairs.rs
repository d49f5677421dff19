//! All current pairs with events, whenever they began.

use throng_core::for_both;

use crate::broadphase::Broadphase;
use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::rows_then::{Occupant, SidesThen};

impl Broadphase {
    /// The pairs with events that have begun and not ended, as of the last step: those that it found, in its order, and then those of
    /// two that rest, in no particular order. Those with sensors are among them.
    ///
    /// Use it to save what you keep for each pair by its [slot](PairEvent::slot), or to draw the pairs. Changes made since the step
    /// do not show, except that the id of a removed proxy is stale; its key is the last one that it had. O(pairs).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let stones = CategoryConfig::uniform("stones", 1.0).events().rests_after(1);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(stones).pair_slots(true))?;
    /// world.insert_batch((0..3).map(|i| Proxy::centered([1.5 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// for _ in 0..5 {
    ///     world.step_pairs();
    ///     let mut pairs: Vec<_> = world.event_pairs().map(|pair| (pair.keys, pair.slot)).collect();
    ///     pairs.sort();
    ///     assert_eq!(pairs, [([0, 1], Some(0)), ([1, 2], Some(1))]);
    /// }
    /// assert_eq!(world.resting_pairs().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn event_pairs(&self) -> impl Iterator<Item = PairEvent> {
        let found = self.events.lists_of_last_step().iter();
        found
            .flat_map(|list| self.pairs_of(list))
            .chain(self.resting_event_pairs())
    }

    fn pairs_of(&self, list: &ListedPairs) -> impl Iterator<Item = PairEvent> {
        let sides = self.sides_then(list.categories);
        (list.pairs.iter().enumerate()).map(move |(place, &rows)| PairEvent {
            slot: list.slots.get(place).copied(),
            ..PairEvent::then(list.categories, rows, &sides)
        })
    }

    fn resting_event_pairs(&self) -> impl Iterator<Item = PairEvent> {
        let resting = self.rest.last_pairs().iter();
        let with_events = resting.filter(|pair| self.events.has_events(pair.categories));
        with_events.map(|pair| {
            let SidesThen(sides) = self.sides_then(pair.categories);
            let who = for_both(|side| {
                let id = pair.ids[side];
                sides[side].with_last_key(Occupant { id, key: 0 })
            });
            PairEvent {
                slot: self.resting_pair_slot(pair.ids),
                ..PairEvent::of(pair.categories, who)
            }
        })
    }
}
