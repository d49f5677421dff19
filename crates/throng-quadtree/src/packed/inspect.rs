//! A tree seen from outside: its size, its boxes, its nodes, its invariants.

use super::PackedQuadtree;
use super::view::{NO_ROW, View};
use throng_core::{Aabb, LANES, highest, lowest};

/// A node as seen from outside, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedNodeView {
    /// The bounds of the boxes in it.
    pub bounds: Aabb,
    /// Its depth: 0 is the top.
    pub depth: usize,
    /// How many rows it holds itself: 0 in an inner node.
    pub rows: usize,
}

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// How many boxes the tree holds.
    pub fn len(&self) -> usize {
        self.header.boxes
    }

    /// Whether the tree holds no boxes.
    pub fn is_empty(&self) -> bool {
        self.header.boxes == 0
    }

    /// How many rows the columns had that the tree was built from: every row number is below it.
    pub fn rows(&self) -> usize {
        self.header.rows
    }

    /// How many rows were left out of the build because their sides do not make a valid box.
    pub fn rejected(&self) -> usize {
        self.header.rejected
    }

    /// The box around all boxes; `None` if there are none. O(1).
    pub fn bounds(&self) -> Option<Aabb> {
        let view = self.view();
        let top = view.levels.len().checked_sub(1)?;
        bounds_at(&view, top).reduce(|all, block| all.union(&block))
    }

    /// Bytes that the tree takes, in memory and in a file.
    pub fn memory_bytes(&self) -> usize {
        self.as_bytes().len()
    }

    /// How many levels of nodes there are above the leaves.
    pub fn depth(&self) -> usize {
        self.header.levels.len().saturating_sub(1)
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.header.levels.leaves()
    }

    /// Visits every row with its box, in leaf order. O(boxes).
    pub fn for_each_box(&self, mut visit: impl FnMut(u32, Aabb)) {
        let view = self.view();
        for slot in 0..(self.leaves() * LANES) as u32 {
            let (row, aabb) = view.found(slot);
            if row != NO_ROW {
                visit(row, aabb);
            }
        }
    }

    /// Visits the bounds of at most `most` parts of the tree, but of at least one if it has boxes; together they hold all boxes. The
    /// parts are the boxes themselves if they are no more than `most`; otherwise the leaves, or the nodes of the lowest level that
    /// has no more. O(boxes) for boxes, O(parts) otherwise.
    pub fn for_each_part(&self, most: usize, mut visit: impl FnMut(Aabb)) {
        if self.len() <= most {
            self.for_each_box(|_, aabb| visit(aabb));
            return;
        }
        let view = self.view();
        let level = (0..view.levels.len()).find(|&level| view.levels.blocks(level) <= most);
        match level {
            Some(level) => bounds_at(&view, level).for_each(visit),
            None => self.bounds().into_iter().for_each(visit),
        }
    }

    /// Visits every node and leaf, the top level first. For debug drawing.
    pub fn visit_nodes(&self, mut visit: impl FnMut(PackedNodeView)) {
        let view = self.view();
        for level in (0..view.levels.len()).rev() {
            for block in 0..view.levels.blocks(level) {
                let rows = if level == 0 {
                    view.rows(block)
                        .iter()
                        .filter(|&&row| row != NO_ROW)
                        .count()
                } else {
                    0
                };
                if let Some(bounds) = bounds_of(&view, level, block) {
                    let depth = view.levels.len() - 1 - level;
                    visit(PackedNodeView {
                        bounds,
                        depth,
                        rows,
                    });
                }
            }
        }
    }

    /// Checks every invariant: each slot holds a box and a valid row, or nothing; a node's boxes are the bounds of
    /// its children; the counts are right. O(boxes).
    ///
    /// # Errors
    ///
    /// The first broken invariant, in words.
    pub fn validate(&self) -> Result<(), String> {
        let view = self.view();
        let mut boxes = 0;
        let mut seen = vec![0_u64; self.header.rows.div_ceil(64)];
        for leaf in 0..self.leaves() {
            let [min_x, min_y, max_x, max_y] = view.sides(0, leaf);
            let mut empty = 0;
            for (lane, &row) in view.rows(leaf).iter().enumerate() {
                let sides = [min_x[lane], min_y[lane], max_x[lane], max_y[lane]];
                let is_box = Aabb::new([sides[0], sides[1]], [sides[2], sides[3]]).is_ok();
                let is_empty = row == NO_ROW && sides.iter().all(|side| side.is_nan());
                if !(is_empty || is_box && (row as usize) < self.header.rows) {
                    return Err(format!(
                        "leaf {leaf}, lane {lane}: row {row} with sides {sides:?}"
                    ));
                }
                if is_box {
                    let (word, bit) = (row as usize / 64, 1 << (row % 64));
                    if seen[word] & bit != 0 {
                        return Err(format!("leaf {leaf}, lane {lane}: row {row} a second time"));
                    }
                    seen[word] |= bit;
                }
                empty += usize::from(is_empty);
            }
            let held = LANES - empty;
            if held == 0 || held > self.header.leaf_size {
                return Err(format!("leaf {leaf} holds {held} boxes"));
            }
            boxes += held;
        }
        if boxes != self.header.boxes {
            return Err(format!("{boxes} boxes rather than {}", self.header.boxes));
        }
        (1..view.levels.len()).try_for_each(|level| validate_level(&view, level))
    }
}

/// Whether each slot of a level's nodes holds the bounds of its child, if it has one.
fn validate_level(view: &View<'_>, level: usize) -> Result<(), String> {
    for block in 0..view.levels.blocks(level) {
        let sides = view.sides(level, block);
        for lane in 0..LANES {
            let child = block * LANES + lane;
            let own = sides.map(|side| side[lane]);
            let right = if child < view.levels.blocks(level - 1) {
                corners_of(view, level - 1, child) == own
            } else {
                own.iter().all(|side| side.is_nan())
            };
            if !right {
                return Err(format!("level {level}, node {block}, lane {lane}: {own:?}"));
            }
        }
    }
    Ok(())
}

/// The bounds of a block's boxes.
fn corners_of(view: &View<'_>, level: usize, block: usize) -> [f32; 4] {
    let [min_x, min_y, max_x, max_y] = view.sides(level, block);
    [lowest(min_x), lowest(min_y), highest(max_x), highest(max_y)]
}

/// The bounds of the blocks of a level.
fn bounds_at(view: &View<'_>, level: usize) -> impl Iterator<Item = Aabb> {
    (0..view.levels.blocks(level)).filter_map(move |block| bounds_of(view, level, block))
}

fn bounds_of(view: &View<'_>, level: usize, block: usize) -> Option<Aabb> {
    let [min_x, min_y, max_x, max_y] = corners_of(view, level, block);
    Aabb::new([min_x, min_y], [max_x, max_y]).ok()
}
