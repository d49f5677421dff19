//! The tree against a model, and what its memory does.

use super::{LooseQuadtree, LooseQuadtreeConfig};
use crate::{LooseError, MOST_ROWS};
use fixedbitset::FixedBitSet;
use proptest::prelude::*;
use std::collections::BTreeMap;
use throng_core::{Aabb, Boxes, Executor, Serial};

/// A small tree, so that few rows make it split and merge.
fn small() -> LooseQuadtree {
    LooseQuadtree::new(LooseQuadtreeConfig::new().split_above(4)).unwrap()
}

/// Columns of boxes.
#[derive(Clone, Debug, Default)]
struct Columns([Vec<f32>; 4]);

impl Columns {
    fn of(rows: impl IntoIterator<Item = [f32; 4]>) -> Self {
        let mut columns = Self::default();
        for row in rows {
            for (column, side) in columns.0.iter_mut().zip(row) {
                column.push(side);
            }
        }
        columns
    }

    fn boxes(&self) -> Boxes<'_> {
        let [x0, y0, x1, y1] = &self.0;
        Boxes::new([x0, y0], [x1, y1]).unwrap()
    }
}

/// Threads without a pool: what an engine's own job system might look like.
struct Threads(usize);

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for thread in 1..self.0 {
                scope.spawn(move || (thread..tasks).step_by(self.0).for_each(task));
            }
            (0..tasks).step_by(self.0).for_each(task);
        });
    }
}

/// A spread of numbers that depends on `k` alone.
fn scattered(k: u32) -> f32 {
    (k.wrapping_mul(0x9E37_79B9) >> 8) as f32 / (1 << 24) as f32
}

fn spread_out(n: u32, width: f32) -> Columns {
    Columns::of((0..n).map(|k| {
        let (x, y) = (scattered(2 * k) * width, scattered(2 * k + 1) * width);
        [x, y, x + 1.0, y + scattered(k)]
    }))
}

fn any_box() -> impl Strategy<Value = Aabb> {
    let side = || {
        prop_oneof![
            6 => (-8_i32..8).prop_map(|k| k as f32),
            6 => -1e3_f32..1e3,
            1 => prop::sample::select(vec![
                f32::NEG_INFINITY, -f32::MAX, -1e30, -1e7, 1e7, 1e30, f32::MAX, f32::INFINITY,
            ]),
        ]
    };
    [side(), side(), side(), side()].prop_filter_map("a box", |[a, b, c, d]| {
        Aabb::new([a.min(c), b.min(d)], [a.max(c), b.max(d)]).ok()
    })
}

#[derive(Clone, Debug)]
enum Change {
    Insert(u32, Aabb),
    Set(u32, Aabb),
    Remove(u32),
    CleanUp,
    Update(Vec<Option<Aabb>>),
    Clear,
}

fn any_change() -> impl Strategy<Value = Change> {
    let row = || 0..60_u32;
    prop_oneof![
        8 => (row(), any_box()).prop_map(|(row, aabb)| Change::Insert(row, aabb)),
        8 => (row(), any_box()).prop_map(|(row, aabb)| Change::Set(row, aabb)),
        6 => row().prop_map(Change::Remove),
        3 => Just(Change::CleanUp),
        2 => prop::collection::vec(prop::option::weighted(0.8, any_box()), 0..60)
            .prop_map(Change::Update),
        1 => Just(Change::Clear),
    ]
}

fn apply(tree: &mut LooseQuadtree, model: &mut BTreeMap<u32, Aabb>, change: Change) {
    match change {
        Change::Insert(row, aabb) => {
            let expected = match model.contains_key(&row) {
                true => Err(LooseError::Present { row }),
                false => Ok(()),
            };
            assert_eq!(tree.insert(row, aabb), expected);
            model.entry(row).or_insert(aabb);
        }
        Change::Set(row, aabb) => {
            let expected = match model.get_mut(&row) {
                Some(old) => {
                    *old = aabb;
                    Ok(())
                }
                None => Err(LooseError::Absent { row }),
            };
            assert_eq!(tree.set(row, aabb), expected);
        }
        Change::Remove(row) => {
            let expected = model.remove(&row).ok_or(LooseError::Absent { row });
            assert_eq!(tree.remove(row), expected.map(|_| ()));
        }
        Change::CleanUp => tree.clean_up(),
        Change::Update(rows) => update_both(tree, model, &rows),
        Change::Clear => {
            tree.clear();
            model.clear();
        }
    }
}

