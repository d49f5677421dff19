//! The whole broadphase.

use std::time::{Duration, Instant};

use throng::{Broadphase, CountPairs, SimdLevel};

use super::fingerprint::TakeFingerprint;
use super::{Contender, Fingerprint, Frame, Share};
use crate::world::{let_rest, write_centers, write_moved};
use crate::{Population, Workers, world_of};

/// A frame of the whole broadphase: one `step` with a narrowphase that counts, with masks on every row or, as peers do
/// it, on none.
///
/// What comes before the step is writing centers, on as many threads as the step itself. An engine does that in every frame,
/// whatever form it has them in.
pub struct WholeStep {
    world: Broadphase,
    masked: bool,
    /// If only rows that have moved are written, and not whole columns: memory for a list of them.
    written: Option<Vec<u32>>,
    workers: Workers,
}

impl WholeStep {
    /// A world of the population's rows; see [`world_of`].
    pub fn new(
        population: &Population,
        masked: bool,
        simd: Option<SimdLevel>,
        workers: Workers,
    ) -> Self {
        Self {
            world: world_of(population, masked, simd),
            masked,
            written: None,
            workers,
        }
    }

    /// The same where whatever has not moved for three steps rests. Its pairs are those of the step and those that rest.
    ///
    /// # Panics
    ///
    /// If it has run already.
    #[must_use]
    pub fn resting(mut self) -> Self {
        let_rest(&mut self.world);
        self
    }

    /// The same where only rows that have moved are written.
    #[must_use]
    pub fn writing_rows(mut self) -> Self {
        self.written = Some(Vec::new());
        self
    }

    /// The world, to write in.
    pub fn world_mut(&mut self) -> &mut Broadphase {
        &mut self.world
    }
}

