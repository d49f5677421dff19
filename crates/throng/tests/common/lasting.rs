//! What events say, against the pairs themselves.

use std::collections::{BTreeMap, BTreeSet};

use throng::{Broadphase, CategoryId, PairEvent, PairEvents, PairList, ProxyId, Step};

/// The pairs with events that last, as a list and as a plain engine would keep them.
#[derive(Clone, Default)]
pub struct Lasting {
    /// As the last step reported them, in its order.
    pairs: Vec<[ProxyId; 2]>,
    /// Their slots, where they have any; and those that were free after the last step.
    slots: BTreeMap<[ProxyId; 2], u32>,
    /// How many have ever begun and ended.
    pub began: u64,
    pub ended: u64,
    /// Whether any of them rested in the last step.
    was_resting: bool,
}

/// The pair, whichever way round.
fn unordered([a, b]: [ProxyId; 2]) -> [ProxyId; 2] {
    [a.min(b), a.max(b)]
}

impl Lasting {
    /// Checks the events of a step: each pair that is new has begun, each that is gone has ended, in the order of the steps that
    /// reported them, and nothing else has. `key` tells the last key of any proxy that ever was.
    pub fn follow(
        &mut self,
        step: &Step<'_, PairList>,
        has_events: impl Fn([CategoryId; 2]) -> bool,
        key: impl Fn(ProxyId) -> u64,
    ) {
        let world = step.world();
        let reported = step
            .pairs()
            .filter(|pair| has_events(pair.map(|place| place.category)));
        let mut now: Vec<[ProxyId; 2]> = reported
            .map(|pair| pair.map(|place| world.proxy_at(place).expect("it was just reported")))
            .collect();
        // Pairs that rest go on, in no particular order.
        let resting = step.resting_pairs().iter().filter(|pair| {
            let mut places = pair.ids.map(|id| world.locate(id).unwrap().category);
            places.sort_unstable();
            has_events(places)
        });
        now.extend(resting.map(|pair| pair.ids));
        let set = |pairs: &[[ProxyId; 2]]| -> BTreeSet<[ProxyId; 2]> {
            pairs.iter().copied().map(unordered).collect()
        };
        let (was, is) = (set(&self.pairs), set(&now));
        let new = now.iter().filter(|&&pair| !was.contains(&unordered(pair)));
        let gone = self
            .pairs
            .iter()
            .filter(|&&pair| !is.contains(&unordered(pair)));
        let [began, ended] = [step.began().collect(), step.ended().collect::<Vec<_>>()];
        for events in [step.began(), step.ended()] {
            check_between(&events, step.world());
        }
        let is_ordered = !self.was_resting && step.resting_pairs().is_empty();
        self.was_resting = !step.resting_pairs().is_empty();
        assert_told(&began, new, is_ordered, "began");
        assert_told(&ended, gone, is_ordered, "ended");
        for event in began.iter().chain(&ended) {
            assert_eq!(event.keys, event.ids.map(&key), "{event:?}");
            assert!(has_events(event.categories), "{event:?}");
        }
        for event in &began {
            let places = event.ids.map(|id| world.locate(id).unwrap().category);
            assert_eq!(event.categories, places);
        }
        let counts = [step.report().began, step.report().ended];
        assert_eq!(counts, [began.len(), ended.len()]);
        self.began += began.len() as u64;
        self.ended += ended.len() as u64;
        assert_eq!(self.began - self.ended, now.len() as u64, "they balance");
        self.follow_slots(&began, &ended, world.pair_slots_len());
        self.pairs = now;
        self.check_listed(step.event_pairs(), key);
        let listed = step.event_pairs().map(|pair| pair.ids);
        assert!(listed.eq(self.pairs.iter().copied()), "in order");
    }

