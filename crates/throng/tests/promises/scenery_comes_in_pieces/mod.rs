//! A level is streamed in and out in pieces, walls break and doors open; pairs, events and answers are those of brute force,
//! also where most things rest.

mod who_wakes;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use throng_core::for_both;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, AlignedBytes, Boxes, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId,
    CollectPairs, Executor, Masks, PackedConfig, PackedQuadtree, PairEvent, Proxy, ProxyId,
    Scenery, SceneryError, SceneryId, SharedBytes, SimdLevel, StaleIndex,
};

use crate::common::Threads;

const UNITS: CategoryId = CategoryId::new(0);
const WALLS: CategoryId = CategoryId::new(1);
/// The width of a piece, and how many there are in a row.
const PIECE: f32 = 50.0;
const PIECES: usize = 6;

type Pairs = BTreeSet<[ProxyId; 2]>;

fn config(rests: bool, simd: SimdLevel) -> BroadphaseConfig {
    let units = CategoryConfig::uniform("units", 1.0).meets(["walls"]);
    let units = units.events_with(["walls"]);
    BroadphaseConfig::new()
        .simd(simd)
        .category(if rests { units.rests_after(2) } else { units })
        .category(CategoryConfig::scenery("walls"))
}

/// Some walls, a piece of the level, as its file holds them.
fn piece(at: usize, walls: usize, random: &mut Pcg64Mcg) -> Scenery {
    let mut sides = [(); 4].map(|()| Vec::new());
    for _ in 0..walls {
        let x = at as f32 * PIECE + random.random_range(0.0..PIECE);
        let y = random.random_range(0.0..PIECE);
        let [width, height] = for_both(|_| random.random_range(0.0..3.0));
        for (side, at) in sides.iter_mut().zip([x, y, x + width, y + height]) {
            side.push(at);
        }
    }
    let [min_x, min_y, max_x, max_y] = &sides;
    let boxes = Boxes::new([min_x, min_y], [max_x, max_y]).unwrap();
    let tree = PackedQuadtree::build(boxes, PackedConfig::new(), &throng::Serial).unwrap();
    let file = AlignedBytes::from(tree.as_bytes());
    PackedQuadtree::from_bytes(SharedBytes::new(file)).unwrap()
}

struct Level {
    world: Broadphase,
    random: Pcg64Mcg,
    loaded: Vec<SceneryId>,
    /// All pairs of the last step.
    before: Pairs,
    threads: usize,
    rested: usize,
}

impl Level {
    fn new(rests: bool, simd: SimdLevel, threads: usize, seed: u64) -> Self {
        let mut level = Self {
            world: Broadphase::new(config(rests, simd)).unwrap(),
            random: Pcg64Mcg::seed_from_u64(seed),
            loaded: Vec::new(),
            before: Pairs::new(),
            threads,
            rested: 0,
        };
        for _ in 0..400 {
            let at = level.place();
            let unit = Proxy::centered(at, [1.0; 2]).unwrap();
            level.world.insert(unit.in_category(UNITS)).unwrap();
        }
        level
    }

    fn place(&mut self) -> [f32; 2] {
        let x = self.random.random_range(0.0..PIECES as f32 * PIECE);
        [x, self.random.random_range(0.0..PIECE)]
    }

    fn any_wall(&mut self) -> Option<ProxyId> {
        let walls = self.world.rows(WALLS);
        let row = (walls > 0).then(|| self.random.random_range(0..walls))?;
        self.world.proxies(WALLS).nth(row)
    }

