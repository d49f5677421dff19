//! The engine: what it keeps, and what it does in a frame.

use std::error::Error;

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proximity, ProximityPairs,
    Proxy,
};

use crate::bodies::{DRAGON_HALF, Dragons, SOLDIER_RADIUS, Soldiers, masks_of};
use crate::contacts::{Contact, Shapes};
use crate::eyes::Eyes;
use crate::fight;
use crate::grounds::{self, GROUNDS, Grounds};

pub const SOLDIERS: CategoryId = CategoryId::new(0);
pub const DRAGONS: CategoryId = CategoryId::new(1);
pub const WALLS: CategoryId = CategoryId::new(2);
pub const FIRES: CategoryId = CategoryId::new(3);
pub const SHRINES: CategoryId = CategoryId::new(4);

/// The width and height of the battlefield.
pub const FIELD: [f32; 2] = [100.0, 64.0];
/// How far a sword reaches from middle to middle: more than soldiers are wide, so that it takes no collision.
pub const REACH: f32 = 1.6;
/// Seconds in a frame.
pub const FRAME: f32 = 1.0 / 30.0;

/// A game.
pub struct Engine {
    pub world: Broadphase,
    pub soldiers: Soldiers,
    pub dragons: Dragons,
    pub walls: Vec<Aabb>,
    pub grounds: Grounds,
    /// Who touches what, in this frame.
    pub contacts: Vec<Contact>,
    /// Who stands within reach of whom, in this frame.
    pub in_reach: ProximityPairs,
    eyes: Eyes,
    pub frames: u32,
}

