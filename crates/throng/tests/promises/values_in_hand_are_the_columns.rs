//! Promise: what a narrowphase is handed with its pairs is what the columns say, bit for bit, whatever structures meet;
//! and the pairs are those that it gets without, in the same order. Every test that compares pairs with brute force checks
//! this too; here is what they might not come by.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::in_hand::check_in_hand;
use crate::common::worlds::{World, structures};
use crate::common::{Pair, Threads, category, ordered_pairs, world_of};
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, Narrowphase, PairBatch, PairData,
    PairMode, Proxy, Serial, SimdLevel,
};
use throng_scenes::{
    BoxScene, Scene, log_uniform_boxes, masked, one_dense_cell, unbounded_boxes, uniform,
};

fn masks_if(is_masked: bool, rows: usize, seed: u64) -> Option<Vec<throng_core::MaskWords>> {
    is_masked.then(|| masked(rows, seed).masks).flatten()
}

/// Rows of one size, or, for an exact category, each of its own.
fn crowd(rows: usize, seed: u64, exact: bool, is_masked: bool) -> Scene {
    let mut scene = uniform(rows, 1.0, seed);
    if exact {
        let sizes = (0..rows).map(|row| [1, 5].map(|step| (row * step % 7) as f32 / 6.0));
        let sizes = sizes.map(|[x, y]| [scene.half[0] * x, scene.half[1] * y]);
        scene.half_extents = Some(sizes.collect());
    }
    scene.masks = masks_if(is_masked, rows, seed);
    scene
}

/// Boxes of many sizes.
fn dragons(rows: usize, seed: u64, is_masked: bool) -> BoxScene {
    BoxScene {
        masks: masks_if(is_masked, rows, seed),
        ..log_uniform_boxes(rows, [0.5, 5.0], 1.0, seed)
    }
}

/// Every kind of category with itself and with every other: few among many, many and few, about as many.
#[test]
fn of_every_structure_with_every_other() {
    let mut met = HashSet::new();
    for is_masked in [false, true] {
        for (few, many) in [(60, 1500), (1500, 60), (500, 700)] {
            let crowds = [
                crowd(few, 1, false, is_masked),
                crowd(many, 2, true, is_masked),
                crowd(many, 3, false, is_masked),
                crowd(few, 4, true, is_masked),
            ];
            let moving = [dragons(many, 5, is_masked), unbounded_boxes(few, 6)];
            let ground = [dragons(few, 7, is_masked)];
            for structure in structures() {
                for &level in SimdLevel::available() {
                    let mut world = World::new(&crowds, &moving, &ground, structure, level);
                    let ordered = ordered_pairs(&mut world.world, &Threads(2));
                    let what = format!("{few}, {many}, {is_masked}, {structure:?}, {level}");
                    check_in_hand(&mut world.world, &ordered, &what);
                    met.extend(ordered.iter().map(|(categories, _)| *categories));
                }
            }
        }
    }
    // Seven categories, each with itself and those behind it; but scenery not with itself.
    assert_eq!(met.len(), 7 * 8 / 2 - 1);
}

/// A crowd on one spot fills many batches of one piece of a leaf, and the buffer that the kernels write to.
#[test]
fn of_a_crowd_on_one_spot() {
    for pairs in [PairMode::Coarse, PairMode::Exact] {
        let mut scene = one_dense_cell(700, 1);
        scene.half_extents = Some(
            (0..700)
                .map(|k| [scene.half[0] * (k % 5) as f32 / 4.0; 2])
                .collect(),
        );
        let mut world = world_of(&[scene.clone(), scene], pairs, None);
        let ordered = ordered_pairs(&mut world, &Serial);
        assert!(ordered.len() > 100_000);
        check_in_hand(&mut world, &ordered, "one spot");
    }
}

/// What reaches a narrowphase: sizes of batches, and the centers in hand of each pair.
struct Seen;

impl Narrowphase for Seen {
    type Scratch = ();
    type Output = (Vec<usize>, Vec<(Pair, [[f32; 2]; 2])>);
    const PAIR_DATA: PairData = PairData::Centers;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), (sizes, seen): &mut Self::Output) {
        sizes.push(batch.pairs().len());
        let columns = [batch.pair_centers(0), batch.pair_centers(1)];
        for (k, &pair) in batch.pairs().iter().enumerate() {
            let centers = columns.map(|column| column.map(|values| values[k]));
            seen.push(((batch.categories(), pair), centers));
        }
    }
}

