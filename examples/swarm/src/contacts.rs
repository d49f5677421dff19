//! The narrowphase: which of the overlapping boxes hold circles that touch, and which circles touch walls.

use throng::{ChunkOutput, Narrowphase, PairBatch};

use crate::{
    bodies::{Bodies, Kind, Radii},
    pair_hash::PairHash,
};

/// Two circles that touch, and how to part them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// The kinds of the two, first `a`'s.
    pub kinds: [u16; 2],
    /// Their rows.
    pub rows: [u32; 2],
    /// The direction from `a` to `b`, of length 1.
    pub normal: [f32; 2],
    /// How deep they overlap.
    pub depth: f32,
}

/// A circle that touches a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bump {
    /// The kind of the circle, and that of the wall.
    pub kinds: [u16; 2],
    /// Their rows.
    pub rows: [u32; 2],
}

/// Two rows, and before them the kinds that they are rows of.
pub type KindPair = ([u16; 2], [u32; 2]);

/// What is kept of the pairs themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    Nothing,
    /// Their hash.
    Hash,
    /// Their hash and the pairs, to be verified.
    Pairs,
}

/// The circle narrowphase, fed by the broadphase on all of its workers.
pub struct Circles<'a> {
    /// All kinds, in the order of their categories.
    pub kinds: &'a [Kind],
    /// What to keep of the pairs.
    pub keep: Keep,
}

/// What one chunk of pairs came to.
#[derive(Default)]
pub struct Found {
    /// The circles that touch.
    pub contacts: Vec<Contact>,
    /// The circles that touch walls.
    pub bumps: Vec<Bump>,
    /// Their hash, if kept.
    pub hash: PairHash,
    /// The pairs with the categories they belong to, if kept.
    pub kept: Vec<KindPair>,
}

impl ChunkOutput for Found {
    fn clear(&mut self) {
        self.contacts.clear();
        self.bumps.clear();
        self.hash = PairHash::default();
        self.kept.clear();
    }

    fn used_bytes(&self) -> usize {
        self.contacts.used_bytes() + self.bumps.used_bytes() + self.kept.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.contacts.held_bytes() + self.bumps.held_bytes() + self.kept.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.contacts.shrink_to_fit();
        self.bumps.shrink_to_fit();
        self.kept.shrink_to_fit();
    }
}

impl Narrowphase for Circles<'_> {
    type Scratch = ();
    type Output = Found;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), found: &mut Found) {
        let kinds = batch.categories().map(|category| category.index() as u16);
        match kinds.map(|kind| self.kinds[kind as usize].is_scenery()) {
            [false, false] => touching(self.kinds, kinds, batch.pairs(), &mut found.contacts),
            // The lower category comes first, whichever that is.
            [_, wall_is_second] => {
                let body = usize::from(!wall_is_second);
                bumping(self.kinds, kinds, batch.pairs(), body, &mut found.bumps);
            }
        }
        if self.keep != Keep::Nothing {
            let meeting = u64::from(kinds[0]) << 16 | u64::from(kinds[1]);
            found.hash.extend(meeting, batch.pairs());
        }
        if self.keep == Keep::Pairs {
            found
                .kept
                .extend(batch.pairs().iter().map(|pair| (kinds, *pair)));
        }
    }
}

/// Adds the pairs whose circles touch.
///
/// Every pair is written and only those that touch are kept: whether the next circles touch cannot
/// be predicted, and a wrong guess costs more than the write.
fn touching(kinds: &[Kind], of: [u16; 2], pairs: &[[u32; 2]], contacts: &mut Vec<Contact>) {
    let [a, b] = of.map(|kind| &kinds[kind as usize].bodies);
    match (&a.radii, &b.radii) {
        (Radii::Same(of_a), Radii::Same(of_b)) => {
            let reach = of_a + of_b;
            touching_within(|_| reach, [a, b], of, pairs, contacts);
        }
        (of_a, of_b) => {
            let reach = |[row_a, row_b]: [usize; 2]| of_a.of(row_a) + of_b.of(row_b);
            touching_within(reach, [a, b], of, pairs, contacts);
        }
    }
}

#[inline(always)]
fn touching_within(
    reach: impl Fn([usize; 2]) -> f32,
    [a, b]: [&Bodies; 2],
    of: [u16; 2],
    pairs: &[[u32; 2]],
    contacts: &mut Vec<Contact>,
) {
    let mut end = contacts.len();
    contacts.resize(end + pairs.len(), Contact::default());
    for &rows in pairs {
        let [row_a, row_b] = rows.map(|row| row as usize);
        let dx = b.xs[row_b] - a.xs[row_a];
        let dy = b.ys[row_b] - a.ys[row_a];
        let squared = dx * dx + dy * dy;
        let distance = squared.sqrt();
        let reach = reach([row_a, row_b]);
        // Two on one spot have no direction of their own and are parted along the first axis.
        let apart = distance > f32::MIN_POSITIVE;
        let inverse = 1.0 / distance.max(f32::MIN_POSITIVE);
        contacts[end] = Contact {
            kinds: of,
            rows,
            normal: [if apart { dx * inverse } else { 1.0 }, dy * inverse],
            depth: reach - distance,
        };
        end += usize::from(squared < reach * reach);
    }
    contacts.truncate(end);
}

