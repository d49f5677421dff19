//! Every pair with another structure exactly once, in the same order, whichever side's leaves are walked.

use crate::common::configs;
use crate::scenes::scenes;
use std::sync::Arc;
use throng_core::{Arena, Boxes, MaskWords, PairOrder, RowMasks, Serial, SimdLevel, run_each};
use throng_quadtree::{PackedConfig, PackedQuadtree, SharedBytes};
use throng_scenes::{
    BoxScene, THREADS, Threads, log_uniform_boxes, overlapping_pairs_between, sorted,
};

use crate::common::build;

fn masks(rows: usize, kinds: usize) -> Vec<u16> {
    (0..rows).map(|row| (row % kinds) as u16).collect()
}

/// Three kinds of masks; the third meets nobody.
const PALETTE: [MaskWords; 3] = [
    MaskWords::ALL,
    MaskWords {
        memberships: 1,
        filter: !1,
    },
    MaskWords {
        memberships: 2,
        filter: 0,
    },
];

/// Searched on this many threads, in chunk order.
fn meet(
    tree: &PackedQuadtree,
    other: &PackedQuadtree,
    masks: [Option<RowMasks<'_>>; 2],
    order: PairOrder,
    threads: usize,
) -> Vec<[u32; 2]> {
    let chunks = tree.meet_chunks(other);
    let mut found = vec![Vec::new(); chunks];
    run_each(&Threads(threads), &mut found, |chunk, found| {
        let mut visit = |batch: &[[u32; 2]]| found.extend_from_slice(batch);
        let mut arena = Arena::new();
        let stats = tree.meet_in_chunk(other, chunk, masks, order, &mut arena, &mut visit);
        assert_eq!(stats.pairs, found.len() as u64);
        assert!(stats.candidates >= stats.pairs);
    });
    found.concat()
}

fn check(left: &BoxScene, right: &BoxScene, config: PackedConfig) {
    let (left, right) = (&left.unmasked(), &right.unmasked());
    let what = format!("{} and {}, {config:?}", left.name, right.name);
    let expected = overlapping_pairs_between(left, right);
    let classes = [masks(left.len(), 3), masks(right.len(), 2)];
    let by_class = classes.each_ref().map(|classes| {
        Some(RowMasks::Classes {
            classes,
            palette: &PALETTE,
        })
    });
    let agree = |[a, b]: [u32; 2]| {
        let of = |side: usize, row: u32| PALETTE[usize::from(classes[side][row as usize])];
        of(0, a).meets(of(1, b))
    };
    let admitted: Vec<_> = expected
        .iter()
        .copied()
        .filter(|&pair| agree(pair))
        .collect();
    let other = build(right, config, &Serial);
    let mut first: Option<[Vec<[u32; 2]>; 2]> = None;
    for &level in SimdLevel::available() {
        let tree = build(left, config.simd(level), &Serial);
        for threads in THREADS {
            let found = [[None; 2], by_class]
                .map(|masks| meet(&tree, &other, masks, PairOrder::Left, threads));
            assert!(sorted(found[0].clone()) == expected, "{what}, {level}");
            assert!(
                sorted(found[1].clone()) == admitted,
                "{what}, {level}, masked"
            );
            let first = first.get_or_insert_with(|| found.clone());
            assert!(
                *first == found,
                "{what}, {level} on {threads} threads: another order"
            );
        }
        let turned = meet(&tree, &other, [None; 2], PairOrder::Right, 1);
        assert!(
            turned
                .iter()
                .map(|&[a, b]| [b, a])
                .eq(first.iter().flat_map(|first| first[0].iter().copied()))
        );
        let mut one_by_one = Vec::new();
        tree.for_each_meeting(&other, [None; 2], |a, b| one_by_one.push([a, b]));
        assert!(
            first.as_ref().is_some_and(|first| first[0] == one_by_one),
            "{what}"
        );
    }
}

#[test]
fn of_adversarial_scenes() {
    let (walls, dragons) = (scenes(400, 50), scenes(60, 51));
    for (index, left) in walls.iter().enumerate() {
        let config = configs()[index % 4];
        check(left, &dragons[(index * 5 + 1) % dragons.len()], config);
    }
}

#[test]
fn of_larger_scenes() {
    let walls = log_uniform_boxes(9000, [0.5, 40.0], 1.0, 52);
    check(
        &walls,
        &log_uniform_boxes(300, [5.0, 300.0], 1.0, 53),
        PackedConfig::new(),
    );
    check(&walls, &walls, PackedConfig::new());
}

#[test]
fn with_nothing() {
    let empty = PackedQuadtree::build(
        Boxes::new([&[]; 2], [&[]; 2]).unwrap(),
        PackedConfig::new(),
        &Serial,
    )
    .unwrap();
    let walls = build(
        &log_uniform_boxes(100, [1.0, 9.0], 1.0, 54),
        PackedConfig::new(),
        &Serial,
    );
    assert_eq!(
        (walls.meet_chunks(&empty), empty.meet_chunks(&walls)),
        (0, 0)
    );
}

/// A shared tree is the same tree, and its clones share its bytes.
#[test]
fn of_shared_trees() {
    let scene = log_uniform_boxes(2000, [1.0, 30.0], 1.0, 55);
    let owned = build(&scene, PackedConfig::new(), &Serial);
    let bytes = owned.as_bytes().to_vec();
    let shared = owned.into_shared();
    let clone = shared.clone();
    assert!(std::ptr::eq(shared.as_bytes(), clone.as_bytes()) && *clone.as_bytes() == *bytes);
    assert_eq!(
        format!("{:?}", shared.clone().into_bytes()),
        format!("SharedBytes({} bytes)", bytes.len())
    );

    let aligned = Arc::new(throng_quadtree::AlignedBytes::from(&bytes[..]));
    struct Part(Arc<throng_quadtree::AlignedBytes>);
    impl AsRef<[u8]> for Part {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let loaded = PackedQuadtree::from_bytes(SharedBytes::new(Part(aligned))).unwrap();
    let other = PackedQuadtree::build(scene.boxes(), PackedConfig::new(), &Serial).unwrap();
    let mut found = Vec::new();
    loaded.for_each_meeting(&other, [None; 2], |a, b| found.push([a, b]));
    assert_eq!(sorted(found), overlapping_pairs_between(&scene, &scene));
}
