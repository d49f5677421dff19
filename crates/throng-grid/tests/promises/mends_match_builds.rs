//! An index that is mended, whatever happens to its rows, is the one that a build would make: as sound, with the same rows
//! rejected, and with the answers of brute force, on every instruction set.

use crate::any_points::{coordinate, half};
use crate::common::{near, rows_and_distances};
use fixedbitset::FixedBitSet;
use proptest::prelude::*;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxRun, BoxSource, Executor, MaskWords, RowMasks, Serial, SimdLevel,
};
use throng_grid::{GridConfig, LeafView, MovedRow, Nearness, PointGrid, Points, RowClasses};
use throng_scenes::{
    Scene, Threads, adversarial, nearest, one_dense_cell, overlapping_pairs_sweep, rows_in_box,
    sorted, uniform,
};

/// Columns, and what an index of them says.
#[derive(Clone, Debug)]
struct World {
    half: [f32; 2],
    exact: bool,
    classed: bool,
    rows: Vec<Row>,
    /// The last time that the index was built or mended.
    indexed: Vec<Row>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    center: [f32; 2],
    half: [f32; 2],
    class: u16,
    absent: bool,
}

/// The classes in use.
const CLASSES: std::ops::Range<usize> = 3..11;

/// Something that happens to a row or two.
#[derive(Clone, Debug)]
enum Event {
    Nudge(usize, [f32; 2]),
    Jump(usize, [f32; 2]),
    /// To where another row is.
    Join(usize, usize),
    Resize(usize, [f32; 2]),
    Classify(usize, u16),
    Toggle(usize),
    Insert(Row),
    /// The last row takes its place.
    Remove(usize),
    /// Nothing, but the row is listed.
    Touch(usize),
}

impl World {
    fn is_held(&self, row: &Row) -> bool {
        let fits = |axis: usize| (0.0..=self.half[axis]).contains(&row.half[axis]);
        let sound = !self.exact || (fits(0) && fits(1));
        !row.absent && sound && row.center.iter().all(|v| v.is_finite())
    }

    /// Applies an event; returns a row that is to be listed although nothing happened to it.
    fn apply(&mut self, event: &Event) -> Option<usize> {
        let len = self.rows.len();
        if let Event::Insert(row) = event {
            self.rows.push(*row);
            return None;
        }
        if len == 0 {
            return None;
        }
        let rows = &mut self.rows;
        match *event {
            Event::Nudge(row, [x, y]) => {
                let center = &mut rows[row % len].center;
                *center = [center[0] + x * self.half[0], center[1] + y * self.half[1]];
            }
            Event::Jump(row, center) => rows[row % len].center = center,
            Event::Join(row, other) => rows[row % len].center = rows[other % len].center,
            Event::Resize(row, [x, y]) => {
                rows[row % len].half = [x * self.half[0], y * self.half[1]];
            }
            Event::Classify(row, class) => rows[row % len].class = class,
            Event::Toggle(row) => rows[row % len].absent ^= true,
            Event::Remove(row) => drop(rows.swap_remove(row % len)),
            Event::Touch(row) => return Some(row % len),
            Event::Insert(_) => {}
        }
        None
    }

    /// All rows that differ from what was indexed, in an order that means nothing.
    fn moved(&self, also: &[usize]) -> Vec<MovedRow> {
        let rows = self.rows.len().max(self.indexed.len());
        let differs =
            |row: &usize| self.rows.get(*row) != self.indexed.get(*row) || also.contains(row);
        let from = |row: usize| {
            let before = self.indexed.get(row).filter(|before| self.is_held(before));
            before.map(|before| before.center)
        };
        let mut moved: Vec<_> = (0..rows)
            .filter(differs)
            .map(|row| MovedRow {
                row: row as u32,
                from: from(row),
            })
            .collect();
        moved.sort_by_key(|moved| moved.row.wrapping_mul(0x9e37_79b9));
        moved
    }

    /// For the oracle: rows that are not held are nowhere.
    fn scene(&self) -> Scene {
        let place = |row: &Row| {
            if self.is_held(row) {
                row.center
            } else {
                [f32::NAN; 2]
            }
        };
        let mut scene = Scene::new("mended", self.half, self.rows.iter().map(place));
        scene.half_extents = self
            .exact
            .then(|| self.rows.iter().map(|row| row.half).collect());
        scene.masks = self.classed.then(|| {
            let palette = palette();
            let classes = self.rows.iter().map(|row| usize::from(row.class));
            classes.map(|class| palette[class]).collect()
        });
        scene
    }
}

