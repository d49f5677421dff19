//! What contacts do to bodies: they are pushed apart and bounce, and walls push them out.

use throng::Aabb;

use crate::{
    bodies::{Bodies, Kind},
    contacts::{Bump, Contact},
};

/// The part of its depth by which a contact is undone in one frame; all of it would make crowds shake.
const PUSH: f32 = 0.4;
/// The part of their closing speed that two bodies keep, or a body and a wall.
const BOUNCE: f32 = 0.6;
/// How much a body glows for a contact at the speed it travels at.
const GLOW: f32 = 160.0;

/// Applies contacts one after the other, in the order given: the same on any number of threads,
/// because the broadphase gives them in the same order on any number of threads.
pub fn push_apart(contacts: &[Contact], kinds: &mut [Kind]) {
    for contact in contacts {
        let [kind_a, kind_b] = contact.kinds.map(usize::from);
        let [a, b] = contact.rows.map(|row| row as usize);
        let light_a = kinds[kind_a].inverse_mass(a);
        let light_b = kinds[kind_b].inverse_mass(b);
        if light_a + light_b == 0.0 {
            // Both sleep.
            continue;
        }
        let share = 1.0 / (light_a + light_b);
        let [nx, ny] = contact.normal;

        let va = kinds[kind_a].bodies.velocities[a];
        let vb = kinds[kind_b].bodies.velocities[b];
        let closing = ((va[0] - vb[0]) * nx + (va[1] - vb[1]) * ny).max(0.0);
        let impulse = (1.0 + BOUNCE) * closing * share;
        let push = PUSH * contact.depth * share;
        let force = closing / kinds[kind_a].cruise.min(kinds[kind_b].cruise) * GLOW;

        let mut hit = |kind: usize, row: usize, direction: f32| {
            let bodies = &mut kinds[kind].bodies;
            // The heavier of the two feels less of it.
            let felt = (2.0 * direction.abs() * share).min(1.0);
            let glow = (force * felt).min(255.0) as u8;
            bodies.hit(row, [nx * direction, ny * direction], push, impulse, glow);
        };
        hit(kind_a, a, -light_a);
        hit(kind_b, b, light_b);
    }
}

/// Which part of a wall a body has run into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One of its faces.
    Face,
    /// One of its corners.
    Corner,
}

/// Puts bodies that are on this part of a wall beside it, all of the way: walls do not give way. Faces are to come
/// first: where a row of walls has one straight face, no body on it is then on a corner any more, or it would stumble
/// over the joints.
pub fn push_out(bumps: &[Bump], kinds: &mut [Kind], part: Part) {
    for bump in bumps {
        let [circles, walls] = bump.kinds.map(usize::from);
        let [row, wall] = bump.rows.map(|row| row as usize);
        if kinds[circles].is_asleep(row) {
            continue;
        }
        let wall = kinds[walls].walls[wall];
        let Kind { bodies, cruise, .. } = &mut kinds[circles];
        let (place, radius) = ([bodies.xs[row], bodies.ys[row]], bodies.radii.of(row));
        // Where it is now: others may have pushed it since the contact was found.
        if let Some(way) = WayOut::of(&wall, place, radius).filter(|way| way.part == part) {
            let ([nx, ny], [vx, vy]) = (way.normal, bodies.velocities[row]);
            let closing = -(vx * nx + vy * ny).min(0.0);
            let glow = (closing / *cruise * GLOW).min(255.0) as u8;
            bodies.hit(row, way.normal, way.depth, (1.0 + BOUNCE) * closing, glow);
        }
    }
}

/// How a circle gets out of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WayOut {
    /// The direction, of length 1.
    normal: [f32; 2],
    /// How far.
    depth: f32,
    part: Part,
}

