//! One frame, pass by pass: ingest, index (see `world`), plan, search, where asked for events, and the report.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use parking_lot::MutexGuard;
use throng_core::{Executor, run_inside};

use crate::broadphase::Broadphase;
use crate::frame::clock::Moment;
use crate::frame::collect::CollectPairs;
use crate::frame::events::Events;
use crate::frame::events::event::PairEvent;
use crate::frame::events::listing::Listing;
use crate::frame::events::pair_events::PairEvents;
use crate::frame::handover::ListsOfChunk;
use crate::frame::narrowphase::{ChunkOutput, Narrowphase};
use crate::frame::outputs::{Outputs, Scratches};
use crate::frame::plan::Plan;
use crate::frame::report::{ChunkStats, Report, StepCut};
use crate::frame::resting::lists::RestList;
use crate::frame::resting::pairs::RestingPair;
use crate::frame::resting::waking::RestUpdate;
use crate::frame::short_steps::StepTime;
use crate::frame::spans::stage;
use crate::world::ids::ProxyId;
use crate::world::workers::workers;

impl Broadphase {
    /// Runs one frame: on the [executor](Self::set_executor) that the world was given, or else in the rayon pool the caller is in, or
    /// else on the calling thread with the help of the global pool. Without the `parallel` feature the calling thread stands in for
    /// rayon. If the last step was too short for sleeping threads to be worth waking, all of it stays on the calling thread. That is so
    /// below 25 microseconds of work, never above a millisecond, and in between where it is found to be faster: after 8 steps, and
    /// then less and less often, four steps run the other way, and are compared with the last ones before. Where no last step was
    /// measured (the first, or without a [`Clock`](crate::Clock)), one with fewer than 16,384 proxies counts as too short.
    ///
    /// Queued commands run, every index is brought up to date with the current positions, and `narrowphase` is called
    /// with every pair whose boxes overlap, whose masks agree and that is not excluded in another way, exactly once.
    /// The same calls give the same pairs in the same order on any number of threads. O(rows + pairs), and no
    /// allocation in a steady state, but for what it takes to wake workers if the caller is in no pool.
    ///
    /// # Panics
    ///
    /// If the narrowphase panics. The world is then as after [`refresh`](Self::refresh).
    pub fn step<N: Narrowphase>(&mut self, narrowphase: &N) -> Step<'_, N::Output> {
        self.step_on(&*self.next_step_executor(), narrowphase)
    }

    /// [`step`](Self::step) on an executor of the caller's choice, such as an engine's own job system.
    pub fn step_on<N: Narrowphase>(
        &mut self,
        executor: &dyn Executor,
        narrowphase: &N,
    ) -> Step<'_, N::Output> {
        let started = self.clock.now();
        let busy = run_inside(executor, || self.run_step(executor, narrowphase));
        let time = StepTime {
            whole: self.clock.since(started),
            busy,
            alone: executor.threads() == 1,
        };
        self.short_steps.note(time, self.len());
        Step {
            world: self,
            output: PhantomData,
        }
    }

    /// The frame itself, where the executor wants it to be called. Returns how long it kept workers busy; see [`StepTime::busy`].
    fn run_step<N: Narrowphase>(&mut self, executor: &dyn Executor, narrowphase: &N) -> Duration {
        let _step = stage!("step");
        let started = self.clock.now();

        self.bring_up_to_date(executor, started, RestUpdate::Step);

        let pairs = stage!("pairs");
        self.stored.begin_step();
        let mut outputs = self.stored.take::<StepOutputs<N::Output>>();
        let mut scratches = self.stored.take::<Scratches<N::Scratch>>();
        scratches.prepare(workers(executor, self.planned.chunks()));
        self.limit
            .begin(self.config.max_pairs, self.planned.chunks());
        let overlapping = self.planned.overlapping_chunks();
        let before_events = self.begin_events(overlapping, executor);
        self.rest.begin_step(overlapping, &self.categories);
        let plan = Plan { world: self };
        outputs.fill(executor, plan.chunks(), |chunk, output| {
            let Some(allowed) = self.limit.allowed(chunk) else {
                return ChunkStats::default();
            };
            let mut scratch = scratches.borrow();
            let mut list = plan.list(chunk);
            let mut rest = plan.rest_list(chunk);
            let lists = ListsOfChunk {
                events: list.as_mut(),
                rest: rest.as_deref_mut(),
            };
            let mut stats =
                plan.collide_up_to(allowed, chunk, narrowphase, &mut scratch, output, lists);
            scratches.give_back(scratch);
            self.limit.note(chunk, stats.all_pairs());
            if let Some(list) = list {
                stats.events = list.finish();
            }
            stats
        });

        drop(pairs);

        self.report.cut = self.limit.cut().map(|(chunks, pairs)| {
            outputs.truncate(chunks);
            let plan = Plan { world: self };
            StepCut {
                chunks,
                of: plan.chunks(),
                categories: plan.categories(chunks).expect("it is a chunk of this step"),
                pairs,
            }
        });
        self.report.count_chunks(&self.planned, outputs.counts());
        let left = outputs.as_slice().len().min(overlapping);
        let are_all = left == overlapping;
        self.report.stages.events = self.report.stages.events.saturating_add(before_events);
        self.tell_events(executor, left, are_all);
        self.rest
            .finish_step(&self.categories, &self.pool, left, are_all);
        scratches.count(N::scratch_bytes);
        self.stored.put_back(scratches);
        self.stored.put_back(outputs);
        self.report.bytes = self.memory_bytes();
        self.report.stages.step = self.clock.since(started);
        let stages = self.report.stages;
        let parts = [
            stages.index,
            stages.pairs,
            stages.narrowphase,
            stages.events,
        ];
        parts
            .into_iter()
            .fold(Duration::ZERO, Duration::saturating_add)
    }

    /// Prepares the lists of pairs of so many chunks. Returns how long that took.
    fn begin_events(&mut self, chunks: usize, executor: &dyn Executor) -> Duration {
        if self.events.are_idle() {
            self.events.begin_idle_step();
            return Duration::ZERO;
        }
        let started = self.clock.now();
        let simd = self.simd();
        let (events, categories) = (&mut self.events, &mut self.categories);
        events.begin_step(chunks, categories, &self.pool, executor, simd);
        self.clock.since(started)
    }

    /// Finds out which pairs began and which ended, when the first `chunks` are left of the search, which may be all of it.
    fn tell_events(&mut self, executor: &dyn Executor, chunks: usize, are_all: bool) {
        (self.report.began, self.report.ended) = (0, 0);
        if self.events.are_idle() {
            return;
        }
        let searched = self.clock.now();
        let left = (chunks, are_all);
        let (simd, events) = (self.simd(), &mut self.events);
        [self.report.began, self.report.ended] = events.finish_step(
            &mut self.categories,
            &self.pool,
            left,
            &self.rest.settling,
            executor,
            simd,
        );
        let told = self.clock.since(searched);
        let events = &mut self.report.stages.events;
        *events = events.saturating_add(told);
    }

    /// [`step`](Self::step)s with [`CollectPairs`]: all pairs, kept.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// for (key, x) in [(17, 0.0), (42, 1.5), (99, 9.0)] {
    ///     world.insert(Proxy::centered([x, 0.0], [1.0, 1.0])?.key(key))?;
    /// }
    /// let step = world.step_pairs();
    /// assert_eq!(step.keys().collect::<Vec<_>>(), [[17, 42]]);
    /// let [a, b] = step.pairs().next().ok_or("a pair")?;
    /// assert_eq!([a.row, b.row], [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_pairs(&mut self) -> Step<'_, crate::frame::collect::PairList> {
        self.step(&CollectPairs)
    }

    /// What the narrowphase of the last step wrote for each chunk, once its [`Step`] is gone: [`Step::outputs`] for those who
    /// change the world before they have read it all. The rows in it are those of the step. Empty if the last step had outputs
    /// of another type, after a [`shrink_to_fit`](Self::shrink_to_fit), and in a [copy](Self#copies) until its next step.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, PairList, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// for x in [0.0, 1.5] {
    ///     world.insert(Proxy::centered([x, 0.0], [1.0, 1.0])?)?;
    /// }
    /// world.step_pairs();
    /// world.clear();
    /// let lists = world.last_outputs::<PairList>();
    /// assert_eq!(lists.flat_map(|list| list.pairs()).collect::<Vec<_>>(), [&[0, 1]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn last_outputs<O: ChunkOutput>(&self) -> std::slice::Iter<'_, O> {
        self.stored
            .get_of_last_step::<StepOutputs<O>>()
            .map_or(&[][..], Outputs::as_slice)
            .iter()
    }

    /// Runs the first half of a frame, ingest and index, so that queries and [`plan`](Self::plan) see the current
    /// positions. Counts towards the next sort as a step does: see [`is_sort_due`](Self::is_sort_due).
    pub fn refresh(&mut self) {
        self.refresh_on(&*self.step_executor());
    }

    /// [`refresh`](Self::refresh) on an executor of the caller's choice.
    pub fn refresh_on(&mut self, executor: &dyn Executor) {
        run_inside(executor, || {
            let _refresh = stage!("refresh");
            self.bring_up_to_date(executor, self.clock.now(), RestUpdate::Refresh);
            self.report.bytes = self.memory_bytes();
        });
    }

    /// The first half of a frame, from queued commands to the plan of the search.
    fn bring_up_to_date(&mut self, executor: &dyn Executor, started: Moment, rest: RestUpdate) {
        let ingest = stage!("ingest");
        self.ingest();
        self.report_ingested();
        self.events.forget_index();
        self.update_rest(rest);
        drop(ingest);
        let ingested = self.clock.now();

        let index = stage!("index");
        // Now it is known who rests in this step.
        if rest == RestUpdate::Step {
            for category in &mut self.categories {
                let stillness = category.stillness.as_ref();
                category.forgets |= stillness.is_some_and(|stillness| stillness.forgets_index());
            }
        }
        self.index(executor);
        for category in &mut self.categories {
            category.scatter.add_up();
        }
        drop(index);

        let _plan = stage!("plan");
        self.plan_search(executor);
        self.report_index(started, ingested);
    }

    /// Builds every index from the current columns. O(rows).
    pub(crate) fn index(&mut self, executor: &dyn Executor) {
        self.begin_index();
        for category in &mut self.categories {
            category.index(executor);
        }
        self.look_ahead(executor);
        self.is_index_whole = true;
    }

    /// Builds every index from the current columns, and plans the search. O(rows).
    pub(crate) fn index_and_plan(&mut self, executor: &dyn Executor) {
        run_inside(executor, || {
            self.index(executor);
            self.plan_search(executor);
        });
    }

    /// To be called before an index is built: an executor that panics must not leave a plan for an incomplete index, nor answers.
    pub(crate) fn begin_index(&mut self) {
        self.is_index_whole = false;
        (0..self.categories.len()).for_each(|category| self.note_changed(category));
    }

    /// Reports what is in the indices, and all memory. O(categories).
    pub(crate) fn count_index(&mut self) {
        self.count_rows();
        self.report.bytes = self.memory_bytes();
    }

    /// Reports what is in the indices. O(categories).
    fn count_rows(&mut self) {
        self.report.count_index(&self.categories, &self.config);
        self.report.resting_pairs = self.rest.pairs.as_slice().len();
    }

    /// Reports what is in the indices, and the time so far.
    fn report_index(&mut self, started: Moment, ingested: Moment) {
        self.count_rows();
        let indexed = self.clock.now();
        self.report.stages.ingest = ingested.after(started);
        self.report.stages.index = indexed.after(ingested);
        self.report.stages.step = indexed.after(started);
    }
}

