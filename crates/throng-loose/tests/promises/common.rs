//! Every structure behind one face, searched by any number of threads.

use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxSource, Boxes, Executor, PairOrder, RowMasks, SearchStats, SimdLevel, run_each,
};
use throng_loose::{
    AnyStructure, BoxStrips, DoubleGrid, DoubleGridConfig, LooseQuadtree, LooseQuadtreeConfig,
    LooseStructure, StripsConfig, UpdateReport,
};
use throng_scenes::{BoxScene, sorted};

/// Makes an empty structure.
pub type Make = fn(SimdLevel) -> AnyStructure;

/// Every structure there is. The tree's leaves are small, so that small scenes make it deep.
pub const STRUCTURES: [(&str, Make); 3] = [
    ("strips", |level| {
        AnyStructure::Strips(BoxStrips::new(StripsConfig::new().simd(level)).unwrap())
    }),
    ("double grid", |level| {
        AnyStructure::DoubleGrid(DoubleGrid::new(DoubleGridConfig::new().simd(level)).unwrap())
    }),
    ("quadtree", |level| {
        let config = LooseQuadtreeConfig::new().split_above(12).simd(level);
        AnyStructure::Quadtree(LooseQuadtree::new(config).unwrap())
    }),
];

/// Every structure with settings that nobody chose for the scene: some size, and one that follows from it.
pub fn of_some_size(size: f32, level: SimdLevel) -> [(&'static str, AnyStructure); 3] {
    let strips = StripsConfig::new().strip_height(size).simd(level);
    let grid = DoubleGridConfig::new().loose_cell(size).simd(level);
    let rows = 1 + size as usize;
    let tree = LooseQuadtreeConfig::new().split_above(rows).simd(level);
    [
        (
            "strips",
            AnyStructure::Strips(BoxStrips::new(strips).unwrap()),
        ),
        (
            "double grid",
            AnyStructure::DoubleGrid(DoubleGrid::new(grid).unwrap()),
        ),
        (
            "quadtree",
            AnyStructure::Quadtree(LooseQuadtree::new(tree).unwrap()),
        ),
    ]
}

/// A structure of the scene's rows.
pub fn build(
    make: Make,
    scene: &BoxScene,
    level: SimdLevel,
    executor: &dyn Executor,
) -> AnyStructure {
    let mut structure = make(level);
    update(&mut *structure, scene, executor);
    structure
}

/// Brings the structure to the scene, all of whose rows are present.
pub fn update(
    structure: &mut dyn LooseStructure,
    scene: &BoxScene,
    executor: &dyn Executor,
) -> UpdateReport {
    update_from(structure, scene.boxes(), &scene.name, executor)
}

/// Brings the structure to some rows, and checks its word on how many it holds.
pub fn update_from(
    structure: &mut dyn LooseStructure,
    boxes: Boxes<'_>,
    name: &str,
    executor: &dyn Executor,
) -> UpdateReport {
    let report = structure.update(boxes, executor).unwrap();
    let present = (0..boxes.len()).filter(|&row| boxes.is_present(row));
    let (sound, unsound): (Vec<_>, Vec<_>) = present.partition(|&row| boxes.is_sound(row));
    let counted = (report.rows, report.rejected, structure.len());
    assert_eq!(
        counted,
        (sound.len(), unsound.len(), sound.len()),
        "{name}: rows, rejected, len"
    );
    validate(structure, name);
    report
}

pub fn validate(structure: &dyn LooseStructure, name: &str) {
    if let Err(broken) = structure.validate() {
        panic!("{name}: {broken}");
    }
}

/// All pairs in chunk order, searched by the executor's threads.
pub fn pairs(
    structure: &dyn LooseStructure,
    masks: Option<RowMasks<'_>>,
    executor: &dyn Executor,
) -> Vec<[u32; 2]> {
    in_chunks(structure.chunks(), executor, |chunk, arena, visit| {
        structure.pairs_in_chunk(chunk, masks, arena, visit)
    })
}

/// All meetings in chunk order, searched by the executor's threads.
pub fn meetings(
    structure: &dyn LooseStructure,
    other: &dyn BoxSource,
    masks: [Option<RowMasks<'_>>; 2],
    order: PairOrder,
    executor: &dyn Executor,
) -> Vec<[u32; 2]> {
    let chunks = structure.meet_chunks(other);
    in_chunks(chunks, executor, |chunk, arena, visit| {
        structure.meet_in_chunk(other, chunk, masks, order, arena, visit)
    })
}

type Visit<'v> = &'v mut dyn FnMut(&[[u32; 2]]);

fn in_chunks(
    chunks: usize,
    executor: &dyn Executor,
    search: impl Fn(usize, &mut Arena, Visit<'_>) -> SearchStats + Sync,
) -> Vec<[u32; 2]> {
    let mut found = vec![Vec::new(); chunks];
    run_each(executor, &mut found, |chunk, found| {
        let mut visit = |batch: &[[u32; 2]]| {
            assert!(!batch.is_empty());
            found.extend_from_slice(batch);
        };
        let stats = search(chunk, &mut Arena::new(), &mut visit);
        assert_eq!(stats.pairs, found.len() as u64);
        assert!(stats.candidates >= stats.pairs);
    });
    found.concat()
}

/// What a query visits, in its order, until its visitor breaks, which it does at `most` rows.
pub fn query(structure: &dyn LooseStructure, window: &Aabb, most: usize) -> Vec<(u32, Aabb)> {
    let mut found = Vec::new();
    let flow = structure.query_aabb(window, &mut |row, aabb| {
        found.push((row, aabb));
        if found.len() == most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(flow.is_break(), found.len() == most);
    found
}

/// Every row that a query visits, ascending.
pub fn rows_touching(structure: &dyn LooseStructure, window: &Aabb) -> Vec<u32> {
    let found = query(structure, window, usize::MAX).into_iter();
    sorted(found.map(|(row, _)| row).collect())
}