    /// A few things happen, or many.
    fn play(&mut self, times: usize) {
        for _ in 0..times {
            let what = self.random.random_range(0..100);
            let (place, wall) = (self.place(), self.any_wall());
            match (what, wall) {
                (0..3, _) => {
                    let at = self.random.random_range(0..PIECES);
                    let walls = self.random.random_range(0..200);
                    let tree = piece(at, walls, &mut self.random);
                    self.loaded
                        .push(self.world.add_scenery(WALLS, &tree).unwrap());
                }
                (3..6, _) if self.loaded.len() > 3 => {
                    let gone = self.random.random_range(0..self.loaded.len());
                    let gone = self.loaded.swap_remove(gone);
                    let left = self.world.scenery_proxies(gone).unwrap().iter();
                    let left = left.filter(|&&id| self.world.contains(id)).count();
                    assert_eq!(self.world.unload_scenery(gone), Ok(left));
                }
                (6..20, Some(wall)) => drop(self.world.remove(wall).unwrap()),
                (20..40, Some(wall)) => {
                    let [x, y] = self.world.get(wall).unwrap().center;
                    self.world.set_center(wall, [x + 0.3, y]).unwrap();
                }
                (40..45, Some(wall)) => {
                    self.world.set_center(wall, place).unwrap();
                }
                (45..55, Some(wall)) => {
                    let is_enabled = self.world.get(wall).unwrap().enabled;
                    self.world.set_enabled(wall, !is_enabled).unwrap();
                }
                (55..60, Some(wall)) => {
                    let aabb = Aabb::from_center(place, [5.0, 0.5]).unwrap();
                    self.world.set_aabb(wall, aabb).unwrap();
                }
                (60..63, Some(wall)) => {
                    // The last one moves, and then into the row of another.
                    let last = self.world.proxies(WALLS).last().unwrap();
                    self.world.set_center(last, place).unwrap();
                    self.world.remove(wall).unwrap();
                }
                (63..70, _) => {
                    let aabb = Aabb::from_center(place, [1.0, 2.0]).unwrap();
                    self.world.insert(Proxy::fixed(aabb)).unwrap();
                }
                _ => {
                    let row = self.random.random_range(0..400);
                    let unit = self.world.proxies(UNITS).nth(row).unwrap();
                    self.world.set_center(unit, place).unwrap();
                }
            }
        }
    }

    fn expected(&self) -> Pairs {
        let world = &self.world;
        let boxes = |category| {
            let views = world.proxies(category).map(|id| world.get(id).unwrap());
            let enabled = views.filter(|view| view.enabled);
            enabled.map(|view| (view.id, view.aabb)).collect::<Vec<_>>()
        };
        let walls = boxes(WALLS);
        let mut pairs = Pairs::new();
        for (unit, aabb) in boxes(UNITS) {
            let met = walls.iter().filter(|wall| wall.1.overlaps(&aabb));
            pairs.extend(met.map(|wall| [unit, wall.0]));
        }
        pairs
    }

    fn step(&mut self) {
        let expected = self.expected();
        let step = self.world.step_on(&Threads(self.threads), &CollectPairs);
        let mut found = Pairs::new();
        for pair in step.pairs() {
            let pair = pair.map(|row| step.world().proxy_at(row).unwrap());
            assert!(found.insert(pair), "{pair:?} comes twice");
        }
        for pair in step.resting_pairs() {
            assert!(found.insert(pair.ids), "{:?} comes twice", pair.ids);
        }
        assert_eq!(found, expected);
        let told = |events: &mut dyn Iterator<Item = PairEvent>| {
            let mut told = Pairs::new();
            events.for_each(|event| assert!(told.insert(event.ids), "{event:?} twice"));
            told
        };
        assert_eq!(told(&mut step.began()), &expected - &self.before);
        assert_eq!(told(&mut step.ended()), &self.before - &expected);
        self.rested += step.resting_pairs().len();
        self.before = expected;
        self.world.validate().unwrap();
    }

