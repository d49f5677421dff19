//! Promise: a column of boxes does what a `set_aabb` of each proxy does, in the order of rows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, AabbError, AabbFill, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId,
    ColumnError, DoubleGridConfig, Executor, LooseQuadtreeConfig, OversizedStructure, Placement,
    Proxy, ProxyError, ProxyId, Row, Serial, SimdLevel, StripsConfig,
};

use crate::common::{Pair, Threads, category, ordered_pairs};

/// What a row is given: center, half extents, and whether it has no end to the right.
type Given = ([f32; 2], [f32; 2], bool);

/// The categories of a world, most of which have another kind of columns.
fn config(level: SimdLevel) -> BroadphaseConfig {
    BroadphaseConfig::new()
        .simd(level)
        .category(CategoryConfig::uniform("exact", BOUNDS[0]))
        .category(CategoryConfig::uniform("coarse", BOUNDS[1]).coarse())
        .category(CategoryConfig::uniform("resting", BOUNDS[2]).rests_after(2))
        .category(
            CategoryConfig::oversized("double grid")
                .half_extents([BOUNDS[3]; 2])
                .structure(DoubleGridConfig::new())
                .rests_after(1),
        )
        .category(
            CategoryConfig::oversized("loose quadtree")
                .half_extents([BOUNDS[4]; 2])
                .structure(LooseQuadtreeConfig::new())
                .rests_after(2),
        )
        .category(
            CategoryConfig::oversized("strips")
                .structure(StripsConfig::new())
                .rests_after(3),
        )
        .category(CategoryConfig::uniform("zones", BOUNDS[6]).sensor())
}

/// No multiples of what `f32` tells apart far out, so that sides round.
const BOUNDS: [f32; 7] = [0.9, 2.1, 3.3, 19.7, 40.3, 80.0, 4.4];
/// Where boxes mostly stay as they are.
const RESTING: std::ops::Range<usize> = 2..6;
/// Where all are put by name, though most would fit a smaller category.
const ZONES: usize = 6;

/// A box that is most likely to stay where it is, but may go to a larger or a smaller category, be as large as the bound, or be none.
fn given(random: &mut Pcg64Mcg, category: usize, side: f32) -> Given {
    let center = [0; 2].map(|_| random.random_range(0.0..side));
    let bound = BOUNDS[category];
    let case = random.random_range(0..2000);
    let mut half = |part: [f32; 2]| [0; 2].map(|_| bound * random.random_range(part[0]..part[1]));
    let usual = half(if category == ZONES {
        [0.1, 0.2]
    } else {
        [0.85, 0.99]
    });
    match case {
        0..2 => (center, half([0.1, 0.3]), false),
        2 => (center, [usual[0], half([1.0, 1.5])[1]], false),
        3 => (center, [half([1.0, 1.5])[0], usual[1]], false),
        4..6 => (center, [f32::NAN; 2], false),
        6..8 => (center, usual, true),
        8..10 => (center, [-1.0, 1.0], false),
        10..60 => (center, [bound; 2], false),
        60..80 => ([center[0], f32::MAX], usual, false),
        80..100 => (center, [usual[0], bound], false),
        _ => (center, usual, false),
    }
}

/// The box of what is given.
fn aabb_of((center, half, is_endless): Given) -> Result<Aabb, AabbError> {
    let aabb = Aabb::from_center(center, half)?;
    if is_endless {
        Aabb::new(aabb.min(), [f32::INFINITY, aabb.max()[1]])
    } else {
        Ok(aabb)
    }
}

/// A world of some rows in each category, half of them put there by name.
fn world(level: SimdLevel, rows: usize, side: f32, random: &mut Pcg64Mcg) -> Broadphase {
    let mut world = Broadphase::new(config(level)).unwrap();
    for (of, bound) in BOUNDS.into_iter().enumerate() {
        let rows = if of < 3 { rows } else { rows / 8 };
        for n in 0..rows {
            let center = [0; 2].map(|_| random.random_range(0.0..side));
            let half = bound * random.random_range(0.85..0.99);
            let mut proxy = Proxy::centered(center, [half; 2]).unwrap().key(n as u64);
            if n % 2 == 0 || of == ZONES {
                proxy = proxy.in_category(category(of));
            }
            world.insert(proxy).unwrap();
        }
    }
    world
}