fn palette() -> Vec<MaskWords> {
    let words = |class: u32| MaskWords {
        memberships: 1 << (class % 3),
        filter: class.wrapping_mul(0x9e37_79b9) >> 7,
    };
    (0..CLASSES.end as u32).map(words).collect()
}

/// The columns of a world as a grid takes them.
struct Columns {
    xs: Vec<f32>,
    ys: Vec<f32>,
    half_extents: Option<Vec<[f32; 2]>>,
    absent: FixedBitSet,
    classes: Option<Vec<u16>>,
}

impl Columns {
    fn of(world: &World) -> Self {
        let rows = &world.rows;
        let mut absent = FixedBitSet::with_capacity(rows.len());
        absent.extend((0..rows.len()).filter(|&row| rows[row].absent));
        Self {
            xs: rows.iter().map(|row| row.center[0]).collect(),
            ys: rows.iter().map(|row| row.center[1]).collect(),
            half_extents: world
                .exact
                .then(|| rows.iter().map(|row| row.half).collect()),
            absent,
            classes: world
                .classed
                .then(|| rows.iter().map(|row| row.class).collect()),
        }
    }

    fn points(&self) -> Points<'_> {
        let points = Points::new(&self.xs, &self.ys).without(&self.absent);
        match &self.half_extents {
            Some(own) => points.with_half_extents(own),
            None => points,
        }
    }

    fn classes(&self) -> Option<RowClasses<'_>> {
        let of_rows = self.classes.as_deref()?;
        Some(RowClasses {
            of_rows,
            in_use: CLASSES,
        })
    }

    fn build(&self, grid: &mut PointGrid, executor: &dyn Executor) {
        let report = match self.classes() {
            Some(classes) => grid.build_with_classes(self.points(), classes, executor),
            None => grid.build(self.points(), executor),
        };
        report.unwrap();
    }

    fn pairs(&self, grid: &PointGrid) -> Vec<[u32; 2]> {
        let palette = palette();
        let masks = self.classes.as_deref().map(|classes| RowMasks::Classes {
            classes,
            palette: &palette,
        });
        let (mut found, mut arena) = (Vec::new(), Arena::new());
        for chunk in 0..grid.chunks() {
            let mut visit = |batch: &[[u32; 2]]| found.extend_from_slice(batch);
            grid.pairs_in_chunk(chunk, masks, &mut arena, &mut visit);
        }
        found
    }
}

fn empty(world: &World, level: SimdLevel) -> PointGrid {
    PointGrid::new(GridConfig::new(world.half).simd(level)).unwrap()
}

/// Leaves as they can be seen: strip, bounds and rows.
fn leaves(grid: &PointGrid) -> Vec<LeafView> {
    let mut leaves = Vec::new();
    grid.visit_leaves(|leaf| leaves.push(leaf));
    leaves
}

/// What other searches find: near pairs, pairs with the rows of another grid, and rows around places, as those come.
fn answers(grid: &PointGrid, other: &PointGrid, world: &World) -> Vec<u64> {
    let mut found = Vec::new();
    let near = Nearness::of_boxes(world.half[0]).unwrap();
    let mut arena = Arena::new();
    for chunk in 0..grid.near_chunks(grid) {
        grid.near_pairs_in_chunk(near, chunk, None, &mut arena, &mut |pairs, squares| {
            let squares = squares.iter().map(|square| u64::from(square.to_bits()));
            found.extend(
                squares
                    .zip(pairs)
                    .flat_map(|(square, &[a, b])| [square, a.into(), b.into()]),
            );
        });
    }
    let mut meet = |a: u32, b: u32| found.extend([u64::from(a), u64::from(b)]);
    grid.for_each_meeting(other, [None, None], &mut meet);
    other.for_each_meeting(grid, [None, None], &mut meet);
    for row in world.rows.iter().step_by(world.rows.len() / 8 + 1) {
        let [x, y] = row.center;
        let [width, height] = world.half.map(|half| 3.0 * half);
        let Ok(window) = Aabb::new([x - width, y - height], [x + width, y + height]) else {
            continue;
        };
        let arena = Arena::new();
        let mut run = BoxRun::with_capacity(&arena, 0, false);
        grid.gather(&window, &arena, &mut run);
        found.extend(run.rows().iter().map(|&row| u64::from(row)));
    }
    found
}

