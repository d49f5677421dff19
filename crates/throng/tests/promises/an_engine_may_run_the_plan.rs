//! Promise: the plan is data, and its chunks can be run by anyone.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{Threads, category, ordered_pairs, world_of};
use throng::{
    Aabb, BatchResults, Broadphase, BroadphaseConfig, CastHit, CategoryConfig, ChunkStats, Clock,
    CollectPairs, CountPairs, DoubleGridConfig, Executor, LooseQuadtreeConfig, Narrowphase,
    NeighborOutputs, Neighborhood, Neighbors, PairBatch, PairList, PairMode, Proximity,
    ProximityPairs, Proxy, RayCast, RowOrder, Scenery, Serial, StaleIndex,
};
use throng_scenes::{Scene, four_categories, uniform};

fn scenes() -> Vec<Scene> {
    four_categories(20_000, 11)
}

#[test]
fn jobs_of_the_engines_own_find_what_a_step_finds() {
    let mut world = world_of(&scenes(), PairMode::Coarse, None);
    let expected = ordered_pairs(&mut world, &Serial);

    world.refresh();
    let plan = world.plan().unwrap();
    assert!(plan.chunks() > 4, "something to share out");
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![
        (PairList::default(), ChunkStats::default());
        plan.chunks()
    ]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let chunk = next.fetch_add(1, Ordering::Relaxed);
                    if chunk >= plan.chunks() {
                        break;
                    }
                    let mut list = PairList::default();
                    let stats = plan.collide(chunk, &CollectPairs, &mut (), &mut list);
                    done.lock().unwrap()[chunk] = (list, stats);
                }
            });
        }
    });

    let mut found = Vec::new();
    for (chunk, (list, stats)) in done.into_inner().unwrap().iter().enumerate() {
        assert_eq!(stats.pairs, list.pairs().len() as u64);
        if let Some(categories) = list.categories() {
            assert_eq!(plan.categories(chunk), Some(categories));
            found.extend(list.pairs().iter().map(|&pair| (categories, pair)));
        }
    }
    assert!(
        found == expected,
        "{} pairs, not {}",
        found.len(),
        expected.len()
    );
}

#[test]
fn a_chunk_that_is_not_there_has_no_pairs() {
    let mut world = world_of(&scenes(), PairMode::Coarse, None);
    world.refresh();
    let plan = world.plan().unwrap();
    let mut count = 7;
    assert_eq!(
        plan.collide(plan.chunks(), &CountPairs, &mut (), &mut count),
        ChunkStats::default()
    );
    assert_eq!((count, plan.categories(plan.chunks())), (0, None));
}

/// Runs some tasks twice, some never, and some that do not exist.
struct Careless;

impl Executor for Careless {
    fn threads(&self) -> usize {
        usize::MAX
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        for i in (0..tasks + 3).filter(|i| i % 3 != 0) {
            task(i);
            task(i);
        }
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        work();
        work();
    }
}

fn pairs_of_plan(world: &Broadphase) -> Result<Vec<[u32; 2]>, StaleIndex> {
    let plan = world.plan()?;
    let mut pairs = Vec::new();
    for chunk in 0..plan.chunks() {
        let mut list = PairList::default();
        plan.collide(chunk, &CollectPairs, &mut (), &mut list);
        pairs.extend_from_slice(list.pairs());
    }
    Ok(pairs)
}