/// What a `set_aabb` of each does.
fn set_each(world: &mut Broadphase, of: CategoryId, boxes: &[Result<Aabb, AabbError>]) -> AabbFill {
    let mut done = AabbFill::default();
    let ids: Vec<ProxyId> = world.proxies(of).collect();
    for (row, (id, aabb)) in (0..).zip(ids.into_iter().zip(boxes)) {
        let problem = match aabb {
            Ok(aabb) => match world.set_aabb(id, *aabb) {
                Ok(Placement::Stayed) => continue,
                Ok(Placement::Migrated(migration)) => {
                    done.migrated.push(migration);
                    continue;
                }
                Err(problem) => problem,
            },
            Err(problem) => ProxyError::BadAabb {
                id,
                problem: *problem,
            },
        };
        done.refused.push((row, problem));
    }
    done
}

/// Everything that can be seen of a world, and its pairs in order.
fn seen(world: &mut Broadphase, executor: &dyn Executor) -> (Vec<String>, Vec<Pair>) {
    world.validate().unwrap();
    let pairs = ordered_pairs(world, executor);
    // In which order they came to rest may differ.
    let mut resting: Vec<_> = world
        .resting_pairs()
        .iter()
        .map(|pair| format!("{pair:?}"))
        .collect();
    resting.sort();
    let mut seen = resting;
    for of in 0..BOUNDS.len() {
        let ids: Vec<ProxyId> = world.proxies(category(of)).collect();
        seen.extend(ids.iter().map(|&id| {
            let view = world.get(id).unwrap();
            format!("{view:?} {}", world.is_resting(id).unwrap())
        }));
        let report = &world.report().categories[of];
        if of != 1 {
            seen.push(format!("{:?}", report.sizes));
        }
        seen.push(format!("{:?}", [report.resting, report.rows]));
        seen.push(format!("{:?} {:?}", report.largest, report.activity));
    }
    (seen, pairs)
}

fn assert_same_as_each(level: SimdLevel, rows: usize, frames: usize, executor: &Threads) {
    let mut random = Pcg64Mcg::seed_from_u64(rows as u64);
    let side = (rows as f32).sqrt() * 8.0;
    let mut each = world(level, rows, side, &mut random);
    let mut columns = each.clone();
    let mut last: [Vec<Given>; BOUNDS.len()] = Default::default();
    let mut most_resting = 0;
    for frame in 0..frames {
        for of in (0..BOUNDS.len()).map(category) {
            let boxes: Vec<Given> = (0..each.centers(of)[0].len())
                .map(|row| {
                    let new = given(&mut random, of.index(), side);
                    match last[of.index()].get(row) {
                        Some(last) if RESTING.contains(&of.index()) => match row % 16 {
                            to_another_place if to_another_place == frame => new,
                            to_another_size if to_another_size == frame + 8 => {
                                (last.0, new.1, false)
                            }
                            _ => *last,
                        },
                        _ => new,
                    }
                })
                .collect();
            last[of.index()].clone_from(&boxes);
            // By sides, as in a `set_aabb`; that centers are kept as they are is another promise.
            let boxes: Vec<_> = boxes.into_iter().map(aabb_of).collect();
            let expected = set_each(&mut each, of, &boxes);
            let corners: Vec<Corners> = boxes.into_iter().map(Corners).collect();
            let mut boxes = columns.aabbs_mut_on(executor, of).unwrap();
            let fill = boxes.fill_from(&corners).unwrap();
            assert_eq!(fill, expected, "{of:?}, frame {frame}");
            if frame == 0 {
                let of_all = [fill.migrated.len(), fill.refused.len()];
                assert!(
                    rows < 1000 || of.index() > 1 || !of_all.contains(&0),
                    "{of_all:?}"
                );
            }
        }
        let [found, expected] = [&mut columns, &mut each].map(|world| seen(world, &Serial));
        let (all, pairs) = (&expected.0, expected.1.len());
        assert!(
            rows < 1000 || pairs > rows / 4,
            "{pairs} pairs of {}",
            all.len()
        );
        assert!(found == expected, "frame {frame}");
        most_resting = most_resting.max(each.report().categories[RESTING.start].resting);
    }
    assert!(
        rows < 1000 || most_resting > rows / 4,
        "{most_resting} rest"
    );
}

