//! Promise: pairs that will overlap come after those that do, each once, and change nothing about those: not their order, their
//! events or who rests. (That all are found, in every structure, is tested with all worlds: see `common/worlds.rs`.)

mod all_are_found;
mod velocities;

use crate::common::{Threads, category, ordered_pairs_and_predicted};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, ConfigProblem, CountPairs,
    Narrowphase, PairBatch, PairData, PairList, Proxy, ProxyId, RowOrder, Serial, StaleIndex,
};
use throng_core::for_both;

fn world_of(categories: impl IntoIterator<Item = CategoryConfig>) -> Broadphase {
    let config = categories
        .into_iter()
        .fold(BroadphaseConfig::new(), BroadphaseConfig::category);
    Broadphase::new(config).unwrap()
}

fn unit(x: f32) -> Proxy {
    Proxy::centered([x, 0.0], [1.0; 2]).unwrap()
}

/// A row of units whose gaps are half a unit wide.
fn row_of(world: &mut Broadphase, units: usize) -> Vec<ProxyId> {
    let all = world.insert_batch((0..units).map(|k| unit(k as f32 * 2.5)));
    all.ids.into_iter().flatten().collect()
}

fn rows(world: &mut Broadphase) -> [Vec<[u32; 2]>; 2] {
    let found = ordered_pairs_and_predicted(world, &Serial);
    found.map(|pairs| pairs.into_iter().map(|(_, rows)| rows).collect())
}

#[test]
fn margins_add_up_and_touching_counts() {
    for (margin, expected) in [(0.25, 3), (0.249, 0), (1.0, 3), (1.5, 5)] {
        let mut world = world_of([CategoryConfig::uniform("units", 1.0).margin(margin)]);
        row_of(&mut world, 4);
        let [overlapping, predicted] = rows(&mut world);
        assert_eq!(
            (overlapping.len(), predicted.len()),
            (0, expected),
            "{margin}"
        );
    }
}

#[test]
fn one_that_is_fast_meets_all_on_its_way_and_is_met_on_theirs() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0).coarse(),
        CategoryConfig::scenery("walls"),
    ]);
    let ids = row_of(&mut world, 5);
    let wall = Aabb::new([50.0, -100.0], [51.0, 100.0]).unwrap();
    world.insert(Proxy::fixed(wall)).unwrap();
    world.set_velocity(ids[0], [1e6, 0.0]).unwrap();
    let [overlapping, mut predicted] = rows(&mut world);
    predicted.sort_unstable();
    assert_eq!(overlapping, [[0; 2]; 0]);
    // The four others, and the wall.
    assert_eq!(predicted, [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4]]);

    // Two that are far from each other meet between them.
    world.set_velocity(ids[0], [0.0, 20.0]).unwrap();
    let there = Proxy::centered([0.0, 39.0], [1.0; 2]).unwrap();
    let there = world.insert(there).unwrap();
    assert_eq!(rows(&mut world)[1], [[0; 2]; 0]);
    world.set_velocity(there, [0.0, -17.0]).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 5]]);

    // As far as a number goes, and no farther.
    world.set_velocity(there, [f32::MAX, f32::MIN]).unwrap();
    world.set_center(there, [f32::MAX, f32::MIN]).unwrap();
    assert_eq!(rows(&mut world)[1], [[0; 2]; 0]);
}

/// Pairs of two categories in both orders, from batches of any kind.
#[test]
fn a_batch_has_the_row_of_either_category_first() {
    struct Both;
    impl Narrowphase for Both {
        type Scratch = ();
        type Output = Vec<(bool, [Vec<[u32; 2]>; 3])>;

        fn collide(&self, batch: PairBatch<'_>, _: &mut (), found: &mut Self::Output) {
            let between = |a, b| {
                let pairs = batch.between(category(a), category(b));
                pairs.into_iter().flatten().collect::<Vec<_>>()
            };
            found.push((
                batch.is_predicted(),
                [between(0, 1), between(1, 0), between(0, 0)],
            ));
        }
    }
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0),
        CategoryConfig::oversized("giants"),
    ]);
    row_of(&mut world, 2);
    for x in [90.0, -3.5] {
        let giant = Proxy::centered([x, 0.0], [2.0; 2]).unwrap();
        world.insert(giant).unwrap();
    }
    world.insert(unit(-0.5)).unwrap();
    let ids: Vec<_> = world.proxies(category(0)).collect();
    world.set_velocity(ids[0], [-1.0, 0.0]).unwrap();
    let step = world.step(&Both);
    let found: Vec<_> = step.outputs().flatten().cloned().collect();
    assert_eq!(
        found,
        [
            (false, [vec![], vec![], vec![[0, 2]]]),
            (false, [vec![[2, 1]], vec![[1, 2]], vec![]]),
            (true, [vec![[0, 1]], vec![[1, 0]], vec![]]),
        ]
    );
}

