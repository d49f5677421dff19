//! All that look ahead are found, by brute force: in crowds, among few, far out, at rest, and through everything that may happen to rows.

use super::{rows, world_of};
use crate::common::{Threads, category, ordered_pairs_and_predicted};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyView, Resting, RowOrder, Serial,
};
use throng_core::for_both;

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
