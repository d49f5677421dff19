//! The pairs by definition: every two rows, compared.

use throng_core::{Aabb, MaskWords};

use crate::rows::Rows;

/// A row that has a box, with everything that decides whether it meets another.
pub(super) struct Member {
    pub(super) row: u32,
    pub(super) aabb: Aabb,
    pub(super) masks: MaskWords,
}

impl Member {
    /// The scene's rows that have a box, in row order.
    pub(super) fn of(scene: &impl Rows) -> Vec<Member> {
        (0..scene.row_count())
            .filter_map(|row| {
                Some(Member {
                    row: row as u32,
                    aabb: scene.aabb(row)?,
                    masks: scene.masks_of(row),
                })
            })
            .collect()
    }

    pub(super) fn meets(&self, other: &Member) -> bool {
        self.aabb.overlaps(&other.aabb) && self.masks.meets(other.masks)
    }
}

/// Every pair of rows whose boxes overlap and whose masks agree, lower row first, in ascending order.
///
/// Compares every row with every other: O(rows²), seconds for 50 000 rows.
#[must_use]
pub fn overlapping_pairs(scene: &impl Rows) -> Vec<[u32; 2]> {
    let members = Member::of(scene);
    let mut pairs = Vec::new();
    for (i, a) in members.iter().enumerate() {
        let partners = members[i + 1..].iter().filter(|b| a.meets(b));
        pairs.extend(partners.map(|b| [a.row, b.row]));
    }
    pairs
}

/// Every pair of a row of `a` and a row of `b` whose boxes overlap and whose masks agree, as `[row of a, row of b]`,
/// in ascending order. O(rows of `a` * rows of `b`).
#[must_use]
pub fn overlapping_pairs_between(a: &impl Rows, b: &impl Rows) -> Vec<[u32; 2]> {
    let others = Member::of(b);
    let mut pairs = Vec::new();
    for a in &Member::of(a) {
        let partners = others.iter().filter(|b| a.meets(b));
        pairs.extend(partners.map(|b| [a.row, b.row]));
    }
    pairs
}
