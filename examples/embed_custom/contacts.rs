//! The narrowphase: which of the pairs whose boxes overlap really touch, and which way out is the shortest.

use throng::{Aabb, CategoryId, Narrowphase, PairBatch, Row};

use crate::bodies::{Dragons, SOLDIER_RADIUS, Soldiers};
use crate::engine::{DRAGONS, SOLDIERS, WALLS};

/// What a soldier touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    pub soldier: Row,
    /// The category and the row of the other.
    pub other: (CategoryId, Row),
    /// Which way, and how far, the soldier would have to go to touch it no more.
    pub push: [f32; 2],
}

/// Everything that shapes are made of, to read from while pairs are found.
pub struct Shapes<'a> {
    pub soldiers: &'a Soldiers,
    pub dragons: &'a Dragons,
    pub walls: &'a [Aabb],
}

impl Narrowphase for Shapes<'_> {
    type Scratch = ();
    type Output = Vec<Contact>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), contacts: &mut Vec<Contact>) {
        // All pairs of a batch are of the same two categories, the lower one first: soldiers, as nobody else meets.
        let [_, category] = batch.categories();
        for &[soldier, row] in batch.pairs() {
            let other = (category, row);
            let push = self.push(soldier, other);
            contacts.extend(push.map(|push| Contact {
                soldier,
                other,
                push,
            }));
        }
    }
}

impl Shapes<'_> {
    /// The shortest way out of the other, if the soldier touches it.
    pub fn push(&self, soldier: Row, (category, row): (CategoryId, Row)) -> Option<[f32; 2]> {
        let (center, row) = (self.soldiers.position(soldier as usize), row as usize);
        match category {
            SOLDIERS => out_of_disc(center, self.soldiers.position(row)),
            DRAGONS => out_of_box(center, &self.dragons.aabb(row)),
            WALLS => out_of_box(center, &self.walls[row]),
            _ => None,
        }
    }
}

fn out_of_disc([x, y]: [f32; 2], [other_x, other_y]: [f32; 2]) -> Option<[f32; 2]> {
    let [dx, dy] = [x - other_x, y - other_y];
    let distance = dx.hypot(dy);
    let depth = 2.0 * SOLDIER_RADIUS - distance;
    if depth < 0.0 {
        return None;
    }
    // Two on one spot go apart along x.
    let direction = if distance > 0.0 {
        [dx / distance, dy / distance]
    } else {
        [1.0, 0.0]
    };
    Some(direction.map(|axis| axis * depth))
}

fn out_of_box(center: [f32; 2], aabb: &Aabb) -> Option<[f32; 2]> {
    let (min, max) = (aabb.min(), aabb.max());
    let nearest = [0, 1].map(|axis| center[axis].clamp(min[axis], max[axis]));
    let [dx, dy] = [0, 1].map(|axis| center[axis] - nearest[axis]);
    let distance = dx.hypot(dy);
    if distance > SOLDIER_RADIUS {
        return None;
    }
    if distance > 0.0 {
        let depth = SOLDIER_RADIUS - distance;
        return Some([dx / distance * depth, dy / distance * depth]);
    }
    // Inside: out by the nearest side.
    let ways = [0, 1].map(|axis| {
        let (back, on) = (center[axis] - min[axis], max[axis] - center[axis]);
        if back < on {
            -(back + SOLDIER_RADIUS)
        } else {
            on + SOLDIER_RADIUS
        }
    });
    Some(if ways[0].abs() < ways[1].abs() {
        [ways[0], 0.0]
    } else {
        [0.0, ways[1]]
    })
}
