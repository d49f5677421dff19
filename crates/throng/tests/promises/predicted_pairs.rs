//! Promise: pairs that will overlap come after those that do, each once, and change nothing about those: not their order, their
//! events or who rests. (That all are found, in every structure, is tested with all worlds: see `common/worlds.rs`.)

use crate::common::{Threads, category, ordered_pairs_and_predicted};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, ColumnError, ConfigProblem,
    CountPairs, Fill, Narrowphase, PairBatch, PairData, PairList, Proxy, ProxyError, ProxyId,
    ProxyView, Resting, RowOrder, Serial, StaleIndex,
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

#[test]
fn a_velocity_may_come_with_the_proxy() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    row_of(&mut world, 3);
    let fast = world.insert(unit(-9.0).velocity([7.0, 0.0])).unwrap();
    assert_eq!(world.velocity(fast), Ok([7.0, 0.0]));
    assert_eq!(rows(&mut world), [vec![], vec![[0, 3]]]);
    // Queued, and in a batch in which another is refused.
    world.sender().insert(unit(-20.0).velocity([9.0, 0.0]));
    let all = [f32::NAN, 2.0].map(|speed| unit(100.0).velocity([speed, 0.0]));
    let batch = world.insert_batch(all);
    assert_eq!((batch.refused.len(), batch.refused[0].0), (1, 0));
    let [overlapping, mut predicted] = rows(&mut world);
    predicted.sort_unstable();
    assert_eq!((overlapping.len(), predicted), (0, vec![[0, 3], [3, 5]]));
    assert!(world.validate().is_ok());
}

#[test]
fn a_velocity_is_kept_until_it_is_set_again_and_goes_along() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0),
        CategoryConfig::oversized("giants"),
        CategoryConfig::scenery("walls"),
    ]);
    let ids = row_of(&mut world, 3);
    assert_eq!(world.velocities(category(0)), None);
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    velocities.set(2, [-0.5, 0.0]).unwrap();
    assert!(matches!(
        velocities.set(3, [0.0; 2]),
        Err(ColumnError::NoSuchRow { row: 3, .. })
    ));
    let not_finite = velocities.set(1, [f32::NAN, 0.0]).unwrap_err();
    assert!(matches!(
        not_finite,
        ColumnError::VelocityNotFinite { row: 1, .. }
    ));
    let message = not_finite.to_string();
    assert!(message.contains("velocity [NaN, 0.0]") && message.contains("row 1"));
    let (columns, points) = ([[9.0, 0.5, 9.0], [0.25; 3]], [[1.0, 2.0]; 3]);
    let [xs, ys] = &columns;
    assert_eq!(velocities.set_rows_from(&[1], xs, ys).unwrap().rejected, 0);
    assert!(matches!(
        velocities.set_rows_from(&[1], &xs[1..], ys),
        Err(ColumnError::LengthMismatch { .. })
    ));
    assert!(matches!(
        velocities.set_rows_from_points(&[3], &points),
        Err(ColumnError::NoSuchRow { row: 3, .. })
    ));
    assert!(matches!(
        velocities.set_rows_from_points(&[0], &points[1..]),
        Err(ColumnError::PointsMismatch { .. })
    ));
    let fill = velocities.set_rows_from_points(&[0], &points).unwrap();
    assert_eq!(fill.rejected, 0);
    let fill = velocities.set_rows_with(&[1], |row| [0.5 * row as f32, 0.25]);
    assert_eq!(fill.unwrap().rejected, 0);
    assert!(matches!(
        velocities.set_rows_with(&[0, 3], |row| -> [f32; 2] { panic!("{row}") }),
        Err(ColumnError::NoSuchRow { row: 3, .. })
    ));
    let all = [[1.0, 2.0], [0.5, 0.25], [-0.5, 0.0]];
    assert_eq!(world.velocities(category(0)), Some(&all[..]));
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    let fill = velocities.fill_with(|row| [row as f32, 4.0 / row as f32]);
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(0)));
    let asked = [[1.0, 2.0], [1.0, 4.0], [2.0, 2.0]];
    assert_eq!(world.velocities(category(0)), Some(&asked[..]));
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    let fill = velocities.fill_with(|row| all[row as usize]);
    assert_eq!(fill, Fill::default());
    let mut velocities = world.velocities_mut(category(0)).unwrap();
    velocities.set(0, [0.0; 2]).unwrap();
    velocities.set(1, [0.0; 2]).unwrap();
    let all = [[0.0; 2], [0.0; 2], [-0.5, 0.0]];
    assert_eq!(world.velocities(category(0)), Some(&all[..]));
    assert_eq!([0; 3].map(|_| rows(&mut world)[1].len()), [1; 3]);

    // To another row, another category, under another config, and in another order.
    world.remove(ids[0]).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 1]]);
    world.set_category(ids[2], Some(category(1))).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 0]]);
    world.reconfigure(world.config().clone()).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 0]]);
    world.sort_rows(category(1), RowOrder::Space).unwrap();
    assert_eq!(rows(&mut world)[1], [[0, 0]]);
    assert_eq!(world.velocity(ids[2]), Ok([-0.5, 0.0]));

    // Whoever becomes a wall stands still.
    world.set_category(ids[2], Some(category(2))).unwrap();
    assert_eq!(world.velocity(ids[2]), Ok([0.0; 2]));
    assert_eq!(rows(&mut world)[1], [[0; 2]; 0]);
}

