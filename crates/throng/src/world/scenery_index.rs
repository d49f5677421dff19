//! The index of a category of scenery: packed once, and from then on brought up to date where something changes.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{Boxes, Executor, Serial, SimdLevel};
use throng_quadtree::{PackedConfig, PackedForest, PackedQuadtree, SharedBytes};

use crate::world::columns::ProxyColumns;
use crate::world::scenery_changes::SceneryChanges;

/// A packed quadtree whose bytes may have several owners: cheap to clone. Made [from boxes](PackedQuadtree::from_boxes), from a
/// [category](crate::Broadphase::pack_scenery), or from [bytes](PackedQuadtree::from_bytes). To save it to a file, write its
/// [`as_bytes`](PackedQuadtree::as_bytes).
pub type Scenery = PackedQuadtree<SharedBytes>;

/// The trees of the last index, and what has changed since.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct SceneryIndex {
    pub(crate) forest: PackedForest,
    pub(crate) changes: SceneryChanges,
    simd: Option<SimdLevel>,
}

impl SceneryIndex {
    /// An empty index.
    pub(crate) fn new(simd: Option<SimdLevel>) -> Self {
        let config = config(simd);
        let mut changes = SceneryChanges::default();
        changes.restart();
        Self {
            forest: PackedForest::new(config).expect("a checked config"),
            changes,
            simd,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.forest.clear();
        self.changes.restart();
    }

    /// Updates the trees from the columns. Returns how many rows were packed.
    pub(crate) fn update(
        &mut self,
        columns: &ProxyColumns,
        disabled: Option<&FixedBitSet>,
        executor: &dyn Executor,
    ) -> usize {
        if self.changes.are_none() {
            // Whoever had to wake for something else that has changed has been found by now.
            self.changes.restart();
            return 0;
        }
        // An executor that panics leaves everything to be packed anew.
        let mut changes = std::mem::take(&mut self.changes);
        let applied = changes.apply_to(&mut self.forest, columns, disabled, executor);
        let packed = applied.unwrap_or_else(|| {
            let tree = pack(boxes_of(columns), disabled, self.simd, executor);
            self.forest.clear();
            self.forest.adopt(&tree, 0).expect("as many rows as fit");
            columns.len()
        });
        changes.restart();
        self.changes = changes;
        packed
    }

    /// The rows as a tree of their own, without disabled ones; later rows move up.
    pub(crate) fn packed(&self, columns: &ProxyColumns, disabled: Option<&FixedBitSet>) -> Scenery {
        let as_it_is = match self.changes.are_added_trees() {
            Some([]) => self.forest.as_tree(),
            Some([added]) if self.forest.is_empty() && added.first == 0 => Some(added.tree.clone()),
            _ => None,
        };
        // One that was packed when there were others, disabled, numbers them too.
        let is_of_all = |tree: &Scenery| [tree.len(), tree.rows()] == [columns.len(); 2];
        match as_it_is {
            Some(tree) if disabled.is_none() && is_of_all(&tree) => tree,
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

    pub(crate) fn memory_bytes(&self) -> usize {
        self.forest.memory_bytes() + self.changes.memory_bytes()
    }
}

/// Trees searched with the instruction set of this world.
fn config(simd: Option<SimdLevel>) -> PackedConfig {
    let mut config = PackedConfig::new();
    config.simd = simd;
    config
}

fn boxes_of(columns: &ProxyColumns) -> &[[[f32; 2]; 2]] {
    columns.boxes.values().expect("scenery keeps its boxes")
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
    let tree = PackedQuadtree::build(boxes, config(simd), executor);
    tree.expect("a checked config, and no more rows than fit")
        .into_shared()
}
