//! What there is: a struct of arrays for each kind, whose row `i` is row `i` of its category in the broadphase.

use throng::{Aabb, Masks, ProxyId, Row};

/// Half the width of every soldier.
pub const SOLDIER_RADIUS: f32 = 0.5;
/// How long soldiers last.
pub const HEALTH: f32 = 10.0;
/// Half the width and height of a dragon.
pub const DRAGON_HALF: [f32; 2] = [6.0, 2.5];

/// Which army: 0 or 1.
pub type Team = u8;

/// A soldier is a member of its army, and collides with everybody.
pub fn masks_of(team: Team) -> Masks {
    Masks::new(1 << team, u64::MAX)
}

/// Finds soldiers of the other army.
pub fn enemies_of(team: Team) -> Masks {
    Masks::new(u64::MAX, 1 << (1 - team))
}

/// Those who walk, fight and die.
#[derive(Clone, Default)]
pub struct Soldiers {
    pub ids: Vec<ProxyId>,
    pub xs: Vec<f32>,
    pub ys: Vec<f32>,
    pub velocities: Vec<[f32; 2]>,
    pub teams: Vec<Team>,
    pub health: Vec<f32>,
    /// In how many fires, and in how many shrines.
    pub stands_in: Vec<[u8; 2]>,
}

impl Soldiers {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn push(&mut self, id: ProxyId, [x, y]: [f32; 2], team: Team) {
        self.ids.push(id);
        self.xs.push(x);
        self.ys.push(y);
        self.velocities.push([0.0; 2]);
        self.teams.push(team);
        self.health.push(HEALTH);
        self.stands_in.push([0; 2]);
    }

    /// Does what a removal does to the rows of the broadphase: the last one fills the gap.
    pub fn swap_remove(&mut self, row: Row) {
        let row = row as usize;
        self.ids.swap_remove(row);
        self.xs.swap_remove(row);
        self.ys.swap_remove(row);
        self.velocities.swap_remove(row);
        self.teams.swap_remove(row);
        self.health.swap_remove(row);
        self.stands_in.swap_remove(row);
    }

    pub fn position(&self, row: usize) -> [f32; 2] {
        [self.xs[row], self.ys[row]]
    }

    pub fn aabb(&self, row: usize) -> Aabb {
        Aabb::from_center(self.position(row), [SOLDIER_RADIUS; 2])
            .expect("soldiers stay where boxes can be")
    }
}

/// Those who fly to and fro and burn what is below.
#[derive(Default)]
pub struct Dragons {
    pub xs: Vec<f32>,
    pub ys: Vec<f32>,
    pub velocities: Vec<[f32; 2]>,
}

impl Dragons {
    pub fn len(&self) -> usize {
        self.xs.len()
    }

    pub fn aabb(&self, row: usize) -> Aabb {
        Aabb::from_center([self.xs[row], self.ys[row]], DRAGON_HALF)
            .expect("dragons stay above the field")
    }
}
