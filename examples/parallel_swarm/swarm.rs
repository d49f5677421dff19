//! The swarm: a broadphase, the bodies it knows by row, and one frame of their life.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use throng::{Broadphase, Proxy, RowOrder};

use crate::{
    allocations, args,
    bodies::{self, Counts, Kind, Role, Spare},
    contacts::{Circles, Found, Keep},
    failure::Failure,
    figures::{FrameFigures, MEETINGS, Stopwatch, meeting, milliseconds},
    flashes::Flashes,
    motion::{self, TIME_STEP},
    pair_hash::PairHash,
    resolve::{self, Part},
    restraint,
    setup::Setup,
    sleep::Sleep,
    terrain::Terrain,
    verify::Verifier,
    walls,
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
    row_order: args::RowOrder,
    spare: Spare,
    frames: u64,
    hash: PairHash,
    flashes: Flashes,
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
            row_order: setup.row_order,
            spare: Spare::default(),
            frames: 0,
            hash: PairHash::default(),
            flashes: Flashes::default(),
        };
        for (kind, count) in setup.counts.into_iter().enumerate() {
            swarm.add(kind, count)?;
        }
        Ok(swarm)
    }

    /// One frame. What the broadphase asks of an engine is all here: sort the rows when that is due, write the centres of
    /// each category, step with a narrowphase, use what it found.
    pub fn frame(&mut self, keep: Keep, verifier: Option<&mut Verifier>) -> FrameFigures {
        let mut watch = Stopwatch::start();
        let row_sorts = self.sort_rows_if_due();
        let sorting = watch.lap();
        let seconds = self.frames as f32 * TIME_STEP;
        self.choose_awake();
        motion::move_bodies(&mut self.kinds, &self.terrain, seconds);
        let moving = watch.lap();

        let allocations = allocations::so_far();
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
        let writing = watch.lap();

        let kinds = &self.kinds;
        let step = self.world.step(&Circles { kinds, keep });
        let stepping = watch.lap();
        let allocations = allocations::so_far() - allocations;

        if let Some(verifier) = verifier {
            verifier.check(&self.kinds, &step);
            verifier.check_events(&step);
        }
        self.flashes.note(&step, self.frames);
        watch.lap();

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
        let resolving = watch.lap();

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
        if self.row_order == args::RowOrder::Space && !self.kinds[kind].is_scenery() {
            self.sort_rows(kind);
        }
        Ok(())
    }

    /// Sorts the rows of those kinds for which it pays by now, and says of how many.
    fn sort_rows_if_due(&mut self) -> u64 {
        if self.row_order != args::RowOrder::Space {
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
    fn sort_rows(&mut self, kind: usize) {
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

    /// Where pairs have begun lately.
    pub fn flashes(&self) -> &Flashes {
        &self.flashes
    }

    /// The hash of the ordered pairs of all frames so far.
    pub fn pair_hash(&self) -> PairHash {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rayon::ThreadPoolBuilder;
    use throng::ProxyId;

    use super::*;
    use crate::{
        args::{self, Request},
        bodies::Bodies,
    };

    fn swarm(line: &str) -> Swarm {
        let line = format!("parallel_swarm {line}");
        match args::read(line.split_whitespace().map(Into::into)) {
            Ok(Request::Run(args)) => Swarm::new(Setup::new(&args).expect(&line)).expect(&line),
            other => panic!("{line}: {other:?}"),
        }
    }

    /// The hash and all positions, to the bit, after some frames on some threads.
    fn outcome(line: &str, threads: usize, frames: usize) -> (PairHash, Vec<[u32; 2]>) {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a few threads");
        pool.install(|| {
            let mut swarm = swarm(line);
            for _ in 0..frames {
                swarm.frame(Keep::Hash, None);
            }
            let places = swarm.kinds().iter().flat_map(|kind| {
                let bodies = &kind.bodies;
                bodies.xs.iter().zip(&bodies.ys)
            });
            let places = places.map(|(x, y)| [x.to_bits(), y.to_bits()]).collect();
            (swarm.pair_hash(), places)
        })
    }

    #[test]
    fn any_number_of_threads_gives_the_same_run() {
        let alone = outcome("--agents 6000", 1, 20);
        assert_ne!(alone.0.value(), outcome("--agents 6000", 1, 19).0.value());
        for threads in [2, 3, 8] {
            assert!(
                outcome("--agents 6000", threads, 20) == alone,
                "{threads} threads"
            );
        }
    }

    #[test]
    fn so_it_does_with_dragons() {
        let line = "--agents 4000 --oversized 40";
        let alone = outcome(line, 1, 20);
        for threads in [2, 3, 8] {
            assert!(outcome(line, threads, 20) == alone, "{threads} threads");
        }
    }

    #[test]
    fn so_it_does_where_most_sleep() {
        let line = "--agents 5000 --oversized 10 --map castle --awake 0.1";
        let alone = outcome(line, 1, 40);
        for threads in [2, 3, 8] {
            assert!(outcome(line, threads, 40) == alone, "{threads} threads");
        }
    }

    #[test]
    fn it_is_the_same_run_where_nobody_sleeps() {
        for line in ["--agents 4000 --oversized 20", "--agents 1000 --map castle"] {
            let all = outcome(line, 2, 40);
            assert!(
                outcome(&format!("{line} --awake 1"), 2, 40) == all,
                "{line}"
            );
        }
    }

    #[test]
    fn only_those_awake_move_and_the_others_rest() {
        let mut swarm = swarm("--agents 3000 --oversized 30 --map castle --awake 0.1");
        let mut before = places(&swarm);
        for frame in 0..200 {
            let figures = swarm.frame(Keep::Nothing, None);
            let now = places(&swarm);
            let moved = now.iter().filter(|(id, place)| before[*id] != **place);
            let moved = moved.count();
            assert!((200..450).contains(&moved), "{moved} in frame {frame}");
            if frame > 5 {
                let resting = figures.resting;
                assert!((2500..2850).contains(&resting), "{resting} in {frame}");
                assert!(figures.resting_pairs > 300, "{}", figures.resting_pairs);
            }
            before = now;
            sleepers_lie_still(&swarm);
        }
        // Rows come and go, and are sorted.
        for kind in [0, 3] {
            swarm.remove(kind, 10);
            some_frames(&mut swarm);
            swarm.add(kind, 20).expect("there is room");
            some_frames(&mut swarm);
            swarm.sort_rows(kind);
            some_frames(&mut swarm);
        }
        assert_eq!(swarm.counts().bodies(), 3050);
    }

    fn some_frames(swarm: &mut Swarm) {
        for _ in 0..10 {
            swarm.frame(Keep::Nothing, None);
            sleepers_lie_still(swarm);
        }
    }

    /// Who sleeps is where the broadphase has it, which nobody tells otherwise.
    fn sleepers_lie_still(swarm: &Swarm) {
        for kind in swarm.kinds().iter().filter(|kind| !kind.is_scenery()) {
            let (xs, ys) = swarm.world().centers(kind.category);
            for row in (0..kind.bodies.len()).filter(|row| kind.is_asleep(*row)) {
                let place = (kind.bodies.xs[row], kind.bodies.ys[row]);
                assert_eq!(place, (xs[row], ys[row]), "{}, row {row}", kind.name);
            }
        }
    }

    /// Where everybody is, to the bit.
    fn places(swarm: &Swarm) -> HashMap<ProxyId, [u32; 2]> {
        let of_kind = |bodies: &Bodies| {
            let places = bodies.xs.iter().zip(&bodies.ys);
            let places = places.map(|(x, y)| [x.to_bits(), y.to_bits()]);
            bodies.ids.iter().copied().zip(places).collect::<Vec<_>>()
        };
        let kinds = swarm.kinds().iter();
        kinds.flat_map(|kind| of_kind(&kind.bodies)).collect()
    }

    #[test]
    fn so_it_does_with_walls() {
        let line = "--agents 3000 --oversized 6 --map castle";
        let alone = outcome(line, 1, 20);
        for threads in [2, 3, 8] {
            assert!(outcome(line, threads, 20) == alone, "{threads} threads");
        }
    }

    #[test]
    fn dragons_part_from_each_other_and_from_agents() {
        let mut swarm = swarm("--agents 3000 --oversized 8");
        let first = swarm.frame(Keep::Nothing, None);
        assert_eq!((first.counts.agents, first.counts.oversized), (3000, 8));
        assert_eq!(first.pairs_by_meeting.iter().sum::<u64>(), first.pairs);
        for _ in 0..119 {
            swarm.frame(Keep::Nothing, None);
        }
        let after = swarm.frame(Keep::Nothing, None);
        assert!(after.pairs_by_meeting[0] > 100, "agents still meet");
        let [width, height] = swarm.terrain().size();
        let dragons = &swarm.kinds()[3].bodies;
        for row in 0..dragons.len() {
            let [x, y, radius] = [dragons.xs[row], dragons.ys[row], dragons.radii.of(row)];
            let inside = |at: f32, size: f32| at >= 0.999 * radius && at <= size - 0.999 * radius;
            assert!(inside(x, width) && inside(y, height), "{x} {y} {radius}");
            let deep = |of: &Bodies| {
                let away = of.xs.iter().zip(&of.ys);
                let away = away.map(|(ax, ay)| (ax - x).hypot(ay - y));
                // It is in the middle of itself.
                away.filter(|away| (0.01..0.8 * radius).contains(away))
                    .count()
            };
            let deep: usize = swarm.kinds().iter().map(|kind| deep(&kind.bodies)).sum();
            assert!(deep <= 3, "{deep} deep in dragon {row}");
        }
    }

    #[test]
    fn dragons_spread_and_keep_going() {
        let mut swarm = swarm("--agents 3000 --oversized 8");
        let [width, height] = swarm.terrain().size();
        let mut quarters = [0; 4];
        for _ in 0..20 {
            for _ in 0..60 {
                swarm.frame(Keep::Nothing, None);
            }
            let dragons = &swarm.kinds()[3].bodies;
            for (x, y) in dragons.xs.iter().zip(&dragons.ys) {
                quarters[2 * usize::from(*x > width / 2.0) + usize::from(*y > height / 2.0)] += 1;
            }
        }
        assert!(
            quarters.iter().all(|times| *times > 16),
            "{quarters:?} of 160"
        );
    }

    #[test]
    fn dragons_never_lie_across_walls() {
        let mut swarm = swarm("--agents 3000 --oversized 8 --map castle");
        let mut travelled = 0.0;
        for _ in 0..300 {
            swarm.frame(Keep::Nothing, None);
            let dragons = swarm
                .kinds()
                .iter()
                .find(|kind| kind.is_oversized())
                .unwrap();
            let walls = swarm.kinds().iter().find(|kind| kind.is_scenery()).unwrap();
            let Bodies {
                xs,
                ys,
                velocities,
                radii,
                ..
            } = &dragons.bodies;
            for row in 0..xs.len() {
                let clear = 0.98 * radii.of(row);
                let squared = walls
                    .walls
                    .iter()
                    .map(|wall| wall.distance_squared([xs[row], ys[row]]));
                assert!(
                    squared.fold(f32::INFINITY, f32::min) > clear * clear,
                    "dragon {row}"
                );
                travelled +=
                    velocities[row][0].hypot(velocities[row][1]) * TIME_STEP / radii.of(row);
            }
        }
        assert!(travelled > 8.0, "they went {travelled} radii in all");
    }

    #[test]
    fn another_seed_gives_another_run() {
        let one = outcome("--agents 500 --seed 1", 2, 5);
        let two = outcome("--agents 500 --seed 2", 2, 5);
        assert_ne!(one.0, two.0);
    }

    #[test]
    fn units_stay_inside_and_keep_moving() {
        let mut swarm = swarm("--agents 2000");
        for _ in 0..120 {
            swarm.frame(Keep::Nothing, None);
        }
        let [width, height] = swarm.terrain().size();
        for kind in swarm.kinds() {
            for (x, y) in kind.bodies.xs.iter().zip(&kind.bodies.ys) {
                // A push may reach over the wall until the next frame.
                assert!((-1.0..=width + 1.0).contains(x) && (-1.0..=height + 1.0).contains(y));
            }
            let moving = kind.bodies.velocities.iter();
            assert!(
                moving.filter(|v| v[0].abs() + v[1].abs() > 0.01).count() >= kind.bodies.len() / 2
            );
        }
    }

    #[test]
    fn adding_and_removing_keeps_rows_in_step() {
        let mut swarm = swarm("--agents 300 --oversized 4");
        swarm.frame(Keep::Nothing, None);
        swarm.add(1, 50).expect("they fit");
        swarm.add(3, 9).expect("they fit");
        swarm.remove(0, 100);
        swarm.remove(2, 10_000);
        swarm.remove(3, 2);
        let figures = swarm.frame(Keep::Nothing, None);
        assert_eq!(figures.counts.oversized, 11);
        assert_eq!(figures.counts.bodies(), swarm.world().len());
        for kind in swarm.kinds() {
            let rows: Vec<_> = swarm.world().proxies(kind.category).collect();
            assert_eq!(rows, kind.bodies.ids);
        }
    }
}