#[test]
fn a_plan_is_of_the_index_wherever_things_are() {
    let of_kind = [
        CategoryConfig::uniform("u", 1.0),
        CategoryConfig::oversized("u"),
        CategoryConfig::oversized("u").structure(DoubleGridConfig::new()),
        CategoryConfig::oversized("u").structure(LooseQuadtreeConfig::new()),
    ];
    for (kind, units) in of_kind.into_iter().enumerate() {
        for rests in [false, true] {
            let units = if rests {
                units.clone().rests_after(1)
            } else {
                units.clone()
            };
            let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
            let at = |i: usize| [(i % 50) as f32 * 1.5, (i / 50) as f32 * 2.5];
            let unit = |i| Proxy::centered(at(i), [1.0; 2]).unwrap();
            let ids: Vec<_> = (0..2000).map(|i| world.insert(unit(i)).unwrap()).collect();
            for _ in 0..4 {
                world.step_pairs();
            }
            world.set_center(ids[500], [0.5, 25.0]).unwrap();
            world.step_pairs();
            let before = pairs_of_plan(&world).unwrap();
            assert!(!before.is_empty());

            world.set_center(ids[500], [30.5, 45.0]).unwrap();
            let after = pairs_of_plan(&world);
            assert_eq!(after, Ok(before), "kind {kind}, rests: {rests}");
            world.refresh();
            assert!(pairs_of_plan(&world).is_ok());
        }
    }
}

#[test]
fn a_careless_executor_does_no_harm() {
    let mut world = world_of(&scenes(), PairMode::Coarse, None);
    let expected = ordered_pairs(&mut world, &Threads(2));
    assert!(ordered_pairs(&mut world, &Careless) == expected);
}

/// Runs tasks in order, but only for whoever has entered.
#[derive(Default)]
struct WithDoor {
    is_inside: AtomicBool,
    entered: AtomicUsize,
}

impl Executor for WithDoor {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        assert!(self.is_inside.load(Ordering::Relaxed), "not entered");
        (0..tasks).for_each(task);
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.entered.fetch_add(1, Ordering::Relaxed);
        self.is_inside.store(true, Ordering::Relaxed);
        work();
        self.is_inside.store(false, Ordering::Relaxed);
    }
}

#[test]
fn a_frame_enters_its_executor_once() {
    let mut world = world_of(&scenes(), PairMode::Coarse, None);
    let door = WithDoor::default();
    world.step_on(&door, &CountPairs);
    assert_eq!(door.entered.load(Ordering::Relaxed), 1);
    world.refresh_on(&door);
    assert_eq!(door.entered.load(Ordering::Relaxed), 2);
}

/// Counts the lists of tasks that it runs, one after the other.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Executor for Counting {
    fn threads(&self) -> usize {
        3
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(1, Ordering::Relaxed);
        (0..tasks).for_each(task);
    }
}

