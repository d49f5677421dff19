//! The swarm: a broadphase, the bodies it knows by row, and one frame of their life.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use throng::{Broadphase, Clock, Proxy, QueryError, QueryHit, RowOrder};

use crate::{
    bodies::{self, Counts, Kind, Role, Spare},
    contacts::{Circles, Found, Keep},
    failure::Failure,
    figures::{FrameFigures, MEETINGS, Stopwatch, meeting, milliseconds},
    motion::{self, TIME_STEP},
    pair_hash::PairHash,
    resolve::{self, Part},
    restraint,
    setup::Setup,
    sleep::Sleep,
    terrain::Terrain,
    walls,
    witness::Witness,
};

/// One of the big that finds no room tries it this much smaller, so many times.
const SMALLER: f32 = 0.8;
const TIMES_SMALLER: usize = 24;
/// The part of the room between walls that one of the big fills, so that it can go on from there.
const OF_ROOM: f32 = 0.5;

/// A world of colliding units.
pub struct Swarm {
    world: Broadphase,
    kinds: Vec<Kind>,
    terrain: Terrain,
    random: Pcg64Mcg,
    sorts_rows: bool,
    spare: Spare,
    frames: u64,
    hash: PairHash,
    /// Found by a query; empty between calls but for its memory.
    found: Vec<QueryHit>,
}

impl Swarm {
    /// The walls of a setup, and its units, each in a place of its own, at rest.
    pub fn new(setup: Setup) -> Result<Self, Failure> {
        let mut world =
            Broadphase::new(setup.config).map_err(|error| Failure::input(error.to_string()))?;
        let mut kinds = bodies::kinds(world.config(), setup.sizes);
        let walls = setup.walls.build(&mut world)?;
        if let Some(category) = walls::category(world.config()) {
            kinds[category.index()].walls = walls;
        }
        for kind in kinds.iter_mut().filter(|kind| !kind.is_scenery()) {
            kind.sleep = setup.awake.map(|share| Sleep::new(share, &kind.bodies));
        }
        let mut swarm = Self {
            world,
            kinds,
            terrain: setup.terrain,
            random: Pcg64Mcg::seed_from_u64(setup.seed),
            sorts_rows: setup.sorts_rows,
            spare: Spare::default(),
            frames: 0,
            hash: PairHash::default(),
            found: Vec::new(),
        };
        for (kind, count) in setup.counts.into_iter().enumerate() {
            swarm.add(kind, count)?;
        }
        Ok(swarm)
    }

    /// One frame. What the broadphase asks of an engine is all here: sort the rows when that is due, write the centres of
    /// each category, step with a narrowphase, use what it found.
    pub fn frame(&mut self, keep: Keep, witness: &mut impl Witness) -> FrameFigures {
        let mut watch = Stopwatch::start(witness.now());
        let row_sorts = self.sort_rows_if_due();
        let sorting = watch.lap(witness.now());
        let seconds = self.frames as f32 * TIME_STEP;
        self.choose_awake();
        motion::move_bodies(&mut self.kinds, &self.terrain, seconds);
        let moving = watch.lap(witness.now());

        let allocations = witness.allocations();
        for Kind {
            category,
            bodies,
            sleep,
            ..
        } in self.kinds.iter().filter(|kind| !kind.is_scenery())
        {
            let centers = self.world.centers_mut(*category);
            let mut centers = centers.expect("the category is one of this world");
            let fill = match sleep {
                None => centers.fill_from(&bodies.xs, &bodies.ys),
                Some(Sleep { rows, awake, .. }) => centers.set_rows(rows, &awake.xs, &awake.ys),
            };
            let fill = fill.expect("the columns are as long as the category");
            debug_assert_eq!(fill.rejected, 0, "bodies stay finite");
        }
        let writing = watch.lap(witness.now());

        let kinds = &self.kinds;
        let step = self.world.step(&Circles { kinds, keep });
        let stepping = watch.lap(witness.now());
        let allocations = witness.allocations() - allocations;

        witness.look(&self.kinds, &step);
        watch.lap(witness.now());

        for found in step.outputs() {
            resolve::push_apart(&found.contacts, &mut self.kinds);
        }
        restraint::keep_inside(&mut self.kinds, self.terrain.bounds());
        if self.kinds.iter().any(|kind| !kind.walls.is_empty()) {
            restraint::hold_back(&mut self.kinds, step.world());
            for part in [Part::Face, Part::Corner] {
                for found in step.outputs() {
                    resolve::push_out(&found.bumps, &mut self.kinds, part);
                }
            }
            restraint::turn_round(&mut self.kinds, step.world());
        }
        let resolving = watch.lap(witness.now());

        for found in step.outputs() {
            self.hash.append(found.hash);
        }
        self.hash.end_frame();
        self.frames += 1;
        let report = step.report();
        let mut pairs_by_meeting = [0; MEETINGS.len()];
        for met in &report.meetings {
            let kinds = met.categories.map(|side| &self.kinds[side.index()]);
            pairs_by_meeting[meeting(kinds)] += met.stats.pairs;
        }
        let sum = |figure: fn(&Found) -> usize| step.outputs().map(figure).sum::<usize>() as u64;
        FrameFigures {
            counts: Counts::of(&self.kinds),
            pairs: report.pairs,
            pairs_by_meeting,
            began: report.began as u64,
            ended: report.ended as u64,
            resting: report.resting as u64,
            resting_pairs: report.resting_pairs as u64,
            candidates: report.candidates,
            contacts: sum(|found| found.contacts.len()),
            bumps: sum(|found| found.bumps.len()),
            allocations,
            bytes: report.bytes,
            row_sorts,
            frame: sorting + moving + writing + stepping + resolving,
            stages: [
                sorting,
                moving,
                writing + milliseconds(report.stages.ingest),
                milliseconds(report.stages.index),
                milliseconds(report.stages.pairs),
                milliseconds(report.stages.narrowphase),
                resolving,
            ],
        }
    }