/// Compares a grid with the oracle.
fn check(world: &World, columns: &Columns, grid: &PointGrid) {
    grid.validate().unwrap();
    let scene = world.scene();
    let held = world.rows.iter().filter(|row| world.is_held(row)).count();
    assert_eq!(grid.len(), held);
    let rejected = |row: &usize| !world.rows[*row].absent && !world.is_held(&world.rows[*row]);
    let rejected: Vec<_> = (0..world.rows.len())
        .filter(rejected)
        .map(|row| row as u32)
        .collect();
    assert_eq!(grid.rejected_rows(), rejected);
    assert_eq!(sorted(columns.pairs(grid)), overlapping_pairs_sweep(&scene));
    for row in (0..scene.len()).step_by(scene.len() / 4 + 1) {
        let Some(aabb) = scene.aabb(row) else {
            continue;
        };
        let mut found = Vec::new();
        let _ = grid.query_aabb(&aabb, |hit| {
            found.push(hit.row);
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(sorted(found), rows_in_box(&scene, &aabb));
        let mut found = Vec::new();
        grid.find_nearest(near(aabb.center(), 3, f32::INFINITY), &mut found)
            .unwrap();
        let found = rows_and_distances(&found);
        assert_eq!(found, nearest(&scene, aabb.center(), 3, f32::INFINITY));
    }
    let mut everywhere = 0;
    let _ = grid.query_aabb(&Aabb::EVERYWHERE, |_| {
        everywhere += 1;
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(everywhere, held);
}

/// Plays a history on every instruction set, and beside them with a build for each step; returns how often the index was mended.
fn play(world: &World, history: &[Vec<Event>], executor: &dyn Executor) -> usize {
    let mut world = world.clone();
    let columns = Columns::of(&world);
    let mut grids: Vec<_> = SimdLevel::available()
        .iter()
        .map(|&level| empty(&world, level))
        .collect();
    let mut built = empty(&world, SimdLevel::detect());
    for grid in grids.iter_mut().chain([&mut built]) {
        columns.build(grid, executor);
    }
    let small = world.rows.len() < 1000;
    let mut mended = 0;
    for events in history {
        world.indexed = world.rows.clone();
        let also: Vec<_> = events
            .iter()
            .filter_map(|event| world.apply(event))
            .collect();
        let columns = Columns::of(&world);
        let moved = world.moved(&also);
        let done: Vec<_> = grids
            .iter_mut()
            .map(|grid| {
                grid.mend(columns.points(), columns.classes(), &moved)
                    .unwrap()
            })
            .collect();
        assert!(done.iter().all(|one| *one == done[0]), "{done:?}");
        mended += usize::from(done[0]);
        for grid in &mut grids {
            if !done[0] {
                assert_eq!((grid.len(), grid.leaves(), grid.chunks()), (0, 0, 0));
                assert_eq!(grid.validate(), Ok(()));
                columns.build(grid, executor);
            }
        }
        columns.build(&mut built, executor);
        check(&world, &columns, &grids[0]);
        let reference = columns.pairs(&built);
        let others = small.then(|| answers(&built, &built, &world));
        for grid in &grids {
            grid.validate().unwrap();
            assert_eq!(leaves(grid), leaves(&built));
            assert!(columns.pairs(grid) == reference, "{}", grid.simd());
            if let Some(others) = &others {
                assert!(answers(grid, &built, &world) == *others, "{}", grid.simd());
            }
        }
    }
    mended
}

fn row(half: [f32; 2]) -> impl Strategy<Value = Row> {
    let size = prop_oneof![9 => 0.0_f32..=1.0, 1 => Just(1.5_f32)];
    let class = CLASSES.start as u16..CLASSES.end as u16;
    let center = (coordinate(half[0]), coordinate(half[1]));
    (center, size, class, prop::bool::weighted(0.1)).prop_map(
        move |((x, y), size, class, absent)| Row {
            center: [x, y],
            half: half.map(|half| half * size),
            class,
            absent,
        },
    )
}

fn event(half: [f32; 2]) -> impl Strategy<Value = Event> {
    let any_row = || 0..1000_usize;
    let share = || -1.0_f32..1.0;
    prop_oneof![
        6 => (any_row(), share(), share()).prop_map(|(row, x, y)| Event::Nudge(row, [x, y])),
        3 => (any_row(), coordinate(half[0]), coordinate(half[1])).prop_map(|(row, x, y)| Event::Jump(row, [x, y])),
        2 => (any_row(), any_row()).prop_map(|(row, other)| Event::Join(row, other)),
        1 => (any_row(), 0.0_f32..1.2, 0.0_f32..1.0).prop_map(|(row, x, y)| Event::Resize(row, [x, y])),
        1 => (any_row(), CLASSES.start as u16..CLASSES.end as u16).prop_map(|(row, class)| Event::Classify(row, class)),
        1 => any_row().prop_map(Event::Toggle),
        1 => row(half).prop_map(Event::Insert),
        1 => any_row().prop_map(Event::Remove),
        1 => any_row().prop_map(Event::Touch),
    ]
}

fn world_and_history() -> impl Strategy<Value = (World, Vec<Vec<Event>>)> {
    (half(), half(), any::<bool>(), any::<bool>()).prop_flat_map(|(hx, hy, exact, classed)| {
        let half = [hx, hy];
        let history = prop::collection::vec(prop::collection::vec(event(half), 0..9), 1..12);
        (prop::collection::vec(row(half), 100..260), history).prop_map(move |(rows, history)| {
            (
                World {
                    half,
                    exact,
                    classed,
                    rows,
                    indexed: Vec::new(),
                },
                history,
            )
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_rows((world, history) in world_and_history()) {
        play(&world, &history, &Serial);
    }
}

impl World {
    fn of(scene: &Scene, classed: bool) -> Self {
        let row = |row: usize| Row {
            center: [scene.xs[row], scene.ys[row]],
            half: scene.half_extents_of(row),
            class: (CLASSES.start + row % CLASSES.len()) as u16,
            absent: false,
        };
        Self {
            half: scene.half,
            exact: scene.half_extents.is_some(),
            classed,
            rows: (0..scene.len()).map(row).collect(),
            indexed: Vec::new(),
        }
    }
}

/// Numbers without a pattern.
fn scrambled(seed: usize) -> usize {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 24) as usize
}

/// A number from -1 to 1.
fn share(seed: usize) -> f32 {
    (scrambled(seed) % 20_001) as f32 / 10_000.0 - 1.0
}

fn frames(frames: usize, movers: usize, event: impl Fn(usize) -> Event) -> Vec<Vec<Event>> {
    let events = |frame: usize| (0..movers).map(|k| event(frame * movers + k)).collect();
    (0..frames).map(events).collect()
}

fn nudge(seed: usize) -> Event {
    Event::Nudge(scrambled(seed), [share(2 * seed), share(3 * seed + 1)])
}

fn join(seed: usize) -> Event {
    Event::Join(scrambled(seed), scrambled(seed + 7))
}

#[test]
fn every_scene_where_some_move_and_some_jump() {
    for (index, scene) in adversarial(800, 5).into_iter().enumerate() {
        let world = World::of(&scene, index % 3 == 1);
        let events = |seed: usize| {
            if seed.is_multiple_of(8) {
                join(seed)
            } else {
                nudge(seed)
            }
        };
        let mended = play(&world, &frames(12, 9, events), &Serial);
        assert!(mended > 4, "{}: {mended}", scene.name);
    }
}

/// Leaves of hundreds of rows, so that records go far, leaves outgrow their memory, and builds have several parts.
#[test]
fn larger_crowds_on_any_number_of_threads() {
    let world = World::of(&uniform(34_000, 1.0, 6), false);
    let events = |seed: usize| match seed % 5 {
        0 => join(seed),
        1 => Event::Remove(scrambled(seed)),
        _ => nudge(seed),
    };
    let history = frames(8, 500, events);
    let mended = [1, 2, 3].map(|threads| play(&world, &history, &Threads(threads)));
    assert_eq!(mended, [8; 3]);
}

/// All gather where a few are, until leaves are cut into pieces, and part again.
#[test]
fn crowds_that_gather_on_a_spot_and_part() {
    let world = World::of(&uniform(4000, 0.1, 7), true);
    let gather = |seed: usize| Event::Join(scrambled(seed), seed % 3);
    let part = |seed: usize| {
        Event::Nudge(
            scrambled(seed) % 2000,
            [30.0 * share(seed), 9.0 * share(seed + 1)],
        )
    };
    let mut history = frames(40, 50, gather);
    history.extend(frames(40, 50, part));
    let mended = play(&world, &history, &Serial);
    assert!(mended > 60, "{mended}");
}

/// Leaves are cut into pieces, and most records share a column or two.
#[test]
fn crowds_on_a_spot() {
    for rows in [800, 2500] {
        let spot = World::of(&one_dense_cell(rows, 8), false);
        let mended = play(&spot, &frames(5, 15, nudge), &Serial);
        assert!(mended > 2, "{mended}");
    }
}