/// The same for calls that name their executor, and for those of a world that was given one.
#[test]
fn whoever_is_given_an_executor_runs_on_it() {
    let scene = uniform(50_000, 1.0, 1);
    let at = |k: usize| [scene.xs[k], scene.ys[k]];
    let walls = (0..50_000).map(|k| Aabb::from_center(at(k), [1.0; 2]).unwrap());
    let walls = Scenery::from_boxes(&walls.collect::<Vec<_>>()).unwrap();
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    world
        .insert_batch((0..50_000).map(|k| Proxy::centered(at(k), [0.5; 2]).unwrap().key(k as u64)));
    let [units, scenery] = [category(0), category(1)];
    let within = Proximity::centers([units, units], 2.0);
    let points: Vec<[f32; 2]> = (0..1000).map(at).collect();
    let ray = |&from: &[f32; 2]| RayCast::from_to(from, [from[0] + 9.0, from[1]]).unwrap();
    let rays: Vec<_> = points.iter().map(ray).collect();

    type Call<'c> = (&'c str, &'c dyn Fn(&mut Broadphase, Option<&Counting>));
    let calls: [Call<'_>; 13] = [
        ("add_scenery", &|world, on| {
            let added = match on {
                Some(on) => world.add_scenery_on(on, scenery, &walls),
                None => world.add_scenery(scenery, &walls),
            };
            added.unwrap();
        }),
        ("load_scenery", &|world, on| {
            let loaded = match on {
                Some(on) => world.load_scenery_on(on, scenery, &walls),
                None => world.load_scenery(scenery, &walls),
            };
            loaded.unwrap();
        }),
        ("step", &|world, on| {
            match on {
                Some(on) => world.step_on(on, &CountPairs),
                None => world.step(&CountPairs),
            };
        }),
        ("sort_rows", &|world, on| {
            let sorted = match on {
                Some(on) => world.sort_rows_on(on, units, RowOrder::Space),
                None => world.sort_rows(units, RowOrder::Space),
            };
            sorted.unwrap();
        }),
        ("aabbs_mut", &|world, on| {
            let halves = vec![[0.4_f32; 2]; 50_000];
            let centers = world.centers(units).map(<[f32]>::to_vec);
            let boxes = match on {
                Some(on) => world.aabbs_mut_on(on, units),
                None => world.aabbs_mut(units),
            };
            let centers: Vec<[f32; 2]> = (centers[0].iter().zip(&centers[1]))
                .map(|(&x, &y)| [x, y])
                .collect();
            let fill = boxes.unwrap().fill_from_centers(&centers, &halves);
            assert_eq!(fill.unwrap().refused, []);
        }),
        ("find_neighbors", &|world, on| {
            let mut found = Neighbors::new();
            let done = match on {
                Some(on) => world.find_neighbors_on(on, &within, &mut found),
                None => world.find_neighbors(&within, &mut found),
            };
            done.unwrap();
        }),
        ("query_neighbors", &|world, on| {
            let mut found = NeighborOutputs::new();
            let visit =
                |_, near: Neighborhood<'_>, count: &mut u64| *count += near.rows.len() as u64;
            let done = match on {
                Some(on) => world.query_neighbors_on(on, &within, &mut found, visit),
                None => world.query_neighbors(&within, &mut found, visit),
            };
            done.unwrap();
        }),
        ("find_pairs_within", &|world, on| {
            let mut found = ProximityPairs::new();
            let done = match on {
                Some(on) => world.find_pairs_within_on(on, &within, &mut found),
                None => world.find_pairs_within(&within, &mut found),
            };
            done.unwrap();
        }),
        ("find_batch", &|world, on| {
            let mut answers = BatchResults::new();
            let done = match on {
                Some(on) => world.query().find_batch_on(on, &points, &mut answers),
                None => world.query().find_batch(&points, &mut answers),
            };
            done.unwrap();
        }),
        ("find_batch_by", &|world, on| {
            let mut answers = BatchResults::new();
            let shape = |_: usize, hit: &CastHit| Some(hit.fraction);
            let done = match on {
                Some(on) => world
                    .query()
                    .find_batch_by_on(on, &rays, &mut answers, shape),
                None => world.query().find_batch_by(&rays, &mut answers, shape),
            };
            done.unwrap();
        }),
        ("refresh", &|world, on| match on {
            Some(on) => world.refresh_on(on),
            None => world.refresh(),
        }),
        ("shrink_to_fit", &|world, on| match on {
            Some(on) => world.shrink_to_fit_on(on),
            None => world.shrink_to_fit(),
        }),
        ("reconfigure", &|world, on| {
            let config = world.config().clone();
            let done = match on {
                Some(on) => world.reconfigure_on(on, config),
                None => world.reconfigure(config),
            };
            done.unwrap();
        }),
    ];
    for (name, call) in calls {
        let counting = Counting::default();
        call(&mut world, Some(&counting));
        assert!(counting.0.into_inner() > 0, "{name}");

        let own = Arc::new(Counting::default());
        world.set_executor(Some(Arc::clone(&own) as _));
        assert_eq!(world.executor().threads(), 3);
        call(&mut world, None);
        assert!(
            own.0.load(Ordering::Relaxed) > 0,
            "{name} of a world that has one"
        );
        world.set_executor(None);
        assert_eq!(Arc::strong_count(&own), 1);
        call(&mut world, None);
    }
}

/// Counts lists as well, but of threads that sleep.
#[derive(Default)]
struct Sleepy(Counting);

