//! Promise: from step to step an index keeps its order where that is faster, whoever asks finds the same as if it did not, and
//! whoever wants the order of pairs to depend on rows alone can have that.

use std::ops::ControlFlow;

use crate::common::{
    Pair, Threads, category, forget_history, move_to, ordered_pairs, sort_pairs, world_of,
};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, DoubleGridConfig,
    LooseQuadtreeConfig, Neighbors, PairMode, Proximity, ProximityPairs, Proxy, ProxyId, RayCast,
    Resting, RowOrder, Serial,
};
use throng_scenes::{
    Scene, four_categories, mixed_sizes, overlapping_pairs, sorted, step_motion, uniform,
};

/// Everything that can be asked of a world, each answer in an order of its own.
fn answers(world: &mut Broadphase, executor: &Threads) -> Vec<Vec<u64>> {
    let mut pairs = ordered_pairs(world, executor);
    sort_pairs(&mut pairs);
    let number = |&([a, b], rows): &Pair| {
        let of = |category: usize, row: u32| (category as u64) << 32 | u64::from(row);
        [of(a.index(), rows[0]), of(b.index(), rows[1])]
    };
    let mut all = vec![pairs.iter().flat_map(number).collect()];
    let categories: Vec<_> = (0..world.config().categories.len()).map(category).collect();
    let mut nearest = Vec::new();
    for k in 0..40 {
        let first = category(k % categories.len());
        let row = (k * 977) % world.rows(first).max(1);
        let [xs, ys] = world.centers(first);
        let at = [xs[row], ys[row]];
        let [w, h] = world.config().categories[first.index()]
            .half_extents
            .map(|half| 3.0 * half);
        let aabb = Aabb::new([at[0] - w, at[1] - h], [at[0] + w, at[1] + h]).unwrap();
        let mut hits = Vec::new();
        let _ = world.query().query_aabb(&aabb, |hit| {
            hits.push((hit.category.index() as u64) << 32 | u64::from(hit.row));
            ControlFlow::<()>::Continue(())
        });
        hits.sort_unstable();
        all.push(hits);
        world
            .query()
            .find_nearest(at, 9, f32::INFINITY, &mut nearest)
            .unwrap();
        let by_distance = nearest.iter();
        all.push(
            by_distance
                .map(|near| u64::from(near.distance_squared.to_bits()))
                .collect(),
        );
        let ray = RayCast::from_to(at, [at[0] + 30.0 * w, at[1] + 40.0 * h]).unwrap();
        let mut along = Vec::new();
        world.query().cast_all(ray, &mut along).unwrap();
        let bits = along.iter().map(|hit| u64::from(hit.fraction.to_bits()));
        all.push(bits.collect());
    }
    let half = world.config().categories[0].half_extents[0];
    let within = Proximity::boxes([categories[0]; 2], half).among(&categories);
    let mut found = ProximityPairs::new();
    world
        .find_pairs_within_on(executor, &within, &mut found)
        .unwrap();
    let row = |at: throng::RowRef| (at.category.index() as u64) << 32 | u64::from(at.row);
    let mut near: Vec<_> = found.iter().map(|two| two.map(row)).collect();
    near.iter_mut().for_each(|two| two.sort_unstable());
    near.sort_unstable();
    all.push(near.concat());
    let mut lists = Neighbors::new();
    world
        .find_neighbors_on(executor, &within, &mut lists)
        .unwrap();
    for (&of, &among) in categories
        .iter()
        .flat_map(|a| categories.iter().map(move |b| (a, b)))
    {
        let lists = lists.lists(of, among).unwrap();
        all.extend(
            lists
                .iter()
                .map(|list| list.iter().map(|&row| u64::from(row)).collect()),
        );
    }
    all
}

/// How many indices of how many kept their order, over some frames in which everything moves.
fn follow(scenes: &[Scene], pairs: PairMode, speed: f32, frames: u64) -> [usize; 2] {
    let mut scenes = scenes.to_vec();
    let [mut kept, mut built] = [(); 2].map(|()| world_of(&scenes, pairs, None));
    let [mut refitted, mut all] = [0; 2];
    for frame in 0..frames {
        let executor = Threads(1 + frame as usize % 3);
        let found = answers(&mut kept, &executor);
        let of_categories = kept.report().categories.iter();
        refitted += of_categories.filter(|of| of.refitted).count();
        all += scenes.len();
        forget_history(&mut built);
        let expected = answers(&mut built, &executor);
        assert!(built.report().categories.iter().all(|of| !of.refitted));
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(
                found, expected,
                "{}, frame {frame}, answer {place}",
                scenes[0].name
            );
        }
        assert_eq!(found.len(), expected.len());
        kept.validate().unwrap();
        scenes
            .iter_mut()
            .for_each(|scene| step_motion(scene, speed, frame));
        for world in [&mut kept, &mut built] {
            move_to(world, &scenes);
        }
    }
    [refitted, all]
}

