//! The index of a category of scenery: packed once, and kept until the scenery changes.

use fixedbitset::FixedBitSet;
use throng_core::{Boxes, Executor, Serial, SimdLevel};
use throng_quadtree::{PackedConfig, PackedQuadtree, SharedBytes};

use crate::world::columns::ProxyColumns;

/// A packed quadtree whose bytes may have several owners: cheap to clone. To save it to a file, write its
/// [`as_bytes`](PackedQuadtree::as_bytes).
pub type Scenery = PackedQuadtree<SharedBytes>;

/// The tree of the last index, and what has to be done for the next.
pub(crate) struct SceneryIndex {
    pub(crate) tree: Scenery,
    next: Next,
    simd: Option<SimdLevel>,
}

enum Next {
    /// Nothing has changed: keep the tree.
    Keep,
    /// Rows have changed: pack them.
    Pack,
    /// Rows have been replaced by those of this tree.
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

    /// To be called whenever a row is inserted, removed, moved, enabled or disabled.
    #[inline]
    pub(crate) fn changed(&mut self) {
        self.next = Next::Pack;
    }

    /// Whether rows have changed since the last update.
    pub(crate) fn is_stale(&self) -> bool {
        !matches!(self.next, Next::Keep)
    }

    /// To be called when the rows are exactly those of `tree`.
    pub(crate) fn adopt(&mut self, tree: Scenery) {
        self.next = Next::Adopt(tree);
    }

    pub(crate) fn clear(&mut self) {
        self.tree = nothing(self.simd);
        self.next = Next::Keep;
    }

    /// Updates the tree from the columns. Returns how many rows were packed.
    pub(crate) fn update(
        &mut self,
        columns: &ProxyColumns,
        disabled: Option<&FixedBitSet>,
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
        self.tree = pack(boxes_of(columns), disabled, self.simd, executor);
        // Only now: an executor that panics must not leave half a tree.
        self.next = Next::Keep;
        columns.len()
    }

    /// The rows as a tree of their own, without disabled ones; later rows move up.
    pub(crate) fn packed(&self, columns: &ProxyColumns, disabled: Option<&FixedBitSet>) -> Scenery {
        match (&self.next, disabled) {
            (Next::Keep, None) => self.tree.clone(),
            (Next::Adopt(tree), None) => tree.clone(),
            _ => {
                let is_present =
                    |row: usize| disabled.is_none_or(|disabled| !disabled.contains(row));
                let all = boxes_of(columns).iter().enumerate();
                let present = all.filter(|(row, _)| is_present(*row));
                let present: Vec<_> = present.map(|(_, corners)| *corners).collect();
                pack(&present, None, self.simd, &Serial)
            }
        }
    }

    /// The tree with the instruction set of this world.
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
    disabled: Option<&FixedBitSet>,
    simd: Option<SimdLevel>,
    executor: &dyn Executor,
) -> Scenery {
    let side = |corner: usize, axis: usize| -> Vec<f32> {
        boxes.iter().map(|corners| corners[corner][axis]).collect()
    };
    let sides = [side(0, 0), side(0, 1), side(1, 0), side(1, 1)];
    let [min_x, min_y, max_x, max_y] = sides.each_ref().map(|side| &side[..]);
    let boxes = Boxes::new([min_x, min_y], [max_x, max_y]).expect("columns of one length");
    let boxes = disabled.map_or(boxes, |disabled| boxes.without(disabled));
    let mut config = PackedConfig::new();
    config.simd = simd;
    let tree = PackedQuadtree::build(boxes, config, executor);
    tree.expect("a checked config, and no more rows than fit")
        .into_shared()
}