/// An engine's own type, which may hold no box.
#[derive(Clone, Copy)]
struct Corners(Result<Aabb, AabbError>);

impl TryFrom<Corners> for Aabb {
    type Error = AabbError;

    fn try_from(corners: Corners) -> Result<Aabb, AabbError> {
        corners.0
    }
}

#[test]
fn a_column_does_what_a_set_aabb_of_each_does() {
    for &level in SimdLevel::available() {
        for rows in [1, 15, 16, 17, 33, 2500] {
            assert_same_as_each(level, rows, 6, &Threads(1));
        }
    }
}

#[test]
fn a_batch_by_id_does_what_a_set_aabb_of_each_does() {
    for count in [0, 1, 16, 31, 32, 33, 5000] {
        let mut random = Pcg64Mcg::seed_from_u64(count as u64);
        let mut each = world(SimdLevel::detect(), 1000, 300.0, &mut random);
        let gone = each.proxies(category(1)).nth(17).unwrap();
        let mut batch = each.clone();
        let ids: Vec<ProxyId> = (0..BOUNDS.len())
            .flat_map(|of| each.proxies(category(of)).collect::<Vec<_>>())
            .collect();
        for world in [&mut each, &mut batch] {
            world.remove(gone).unwrap();
        }
        for _ in 0..2 {
            // Some more than once, and some of another size than those beside them.
            let given: Vec<(ProxyId, Corners)> = (0..count)
                .map(|_| {
                    let id = ids[random.random_range(0..ids.len())];
                    let of = random.random_range(0..40);
                    let place = each.locate(id).map_or(0, |place| place.category.index());
                    let of = if of < BOUNDS.len() { of } else { place };
                    (id, Corners(aabb_of(given(&mut random, of, 300.0))))
                })
                .collect();
            let (mut migrated, mut refused) = (Vec::new(), Vec::new());
            for (position, &(id, corners)) in given.iter().enumerate() {
                let bad = |problem| ProxyError::BadAabb { id, problem };
                let set = corners.0.map_err(bad);
                match set.and_then(|aabb| each.set_aabb(id, aabb)) {
                    Ok(Placement::Stayed) => {}
                    Ok(Placement::Migrated(migration)) => migrated.push(migration),
                    Err(problem) => refused.push((position, problem)),
                }
            }
            let set = batch.set_aabbs(given);
            assert_eq!(
                (set.migrated, set.refused),
                (migrated.clone(), refused.clone())
            );
            assert!(count < 1000 || !migrated.is_empty() && !refused.is_empty());
            let [each, batch] = [&mut each, &mut batch].map(|world| seen(world, &Serial));
            assert!(each == batch, "{count}");
        }
    }
}

/// More proxies than are thought to be in a cache.
#[test]
fn many_are_set_by_id() {
    let units = CategoryConfig::uniform("units", 1.0);
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    let rows = 100_100;
    let proxy = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
    let ids = world.insert_batch(std::iter::repeat_n(proxy, rows)).ids;
    let place = |row: usize| [row as f32, 0.5];
    let order = (0..rows).map(|n| n * 7919 % rows);
    let centers = order.clone().map(|row| (ids[row].unwrap(), place(row)));
    assert_eq!(world.set_centers(centers), Ok(()));
    let xs: Vec<f32> = (0..rows).map(|row| row as f32).collect();
    assert_eq!(world.centers(category(0))[0], xs);
    let aabb = |row: usize| Aabb::from_center([row as f32, 2.5], [0.5; 2]).unwrap();
    let set = world.set_aabbs(order.map(|row| (ids[row].unwrap(), aabb(row))));
    assert_eq!((set.migrated, set.refused), (vec![], vec![]));
    for row in (0..rows).step_by(1000) {
        assert_eq!(world.get(ids[row].unwrap()).unwrap().aabb, aabb(row));
    }
    world.validate().unwrap();
}

#[test]
fn many_rows_are_written_by_many_threads() {
    // Several tasks, and no whole number of them.
    assert_same_as_each(SimdLevel::detect(), 20_001, 6, &Threads(3));
}