impl Executor for Sleepy {
    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn threads_sleep(&self) -> bool {
        true
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.run(tasks, task);
    }
}

#[test]
fn short_steps_wake_nobody() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    world.set_clock(Clock::None);
    let (sleepy, awake) = (Arc::new(Sleepy::default()), Arc::new(Counting::default()));
    let lists_of_a_step = |world: &mut Broadphase, is_sleepy: bool| {
        world.set_executor(Some(match is_sleepy {
            true => Arc::clone(&sleepy) as _,
            false => Arc::clone(&awake) as _,
        }));
        world.step_pairs();
        let lists = if is_sleepy { &sleepy.0.0 } else { &awake.0 };
        lists.swap(0, Ordering::Relaxed)
    };
    let unit = |k: usize| Proxy::centered([k as f32 * 3.0, 0.0], [1.0; 2]).unwrap();
    world.insert_batch((0..100).map(unit));
    assert_eq!(
        [true, false].map(|is_sleepy| lists_of_a_step(&mut world, is_sleepy)),
        [0; 2],
        "each list has one task"
    );
    world.insert_batch((100..5000).map(unit));
    assert_eq!(lists_of_a_step(&mut world, true), 0);
    assert!(lists_of_a_step(&mut world, false) > 0);
    world.insert_batch((5000..20_000).map(unit));
    assert!(
        lists_of_a_step(&mut world, true) > 0,
        "with many, it is not short"
    );
}

#[test]
fn a_copy_has_the_executor_and_leaves_others_theirs() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    world.set_executor(Some(Arc::new(Threads(5))));
    let mut copy = world.clone();
    assert_eq!(copy.executor().threads(), 5);
    copy.set_executor(Some(Arc::new(Threads(7))));
    copy.clone_from(&world);
    assert_eq!(
        [&world, &copy].map(|world| world.executor().threads()),
        [5, 7]
    );
}

/// Counts what reaches it, and how often its scratch was made.
struct Witness<'a> {
    scratches: &'a AtomicUsize,
}

struct Scratch;

static MADE: AtomicUsize = AtomicUsize::new(0);

impl Default for Scratch {
    fn default() -> Self {
        MADE.fetch_add(1, Ordering::Relaxed);
        Scratch
    }
}

impl Narrowphase for Witness<'_> {
    type Scratch = Scratch;
    type Output = (u64, Vec<[u64; 2]>);

    fn collide(&self, batch: PairBatch<'_>, _: &mut Scratch, (count, keys): &mut Self::Output) {
        self.scratches
            .fetch_max(MADE.load(Ordering::Relaxed), Ordering::Relaxed);
        let [a, b] = batch.categories();
        assert!(a <= b && !batch.pairs().is_empty());
        for &pair in batch.pairs() {
            assert!(a != b || pair[0] < pair[1], "lower row first");
            assert_eq!(batch.keys(pair), pair.map(u64::from), "keyed by row");
            *count += 1;
            keys.push(batch.keys(pair));
        }
    }
}

#[test]
fn scratch_is_made_once_per_worker_and_outputs_are_cleared() {
    let mut world = world_of(&[uniform(20_000, 1.0, 1)], PairMode::Coarse, None);
    let scratches = AtomicUsize::new(0);
    let mut totals = Vec::new();
    for _ in 0..3 {
        let step = world.step_on(
            &Threads(2),
            &Witness {
                scratches: &scratches,
            },
        );
        let count: u64 = step.outputs().map(|(count, _)| count).sum();
        let keys: usize = step.outputs().map(|(_, keys)| keys.len()).sum();
        assert_eq!(
            (count, keys as u64),
            (step.report().pairs, step.report().pairs)
        );
        totals.push(count);
    }
    assert!(totals[0] > 10_000 && totals.iter().all(|&total| total == totals[0]));
    assert!(
        MADE.load(Ordering::Relaxed) <= 2,
        "{} for two workers",
        MADE.load(Ordering::Relaxed)
    );
}

