//! Promise: no allocation in a steady state, and room that there is no memory for is an error.
#![allow(unsafe_code, reason = "counting allocations takes a global allocator")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{category, move_to, world_of};
use throng::{
    Aabb, BatchResults, Broadphase, BroadphaseConfig, CastHit, CategoryConfig, CategoryId, Circle,
    ConvexPolygon, DoubleGridConfig, EventsWith, Executor, LooseQuadtreeConfig, Masks, Narrowphase,
    NearestHit, NearestQuery, NeighborOutputs, Neighborhood, Neighbors, OversizedStructure,
    PairBatch, PairData, PairMode, Proximity, ProximityPairs, Proxy, ProxyId, QueryHit, RayCast,
    ReserveError, RowOrder, Serial, StripsConfig,
};
use throng_scenes::{
    BoxScene, Scene, log_uniform_boxes, masked, resize_some, step_box_motion, step_motion,
    two_categories,
};

/// The system's allocator, with a count of what it was asked for, and with an end.
struct Counting;

static UNCOUNTED: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    /// Where this thread counts how often it asks for memory. Each test has a count of its own, as others run beside it.
    static COUNT: Cell<&'static AtomicUsize> = const { Cell::new(&UNCOUNTED) };
}
/// Whoever asks for more bytes than this at once gets none.
const MOST_BYTES: usize = 1 << 28;

// SAFETY: every call is passed on to the system's allocator as it came, or gets none, which an allocator may say.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.get().fetch_add(1, Ordering::Relaxed);
        if layout.size() > MOST_BYTES {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on with the call.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on with the call.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.get().fetch_add(1, Ordering::Relaxed);
        if size > MOST_BYTES {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are passed on with the call.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Begins a count for the calling thread, which others can join.
fn begin_count() -> &'static AtomicUsize {
    let count = Box::leak(Box::new(AtomicUsize::new(0)));
    COUNT.set(count);
    count
}

/// How often memory was asked for, by this thread and those that count with it.
fn allocations_so_far() -> usize {
    COUNT.get().load(Ordering::Relaxed)
}

/// Keeps what it is given, as most narrowphases do.
struct Keep;

impl Narrowphase for Keep {
    type Scratch = Vec<f32>;
    type Output = Vec<[u64; 2]>;

    fn collide(&self, batch: PairBatch<'_>, scratch: &mut Vec<f32>, kept: &mut Vec<[u64; 2]>) {
        let [xs, ys] = batch.centers(0);
        scratch.clear();
        scratch.extend(
            batch
                .pairs()
                .iter()
                .map(|pair| xs[pair[0] as usize] + ys[pair[0] as usize]),
        );
        kept.extend(batch.pairs().iter().map(|&pair| batch.keys(pair)));
    }
}

/// The same with the boxes of its pairs in hand.
struct KeepWide;

impl Narrowphase for KeepWide {
    type Scratch = ();
    type Output = Vec<[u64; 2]>;
    const PAIR_DATA: PairData = PairData::Boxes;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), kept: &mut Vec<[u64; 2]>) {
        let widths = batch.pair_half_extents(0)[0].iter();
        let wide = batch
            .pairs()
            .iter()
            .zip(widths)
            .filter(|(_, width)| **width > 0.5);
        kept.extend(wide.map(|(&pair, _)| batch.keys(pair)));
    }
}

/// A world with everything in use, and what moves in it.
struct Play {
    world: Broadphase,
    /// Copies of it as of earlier frames, if any are to be kept.
    kept: Vec<Broadphase>,
    /// The same few positions over and over, so that counts do not creep.
    poses: Vec<Vec<Scene>>,
    /// The oversized, and their boxes in each pose.
    dragons: Vec<ProxyId>,
    dragon_poses: Vec<BoxScene>,
    churned: Vec<ProxyId>,
    questions: [Proximity; 2],
    listed: ProximityPairs,
    near: ProximityPairs,
    neighbors: Neighbors,
    neighborhoods: NeighborOutputs<Vec<(u32, f32)>>,
    look: Look,
}