#[test]
fn sorted_rows_keep_their_velocities() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    for k in [3, 1, 0, 2] {
        let id = world.insert(unit(k as f32 * 2.5).key(k)).unwrap();
        world
            .set_velocity(id, [if k == 0 { 0.5 } else { 0.0 }, 0.0])
            .unwrap();
    }
    assert_eq!(rows(&mut world)[1], [[1, 2]]);
    world.sort_rows(category(0), RowOrder::Key).unwrap();
    let plan = world.plan().unwrap();
    let predicted = (0..plan.chunks()).filter(|&chunk| plan.is_predicted(chunk) == Some(true));
    let lists = predicted.map(|chunk| {
        let mut list = PairList::default();
        plan.collide(chunk, &CollectPairs, &mut (), &mut list);
        list.pairs().to_vec()
    });
    assert_eq!(
        lists.flatten().collect::<Vec<_>>(),
        [[0, 1]],
        "also before the next step"
    );
    assert_eq!(rows(&mut world)[1], [[0, 1]]);
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
fn what_is_wrong_is_said() {
    let mut world = world_of([
        CategoryConfig::uniform("units", 1.0),
        CategoryConfig::scenery("walls"),
    ]);
    let ids = row_of(&mut world, 2);
    let wall = Aabb::new([50.0, 0.0], [51.0, 1.0]).unwrap();
    let wall = world.insert(Proxy::fixed(wall)).unwrap();
    world.set_velocity(ids[0], [1.0, 2.0]).unwrap();

    let refused = world.set_velocity(ids[0], [f32::NAN, 0.0]).unwrap_err();
    let message = refused.to_string();
    assert!(
        message.starts_with("the velocity [NaN, 0.0] is not finite"),
        "{message}"
    );
    assert!(message.ends_with("keeps the one it has"), "{message}");
    let refused = world.set_velocity(wall, [0.0; 2]).unwrap_err();
    assert_eq!(refused, ProxyError::NeverMoves { id: wall });
    assert!(
        refused
            .to_string()
            .contains("is scenery, which has no velocity"),
        "{refused}"
    );
    let refused = world.velocities_mut(category(1)).unwrap_err();
    assert!(
        refused.to_string().contains("\"walls\" is scenery"),
        "{refused}"
    );
    assert!(matches!(
        world.velocities_mut(category(2)),
        Err(ColumnError::UnknownCategory(_))
    ));

    let mut velocities = world.velocities_mut(category(0)).unwrap();
    assert_eq!((velocities.len(), velocities.is_empty()), (2, false));
    let short = velocities.fill_from(&[1.0], &[1.0, 2.0]).unwrap_err();
    assert!(
        short
            .to_string()
            .contains("1 xs and 2 ys were given for 2 rows"),
        "{short}"
    );
    let short = velocities.fill_from_points(&[[1.0; 2]]).unwrap_err();
    assert!(
        short.to_string().contains("1 points were given for 2 rows"),
        "{short}"
    );
    let beyond = velocities
        .set_rows(&[0, 2], &[5.0; 2], &[5.0; 2])
        .unwrap_err();
    assert!(
        beyond
            .to_string()
            .contains("row 2 is not one of the 2 rows"),
        "{beyond}"
    );
    let short = velocities.set_rows(&[0], &[5.0; 2], &[5.0]).unwrap_err();
    assert!(short.to_string().contains("for 1 rows"), "{short}");
    let fill = velocities
        .fill_from_points(&[[f32::INFINITY, 0.0], [3.0, 4.0]])
        .unwrap();
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(0)));
    let fill = velocities
        .set_rows(&[1, 1], &[6.0, f32::NAN], &[7.0; 2])
        .unwrap();
    assert_eq!((fill.rejected, fill.first_rejected), (1, Some(1)));
    let kept = for_both(|k| world.velocity(ids[k]).unwrap());
    assert_eq!(kept, [[1.0, 2.0], [6.0, 7.0]]);
    world.remove(ids[0]).unwrap();
    assert!(matches!(
        world.velocity(ids[0]),
        Err(ProxyError::Stale { .. })
    ));
    assert!(matches!(
        world.set_velocity(ids[0], [0.0; 2]),
        Err(ProxyError::Stale { .. })
    ));
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