/// Masks, owners, exclusions, categories that do not meet, and who is disabled.
#[test]
fn whoever_may_not_pair_is_not_predicted_to() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0).margin(1.0),
        CategoryConfig::oversized("ghosts")
            .meets_nothing()
            .margin(9.0),
    ]);
    let ids = row_of(&mut world, 2);
    world.insert(unit(1.0).in_category(category(1))).unwrap();
    let count = |world: &mut Broadphase| rows(world)[1].len();
    assert_eq!(count(&mut world), 1);
    world.exclude_pair(ids[0], ids[1]).unwrap();
    assert_eq!(count(&mut world), 0);
    world.include_pair(ids[0], ids[1]).unwrap();
    assert_eq!(count(&mut world), 1);
    ids.iter().for_each(|&id| world.set_owner(id, 7).unwrap());
    assert_eq!(count(&mut world), 0);
    world.set_owner(ids[0], 8).unwrap();
    assert_eq!(count(&mut world), 1);
    world.set_masks(ids[0], throng::Masks::new(2, 2)).unwrap();
    assert_eq!(count(&mut world), 1);
    world.set_masks(ids[1], throng::Masks::new(1, 1)).unwrap();
    assert_eq!(count(&mut world), 0);
    world.set_masks(ids[1], throng::Masks::ALL).unwrap();
    assert_eq!(count(&mut world), 1);
    world.set_enabled(ids[1], false).unwrap();
    assert_eq!(count(&mut world), 0);
}

#[test]
fn events_and_rest_are_those_of_boxes() {
    let units = CategoryConfig::uniform("units", 1.0)
        .margin(1.0)
        .events()
        .rests_after(1);
    let mut world = world_of([units]);
    let ids = row_of(&mut world, 2);
    let look = |world: &mut Broadphase| {
        let step = world.step_pairs();
        let report = step.report();
        let events = [step.began().count(), step.ended().count()];
        (
            step.predicted_pairs().count(),
            report.pairs,
            events,
            report.resting,
        )
    };
    assert_eq!(look(&mut world), (1, 0, [0, 0], 0));
    assert_eq!(look(&mut world), (1, 0, [0, 0], 0));
    // Whoever rests has no margin: two that do are no pair.
    assert_eq!(look(&mut world), (0, 0, [0, 0], 2));
    assert!(world.resting_pairs().is_empty());
    assert!(world.report().predicted_meetings.is_empty(), "nobody looks");
    // One that is awake has its own.
    world.set_center(ids[1], [2.9, 0.0]).unwrap();
    assert_eq!(look(&mut world), (1, 0, [0, 0], 1));
    world.set_center(ids[1], [3.1, 0.0]).unwrap();
    assert_eq!(look(&mut world), (0, 0, [0, 0], 1));
    world.set_center(ids[1], [2.0, 0.0]).unwrap();
    assert_eq!(look(&mut world), (0, 1, [1, 0], 1));
    world.set_center(ids[1], [2.5, 0.0]).unwrap();
    assert_eq!(look(&mut world), (1, 0, [0, 1], 1));
    // A velocity counts even for one that rests, which it may be about to leave; both of these do.
    for _ in 0..3 {
        world.step_pairs();
    }
    world.set_velocity(ids[0], [1.0, 0.0]).unwrap();
    assert_eq!(look(&mut world), (1, 0, [0, 0], 2));
}

#[test]
fn sensors_see_nobody_ahead() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0).margin(1.0),
        CategoryConfig::scenery("traps").sensor(),
    ]);
    let ids = row_of(&mut world, 1);
    world.set_velocity(ids[0], [9.0, 0.0]).unwrap();
    let trap = Aabb::new([4.0, -1.0], [5.0, 1.0]).unwrap();
    world.insert(Proxy::fixed(trap)).unwrap();
    let step = world.step_pairs();
    let report = step.report();
    assert_eq!((report.predicted_pairs, report.sensor_pairs), (0, 0));
    assert_eq!(step.began().count(), 0);
}

/// Keeps what it has in hand of predicted pairs.
struct KeepPredicted;

impl Narrowphase for KeepPredicted {
    type Scratch = ();
    type Output = Vec<([f32; 2], [f32; 2])>;
    const PAIR_DATA: PairData = PairData::Boxes;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), kept: &mut Self::Output) {
        if batch.is_predicted() {
            let ([ax, bx], [aw, bw]) = (
                for_both(|side| batch.pair_centers(side)[0]),
                for_both(|side| batch.pair_half_extents(side)[0]),
            );
            let pairs = 0..batch.pairs().len();
            kept.extend(pairs.map(|k| ([ax[k], bx[k]], [aw[k], bw[k]])));
        }
    }
}

