//! Boxes of which few change: several packed trees, searched as one.
//!
//! A packed tree has no room for another box. So boxes that come are packed into a small tree of their own beside the large
//! one, and small trees are merged into larger ones now and then: the logarithmic method (Bentley and Saxe, "Decomposable
//! Searching Problems I: Static-to-Dynamic Transformation", 1980). A box that goes leaves its slot empty, which every search
//! skips anyway; and one that moves a little, within the bounds of its leaf, stays in its slot.
//!
//! Two other ways were considered. A list of struck rows beside trees that never change would keep shared bytes shared, but
//! would have to be asked for each hit of each search. A tree with room in its leaves and splits, as in a database, needs no
//! merging, but is no longer its own file, and its leaves lie scattered.

mod bytes;
mod change;
mod merge;
mod search;
mod sources;

use super::{PackedConfig, PackedError, PackedQuadtree, SharedBytes};
use bytes::ForestBytes;
use educe::Educe;
use throng_core::{Aabb, Simd, SimdLevel};

pub use change::{BoxChange, ForestError};

/// Boxes that hardly ever change: scenery of which walls break, doors open, and pieces are streamed in and out.
///
/// A few [`PackedQuadtree`]s, which together answer as one tree of all their boxes would, but for the order. Each box has
/// a row number, given by the caller. If all boxes were packed or adopted together and none has changed since, there is one
/// tree, and searches are as fast as in a tree of its own.
///
/// | what | costs |
/// |---|---|
/// | a box that goes, gets another row, or moves within its leaf | a search for it |
/// | one that comes, or moves farther | being packed dozens of times in all, as more come and small trees are merged |
/// | a tree that is [adopted](Self::adopt) | nothing if its rows keep their numbers, otherwise a copy of its bytes |
///
/// Searches take `&self`, allocate nothing, and may run on any number of threads. They visit rows in an order that depends
/// only on the boxes, the config and earlier changes.
///
/// ```
/// use throng_core::{Aabb, Serial};
/// use throng_quadtree::{BoxChange, PackedConfig, PackedForest};
///
/// let mut walls = PackedForest::new(PackedConfig::new())?;
/// let brick = |x: f32| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
/// let laid: Vec<_> = (0..9).map(|row| Ok(BoxChange::Insert { row, aabb: brick(row as f32)? })).collect::<Result<_, throng_core::AabbError>>()?;
/// walls.apply(&laid, &Serial)?;
/// // The last takes the number of one that breaks.
/// let broken = BoxChange::Remove { row: 3, aabb: brick(3.0)? };
/// let last = BoxChange::Rename { row: 8, aabb: brick(8.0)?, to: 3 };
/// walls.apply(&[broken, last], &Serial)?;
/// let mut rows = Vec::new();
/// let _ = walls.query_aabb(&Aabb::new([3.5, 0.5], [9.5, 0.5])?, |row, _| {
///     rows.push(row);
///     std::ops::ControlFlow::<()>::Continue(())
/// });
/// rows.sort_unstable();
/// assert_eq!(rows, [3, 4, 5, 6, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Educe)]
#[educe(Clone)]
pub struct PackedForest {
    trees: Vec<Tree>,
    config: PackedConfig,
    simd: Simd,
}

/// One of the trees.
#[derive(Clone, Debug)]
struct Tree {
    packed: PackedQuadtree<ForestBytes>,
    /// Bounds of its boxes; perhaps wider.
    bounds: Aabb,
    /// How many boxes it was packed with.
    packed_with: usize,
    /// Whether its bytes are those of a file of this forest: nothing in it has changed, and its rows begin at 0, in order.
    is_as_packed: bool,
}

impl PackedForest {
    /// A forest without boxes, whose trees will be packed as the config says.
    ///
    /// # Errors
    ///
    /// If a count in the config is out of range, or this machine does not have the instruction set.
    pub fn new(config: PackedConfig) -> Result<Self, PackedError> {
        Ok(Self {
            trees: Vec::new(),
            config,
            simd: config.check()?,
        })
    }

    /// Removes all boxes.
    pub fn clear(&mut self) {
        self.trees.clear();
    }

    /// Adds the boxes of a tree, each with the number of its row in the tree plus `first_row`. If that is 0, the tree's bytes
    /// are shared until one of its boxes changes; otherwise they are copied. O(boxes), or less.
    ///
    /// A row that is in the forest already must be taken out or renamed before the next search.
    ///
    /// # Errors
    ///
    /// If the last row has too high a number. The forest is unchanged then.
    pub fn adopt(
        &mut self,
        tree: &PackedQuadtree<SharedBytes>,
        first_row: u32,
    ) -> Result<(), PackedError> {
        let rows = tree.rows().saturating_add(first_row as usize);
        change::check_rows(rows)?;
        let Some(bounds) = tree.bounds() else {
            return Ok(());
        };
        let mut packed = tree.clone().map_bytes(ForestBytes::Given);
        packed.simd = self.simd;
        if first_row > 0 {
            packed.rename_rows(|row| row + first_row);
            packed.header.rows = rows;
        }
        self.trees.push(Tree {
            bounds,
            packed_with: packed.len(),
            is_as_packed: first_row == 0,
            packed,
        });
        Ok(())
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.trees.iter().map(|tree| tree.packed.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// How many trees they are in: one if nothing has changed since all were packed.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// How many leaves these have.
    pub fn leaves(&self) -> usize {
        self.trees.iter().map(|tree| tree.packed.leaves()).sum()
    }

    /// Bounds of all boxes; perhaps wider, if some have gone. `None` if there are none. O(trees).
    pub fn bounds(&self) -> Option<Aabb> {
        let bounds = self.trees.iter().map(|tree| tree.bounds);
        bounds.reduce(|all, one| all.union(&one))
    }

    /// Bytes that the trees take, shared ones included.
    pub fn memory_bytes(&self) -> usize {
        let trees = self.trees.iter().map(|tree| tree.packed.memory_bytes());
        trees.sum::<usize>() + self.trees.capacity() * size_of::<Tree>()
    }

    /// All boxes as one tree, if they are one as it was packed or adopted: cheap to clone, and without any copying.
    #[must_use]
    pub fn as_tree(&self) -> Option<PackedQuadtree<SharedBytes>> {
        match &self.trees[..] {
            [tree] if tree.is_as_packed => Some(tree.packed.clone().map_bytes(SharedBytes::from)),
            _ => None,
        }
    }

    /// The instruction set that it searches with.
    pub fn level(&self) -> SimdLevel {
        self.simd.level()
    }

    /// Checks every invariant. O(boxes).
    ///
    /// # Errors
    ///
    /// The first that is broken, in words.
    pub fn validate(&self) -> Result<(), String> {
        let mut rows = std::collections::HashSet::new();
        for (index, tree) in self.trees.iter().enumerate() {
            let packed = &tree.packed;
            let checked = if tree.is_as_packed {
                packed.validate()
            } else {
                packed.validate_changed()
            };
            checked.map_err(|broken| format!("tree {index}: {broken}"))?;
            if packed.is_empty() {
                return Err(format!("tree {index} is empty"));
            }
            let mut problem = Ok(());
            packed.for_each_box(|row, aabb| {
                if !rows.insert(row) {
                    problem = Err(format!("tree {index}: row {row} a second time"));
                }
                if !tree.bounds.contains(&aabb) {
                    problem = Err(format!("tree {index}: {aabb} of row {row} sticks out"));
                }
            });
            problem?;
        }
        Ok(())
    }
}
