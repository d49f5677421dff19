//! What the indices look like, for drawing.

use throng_core::Aabb;

use crate::broadphase::Broadphase;
use crate::world::ids::CategoryId;
use crate::world::structure::Structure;

/// A part of an index as seen from outside: a leaf of a point grid, part of a strip, a loose cell, a node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CellView {
    /// What it covers: the centers in it in a point grid, elsewhere the boxes.
    pub bounds: Aabb,
    /// How many rows it holds.
    pub rows: usize,
    /// Its depth: 0 in a point grid; in a tree 0 is the root; in layers of strips or cells 0 is the finest.
    pub level: usize,
}

impl Broadphase {
    /// Visits the cells of a category's index, for debug drawing; none if this world does not have
    /// the category. O(cells).
    pub fn visit_cells(&self, category: CategoryId, mut visit: impl FnMut(CellView)) {
        let Some(category) = self.category_of(category) else {
            return;
        };
        for (_, structure) in category.parts() {
            match structure {
                Structure::Points(grid) => grid.visit_leaves(|leaf| {
                    visit(CellView {
                        bounds: leaf.bounds,
                        rows: leaf.rows,
                        level: 0,
                    });
                }),
                Structure::Scenery(scenery) => scenery.forest.visit_nodes(|node| {
                    visit(CellView {
                        bounds: node.bounds,
                        rows: node.rows,
                        level: node.depth,
                    });
                }),
                Structure::Boxes(boxes) => boxes.structure.visit_cells(&mut |cell| {
                    visit(CellView {
                        bounds: cell.bounds,
                        rows: cell.rows,
                        level: cell.level,
                    });
                }),
            }
        }
    }
}