/// Adds the pairs whose circle, on side `body` of the pair, touches the wall on the other side.
fn bumping(kinds: &[Kind], of: [u16; 2], pairs: &[[u32; 2]], body: usize, bumps: &mut Vec<Bump>) {
    let kinds_of = [of[body], of[1 - body]];
    let [circles, walls] = kinds_of.map(|kind| &kinds[kind as usize]);
    let bodies = &circles.bodies;
    bumps.extend(pairs.iter().filter_map(|pair| {
        let rows = [pair[body], pair[1 - body]];
        let [row, wall] = rows.map(|row| row as usize);
        let radius = bodies.radii.of(row);
        let squared = walls.walls[wall].distance_squared([bodies.xs[row], bodies.ys[row]]);
        (squared < radius * radius).then_some(Bump {
            kinds: kinds_of,
            rows,
        })
    }));
}

#[cfg(test)]
mod tests {
    use throng::{Aabb, CategoryConfig, ProxyId};

    use super::*;
    use crate::{bodies, setup::default_config, sizes::Sizes};

    /// Bodies of one kind at these places, of these radii if they are big.
    fn kinds(kind: usize, places: &[([f32; 2], f32)]) -> Vec<Kind> {
        let mut kinds = bodies::kinds(&default_config(), Sizes::new(1.2, 1e6));
        for (place, radius) in places {
            kinds[kind]
                .bodies
                .push(*place, *radius, ProxyId::from_bits(0));
        }
        kinds
    }

    #[test]
    fn circles_touch_and_corners_do_not() {
        let radius = kinds(0, &[])[0].radius;
        let kinds = kinds(
            0,
            &[
                ([0.0, 0.0], radius),
                ([1.9 * radius, 0.0], radius),
                ([-1.6 * radius, -1.6 * radius], radius),
            ],
        );
        let mut contacts = Vec::new();
        touching(&kinds, [0, 0], &[[0, 1], [0, 2]], &mut contacts);
        assert_eq!(contacts.len(), 1);
        assert_eq!(contacts[0].rows, [0, 1]);
        assert_eq!(contacts[0].normal, [1.0, 0.0]);
        assert!((contacts[0].depth - 0.1 * radius).abs() < 1e-6);
    }

    #[test]
    fn two_on_one_spot_are_parted_along_the_first_axis() {
        let mut contacts = Vec::new();
        let kinds = kinds(0, &[([3.0, 4.0], 0.0), ([3.0, 4.0], 0.0)]);
        touching(&kinds, [0, 0], &[[0, 1]], &mut contacts);
        assert_eq!(contacts[0].normal, [1.0, 0.0]);
        assert!(contacts[0].depth > 0.0);
    }

    #[test]
    fn the_big_touch_as_far_as_their_own_radii_reach() {
        let mut kinds = kinds(3, &[([0.0, 0.0], 10.0), ([0.0, 31.0], 20.0)]);
        kinds[0].bodies.push([8.0, 0.0], 0.0, ProxyId::from_bits(0));
        let mut contacts = Vec::new();
        touching(&kinds, [3, 3], &[[0, 1]], &mut contacts);
        assert!(contacts.is_empty());
        touching(&kinds, [0, 3], &[[0, 0], [0, 1]], &mut contacts);
        assert_eq!(contacts.len(), 1);
        assert_eq!((contacts[0].kinds, contacts[0].rows), ([0, 3], [0, 0]));
        assert_eq!(contacts[0].normal, [-1.0, 0.0]);
    }

    #[test]
    fn circles_bump_into_walls_whichever_category_is_the_lower() {
        let mut kinds = kinds(
            0,
            &[([1.0, 1.0], 0.0), ([4.0, 5.3], 0.0), ([9.0, 4.0], 0.0)],
        );
        let config = default_config().category(CategoryConfig::scenery("walls"));
        let mut walls = bodies::kinds(&config, Sizes::new(1.2, 1e6))
            .pop()
            .expect("there are five");
        walls.walls = vec![Aabb::new([3.0, 0.0], [8.0, 5.1]).expect("a box")];
        kinds.push(walls);
        let bump = Bump {
            kinds: [0, 4],
            rows: [1, 0],
        };
        let mut bumps = Vec::new();
        bumping(&kinds, [0, 4], &[[0, 0], [1, 0], [2, 0]], 0, &mut bumps);
        assert_eq!(bumps, [bump]);
        let last = kinds.pop().expect("the walls");
        kinds.insert(0, last);
        bumping(&kinds, [0, 1], &[[0, 0], [0, 1], [0, 2]], 1, &mut bumps);
        let kinds = [1, 0];
        assert_eq!(bumps[1..], [Bump { kinds, ..bump }]);
    }
}