    /// Everything that queries find near places, against the boxes as they are.
    fn ask(&mut self) {
        for _ in 0..20 {
            let place = self.place();
            let window = Aabb::from_center(place, [4.0; 2]).unwrap();
            let mut found = BTreeSet::new();
            let every = self.world.query().query_aabb(&window, |hit| {
                assert!(found.insert(hit.id));
                ControlFlow::<()>::Continue(())
            });
            assert!(every.unwrap().is_continue());
            let ids = [UNITS, WALLS].map(|category| self.world.proxies(category));
            let views = ids.into_iter().flatten();
            let views = views.map(|id| self.world.get(id).unwrap());
            let views: Vec<_> = views.filter(|view| view.enabled).collect();
            let inside = views.iter().filter(|view| view.aabb.overlaps(&window));
            assert_eq!(found, inside.map(|view| view.id).collect());
            let mut nearest = Vec::new();
            let asked = self
                .world
                .query()
                .find_nearest(place, 1, f32::INFINITY, &mut nearest);
            asked.unwrap();
            let least = views.iter().map(|view| view.aabb.distance_squared(place));
            assert_eq!(
                nearest.first().map(|hit| hit.distance_squared),
                least.reduce(f32::min)
            );
        }
    }
}

#[test]
fn pairs_events_and_answers_are_those_of_brute_force() {
    let levels = SimdLevel::available();
    let mut rested = 0;
    for (seed, rests) in [(1, false), (2, true), (3, false), (4, true), (5, true)] {
        let simd = levels[seed as usize % levels.len()];
        let mut level = Level::new(rests, simd, 1 + seed as usize % 3, seed);
        for frame in 0..60 {
            // Often quiet, so that units come to rest.
            level.play([0, 1, 3, 0, 30, 0, 0, 300][frame % 8]);
            level.step();
            if frame % 7 == 0 {
                level.ask();
            }
        }
        rested += level.rested;
    }
    assert!(rested > 1000, "{rested}");
}

#[test]
fn little_that_changes_costs_little() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let mut world = Broadphase::new(config(true, SimdLevel::detect())).unwrap();
    for at in 0..PIECES {
        let tree = piece(at, 4000, &mut random);
        world.add_scenery(WALLS, &tree).unwrap();
    }
    let near = Proxy::centered([0.0, 500.0], [1.0; 2]).unwrap();
    world.insert(near.in_category(UNITS)).unwrap();
    for _ in 0..6 {
        assert_eq!(
            world.step_pairs().report().scenery_packed,
            0,
            "trees are adopted"
        );
    }
    assert_eq!(world.report().resting, 1);
    let walls: Vec<_> = world.proxies(WALLS).collect();
    let small = world
        .add_scenery(WALLS, &piece(3, 20, &mut random))
        .unwrap();
    world.step_pairs();
    for frame in 0..50 {
        let wall = walls[1 + frame * 97 % walls.len()];
        match frame % 5 {
            0 => world.set_center(wall, [frame as f32, 20.0]).unwrap(),
            1 => {
                let larger = Aabb::from_center([frame as f32, 30.0], [9.0, 7.0]).unwrap();
                world.set_aabb(wall, larger).unwrap();
            }
            2 => world.set_enabled(wall, false).unwrap(),
            3 => {
                world.remove(wall).unwrap();
            }
            _ if frame == 29 => assert_eq!(world.unload_scenery(small), Ok(20)),
            _ => {
                let post = Aabb::point([frame as f32, 40.0]).unwrap();
                world.insert(Proxy::fixed(post)).unwrap();
            }
        }
        let report = world.step_pairs().report();
        assert!(report.scenery_packed <= 50, "{}", report.scenery_packed);
        assert_eq!(report.resting, 1, "who is far from it rests on");
    }
    world.set_center(walls[0], [1.0, 499.0]).unwrap();
    let step = world.step_pairs();
    assert_eq!(
        (step.report().pairs, step.report().resting),
        (1, 0),
        "who is near it wakes"
    );
}

