//! Promise: whatever happens to masks from frame to frame, pairs are those that meet now. An index may carry classes of masks
//! if there are few of them and the last search had something to test; none of that shows.

use std::ops::ControlFlow;
use throng_core::for_both;

use crate::common::{Pair, category, ordered_pairs, sort_pairs};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Masks, Proxy, ProxyId,
    ProxyView, RowOrder, RowRef, Serial, SimdLevel,
};
use throng_scenes::{Scene, Threads, mixed_sizes, uniform};

/// Two uniform categories, one of them exact, a few large boxes, and walls.
fn world(level: SimdLevel) -> (Broadphase, Vec<ProxyId>) {
    let scenes = [uniform(500, 3.0, 1), mixed_sizes(200, 2)];
    let [many, few] = for_both(|index: usize| {
        let config = CategoryConfig::uniform(format!("{index}"), 0.0);
        config.half_extents(scenes[index].half)
    });
    let config = BroadphaseConfig::new()
        .category(many.coarse())
        .category(few)
        .category(CategoryConfig::oversized("dragons"))
        .category(CategoryConfig::scenery("walls"))
        .simd(level);
    let mut world = Broadphase::new(config).unwrap();
    let mut ids = Vec::new();
    for (index, scene) in scenes.iter().enumerate() {
        ids.extend(insert(&mut world, scene, category(index)));
    }
    let around = scenes[0].bounds().unwrap();
    let across = |at: f32| {
        let y = around.min()[1] + at * (around.max()[1] - around.min()[1]);
        Aabb::new([around.min()[0], y], [around.max()[0], y + 0.2]).unwrap()
    };
    for at in [0.2, 0.5] {
        ids.push(
            world
                .insert(Proxy::moving(across(at)).in_category(category(2)))
                .unwrap(),
        );
        ids.push(world.insert(Proxy::fixed(across(at + 0.1))).unwrap());
    }
    (world, ids)
}

fn insert(world: &mut Broadphase, scene: &Scene, into: CategoryId) -> Vec<ProxyId> {
    let proxies = (0..scene.len()).map(|row| {
        let proxy = Proxy::centered([scene.xs[row], scene.ys[row]], scene.half_extents_of(row));
        proxy.unwrap().in_category(into)
    });
    let batch = world.insert_batch(proxies);
    assert_eq!(batch.refused, []);
    batch.ids.into_iter().flatten().collect()
}

/// All that are enabled, row by row.
fn present(world: &Broadphase) -> Vec<(RowRef, ProxyView)> {
    let rows = world.categories().flat_map(|category| {
        let rows = 0..world.rows(category) as u32;
        rows.map(move |row| RowRef { category, row })
    });
    let all = rows.map(|row| (row, world.get(world.proxy_at(row).unwrap()).unwrap()));
    all.filter(|(_, proxy)| proxy.enabled).collect()
}

/// All pairs that there are, by definition, sorted.
fn true_pairs(world: &Broadphase) -> Vec<Pair> {
    let rows = present(world);
    let walls = category(3);
    let mut pairs = Vec::new();
    for (k, (a, one)) in rows.iter().enumerate() {
        for (b, other) in &rows[k + 1..] {
            let are_walls = a.category == walls && b.category == walls;
            if !are_walls && one.aabb.overlaps(&other.aabb) && one.masks.meets(other.masks) {
                pairs.push(([a.category, b.category], [a.row, b.row]));
            }
        }
    }
    sort_pairs(&mut pairs);
    pairs
}

fn check(world: &mut Broadphase, what: &str) {
    let expected = true_pairs(world);
    let mut first = None;
    // The first frame's index does not know yet what its search will test.
    for frame in 0..3 {
        let found = ordered_pairs(world, &Threads(frame + 1));
        let first = first.get_or_insert_with(|| found.clone());
        assert!(found == *first, "{what}: another order in frame {frame}");
        let mut found = found;
        sort_pairs(&mut found);
        assert!(found == expected, "{what}, frame {frame}");
        world.validate().unwrap();
    }
    let everything = Aabb::new([-1e9; 2], [1e9; 2]).unwrap();
    let mut rows = 0;
    let all = world.query().query_aabb(&everything, |hit| {
        let row = RowRef {
            category: hit.category,
            row: hit.row,
        };
        assert_eq!(world.proxy_at(row), Some(hit.id), "{what}");
        rows += 1;
        ControlFlow::<()>::Continue(())
    });
    assert!(all.unwrap().is_continue());
    assert_eq!(rows, present(world).len(), "{what}");
}

/// Each a team that does not meet itself.
fn team(k: usize) -> Masks {
    Masks::new(1 << k, !(1 << k))
}

#[test]
fn teams_come_and_go() {
    for &level in SimdLevel::available() {
        let (mut world, mut ids) = world(level);
        let set = |world: &mut Broadphase, ids: &[ProxyId], masks: &dyn Fn(usize) -> Masks| {
            for (k, &id) in ids.iter().enumerate() {
                world.set_masks(id, masks(k)).unwrap();
            }
        };
        check(&mut world, "no masks");
        // One class after the other, up to the most that an index carries and beyond; and fewer again.
        for teams in [2, 30, 31, 32, 33, 34, 50, 33, 32, 31, 3] {
            set(&mut world, &ids, &|k| team(k % teams));
            check(&mut world, &format!("{level}: {teams} teams"));
        }
        // One row of a class that nobody had, in the place of one that nobody has any more.
        world.set_masks(ids[7], team(60)).unwrap();
        check(&mut world, &format!("{level}: one stranger"));
        set(&mut world, &ids, &|_| Masks::new(1, 2));
        check(&mut world, &format!("{level}: loners"));
        set(&mut world, &ids, &|k| Masks::new(1 << (k % 20), !0));
        check(&mut world, &format!("{level}: nobody apart"));
        set(&mut world, &ids, &|k| {
            if k % 2 == 0 { Masks::ALL } else { team(3) }
        });
        check(&mut world, &format!("{level}: half of them"));

        // Not so many that the next index is planned anew, and finds pairs in another order.
        for k in (0..ids.len() - 4).rev().step_by(8) {
            world.remove(ids.swap_remove(k)).unwrap();
        }
        check(&mut world, &format!("{level}: removed"));
        for &id in ids.iter().step_by(8) {
            world.set_enabled(id, false).unwrap();
        }
        set(&mut world, &ids, &|k| team(k % 5));
        check(&mut world, &format!("{level}: disabled"));
        for index in [0, 1] {
            let order = RowOrder::Space;
            let _ = world.sort_rows_on(&Serial, category(index), order).unwrap();
        }
        check(&mut world, &format!("{level}: sorted"));
        ids.extend(insert(&mut world, &uniform(90, 3.0, 5), category(0)));
        check(&mut world, &format!("{level}: with newcomers"));
        world.shrink_to_fit();
        check(&mut world, &format!("{level}: shrunk"));
    }
}

/// Masks of six groups, which words say exactly however many masks there are.
#[test]
fn one_class_too_many_of_few_groups() {
    for &level in SimdLevel::available() {
        for count in [31, 32, 33, 34] {
            let (mut world, ids) = world(level);
            for (k, &id) in ids.iter().enumerate() {
                let k = (k % count) as u64;
                world
                    .set_masks(id, Masks::new(1 << (k % 6), 1 + k))
                    .unwrap();
            }
            check(&mut world, &format!("{level}: {count} masks"));
        }
    }
}