/// What is asked in every frame, and what keeps the answers.
struct Look {
    circles: Vec<Circle>,
    nearest: Vec<NearestQuery>,
    shots: Vec<RayCast>,
    cone: ConvexPolygon,
    hits: Vec<QueryHit>,
    near: Vec<NearestHit>,
    on_cast: Vec<CastHit>,
    in_circles: BatchResults<QueryHit>,
    near_points: BatchResults<NearestHit>,
    on_shots: BatchResults<CastHit>,
}

impl Look {
    /// Enough for a batch to be sorted.
    const MANY: usize = 1100;

    fn new() -> Self {
        let points = (0..Self::MANY).map(|i| [(i * 37 % 101) as f32, (i * 53 % 97) as f32]);
        let circle = |center| Circle {
            center,
            radius: 3.0,
        };
        let nearest = |point| NearestQuery {
            point,
            k: 8,
            max_distance: f32::INFINITY,
        };
        let shot = |[x, y]: [f32; 2]| RayCast::from_to([x, y], [x + 4.0, y + 3.0]).unwrap();
        Self {
            circles: points.clone().map(circle).collect(),
            nearest: points.clone().take(50).map(nearest).collect(),
            shots: points.map(shot).collect(),
            cone: ConvexPolygon::hull_of(&[[0.0, 0.0], [80.0, 20.0], [20.0, 80.0]]).unwrap(),
            hits: Vec::new(),
            near: Vec::new(),
            on_cast: Vec::new(),
            in_circles: BatchResults::new(),
            near_points: BatchResults::new(),
            on_shots: BatchResults::new(),
        }
    }

    fn around(&mut self, world: &Broadphase, executor: &dyn Executor) {
        let window = self.cone.bounds();
        world.query().find_in_aabb(&window, &mut self.hits).unwrap();
        world
            .query()
            .find_in_polygon(&self.cone, &mut self.hits)
            .unwrap();
        let somebody = world.proxies(CategoryId::new(0)).nth(17).unwrap();
        world
            .query()
            .find_partners(somebody, &mut self.hits)
            .unwrap();
        world
            .query()
            .find_at_point([30.0, 30.0], &mut self.hits)
            .unwrap();
        world
            .query()
            .find_in_circle([30.0, 30.0], 20.0, &mut self.hits)
            .unwrap();
        world
            .query()
            .cast_all(self.shots[1], &mut self.on_cast)
            .unwrap();
        world
            .query()
            .find_nearest([30.0, 30.0], 50, 90.0, &mut self.near)
            .unwrap();
        world
            .query()
            .find_batch_on(executor, &self.circles, &mut self.in_circles)
            .unwrap();
        world
            .query()
            .find_batch_on(executor, &self.nearest, &mut self.near_points)
            .unwrap();
        world
            .query()
            .find_batch_on(executor, &self.shots, &mut self.on_shots)
            .unwrap();
        assert!(!self.hits.is_empty() && !self.on_cast.is_empty() && self.near.len() == 50);
        assert_eq!(self.near_points.of(7).len(), 8);
    }
}

