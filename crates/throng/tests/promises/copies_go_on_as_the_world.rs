//! Promise: a copy of a world goes on as that world does, bit for bit, whenever it is made: right after a step, amid writes, or before
//! the first step. A game that goes back to a copy, and on from there, finds what was found the first time.

use educe::Educe;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Clock, CollectPairs,
    CountPairs, Executor, Masks, OversizedStructure, PairEvent, PairList, Proximity,
    ProximityPairs, Proxy, ProxyId, RestingPair, RowOrder, Serial,
};

use crate::common::Threads;
use crate::common::worlds::structures;

const SIDE: f32 = 60.0;
const FRAMES: u64 = 40;
/// How many frames a game goes back at most.
const BACK: usize = 8;

const PIXIES: CategoryId = CategoryId::new(0);
const STONES: CategoryId = CategoryId::new(1);
const DRAGONS: CategoryId = CategoryId::new(2);
const WALLS: CategoryId = CategoryId::new(3);

/// A world, and what its engine keeps: everything that decides a frame, except its number.
#[derive(Educe)]
#[educe(Clone)]
struct Game {
    world: Broadphase,
    next_key: u64,
}

/// All that a step tells, in its order.
struct Found {
    pairs: Vec<PairList>,
    events: [Vec<PairEvent>; 2],
    lasting: Vec<PairEvent>,
    resting: Vec<RestingPair>,
    rows: Vec<Vec<ProxyId>>,
    report: String,
}

impl Found {
    fn assert_same(&self, other: &Self, when: &str) {
        assert_eq!(self.report, other.report, "{when}");
        assert!(self.rows == other.rows, "rows of {when}");
        assert!(self.pairs == other.pairs, "pairs of {when}");
        assert!(self.events == other.events, "events of {when}");
        assert!(self.lasting == other.lasting, "pairs with events of {when}");
        assert!(self.resting == other.resting, "resting pairs of {when}");
    }
}

impl Game {
    fn new(structure: OversizedStructure, random: &mut Pcg64Mcg) -> Self {
        let config = BroadphaseConfig::new()
            .pair_slots(true)
            .category(CategoryConfig::uniform("pixies", 0.5).coarse().events())
            .category(
                CategoryConfig::uniform("stones", 1.0)
                    .events()
                    .margin(0.5)
                    .rests_after(2)
                    .wakes_on_contact(),
            )
            .category(
                CategoryConfig::oversized("dragons")
                    .structure(structure)
                    .events()
                    .rests_after(2),
            )
            .category(CategoryConfig::scenery("walls"));
        let mut world = Broadphase::new(config).unwrap();
        // Times would differ in the reports.
        world.set_clock(Clock::None);
        let mut game = Self { world, next_key: 0 };
        for (category, count) in [(PIXIES, 300), (STONES, 200), (DRAGONS, 40), (WALLS, 60)] {
            for _ in 0..count {
                game.add(category, random);
            }
        }
        game
    }

    fn add(&mut self, category: CategoryId, random: &mut Pcg64Mcg) {
        let at = [0, 1].map(|_| random.random_range(0.0..SIDE));
        let half = match category {
            PIXIES => [0.5; 2],
            STONES => [random.random_range(0.5..1.0); 2],
            _ => [0, 1].map(|_| random.random_range(0.5..6.0)),
        };
        let proxy = if category == WALLS {
            Proxy::fixed(Aabb::from_center(at, half).unwrap())
        } else {
            Proxy::centered(at, half).unwrap()
        };
        self.next_key += 1;
        let proxy = proxy.key(self.next_key).in_category(category);
        self.world.insert(proxy).unwrap();
    }

    fn any(&self, category: CategoryId, random: &mut Pcg64Mcg) -> ProxyId {
        let row = random.random_range(0..self.world.rows(category));
        self.world.proxies(category).nth(row).unwrap()
    }

