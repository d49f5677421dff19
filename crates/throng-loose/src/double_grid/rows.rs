//! What is stored for each row.

use super::layout::CellKey;
use super::pool::NONE;
use crate::sides::{Sides, corners};
use throng_core::Corners;

/// A row's box, and where its copy is: 32 bytes, half a cache line, in row order, so that an update reads and compares
/// in memory order.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Row {
    pub sides: Sides,
    /// The key of its loose cell. Stored rather than recomputed for every box that moves.
    pub key: CellKey,
    /// Its loose cell; [`NONE`] if the row is not held.
    pub cell: u32,
    /// Its slot among the cell's blocks.
    pub slot: u32,
}

impl Row {
    pub const ABSENT: Self = Self {
        sides: [f32::NAN; 4],
        key: CellKey::NOWHERE,
        cell: NONE,
        slot: NONE,
    };

    #[inline(always)]
    pub fn is_held(&self) -> bool {
        self.cell != NONE
    }

    pub fn corners(&self) -> Corners {
        corners(self.sides)
    }
}