impl Play {
    fn new(rows: usize, structure: OversizedStructure) -> Self {
        let mut scenes = two_categories(rows, 1);
        for scene in &mut scenes {
            scene.masks = masked(scene.len(), 2).masks;
        }
        let mut world = world_of(&scenes, PairMode::Exact, None);
        let dragons = CategoryConfig::oversized("dragons").structure(structure);
        let config = world.config().clone().category(dragons.events());
        let mut config = config.pair_slots(true);
        config.categories[0].events = EventsWith::Everybody;
        config.categories[1].margin = 0.02;
        world
            .reconfigure(config.category(CategoryConfig::scenery("walls")))
            .unwrap();
        let walls = log_uniform_boxes(3000, [0.5, 9.0], 0.5, 4);
        let walls = (0..walls.len()).map(|row| Proxy::fixed(walls.aabb(row).unwrap()));
        assert_eq!(world.insert_batch(walls).refused, []);
        let mut dragons = log_uniform_boxes(600, [2.0, 50.0], 1.0, 3);
        let dragon_poses = (0..4).map(|pose| {
            step_box_motion(&mut dragons, 2.0, pose);
            resize_some(&mut dragons, 4, pose);
            dragons.clone()
        });
        let dragon_poses: Vec<BoxScene> = dragon_poses.collect();
        let proxies = (0..600).map(|row| Proxy::moving(dragon_poses[0].aabb(row).unwrap()));
        let dragons = proxies.map(|proxy| {
            let dragon = world.insert(proxy.in_category(category(2))).unwrap();
            world.set_velocity(dragon, [3.0, 1.0]).unwrap();
            dragon
        });
        let poses = (0..4).map(|pose| {
            scenes
                .iter_mut()
                .for_each(|scene| step_motion(scene, 0.05, pose));
            scenes.clone()
        });
        Self {
            dragons: dragons.collect(),
            dragon_poses,
            world,
            kept: Vec::new(),
            poses: poses.collect(),
            churned: Vec::with_capacity(64),
            questions: [
                Proximity::centers([category(0); 2], 0.5),
                Proximity::boxes([category(2), category(3)], 2.0),
            ],
            listed: ProximityPairs::with_distances(),
            near: ProximityPairs::new(),
            neighbors: Neighbors::new(),
            neighborhoods: NeighborOutputs::new(),
            look: Look::new(),
        }
    }

