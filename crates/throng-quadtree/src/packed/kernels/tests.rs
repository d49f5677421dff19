//! Every kernel at every level against a naive one that finds the same in the same order.

use super::{Visit, closest, gather, touching_lanes, walk, walk_leaves, walk_probe};
use crate::packed::probes::{Distance, Entry, Inside, Probe};
use crate::packed::view::View;
use crate::packed::{PackedConfig, PackedQuadtree};
use proptest::prelude::*;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxRun, Boxes, ConvexPolygon, LANES, RayCast, Serial, Simd, SimdLevel,
};

fn coordinate() -> BoxedStrategy<f32> {
    (-160_i32..160).prop_map(|k| k as f32 / 4.0).boxed()
}

fn point() -> BoxedStrategy<[f32; 2]> {
    [coordinate(), coordinate()].boxed()
}

fn aabb() -> BoxedStrategy<Aabb> {
    let side = prop_oneof![9 => 0_i32..16, 1 => 0_i32..200].prop_map(|k| k as f32 / 4.0);
    let size = (side.clone(), side);
    (point(), size)
        .prop_map(|([x, y], (width, height))| Aabb::of_corners([x, y], [x + width, y + height]))
        .boxed()
}

/// Trees of up to five levels, with leaves that are not full.
fn tree() -> BoxedStrategy<PackedQuadtree> {
    let boxes = prop_oneof![
        prop::collection::vec(aabb(), 0..40),
        prop::collection::vec(aabb(), 0..700)
    ];
    let shape = (prop::sample::select(vec![1, 3, 16]), 0..4_usize);
    (boxes, shape)
        .prop_map(|(boxes, (leaf_size, max_depth))| {
            let side = |of: fn(&Aabb) -> f32| boxes.iter().map(of).collect::<Vec<_>>();
            let (min_x, min_y) = (side(|b| b.min()[0]), side(|b| b.min()[1]));
            let (max_x, max_y) = (side(|b| b.max()[0]), side(|b| b.max()[1]));
            let boxes =
                Boxes::new([&min_x, &min_y], [&max_x, &max_y]).expect("columns of one length");
            let config = PackedConfig::new()
                .leaf_size(leaf_size)
                .max_depth(max_depth);
            PackedQuadtree::build(boxes, config, &Serial).expect("a valid config")
        })
        .boxed()
}

fn at_every_level(mut check: impl FnMut(Simd)) {
    for &level in SimdLevel::available() {
        check(Simd::new(Some(level)).expect("an available level"));
    }
}

/// The slots of those boxes of which something is so.
fn slots(view: &View<'_>, is: impl Fn(&Aabb) -> bool) -> Vec<u32> {
    let slots = 0..(view.leaves.len() * LANES) as u32;
    let is = |slot: &u32| view.slot(*slot).is_some_and(|(_, aabb)| is(&aabb));
    slots.filter(is).collect()
}

