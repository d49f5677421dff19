//! Nobody gets so far at a time that a wall could be passed.
//!
//! What touches a wall is put beside it at the end of the frame. Until the next time, it goes no farther by itself than
//! [`OF_RADIUS`] of its radius, and is pushed no farther than that; and if the wall it was pushed into was none that it
//! had met, it is pushed once more. That is less than its radius in all: its middle is still on the right side of the
//! wall, however thin, and shows the way out.

use std::ops::ControlFlow;

use rayon::prelude::*;
use throng::{Aabb, Broadphase, QueryFilter};

use crate::{
    bodies::{Bodies, Kind, Radii},
    motion::{ROWS_PER_TASK, TIME_STEP},
};

/// The part of its radius that has to be clear of walls: what rolls along a wall may touch it.
const CLEAR: f32 = 0.99;
/// The part of its radius that a body travels, or is pushed, in one frame at the most.
const OF_RADIUS: f32 = 0.3;

/// Slows down who is too fast.
pub fn slow_down(radii: &Radii, first_row: usize, velocities: &mut [[f32; 2]]) {
    match radii {
        Radii::Same(radius) => {
            let most = OF_RADIUS * radius / TIME_STEP;
            velocities
                .iter_mut()
                .for_each(|velocity| *velocity = within(*velocity, most));
        }
        Radii::Own(radii) => {
            for (velocity, radius) in velocities.iter_mut().zip(&radii[first_row..]) {
                *velocity = within(*velocity, OF_RADIUS * radius / TIME_STEP);
            }
        }
    }
}

/// Takes back by how much anyone was pushed too far from where the last step of this world found it.
pub fn hold_back(kinds: &mut [Kind], world: &Broadphase) {
    for kind in kinds {
        let Bodies { xs, ys, radii, .. } = &mut kind.bodies;
        let [from_xs, from_ys] = world.centers(kind.category);
        (
            xs.par_chunks_mut(ROWS_PER_TASK),
            ys.par_chunks_mut(ROWS_PER_TASK),
            from_xs.par_chunks(ROWS_PER_TASK),
            from_ys.par_chunks(ROWS_PER_TASK),
        )
            .into_par_iter()
            .enumerate()
            .for_each(|(task, (xs, ys, from_xs, from_ys))| {
                let from = from_xs.iter().zip(from_ys);
                for (row, ((x, y), from)) in xs.iter_mut().zip(ys).zip(from).enumerate() {
                    let most = OF_RADIUS * radii.of(task * ROWS_PER_TASK + row);
                    let pushed = [*x - from.0, *y - from.1];
                    if pushed[0] * pushed[0] + pushed[1] * pushed[1] > most * most {
                        let pushed = within(pushed, most);
                        (*x, *y) = (from.0 + pushed[0], from.1 + pushed[1]);
                    }
                }
            });
    }
}

/// Puts the big back inside the world that others have pushed them out of. The small are put back when they move.
pub fn keep_inside(kinds: &mut [Kind], world: &Aabb) {
    for kind in kinds.iter_mut().filter(|kind| kind.is_oversized()) {
        let sleep = kind.sleep.as_ref();
        let is_awake = |row: usize| !sleep.is_some_and(|sleep| sleep.is_asleep(row));
        let Bodies { xs, ys, radii, .. } = &mut kind.bodies;
        for (axis, places) in [xs, ys].into_iter().enumerate() {
            let (low, high) = (world.min()[axis], world.max()[axis]);
            let places = places.iter_mut().enumerate();
            for (row, place) in places.filter(|(row, _)| is_awake(*row)) {
                *place = place.max(low + radii.of(row)).min(high - radii.of(row));
            }
        }
    }
}

/// Takes the big back to where the last step found them, and turns them around, if they are still on a wall after they were
/// put beside all that they had met: where walls are close together, the way out of one leads into the next.
pub fn turn_round(kinds: &mut [Kind], world: &Broadphase) {
    let scenery = kinds.iter().filter(|kind| kind.is_scenery());
    let walls = scenery.fold(QueryFilter::new(), |walls, kind| {
        walls.category(kind.category)
    });
    for kind in kinds.iter_mut().filter(|kind| kind.is_oversized()) {
        let [from_xs, from_ys] = world.centers(kind.category);
        let Bodies {
            xs,
            ys,
            velocities,
            radii,
            ..
        } = &mut kind.bodies;
        for (row, from) in from_xs.iter().zip(from_ys).enumerate() {
            let place = [xs[row], ys[row]];
            let touched =
                world
                    .query_with(&walls)
                    .query_circle(place, CLEAR * radii.of(row), |_| ControlFlow::Break(()));
            if touched.is_ok_and(|touched| touched.is_break()) {
                (xs[row], ys[row]) = (*from.0, *from.1);
                velocities[row] = velocities[row].map(|along| -along);
            }
        }
    }
}

/// The same direction, and no longer than this.
#[inline(always)]
fn within([x, y]: [f32; 2], most: f32) -> [f32; 2] {
    let length = (x * x + y * y).sqrt();
    let scale = (most / length.max(f32::MIN_POSITIVE)).min(1.0);
    [x * scale, y * scale]
}

#[cfg(test)]
mod tests {
    use throng::ProxyId;

    use super::*;
    use crate::{
        bodies,
        setup::default_config,
        sizes::Sizes,
        sleep::{Share, Sleep},
    };

    #[test]
    fn only_what_is_too_long_is_cut_short() {
        assert_eq!(within([3.0, 4.0], 5.0), [3.0, 4.0]);
        assert_eq!(within([0.0, 0.0], 1.0), [0.0, 0.0]);
        assert_eq!(within([30.0, -40.0], 5.0), [3.0, -4.0]);
    }

    #[test]
    fn the_big_are_put_back_inside_unless_they_sleep() {
        let world = Aabb::new([0.0; 2], [100.0; 2]).expect("a box");
        for (share, expected) in [(1.0, 10.0), (0.0, 9.0)] {
            let mut kinds = bodies::kinds(&default_config(), Sizes::new(1.2, 1e6));
            let Kind { bodies, sleep, .. } = &mut kinds[3];
            bodies.push([9.0, 50.0], 10.0, ProxyId::from_bits(0));
            let mut chosen = Sleep::new(Share::new(share, 1), bodies);
            chosen.choose(bodies, [&[9.0], &[50.0]], 0);
            *sleep = Some(chosen);
            keep_inside(&mut kinds, &world);
            assert_eq!(kinds[3].bodies.xs[0], expected);
        }
    }

    #[test]
    fn everyone_is_slowed_down_by_the_own_radius() {
        let mut velocities = [[900.0, 0.0]; 3];
        slow_down(&Radii::Own(vec![7.0, 1.0, 10.0, 50.0]), 1, &mut velocities);
        let travelled = velocities.map(|velocity| velocity[0] * TIME_STEP);
        for (travelled, most) in travelled.into_iter().zip([0.3, 3.0, 15.0]) {
            assert!((travelled - most).abs() < 1e-5, "{travelled} {most}");
        }
    }
}