impl<'w> Plan<'w> {
    /// Where the pairs of a chunk are to be listed, if any of them may begin.
    fn list(&self, chunk: usize) -> Option<Listing<'w>> {
        let meeting = self.meeting(chunk)?;
        let events = &self.world.events;
        events.list(chunk, meeting, self.world)
    }

    /// Where it is to be listed what becomes of rest through the pairs of a chunk, if anything may.
    fn rest_list(&self, chunk: usize) -> Option<MutexGuard<'w, RestList>> {
        let meeting = self.meeting(chunk)?;
        self.world.rest.list(chunk, meeting.categories)
    }
}

/// What a narrowphase writes for each chunk of a step.
type StepOutputs<O> = Outputs<O, ChunkStats>;

/// The result of a frame: a view of the world until it is next changed.
pub struct Step<'w, O> {
    world: &'w Broadphase,
    output: PhantomData<&'w [O]>,
}

impl<O: ChunkOutput> fmt::Debug for Step<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("outputs", &self.outputs().len())
            .field("report", self.report())
            .finish_non_exhaustive()
    }
}

impl<'w, O: ChunkOutput> Step<'w, O> {
    /// What the narrowphase wrote for each chunk, in chunk order; `as_slice()` of it gives a slice.
    pub fn outputs(&self) -> std::slice::Iter<'w, O> {
        self.world.last_outputs()
    }

    /// The pairs with events that began: those that this step reports and the one before did not. In the order of the step's
    /// pairs, the same on any number of threads. See [`CategoryConfig::events`](crate::CategoryConfig::events).
    ///
    /// Ids and keys are looked up as they are read.
    pub fn began(&self) -> PairEvents<'w> {
        Events::began(self.world)
    }

    /// The pairs with events that ended: those that the step before reported and this one does not. In the order in which that
    /// one found them.
    pub fn ended(&self) -> PairEvents<'w> {
        Events::ended(self.world)
    }

    /// All current pairs with events: see [`Broadphase::event_pairs`](crate::Broadphase::event_pairs).
    pub fn event_pairs(&self) -> impl Iterator<Item = PairEvent> + use<'w, O> {
        self.world.event_pairs()
    }

    /// The pairs of two that rest, which were not handed to the narrowphase, those with sensors included: see
    /// [`Broadphase::resting_pairs`](crate::Broadphase::resting_pairs).
    pub fn resting_pairs(&self) -> &'w [RestingPair] {
        self.world.resting_pairs()
    }

    /// Those that woke with this step: see [`Broadphase::woken`](crate::Broadphase::woken).
    pub fn woken(&self) -> impl ExactSizeIterator<Item = ProxyId> + use<'w, O> {
        self.world.woken()
    }

    /// Those that came to rest with this step: see [`Broadphase::came_to_rest`](crate::Broadphase::came_to_rest).
    pub fn came_to_rest(&self) -> impl ExactSizeIterator<Item = ProxyId> + use<'w, O> {
        self.world.came_to_rest()
    }

    /// Counts, times and bytes.
    pub fn report(&self) -> &'w Report {
        &self.world.report
    }

    /// The world, to read and query while using the outputs.
    pub fn world(&self) -> &'w Broadphase {
        self.world
    }
}
