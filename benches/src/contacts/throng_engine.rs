//! An engine with arrays of its own and a broadphase beside them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proxy, ProxyId, RowOrder};

use super::arrays::{Arrays, Gather, InHand};
use super::{Circle, Course, Engine, Found, Stage, Times};
use crate::Workers;

/// How an engine lets its narrowphase read the circles of a pair. Whoever adds a way adds it here, and what it does in
/// [`ThrongEngine::frame`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// From its arrays, whose rows are as they were inserted, in no order.
    AsInserted,
    /// From its arrays, whose rows it has sorted whenever that is due.
    Sorted,
    /// From what comes with each pair; from its arrays, whose rows are as they were inserted, only of circles that touch.
    InHand,
    /// The same with rows that are sorted whenever that is due.
    SortedInHand,
}

impl Rows {
    /// Every one.
    pub const ALL: [Rows; 4] = [
        Rows::AsInserted,
        Rows::Sorted,
        Rows::InHand,
        Rows::SortedInHand,
    ];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Rows::AsInserted => "throng, as inserted",
            Rows::Sorted => "throng, sorted",
            Rows::InHand => "throng, in hand",
            Rows::SortedInHand => "throng, sorted, in hand",
        }
    }

    fn are_sorted(self) -> bool {
        matches!(self, Rows::Sorted | Rows::SortedInHand)
    }
}

/// From this decay on rows are asked for ahead: what is in the cache anyway is not faster for it.
const SCATTERED: f32 = 0.3;

/// Only category of the world.
const CIRCLES: CategoryId = CategoryId::new(0);

/// The engine.
pub struct ThrongEngine {
    course: Arc<Course>,
    frame: u32,
    rows: Rows,
    workers: Workers,
    world: Broadphase,
    arrays: Arrays,
    /// By name.
    ids: Vec<ProxyId>,
    /// Kept for the next time: what arrays are sorted into, and rows of circles that die.
    spare: (Vec<f32>, Vec<u32>),
    dying: Vec<u32>,
}

impl ThrongEngine {
    /// An engine that keeps its rows in this way, as of frame 0.
    pub fn new(course: &Arc<Course>, rows: Rows, workers: Workers) -> Self {
        let half_extents = [course.half_extent(); 2];
        let circles = CategoryConfig::uniform("circles", 0.0)
            .coarse()
            .half_extents(half_extents);
        let world = Broadphase::new(BroadphaseConfig::new().category(circles));
        let mut engine = Self {
            course: Arc::clone(course),
            frame: 0,
            rows,
            workers,
            world: world.expect("a sound bound"),
            arrays: Arrays::default(),
            ids: Vec::with_capacity(course.len()),
            spare: Default::default(),
            dying: Vec::new(),
        };
        for circle in course.start() {
            let id = engine.insert(&circle);
            engine.ids.push(id);
        }
        engine
    }

    fn insert(&mut self, circle: &Circle) -> ProxyId {
        let half_extents = [self.course.half_extent(); 2];
        let proxy = Proxy::centered(circle.center, half_extents).expect("circles are finite");
        self.arrays.push(circle);
        let id = self.world.insert(proxy.key(circle.name.into()));
        id.expect("it fits the category")
    }
}

