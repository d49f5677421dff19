//! What contacts do to bodies: they are pushed apart and bounce.

use crate::{
    bodies::{Bodies, Kind},
    contacts::Contact,
    terrain::Terrain,
};

/// The part of its depth by which a contact is undone in one frame; all of it would make crowds shake.
const PUSH: f32 = 0.4;
/// The part of their closing speed that two bodies keep.
const BOUNCE: f32 = 0.6;

/// Applies contacts one after the other, in the order given: the same on any number of threads,
/// because the broadphase gives them in the same order on any number of threads.
pub fn apply(contacts: &[Contact], kinds: &mut [Kind], terrain: &Terrain) {
    for contact in contacts {
        let [kind_a, kind_b] = contact.kinds.map(usize::from);
        let [a, b] = contact.rows.map(|row| row as usize);
        let light_a = kinds[kind_a].inverse_mass(a);
        let light_b = kinds[kind_b].inverse_mass(b);
        let share = 1.0 / (light_a + light_b);
        let [nx, ny] = contact.normal;

        let va = kinds[kind_a].bodies.velocities[a];
        let vb = kinds[kind_b].bodies.velocities[b];
        let closing = ((va[0] - vb[0]) * nx + (va[1] - vb[1]) * ny).max(0.0);
        let impulse = (1.0 + BOUNCE) * closing * share;
        let push = PUSH * contact.depth * share;
        let force = closing / kinds[kind_a].cruise.min(kinds[kind_b].cruise) * 160.0;

        let mut hit = |kind: usize, row: usize, direction: f32| {
            let (bodies, terrain) = (&mut kinds[kind].bodies, terrain);
            // The heavier of the two feels less of it.
            let felt = (2.0 * direction.abs() * share).min(1.0);
            let glow = (force * felt).min(255.0) as u8;
            bodies.hit(
                row,
                [nx * direction, ny * direction],
                push,
                impulse,
                glow,
                terrain,
            );
        };
        hit(kind_a, a, -light_a);
        hit(kind_b, b, light_b);
    }
}

impl Bodies {
    /// Pushes one body along a direction (scaled by its lightness), unless there is a wall there.
    #[inline(always)]
    fn hit(
        &mut self,
        row: usize,
        direction: [f32; 2],
        push: f32,
        impulse: f32,
        glow: u8,
        terrain: &Terrain,
    ) {
        let x = self.xs[row] + direction[0] * push;
        let y = self.ys[row] + direction[1] * push;
        if terrain.is_open(x, y) {
            self.xs[row] = x;
            self.ys[row] = y;
        }
        let velocity = &mut self.velocities[row];
        velocity[0] += direction[0] * impulse;
        velocity[1] += direction[1] * impulse;
        self.glow[row] = self.glow[row].max(glow);
    }
}

#[cfg(test)]
mod tests {
    use throng::ProxyId;

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
        apply(&[contact], &mut kinds, &Terrain::open(1000.0));
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
        apply(&[contact], &mut kinds, &Terrain::open(1000.0));
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
        apply(&[contact], &mut kinds, &Terrain::open(1000.0));
        assert_eq!(kinds[2].bodies.velocities, [[-1.0, 0.0], [1.0, 0.0]]);
    }
}
