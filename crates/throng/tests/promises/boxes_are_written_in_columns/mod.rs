//! Promise: a column of boxes does what a `set_aabb` of each proxy does, in the order of rows.

mod refusals;
mod sizes;
mod tasks;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, AabbError, AabbFill, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId,
    DoubleGridConfig, Executor, LooseQuadtreeConfig, Placement, Proxy, ProxyError, ProxyId, Row,
    Serial, SimdLevel, StripsConfig,
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

/// The box that is described, or what is wrong with it.
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