#[test]
fn whoever_asks_finds_the_same() {
    let worlds = [
        four_categories(3000, 1),
        vec![mixed_sizes(1500, 2), uniform(2000, 3.0, 3)],
    ];
    for scenes in &worlds {
        for pairs in [PairMode::Exact, PairMode::Coarse] {
            let [refitted, all] = follow(scenes, pairs, 0.03, 12);
            assert!(2 * refitted > all, "{refitted} of {all}");
            assert!(refitted < all, "each is built once at least");
            let [refitted, all] = follow(scenes, pairs, 30.0, 4);
            assert!(4 * refitted < all, "they go too far: {refitted} of {all}");
        }
    }
}

/// A machine that has gone back to an earlier frame, and one that has not, find the same in the same order if both forget.
#[test]
fn history_can_be_forgotten() {
    let scenes = |frame: u64| {
        let mut scenes = vec![uniform(2000, 1.0, 7)];
        (0..frame).for_each(|frame| step_motion(&mut scenes[0], 0.15, frame));
        scenes
    };
    let frames = |forgets: bool, order: &[u64]| {
        let mut world = world_of(&scenes(0), PairMode::Exact, None);
        let step = |&frame: &u64| {
            move_to(&mut world, &scenes(frame));
            if forgets {
                forget_history(&mut world);
            }
            ordered_pairs(&mut world, &Threads(2))
        };
        order.iter().map(step).collect::<Vec<_>>()
    };
    let straight = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let back_and_again = [0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 7, 8];
    let [one, other] = [frames(true, &straight), frames(true, &back_and_again)];
    assert!(one[5..] == other[8..]);
    let [one, other] = [frames(false, &straight), frames(false, &back_and_again)];
    assert!(
        one[5..] != other[8..],
        "or nothing would have to be forgotten"
    );
    let unknown = category(5);
    let mut world = world_of(&scenes(0), PairMode::Exact, None);
    let refused = world.forget_history(unknown).unwrap_err();
    assert_eq!(refused.given, unknown);
}