    /// Lets some fall asleep and as many wake, now and then, if not everybody is awake.
    fn choose_awake(&mut self) {
        for kind in &mut self.kinds {
            if let Some(sleep) = &mut kind.sleep {
                let places = self.world.centers(kind.category);
                sleep.choose(&mut kind.bodies, places, self.frames);
            }
        }
    }

    /// Adds bodies of one kind.
    pub fn add(&mut self, kind: usize, count: usize) -> Result<(), Failure> {
        let mut places = Vec::with_capacity(count);
        for _ in 0..count {
            places.push(self.place(kind)?);
        }
        let Kind {
            category, bodies, ..
        } = &mut self.kinds[kind];
        let proxies = places.iter().map(|(place, radius)| {
            Proxy::centered(*place, [*radius; 2])
                .expect("places are finite")
                .in_category(*category)
        });
        let batch = self.world.insert_batch(proxies);
        for ((place, radius), id) in places.iter().zip(&batch.ids) {
            if let Some(id) = id {
                bodies.push(*place, *radius, *id);
            }
        }
        self.kinds[kind].rows_changed();
        if let Some((_, error)) = batch.refused.first() {
            return Err(Failure::run(error.to_string()));
        }
        if self.sorts_rows && !self.kinds[kind].is_scenery() {
            self.sort_rows(kind);
        }
        Ok(())
    }

    /// Sorts the rows of those kinds for which it pays by now, and says of how many.
    fn sort_rows_if_due(&mut self) -> u64 {
        if !self.sorts_rows {
            return 0;
        }
        let mut sorts = 0;
        for index in 0..self.kinds.len() {
            let kind = &self.kinds[index];
            if !kind.is_scenery() && self.world.is_sort_due(kind.category) {
                self.sort_rows(index);
                sorts += 1;
            }
        }
        sorts
    }

    /// Puts the rows of a kind into the order of space, in the broadphase and here.
    pub fn sort_rows(&mut self, kind: usize) {
        let Kind {
            category, bodies, ..
        } = &mut self.kinds[kind];
        let sorted = self.world.sort_rows(*category, RowOrder::Space);
        let sorted = sorted.expect("the category is one of this world");
        bodies
            .follow(&sorted, &mut self.spare)
            .expect("the columns are as long as the category");
        self.kinds[kind].rows_changed();
    }

    /// A place for one body of a kind, and its radius: the big are smaller where there is no room for larger ones.
    fn place(&mut self, kind: usize) -> Result<([f32; 2], f32), Failure> {
        let Kind {
            role, radius, name, ..
        } = &self.kinds[kind];
        let radii = match role {
            Role::Oversized(sizes) => (sizes.choose(&mut self.random), TIMES_SMALLER),
            _ => (*radius, 0),
        };
        let hemmed_in = self.terrain.has_walls() && self.kinds[kind].is_oversized();
        let room = if hemmed_in { OF_ROOM } else { 1.0 };
        let mut radii = std::iter::successors(Some(radii), |(radius, left)| {
            Some((SMALLER * radius, left.checked_sub(1)?))
        });
        let found = radii.find_map(|(radius, _)| {
            let place = self.terrain.place(radius, &mut self.random)?;
            Some((place, radius * room))
        });
        found.ok_or_else(|| {
            Failure::input(format!(
                "there is no room for {name} of radius {radius} between the walls; --cell makes those of a map larger"
            ))
        })
    }