#[test]
fn values_in_hand_are_those_of_boxes() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0).margin(0.25)]);
    row_of(&mut world, 3);
    let kept: Vec<_> = world
        .step(&KeepPredicted)
        .outputs()
        .flatten()
        .copied()
        .collect();
    assert_eq!(kept, [([0.0, 2.5], [1.0; 2]), ([2.5, 5.0], [1.0; 2])]);
}

#[test]
fn a_limit_drops_predicted_pairs_first_and_events_are_whole() {
    let mut config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).margin(0.25).events());
    config.max_pairs = Some(10);
    let mut world = Broadphase::new(config).unwrap();
    let ids = row_of(&mut world, 30);
    world.set_center(ids[1], [1.0, 0.0]).unwrap();
    world.step_pairs();
    let step = world.step_pairs();
    let report = step.report();
    assert_eq!((report.pairs, report.predicted_pairs), (1, 0));
    let cut = report.cut.expect("there were more than ten");
    assert_eq!((cut.categories, cut.pairs), ([category(0); 2], 27));
    assert_eq!(
        [step.began().count(), step.ended().count()],
        [0, 0],
        "the pair goes on"
    );
    assert_eq!(step.outputs().filter(|list| list.is_predicted()).count(), 0);
}

#[test]
fn a_plan_wants_to_know_where_things_are() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    let ids = row_of(&mut world, 3);
    world.refresh();
    world.set_center(ids[0], [0.1, 0.0]).unwrap();
    assert!(world.plan().is_ok(), "nothing is predicted");
    world.set_velocity(ids[0], [1.0, 0.0]).unwrap();
    assert!(world.plan().is_ok(), "nor is it yet");
    world.refresh();
    let plan = world.plan().unwrap();
    let mut counts = vec![0; plan.chunks()];
    for (chunk, count) in counts.iter_mut().enumerate() {
        plan.collide(chunk, &CountPairs, &mut (), count);
    }
    assert_eq!(
        counts.iter().sum::<u64>(),
        0,
        "predicted pairs do not count"
    );
    let predicted = (0..plan.chunks()).filter(|&chunk| plan.is_predicted(chunk) == Some(true));
    let stats = predicted
        .map(|chunk| plan.collide(chunk, &CollectPairs, &mut (), &mut PairList::default()));
    assert_eq!(stats.map(|stats| stats.predicted_pairs).sum::<u64>(), 1);
    assert_eq!(plan.is_predicted(plan.chunks()), None);

    let writes: [&dyn Fn(&mut Broadphase); 5] = [
        &|world| world.set_center(ids[0], [0.2, 0.0]).unwrap(),
        &|world| world.set_velocity(ids[0], [2.0, 0.0]).unwrap(),
        &|world| {
            let mut centers = world.centers_mut(category(0)).unwrap();
            centers.set(1, [3.0, 0.0]).unwrap();
        },
        &|world| assert_eq!(world.centers_mut(category(0)).unwrap().chunks(2).len(), 2),
        &|world| {
            assert!(
                world
                    .set_aabb(ids[0], Aabb::new([-1.0; 2], [1.0; 2]).unwrap())
                    .is_ok()
            )
        },
    ];
    for write in writes {
        world.refresh();
        assert!(world.plan().is_ok());
        write(&mut world);
        assert_eq!(world.plan().err(), Some(StaleIndex::Moved));
    }
    // What is refused moves nothing.
    world.refresh();
    let mut centers = world.centers_mut(category(0)).unwrap();
    assert!(centers.fill_from(&[0.0; 2], &[0.0; 3]).is_err());
    assert!(centers.fill_from_points(&[[0.0; 2]; 4]).is_err());
    assert!(centers.set_rows(&[3], &[0.0], &[0.0]).is_err());
    assert!(centers.set(3, [0.0; 2]).is_err());
    assert!(centers.set(0, [f32::NAN, 0.0]).is_err());
    drop(centers);
    assert!(world.plan().is_ok());
}

#[test]
fn the_report_tells_of_them() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0).margin(0.25)]);
    let ids = row_of(&mut world, 5);
    world.set_velocity(ids[0], [0.1, 0.0]).unwrap();
    world.set_enabled(ids[4], false).unwrap();
    let step = world.step_pairs();
    let report = step.report();
    assert_eq!(report.predicted_meetings.len(), 1, "all look ahead");
    assert_eq!(report.predicted_meetings[0].stats.predicted_pairs, 3);
    assert_eq!(report.meetings[0].stats.predicted_pairs, 0);
    assert!(
        report
            .to_string()
            .contains("in 1 meetings, and 3 predicted"),
        "{report}"
    );
    let memory = &world.memory().categories[0];
    assert_eq!(memory.velocities % 8, 0);
    assert!(memory.velocities >= 40 && memory.swept >= 4 * 16);
    assert!(world.memory().to_string().contains("velocities"));
    world.remove(ids[4]).unwrap();
    world.clear();
    let nothing: [Vec<[u32; 2]>; 2] = Default::default();
    assert_eq!(rows(&mut world), nothing);
}

