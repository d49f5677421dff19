//! What a tree does that only its parts show: how deep it becomes, and what it gives back.

use super::{LooseQuadtree, LooseQuadtreeConfig};
use crate::LooseStructure;
use throng_core::{Boxes, Executor, Serial};
use throng_scenes::Threads;

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
        (tree.nodes.used(), tree.bundles.used(), tree.cells()),
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
    assert!(tree.cells() > 1000, "{} leaves", tree.cells());
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
    assert!(tree.cells() > 1000, "{} leaves", tree.cells());
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
        assert!(tree.cells() > 1000, "{} leaves at {far}", tree.cells());
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

/// Misfits are counted only when there may be many: not for a few changes among many rows, but before another region is considered.
#[test]
fn misfits_are_counted_when_there_may_be_many() {
    let mut tree = small();
    let mut all = spread_out(4_000, 200.0);
    tree.update(all.boxes(), &Serial).unwrap();
    let few = 4_000 / 16 + super::clean_up::FEW_MISFITS;
    for frame in 0..20 {
        // Everything moves, so everything may be a misfit, and is counted.
        for side in &mut all.0 {
            side.iter_mut().for_each(|side| *side += 0.01);
        }
        let report = tree.update(all.boxes(), &Serial).unwrap();
        assert!(!report.planned, "in frame {frame}");
        let counted = tree.count_misfits();
        assert_eq!(tree.most_misfits, counted, "in frame {frame}");
        assert!(counted < few);
    }
    let counted = tree.most_misfits;
    for row in 0..3 {
        tree.remove(row).unwrap();
    }
    tree.clean_up();
    let not_counted = counted + 1..counted + 3 * 4;
    assert!(
        not_counted.contains(&tree.most_misfits),
        "not counted again"
    );
    assert!(tree.count_misfits() <= counted);

    // So many go far away that another region is better.
    for side in &mut all.0 {
        side[..1_000].iter_mut().for_each(|side| *side += 1e5);
    }
    assert!(tree.update(all.boxes(), &Serial).unwrap().planned);
    tree.clear();
    assert_eq!(tree.most_misfits, 0);
}