    /// Everything an engine does in a frame, but for queuing commands.
    fn frame(&mut self, frame: usize, executor: &dyn Executor) -> u64 {
        keep(&mut self.world, &mut self.kept, frame);
        self.churn(frame, executor);
        self.world.step_on(executor, &Keep);
        let pose = frame % self.poses.len();
        move_to(&mut self.world, &self.poses[pose]);
        for (row, &dragon) in self.dragons.iter().enumerate() {
            let aabb = self.dragon_poses[pose].aabb(row).unwrap();
            self.world.set_aabb(dragon, aabb).unwrap();
        }
        let step = self.world.step_on(executor, &Keep);
        let pairs = step.outputs().map(|kept| kept.len() as u64).sum();
        assert!(
            step.began()
                .chain(step.ended())
                .any(|event| event.slot.is_some())
        );
        let mut found = 0;
        let flow = step.world().query().query_circle([0.0, 0.0], 30.0, |_| {
            found += 1;
            ControlFlow::<()>::Continue(())
        });
        assert!(flow.is_ok());
        let shot = RayCast::from_to([0.0, 0.0], [90.0, 60.0]).unwrap();
        assert!(step.world().query().cast_first(shot).unwrap().is_some());
        let circle = |hit: &CastHit| shot.circle_entry(hit.hit.center, 0.5).or(Some(1.0));
        let first = step.world().query().cast_first_by(shot, circle);
        assert!(first.unwrap().is_some());
        if frame.is_multiple_of(4) {
            let world = step.world();
            for within in &self.questions {
                world
                    .find_pairs_within_on(executor, within, &mut self.listed)
                    .unwrap();
                world
                    .find_pairs_within_on(executor, within, &mut self.near)
                    .unwrap();
                assert!(self.near.iter().eq(self.listed.iter()) && !self.listed.is_empty());
            }
            // By row, and rows have not changed since the step, but for what churns.
            self.world.refresh_on(executor);
            let world = &self.world;
            for within in &self.questions {
                world
                    .find_neighbors_on(executor, within, &mut self.neighbors)
                    .unwrap();
            }
            let visit = |row, near: Neighborhood<'_>, sums: &mut Vec<(u32, f32)>| {
                sums.push((row, near.dx.iter().sum()));
            };
            world
                .query_neighbors_on(executor, &self.questions[0], &mut self.neighborhoods, visit)
                .unwrap();
        }
        self.look.around(&self.world, executor);
        pairs
    }

    /// How often memory was asked for in the steps right after rows were sorted, in every category and order.
    fn allocations_after_sorting(&mut self, executor: &dyn Executor) -> usize {
        for (key, id) in (0..).zip(self.all_ids()) {
            self.world.set_key(id, key * 7919 % 1_000_003).unwrap();
        }
        for _ in 0..8 {
            self.world.step_on(executor, &Keep);
        }
        let mut allocations = 0;
        for order in [RowOrder::Space, RowOrder::Key] {
            for category in self.world.categories() {
                let sorted = self.world.sort_rows_on(executor, category, order).unwrap();
                assert!(!sorted.is_identity());
                let before = allocations_so_far();
                self.world.step_on(executor, &Keep);
                allocations += allocations_so_far() - before;
            }
        }
        allocations
    }

    fn all_ids(&self) -> Vec<ProxyId> {
        let categories = self.world.categories();
        categories
            .flat_map(|category| self.world.proxies(category))
            .collect()
    }

    /// Puts some in, takes the same out again, and writes to others one by one.
    fn churn(&mut self, frame: usize, executor: &dyn Executor) {
        for i in 0..64 {
            let proxy = Proxy::centered([i as f32, frame as f32], [0.4, 0.4])
                .unwrap()
                .key(1);
            self.churned
                .push(self.world.insert(proxy.masks(Masks::new(1, 1))).unwrap());
        }
        let first = self.world.proxies(category(0)).next().unwrap();
        self.world.set_center(first, [frame as f32, 0.0]).unwrap();
        self.world
            .set_enabled(first, frame.is_multiple_of(2))
            .unwrap();
        let last = *self.churned.last().unwrap();
        for half in [0.04, 0.4] {
            self.world
                .set_aabb(last, Aabb::from_center([1.0; 2], [half; 2]).unwrap())
                .unwrap();
        }
        self.world.step_on(executor, &Keep);
        self.world.step_on(executor, &KeepWide);
        for id in self.churned.drain(..) {
            self.world.remove(id).unwrap();
        }
    }

    /// How often memory was asked for in some frames, after some others to get used to it.
    fn allocations(&mut self, frames: usize, executor: &dyn Executor) -> usize {
        const WARM_UP: usize = 32;
        let pairs: Vec<u64> = (0..WARM_UP)
            .map(|frame| self.frame(frame, executor))
            .collect();
        assert!(pairs.iter().all(|&pairs| pairs > 1000));
        let before = allocations_so_far();
        for frame in 0..frames {
            self.frame(frame, executor);
        }
        allocations_so_far() - before
    }
}

impl Play {
    /// The same while each frame goes on with a copy. Five worlds take turns, and each grows until it has been through all of the
    /// frames, which is so after 160 of them.
    fn allocations_with_copies(&mut self) -> usize {
        self.kept = vec![self.world.clone(); 4];
        let allocations = [(); 2].map(|()| self.allocations(128, &Serial));
        self.kept.clear();
        allocations[1]
    }

    /// Masks of more kinds than words can say, owners and excluded pairs.
    fn with_filters(mut self) -> Self {
        let ids = self.all_ids();
        for (n, &id) in (0..).zip(&ids) {
            let masks = Masks::new(1 << (n % 64), !(1 << (n * 7 % 64)));
            self.world.set_masks(id, masks).unwrap();
            self.world.set_owner(id, n / 5).unwrap();
        }
        for pair in ids.chunks(10) {
            self.world.exclude_pair(pair[0], pair[1]).unwrap();
        }
        self
    }
}

/// Copies the world into one of those that are kept, and goes on with the copy.
fn keep(world: &mut Broadphase, kept: &mut [Broadphase], frame: usize) {
    let turn = frame % kept.len().max(1);
    if let Some(copy) = kept.get_mut(turn) {
        copy.clone_from(world);
        std::mem::swap(copy, world);
    }
}

