//! Plain data that goes in and out by value.

use throng::{Aabb, AabbError, CategoryId, MaskMode, Masks, Row, RowRef};

use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// What stands for a proxy that is not there.
pub const THRONG_NO_PROXY: u64 = u64::MAX;

/// A point, or how far something moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct throng_point {
    /// Along x.
    pub x: f32,
    /// Along y.
    pub y: f32,
}

/// A box, borders included. Sides may be infinite.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct throng_aabb {
    /// The lower corner.
    pub min: throng_point,
    /// The upper corner.
    pub max: throng_point,
}

/// A row of a category.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct throng_row_ref {
    /// The row, counted from 0.
    pub row: u32,
    /// The category that it is a row of.
    pub category: u16,
}

/// Whether both of two proxies have to accept each other.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum throng_mask_mode {
    /// Each has to accept the other.
    And = 0,
    /// It is enough if one accepts the other, if both say so.
    Or = 1,
}

/// What a proxy is, and what it may meet: 64 groups each.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct throng_masks {
    /// The groups that it is in.
    pub memberships: u64,
    /// The groups that it is willing to meet.
    pub filter: u64,
    /// A `throng_mask_mode`.
    pub mode: u32,
}

impl From<[f32; 2]> for throng_point {
    fn from([x, y]: [f32; 2]) -> Self {
        Self { x, y }
    }
}

impl From<throng_point> for [f32; 2] {
    fn from(point: throng_point) -> Self {
        [point.x, point.y]
    }
}

impl From<Aabb> for throng_aabb {
    fn from(aabb: Aabb) -> Self {
        Self {
            min: aabb.min().into(),
            max: aabb.max().into(),
        }
    }
}

impl throng_aabb {
    pub(crate) fn checked(self) -> Outcome<Aabb> {
        Ok(self.try_into()?)
    }
}

impl TryFrom<throng_aabb> for Aabb {
    type Error = AabbError;

    #[inline]
    fn try_from(given: throng_aabb) -> Result<Self, AabbError> {
        Self::new(given.min, given.max)
    }
}

impl From<RowRef> for throng_row_ref {
    fn from(place: RowRef) -> Self {
        row_ref(place.category, place.row)
    }
}

pub(crate) fn row_ref(category: CategoryId, row: Row) -> throng_row_ref {
    throng_row_ref {
        row,
        category: number_of(category),
    }
}

/// A category as C knows it.
pub(crate) fn number_of(category: CategoryId) -> u16 {
    // It is made of 16 bits.
    category.index() as u16
}

impl From<Masks> for throng_masks {
    fn from(masks: Masks) -> Self {
        let mode = match masks.mode {
            MaskMode::And => throng_mask_mode::And,
            MaskMode::Or => throng_mask_mode::Or,
        };
        Self {
            memberships: masks.memberships,
            filter: masks.filter,
            mode: mode as u32,
        }
    }
}

impl throng_masks {
    /// Whether nobody has set anything.
    pub(crate) fn is_zero(&self) -> bool {
        (self.memberships, self.filter, self.mode) == (0, 0, 0)
    }

    pub(crate) fn checked(self) -> Outcome<Masks> {
        const AND: u32 = throng_mask_mode::And as u32;
        const OR: u32 = throng_mask_mode::Or as u32;
        let mode = match self.mode {
            AND => MaskMode::And,
            OR => MaskMode::Or,
            other => return Err(no_such("mask mode", other)),
        };
        Ok(Masks::new(self.memberships, self.filter).with_mode(mode))
    }
}

/// Refuses a number that stands for nothing.
pub(crate) fn no_such(what: &str, given: u32) -> Refusal {
    let message = format!("{given} is no {what} that this library knows");
    Refusal::new(throng_status::BadValue, message)
}