/// Somebody is thrown across the world in each frame, written in any way; and hardly ever is an index built.
#[test]
fn few_may_teleport_however_they_are_written() {
    type Write = fn(&mut Broadphase, &Scene, &[ProxyId], usize);
    let ways: [(&str, Write); 11] = [
        ("fill_from", |world, scene, _, _| {
            move_to(world, std::slice::from_ref(scene));
        }),
        ("fill_from_points", |world, scene, _, _| {
            let points: Vec<_> = centers(scene).collect();
            let fill = world
                .centers_mut(category(0))
                .unwrap()
                .fill_from_points(&points);
            assert_eq!(fill.unwrap().rejected, 0);
        }),
        ("chunks", |world, scene, _, _| {
            let mut all = world.centers_mut(category(0)).unwrap();
            for mut chunk in all.chunks(700) {
                for row in chunk.rows() {
                    let at = row as usize;
                    chunk.set(row, [scene.xs[at], scene.ys[at]]).unwrap();
                }
            }
        }),
        ("set_rows_from", |world, scene, ids, _| {
            let rows: Vec<_> = (0..ids.len() as u32).collect();
            let mut all = world.centers_mut(category(0)).unwrap();
            let fill = all.set_rows_from(&rows, &scene.xs, &scene.ys);
            assert_eq!(fill.unwrap().rejected, 0);
        }),
        ("fill_with", |world, scene, _, _| {
            let mut all = world.centers_mut(category(0)).unwrap();
            let fill = all.fill_with(|row| [scene.xs[row as usize], scene.ys[row as usize]]);
            assert_eq!(fill.rejected, 0);
        }),
        ("set_rows_with", |world, scene, _, thrown| {
            let mut all = world.centers_mut(category(0)).unwrap();
            let at = [scene.xs[thrown], scene.ys[thrown]];
            let fill = all.set_rows_with(&[thrown as u32], |_| at);
            assert_eq!(fill.unwrap().rejected, 0);
        }),
        ("set", |world, scene, _, thrown| {
            let mut all = world.centers_mut(category(0)).unwrap();
            all.set(thrown as u32, [scene.xs[thrown], scene.ys[thrown]])
                .unwrap();
        }),
        ("set_centers", |world, scene, ids, _| {
            let all = ids.iter().copied().zip(centers(scene));
            world.set_centers(all).unwrap();
        }),
        ("set_aabb", |world, scene, ids, thrown| {
            world.set_aabb(ids[thrown], aabb(scene, thrown)).unwrap();
        }),
        ("set_aabbs", |world, scene, ids, _| {
            let all = ids
                .iter()
                .enumerate()
                .map(|(row, &id)| (id, aabb(scene, row)));
            assert!(world.set_aabbs(all).refused.is_empty());
        }),
        ("fill_from_centers", |world, scene, ids, _| {
            let (all, half): (Vec<_>, _) = (centers(scene).collect(), vec![scene.half; ids.len()]);
            let mut boxes = world.aabbs_mut(category(0)).unwrap();
            assert!(
                boxes
                    .fill_from_centers(&all, &half)
                    .unwrap()
                    .refused
                    .is_empty()
            );
        }),
    ];
    for (name, write) in ways {
        let mut scene = uniform(3000, 1.0, 40);
        let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
        let ids: Vec<_> = world.proxies(category(0)).collect();
        let mut refitted = 0;
        for frame in 0..60 {
            let (thrown, other) = ((frame * 97) % 3000, (frame * 1001 + 500) % 3000);
            [scene.xs[thrown], scene.ys[thrown]] = [scene.xs[other], scene.ys[other]];
            write(&mut world, &scene, &ids, thrown);
            let pairs = ordered_pairs(&mut world, &Threads(2)).into_iter();
            let found = sorted(pairs.map(|(_, [a, b])| [a.min(b), a.max(b)]).collect());
            assert!(found == overlapping_pairs(&scene), "{name}, frame {frame}");
            refitted += usize::from(world.report().categories[0].refitted);
        }
        assert!(refitted > 50, "{name}: {refitted}");
    }
}

fn centers(scene: &Scene) -> impl Iterator<Item = [f32; 2]> {
    scene.xs.iter().zip(&scene.ys).map(|(&x, &y)| [x, y])
}

fn aabb(scene: &Scene, row: usize) -> Aabb {
    Aabb::from_center([scene.xs[row], scene.ys[row]], scene.half).unwrap()
}

/// Two worlds that have tried other things in vain, and sort their rows by key, take the same steps from then on.
#[test]
fn worlds_that_are_sorted_by_key_keep_the_same_orders() {
    let scene = uniform(1500, 1.0, 12);
    let frames = |thrown: usize| {
        let mut scene = scene.clone();
        let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
        for frame in 0..12 {
            world.step_pairs();
            let mut thrown_about = scene.clone();
            for row in 0..thrown {
                thrown_about
                    .xs
                    .swap(row, (row * 7 + 100 * frame + 50) % 1500);
            }
            move_to(&mut world, &[thrown_about]);
        }
        move_to(&mut world, std::slice::from_ref(&scene));
        world.sort_rows(category(0), RowOrder::Key).unwrap();
        let frame = |frame| {
            step_motion(&mut scene, 0.05, frame);
            move_to(&mut world, std::slice::from_ref(&scene));
            let pairs = ordered_pairs(&mut world, &Threads(2));
            (world.report().categories[0].refitted, pairs)
        };
        (0..20).map(frame).collect::<Vec<_>>()
    };
    let expected = frames(0);
    let refitted = expected.iter().filter(|(refitted, _)| *refitted).count();
    assert!((5..20).contains(&refitted), "{refitted}");
    assert!(frames(3) == expected);
    assert!(frames(700) == expected);
}

/// A machine joins a game in which most rest. It is told who does, and both sort by key. One in twenty is only about to rest then:
/// because it was told before the last step, or after it.
#[test]
fn who_joins_late_has_the_same_orders_where_some_rest() {
    [true, false].into_iter().for_each(join_late);
}