    /// What an engine writes before a frame's step. It depends only on the frame, and on what is in the world.
    fn write(&mut self, frame: u64) {
        let mut random = Pcg64Mcg::seed_from_u64(frame);
        let shifted = |values: &[f32], random: &mut Pcg64Mcg| -> Vec<f32> {
            let shift = values
                .iter()
                .map(|value| value + random.random_range(-0.2..0.2));
            shift.collect()
        };
        let [xs, ys] = self.world.centers(PIXIES).map(<[f32]>::to_vec);
        let [xs, ys] = [xs, ys].map(|values| shifted(&values, &mut random));
        let mut centers = self.world.centers_mut(PIXIES).unwrap();
        let written = centers.fill_from(&xs, &ys).unwrap();
        assert_eq!(written.rejected, 0);
        drop(centers);
        // Boxes that rest have an index of their own while few are awake. Most dragons are never moved.
        let dragons = if frame % 16 < 8 { 1 } else { 20 };
        for (category, times) in [(PIXIES, 3), (STONES, 25), (DRAGONS, dragons)] {
            for _ in 0..times {
                let rows = match category {
                    DRAGONS => 10,
                    _ => self.world.rows(category),
                };
                let row = random.random_range(0..rows);
                let id = self.world.proxies(category).nth(row).unwrap();
                let [x, y] = self.world.get(id).unwrap().center;
                let [dx, dy] = [0, 1].map(|_| random.random_range(-0.7..0.7f32));
                self.world.set_center(id, [x + dx, y + dy]).unwrap();
            }
        }
        for category in [PIXIES, STONES, DRAGONS, WALLS] {
            if random.random_range(0..3) == 0 {
                self.world.remove(self.any(category, &mut random)).unwrap();
                self.add(category, &mut random);
            }
        }
        let [one, other] = [0, 1].map(|_| self.any(STONES, &mut random));
        self.world.exclude_pair(one, other).unwrap();
        self.world
            .set_velocity(other, [random.random_range(-9.0..9.0), 0.0])
            .unwrap();
        let told = self.any(DRAGONS, &mut random);
        self.world.set_resting(told, true).unwrap();
        let masked = self.any(PIXIES, &mut random);
        let masks = Masks::new(1 << random.random_range(0..3), !2);
        self.world.set_masks(masked, masks).unwrap();
        let enabled = random.random_range(0..4) > 0;
        let id = self.any(PIXIES, &mut random);
        self.world.set_enabled(id, enabled).unwrap();
        if frame % 11 == 10 {
            self.world.sort_rows(PIXIES, RowOrder::Space).unwrap();
        }
    }

    fn step(&mut self, executor: &dyn Executor) -> Found {
        let step = self.world.step_on(executor, &CollectPairs);
        let pairs = step.outputs().cloned().collect();
        let events = [step.began().collect(), step.ended().collect()];
        let world = &self.world;
        let mut report = world.report().clone();
        // Memory depends on what came before.
        report.bytes = 0;
        Found {
            pairs,
            events,
            lasting: world.event_pairs().collect(),
            resting: world.resting_pairs().to_vec(),
            rows: world
                .categories()
                .map(|category| world.proxies(category).collect())
                .collect(),
            report: format!("{report:?}"),
        }
    }
}

fn random() -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(0xC0F1)
}

#[test]
fn whenever_they_are_made() {
    for structure in structures() {
        let mut game = Game::new(structure, &mut random());
        let mut copy = game.clone();
        let (mut rested, mut ended) = (0, 0);
        for frame in 0..FRAMES {
            // Every third frame begins with a new copy. In the next one, the old copy is overwritten amid writes.
            if frame % 3 == 0 {
                copy = game.clone();
            }
            game.write(2 * frame);
            if frame % 3 == 1 {
                copy.write(100 + frame);
                copy.clone_from(&game);
            } else {
                copy.write(2 * frame);
            }
            for game in [&mut game, &mut copy] {
                game.write(2 * frame + 1);
            }
            let found = game.step(&Threads(2));
            let copied = copy.step(&Serial);
            found.assert_same(&copied, &format!("frame {frame} in {structure:?}"));
            copy.world.validate().unwrap();
            rested += found.resting.len();
            ended += found.events[1].len();
        }
        assert!(
            rested > 500 && ended > 500,
            "{rested} rested, {ended} ended"
        );
    }
}