    /// Checks what is listed at any time after a step: all that last, with their keys and slots.
    pub fn check_listed(
        &self,
        listed: impl Iterator<Item = PairEvent>,
        key: impl Fn(ProxyId) -> u64,
    ) {
        let mut left: BTreeSet<_> = self.pairs.iter().copied().map(unordered).collect();
        for pair in listed {
            assert!(left.remove(&unordered(pair.ids)), "{pair:?}");
            assert_eq!(pair.keys, pair.ids.map(&key), "{pair:?}");
            let slot = self.slots.get(&unordered(pair.ids)).copied();
            assert_eq!(pair.slot, slot, "{pair:?}");
        }
        assert!(left.is_empty(), "{left:?}");
    }

    /// A pair keeps its slot for as long as it lasts, and none is anybody else's.
    fn follow_slots(&mut self, began: &[PairEvent], ended: &[PairEvent], len: usize) {
        if len == 0 {
            let mut events = began.iter().chain(ended);
            return assert!(events.all(|event| event.slot.is_none()));
        }
        let mut taken: BTreeSet<u32> = self.slots.values().copied().collect();
        let most = taken.len() + began.len();
        for event in began {
            let slot = event.slot.expect("slots are on");
            assert!((slot as usize) < len && taken.insert(slot), "{event:?}");
            self.slots.insert(unordered(event.ids), slot);
        }
        for event in ended {
            let slot = self.slots.remove(&unordered(event.ids));
            assert_eq!(event.slot, slot, "{event:?}");
        }
        assert!(taken.len() <= most);
    }

    /// The slots of all pairs that last.
    pub fn slots(&self) -> &BTreeMap<[ProxyId; 2], u32> {
        &self.slots
    }

    /// How many last.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }
}

/// Those between two categories are the ones of all that are, with the first category's proxy first, however many have been read.
fn check_between(events: &PairEvents<'_>, world: &Broadphase) {
    let mut some = events.clone();
    let read = some.len() / 3;
    some.by_ref().take(read).for_each(drop);
    let all: Vec<_> = some.clone().collect();
    let mut told = 0;
    for a in world.categories() {
        for b in world.categories() {
            let between = some.clone().between(a, b);
            let expected = all.iter().filter_map(|&event| match event.categories {
                [c, d] if [c, d] == [a, b] => Some(event),
                [c, d] if [d, c] == [a, b] => Some(flipped(event)),
                _ => None,
            });
            assert_eq!(between.clone().between(b, a).len(), between.len());
            told += if a <= b { between.len() } else { 0 };
            let found: Vec<_> = between.clone().collect();
            assert_eq!(found.len(), between.len());
            assert!(expected.eq(found), "{a:?} {b:?}");
        }
    }
    // Ends may be of categories that are gone.
    let is_here = |category: &CategoryId| world.category_name(*category).is_some();
    let of_those_here = all
        .iter()
        .filter(|event| event.categories.iter().all(is_here));
    assert_eq!(told, of_those_here.count());
}

fn flipped(mut event: PairEvent) -> PairEvent {
    event.ids.reverse();
    event.keys.reverse();
    event.categories.reverse();
    event
}

fn assert_told<'p>(
    told: &[PairEvent],
    expected: impl Iterator<Item = &'p [ProxyId; 2]>,
    is_ordered: bool,
    what: &str,
) {
    let mut told: Vec<_> = told.iter().map(|event| event.ids).collect();
    let mut expected: Vec<_> = expected.copied().collect();
    if !is_ordered {
        for pairs in [&mut told, &mut expected] {
            pairs.iter_mut().for_each(|pair| *pair = unordered(*pair));
            pairs.sort_unstable();
        }
    }
    if told != expected {
        let [has, should] = [&told, &expected].map(|pairs| pairs.iter().collect::<BTreeSet<_>>());
        let wrong = has.difference(&should).next();
        let missing = should.difference(&has).next();
        panic!(
            "{} {what}, and {} should: missing {missing:?}, wrong {wrong:?}, otherwise the order differs",
            told.len(),
            expected.len()
        );
    }
}
