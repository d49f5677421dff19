//! From columns of boxes to a tree's bytes.

mod blocks;
mod giants;
mod order;
mod records;
mod spread;

use super::header::{HEADER, Header, LEAF, NODE};
use super::levels::Levels;
use super::view::Column;
use super::{
    AlignedBytes, MOST_PACKED_ROWS, PackedConfig, PackedError, PackedQuadtree, SharedBytes,
};
use throng_core::{Aabb, Boxes, Executor, default_executor};

impl PackedQuadtree<SharedBytes> {
    /// A tree of these boxes, each in the row of its number, over bytes that can be shared. On the default executor; otherwise as
    /// [`build`](PackedQuadtree::build) with the default config.
    ///
    /// ```
    /// use throng_core::Aabb;
    /// use throng_quadtree::PackedQuadtree;
    ///
    /// let walls = [Aabb::new([0.0, 0.0], [1.0, 8.0])?, Aabb::new([4.0, 1.0], [5.0, 2.0])?];
    /// let tree = PackedQuadtree::from_boxes(&walls)?;
    /// let mut rows = Vec::new();
    /// tree.find_in_aabb(&walls[1], &mut rows);
    /// assert_eq!(rows, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PackedError::TooManyRows`].
    pub fn from_boxes(boxes: &[Aabb]) -> Result<Self, PackedError> {
        let boxes = boxes.iter().copied();
        let tree = PackedQuadtree::build_of(boxes, PackedConfig::new(), default_executor())?;
        Ok(tree.into_shared())
    }
}

impl PackedQuadtree {
    /// A tree of these boxes, each in the row of its number.
    pub(super) fn build_of(
        boxes: impl Iterator<Item = Aabb> + Clone,
        config: PackedConfig,
        executor: &dyn Executor,
    ) -> Result<Self, PackedError> {
        let side = |of: fn(Aabb) -> f32| -> Vec<f32> { boxes.clone().map(of).collect() };
        let [min_x, min_y] = [side(|aabb| aabb.min()[0]), side(|aabb| aabb.min()[1])];
        let [max_x, max_y] = [side(|aabb| aabb.max()[0]), side(|aabb| aabb.max()[1])];
        let columns = Boxes::new([&min_x, &min_y], [&max_x, &max_y]).expect("of one length");
        Self::build(columns, config, executor)
    }

    /// A tree of the rows that are present and valid boxes. O(rows · log rows), in parallel, using some 70 bytes a
    /// row while it runs. The bytes depend only on the boxes and the config, not on the executor or the instruction
    /// set. With another version of the standard library, whose selection is used, boxes may come in another order.
    ///
    /// A row that is not a valid box is left out and counted: see [`rejected`](Self::rejected).
    ///
    /// # Errors
    ///
    /// If a count in the config is out of range, this machine does not have the instruction set, or there are too
    /// many rows.
    pub fn build(
        boxes: Boxes<'_>,
        config: PackedConfig,
        executor: &dyn Executor,
    ) -> Result<Self, PackedError> {
        let simd = config.check()?;
        if boxes.len() > MOST_PACKED_ROWS {
            let given = boxes.len();
            return Err(PackedError::TooManyRows { given });
        }
        let leaf_size = config.leaf_size;
        let mut sides = vec![[0.0; 4]; boxes.len()];
        let (mut records, rejected) = records::of(&boxes, &mut sides, executor);
        let leaves = records.len().div_ceil(leaf_size);
        let header = Header {
            rows: boxes.len(),
            boxes: records.len(),
            rejected,
            leaf_size,
            levels: Levels::over(leaves as u32, config.max_depth),
        };
        order::order(&mut records, leaf_size, &header.levels, executor);

        // If it is more than the address space, the allocation fails, as it should.
        let bytes = usize::try_from(header.total_bytes()).unwrap_or(usize::MAX);
        let mut bytes = AlignedBytes::zeroed(bytes);
        let columns: &mut [Column] = bytemuck::cast_slice_mut(&mut bytes[HEADER..]);
        let (nodes, leaves) = columns.split_at_mut(header.levels.nodes() * NODE);
        debug_assert_eq!(leaves.len(), header.levels.leaves() * LEAF);
        blocks::write_leaves(&sides, &records, leaf_size, leaves, executor);
        blocks::write_nodes(&header.levels, leaves, nodes, executor);
        header.write(&mut bytes);
        Ok(Self {
            bytes,
            header,
            simd,
        })
    }
}