#[test]
fn centers_and_half_extents_are_kept_as_they_are() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    for rows in [1, 16, 40, 4000] {
        let first = world(SimdLevel::detect(), rows, 60.0, &mut random);
        for is_by_axis in [false, true] {
            let mut world = first.clone();
            for of in (0..BOUNDS.len()).map(category) {
                let ids: Vec<ProxyId> = world.proxies(of).collect();
                let given: Vec<Given> = (0..ids.len())
                    .map(|_| match random.random_range(0..500) {
                        0 => ([f32::NAN, 0.0], [0.5; 2], false),
                        1 => ([0.0, f32::INFINITY], [0.5; 2], false),
                        2 => ([1.0; 2], [f32::INFINITY, 0.5], false),
                        _ => given(&mut random, of.index(), 60.0),
                    })
                    .collect();
                let is_named: Vec<bool> =
                    ids.iter().map(|&id| world.get(id).unwrap().named).collect();
                let fill = fill_centers(&mut world, of, &given, is_by_axis);
                world.validate().unwrap();
                let mut refused = fill.refused.iter();
                for (row, (&id, &(center, half, _))) in ids.iter().zip(&given).enumerate() {
                    let bound = if of.index() == 5 {
                        f32::INFINITY
                    } else {
                        BOUNDS[of.index()]
                    };
                    let is_over = half.iter().any(|&half| half > bound);
                    if Aabb::from_center(center, half).is_err() || is_named[row] && is_over {
                        assert_eq!(refused.next().unwrap().0, row as Row);
                        continue;
                    }
                    let view = world.get(id).unwrap();
                    let is_bounded = half.map(f32::is_finite);
                    for axis in (0..2).filter(|&axis| is_bounded[axis]) {
                        assert_eq!(view.center[axis].to_bits(), center[axis].to_bits());
                    }
                    if view.category != category(1) {
                        assert_eq!(view.half_extents, half, "row {row} of {of:?}");
                    }
                }
                assert_eq!(refused.next(), None);
            }
        }
    }
}

fn fill_centers(
    world: &mut Broadphase,
    of: CategoryId,
    given: &[Given],
    is_by_axis: bool,
) -> AabbFill {
    let centers: Vec<[f32; 2]> = given.iter().map(|given| given.0).collect();
    let halves: Vec<[f32; 2]> = given.iter().map(|given| given.1).collect();
    let along = |points: &[[f32; 2]], axis: usize| -> Vec<f32> {
        points.iter().map(|point| point[axis]).collect()
    };
    let mut boxes = world.aabbs_mut(of).unwrap();
    let fill = if is_by_axis {
        boxes.fill_from_columns(
            [&along(&centers, 0), &along(&centers, 1)],
            [&along(&halves, 0), &along(&halves, 1)],
        )
    } else {
        boxes.fill_from_centers(&centers, &halves)
    };
    fill.unwrap()
}

#[test]
fn a_row_that_is_listed_twice_is_set_twice() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("sheep", 1.0))
        .category(CategoryConfig::oversized("cows"));
    let mut world = Broadphase::new(config).unwrap();
    let boxes = [0.5, 0.25, 9.0, 0.75, f32::NAN].map(|half: f32| ([-half; 2], [half; 2]));
    let ids = [0, 1, 2].map(|_| {
        let sheep = Aabb::from_center([0.0; 2], [0.5; 2]).unwrap();
        world.insert(Proxy::moving(sheep)).unwrap()
    });
    let half_of = |world: &Broadphase, n: usize| world.get(ids[n]).unwrap().half_extents[0];

    let mut sheep = world.aabbs_mut(category(0)).unwrap();
    let fill = sheep.set_rows(&[0, 0], &[boxes[0], boxes[1]]).unwrap();
    assert_eq!(fill, AabbFill::default());
    assert_eq!(half_of(&world, 0), 0.25);

    // The last one goes to the cows, and comes back from there; then it is given no box.
    let mut sheep = world.aabbs_mut(category(0)).unwrap();
    let given = [boxes[2], boxes[3], boxes[4]];
    let fill = sheep.set_rows(&[2, 2, 2], &given).unwrap();
    let places: Vec<_> = fill
        .migrated
        .iter()
        .map(|went| (went.id, went.to.category))
        .collect();
    assert_eq!(places, [(ids[2], category(1)), (ids[2], category(0))]);
    assert_eq!(fill.refused.len(), 1);
    assert_eq!(half_of(&world, 2), 0.75);
    world.validate().unwrap();
}