impl WayOut {
    /// The shortest way, if they touch and there is one.
    fn of(wall: &Aabb, place: [f32; 2], radius: f32) -> Option<Self> {
        let [low, high] = [wall.min(), wall.max()];
        let away = [0, 1].map(|axis| place[axis] - place[axis].max(low[axis]).min(high[axis]));
        let squared = away[0] * away[0] + away[1] * away[1];
        if squared == 0.0 {
            return Self::from_inside([low, high], place, radius);
        }
        if squared >= radius * radius {
            return None;
        }
        let distance = squared.sqrt();
        Some(Self {
            normal: away.map(|side| side / distance),
            depth: radius - distance,
            part: if away[0] == 0.0 || away[1] == 0.0 {
                Part::Face
            } else {
                Part::Corner
            },
        })
    }

    /// The way through the nearest face, for one whose middle is in the wall.
    fn from_inside([low, high]: [[f32; 2]; 2], place: [f32; 2], radius: f32) -> Option<Self> {
        let faces = [
            (place[0] - low[0], [-1.0, 0.0]),
            (high[0] - place[0], [1.0, 0.0]),
            (place[1] - low[1], [0.0, -1.0]),
            (high[1] - place[1], [0.0, 1.0]),
        ];
        let nearest = faces.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b));
        let (inside, normal) = nearest.filter(|(inside, _)| inside.is_finite())?;
        Some(Self {
            normal,
            depth: inside + radius,
            part: Part::Face,
        })
    }
}

impl Bodies {
    /// Pushes one body along a direction (scaled by its lightness).
    #[inline(always)]
    fn hit(&mut self, row: usize, direction: [f32; 2], push: f32, impulse: f32, glow: u8) {
        self.xs[row] += direction[0] * push;
        self.ys[row] += direction[1] * push;
        let velocity = &mut self.velocities[row];
        velocity[0] += direction[0] * impulse;
        velocity[1] += direction[1] * impulse;
        self.glow[row] = self.glow[row].max(glow);
    }
}

#[cfg(test)]
mod tests {
    use throng::{CategoryConfig, ProxyId};

    use super::*;
    use crate::{bodies, setup::default_config, sizes::Sizes};

    /// Two of the largest kind that run into each other along the first axis.
    fn collision() -> (Vec<Kind>, Contact) {
        let mut kinds = bodies::kinds(&default_config(), Sizes::new(1.2, 1e6));
        let Kind { radius, bodies, .. } = &mut kinds[2];
        bodies.push([10.0, 10.0], *radius, ProxyId::from_bits(0));
        bodies.push([10.0 + 1.5 * *radius, 10.0], *radius, ProxyId::from_bits(1));
        bodies.velocities = vec![[3.0, 1.0], [-1.0, 0.0]];
        let contact = Contact {
            kinds: [2, 2],
            rows: [0, 1],
            normal: [1.0, 0.0],
            depth: 0.5 * *radius,
        };
        (kinds, contact)
    }

    #[test]
    fn bodies_part_and_bounce_and_keep_their_momentum() {
        let (mut kinds, contact) = collision();
        let gap = |kinds: &[Kind]| kinds[2].bodies.xs[1] - kinds[2].bodies.xs[0];
        let before = gap(&kinds);
        push_apart(&[contact], &mut kinds);
        assert!(gap(&kinds) > before);
        let [[ax, ay], [bx, by]] = kinds[2].bodies.velocities[..] else {
            panic!("there are two");
        };
        assert!(bx > ax, "they part");
        assert!((ax + bx - 2.0).abs() < 1e-5, "equal masses keep the sum");
        assert_eq!([ay, by], [1.0, 0.0], "nothing happens across");
        assert!(kinds[2].bodies.glow.iter().all(|glow| *glow > 0));
    }