/// Pairs by margins are right while rows come, go, grow, move and rest, and an index is kept from step to step.
#[test]
fn margins_are_kept_through_everything() {
    const MARGIN: f32 = 0.3;
    let units = || CategoryConfig::uniform("units", 1.0).margin(MARGIN);
    let alike = units().coarse();
    for (units, sizes) in [
        (alike.clone(), [1.0, 1.0]),
        (alike.rests_after(2), [1.0, 1.0]),
        (units(), [0.25, 1.0]),
        (units().rests_after(2), [0.25, 1.0]),
    ] {
        let rests = units.rests != Resting::Never;
        let mut world = world_of([units, CategoryConfig::uniform("others", 0.5)]);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let proxy = |random: &mut Pcg64Mcg| {
            let half = [0; 2].map(|_| random.random_range(sizes[0]..=sizes[1]));
            let place = [0; 2].map(|_| random.random_range(0.0..60.0));
            Proxy::centered(place, half).unwrap()
        };
        let mut ids = world.insert_batch((0..500).map(|_| proxy(&mut random))).ids;
        for _ in 0..50 {
            let place = [0; 2].map(|_| random.random_range(0.0..60.0));
            let other = Proxy::centered(place, [0.5; 2]).unwrap();
            world.insert(other.in_category(category(1))).unwrap();
        }
        let (mut refitted, mut found) = (0, 0);
        for step in 0..90 {
            // Everybody moves for a while, then ever fewer.
            let moving = if step % 30 < 15 { 1.0 } else { 0.3 };
            for id in ids.iter().flatten() {
                if random.random_range(0.0..1.0) < moving {
                    let [x, y] = world.get(*id).unwrap().center;
                    let by = [0; 2].map(|_| random.random_range(-0.05..0.05));
                    world.set_center(*id, [x + by[0], y + by[1]]).unwrap();
                }
            }
            if step % 3 == 0 {
                for _ in 0..3 {
                    let at = random.random_range(0..ids.len());
                    world.remove(ids[at].unwrap()).unwrap();
                    ids[at] = Some(world.insert(proxy(&mut random)).unwrap());
                }
                let id = ids[0].unwrap();
                let is_enabled = world.is_enabled(id).unwrap();
                world.set_enabled(id, !is_enabled).unwrap();
                let aabb = proxy(&mut random).aabb();
                world.set_aabb(ids[1].unwrap(), aabb).unwrap();
            }
            if step == 40 {
                world.sort_rows(category(0), RowOrder::Space).unwrap();
            }
            let [overlapping, mut predicted] = ordered_pairs_and_predicted(&mut world, &Serial);
            world.validate().unwrap();
            refitted += u32::from(world.report().categories[0].refitted);
            let awake: Vec<_> = world.awake_rows(category(0)).collect();
            let boxes = |of: usize| {
                let margin = |row: u32| {
                    let looks = of == 0 && awake.binary_search(&row).is_ok();
                    if looks { MARGIN } else { 0.0 }
                };
                let rows = world.proxies(category(of)).map(|id| world.get(id).unwrap());
                let here = rows.filter(|view| view.enabled);
                here.map(|view| (view, margin(view.row)))
                    .collect::<Vec<_>>()
            };
            let [units, others] = [0, 1].map(boxes);
            let wide = |view: &ProxyView, margin: f32| {
                let half = view.half_extents.map(|half| half + margin);
                Aabb::from_center(view.center, half).unwrap()
            };
            let mut expected = vec![];
            for (k, (a, of_a)) in units.iter().enumerate() {
                for (b, of_b) in units[k + 1..].iter().chain(&others) {
                    if !a.aabb.overlaps(&b.aabb) && wide(a, *of_a).overlaps(&wide(b, *of_b)) {
                        expected.push(([a.category, b.category], [a.row, b.row]));
                    }
                }
            }
            assert!(!overlapping.is_empty());
            found += expected.len();
            predicted.sort_unstable();
            expected.sort_unstable();
            assert_eq!(predicted, expected, "step {step}");
        }
        assert!(found > 5000, "{found}");
        assert!(rests || refitted > 30, "{refitted}");
    }
}