/// Trees say nothing of masks, keys and owners: to give them to a whole piece packs nothing.
#[test]
fn what_a_tree_does_not_say_packs_nothing() {
    let mut random = Pcg64Mcg::seed_from_u64(10);
    let mut world = Broadphase::new(config(true, SimdLevel::detect())).unwrap();
    for at in 0..100 {
        let unit = Proxy::centered([2.0 * at as f32, 20.0], [1.0; 2]).unwrap();
        world.insert(unit.in_category(UNITS)).unwrap();
    }
    let loaded = world
        .add_scenery(WALLS, &piece(0, 4000, &mut random))
        .unwrap();
    for _ in 0..6 {
        world.step_pairs();
    }
    let [before, resting] = [world.event_pairs().count(), world.report().resting_pairs];
    assert!(before > 100 && resting == before, "{before} {resting}");
    let walls = world.scenery_proxies(loaded).unwrap().to_vec();
    for (key, &wall) in (0..).zip(&walls) {
        // Half of them meet nobody any more.
        let masks = if key % 2 == 0 {
            Masks::ALL
        } else {
            Masks::new(1, 0)
        };
        world.set_masks(wall, masks).unwrap();
        world.set_key(wall, key).unwrap();
    }
    let step = world.step_pairs();
    assert_eq!(step.report().scenery_packed, 0);
    assert!(step.ended().len() > 30);
    assert!(step.ended().all(|pair| pair.keys[1] % 2 == 1));
    let left: Vec<_> = step.event_pairs().collect();
    assert!(left.iter().all(|pair| pair.keys[1] % 2 == 0));
    assert_eq!(left.len() + step.ended().len(), before);
}

#[test]
fn one_of_many_pieces_is_taken_out_of_the_trees() {
    for (pieces, are_packed) in [(10, false), (3, true)] {
        let mut random = Pcg64Mcg::seed_from_u64(13);
        let mut world = Broadphase::new(config(false, SimdLevel::detect())).unwrap();
        let piece = |at| piece(at, 300, &mut random);
        let trees: Vec<_> = (0..pieces).map(piece).collect();
        let load = |tree| world.add_scenery(WALLS, tree).unwrap();
        let loaded: Vec<_> = trees.iter().map(load).collect();
        world.refresh();
        world.unload_scenery(loaded[1]).unwrap();
        world.refresh();
        let packed = if are_packed { world.rows(WALLS) } else { 0 };
        assert_eq!(world.report().scenery_packed, packed, "{pieces} pieces");
        world.validate().unwrap();
    }
}

#[test]
fn pieces_are_gone_when_their_category_is_cleared() {
    let mut random = Pcg64Mcg::seed_from_u64(17);
    let trees: Vec<_> = (0..3).map(|at| piece(at, 50, &mut random)).collect();
    let mut world = Broadphase::new(config(false, SimdLevel::Scalar)).unwrap();
    let load = |tree| world.add_scenery(WALLS, tree).unwrap();
    let loaded: Vec<_> = trees.iter().map(load).collect();
    // One wall of the second piece has become something that moves, and stays.
    let ids = world.scenery_proxies(loaded[1]).unwrap().to_vec();
    let mut small = ids.into_iter();
    assert!(small.any(|id| world.set_category(id, Some(UNITS)).is_ok()));
    world.refresh();
    assert_eq!(world.clear_category(WALLS), Ok(149));
    for gone in [loaded[0], loaded[2]] {
        assert_eq!(
            world.scenery_proxies(gone),
            Err(SceneryError::Unloaded { id: gone })
        );
    }
    assert_eq!(world.rows(WALLS), 0);
    assert_eq!(world.unload_scenery(loaded[1]), Ok(1));
    assert!(world.is_empty());
}