#[test]
fn margins_that_make_no_sense_are_refused() {
    let problem = |category: CategoryConfig| {
        let config = BroadphaseConfig::new().category(category);
        let problems = config.validate().unwrap_err().problems().to_vec();
        assert_eq!(problems.len(), 1);
        (problems[0].clone(), problems[0].to_string())
    };
    for given in [-0.5, f32::INFINITY, f32::NAN] {
        let (problem, message) = problem(CategoryConfig::uniform("units", 1.0).margin(given));
        assert!(matches!(problem, ConfigProblem::Margin { .. }));
        assert!(
            message.contains(&format!("a margin of {given}")),
            "{message}"
        );
    }
    let (problem_of_walls, message) = problem(CategoryConfig::scenery("walls").margin(1.0));
    assert!(
        matches!(problem_of_walls, ConfigProblem::MarginOfScenery { .. }),
        "{message}"
    );
    let (problem, message) = problem(CategoryConfig::oversized("traps").sensor().margin(1.0));
    assert!(
        matches!(problem, ConfigProblem::MarginOfSensor { .. }),
        "{message}"
    );
}

/// A limit that drops no pair that overlaps keeps nobody awake.
#[test]
fn whoever_is_due_comes_to_rest_when_predicted_pairs_are_dropped() {
    let units = CategoryConfig::uniform("units", 1.0).rests_after(2);
    let config = BroadphaseConfig::new().category(units).max_pairs(3);
    let mut world = Broadphase::new(config).unwrap();
    let ids = row_of(&mut world, 10);
    let moving = ids[9];
    for step in 0..6 {
        world
            .set_velocity(moving, [-40.0, 0.1 * step as f32])
            .unwrap();
        let report = world.step_pairs().report();
        assert!(report.cut.is_some());
    }
    assert_eq!(world.report().resting, 10);
}

/// Two worlds with the same contents have the same order once rows are sorted by key, whatever was before.
#[test]
fn sorting_by_key_forgets_what_was_before() {
    const ROWS: u64 = 3000;
    let place = |key: u64| [(key % 61) as f32 * 2.3, (key / 61) as f32 * 2.2];
    let mut worlds = [false, true].map(|with_a_past| {
        let mut world = world_of([CategoryConfig::uniform("units", 1.0).margin(0.2)]);
        let proxy = |key: u64| Proxy::centered(place(key), [1.0; 2]).unwrap().key(key);
        let ids = world.insert_batch((0..ROWS).map(proxy)).ids;
        if with_a_past {
            for spread in [900.0, 40.0, 7.0, 1.0] {
                for (key, id) in (0..).zip(&ids) {
                    let [x, y] = place(key);
                    world
                        .set_center(id.unwrap(), [x * spread, y / spread])
                        .unwrap();
                }
                world.step_pairs();
            }
        }
        world.sort_rows(category(0), RowOrder::Key).unwrap();
        world
    });
    let orders = worlds
        .each_mut()
        .map(|world| ordered_pairs_and_predicted(world, &Serial));
    assert!(orders[0][1].len() > 5000);
    assert!(orders[0] == orders[1]);
}

/// Many that look ahead, in several chunks, are the same on any number of threads, and so are few among many.
#[test]
fn the_same_on_any_number_of_threads() {
    for fast in [20_000, 40] {
        let mut world = world_of([
            CategoryConfig::uniform("units", 1.0),
            CategoryConfig::oversized("giants"),
        ]);
        let place = |k: u32| [(k % 141) as f32 * 2.3, (k / 141) as f32 * 2.4];
        let proxy = |k: u32| Proxy::centered(place(k), [1.0; 2]).unwrap();
        world.insert_batch((0..20_000).map(proxy));
        let giant = Proxy::centered([100.0; 2], [30.0; 2]).unwrap();
        world.insert(giant).unwrap();
        let speed = |row: usize| {
            if row.is_multiple_of(20_000 / fast) {
                0.4
            } else {
                0.0
            }
        };
        let speeds: Vec<f32> = (0..20_000).map(speed).collect();
        let mut velocities = world.velocities_mut(category(0)).unwrap();
        assert_eq!(velocities.fill_from(&speeds, &speeds).unwrap().rejected, 0);
        let first = ordered_pairs_and_predicted(&mut world, &Serial);
        assert!(first[1].len() > fast / 2);
        for threads in [2, 3, 8] {
            let again = ordered_pairs_and_predicted(&mut world, &Threads(threads));
            assert!(again == first, "another order on {threads} threads");
        }
    }
}