fn join_late(told_before_last_step: bool) {
    let mut scene = uniform(1500, 2.0, 30);
    let still = scene.clone();
    let half = scene.half;
    let names = ["units", "others"].into_iter();
    let config = names.fold(BroadphaseConfig::new(), |config, name| {
        config.category(CategoryConfig::uniform(name, half[0]).rests_when_told())
    });
    let [mut host, mut joiner] = [(); 2].map(|()| Broadphase::new(config.clone()).unwrap());
    let moves = |k: usize| k.is_multiple_of(3);
    let center = |scene: &Scene, k: usize| {
        let scene = if moves(k) { scene } else { &still };
        [scene.xs[k], scene.ys[k]]
    };
    let insert = |world: &mut Broadphase, scene: &Scene, k: usize| {
        let proxy = Proxy::centered(center(scene, k), [half[0], 0.6 * half[0]]).unwrap();
        let proxy = proxy.key(k as u64).in_category(category(k % 2));
        world.insert(proxy).unwrap()
    };
    let move_on = |world: &mut Broadphase, ids: &[ProxyId], scene: &Scene| {
        for k in (0..ids.len()).filter(|&k| moves(k)) {
            world.set_center(ids[k], center(scene, k)).unwrap();
        }
    };
    let rest = |world: &mut Broadphase, ids: &[ProxyId], late: bool| {
        let is_told = |k: &usize| !moves(*k) && k.is_multiple_of(20) == late;
        for k in (0..ids.len()).filter(is_told) {
            world.set_resting(ids[k], true).unwrap();
        }
    };
    let take_last_step = |world: &mut Broadphase, ids: &[ProxyId]| {
        if told_before_last_step {
            rest(world, ids, true);
        }
        world.step_pairs();
        if !told_before_last_step {
            rest(world, ids, true);
        }
    };

    let of_host: Vec<_> = (0..1500).map(|k| insert(&mut host, &scene, k)).collect();
    for frame in 0..19 {
        step_motion(&mut scene, 0.05, frame);
        move_on(&mut host, &of_host, &scene);
        if frame == 8 {
            rest(&mut host, &of_host, false);
        }
        host.step_pairs();
    }
    step_motion(&mut scene, 0.05, 19);
    move_on(&mut host, &of_host, &scene);
    take_last_step(&mut host, &of_host);

    let backwards = (0..1500).rev();
    let mut of_joiner: Vec<_> = backwards.map(|k| insert(&mut joiner, &scene, k)).collect();
    of_joiner.reverse();
    rest(&mut joiner, &of_joiner, false);
    take_last_step(&mut joiner, &of_joiner);

    for world in [&mut host, &mut joiner] {
        for of in [0, 1] {
            world.sort_rows(category(of), RowOrder::Key).unwrap();
        }
    }
    for frame in 20..50 {
        step_motion(&mut scene, 0.05, frame);
        move_on(&mut host, &of_host, &scene);
        move_on(&mut joiner, &of_joiner, &scene);
        let pairs = ordered_pairs(&mut host, &Threads(1));
        assert!(
            ordered_pairs(&mut joiner, &Threads(2)) == pairs,
            "frame {frame}"
        );
        assert!(pairs.len() > 500);
    }
    assert_eq!(host.report().resting, 1000);
}

