//! The structures that change row by row, behind one face.

use throng_core::{Aabb, SimdLevel};
use throng_loose::{
    DoubleGrid, DoubleGridConfig, LooseError, LooseQuadtree, LooseQuadtreeConfig, LooseStructure,
};

/// What the tests ask of a structure that changes row by row.
pub trait Changeable: LooseStructure {
    fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError>;
    fn set(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError>;
    fn remove(&mut self, row: u32) -> Result<(), LooseError>;
    fn clean_up(&mut self);
    fn contains(&self, row: u32) -> bool;
    fn get(&self, row: u32) -> Option<Aabb>;
}

macro_rules! changeable {
    ($structure:ty) => {
        impl Changeable for $structure {
            fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
                self.insert(row, aabb)
            }
            fn set(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
                self.set(row, aabb)
            }
            fn remove(&mut self, row: u32) -> Result<(), LooseError> {
                self.remove(row)
            }
            fn clean_up(&mut self) {
                self.clean_up();
            }
            fn contains(&self, row: u32) -> bool {
                self.contains(row)
            }
            fn get(&self, row: u32) -> Option<Aabb> {
                self.get(row)
            }
        }
    };
}

changeable!(DoubleGrid);
changeable!(LooseQuadtree);

/// Makes an empty structure.
pub type MakeChangeable = fn(Fineness) -> Box<dyn Changeable>;

/// How small a structure's parts are.
#[derive(Clone, Copy, Debug)]
pub enum Fineness {
    /// As the structure chooses.
    Chosen,
    /// So small that few rows make many parts, and in a tree at most so many levels.
    Fine { depth: u32 },
}

/// Every structure that changes row by row.
pub const CHANGEABLE: [(&str, MakeChangeable); 2] = [
    ("double grid", |fineness| {
        let config = DoubleGridConfig::new().simd(SimdLevel::detect());
        Box::new(match fineness {
            Fineness::Chosen => DoubleGrid::new(config).unwrap(),
            Fineness::Fine { .. } => DoubleGrid::new(config.loose_cell(2.0)).unwrap(),
        })
    }),
    ("quadtree", |fineness| {
        let config = LooseQuadtreeConfig::new().simd(SimdLevel::detect());
        Box::new(match fineness {
            Fineness::Chosen => LooseQuadtree::new(config).unwrap(),
            Fineness::Fine { depth } => {
                LooseQuadtree::new(config.split_above(3).max_depth(depth)).unwrap()
            }
        })
    }),
];
