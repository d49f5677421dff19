//! The oracle for scenes too big to compare everything: a sweep along x.
//!
//! Boxes are sorted by where they begin. The partners of a box that begin no earlier than it does are a run: those
//! that begin no later than it ends. Checked against brute force in the tests.

use super::pairs::Member;
use crate::rows::Rows;
use crate::sorted::sorted;

/// As [`overlapping_pairs`](super::overlapping_pairs), in O(rows * rows that share their x); a
/// few seconds for a million rows spread over a square.
#[must_use]
pub fn overlapping_pairs_sweep(scene: &impl Rows) -> Vec<[u32; 2]> {
    let members = by_beginning(scene);
    let mut pairs = Vec::new();
    for (i, a) in members.iter().enumerate() {
        for b in beginning_within(&members[i + 1..], a) {
            if a.meets(b) {
                pairs.push([a.row.min(b.row), a.row.max(b.row)]);
            }
        }
    }
    sorted(pairs)
}

/// As [`overlapping_pairs_between`](super::overlapping_pairs_between), in about O(rows * rows that
/// share their x).
#[must_use]
pub fn overlapping_pairs_between_sweep(a: &impl Rows, b: &impl Rows) -> Vec<[u32; 2]> {
    let (all_a, all_b) = (by_beginning(a), by_beginning(b));
    let mut pairs = Vec::new();

    // Of two that begin together, `a` counts as the earlier: hence `<` here and `<=` below.
    let mut first = 0;
    for a in &all_a {
        while all_b.get(first).is_some_and(|b| begin(b) < begin(a)) {
            first += 1;
        }
        let partners = beginning_within(&all_b[first..], a).filter(|b| a.meets(b));
        pairs.extend(partners.map(|b| [a.row, b.row]));
    }
    let mut first = 0;
    for b in &all_b {
        while all_a.get(first).is_some_and(|a| begin(a) <= begin(b)) {
            first += 1;
        }
        let partners = beginning_within(&all_a[first..], b).filter(|a| a.meets(b));
        pairs.extend(partners.map(|a| [a.row, b.row]));
    }
    sorted(pairs)
}

fn by_beginning(scene: &impl Rows) -> Vec<Member> {
    let mut members = Member::of(scene);
    members.sort_by(|a, b| begin(a).total_cmp(&begin(b)));
    members
}

fn begin(member: &Member) -> f32 {
    member.aabb.min()[0]
}

/// The leading members that begin no later than `member` ends.
fn beginning_within<'a>(
    sorted: &'a [Member],
    member: &Member,
) -> impl Iterator<Item = &'a Member> + use<'a> {
    let end = member.aabb.max()[0];
    sorted.iter().take_while(move |other| begin(other) <= end)
}
