//! Promise: who goes back to an earlier frame as the guide says, and on from there, finds what was found the first time: the same
//! pairs in the same order, and the same begins and ends.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CollectPairs, Proxy, ProxyId,
};

use crate::common::Threads;

const UNITS: CategoryId = CategoryId::new(0);
const DRAGONS: CategoryId = CategoryId::new(1);
const SIDE: f32 = 60.0;
const FRAMES: usize = 60;
const BACK: usize = 8;

/// What a saved game has of a proxy.
struct Saved {
    key: u64,
    center: [f32; 2],
    half: [f32; 2],
    rests: bool,
}

/// What a game has of a frame: of each category, in row order; pairs that never meet, as keys; and the next key.
struct Snapshot {
    proxies: [Vec<Saved>; 2],
    excluded: Vec<[u64; 2]>,
    next_key: u64,
}

/// What a frame found, as keys: pairs in order, those that rest, and begins and ends.
type Found = [Vec<[u64; 2]>; 4];

struct Game {
    world: Broadphase,
    ids: HashMap<u64, ProxyId>,
    next_key: u64,
}

impl Game {
    fn new() -> Self {
        let units = CategoryConfig::uniform("units", 1.0)
            .events()
            .rests_when_told();
        let dragons = CategoryConfig::oversized("dragons").events();
        let config = BroadphaseConfig::new().category(units).category(dragons);
        Self {
            world: Broadphase::new(config).unwrap(),
            ids: HashMap::new(),
            next_key: 0,
        }
    }

    fn insert(&mut self, category: CategoryId, key: u64, center: [f32; 2], half: [f32; 2]) {
        let proxy = Proxy::centered(center, half).unwrap().key(key);
        let id = self.world.insert(proxy.in_category(category)).unwrap();
        self.ids.insert(key, id);
    }

    /// Adds somebody new at some place.
    fn add(&mut self, category: CategoryId, half: [f32; 2], random: &mut Pcg64Mcg) {
        let at = [0, 1].map(|_| random.random_range(0.0..SIDE));
        self.next_key += 1;
        self.insert(category, self.next_key, at, half);
    }

    /// What a saved game has to know of who rests.
    fn rests(&self, id: ProxyId) -> bool {
        self.world.is_resting(id).unwrap() || self.world.is_settling(id).unwrap()
    }

    /// What happens in a frame: it follows from the frame and from what there is.
    fn play(&mut self, frame: usize) -> Found {
        let mut random = Pcg64Mcg::seed_from_u64(frame as u64);
        for category in [UNITS, DRAGONS] {
            let ids: Vec<_> = self.world.proxies(category).collect();
            for id in ids {
                // Some wake now and then, and some are put to rest.
                if self.rests(id) && random.random_range(0..8) > 0 {
                    continue;
                }
                let view = self.world.get(id).unwrap();
                let step = [0, 1].map(|_| random.random_range(-0.4..0.4f32));
                let to = [view.center[0] + step[0], view.center[1] + step[1]];
                self.world.set_center(id, to).unwrap();
                if category == UNITS && random.random_range(0..6) == 0 {
                    self.world.set_resting(id, true).unwrap();
                }
            }
        }
        for _ in 0..random.random_range(0..4) {
            let gone = random.random_range(0..self.world.rows(UNITS));
            let id = self.world.proxies(UNITS).nth(gone).unwrap();
            let key = self.world.key(id).unwrap();
            self.world.remove(id).unwrap();
            self.ids.remove(&key);
        }
        for _ in 0..random.random_range(0..4) {
            self.add(UNITS, [1.0; 2], &mut random);
        }
        let [a, b] = [0, 1].map(|_| {
            let row = random.random_range(0..self.world.rows(UNITS));
            self.world.proxies(UNITS).nth(row).unwrap()
        });
        self.world.exclude_pair(a, b).unwrap();
        self.step()
    }

    fn step(&mut self) -> Found {
        for category in [UNITS, DRAGONS] {
            self.world.forget_history(category).unwrap();
        }
        let step = self.world.step_on(&Threads(2), &CollectPairs);
        let world = step.world();
        let key = |id| world.key(id).unwrap();
        let pairs = step.pairs();
        let pairs = pairs.map(|pair| pair.map(|at| key(world.proxy_at(at).unwrap())));
        let mut resting: Vec<_> = step
            .resting_pairs()
            .iter()
            .map(|pair| pair.ids.map(key))
            .collect();
        resting.iter_mut().for_each(|pair| pair.sort_unstable());
        resting.sort_unstable();
        let began = step.began().map(|event| event.keys).collect();
        let mut ended: Vec<_> = step.ended().map(|event| event.keys).collect();
        // These come in the order of the step before.
        ended.sort_unstable();
        [pairs.collect(), resting, began, ended]
    }

    fn save(&self) -> Snapshot {
        let saved = |id| {
            let view = self.world.get(id).unwrap();
            Saved {
                key: view.key,
                center: view.center,
                half: view.half_extents,
                rests: self.rests(id),
            }
        };
        let proxies = [UNITS, DRAGONS].map(|category| self.world.proxies(category).map(saved));
        let key = |id| self.world.key(id).unwrap();
        Snapshot {
            proxies: proxies.map(Iterator::collect),
            excluded: self
                .world
                .excluded_pairs()
                .map(|pair| pair.map(key))
                .collect(),
            next_key: self.next_key,
        }
    }

    /// Goes back to a frame, as the guide says. What that step finds is no news.
    fn restore(&mut self, saved: &Snapshot) {
        for (category, proxies) in [UNITS, DRAGONS].into_iter().zip(&saved.proxies) {
            let mut ids: Vec<_> = self.world.proxies(category).collect();
            ids.reverse();
            assert_eq!(self.world.remove_batch(ids).refused, []);
            for one in proxies {
                self.insert(category, one.key, one.center, one.half);
                if one.rests {
                    self.world.set_resting(self.ids[&one.key], true).unwrap();
                }
            }
        }
        for pair in &saved.excluded {
            let [a, b] = pair.map(|key| self.ids[&key]);
            assert_eq!(self.world.exclude_pair(a, b), Ok(true));
        }
        self.next_key = saved.next_key;
        self.step();
    }
}

#[test]
fn what_comes_after_is_what_came_the_first_time() {
    let mut game = Game::new();
    let mut random = Pcg64Mcg::seed_from_u64(77);
    for _ in 0..500 {
        game.add(UNITS, [1.0; 2], &mut random);
    }
    for _ in 0..20 {
        let half = [0, 1].map(|_| random.random_range(1.0..7.0));
        game.add(DRAGONS, half, &mut random);
    }
    let mut all = Vec::new();
    let (mut rested, mut ended) = (0, 0);
    for frame in 0..FRAMES {
        let found = game.play(frame);
        rested += found[1].len();
        ended += found[3].len();
        all.push((game.save(), found));
        if frame % 7 == 6 && frame >= BACK {
            let begin = frame - BACK;
            let mut others = [Game::new()];
            for again in others.iter_mut().chain([&mut game]) {
                again.restore(&all[begin].0);
                for (later, (_, found)) in all.iter().enumerate().skip(begin + 1) {
                    assert!(again.play(later) == *found, "frame {later} from {begin}");
                }
            }
        }
    }
    assert!(rested > 1000 && ended > 1000, "{rested} {ended}");
}