/// Counts the tasks that it is given.
#[derive(Default)]
struct CountsTasks(AtomicUsize);

impl Executor for CountsTasks {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(tasks, Ordering::Relaxed);
        (0..tasks).for_each(task);
    }
}

#[test]
fn many_rows_are_written_on_the_executor_that_is_named() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let mut world = world(SimdLevel::detect(), 20_000, 2000.0, &mut random);
    let executor = CountsTasks::default();
    let boxes: Vec<Aabb> = world
        .proxies(category(0))
        .map(|id| world.get(id).unwrap().aabb)
        .collect();
    let fill = world
        .aabbs_mut_on(&executor, category(0))
        .unwrap()
        .fill_from(&boxes);
    assert_eq!(fill.unwrap().refused, []);
    assert!(executor.0.into_inner() > 1);
}

/// Runs tasks from the last to the first.
struct Backwards;

impl Executor for Backwards {
    fn threads(&self) -> usize {
        3
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).rev().for_each(task);
    }
}

#[test]
fn nothing_depends_on_the_order_of_tasks() {
    let units = CategoryConfig::uniform("units", 1.0)
        .rests_after(1)
        .events();
    let config = BroadphaseConfig::new().pair_slots(true).category(units);
    let mut world = Broadphase::new(config).unwrap();
    // Pairs side by side.
    let boxes: Vec<Aabb> = (0..20_000)
        .map(|n| Aabb::from_center([(n / 2) as f32 * 4.0, (n % 2) as f32], [0.9; 2]).unwrap())
        .collect();
    world.insert_batch(boxes.iter().map(|&aabb| Proxy::moving(aabb)));
    for _ in 0..5 {
        world.step_pairs();
    }
    let mut worlds = [world.clone(), world];
    let executors: [&dyn Executor; 2] = [&Serial, &Backwards];
    let mut all_resting = 0;
    for frame in 0..6 {
        let mut boxes = boxes.clone();
        for row in [1000, 9001, 19_000].into_iter().filter(|_| frame % 3 == 0) {
            let [x, _] = boxes[row].center();
            boxes[row] = Aabb::from_center([x, -50.0], [0.8; 2]).unwrap();
        }
        let told = [0, 1].map(|n| {
            let mut all = worlds[n].aabbs_mut_on(executors[n], category(0)).unwrap();
            let fill = all.fill_from(&boxes).unwrap();
            let step = worlds[n].step_pairs();
            let events = step.began().chain(step.ended());
            let events: Vec<_> = events.map(|event| (event.ids, event.slot)).collect();
            let resting: Vec<_> = step.resting_pairs().to_vec();
            let lasting: Vec<_> = step
                .event_pairs()
                .map(|pair| (pair.ids, pair.slot))
                .collect();
            all_resting += resting.len();
            (fill, events, resting, lasting)
        });
        assert!(told[0] == told[1], "frame {frame}");
        assert!(frame % 3 > 1 || !told[0].1.is_empty(), "frame {frame}");
    }
    assert!(all_resting > 0);
}

#[test]
fn sizes_of_a_coarse_category_are_those_that_were_last_given() {
    let clouds = CategoryConfig::uniform("clouds", 8.0).coarse();
    let mut world = Broadphase::new(BroadphaseConfig::new().category(clouds)).unwrap();
    world.insert_batch((0..100).map(|_| Proxy::centered([0.0; 2], [1.0; 2]).unwrap()));
    let halves: Vec<[f32; 2]> = (0..100)
        .map(|row| [if row < 30 { 2.0 } else { 4.0 }; 2])
        .collect();
    let mut boxes = world.aabbs_mut(category(0)).unwrap();
    let fill = boxes.fill_from_centers(&[[0.0; 2]; 100], &halves).unwrap();
    assert_eq!(fill, AabbFill::default());
    world.refresh();
    let sizes = world.report().categories[0].sizes.steps();
    let counts: Vec<_> = sizes.map(|step| (step.up_to, step.count)).collect();
    assert_eq!(counts, [(2.0, 30), (4.0, 70)]);

    let nothing = [([0.0; 2], [f32::NAN; 2]); 100];
    let fill = world.aabbs_mut(category(0)).unwrap().fill_from(&nothing);
    assert_eq!(fill.unwrap().refused.len(), 100);
    world.refresh();
    assert_eq!(world.report().categories[0].sizes.total(), 100, "as it was");
}