/// Everything begins to move in a world that has stood still, and in one that was just made. Both find out in the same step that all
/// rows move, so that an index that is refreshed in between has the same order in both.
#[test]
fn who_joins_late_has_the_same_orders_where_all_move() {
    let kinds = [
        CategoryConfig::uniform("boxes", 1.0),
        CategoryConfig::oversized("boxes"),
        CategoryConfig::oversized("boxes").structure(DoubleGridConfig::new()),
        CategoryConfig::oversized("boxes").structure(LooseQuadtreeConfig::new()),
    ];
    for (kind, seed) in kinds
        .iter()
        .flat_map(|kind| (0..20).map(move |seed| (kind, seed)))
    {
        let config = BroadphaseConfig::new().category(kind.clone().rests_when_told());
        let mut scene = uniform(300, 0.25, seed);
        let insert = |scene: &Scene| {
            let mut world = Broadphase::new(config.clone()).unwrap();
            let keys = scene.xs.iter().zip(&scene.ys).zip(0..);
            world.insert_batch(
                keys.map(|((&x, &y), key)| Proxy::centered([x, y], [1.0; 2]).unwrap().key(key)),
            );
            world
        };
        let move_all = |world: &mut Broadphase, scene: &Scene, frame: u64| {
            move_to(world, std::slice::from_ref(scene));
            if frame % 8 == 1 || frame % 8 == 3 {
                world.refresh();
            }
        };
        let rest = |world: &mut Broadphase| {
            let ids: Vec<_> = world.proxies(category(0)).collect();
            for id in ids {
                if world.key(id).unwrap().is_multiple_of(2) {
                    world.set_resting(id, seed % 2 == 0).unwrap();
                }
            }
        };
        let mut host = insert(&scene);
        for frame in 0..6 {
            step_motion(&mut scene, 0.05, frame);
            move_all(&mut host, &scene, frame);
            host.step_pairs();
        }
        rest(&mut host);
        for _ in 0..9 {
            host.step_pairs();
        }
        let mut joiner = insert(&scene);
        rest(&mut joiner);
        joiner.step_pairs();

        let mut worlds = [host, joiner];
        for world in &mut worlds {
            world.sort_rows(category(0), RowOrder::Key).unwrap();
        }
        for frame in 0..30 {
            step_motion(&mut scene, 0.05, frame);
            let pairs = worlds.each_mut().map(|world| {
                move_all(world, &scene, frame);
                ordered_pairs(world, &Threads(1))
            });
            let structure = &kind.structure;
            assert!(
                pairs[0] == pairs[1],
                "{structure:?}, seed {seed}, frame {frame}"
            );
            assert!(pairs[0].len() > 50);
        }
    }
}

/// Where several walls change, whoever rests beside them wakes in the order of ids, which differ among machines; orders do not.
#[test]
fn who_wakes_beside_walls_wakes_in_the_order_of_rows() {
    const BOXES: u64 = 800;
    let [boxes, walls] = [0, 1].map(CategoryId::new);
    let world = |reversed: bool| {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::oversized("boxes").rests_when_told())
            .category(CategoryConfig::scenery("walls"));
        let mut world = Broadphase::new(config).unwrap();
        let at = |k: u64| [(k % 40) as f32 * 1.2, (k / 40) as f32 * 1.2];
        let own = (0..BOXES).map(|k| Proxy::centered(at(k), [1.0; 2]).unwrap().key(k));
        let beside = (0..4).map(|k| {
            let center = [9.6 + 2.5 * ((k * 7) % 4) as f32, 3.0];
            Proxy::fixed(Aabb::from_center(center, [0.1; 2]).unwrap()).key(1000 + k)
        });
        let own = own.map(|proxy| proxy.in_category(boxes));
        let mut all: Vec<Proxy> = own
            .chain(beside.map(|wall| wall.in_category(walls)))
            .collect();
        if reversed {
            all.reverse();
        }
        assert!(world.insert_batch(all).refused.is_empty());
        let ids: Vec<_> = world.proxies(boxes).collect();
        for id in ids {
            world.set_resting(id, true).unwrap();
        }
        world.step_pairs();
        for category in [boxes, walls] {
            world.sort_rows(category, RowOrder::Key).unwrap();
        }
        world.step_pairs();
        world
    };
    let mut worlds = [false, true].map(world);
    for step in 0..8 {
        let answers = worlds.each_mut().map(|world| {
            if step % 4 == 0 {
                let ids: Vec<_> = world.proxies(walls).collect();
                for id in ids {
                    let [x, _] = world.get(id).unwrap().center;
                    let y = 3.0 + 0.05 * (step + 1) as f32;
                    world.set_center(id, [x, y]).unwrap();
                }
            } else if step % 4 == 1 {
                let woken: Vec<_> = world.woken().collect();
                assert!(!woken.is_empty(), "beside the walls");
                for id in woken {
                    world.set_resting(id, true).unwrap();
                }
            }
            let pairs: Vec<_> = world.step_pairs().pairs().collect();
            let mut hits = Vec::new();
            let everything = world.query().find_in_aabb(&Aabb::EVERYWHERE, &mut hits);
            everything.unwrap();
            let rows = hits.iter().map(|hit| (hit.category, hit.row));
            (pairs, rows.collect::<Vec<_>>())
        });
        assert!(answers[0] == answers[1], "step {step}");
    }
}