/// Where something is, its half extents, the margin of its category, and its velocity.
type Ahead = ([f32; 2], [f32; 2], f32, [f32; 2]);

/// The box of something, and the one along its way.
fn boxes_of((center, half, margin, velocity): Ahead) -> [Aabb; 2] {
    let around = |half: [f32; 2], velocity: [f32; 2]| {
        let min = for_both(|k| center[k] - half[k] + velocity[k].min(0.0));
        let max = for_both(|k| center[k] + half[k] + velocity[k].max(0.0));
        Aabb::new(min, max).unwrap()
    };
    [
        around(half, [0.0; 2]),
        around(half.map(|half| half + margin), velocity),
    ]
}

/// Checks the predicted pairs of a world of two categories, of which the second has fewer, with brute force: on one thread and on
/// several, with all instruction sets.
fn check(configs: [CategoryConfig; 2], things: [&[Ahead]; 2], what: &str) {
    let boxes = things.map(|things| things.iter().map(|&ahead| boxes_of(ahead)));
    let boxes = boxes.map(Iterator::collect::<Vec<[Aabb; 2]>>);
    let is_one = |a: &[Aabb; 2], b: &[Aabb; 2]| a[1].overlaps(&b[1]) && !a[0].overlaps(&b[0]);
    let mut expected = Vec::new();
    // Those of the first category among each other, by where they begin.
    let mut order: Vec<usize> = (0..boxes[0].len()).collect();
    order.sort_by(|&a, &b| boxes[0][a][1].min()[0].total_cmp(&boxes[0][b][1].min()[0]));
    for (at, &a) in order.iter().enumerate() {
        let reach = boxes[0][a][1].max()[0];
        let ahead = order[at + 1..].iter();
        for &b in ahead.take_while(|&&b| boxes[0][b][1].min()[0] <= reach) {
            if is_one(&boxes[0][a], &boxes[0][b]) {
                expected.push((0, [a.min(b) as u32, a.max(b) as u32]));
            }
        }
    }
    for (b, second) in boxes[1].iter().enumerate() {
        let rows = |first: &[[Aabb; 2]], of: u32| -> Vec<(u32, [u32; 2])> {
            let hits = first
                .iter()
                .enumerate()
                .filter(|(_, first)| is_one(first, second));
            hits.map(|(a, _)| (of, [a as u32, b as u32])).collect()
        };
        expected.extend(rows(&boxes[0], 1));
        expected.extend(rows(&boxes[1][..b], 2));
    }
    expected.sort_unstable();

    let mut first: Option<Vec<_>> = None;
    for &level in throng::SimdLevel::available() {
        let config = configs
            .iter()
            .cloned()
            .fold(BroadphaseConfig::new(), BroadphaseConfig::category);
        let mut world = Broadphase::new(config.simd(level)).unwrap();
        for (k, things) in things.iter().enumerate() {
            for &(center, half, _, velocity) in *things {
                let proxy = Proxy::centered(center, half).unwrap();
                let id = world.insert(proxy.in_category(category(k))).unwrap();
                world.set_velocity(id, velocity).unwrap();
            }
        }
        for threads in [1, 3] {
            let [_, found] = ordered_pairs_and_predicted(&mut world, &Threads(threads));
            let mut in_order: Vec<_> = (found.iter())
                .map(|&([a, b], rows)| ((a.index() + b.index()) as u32, rows))
                .collect();
            in_order.sort_unstable();
            assert!(
                in_order == expected,
                "{what}, {level}: {} of {}",
                in_order.len(),
                expected.len()
            );
            let first = first.get_or_insert_with(|| found.clone());
            assert!(*first == found, "{what}, {level}: another order");
        }
    }
}

/// Any number from 0 to 1, another one for each.
fn dice(k: usize) -> f32 {
    let mixed = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f32 / (1 << 24) as f32
}

