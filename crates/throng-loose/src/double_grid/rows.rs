//! What is known of each row.

use super::layout::Place;
use super::pool::NONE;
use crate::sides::{Corners, Sides, corners};

/// A row's box, and where it is kept: 32 bytes, half a cache line, in row order, so that an update reads and
/// compares without a jump.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Row {
    pub sides: Sides,
    /// The place of its loose cell. Kept rather than computed again for every box that moves.
    pub place: Place,
    /// Its loose cell; [`NONE`] if the row is not there.
    pub cell: u32,
    /// Its slot among the cell's blocks.
    pub slot: u32,
}

impl Row {
    pub const ABSENT: Self = Self {
        sides: [f32::NAN; 4],
        place: Place::NOWHERE,
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