/// Until the next index, queries find what they would have found.
#[test]
fn who_forgets_can_still_be_asked() {
    let scene = uniform(500, 1.0, 8);
    let mut world = world_of(&[scene], PairMode::Exact, None);
    world.step_pairs();
    let find = |world: &Broadphase| {
        let mut nearest = Vec::new();
        world
            .query()
            .find_nearest([0.0; 2], 50, f32::INFINITY, &mut nearest)
            .unwrap();
        nearest.iter().map(|near| near.hit.id).collect::<Vec<_>>()
    };
    let before = find(&world);
    world.forget_history(category(0)).unwrap();
    assert_eq!((before.len(), &find(&world)), (50, &before));
    world.refresh();
    assert_eq!(find(&world), before);
    assert!(!world.report().categories[0].refitted);
    world.step_pairs();
    assert!(world.report().categories[0].refitted, "once only");
}

/// Sorted rows are in the order of a build, whatever order the index has kept until then: to sort them once more changes nothing.
#[test]
fn rows_are_sorted_as_a_build_would_have_them() {
    for (frames, rests) in [(1, false), (2, false), (3, false), (2, true)] {
        let mut scene = uniform(1500, 1.0, 9);
        let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
        let mut config = world.config().clone();
        if rests {
            config.categories[0].rests = Resting::WhenTold;
        }
        world.reconfigure(config).unwrap();
        world.step_pairs();
        (0..frames).for_each(|frame| {
            step_motion(&mut scene, 0.02, frame);
            move_to(&mut world, std::slice::from_ref(&scene));
            world.step_pairs();
            assert!(world.report().categories[0].refitted);
        });
        // Where some may rest, nothing has changed since the index then.
        world.step_pairs();
        let first = world.sort_rows(category(0), RowOrder::Space).unwrap();
        assert!(!first.old_rows().is_sorted());
        assert!(!world.report().categories[0].refitted);
        let again = world.sort_rows(category(0), RowOrder::Space).unwrap();
        assert!(again.old_rows().is_sorted(), "after {frames} frames");
    }
}

/// Checks that a step finds the same as one whose indices are built. Returns whether its first index was refitted.
fn is_as_built(world: &mut Broadphase, frame: usize) -> bool {
    let mut kept = ordered_pairs(world, &Serial);
    let is_refitted = world.report().categories[0].refitted;
    forget_history(world);
    let mut built = ordered_pairs(world, &Serial);
    for pairs in [&mut kept, &mut built] {
        sort_pairs(pairs);
    }
    assert!(kept == built, "frame {frame}");
    is_refitted
}

/// Where rows come and go, as many as there were or not, who is in another's row is found.
#[test]
fn rows_that_come_and_go_are_found() {
    let scene = uniform(1000, 1.0, 10);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    let mut refitted = 0;
    for frame in 0..30_usize {
        if frame % 3 == 1 {
            let id = world.proxies(category(0)).nth(frame * 31 % 900).unwrap();
            world.remove(id).unwrap();
        }
        if frame % 3 == 2 || frame % 6 == 1 {
            let at = [scene.xs[frame * 17], scene.ys[frame * 17]];
            let proxy = Proxy::centered(at, scene.half).unwrap();
            world.insert(proxy).unwrap();
        }
        refitted += usize::from(is_as_built(&mut world, frame));
    }
    assert!(refitted > 25, "{refitted}");
}

/// Who is thrown across the world by its id, or by its row, has nobody else's order changed, as long as it is one of few.
#[test]
fn few_may_be_thrown_across_the_world() {
    let mut scene = uniform(3000, 1.0, 11);
    let mut world = world_of(std::slice::from_ref(&scene), PairMode::Exact, None);
    let ids: Vec<_> = world.proxies(category(0)).collect();
    let mut refitted = 0;
    for frame in 0..40_usize {
        step_motion(&mut scene, 0.01, frame as u64);
        move_to(&mut world, std::slice::from_ref(&scene));
        let thrown = [frame * 71 % 3000, frame * 137 % 3000];
        for row in thrown {
            let other = (row * 7 + frame) % 3000;
            let to = [scene.xs[other] + 0.1, scene.ys[other]];
            (scene.xs[row], scene.ys[row]) = to.into();
        }
        let [by_id, by_row] = thrown.map(|row| [scene.xs[row], scene.ys[row]]);
        world.set_center(ids[thrown[0]], by_id).unwrap();
        let mut centers = world.centers_mut(category(0)).unwrap();
        centers.set(thrown[1] as u32, by_row).unwrap();
        drop(centers);
        refitted += usize::from(is_as_built(&mut world, frame));
    }
    assert!(refitted > 35, "{refitted}");
}