/// All that is visited at every level is what is expected, and no more after a break.
fn check_visits(
    expected: &[u32],
    stop_at: usize,
    search: impl Fn(Simd, &mut Visit<'_>) -> ControlFlow<()>,
) {
    at_every_level(|simd| {
        let mut visited = Vec::new();
        let flow = search(simd, &mut |few| {
            assert!(!few.is_empty());
            visited.extend_from_slice(few);
            ControlFlow::Continue(())
        });
        assert_eq!((&visited[..], flow), (expected, ControlFlow::Continue(())));

        let mut visited = Vec::new();
        let flow = search(simd, &mut |few| {
            assert!(visited.len() < stop_at.max(1), "visited after a break");
            visited.extend_from_slice(few);
            if visited.len() < stop_at {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        assert!(expected.starts_with(&visited));
        assert!(flow.is_break() || visited == expected);
    });
}

/// The lanes of a block by key, then by place, each with all that is below it.
fn naive_closest(
    probe: &impl Probe,
    view: &View<'_>,
    level: usize,
    block: usize,
    limit: &mut f32,
    offer: &mut dyn FnMut(f32, u32) -> f32,
) {
    let keys = probe.keys(view.sides(level, block));
    let mut lanes: Vec<usize> = (0..LANES).filter(|&lane| !keys[lane].is_nan()).collect();
    lanes.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    for lane in lanes {
        let child = block * LANES + lane;
        if keys[lane] > *limit {
            return;
        }
        match level {
            0 => *limit = offer(keys[lane], child as u32),
            _ => naive_closest(probe, view, level - 1, child, limit, offer),
        }
    }
}

/// The same from the top: four blocks by their least key, then the next four.
fn naive_closest_from_the_top(
    probe: &impl Probe,
    view: &View<'_>,
    mut limit: f32,
    offer: &mut dyn FnMut(f32, u32) -> f32,
) {
    let Some(level) = view.levels.len().checked_sub(1) else {
        return;
    };
    let blocks: Vec<usize> = (0..view.levels.blocks(level)).collect();
    for few in blocks.chunks(4) {
        let least = |&block: &usize| {
            let keys = probe.keys(view.sides(level, block));
            let least = keys.into_iter().reduce(f32::min).expect("sixteen");
            (!least.is_nan()).then_some((least, block))
        };
        let mut met: Vec<(f32, usize)> = few.iter().filter_map(least).collect();
        met.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (key, block) in met {
            if key <= limit {
                naive_closest(probe, view, level, block, &mut limit, offer);
            }
        }
    }
}

/// What is offered to a search for the `most` + 1 least keys, none of them beyond `limit`.
fn offers(
    most: usize,
    limit: f32,
    search: impl FnOnce(&mut dyn FnMut(f32, u32) -> f32),
) -> Vec<(f32, u32)> {
    let mut offered: Vec<(f32, u32)> = Vec::new();
    search(&mut |key, slot| {
        offered.push((key, slot));
        let mut keys: Vec<f32> = offered.iter().map(|&(key, _)| key).collect();
        keys.sort_by(f32::total_cmp);
        keys.get(most).copied().unwrap_or(limit)
    });
    offered
}

fn check_closest(view: &View<'_>, probe: &impl Probe, most: usize, limit: f32) {
    let expected = offers(most, limit, |offer| {
        naive_closest_from_the_top(probe, view, limit, offer);
    });
    at_every_level(|simd| {
        let found = offers(most, limit, |offer| {
            closest(simd, view, probe, limit, offer);
        });
        assert_eq!(found, expected);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn walk_visits_what_touches_the_window(tree in tree(), window in aabb(), stop_at in 0..100_usize) {
        let (view, corners) = (tree.view(), [window.min(), window.max()]);
        let expected = slots(&view, |aabb| aabb.overlaps(&window));
        check_visits(&expected, stop_at, |simd, visit| walk(simd, &view, &corners, visit));
        for leaf in 0..view.leaves.len() {
            let sides = view.sides(0, leaf);
            let own = expected.iter().filter(|&&slot| slot as usize / LANES == leaf);
            let bits: u32 = own.map(|slot| 1 << (slot % 16)).sum();
            at_every_level(|simd| assert_eq!(touching_lanes(simd, sides, &corners), bits));
        }
    }

    #[test]
    fn walk_leaves_visits_leaves_that_touch_the_window(
        tree in tree(), window in aabb(), stop_at in 0..100_usize,
    ) {
        let (view, corners) = (tree.view(), [window.min(), window.max()]);
        let touches = |&leaf: &u32| {
            let [min, max] = view.leaf_corners(leaf as usize);
            Aabb::of_corners(min, max).overlaps(&window)
        };
        let expected: Vec<u32> = (0..view.leaves.len() as u32).filter(touches).collect();
        check_visits(&expected, stop_at, |simd, visit| walk_leaves(simd, &view, &corners, visit));
    }

    #[test]
    fn gather_appends_boxes_that_touch_the_window(
        tree in tree(),
        window in aabb(),
        chosen in any::<u64>(),
    ) {
        let (view, corners) = (tree.view(), [window.min(), window.max()]);
        let leaves = (0..view.leaves.len() as u32).filter(|leaf| chosen.rotate_right(*leaf) & 1 == 1);
        let leaves: Vec<u32> = leaves.collect();
        let expected = leaves.iter().flat_map(|&leaf| {
            let slots = (0..LANES as u32).map(move |lane| leaf * LANES as u32 + lane);
            slots.filter_map(|slot| view.slot(slot)).filter(|(_, aabb)| aabb.overlaps(&window))
        });
        let expected: Vec<_> = expected.map(|(row, aabb)| (row, [aabb.min(), aabb.max()])).collect();
        at_every_level(|simd| {
            let arena = Arena::new();
            let mut found = BoxRun::with_capacity(&arena, leaves.len() * LANES + 1, false);
            found.push([[-1.0; 2], [1.0; 2]], 7);
            gather(simd, &view, &leaves, &corners, &mut found);
            let all: Vec<_> = (0..found.len()).map(|k| (found.rows()[k], found.corners(k))).collect();
            assert_eq!(all[0], (7, [[-1.0; 2], [1.0; 2]]), "what was there stays");
            assert_eq!(all[1..], expected);
        });
    }

    #[test]
    fn walk_probe_visits_what_the_probe_meets(
        tree in tree(), from in point(), to in point(), third in point(), stop_at in 0..100_usize,
    ) {
        let view = tree.view();
        let all = slots(&view, |_| true);
        let probe = Distance { point: from };
        check_visits(&all, stop_at, |simd, visit| walk_probe(simd, &view, &probe, visit));
        if let Ok(ray) = RayCast::from_to(from, to) {
            let probe = Entry::of(&ray);
            let expected = slots(&view, |aabb| ray.entry(aabb).is_some());
            check_visits(&expected, stop_at, |simd, visit| walk_probe(simd, &view, &probe, visit));
        }
        if let Ok(polygon) = ConvexPolygon::new(&[from, to, third]) {
            let probe = Inside::of(&polygon);
            let expected = slots(&view, |aabb| polygon.touches(aabb));
            check_visits(&expected, stop_at, |simd, visit| walk_probe(simd, &view, &probe, visit));
        }
    }

    #[test]
    fn closest_offers_the_least_key_first(
        tree in tree(), from in point(), to in point(), most in 0..20_usize, near: bool,
    ) {
        let view = tree.view();
        let limit = if near { 100.0 } else { f32::INFINITY };
        check_closest(&view, &Distance { point: from }, most, limit);
        if let Ok(ray) = RayCast::from_to(from, to) {
            let limit = if near { 0.25 } else { f32::INFINITY };
            check_closest(&view, &Entry::of(&ray), most, limit);
        }
    }
}
