//! The index of a category of scenery: packed once, and kept until the scenery changes.

use fixedbitset::FixedBitSet;
use throng_core::{Boxes, Executor, Serial, SimdLevel};
use throng_quadtree::{PackedConfig, PackedQuadtree, SharedBytes};

use crate::world::columns::ProxyColumns;

/// A packed quadtree whose bytes may have several owners: cheap to clone, and its
/// [`as_bytes`](PackedQuadtree::as_bytes) are its file.
pub type Scenery = PackedQuadtree<SharedBytes>;

/// The tree of the last index, and what the next one has to do.
pub(crate) struct SceneryIndex {
    pub(crate) tree: Scenery,
    next: Next,
    simd: Option<SimdLevel>,
}

enum Next {
    /// Nothing has changed.
    Keep,
    /// Rows have: pack them.
    Pack,
    /// Rows have, to what is in this tree.
    Adopt(Scenery),
}

impl SceneryIndex {
    /// An empty index.
    pub(crate) fn new(simd: Option<SimdLevel>) -> Self {
        Self {
            tree: nothing(simd),
            next: Next::Keep,
            simd,
        }
    }

    /// To be called whenever a row comes, goes, moves, or is enabled or disabled.
    #[inline]
    pub(crate) fn changed(&mut self) {
        self.next = Next::Pack;
    }

    /// To be called when rows are exactly what is in `tree`.
    pub(crate) fn adopt(&mut self, tree: Scenery) {
        self.next = Next::Adopt(tree);
    }

    pub(crate) fn clear(&mut self) {
        self.tree = nothing(self.simd);
        self.next = Next::Keep;
    }

    /// Brings the tree up to date with the columns. Returns how many rows were packed for it.
    pub(crate) fn update(
        &mut self,
        columns: &ProxyColumns,
        absent: Option<&FixedBitSet>,
        executor: &dyn Executor,
    ) -> usize {
        match &self.next {
            Next::Keep => return 0,
            Next::Adopt(tree) => {
                self.tree = tree.clone();
                self.next = Next::Keep;
                return 0;
            }
            Next::Pack => {}
        }
        self.tree = pack(boxes_of(columns), absent, self.simd, executor);
        // Only now: an executor that panics must not leave half a tree.
        self.next = Next::Keep;
        columns.len()
    }

    /// The rows as a tree of their own, without those that are absent; rows behind an absent one move up.
    pub(crate) fn packed(&self, columns: &ProxyColumns, absent: Option<&FixedBitSet>) -> Scenery {
        match (&self.next, absent) {
            (Next::Keep, None) => self.tree.clone(),
            (Next::Adopt(tree), None) => tree.clone(),
            _ => {
                let is_present = |row: usize| absent.is_none_or(|absent| !absent.contains(row));
                let all = boxes_of(columns).iter().enumerate();
                let present = all.filter(|(row, _)| is_present(*row));
                let present: Vec<_> = present.map(|(_, corners)| *corners).collect();
                pack(&present, None, self.simd, &Serial)
            }
        }
    }

    /// The tree as this world searches it.
    pub(crate) fn with_level(&self, tree: &Scenery) -> Scenery {
        let tree = tree.clone();
        match self.simd {
            Some(level) => tree
                .simd(level)
                .expect("a checked config names a level that there is"),
            None => tree,
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes()
    }
}

fn boxes_of(columns: &ProxyColumns) -> &[[[f32; 2]; 2]] {
    columns.boxes.values().expect("scenery keeps its boxes")
}

fn nothing(simd: Option<SimdLevel>) -> Scenery {
    pack(&[], None, simd, &Serial)
}

fn pack(
    boxes: &[[[f32; 2]; 2]],
    absent: Option<&FixedBitSet>,
    simd: Option<SimdLevel>,
    executor: &dyn Executor,
) -> Scenery {
    let side = |corner: usize, axis: usize| -> Vec<f32> {
        boxes.iter().map(|corners| corners[corner][axis]).collect()
    };
    let sides = [side(0, 0), side(0, 1), side(1, 0), side(1, 1)];
    let [min_x, min_y, max_x, max_y] = sides.each_ref().map(|side| &side[..]);
    let boxes = Boxes::new([min_x, min_y], [max_x, max_y]).expect("columns of one length");
    let boxes = absent.map_or(boxes, |absent| boxes.without(absent));
    let mut config = PackedConfig::new();
    config.simd = simd;
    let tree = PackedQuadtree::build(boxes, config, executor);
    tree.expect("a checked config, and no more rows than fit")
        .into_shared()
}