#[test]
fn who_goes_back_finds_what_was_found() {
    for structure in structures() {
        let mut game = Game::new(structure, &mut random());
        let mut kept: Vec<Game> = (0..BACK).map(|_| game.clone()).collect();
        let mut found: Vec<Found> = Vec::new();
        for frame in 0..FRAMES as usize {
            if frame >= BACK && frame % 5 == 4 {
                let first = frame - (1 + frame % (BACK - 1));
                game.clone_from(&kept[first % BACK]);
                for (again, found) in found.iter().enumerate().skip(first) {
                    kept[again % BACK].clone_from(&game);
                    game.write(again as u64);
                    let when = format!("frame {again} from {first} in {structure:?}");
                    found.assert_same(&game.step(&Serial), &when);
                }
            }
            kept[frame % BACK].clone_from(&game);
            game.write(frame as u64);
            found.push(game.step(&Threads(2)));
        }
    }
}

#[test]
fn they_answer_as_the_world() {
    let answers = |world: &Broadphase| {
        let window = Aabb::new([10.0, 10.0], [30.0, 30.0]).unwrap();
        let mut hits = Vec::new();
        world.query().find_in_aabb(&window, &mut hits).unwrap();
        let mut nearest = Vec::new();
        let center = [20.0, 20.0];
        let query = world.query();
        query.find_nearest(center, 30, 99.0, &mut nearest).unwrap();
        // This uses one index of resting and other rows, made when somebody asks.
        let mut within = ProximityPairs::new();
        let near = Proximity::centers([STONES, STONES], 3.0);
        let found = world.find_pairs_within(&near, &mut within);
        let within = found.map(|()| within.iter().collect::<Vec<_>>());
        let excluded: Vec<_> = world.excluded_pairs().collect();
        format!("{world:?} {hits:?} {nearest:?} {within:?} {excluded:?}")
    };
    let units = CategoryConfig::uniform("units", 1.0);
    let empty = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    let mut game = Game::new(structures()[0], &mut random());
    let mut asked = game.clone();
    for frame in 0..18 {
        asked.write(100 + frame);
        asked.step(&Serial);
        answers(&asked.world);
        if frame % 2 == 0 {
            game.step(&Serial);
        } else {
            // As of the last step, whatever is written since.
            game.write(frame);
        }
        asked.clone_from(&game);
        let mut other = empty.clone();
        other.clone_from(&game.world);
        for copy in [&game.world.clone(), &asked.world, &other] {
            assert_eq!(answers(copy), answers(&game.world));
            assert_eq!(copy.config(), game.world.config());
        }
    }
    assert!(game.world.report().resting > 50);
}

#[test]
fn a_copy_of_another_kind_of_world_answers_as_that_does() {
    let worlds = || {
        let kinds = [
            CategoryConfig::uniform("units", 1.0).coarse(),
            CategoryConfig::uniform("units", 2.5),
            CategoryConfig::oversized("units"),
        ];
        kinds.map(|units| {
            let config = BroadphaseConfig::new().category(units.rests_after(1));
            let mut world = Broadphase::new(config).unwrap();
            for k in 0..90 {
                let proxy = Proxy::centered([k as f32, 0.0], [1.0; 2]).unwrap();
                world.insert(proxy).unwrap();
            }
            for k in 0..5 {
                let id = world.proxies(PIXIES).next().unwrap();
                world.set_center(id, [k as f32, 0.5]).unwrap();
                world.step(&CountPairs);
            }
            world
        })
    };
    // This uses one index of resting and other rows, made when somebody asks.
    let near = |world: &Broadphase| {
        let mut within = ProximityPairs::new();
        let near = Proximity::boxes([PIXIES, PIXIES], 0.75);
        world.find_pairs_within(&near, &mut within).unwrap();
        let mut pairs: Vec<_> = within.iter().collect();
        pairs.sort_unstable_by_key(|pair| pair.map(|at| at.row));
        pairs
    };
    for into in 0..3 {
        for from in 0..3 {
            let (mut worlds, sources) = (worlds(), worlds());
            assert!(sources[from].report().resting > 80);
            near(&worlds[into]);
            worlds[into].clone_from(&sources[from]);
            assert_eq!(
                near(&worlds[into]),
                near(&sources[from]),
                "{from} to {into}"
            );
        }
    }
}

