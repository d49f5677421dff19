//! Everything once more, by brute force.

use std::{error::Error, fmt};

use throng::{Aabb, QueryHit, Row};

use crate::bodies::Soldiers;
use crate::contacts::Shapes;
use crate::engine::{DRAGONS, Engine, FIELD, REACH, SOLDIERS, WALLS};
use crate::eyes::{camera, under};
use crate::grounds::GROUNDS;

/// Compares what the engine found in a frame with what there is to find.
pub fn frame(engine: &Engine) -> Result<(), Box<dyn Error>> {
    // As they were fed to the broadphase: since then they have given way to each other.
    let [xs, ys] = engine.world.centers(SOLDIERS);
    let soldiers = Soldiers {
        xs: xs.to_vec(),
        ys: ys.to_vec(),
        ..engine.soldiers.clone()
    };
    let rows_agree = engine
        .world
        .proxies(SOLDIERS)
        .eq(soldiers.ids.iter().copied());
    agree("rows of soldiers", rows_agree, true)?;
    let shapes = Shapes {
        soldiers: &soldiers,
        dragons: &engine.dragons,
        walls: &engine.walls,
    };
    contacts(engine, &shapes)?;
    reach(engine, &soldiers)?;
    visits(engine, &soldiers)?;
    looks(engine, &soldiers)
}

fn contacts(engine: &Engine, shapes: &Shapes<'_>) -> Result<(), Box<dyn Error>> {
    let mut expected = Vec::new();
    for soldier in 0..shapes.soldiers.len() as Row {
        let others = [
            (SOLDIERS, soldier as usize + 1..shapes.soldiers.len()),
            (DRAGONS, 0..shapes.dragons.len()),
            (WALLS, 0..shapes.walls.len()),
        ];
        for (category, rows) in others {
            for other in rows.map(|row| (category, row as Row)) {
                if shapes.push(soldier, other).is_some() {
                    expected.push((soldier, other));
                }
            }
        }
    }
    let mut found: Vec<_> = engine
        .contacts
        .iter()
        .map(|contact| (contact.soldier, contact.other))
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    agree("contacts", found, expected)
}

fn reach(engine: &Engine, soldiers: &Soldiers) -> Result<(), Box<dyn Error>> {
    let mut expected = Vec::new();
    for a in 0..soldiers.len() {
        for b in a + 1..soldiers.len() {
            let [dx, dy] = [
                soldiers.xs[a] - soldiers.xs[b],
                soldiers.ys[a] - soldiers.ys[b],
            ];
            if dx * dx + dy * dy <= REACH * REACH {
                expected.push([a as Row, b as Row]);
            }
        }
    }
    let mut found: Vec<_> = engine
        .in_reach
        .iter()
        .map(|pair| pair.map(|place| place.row))
        .collect();
    found.sort_unstable();
    agree("pairs within reach", found, expected)
}

/// Where every soldier stands, as far as begins and ends have told.
fn visits(engine: &Engine, soldiers: &Soldiers) -> Result<(), Box<dyn Error>> {
    let grounds = &engine.grounds;
    let stands_in = |row: usize| {
        let aabb = soldiers.aabb(row);
        let around = |ground: &Vec<Aabb>| ground.iter().filter(|one| one.overlaps(&aabb)).count();
        grounds.boxes.each_ref().map(|ground| around(ground) as u8)
    };
    let expected: Vec<_> = (0..soldiers.len()).map(stands_in).collect();
    let mut lasting = [0; 2];
    for (fires, shrines) in expected.iter().map(|[fires, shrines]| (fires, shrines)) {
        lasting = [
            lasting[0] + usize::from(*fires),
            lasting[1] + usize::from(*shrines),
        ];
    }
    agree("who stands where", soldiers.stands_in.clone(), expected)?;
    let ended = [0, 1].map(|ground| grounds.came[ground] - lasting[ground]);
    agree("an end for every begin", grounds.went, ended)
}

/// What the camera sees, and what is under some places of the mouse.
fn looks(engine: &Engine, soldiers: &Soldiers) -> Result<(), Box<dyn Error>> {
    let camera = camera(engine.frames)?;
    let everybody = || {
        let soldiers = (0..soldiers.len()).map(|row| (SOLDIERS, row as Row, soldiers.aabb(row)));
        let dragons =
            (0..engine.dragons.len()).map(|row| (DRAGONS, row as Row, engine.dragons.aabb(row)));
        let walls = engine
            .walls
            .iter()
            .zip(0..)
            .map(|(wall, row)| (WALLS, row, *wall));
        let grounds = GROUNDS.into_iter().zip(&engine.grounds.boxes);
        let grounds = grounds.flat_map(|(category, boxes)| {
            let rows = boxes.iter().zip(0..);
            rows.map(move |(aabb, row)| (category, row, *aabb))
        });
        soldiers.chain(dragons).chain(walls).chain(grounds)
    };
    let mut hits: Vec<QueryHit> = Vec::new();
    engine.world.query().find_in_polygon(&camera, &mut hits)?;
    let mut seen: Vec<_> = hits.iter().map(|hit| (hit.category, hit.row)).collect();
    seen.sort_unstable();
    let visible = everybody().filter(|(.., aabb)| camera.touches(aabb));
    agree(
        "what the camera sees",
        seen,
        visible.map(|(category, row, _)| (category, row)).collect(),
    )?;

    for k in 0..8 {
        let point = [
            FIELD[0] * (k as f32 + 0.5) / 8.0,
            FIELD[1] * ((engine.frames + 13 * k) % 64) as f32 / 64.0,
        ];
        let picked = under(&engine.world, point, &mut hits)?.is_some();
        agree(
            "what is under the mouse",
            picked,
            everybody().any(|(.., aabb)| aabb.contains_point(point)),
        )?;
    }
    Ok(())
}

fn agree<T: PartialEq + fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), Box<dyn Error>> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: {found:?} were found, and {expected:?} are there").into())
    }
}

/// What all frames came to.
#[derive(Default)]
pub struct Totals {
    frames: u32,
    contacts: usize,
    in_reach: usize,
    seen: usize,
    alive: [usize; 2],
    came: [usize; 2],
    went: [usize; 2],
    hits: Vec<QueryHit>,
}

impl Totals {
    pub fn add(&mut self, engine: &Engine) -> Result<(), Box<dyn Error>> {
        engine
            .world
            .query()
            .find_in_polygon(&camera(engine.frames)?, &mut self.hits)?;
        self.frames += 1;
        self.contacts += engine.contacts.len();
        self.in_reach += engine.in_reach.len();
        self.seen += self.hits.len();
        (self.came, self.went) = (engine.grounds.came, engine.grounds.went);
        self.alive = [0, 1].map(|team| {
            engine
                .soldiers
                .teams
                .iter()
                .filter(|own| **own == team)
                .count()
        });
        Ok(())
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            frames,
            contacts,
            in_reach,
            seen,
            alive,
            came,
            went,
            ..
        } = self;
        write!(
            f,
            "{frames} frames: {contacts} contacts, {in_reach} pairs within reach, {seen} seen by the camera; \
             fires were entered {} times and left {} times, shrines {} and {}; {} and {} soldiers are left",
            came[0], went[0], came[1], went[1], alive[0], alive[1]
        )
    }
}