/// A world in which most things rest: in each frame, some others of them move there or back.
struct Dozing {
    world: Broadphase,
    /// As in [`Play`].
    kept: Vec<Broadphase>,
    scene: Scene,
    near: Proximity,
    neighbors: Neighbors,
    hits: Vec<QueryHit>,
    /// The boxes of the giants, which grow and shrink.
    boxes: Vec<Aabb>,
}

impl Dozing {
    fn new(rows: usize, structure: OversizedStructure) -> Self {
        let scene = throng_scenes::uniform(rows, 2.0, 3);
        let giants = CategoryConfig::oversized("giants").structure(structure);
        let units = CategoryConfig::uniform("units", 0.0).half_extents(scene.half);
        let config = BroadphaseConfig::new()
            .pair_slots(true)
            .category(units.rests_after(2).events())
            .category(giants.rests_after(3))
            .category(CategoryConfig::scenery("walls"));
        let mut world = Broadphase::new(config).unwrap();
        let at = |row: usize| [scene.xs[row], scene.ys[row]];
        let units = (0..rows).map(|row| Proxy::centered(at(row), scene.half).unwrap());
        let around = |row: usize, times: f32| {
            Aabb::from_center(at(row), scene.half.map(|half| times * half)).unwrap()
        };
        let walls = (0..rows / 50).map(|row| Proxy::fixed(around(row, 3.0)));
        let giants = (0..rows / 100).map(|row| Proxy::moving(around(rows - 1 - row, 4.0)));
        assert!(
            world
                .insert_batch(units.chain(walls).chain(giants))
                .refused
                .is_empty()
        );
        Self {
            world,
            kept: Vec::new(),
            scene,
            near: Proximity::boxes([category(0); 2], 1.0),
            neighbors: Neighbors::new(),
            hits: Vec::new(),
            boxes: Vec::new(),
        }
    }

    /// One frame of sixteen, after which all are where they were.
    fn frame(&mut self, frame: usize) -> usize {
        let Self {
            world,
            kept,
            scene,
            near,
            neighbors,
            hits,
            boxes,
        } = self;
        keep(world, kept, frame);
        let (turn, there) = (frame % 8, frame % 16 < 8);
        for row in (turn * 7..scene.len()).step_by(100) {
            let aside = if there { 0.3 * scene.half[0] } else { 0.0 };
            let (x, y) = ([scene.xs[row] + aside], [scene.ys[row]]);
            let mut centers = world.centers_mut(category(0)).unwrap();
            let fill = centers.set_rows(&[row as u32], &x, &y).unwrap();
            assert_eq!(fill.rejected, 0);
        }
        let giant = world.proxies(category(1)).nth(turn).unwrap();
        let [x, y] = world.get(giant).unwrap().center;
        world
            .set_center(giant, [x + if there { 1.0 } else { -1.0 }, y])
            .unwrap();
        boxes.clear();
        boxes.extend(world.proxies(category(1)).enumerate().map(|(row, giant)| {
            let center = world.get(giant).unwrap().center;
            let is_grown = row % 10 == 3 && frame % 16 < 12;
            let times = if is_grown { 4.125 } else { 4.0 };
            Aabb::from_center(center, scene.half.map(|half| times * half)).unwrap()
        }));
        let fill = world.aabbs_mut(category(1)).unwrap().fill_from(boxes);
        assert_eq!(fill.unwrap().refused, []);
        // One that goes and comes back, so that rows change.
        let gone = world.proxies(category(0)).nth(turn).unwrap();
        let view = world.get(gone).unwrap();
        world.remove(gone).unwrap();
        world.insert(Proxy::moving(view.aabb)).unwrap();
        let step = world.step_on(&Serial, &Keep);
        let told = step.began().chain(step.ended()).count();
        let resting = step.resting_pairs().len() + usize::from(told == usize::MAX);
        // Both look at those that rest and those that do not.
        world.find_neighbors_on(&Serial, near, neighbors).unwrap();
        let center = view.center;
        world.query().find_in_circle(center, 9.0, hits).unwrap();
        assert!(!hits.is_empty());
        resting
    }