#[test]
fn sizes_are_stored_once_one_differs_and_not_before() {
    let units = CategoryConfig::uniform("units", 1.0);
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    world.insert_batch((0..40).map(|n| Proxy::centered([n as f32 * 3.0, 0.0], [1.0; 2]).unwrap()));
    let stored = |world: &Broadphase| world.memory().categories[0].half_extents > 0;
    let mut halves = vec![[1.0_f32; 2]; 40];
    let centers: Vec<[f32; 2]> = (0..40).map(|n| [n as f32, n as f32 * 0.5]).collect();
    let fill = |world: &mut Broadphase, halves: &[[f32; 2]]| {
        let mut boxes = world.aabbs_mut(category(0)).unwrap();
        let fill = boxes.fill_from_centers(&centers, halves).unwrap();
        assert_eq!(fill, AabbFill::default());
        world.validate().unwrap();
        ordered_pairs(world, &Serial).len()
    };
    let alike = fill(&mut world, &halves);
    assert!(!stored(&world));
    let none_stored = world.clone();
    // Among the first, among those in the middle that are looked at together, and among the last.
    for row in [3, 20, 39] {
        world.clone_from(&none_stored);
        halves[row] = [0.25; 2];
        let one_differs = fill(&mut world, &halves);
        assert!(stored(&world) && one_differs < alike, "{row}");
        halves[row] = [1.0; 2];
        assert_eq!(fill(&mut world, &halves), alike);
    }
}

#[test]
fn who_rests_wakes_when_its_size_changes() {
    let resting = |category: CategoryConfig| category.rests_after(1);
    let crates = resting(CategoryConfig::uniform("crates", 1.0));
    let mut world = Broadphase::new(BroadphaseConfig::new().category(crates)).unwrap();
    let boxes: Vec<Aabb> = (0..50)
        .map(|n| Aabb::from_center([n as f32, 0.0], [0.75; 2]).unwrap())
        .collect();
    let ids = world
        .insert_batch(boxes.iter().map(|&aabb| Proxy::moving(aabb)))
        .ids;
    let fill = |world: &mut Broadphase, boxes: &[Aabb]| {
        let fill = world.aabbs_mut(category(0)).unwrap().fill_from(boxes);
        assert_eq!(fill.unwrap(), AabbFill::default());
        ordered_pairs(world, &Serial).len()
    };
    for _ in 0..6 {
        fill(&mut world, &boxes);
    }
    let resting = |world: &Broadphase| -> Vec<usize> {
        let rests = |n: &usize| world.is_resting(ids[*n].unwrap()).unwrap();
        (0..50).filter(rests).collect()
    };
    assert_eq!(resting(&world).len(), 50, "written to where they are");

    let mut others = boxes.clone();
    others[7] = Aabb::from_center([7.0, 0.0], [0.5; 2]).unwrap();
    others[33] = Aabb::from_center([33.0, 0.0], [0.75, 0.5]).unwrap();
    fill(&mut world, &others);
    let expected: Vec<usize> = (0..50).filter(|n| ![7, 33].contains(n)).collect();
    assert_eq!(resting(&world), expected);
    world.validate().unwrap();

    let some = [boxes[12], others[7]];
    let fill = world
        .aabbs_mut(category(0))
        .unwrap()
        .set_rows(&[12, 7], &some);
    assert_eq!(fill.unwrap(), AabbFill::default());
    world.step_pairs();
    assert_eq!(resting(&world).len(), 48, "nothing has changed");
    let moved = Aabb::from_center([20.5, 0.0], [0.75; 2]).unwrap();
    let fill = world
        .aabbs_mut(category(0))
        .unwrap()
        .set_rows(&[20], &[moved]);
    assert_eq!(fill.unwrap(), AabbFill::default());
    world.step_pairs();
    assert!(!resting(&world).contains(&20));
}