/// Keeps more in its scratch than it needs.
struct Hoards;

impl Narrowphase for Hoards {
    type Scratch = Vec<u8>;
    type Output = ();

    fn collide(&self, _: PairBatch<'_>, scratch: &mut Vec<u8>, (): &mut ()) {
        scratch.reserve_exact(1 << 20);
    }

    fn scratch_bytes(scratch: &Vec<u8>) -> usize {
        scratch.capacity()
    }
}

#[test]
fn scratch_counts_as_far_as_it_says_what_it_holds_and_can_be_let_go() {
    for threads in [1, 3] {
        let mut world = world_of(&[uniform(20_000, 1.0, 1)], PairMode::Coarse, None);
        let executor = Threads(threads);
        world.step_on(&executor, &CountPairs);
        let before = [world.memory().outputs, world.report().bytes];
        for _ in 0..3 {
            world.step_on(&executor, &Hoards);
            let now = [world.memory().outputs, world.report().bytes];
            for (now, before) in now.into_iter().zip(before) {
                let more = now - before;
                let most = (threads << 20) + (64 << 10);
                assert!((1 << 20..=most).contains(&more), "{more} on {threads}");
            }
        }
        world.shrink_to_fit();
        assert!(world.memory().outputs < before[0]);
    }
}

#[test]
fn a_narrowphase_that_panics_leaves_the_world_whole() {
    struct Panics;
    impl Narrowphase for Panics {
        type Scratch = ();
        type Output = u64;
        fn collide(&self, _: PairBatch<'_>, (): &mut (), _: &mut u64) {
            panic!("as it may");
        }
    }
    let mut world = world_of(&scenes(), PairMode::Coarse, None);
    let expected = ordered_pairs(&mut world, &Serial);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        world.step_on(&Serial, &Panics);
    }));
    assert!(panicked.is_err());
    world.validate().unwrap();
    assert!(ordered_pairs(&mut world, &Serial) == expected);
    assert_eq!(world.rows(category(0)), scenes()[0].len());
}

/// An executor that panics after some tasks, as a job system may that is shut down.
struct GivesUp(AtomicUsize);

impl Executor for GivesUp {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        for index in 0..tasks {
            let left = self.0.fetch_sub(1, Ordering::Relaxed);
            assert!(left > 0, "shut down");
            task(index);
        }
    }
}

#[test]
fn a_panic_amid_indexing_leaves_no_half_index() {
    let scene = uniform(20_000, 1.0, 3);
    for tasks in 0..12 {
        let units = CategoryConfig::uniform("units", scene.half[0]).coarse();
        let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
        let proxies = scene.xs.iter().zip(&scene.ys);
        world.insert_batch(proxies.map(|(&x, &y)| Proxy::centered([x, y], scene.half).unwrap()));
        world.refresh_on(&Serial);
        let category = world.category("units").unwrap();
        let (xs, ys) = (scene.ys.clone(), scene.xs.clone());
        assert_eq!(
            world
                .centers_mut(category)
                .unwrap()
                .fill_from(&xs, &ys)
                .unwrap()
                .rejected,
            0
        );

        let executor = GivesUp(AtomicUsize::new(tasks));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            world.refresh_on(&executor);
        }));
        if outcome.is_err() {
            assert!(
                world.plan().is_err(),
                "there is no whole index to plan from"
            );
            let asked = world
                .query()
                .find_in_aabb(&Aabb::EVERYWHERE, &mut Vec::new());
            assert_eq!(
                asked,
                Err(StaleIndex::Unfinished.into()),
                "there is no whole index to ask"
            );
        }
        let pairs: usize = world
            .step_pairs()
            .outputs()
            .map(|list| list.pairs().len())
            .sum();
        assert_eq!(pairs, throng_scenes::overlapping_pairs_sweep(&scene).len());
    }
}
