//! Fires and shrines. What matters of them is who comes and who goes: begins and ends of pairs.

use throng::{Aabb, CategoryId, PairEvent, Step};

use crate::bodies::{HEALTH, Soldiers};
use crate::contacts::Contact;
use crate::engine::{FIRES, FRAME, SHRINES};

/// Health that a fire takes in a second.
const BURN: f32 = 3.0;
/// Health that a shrine gives in a second.
const HEAL: f32 = 1.5;

/// The categories of grounds; their places here are what `[_; 2]` is indexed by.
pub const GROUNDS: [CategoryId; 2] = [FIRES, SHRINES];

/// All fires and shrines, and how many soldiers have come and gone.
#[derive(Default)]
pub struct Grounds {
    pub boxes: [Vec<Aabb>; 2],
    pub came: [usize; 2],
    pub went: [usize; 2],
}

impl Grounds {
    /// Notes for each soldier in how many fires and shrines it stands: one more for each begin, one less for each end.
    pub fn visit(&mut self, step: &Step<'_, Vec<Contact>>, soldiers: &mut Soldiers) {
        // Nothing but grounds asks for events, and a soldier is the first of two: its category is the lower one.
        let ground = |event: &PairEvent| usize::from(event.categories[1] == SHRINES);
        let visitor = |event: &PairEvent| step.world().locate(event.ids[0]);
        for event in step.began() {
            self.came[ground(&event)] += 1;
            if let Some(soldier) = visitor(&event) {
                soldiers.stands_in[soldier.row as usize][ground(&event)] += 1;
            }
        }
        for event in step.ended() {
            self.went[ground(&event)] += 1;
            // A pair also ends when the soldier has been buried.
            if let Some(soldier) = visitor(&event) {
                soldiers.stands_in[soldier.row as usize][ground(&event)] -= 1;
            }
        }
    }
}

/// Fires burn and shrines heal whoever stands in them.
pub fn burn_and_heal(soldiers: &mut Soldiers) {
    for (health, [fires, shrines]) in soldiers.health.iter_mut().zip(&soldiers.stands_in) {
        *health -= BURN * FRAME * f32::from(*fires);
        if *health > 0.0 {
            *health = (*health + HEAL * FRAME * f32::from(*shrines)).min(HEALTH);
        }
    }
}
