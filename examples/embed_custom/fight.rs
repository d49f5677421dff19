//! Who hurts whom, and what becomes of the dead.

use std::error::Error;

use throng::{Broadphase, ProximityPairs};

use crate::bodies::Soldiers;
use crate::contacts::Contact;
use crate::engine::{DRAGONS, FRAME};

/// Health that a sword takes in a second.
const SWORD: f32 = 2.0;
/// Health that a dragon's breath takes in a second.
const FIRE: f32 = 6.0;

/// Soldiers of different armies within reach hurt each other; whom a dragon touches burns.
pub fn hurt(soldiers: &mut Soldiers, in_reach: &ProximityPairs, contacts: &[Contact]) {
    for pair in in_reach.iter() {
        let [a, b] = pair.map(|place| place.row as usize);
        if soldiers.teams[a] != soldiers.teams[b] {
            soldiers.health[a] -= SWORD * FRAME;
            soldiers.health[b] -= SWORD * FRAME;
        }
    }
    for contact in contacts.iter().filter(|contact| contact.other.0 == DRAGONS) {
        soldiers.health[contact.soldier as usize] -= FIRE * FRAME;
    }
}

/// Takes the dead out, of the broadphase and of the arrays alike.
pub fn bury(world: &mut Broadphase, soldiers: &mut Soldiers) -> Result<(), Box<dyn Error>> {
    // From the last row down, so that a row that fills a gap has been looked at already.
    for row in (0..soldiers.len()).rev() {
        if soldiers.health[row] <= 0.0 {
            let removed = world.remove(soldiers.ids[row])?;
            soldiers.swap_remove(removed.row);
        }
    }
    Ok(())
}