#[test]
fn pieces_are_named_until_they_are_unloaded() {
    let mut random = Pcg64Mcg::seed_from_u64(10);
    let [west, east] = for_both(|at| piece(at, 50, &mut random));
    let new_world = || Broadphase::new(config(false, SimdLevel::Scalar)).unwrap();
    let mut world = new_world();
    let [loaded_west, loaded_east] =
        [&west, &east].map(|tree| world.add_scenery(WALLS, tree).unwrap());
    assert_eq!(world.rows(WALLS), 100);
    // Ids of what comes into an empty world follow each other, and are listed when somebody asks.
    let unlisted = world.memory().loaded;
    assert!(unlisted < 400, "{unlisted}");
    // In the order of the tree's rows, from the first new row on.
    let ids = world.scenery_proxies(loaded_east).unwrap().to_vec();
    assert!(ids.iter().copied().eq(world.proxies(WALLS).skip(50)));
    east.for_each_box(|row, aabb| {
        assert_eq!(world.get(ids[row as usize]).unwrap().aabb, aabb);
    });
    let before = world.memory().loaded;
    assert!(before >= unlisted + 400, "{before}");
    world.remove(ids[7]).unwrap();
    assert_eq!(world.unload_scenery(loaded_east), Ok(49));
    assert_eq!(
        world.scenery_proxies(loaded_east),
        Err(SceneryError::Unloaded { id: loaded_east })
    );
    let error = world.unload_scenery(loaded_east).unwrap_err().to_string();
    assert!(error.contains("is not loaded any more"), "{error}");
    assert!(world.memory().loaded < before);
    // Loading replaces the others, and so they are not loaded any more.
    let again = world.load_scenery(WALLS, &east).unwrap();
    assert_eq!(
        world.unload_scenery(loaded_west),
        Err(SceneryError::Unloaded { id: loaded_west })
    );
    assert_eq!(world.rows(WALLS), 50);
    let mut other = new_world();
    let own = other.world_tag();
    assert_eq!(
        other.unload_scenery(again),
        Err(SceneryError::OtherWorld { id: again, own })
    );
    let error = other.scenery_proxies(again).unwrap_err().to_string();
    let tags = format!(
        "has world tag {}, and this world has {own}",
        world.world_tag()
    );
    assert!(error.contains(&tags), "{error}");
    world.clear();
    assert_eq!(
        world.unload_scenery(again),
        Err(SceneryError::Unloaded { id: again })
    );
    assert!(matches!(
        world.add_scenery(UNITS, &east),
        Err(SceneryError::NotScenery { .. })
    ));
    world.refresh();
    assert_eq!(world.len(), 0);
}

/// Panics in one of its runs.
struct Panics {
    runs: AtomicUsize,
    in_run: usize,
}

impl Executor for Panics {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        assert!(run != self.in_run, "meant to panic");
        (0..tasks).for_each(task);
    }
}

/// Whenever it panics, the next step finds everything.
#[test]
fn an_executor_that_panics_leaves_scenery_whole() {
    let (mut panicked, mut unanswered) = (0, 0);
    for in_run in 0..40 {
        let mut level = Level::new(false, SimdLevel::detect(), 1, 11);
        let mut random = Pcg64Mcg::seed_from_u64(12);
        for at in 0..PIECES {
            let tree = piece(at, 1500, &mut random);
            level
                .loaded
                .push(level.world.add_scenery(WALLS, &tree).unwrap());
        }
        level.step();
        let walls: Vec<_> = level.world.proxies(WALLS).collect();
        for &wall in walls.iter().step_by(10) {
            let place = level.place();
            level.world.set_center(wall, place).unwrap();
        }
        let gone = level.loaded.remove(2);
        level.world.unload_scenery(gone).unwrap();
        let executor = Panics {
            runs: AtomicUsize::new(0),
            in_run,
        };
        let world = &mut level.world;
        let stepped = catch_unwind(AssertUnwindSafe(|| world.refresh_on(&executor)));
        if stepped.is_err() {
            panicked += 1;
            world.validate().unwrap();
            // Questions are refused, or answered from the last index if the panic came before building began.
            let everywhere = Aabb::new([-1e9; 2], [1e9; 2]).unwrap();
            let asked = world.query().find_in_aabb(&everywhere, &mut Vec::new());
            unanswered += usize::from(asked == Err(StaleIndex::Unfinished.into()));
            let plan = world.plan().map(drop);
            assert!(plan.is_err());
        }
        level.step();
        level.ask();
    }
    assert!(panicked > 3 && unanswered > 3, "{panicked}, {unanswered}");
}