fn update_both(tree: &mut LooseQuadtree, model: &mut BTreeMap<u32, Aabb>, rows: &[Option<Aabb>]) {
    // Every other row that is not to be held is absent, the others are no boxes.
    let columns = Columns::of(rows.iter().map(|aabb| match aabb {
        Some(aabb) => [aabb.min()[0], aabb.min()[1], aabb.max()[0], aabb.max()[1]],
        None => [1.0, f32::NAN, 2.0, 0.0],
    }));
    let mut absent = FixedBitSet::with_capacity(rows.len());
    let unsound = |row: &usize| rows[*row].is_none();
    absent.extend((0..rows.len()).filter(unsound).step_by(2));
    let report = tree
        .update(columns.boxes().without(&absent), &Serial)
        .unwrap();
    let held = (0_u32..).zip(rows);
    let new: BTreeMap<u32, Aabb> = held
        .filter_map(|(row, aabb)| Some((row, (*aabb)?)))
        .collect();
    let stayed = new.keys().filter(|row| model.contains_key(row)).count();
    assert_eq!(report.rows, new.len());
    assert_eq!(report.inserted, new.len() - stayed);
    assert_eq!(report.removed, model.len() - stayed);
    let unsound = rows.len() - new.len();
    assert_eq!(report.rejected, unsound / 2);
    let moved = new
        .iter()
        .filter(|(row, new)| model.get(row).is_some_and(|old| old != *new));
    assert_eq!(report.moved, moved.count());
    *model = new;
}