/// Some things of one size in a square, `apart` from each other, moved by up to a quarter of that, with velocities up to a speed.
fn crowd(count: usize, apart: f32, from: [f32; 2], margin: f32, speed: f32) -> Vec<Ahead> {
    let side = (count as f32).sqrt().ceil() as usize;
    let thing = |k: usize| {
        let place = [k % side, k / side];
        let center =
            for_both(|axis| from[axis] + apart * (place[axis] as f32 + dice(2 * k + axis) / 4.0));
        let velocity = for_both(|axis| speed * (2.0 * dice(7 * k + axis + 3) - 1.0));
        (center, [0.5; 2], margin, velocity)
    };
    (0..count).map(thing).collect()
}

#[test]
fn few_among_many_find_all() {
    let units = |margin: f32| CategoryConfig::uniform("units", 0.5).margin(margin);
    let few = |margin: f32| CategoryConfig::uniform("few", 0.5).margin(margin);
    let giants = CategoryConfig::oversized("few").margin(0.25);
    let wide = |mut all: Vec<Ahead>, half: f32| {
        all.iter_mut().for_each(|thing| thing.1 = [half; 2]);
        all
    };
    for (a, b) in [(0.3, 0.3), (0.3, 0.0), (0.0, 0.3)] {
        let many = crowd(6000, 1.3, [0.0; 2], a, 0.0);
        for count in [2, 20] {
            let some = crowd(count, 19.0, [0.6; 2], b, 0.0);
            check([units(a), few(b)], [&many, &some], "points among points");
        }
        // Those go far, and are boxes among points: few that are small, and one that is large, too.
        let mut fast = crowd(20, 19.0, [0.6; 2], b, 6.0);
        check([units(a), few(b)], [&many, &fast], "fast ones among points");
        fast[3].3 = [70.0, -80.0];
        check([units(a), few(b)], [&many, &fast], "a very fast one");
        let large = wide(crowd(12, 19.0, [0.6; 2], 0.25, 0.0), 3.0);
        check(
            [units(a), giants.clone()],
            [&many, &large],
            "giants among points",
        );
    }
}

#[test]
fn who_is_fastest_may_be_in_any_task() {
    // So many rows that several tasks look at them.
    let slow = crowd(40_000, 1.5, [0.0; 2], 0.0, 0.01);
    let units = CategoryConfig::uniform("units", 0.5);
    let others = CategoryConfig::uniform("others", 0.5);
    for place in [5, 20_000, 39_990] {
        for (fast, speed) in [("slow", 0.3), ("fast", 40.0)] {
            let mut all = slow.clone();
            all[place].3 = [0.0, speed];
            all[place + 1].3 = [speed, 0.02];
            check(
                [units.clone(), others.clone()],
                [&all, &[]],
                &format!("{fast} at {place}"),
            );
        }
    }
}

#[test]
fn a_velocity_counts_however_small_it_is() {
    let tiny = 2.0_f32.powi(-25);
    let units = CategoryConfig::uniform("units", 0.5).margin(0.5);
    let mut all = crowd(50, 1.25, [10.0, 0.0], 0.5, 0.0);
    // With the margin it ends at 0, and with the velocity before it.
    all[0] = ([1.0, 0.0], [0.5; 2], 0.5, [-tiny, 0.0]);
    let boxes = [([-tiny, 0.0], [tiny / 2.0, 0.5], 0.0, [0.0; 2])];
    check(
        [units, CategoryConfig::oversized("boxes")],
        [&all, &boxes],
        "tiny",
    );
    let sides = boxes_of(boxes[0]).map(|aabb| aabb.max()[0]);
    assert_eq!(
        (sides[0], boxes_of(all[0])[1].min()[0]),
        (-tiny / 2.0, -tiny)
    );
}

#[test]
fn all_are_found_far_from_the_origin_where_sides_are_rounded() {
    for scale in [1e3, 1e5, 3e6] {
        for from in [[scale, -scale], [-scale, 0.0]] {
            let (margin, speed) = (0.013, 0.21);
            let many = crowd(1500, 1.2, from, margin, speed);
            let some = crowd(300, 2.5, from, 0.0, 0.0);
            let units = CategoryConfig::uniform("units", 0.5).margin(margin);
            let what = format!("at {from:?}");
            check(
                [units, CategoryConfig::uniform("others", 0.5)],
                [&many, &some],
                &what,
            );
        }
    }
}

