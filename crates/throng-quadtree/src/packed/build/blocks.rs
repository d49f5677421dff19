//! Writing leaves and the nodes above them.

use super::records::Record;
use crate::packed::header::{LEAF, NODE};
use crate::packed::levels::Levels;
use crate::packed::view::{Column, NO_ROW};
use throng_core::{Executor, LANES, highest, lowest, prefetch_ahead, run_each};

/// How many blocks a task writes.
const BLOCKS_OF_TASK: usize = 1024;
/// How many leaves ahead boxes are prefetched: their rows come in random order.
const AHEAD: usize = 2;

/// Writes the boxes of the records, in their order, `leaf_size` to a leaf.
pub(super) fn write_leaves(
    boxes: &[[f32; 4]],
    records: &[Record],
    leaf_size: usize,
    leaves: &mut [Column],
    executor: &dyn Executor,
) {
    in_parts(leaves, LEAF, executor, |first, part| {
        let records = &records[first * leaf_size..];
        let ahead = AHEAD * leaf_size;
        for (k, leaf) in part.chunks_mut(LEAF).enumerate() {
            let begin = k * leaf_size;
            let end = records.len().min(begin + leaf_size);
            let soon = records.len().min(begin + ahead)..records.len().min(end + ahead);
            for record in &records[soon] {
                prefetch_ahead(bytemuck::cast_slice(boxes), record.row() * 4);
            }
            write_leaf(boxes, &records[begin..end], leaf);
        }
    });
}

fn write_leaf(boxes: &[[f32; 4]], records: &[Record], leaf: &mut [Column]) {
    leaf[..NODE].fill([f32::NAN; LANES]);
    let (sides, rows) = leaf.split_at_mut(NODE);
    let rows: &mut [u32] = bytemuck::cast_slice_mut(rows);
    rows.fill(NO_ROW);
    for (lane, record) in records.iter().enumerate() {
        for (side, v) in sides.iter_mut().zip(boxes[record.row()]) {
            side[lane] = v;
        }
        rows[lane] = record.row() as u32;
    }
}

/// Writes the nodes of all levels above the leaves, bottom up.
pub(super) fn write_nodes(
    levels: &Levels,
    leaves: &[Column],
    nodes: &mut [Column],
    executor: &dyn Executor,
) {
    let mut above = nodes;
    let mut below = leaves;
    let mut columns = LEAF;
    for level in 1..levels.len() {
        let (rest, own) = above.split_at_mut(above.len() - levels.blocks(level) * NODE);
        in_parts(own, NODE, executor, |first, part| {
            let children = &below[first * LANES * columns..];
            for (node, children) in part.chunks_mut(NODE).zip(children.chunks(LANES * columns)) {
                node.fill([f32::NAN; LANES]);
                for (lane, child) in children.chunks(columns).enumerate() {
                    write_bounds(child, node, lane);
                }
            }
        });
        (above, below, columns) = (rest, own, NODE);
    }
}

/// Writes the bounds of a block's boxes to a lane of the node above it. The NaNs of empty slots are ignored.
#[inline(always)]
fn write_bounds(child: &[Column], node: &mut [Column], lane: usize) {
    for axis in 0..2 {
        node[axis][lane] = lowest(&child[axis]);
        node[axis + 2][lane] = highest(&child[axis + 2]);
    }
}

/// Splits a level's blocks into parts: the number of the first block of each, and its columns.
fn in_parts(
    columns: &mut [Column],
    columns_of_block: usize,
    executor: &dyn Executor,
    write: impl Fn(usize, &mut [Column]) + Sync,
) {
    let parts = columns.chunks_mut(BLOCKS_OF_TASK * columns_of_block);
    run_each(executor, parts, |part, columns| {
        write(part * BLOCKS_OF_TASK, columns)
    });
}