impl Contender for WholeStep {
    fn name(&self) -> &'static str {
        if self.masked {
            "whole step"
        } else {
            "step, no masks"
        }
    }

    fn threads(&self) -> usize {
        self.workers.threads()
    }

    fn prepare(&mut self, population: &Population) {
        let Self {
            world,
            workers,
            written,
            ..
        } = self;
        match written {
            Some(rows) => write_moved(world, population, rows),
            None => workers.run(|executor| write_centers(world, population, executor)),
        }
    }

    fn prepares_in_frame(&self) -> bool {
        true
    }

    fn frame(&mut self, _population: &Population) -> Frame {
        let Self { world, workers, .. } = self;
        workers.run(|executor| {
            let started = Instant::now();
            let step = match executor.threads() {
                1 => world.step_on(executor, &CountPairs),
                // As an engine calls it: a step that is faster on one thread stays there, once both ways have been tried out.
                _ => world.step(&CountPairs),
            };
            let pairs = step.outputs().sum::<u64>() + step.resting_pairs().len() as u64;
            Frame {
                time: started.elapsed(),
                filter: Duration::ZERO,
                pairs,
            }
        })
    }

    fn fingerprint(&mut self, population: &Population) -> Fingerprint {
        let Self { world, workers, .. } = self;
        let take = TakeFingerprint {
            first_rows: population.first_rows(),
        };
        workers.run(|executor| {
            let mut all = Fingerprint::default();
            let step = world.step_on(executor, &take);
            step.outputs().for_each(|chunk| all.merge(*chunk));
            for pair in step.resting_pairs() {
                let row = |side: usize| {
                    let key = step.world().key(pair.ids[side]);
                    let key = key.expect("it rests, and so it is there");
                    take.row(pair.categories[side], key)
                };
                all.add(row(0), row(1));
            }
            all
        })
    }

    /// What runs before the search is taken to keep all workers busy, though it does not in a step that stayed on one.
    fn shares(&self) -> Vec<Share> {
        let report = self.world.report();
        let work = |name: &str, time| Share {
            name: name.to_owned(),
            time,
            is_between: false,
        };
        let workers = self.workers.threads() as u32;
        let before = report.stages.ingest + report.stages.index;
        let categories = &self.world.config().categories;
        let meetings = report.meetings.iter().map(|meeting| {
            let [a, b] = meeting.categories;
            let [name_a, name_b] = [a, b].map(|category| &categories[category.index()].name);
            Share {
                name: format!("pairs of {name_a} and {name_b}"),
                time: meeting.stats.search,
                is_between: a != b,
            }
        });
        std::iter::once(work("ingest and index", before * workers))
            .chain(meetings)
            .chain([work("narrowphase", report.stages.narrowphase)])
            .collect()
    }

    fn memory(&self) -> Vec<(&'static str, usize)> {
        let memory = self.world.memory();
        let sum = |part: fn(&throng::CategoryMemory) -> usize| {
            memory.categories.iter().map(part).sum::<usize>()
        };
        let mut parts = vec![
            ("centre", sum(|category| category.centers)),
            ("half extents", sum(|category| category.half_extents)),
            ("handle", memory.slots),
            ("slot", sum(|category| category.slots)),
            ("key", sum(|category| category.keys)),
            ("masks", sum(|category| category.masks)),
            ("index", sum(|category| category.index)),
            ("scratch of the search", memory.arenas),
        ];
        let named: usize = parts.iter().map(|(_, bytes)| bytes).sum();
        parts.push(("other", memory.total() - named));
        parts.push(("all of it", memory.total()));
        parts
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Alone, Contender, Fingerprint, Loose, Motion, Moving, Population, WholeStep, Workers,
    };
    use throng_scenes::uniform;

    fn workers(threads: usize) -> Workers {
        Workers::new(threads).unwrap()
    }

    #[test]
    fn all_contenders_find_the_same_pairs() {
        let uniform = Population::from(uniform(2_000, 1.0, 3));
        let half = uniform.only().half;
        for population in [
            uniform,
            Population::mixed(2_000, 1.0, 3),
            Population::rings(2_000, 3),
        ] {
            let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
            for threads in [1, 3] {
                let masked = threads == 1;
                let step = WholeStep::new(&population, masked, None, workers(threads));
                contenders.push(Box::new(step));
                for loose in Loose::ALL {
                    let alone = Alone::boxes(loose, None, workers(threads));
                    contenders.push(Box::new(alone));
                }
                if population.groups[0].scene.half_extents.is_none() {
                    let grid = Alone::grid(half, None, workers(threads));
                    contenders.push(Box::new(grid));
                }
            }
            let mut moving = Moving::new(population, Motion::Drift);
            for _ in 0..3 {
                let now = moving.advance();
                let expected = Fingerprint::of(now);
                for contender in &mut contenders {
                    let name = contender.name();
                    contender.prepare(now);
                    assert_eq!(contender.frame(now).pairs, expected.pairs, "{name}");
                    contender.prepare(now);
                    assert_eq!(contender.fingerprint(now), expected, "{name}");
                }
            }
        }
    }

    #[test]
    fn walls_do_not_meet_each_other_and_what_rests_stays() {
        let population = Population::rings_with_walls(2_000, 500, 3);
        let step = || WholeStep::new(&population, false, None, workers(1));
        let (mut all, mut few) = (step(), step().resting());
        let mut moving = Moving::of_few(population.clone(), 0.1);
        for _ in 0..5 {
            let now = moving.advance();
            for step in [&mut all, &mut few] {
                step.prepare(now);
                assert_eq!(step.fingerprint(now), Fingerprint::of(now));
                step.prepare(now);
                assert_eq!(step.frame(now).pairs, Fingerprint::of(now).pairs);
            }
        }
        assert!(few.world.report().resting > 1_500);
    }

    #[test]
    fn only_rows_that_have_moved_are_written() {
        for population in [
            uniform(2_000, 1.0, 3).into(),
            Population::rings_with_walls(2_000, 500, 3),
        ] {
            let step = WholeStep::new(&population, false, None, workers(1));
            let mut step = step.resting().writing_rows();
            let mut moving = Moving::of_few(population, 0.1);
            for _ in 0..6 {
                let now = moving.advance();
                step.prepare(now);
                assert_eq!(step.fingerprint(now), Fingerprint::of(now));
            }
            assert!(step.world.report().resting > 1_500);
        }
    }

    #[test]
    fn a_step_says_what_went_into_it() {
        let population = Population::rings(4_000, 1);
        let mut step = WholeStep::new(&population, true, None, workers(1));
        step.prepare(&population);
        let frame = step.frame(&population);
        let shares = step.shares();
        let between = shares.iter().filter(|share| share.is_between);
        assert_eq!(between.count(), 3, "{shares:?}");
        let all = shares.iter().map(|share| share.time).sum();
        assert!(frame.time >= all, "{shares:?} of {frame:?}");
    }
}