#[test]
fn a_size_that_changes_is_seen_where_nobody_moves() {
    type Grow = fn(&mut Broadphase, ProxyId, &[Aabb]);
    let ways: [Grow; 3] = [
        |world, id, boxes| assert_eq!(world.set_aabb(id, boxes[20]), Ok(Placement::Stayed)),
        |world, _, boxes| {
            let fill = world.aabbs_mut(category(0)).unwrap().fill_from(boxes);
            assert_eq!(fill, Ok(AabbFill::default()));
        },
        |world, _, boxes| {
            let mut all = world.aabbs_mut(category(0)).unwrap();
            assert_eq!(all.set_rows_from(&[20], boxes), Ok(AabbFill::default()));
        },
    ];
    let uniform = CategoryConfig::uniform("crates", 2.0);
    let oversized =
        |structure: OversizedStructure| CategoryConfig::oversized("crates").structure(structure);
    for crates in [
        uniform,
        oversized(StripsConfig::new().into()),
        oversized(DoubleGridConfig::new().into()),
        oversized(LooseQuadtreeConfig::new().into()),
    ] {
        for grow in ways {
            let config = BroadphaseConfig::new().category(crates.clone().rests_after(100));
            let mut world = Broadphase::new(config).unwrap();
            let mut boxes: Vec<Aabb> = (0..50)
                .map(|n| Aabb::from_center([n as f32 * 2.0, 0.0], [0.75; 2]).unwrap())
                .collect();
            let ids = world.insert_batch(boxes.iter().map(|&aabb| Proxy::moving(aabb)));
            for _ in 0..4 {
                assert_eq!(ordered_pairs(&mut world, &Serial), []);
            }
            boxes[20] = Aabb::from_center([40.0, 0.0], [1.5; 2]).unwrap();
            grow(&mut world, ids.ids[20].unwrap(), &boxes);
            assert_eq!(ordered_pairs(&mut world, &Serial).len(), 2);
            // And such a frame is not one in which nothing has changed.
            let quiet = world.report().categories[0].activity.quiet;
            let mut smaller = boxes.clone();
            smaller[20] = Aabb::from_center([40.0, 0.0], [0.5; 2]).unwrap();
            grow(&mut world, ids.ids[20].unwrap(), &smaller);
            assert_eq!(ordered_pairs(&mut world, &Serial), []);
            assert_eq!(world.report().categories[0].activity.quiet, quiet);
        }
    }
}

/// A box whose conversion may panic.
#[derive(Clone, Copy)]
struct Fragile(Option<Aabb>);

impl From<Fragile> for Aabb {
    fn from(fragile: Fragile) -> Aabb {
        fragile.0.expect("it breaks")
    }
}

#[test]
fn a_conversion_that_panics_leaves_a_world_that_goes_on() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let rows = 40_000;
    for of in (0..3).map(category) {
        let mut world = world(SimdLevel::detect(), rows, 2000.0, &mut random);
        world.set_executor(Some(Arc::new(Threads(2))));
        ordered_pairs(&mut world, &Serial);
        let mut boxes: Vec<_> = (0..rows)
            .map(|_| {
                let center = [0; 2].map(|_| random.random_range(0.0..2000.0));
                let half = BOUNDS[of.index()] * random.random_range(0.85..0.9);
                Fragile(Some(Aabb::from_center(center, [half; 2]).unwrap()))
            })
            .collect();
        boxes[rows / 2] = Fragile(None);
        let written = catch_unwind(AssertUnwindSafe(|| {
            world.aabbs_mut(of).unwrap().fill_from(&boxes).unwrap()
        }));
        assert!(written.is_err());
        world.validate().unwrap();
        let is_written = |world: &Broadphase| {
            let xs = world.centers(of)[0].to_vec();
            let centers = boxes
                .iter()
                .map(|fragile| fragile.0.map(|aabb| aabb.center()[0]));
            xs.into_iter()
                .zip(centers)
                .filter(|(x, given)| Some(*x) == *given)
                .count()
        };
        assert!(is_written(&world) > 0, "some are written already");
        boxes[rows / 2] = boxes[0];
        let fill = world.aabbs_mut(of).unwrap().fill_from(&boxes).unwrap();
        assert_eq!(fill, AabbFill::default());
        let mut as_if_new = world.clone();
        as_if_new.forget_history(of).unwrap();
        let [mut found, mut expected] =
            [&mut world, &mut as_if_new].map(|world| ordered_pairs(world, &Serial));
        found.sort_unstable();
        expected.sort_unstable();
        assert!(found == expected);
    }
}