    /// Takes bodies of one kind out again, the last rows first.
    pub fn remove(&mut self, kind: usize, count: usize) {
        let bodies = &mut self.kinds[kind].bodies;
        for _ in 0..count.min(bodies.len()) {
            let id = bodies.ids[bodies.len() - 1];
            let removed = self.world.remove(id).expect("every body has a proxy");
            bodies.swap_remove(removed.row as usize);
        }
        self.kinds[kind].rows_changed();
    }

    /// Drives everybody whose box is within a radius of a place away from it: those in the middle get this much faster, in
    /// the speeds that their kinds travel at, and those on the rim not at all.
    pub fn push_away(
        &mut self,
        place: [f32; 2],
        radius: f32,
        strength: f32,
    ) -> Result<(), QueryError> {
        let mut found = std::mem::take(&mut self.found);
        let searched = self.world.query().find_in_circle(place, radius, &mut found);
        for hit in &found {
            let kind = &mut self.kinds[hit.category.index()];
            if kind.is_scenery() {
                continue;
            }
            let row = hit.row as usize;
            let bodies = &mut kind.bodies;
            let away = [bodies.xs[row] - place[0], bodies.ys[row] - place[1]];
            let distance = (away[0] * away[0] + away[1] * away[1]).sqrt();
            let gain = strength * kind.cruise * (1.0 - distance / radius).max(0.0);
            let scale = gain / distance.max(f32::MIN_POSITIVE);
            let velocity = &mut bodies.velocities[row];
            *velocity = [velocity[0] + away[0] * scale, velocity[1] + away[1] * scale];
        }
        found.clear();
        self.found = found;
        searched
    }

    /// Chooses where the broadphase gets the time.
    pub fn set_clock(&mut self, clock: Clock) {
        self.world.set_clock(clock);
    }

    /// The broadphase, for queries.
    pub fn world(&self) -> &Broadphase {
        &self.world
    }

    /// The kinds of units and their bodies.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// How many there are of everything.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.kinds)
    }

    /// The ground.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// The hash of the ordered pairs of all frames so far.
    pub fn pair_hash(&self) -> PairHash {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        setup::{Wish, default_config},
        witness::Nobody,
    };

    #[test]
    fn who_is_pushed_goes_away_and_nobody_else_does() {
        let setup = Setup::new(Wish {
            agents: 3000,
            oversized: 4,
            ..Wish::of(default_config())
        });
        let mut swarm = Swarm::new(setup.expect("there is room")).expect("the config is sound");
        swarm.frame(Keep::Nothing, &mut Nobody);
        let before: Vec<_> = swarm
            .kinds
            .iter()
            .map(|kind| kind.bodies.velocities.clone())
            .collect();
        let size = swarm.terrain.size();
        let (place, radius) = (size.map(|side| 0.4 * side), 0.2 * size[1]);
        swarm
            .push_away(place, radius, 2.0)
            .expect("a place and a radius");
        let mut pushed = 0;
        for (kind, before) in swarm.kinds.iter().zip(&before) {
            let bodies = &kind.bodies;
            for (row, before) in before.iter().enumerate() {
                let away = [bodies.xs[row] - place[0], bodies.ys[row] - place[1]];
                let gained = [0, 1].map(|axis| bodies.velocities[row][axis] - before[axis]);
                let along = gained[0] * away[0] + gained[1] * away[1];
                if away[0] * away[0] + away[1] * away[1] < 0.8 * radius * radius {
                    assert!(along > 0.0, "{} {row}", kind.name);
                    pushed += 1;
                } else if away[0] * away[0] + away[1] * away[1] > radius * radius {
                    assert_eq!(gained, [0.0; 2], "{} {row}", kind.name);
                }
            }
        }
        assert!((100..1500).contains(&pushed), "{pushed}");
        let refused = swarm.push_away([f32::NAN; 2], radius, 1.0);
        assert!(refused.is_err());
    }
}