impl Engine for ThrongEngine {
    fn name(&self) -> &'static str {
        self.rows.name()
    }

    fn is_peer(&self) -> bool {
        false
    }

    fn advance(&mut self) {
        self.frame += 1;
        let (course, arrays) = (Arc::clone(&self.course), &mut self.arrays);
        for (at, velocity) in [
            (&mut arrays.xs, &mut arrays.vxs),
            (&mut arrays.ys, &mut arrays.vys),
        ] {
            for (at, velocity) in at.iter_mut().zip(velocity) {
                [*at, *velocity] = course.moved(*at, *velocity);
            }
        }

        // Deaths, last row first, so that what moves into a gap is not about to die; then births.
        let dies = |&(_, &name): &(u32, &u32)| course.dies(name, self.frame);
        let dying = (0..).zip(&arrays.names).filter(dies).map(|(row, _)| row);
        self.dying.clear();
        self.dying.extend(dying);
        for row in self.dying.iter_mut().rev() {
            let gap = *row;
            // From here on its name.
            *row = arrays.swap_remove(gap as usize);
            let removed = self.world.remove(self.ids[*row as usize]);
            assert_eq!(removed.map(|removed| removed.row), Ok(gap), "rows in step");
        }
        for dead in 0..self.dying.len() {
            let born = course.born(self.dying[dead], self.frame);
            self.ids[born.name as usize] = self.insert(&born);
        }
    }

    fn frame(&mut self) -> (Times, Found) {
        let Self {
            rows,
            workers,
            world,
            arrays,
            spare,
            course,
            ..
        } = self;
        workers.run(|executor| {
            let started = Instant::now();
            let mut sort = Duration::ZERO;
            if rows.are_sorted() && world.is_sort_due(CIRCLES) {
                let sorted = world.sort_rows_on(executor, CIRCLES, RowOrder::Space);
                arrays.sort(executor, &sorted.expect("it is in the config"), spare);
                sort = started.elapsed();
            }
            let filling = Instant::now();
            let centers = world.centers_mut(CIRCLES);
            let fill = centers
                .expect("it is in the config")
                .fill_from(&arrays.xs, &arrays.ys);
            assert_eq!(fill.map(|fill| fill.rejected), Ok(0), "circles are finite");
            let fill = filling.elapsed();
            let prefetches = world.row_order_decay(CIRCLES) > SCATTERED;
            let step = match rows {
                Rows::AsInserted | Rows::Sorted => {
                    world.step_on(executor, &Gather { arrays, prefetches })
                }
                Rows::InHand | Rows::SortedInHand => {
                    let radius = course.radius();
                    let narrowphase = InHand {
                        arrays,
                        radius,
                        prefetches,
                    };
                    world.step_on(executor, &narrowphase)
                }
            };
            let all = started.elapsed();

            let stages = &step.report().stages;
            let mut times = Times::default()
                .with(Stage::Fill, fill)
                .with(Stage::Index, stages.ingest + stages.index)
                .with(Stage::Pairs, stages.pairs)
                .with(Stage::Narrowphase, stages.narrowphase)
                .with(Stage::All, all);
            if rows.are_sorted() {
                times = times.with(Stage::Sort, sort);
            }
            let mut found = Found::default();
            for contact in step.outputs().flatten() {
                let names = [contact.a, contact.b].map(|row| arrays.names[row as usize]);
                found.add(names, contact);
            }
            (times, found)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{CIRCLES, Rows, ThrongEngine};
    use crate::Workers;
    use crate::contacts::{Contact, Course, Engine, Found, touch};

    /// All contacts, by trying every two.
    fn expected(engine: &ThrongEngine) -> Found {
        let arrays = &engine.arrays;
        let mut found = Found::default();
        for i in 0..arrays.xs.len() {
            for j in 0..i {
                let offset = [arrays.xs[j] - arrays.xs[i], arrays.ys[j] - arrays.ys[i]];
                let velocity = || [arrays.vxs[j] - arrays.vxs[i], arrays.vys[j] - arrays.vys[i]];
                let radii = arrays.radii[i] + arrays.radii[j];
                if let Some([depth, approach]) = touch(offset, radii, velocity) {
                    let [a, b] = [i, j].map(|row| arrays.names[row]);
                    let contact = Contact {
                        a,
                        b,
                        depth,
                        approach,
                    };
                    found.add([a, b], &contact);
                }
            }
        }
        found
    }

    #[test]
    fn contacts_are_those_of_brute_force() {
        let course = Arc::new(Course::new(600, 20));
        let engine =
            |rows, threads| ThrongEngine::new(&course, rows, Workers::new(threads).unwrap());
        let engines = Rows::ALL.map(|rows| [engine(rows, 1), engine(rows, 3)]);
        for mut engine in engines.into_iter().flatten() {
            for _ in 0..5 {
                engine.advance();
                let (_, found) = engine.frame();
                assert_eq!(found, expected(&engine));
                assert!(found.contacts > 300, "{found:?}");
            }
        }
    }

    #[test]
    fn sorted_rows_hold_the_same_circles_and_are_sorted_when_due() {
        // So many that not all of them are in the cache at once, in the eyes of the policy.
        let course = Arc::new(Course::new(60_000, 10));
        let mut engines =
            Rows::ALL.map(|rows| ThrongEngine::new(&course, rows, Workers::new(1).unwrap()));
        let mut sorts = 0;
        for _ in 0..12 {
            let found = engines.each_mut().map(|engine| {
                engine.advance();
                let (times, found) = engine.frame();
                sorts += usize::from(
                    times
                        .of(super::Stage::Sort)
                        .is_some_and(|time| !time.is_zero()),
                );
                found
            });
            assert_eq!(found, [found[0]; 4]);
        }
        assert!(
            (4..16).contains(&sorts),
            "{sorts} sorts of two in 12 frames"
        );
        let decay = engines.map(|engine| engine.world.row_order_decay(CIRCLES));
        assert!(decay[0] > 1.5 * decay[1], "{decay:?}");
    }
}