#[test]
fn what_cannot_be_written_is_told() {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("sheep", 1.0))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let sheep = Aabb::from_center([0.0; 2], [0.5; 2]).unwrap();
    let ids = world.insert_batch([Proxy::moving(sheep); 3]).ids;
    let before = world.clone();
    let mut boxes = world.aabbs_mut(category(0)).unwrap();
    assert_eq!((boxes.len(), boxes.is_empty()), (3, false));
    assert_eq!(
        format!("{boxes:?}"),
        r#"AabbsMut { category: "sheep", rows: 3, .. }"#
    );
    let said = |written: Result<AabbFill, ColumnError>| written.unwrap_err().to_string();
    let two_for_three =
        "category \"sheep\": 2 boxes were given for 3 rows; there must be one for each row";
    assert_eq!(said(boxes.fill_from(&[sheep; 2])), two_for_three);
    assert_eq!(said(boxes.set_rows_from(&[0], &[sheep; 2])), two_for_three);
    assert_eq!(
        said(boxes.set_rows(&[0, 1], &[sheep])),
        "category \"sheep\": 1 boxes were given for 2 rows; there must be one for each row"
    );
    let points = [[0.0; 2]; 3];
    assert_eq!(
        said(boxes.fill_from_centers(&points, &points[..2])),
        "category \"sheep\": 2 half extents were given for 3 rows; there must be one for each row"
    );
    assert_eq!(
        said(boxes.fill_from_centers(&points[..2], &points)),
        "category \"sheep\": 2 points were given for 3 rows; there must be one for each row"
    );
    let three = [&[0.0; 3][..]; 2];
    assert_eq!(
        said(boxes.fill_from_columns(three, [&[0.0; 3], &[0.0; 4]])),
        "category \"sheep\": 4 half extents were given for 3 rows; there must be one for each row"
    );
    assert_eq!(
        said(boxes.fill_from_columns([&[0.0; 3], &[0.0; 2]], three)),
        "category \"sheep\": 3 xs and 2 ys were given for 3 rows; all three must be equal"
    );
    let no_such_row =
        "category \"sheep\": row 3 is not one of the 3 rows there are, counted from 0";
    assert_eq!(said(boxes.set_rows(&[1, 3], &[sheep; 2])), no_such_row);
    assert_eq!(said(boxes.set_rows_from(&[1, 3], &[sheep; 3])), no_such_row);
    let refused = world.aabbs_mut(category(1)).unwrap_err().to_string();
    assert!(refused.contains("\"walls\" is scenery"), "{refused}");

    // None of them fits, each for a reason of its own.
    let id = |row: usize| ids[row].unwrap();
    let corners = [
        ([0.0, 0.0], [f32::NAN, 1.0]),
        ([0.0, 0.0], [-1.0, 1.0]),
        ([0.0, 0.0], [9.0, 1.0]),
    ];
    let fill = world
        .aabbs_mut(category(0))
        .unwrap()
        .fill_from(&corners)
        .unwrap();
    assert_eq!(fill.migrated, []);
    let said: Vec<_> = fill
        .refused
        .iter()
        .map(|(row, problem)| format!("{row}: {problem}"))
        .collect();
    assert!(
        said[0].starts_with(&format!("0: {:?} stays as it was: ", id(0))),
        "{said:?}"
    );
    assert!(said[0].contains("NaN"), "{said:?}");
    assert!(
        said[1].starts_with(&format!("1: {:?} stays as it was: ", id(1))),
        "{said:?}"
    );
    assert_eq!(
        fill.refused[2].1,
        world
            .set_aabb(id(2), Aabb::new([0.0; 2], [9.0, 1.0]).unwrap())
            .unwrap_err()
    );
    for id in ids.into_iter().flatten() {
        assert_eq!(world.get(id), before.get(id));
    }
}