impl Engine {
    /// Two armies of so many, three dragons, some walls, fires and shrines.
    pub fn new(soldiers_each: u32) -> Result<Self, Box<dyn Error>> {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("soldiers", SOLDIER_RADIUS))
            // They fly above walls, and past each other.
            .category(CategoryConfig::oversized("dragons").meets(["soldiers"]))
            .category(CategoryConfig::scenery("walls").meets(["soldiers"]))
            // Of these it is told who comes and who goes.
            .category(
                CategoryConfig::scenery("fires")
                    .meets(["soldiers"])
                    .events(),
            )
            .category(
                CategoryConfig::scenery("shrines")
                    .meets(["soldiers"])
                    .events(),
            );
        let mut engine = Self {
            world: Broadphase::new(config)?,
            soldiers: Soldiers::default(),
            dragons: Dragons::default(),
            walls: Vec::new(),
            grounds: Grounds::default(),
            contacts: Vec::new(),
            in_reach: ProximityPairs::new(),
            eyes: Eyes::default(),
            frames: 0,
        };
        for row in 0..5 {
            let low = [
                36.0 + 6.5 * row as f32,
                if row % 2 == 0 { 4.0 } else { 36.0 },
            ];
            engine.build_wall(Aabb::new(low, [low[0] + 2.0, low[1] + 24.0])?)?;
        }
        let fires =
            [[40.0, 2.5], [50.0, 12.0], [60.0, 2.5]].map(|[x, half]| ([x, 32.0], [half, 3.0]));
        let shrines = [30.0, 70.0].map(|x| ([x, 32.0], [3.0, 6.0]));
        for (center, half) in fires {
            engine.lay_out(0, Aabb::from_center(center, half)?)?;
        }
        for (center, half) in shrines {
            engine.lay_out(1, Aabb::from_center(center, half)?)?;
        }
        let columns = (soldiers_each as f32).sqrt().ceil() as u32;
        for team in [0, 1] {
            for number in 0..soldiers_each {
                let (column, line) = (number % columns, number / columns);
                let from_edge = 2.0 + 1.1 * column as f32;
                let x = if team == 0 {
                    from_edge
                } else {
                    FIELD[0] - from_edge
                };
                engine.recruit([x, 18.0 + 1.1 * line as f32], team)?;
            }
        }
        for row in 0..3 {
            let center = [20.0 + 30.0 * row as f32, 12.0 + 18.0 * row as f32];
            engine.hatch(center, [11.0 - 4.0 * row as f32, 7.0])?;
        }
        engine.world.refresh();
        Ok(engine)
    }

    fn build_wall(&mut self, wall: Aabb) -> Result<(), Box<dyn Error>> {
        self.world.insert(Proxy::fixed(wall).in_category(WALLS))?;
        self.walls.push(wall);
        Ok(())
    }

    /// Adds a fire or a shrine.
    fn lay_out(&mut self, ground: usize, aabb: Aabb) -> Result<(), Box<dyn Error>> {
        let proxy = Proxy::fixed(aabb).in_category(GROUNDS[ground]);
        self.world.insert(proxy)?;
        self.grounds.boxes[ground].push(aabb);
        Ok(())
    }

    fn recruit(&mut self, center: [f32; 2], team: u8) -> Result<(), Box<dyn Error>> {
        let proxy = Proxy::centered(center, [SOLDIER_RADIUS; 2])?.masks(masks_of(team));
        self.soldiers.push(self.world.insert(proxy)?, center, team);
        Ok(())
    }

    fn hatch(&mut self, [x, y]: [f32; 2], velocity: [f32; 2]) -> Result<(), Box<dyn Error>> {
        self.world.insert(Proxy::centered([x, y], DRAGON_HALF)?)?;
        self.dragons.xs.push(x);
        self.dragons.ys.push(y);
        self.dragons.velocities.push(velocity);
        Ok(())
    }

    /// One frame: think, move, tell the broadphase where everything is, and act on what it finds.
    pub fn frame(&mut self) -> Result<(), Box<dyn Error>> {
        fight::bury(&mut self.world, &mut self.soldiers)?;
        // Thinking asks the index of the last frame: that is where everybody was seen.
        self.eyes.look(&self.world, &mut self.soldiers)?;
        self.walk();

        let Self {
            world,
            soldiers,
            dragons,
            walls,
            grounds,
            ..
        } = self;
        let walked = world
            .centers_mut(SOLDIERS)?
            .fill_from(&soldiers.xs, &soldiers.ys)?;
        let flown = world
            .centers_mut(DRAGONS)?
            .fill_from(&dragons.xs, &dragons.ys)?;
        if walked.rejected + flown.rejected > 0 {
            return Err("somebody is nowhere: a position is not finite".into());
        }
        let step = world.step(&Shapes {
            soldiers,
            dragons,
            walls,
        });
        self.contacts.clear();
        self.contacts.extend(step.outputs().flatten());
        grounds.visit(&step, soldiers);
        let melee = Proximity::centers([SOLDIERS; 2], REACH);
        self.world.find_pairs_within(&melee, &mut self.in_reach)?;

        fight::hurt(&mut self.soldiers, &self.in_reach, &self.contacts);
        grounds::burn_and_heal(&mut self.soldiers);
        self.give_way();
        self.frames += 1;
        Ok(())
    }

    fn walk(&mut self) {
        let soldiers = &mut self.soldiers;
        for (row, [vx, vy]) in soldiers.velocities.iter().enumerate() {
            soldiers.xs[row] += vx * FRAME;
            soldiers.ys[row] += vy * FRAME;
        }
        let dragons = &mut self.dragons;
        for (row, [vx, vy]) in dragons.velocities.iter_mut().enumerate() {
            fly(&mut dragons.xs[row], vx, FIELD[0]);
            fly(&mut dragons.ys[row], vy, FIELD[1]);
        }
    }

    /// Pushes soldiers out of what they touch, each of two by half, and back onto the field.
    fn give_way(&mut self) {
        let soldiers = &mut self.soldiers;
        let mut push = |row: usize, [x, y]: [f32; 2], share: f32| {
            soldiers.xs[row] = (soldiers.xs[row] + share * x).clamp(0.0, FIELD[0]);
            soldiers.ys[row] = (soldiers.ys[row] + share * y).clamp(0.0, FIELD[1]);
        };
        for contact in &self.contacts {
            match contact.other {
                (SOLDIERS, other) => {
                    push(contact.soldier as usize, contact.push, 0.5);
                    push(other as usize, contact.push, -0.5);
                }
                (WALLS, _) => push(contact.soldier as usize, contact.push, 1.0),
                // One burns below a dragon, and is not pushed.
                _ => {}
            }
        }
    }
}

/// One axis of a flight that turns at the edges of the field.
fn fly(place: &mut f32, speed: &mut f32, end: f32) {
    *place += *speed * FRAME;
    if *place < 0.0 || *place > end {
        *place = place.clamp(0.0, end);
        *speed = -*speed;
    }
}