fn assert_same(tree: &LooseQuadtree, model: &BTreeMap<u32, Aabb>) {
    assert_eq!(tree.validate(), Ok(()));
    assert_eq!(
        (tree.len(), tree.is_empty()),
        (model.len(), model.is_empty())
    );
    for row in 0..70 {
        assert_eq!(tree.get(row), model.get(&row).copied(), "row {row}");
        assert_eq!(tree.contains(row), model.contains_key(&row));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_changes_match_a_model(
        changes in prop::collection::vec(any_change(), 0..120),
        depth in 1..=24_u32,
    ) {
        let config = LooseQuadtreeConfig::new().split_above(3).max_depth(depth);
        let mut tree = LooseQuadtree::new(config).unwrap();
        let mut model = BTreeMap::new();
        for change in changes {
            apply(&mut tree, &mut model, change);
            assert_same(&tree, &model);
        }
        tree.clean_up();
        assert_same(&tree, &model);
    }
}

#[test]
fn a_refused_change_says_why() {
    let mut tree = small();
    let point = Aabb::point([0.0; 2]).unwrap();
    let error = tree.insert(u32::MAX, point).unwrap_err();
    assert!(
        error.to_string().contains(&(MOST_ROWS - 1).to_string()),
        "{error}"
    );
    let error = tree.set(3, point).unwrap_err();
    assert!(error.to_string().contains("row 3 is not there"), "{error}");
    tree.insert(3, point).unwrap();
    let error = tree.insert(3, point).unwrap_err();
    assert!(
        error.to_string().contains("row 3 is there already"),
        "{error}"
    );
    assert_eq!((tree.len(), tree.validate()), (1, Ok(())));
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = |config| LooseQuadtree::new(config).unwrap_err().to_string();
    assert!(refused(LooseQuadtreeConfig::new().split_above(0)).contains("1 to 65536"));
    assert!(refused(LooseQuadtreeConfig::new().split_above(65537)).contains("65537"));
    assert!(refused(LooseQuadtreeConfig::new().max_depth(0)).contains("1 to 24"));
    assert!(refused(LooseQuadtreeConfig::new().max_depth(25)).contains("25"));
}

#[test]
fn memory_comes_back_after_churn() {
    let mut tree = small();
    let few = spread_out(100, 50.0);
    tree.update(few.boxes(), &Serial).unwrap();
    let before = tree.nodes.used();
    for frame in 0..3 {
        let many = spread_out(20_000, 1e4 + frame as f32);
        tree.update(many.boxes(), &Serial).unwrap();
        let peak = tree.memory().total();
        assert!(tree.nodes.used() > 50 * before);
        for row in 100..20_000 {
            tree.remove(row).unwrap();
        }
        tree.clean_up();
        tree.update(few.boxes(), &Serial).unwrap();
        assert_eq!(tree.validate(), Ok(()));
        assert!(tree.nodes.used() <= 2 * before, "frame {frame}");
        let memory = tree.memory();
        assert!(
            memory.total() < peak / 20,
            "frame {frame}: {memory} of {peak}"
        );
    }
    tree.update(Columns::default().boxes(), &Serial).unwrap();
    assert_eq!(
        (tree.nodes.used(), tree.bundles.used(), tree.leaves()),
        (1, 0, 1)
    );
}

#[test]
fn many_on_one_spot_are_one_leaf() {
    let mut tree = small();
    let mut rows = vec![[5.0, 5.0, 6.0, 6.0]; 5000];
    rows.extend([[0.0, 0.0, 0.5, 0.5], [100.0, 90.0, 101.0, 99.0]]);
    tree.update(Columns::of(rows.clone()).boxes(), &Serial)
        .unwrap();
    assert_eq!(tree.validate(), Ok(()));
    assert!(tree.nodes.used() <= 30, "{} blocks", tree.nodes.used());
    // They part.
    for (k, [x0, _, x1, _]) in (0..5000_u32).zip(&mut rows) {
        *x0 += scattered(k) * 50.0;
        *x1 = *x0 + 1.0;
    }
    tree.update(Columns::of(rows).boxes(), &Serial).unwrap();
    assert_eq!(tree.validate(), Ok(()));
    assert!(tree.leaves() > 1000, "{} leaves", tree.leaves());
}

#[test]
fn a_crowd_far_from_the_first_is_divided_too() {
    let mut tree = small();
    let mut rows = vec![[-1e30, -1e30, -1e30, -1e30], [1e30, 1e30, 1e30, 1e30]];
    tree.update(Columns::of(rows.clone()).boxes(), &Serial)
        .unwrap();
    rows.extend((0..5000).map(|k| {
        let (x, y) = (scattered(2 * k) * 100.0, scattered(2 * k + 1) * 100.0);
        [x, y, x + 1.0, y + 1.0]
    }));
    tree.update(Columns::of(rows).boxes(), &Serial).unwrap();
    assert_eq!(tree.validate(), Ok(()));
    assert!(tree.leaves() > 1000, "{} leaves", tree.leaves());
}

#[test]
fn a_crowd_that_leaves_the_region_is_followed() {
    let mut tree = small();
    let mut crowd = spread_out(5000, 100.0);
    tree.update(crowd.boxes(), &Serial).unwrap();
    for far in [1e3, 1e5, 1e6] {
        for column in &mut crowd.0 {
            column.iter_mut().for_each(|side| *side += far);
        }
        tree.update(crowd.boxes(), &Serial).unwrap();
        assert_eq!(tree.validate(), Ok(()));
        assert!(tree.leaves() > 1000, "{} leaves at {far}", tree.leaves());
    }
}

#[test]
fn updates_do_not_depend_on_threads() {
    let mut frames = Vec::new();
    for threads in [1, 2, 3, 8] {
        let mut tree = small();
        let mut crowd = spread_out(30_000, 1000.0);
        for frame in 0..4 {
            for column in &mut crowd.0 {
                column
                    .iter_mut()
                    .for_each(|side| *side += 0.7 * frame as f32);
            }
            let report = tree.update(crowd.boxes(), &Threads(threads)).unwrap();
            assert_eq!(tree.validate(), Ok(()));
            frames.push((report, tree.leaves.clone(), tree.slots.clone()));
        }
    }
    let (first, others) = frames.split_at(4);
    assert!(others.chunks(4).all(|frames| frames == first));
}

#[test]
fn a_panic_of_the_executor_leaves_an_empty_tree() {
    struct Failing;
    impl Executor for Failing {
        fn threads(&self) -> usize {
            1
        }
        fn run(&self, _: usize, task: &(dyn Fn(usize) + Sync)) {
            task(0);
            panic!("meant to panic");
        }
    }
    let mut tree = small();
    let crowd = spread_out(3000, 100.0);
    tree.update(crowd.boxes(), &Serial).unwrap();
    let update = || tree.update(crowd.boxes(), &Failing);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(update));
    assert!(outcome.is_err());
    assert_eq!((tree.len(), tree.validate()), (0, Ok(())));
    assert_eq!(tree.update(crowd.boxes(), &Serial).unwrap().rows, 3000);
}