    fn allocations(&mut self) -> usize {
        let resting: Vec<usize> = (0..128).map(|frame| self.frame(frame)).collect();
        assert!(
            resting[32..].iter().all(|&pairs| pairs > 1000),
            "{resting:?}"
        );
        let before = allocations_so_far();
        for frame in 128..192 {
            self.frame(frame);
        }
        allocations_so_far() - before
    }
}

#[test]
fn nothing_is_allocated_with_strips() {
    let mut play = check_with(StripsConfig::new().into());
    let allocations = play.allocations_with_copies();
    assert_eq!(
        allocations, 0,
        "with owners and other filters, copied in each frame"
    );
}

#[test]
fn nothing_is_allocated_with_a_double_grid() {
    check_with(DoubleGridConfig::new().into());
}

#[test]
fn nothing_is_allocated_with_a_quadtree() {
    check_with(LooseQuadtreeConfig::new().into());
}

/// Returns what was played last.
fn check_with(structure: OversizedStructure) -> Play {
    begin_count();
    let allocations = Dozing::new(10_000, structure).allocations();
    assert_eq!(allocations, 0, "where most things rest");
    let mut dozing = Dozing::new(10_000, structure);
    dozing.kept = vec![dozing.world.clone(); 3];
    assert_eq!(dozing.allocations(), 0, "copied while they rest");
    let mut play = Play::new(6_000, structure);
    let allocations = play.allocations(32, &Serial);
    assert_eq!(allocations, 0, "on one thread");
    let allocations = play.allocations_after_sorting(&Serial);
    assert_eq!(allocations, 0, "after sorting");
    let allocations = play.allocations_with_copies();
    assert_eq!(allocations, 0, "copied in each frame");
    let mut play = play.with_filters();
    let allocations = play.allocations(32, &Serial);
    assert_eq!(allocations, 0, "with owners and other filters");
    play
}

#[cfg(feature = "parallel")]
#[test]
fn little_is_allocated_in_a_pool() {
    let count = begin_count();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(|_| COUNT.set(count))
        .build()
        .unwrap();
    // So many that a step is shared out.
    let mut play = Play::new(30_000, StripsConfig::new().into());
    let allocations = pool.install(|| play.allocations(32, &throng::Rayon));
    assert!(
        allocations <= 4,
        "{allocations} in 32 frames: more than an executor's own few"
    );
}

/// Nothing is lost of what was there, and a batch that promised too much goes in as far as it comes.
#[test]
fn room_that_there_is_no_memory_for_is_an_error() {
    let sheep = || Proxy::centered([1.0, 2.0], [0.5; 2]).unwrap().key(7);
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    let category = world.category("sheep").unwrap();
    world.insert(sheep()).unwrap();
    let additional = throng::MAX_ROWS - 1;
    let error = world.reserve(category, additional).unwrap_err();
    let words = error.to_string();
    assert!(matches!(error, ReserveError::Memory { .. }), "{words}");
    for word in ["\"sheep\"", "no memory", &format!("{additional}")] {
        assert!(words.contains(word), "no {word} in {words}");
    }

    /// An iterator that promises more than comes.
    struct Boast(u32);
    impl Iterator for Boast {
        type Item = Proxy;
        fn next(&mut self) -> Option<Proxy> {
            self.0 = self.0.checked_sub(1)?;
            Some(Proxy::centered([self.0 as f32, 0.0], [0.5; 2]).unwrap())
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, None)
        }
    }
    let batch = world.insert_batch(Boast(3));
    assert_eq!(
        (batch.ids.len(), batch.refused.len(), world.len()),
        (3, 0, 4)
    );
    assert_eq!(world.validate(), Ok(()));
}