/// Centers written after the index was built: those in hand of a uniform category are the ones that pairs were found by.
#[test]
fn of_the_index_where_centers_are_written_before_the_plan_is_run() {
    let scenes = [crowd(3000, 1, false, false), crowd(2000, 2, false, false)];
    let mut world = world_of(&scenes, PairMode::Coarse, None);
    let expected = ordered_pairs(&mut world, &Serial);
    world.refresh();
    for (index, scene) in scenes.iter().enumerate() {
        let mut centers = world.centers_mut(category(index)).unwrap();
        let away = vec![1e6; scene.len()];
        assert_eq!(centers.fill_from(&away, &away).unwrap().rejected, 0);
    }
    let plan = world.plan().unwrap();
    let mut found = Vec::new();
    for chunk in 0..plan.chunks() {
        let mut output = Default::default();
        plan.collide(chunk, &Seen, &mut (), &mut output);
        assert!(output.0.iter().all(|size| (1..=256).contains(size)));
        for ((categories, rows), centers) in output.1 {
            for side in 0..2 {
                let (scene, row) = (&scenes[categories[side].index()], rows[side] as usize);
                assert_eq!(centers[side], [scene.xs[row], scene.ys[row]]);
            }
            found.push((categories, rows));
        }
    }
    assert!(found == expected && found.len() > 3000);
}

/// Asks for one thing and reads another.
struct Reads<const ASKS_FOR_CENTERS: bool>;

impl<const ASKS_FOR_CENTERS: bool> Narrowphase for Reads<ASKS_FOR_CENTERS> {
    type Scratch = ();
    type Output = ();
    const PAIR_DATA: PairData = if ASKS_FOR_CENTERS {
        PairData::Centers
    } else {
        PairData::Nothing
    };

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), _: &mut ()) {
        if ASKS_FOR_CENTERS {
            batch.pair_half_extents(0);
        } else {
            batch.pair_centers(0);
        }
    }
}

#[test]
fn what_was_not_asked_for_is_not_there() {
    let mut world = Broadphase::new(
        BroadphaseConfig::new().category(CategoryConfig::uniform("a", 1.0).coarse()),
    )
    .unwrap();
    for x in [0.0, 1.0] {
        let proxy = Proxy::centered([x, 0.0], [1.0; 2]).unwrap();
        world.insert(proxy).unwrap();
    }
    assert_eq!(CollectPairs::PAIR_DATA, PairData::Nothing);
    fn message<N: Narrowphase>(world: &mut Broadphase, narrowphase: &N) -> String {
        let step = AssertUnwindSafe(|| world.step_on(&Serial, narrowphase).report().pairs);
        let panic = catch_unwind(step).expect_err("it was not asked for");
        *panic.downcast::<String>().expect("a panic in words")
    }
    let centers = message(&mut world, &Reads::<false>);
    assert!(centers.contains("PairData::Centers"), "{centers}");
    let half_extents = message(&mut world, &Reads::<true>);
    assert!(half_extents.contains("PairData::Boxes"), "{half_extents}");
}

/// A zero that gets the other sign counts as another place, so that what is in hand has the bits of the column.
#[test]
fn a_zero_with_the_other_sign_is_in_hand_as_in_the_column() {
    struct Bits;
    impl Narrowphase for Bits {
        type Scratch = ();
        type Output = Vec<[u32; 2]>;
        const PAIR_DATA: PairData = PairData::Centers;
        fn collide(&self, batch: PairBatch<'_>, (): &mut (), ys: &mut Self::Output) {
            for (k, pair) in batch.pairs().iter().enumerate() {
                for (side, &row) in pair.iter().enumerate() {
                    let in_hand = batch.pair_centers(side)[1][k];
                    let in_column = batch.centers(side)[1][row as usize];
                    ys.push([in_hand, in_column].map(f32::to_bits));
                }
            }
        }
    }
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("rests", 1.0).rests_after(1))
        .category(CategoryConfig::uniform("moves", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    let at = |y: f32, number| {
        let proxy = Proxy::centered([0.0, y], [1.0; 2]).unwrap();
        proxy.in_category(category(number))
    };
    let rests = world.insert(at(0.0, 0)).unwrap();
    let moves = world.insert(at(0.5, 1)).unwrap();
    for k in 0..5 {
        world
            .set_center(moves, [0.0, 0.5 + 0.01 * k as f32])
            .unwrap();
        world.step(&Bits);
    }
    assert_eq!(world.is_resting(rests), Ok(true));
    world.set_center(rests, [0.0, -0.0]).unwrap();
    let step = world.step(&Bits);
    let ys: Vec<_> = step.outputs().flatten().copied().collect();
    assert_eq!(ys.len(), 2);
    assert!(
        ys.iter().all(|[in_hand, in_column]| in_hand == in_column),
        "{ys:x?}"
    );
}
