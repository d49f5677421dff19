//! A proxy as the model remembers it.

use throng::{Aabb, InfiniteSides, Masks, ProxyId};
use throng_core::for_both;

use super::{BOUNDS, BoxesBy, EXACT};

/// What is remembered of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) id: ProxyId,
    pub(super) category: usize,
    /// The finite side of an axis with one infinite side; 0 between two.
    pub(super) center: [f32; 2],
    pub(super) half: f32,
    pub(super) infinite: InfiniteSides,
    pub(super) masks: Masks,
    pub(super) key: u64,
    pub(super) owner: u64,
    pub(super) velocity: [f32; 2],
    pub(super) enabled: bool,
    pub(super) named: bool,
}

impl Known {
    /// The box that pairs and queries go by.
    pub(super) fn aabb(&self) -> Aabb {
        unbounded_box(self.center, self.compared_half(), 0.0, self.infinite)
    }

    /// The half extents of this box, on an axis without an infinite side.
    fn compared_half(&self) -> f32 {
        if EXACT[self.category] {
            self.half
        } else {
            BOUNDS[self.category]
        }
    }

    /// The box along its way, with a margin.
    pub(super) fn swept(&self, margin: f32) -> Aabb {
        let aabb = unbounded_box(self.center, self.compared_half(), margin, self.infinite);
        let min = for_both(|axis| aabb.min()[axis] + self.velocity[axis].min(0.0));
        let max = for_both(|axis| aabb.max()[axis] + self.velocity[axis].max(0.0));
        Aabb::new(min, max).unwrap()
    }

    /// Whether the two may be a pair, if their categories meet.
    pub(super) fn may_pair_with(&self, other: &Known) -> bool {
        let both_enabled = self.enabled && other.enabled;
        let same_owner = self.owner != 0 && self.owner == other.owner;
        both_enabled && !same_owner && self.masks.meets(other.masks)
    }

    /// Whether the two are a pair, if their categories meet.
    pub(super) fn pairs_with(&self, other: &Known) -> bool {
        self.may_pair_with(other) && self.aabb().overlaps(&other.aabb())
    }

    /// Whether the two, with margins, are a predicted pair, if their categories meet.
    pub(super) fn will_pair_with(&self, margin: f32, other: &Known, others: f32) -> bool {
        self.may_pair_with(other)
            && !self.aabb().overlaps(&other.aabb())
            && self.swept(margin).overlaps(&other.swept(others))
    }
}

/// A box as it is given in a column; none if its half extent is NaN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) center: [f32; 2],
    pub(super) half: f32,
    pub(super) infinite: InfiniteSides,
}

impl Given {
    pub(super) fn sides(&self) -> ([f32; 2], [f32; 2]) {
        if self.half.is_nan() {
            return (self.center, [f32::NAN; 2]);
        }
        let (aabb, _) = described(self.center, self.half, self.infinite);
        (aabb.min(), aabb.max())
    }
}

/// A box for each of some rows: shifted, a third of them as large as they are, the others of a given size or half of it. A few are
/// none, and a few of those that are given by their sides have no end.
pub(super) fn boxes_of_rows(rows: &[Known], by: BoxesBy, shift: f32, half: f32) -> Vec<Given> {
    let boxes = rows.iter().enumerate().map(|(row, known)| {
        let given = Given {
            center: [known.center[0] + shift, known.center[1]],
            half: [half, known.half, half / 2.0][row % 3],
            infinite: InfiniteSides::default(),
        };
        let has_sides = ![BoxesBy::Centers, BoxesBy::Columns].contains(&by);
        // A box beside which others are not looked at one by one must be among those that are.
        let are_all_plain = shift > 0.0;
        match row % 13 {
            _ if are_all_plain => given,
            6 => Given {
                half: f32::NAN,
                ..given
            },
            9 if has_sides => Given {
                infinite: InfiniteSides {
                    min: [false, true],
                    max: [false; 2],
                },
                ..given
            },
            _ => given,
        }
    });
    boxes.collect()
}

/// The box that is given to the world, and the centre that it keeps of it.
pub(super) fn described(center: [f32; 2], half: f32, infinite: InfiniteSides) -> (Aabb, [f32; 2]) {
    let kept = for_both(|axis| {
        if infinite.min[axis] && infinite.max[axis] {
            0.0
        } else {
            center[axis]
        }
    });
    (unbounded_box(center, half, 0.0, infinite), kept)
}

/// A box around a centre, larger by a margin, but for some sides that lie at infinity; on such an axis the centre is the other
/// side.
fn unbounded_box(center: [f32; 2], half: f32, margin: f32, infinite: InfiniteSides) -> Aabb {
    let finite = |axis: usize| {
        let is_infinite = infinite.min[axis] || infinite.max[axis];
        let half = if is_infinite { 0.0 } else { half } + margin;
        [center[axis] - half, center[axis] + half]
    };
    let min = for_both(|axis| {
        if infinite.min[axis] {
            f32::NEG_INFINITY
        } else {
            finite(axis)[0]
        }
    });
    let max = for_both(|axis| {
        if infinite.max[axis] {
            f32::INFINITY
        } else {
            finite(axis)[1]
        }
    });
    Aabb::new(min, max).unwrap()
}