    #[test]
    fn the_big_stand_and_the_small_give_way() {
        let (mut kinds, _) = collision();
        let dragon = ProxyId::from_bits(0);
        kinds[3].bodies.push([-10.0, 10.0], 20.5, dragon);
        let depth = 1.0;
        let contact = Contact {
            kinds: [2, 3],
            rows: [0, 0],
            normal: [-1.0, 0.0],
            depth,
        };
        kinds[2].bodies.velocities[0] = [-3.0, 0.0];
        push_apart(&[contact], &mut kinds);
        let away = kinds[2].bodies.xs[0] - 10.0;
        let back = -10.0 - kinds[3].bodies.xs[0];
        assert!(away > 0.9 * PUSH * depth && back > 0.0 && back < 0.01 * away);
        assert!(kinds[2].bodies.velocities[0][0] > 0.0, "it bounces");
        assert!(kinds[2].bodies.glow[0] > 10 * kinds[3].bodies.glow[0]);
    }

    #[test]
    fn bodies_that_part_already_are_not_pulled_together() {
        let (mut kinds, contact) = collision();
        kinds[2].bodies.velocities = vec![[-1.0, 0.0], [1.0, 0.0]];
        push_apart(&[contact], &mut kinds);
        assert_eq!(kinds[2].bodies.velocities, [[-1.0, 0.0], [1.0, 0.0]]);
    }

    fn wall(min: [f32; 2], max: [f32; 2]) -> Aabb {
        Aabb::new(min, max).expect("a box")
    }

    #[test]
    fn ways_out_lead_through_the_nearest_face_or_corner() {
        let wall = wall([0.0, 0.0], [10.0, 4.0]);
        let way = |place: [f32; 2]| WayOut::of(&wall, place, 1.0);
        let face = |normal: [f32; 2], depth: f32| {
            let part = Part::Face;
            Some(WayOut {
                normal,
                depth,
                part,
            })
        };
        assert_eq!(way([5.0, -0.75]), face([0.0, -1.0], 0.25));
        assert_eq!(way([10.5, 2.0]), face([1.0, 0.0], 0.5));
        assert_eq!(
            way([5.0, 3.5]),
            face([0.0, 1.0], 1.5),
            "its middle is inside"
        );
        assert_eq!(way([5.0, 4.0]), face([0.0, 1.0], 1.0), "and on the face");
        assert_eq!(way([5.0, 5.0]), None);
        assert_eq!(way([10.8, 4.8]), None, "past the corner");
        let corner = way([10.3, 4.4]).expect("it is on the corner");
        assert_eq!(corner.part, Part::Corner);
        assert!((corner.depth - 0.5).abs() < 1e-6 && (corner.normal[0] - 0.6).abs() < 1e-6);
        assert_eq!(WayOut::of(&Aabb::EVERYWHERE, [0.0; 2], 1.0), None);
    }

    #[test]
    fn bodies_slide_along_a_row_of_walls_without_stumbling() {
        let mut kinds = collision().0;
        let config = default_config().category(CategoryConfig::scenery("walls"));
        kinds.push(
            bodies::kinds(&config, Sizes::new(1.2, 1e6))
                .pop()
                .expect("there are five"),
        );
        let tiles = (0..20).map(|x| wall([x as f32, 10.3], [x as f32 + 1.0, 12.0]));
        kinds[4].walls = tiles.collect();
        kinds[2].bodies.velocities[0] = [3.0, 0.5];
        // The last tile is the first it touches, and by its corner.
        let bumps: Vec<Bump> = (0..20)
            .rev()
            .map(|wall| Bump {
                kinds: [2, 4],
                rows: [0, wall],
            })
            .collect();
        for part in [Part::Face, Part::Corner] {
            push_out(&bumps, &mut kinds, part);
        }
        let bodies = &kinds[2].bodies;
        assert!((bodies.ys[0] - (10.3 - bodies.radii.of(0))).abs() < 1e-5);
        assert_eq!((bodies.xs[0], bodies.velocities[0][0]), (10.0, 3.0));
        assert!((bodies.velocities[0][1] + BOUNCE * 0.5).abs() < 1e-6);
        assert!(bodies.glow[0] > 0);
    }
}