/// The memory then differs, not only its contents.
#[test]
fn after_a_crowd_has_come_or_gone() {
    for structure in structures() {
        let mut game = Game::new(structure, &mut random());
        let (mut small, mut large) = (game.clone(), game.clone());
        for frame in 0..16 {
            let copy = game.clone();
            small.clone_from(&copy);
            large.clone_from(&game);
            let mut all = [&mut game, &mut small, &mut large];
            for game in &mut all {
                let mut random = Pcg64Mcg::seed_from_u64(frame);
                let dragons: Vec<ProxyId> = game.world.proxies(DRAGONS).collect();
                if frame == 3 {
                    (0..3000).for_each(|_| game.add(DRAGONS, &mut random));
                } else if frame > 5 && dragons.len() > 100 {
                    for id in dragons.into_iter().skip(60).step_by(2) {
                        game.world.remove(id).unwrap();
                    }
                }
                game.write(frame);
            }
            let [found, small, large] = all.map(|game| game.step(&Serial));
            let when = format!("frame {frame} in {structure:?}");
            found.assert_same(&small, &when);
            found.assert_same(&large, &when);
        }
    }
}

#[test]
fn each_goes_its_own_way() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0).events());
    let mut world = Broadphase::new(config).unwrap();
    let ids = [0.0, 1.5].map(|x| {
        let proxy = Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
        world.insert(proxy).unwrap()
    });
    world.step(&CountPairs);
    let mut copy = world.clone();
    world.remove(ids[0]).unwrap();
    copy.set_center(ids[1], [9.0, 0.0]).unwrap();
    assert_eq!(
        [world.contains(ids[0]), copy.contains(ids[0])],
        [false, true]
    );
    for world in [&mut world, &mut copy] {
        let step = world.step(&CountPairs);
        let ended: Vec<_> = step.ended().map(|event| event.ids).collect();
        assert_eq!(ended, [ids]);
    }
    assert_eq!([world.len(), copy.len()], [1, 2]);
}

#[test]
fn what_is_queued_stays_with_its_world() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    let proxy = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
    let mut sender = world.sender();
    sender.insert(proxy);
    world.ingest();
    sender.insert(proxy);
    let mut copy = world.clone();
    assert_eq!(
        copy.ingested(),
        world.ingested(),
        "what ran before the copy"
    );
    let commands = copy.clone().step_pairs().report().commands;
    assert_eq!(commands, 1, "and is counted with the next step");
    for _ in 0..2 {
        copy.ingest();
        assert_eq!((copy.len(), copy.ingested()), (1, &[][..]));
        // Nor is a queued command lost when its world is overwritten.
        copy.sender().insert(proxy);
        copy.clone_from(&world.clone());
        copy.ingest();
        assert_eq!(copy.len(), 2);
        copy = world.clone();
    }
    world.clone_from(&copy);
    world.ingest();
    assert_eq!(world.len(), 2, "its own command is still queued");
    let late = sender.insert(proxy);
    world.clone_from(&copy);
    assert_eq!((world.discard_commands(), world.discard_commands()), (1, 0));
    world.ingest();
    assert_eq!(world.len(), 1);
    let next = world.clone().sender().insert(proxy);
    assert!(
        next.sender > late.sender,
        "a ticket is never that of another command"
    );
    assert!(copy.clone().sender().insert(proxy).sender > late.sender);

    assert!(sender.is_connected(), "whatever was copied into its world");
    world = world.clone();
    assert!(!sender.is_connected(), "its world is gone");
    sender.insert(proxy);
    world.ingest();
    assert_eq!(world.len(), 1);
}

#[test]
fn outputs_are_not_copied() {
    let mut game = Game::new(structures()[0], &mut random());
    game.step(&Serial);
    let pairs = |world: &Broadphase| world.last_outputs::<PairList>().count();
    assert!(pairs(&game.world) > 0);
    let copy = game.world.clone();
    assert_eq!(pairs(&copy), 0);
    game.world.clone_from(&copy);
    assert_eq!(
        pairs(&game.world),
        0,
        "what is written over loses its outputs"
    );
}