/// One that is fast, in a category in which nobody else looks ahead, among those of another that are slow.
#[test]
fn who_is_met_by_its_swept_box_is_met_once() {
    let mut few = crowd(900, 1.4, [0.0; 2], 0.0, 0.0);
    few[450].3 = [9.0, 3.0];
    few[451].3 = [-0.2, 0.1];
    let slow = crowd(900, 1.4, [0.3, 0.7], 0.0, 0.3);
    for [a, b] in [[&few, &slow], [&slow, &few]] {
        let configs = ["some", "others"].map(|name| CategoryConfig::uniform(name, 0.5));
        check(configs, [a, b], "one that is fast");
    }
}

/// More and more wake up; of those that rest, some have a velocity, with which they reach others that rest.
#[test]
fn rows_that_rest_are_met_by_those_that_look_ahead() {
    let units = CategoryConfig::uniform("units", 0.5)
        .margin(0.3)
        .rests_when_told();
    let mut world = world_of([units]);
    let mut all = crowd(2000, 1.3, [0.0; 2], 0.0, 0.0);
    let mut ids = Vec::new();
    for (row, (center, half, _, velocity)) in all.iter_mut().enumerate() {
        ids.push(
            world
                .insert(Proxy::centered(*center, *half).unwrap())
                .unwrap(),
        );
        if row > 700 && row % 100 == 91 {
            // Slow enough to be met where they are, if they were awake.
            *velocity = [0.15, -0.1];
            world.set_velocity(ids[row], *velocity).unwrap();
        }
        world.set_resting(ids[row], true).unwrap();
    }
    world.step_pairs();
    let mut awake = 0;
    for more in [0, 20, 460, 180, 560, 770] {
        for row in awake..awake + more {
            all[row].2 = 0.3;
            world.set_resting(ids[row], false).unwrap();
        }
        awake += more;
        let boxes: Vec<[Aabb; 2]> = all.iter().map(|&ahead| boxes_of(ahead)).collect();
        let mut expected = Vec::new();
        for a in 0..all.len() {
            for b in a + 1..all.len() {
                if boxes[a][1].overlaps(&boxes[b][1]) && !boxes[a][0].overlaps(&boxes[b][0]) {
                    expected.push([a as u32, b as u32]);
                }
            }
        }
        let is_of_two_at_rest = |pair: &&[u32; 2]| pair[0] as usize >= awake;
        let at_rest = expected.iter().filter(is_of_two_at_rest).count();
        assert!(at_rest > 0 || awake > 1500);
        for _ in 0..2 {
            let [_, mut found] = rows(&mut world);
            found.sort_unstable();
            assert!(
                found == expected,
                "{awake}: {} of {}",
                found.len(),
                expected.len()
            );
        }
    }
}

#[test]
fn a_column_of_velocities_makes_a_plan_stale_if_any_differs() {
    let mut world = world_of([CategoryConfig::uniform("units", 1.0)]);
    row_of(&mut world, 3);
    let fill = |world: &mut Broadphase, xs: [f32; 3], ys: [f32; 3]| {
        let mut velocities = world.velocities_mut(category(0)).unwrap();
        velocities.fill_from(&xs, &ys).unwrap().rejected
    };
    for (xs, ys, differ) in [
        ([0.0; 3], [0.0; 3], false),
        ([0.0, 0.5, 0.0], [0.0; 3], true),
        ([0.0, 0.5, 0.0], [0.0; 3], false),
        ([0.0, 0.5, 0.0], [0.0, 0.0, 0.25], true),
        ([f32::NAN, 0.5, 0.0], [0.0, f32::INFINITY, 0.25], false),
        ([0.0; 3], [0.0, 0.0, 0.25], true),
        ([0.0; 3], [0.0; 3], true),
    ] {
        world.refresh();
        let plan = world.plan().unwrap();
        let was_predicted = (0..plan.chunks()).any(|chunk| plan.is_predicted(chunk) == Some(true));
        let rejected = fill(&mut world, xs, ys);
        let bad = xs
            .iter()
            .zip(&ys)
            .filter(|(x, y)| !x.is_finite() || !y.is_finite());
        assert_eq!(rejected, bad.count());
        let is_stale = world.plan().is_err();
        assert_eq!(is_stale, differ && was_predicted, "{xs:?} {ys:?}");
    }
}