/// Whenever it panics while a piece comes, nothing has come.
#[test]
fn an_executor_that_panics_adds_nothing() {
    let mut panicked = [0, 0];
    for in_run in 0..6 {
        for (replaces, panicked) in [false, true].into_iter().zip(&mut panicked) {
            let mut level = Level::new(false, SimdLevel::detect(), 1, 15);
            let mut random = Pcg64Mcg::seed_from_u64(16);
            let [there, comes] = [300, 5000].map(|walls| piece(0, walls, &mut random));
            level
                .loaded
                .push(level.world.add_scenery(WALLS, &there).unwrap());
            level.step();
            let len = level.world.len();
            let world = &mut level.world;
            let executor = Panics {
                runs: AtomicUsize::new(0),
                in_run,
            };
            let load = || {
                if replaces {
                    world.load_scenery_on(&executor, WALLS, &comes)
                } else {
                    world.add_scenery_on(&executor, WALLS, &comes)
                }
            };
            if catch_unwind(AssertUnwindSafe(load)).is_err() {
                *panicked += 1;
                world.validate().unwrap();
                let left = if replaces { len - 300 } else { len };
                assert_eq!(world.len(), left);
                if replaces {
                    level.loaded.clear();
                }
                level.step();
                level.ask();
            }
        }
    }
    assert!(panicked.iter().all(|&times| times > 1), "{panicked:?}");
}

/// A piece of which nothing is left belongs to its category still, or to none.
#[test]
fn pieces_of_other_categories_stay_loaded() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::scenery("walls"))
        .category(CategoryConfig::scenery("traps"));
    let mut world = Broadphase::new(config).unwrap();
    let traps = CategoryId::new(2);
    let mut random = Pcg64Mcg::seed_from_u64(14);
    let [none, some] = [0, 5].map(|walls| piece(0, walls, &mut random));
    let empty = world.add_scenery(WALLS, &none).unwrap();
    let broken = world.add_scenery(WALLS, &some).unwrap();
    for id in world.scenery_proxies(broken).unwrap().to_vec() {
        world.remove(id).unwrap();
    }
    let whole = world.add_scenery(WALLS, &some).unwrap();
    let replaced = world.add_scenery(traps, &some).unwrap();
    world.load_scenery(traps, &some).unwrap();
    let gone = world.unload_scenery(replaced);
    assert_eq!(gone, Err(SceneryError::Unloaded { id: replaced }));
    assert_eq!(
        [empty, broken].map(|id| world.unload_scenery(id)),
        [Ok(0), Ok(0)]
    );
    assert_eq!(world.unload_scenery(whole), Ok(5));
}

#[test]
fn what_a_piece_changes_is_known_at_once() {
    let mut random = Pcg64Mcg::seed_from_u64(15);
    let tree = piece(0, 40, &mut random);
    let mut loaded = Broadphase::new(config(false, SimdLevel::detect())).unwrap();
    loaded.refresh();
    let id = loaded.add_scenery(WALLS, &tree).unwrap();
    assert!(loaded.is_index_stale() && loaded.plan().is_err());
    // As if its boxes had been inserted one by one.
    let mut inserted = Broadphase::new(config(false, SimdLevel::detect())).unwrap();
    let mut boxes = vec![None; tree.len()];
    tree.for_each_box(|row, aabb| boxes[row as usize] = Some(aabb));
    for aabb in boxes {
        inserted.insert(Proxy::fixed(aabb.unwrap())).unwrap();
    }
    let [of_loaded, of_inserted] = [&mut loaded, &mut inserted].map(|world| {
        world.refresh();
        let report = &world.report().categories[WALLS.index()];
        (report.largest, report.sizes.clone())
    });
    assert_eq!(of_loaded, of_inserted);
    // The last goes first, so those behind the piece keep their order.
    let behind = [60.0, 70.0].map(|x| {
        let aabb = Aabb::new([x, 0.0], [x + 1.0, 1.0]).unwrap();
        loaded.insert(Proxy::fixed(aabb)).unwrap()
    });
    assert_eq!(loaded.unload_scenery(id), Ok(40));
    assert!(loaded.proxies(WALLS).eq(behind));
}
