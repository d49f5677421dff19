//! The index of those rows of a category that rest: a grid of points, or a quadtree of boxes.
//!
//! It stands from step to step, and is mended when rows come to rest or wake, so that a step builds an index of the others alone.
//! Queries look into both. Searches that take one index for all rows, such as that for neighbors, take one in which both are
//! joined, made when it is first asked for.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{Executor, Serial, Spare};

use crate::frame::resting::stillness::RestingRows;
use crate::world::ids::Row;
use crate::world::lazy::Lazy;
use crate::world::row_changes::RowChanges;
use crate::world::structure::{IndexedRows, Structure};

/// Those that rest get an index of their own once so many times more rest than do not, and lose it when fewer do.
struct TimesMore {
    to_part: usize,
    to_stay_apart: usize,
}

impl TimesMore {
    /// To index those that are awake anew, and have them meet the others, costs as much as one index of all that is refitted if a fifth is
    /// awake, evenly spread, or two fifths to a half in one bunch.
    const OF_POINTS: Self = Self {
        to_part: 3,
        to_stay_apart: 2,
    };
    /// Awake boxes ask a quadtree; once a tenth of all do, it is faster to build and search strips of all.
    const OF_BOXES: Self = Self {
        to_part: 8,
        to_stay_apart: 5,
    };
}

/// The index of those that rest, and what is made of it.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct Standing {
    pub(crate) structure: Structure,
    /// Memory for a mend: which of the rows that have changed are not to be in it. What it says of others means nothing.
    absent: Spare<FixedBitSet>,
    /// Memory for a list of those that rest.
    rows: Spare<Vec<Row>>,
    /// Whether there are others that rest, which are not in it.
    lacks_some: bool,
    /// Both indices of the category in one, once somebody asks.
    whole: Lazy<Option<Box<Structure>>>,
}

impl Standing {
    /// An empty one; `structure` is a grid of points, or a quadtree.
    pub(crate) fn new(structure: Structure) -> Self {
        Self {
            structure,
            absent: Spare::default(),
            rows: Spare::default(),
            lacks_some: false,
            whole: Lazy::default(),
        }
    }

    /// Whether rows that rest are to be in this index, of so many: only while few are awake. Otherwise all are in one, and pairs of two
    /// that rest are dropped.
    pub(crate) fn is_worth_it(&self, awake: usize, resting: usize) -> bool {
        let times_more = match self.structure {
            Structure::Points(_) => TimesMore::OF_POINTS,
            Structure::Boxes(_) | Structure::Scenery(_) => TimesMore::OF_BOXES,
        };
        let times_more = if self.structure.is_empty() {
            times_more.to_part
        } else {
            times_more.to_stay_apart
        };
        resting >= awake * times_more
    }

    /// Brings it up to date with those that rest, if anybody is to be in it. `are_elsewhere` says whether some rest that stay in the
    /// main index; `changes` has the rows that came to rest, woke, or changed while they rested.
    pub(crate) fn update(
        &mut self,
        rows: &IndexedRows<'_>,
        resting: Option<RestingRows<'_>>,
        are_elsewhere: bool,
        changes: &mut RowChanges,
        executor: &dyn Executor,
    ) {
        self.whole.forget();
        match resting {
            Some(resting) if !self.lacks_some && self.mend(rows, &resting, changes) => {}
            Some(resting) => {
                // Until it is built: an executor that panics must not leave an empty index to be mended.
                changes.note_all();
                resting.list(&mut self.rows);
                self.structure.index_rows(rows, &self.rows, executor);
                changes.built(&self.rows, rows.columns.len());
            }
            None if self.structure.is_empty() => {}
            None => self.clear(changes),
        }
        self.lacks_some = are_elsewhere;
    }

    /// Mends it, if all changes are known and they are few. Returns whether it did.
    fn mend(
        &mut self,
        rows: &IndexedRows<'_>,
        resting: &RestingRows<'_>,
        changes: &mut RowChanges,
    ) -> bool {
        let Some(listed) = changes.list(|row| resting.has(row)) else {
            return false;
        };
        let all = rows.columns.len();
        let noted = listed.iter().map(|noted| noted.row as usize);
        self.absent.grow(all);
        for row in noted.filter(|&row| row < all) {
            self.absent.set(row, !resting.has(row as Row));
        }
        let mended = listed.is_empty()
            || match &mut self.structure {
                Structure::Points(grid) => grid
                    .mend(
                        rows.points().without(&self.absent),
                        rows.classes.clone(),
                        listed,
                    )
                    .expect("the columns of a category are of one length"),
                Structure::Boxes(tree) => {
                    tree.mend(rows, &self.absent, listed);
                    true
                }
                Structure::Scenery(_) => unreachable!("scenery is one with all its rows"),
            };
        if mended {
            changes.mended(|row| resting.has(row));
        }
        mended
    }

    /// Empties it, and forgets what it was planned for.
    pub(crate) fn clear(&mut self, changes: &mut RowChanges) {
        self.whole.forget();
        self.structure.clear();
        changes.built(&[], 0);
    }

    /// Both this index and that of all other rows, in one. O(rows) for the first to ask after a step or refresh.
    pub(crate) fn whole(&self, others: &Structure) -> &Structure {
        let whole = self.whole.get(|whole| {
            // What is left may be that of a world of which this became a copy.
            let left = whole.take().filter(|left| left.is_like(others));
            let joined = whole.insert(left.unwrap_or_else(|| Box::new(others.empty_like())));
            // On this thread alone: others may be waiting here for the same index, and the executor could hand a task of it to one
            // of them, which would wait for ever.
            joined.join([others, &self.structure], &Serial);
        });
        whole.as_deref().expect("it has been made")
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let whole =
            |whole: &Option<Box<Structure>>| whole.as_ref().map_or(0, |of| of.memory_bytes());
        self.structure.memory_bytes()
            + size_of_val(self.absent.as_slice())
            + self.rows.capacity() * size_of::<Row>()
            + self.whole.bytes(whole)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyId};

    /// How many are in the index of those that rest, each time that another number of ninety does. After each step, all goes on with
    /// `next` of the world.
    fn apart_with(
        category: CategoryConfig,
        resting: &[usize],
        next: impl Fn(&Broadphase) -> Broadphase,
    ) -> Vec<usize> {
        let config = BroadphaseConfig::new().category(category.rests_when_told());
        let mut world = Broadphase::new(config).unwrap();
        let boxes = (0..90).map(|k| Proxy::centered([k as f32, 0.0], [1.0; 2]).unwrap());
        let ids: Vec<ProxyId> = boxes.map(|of| world.insert(of).unwrap()).collect();
        let apart = resting.iter().map(|&resting| {
            for (k, &id) in ids.iter().enumerate() {
                world.set_resting(id, k < resting).unwrap();
            }
            for _ in 0..2 {
                world.step_pairs();
                world = next(&world);
            }
            assert_eq!(world.report().resting, resting);
            let standing = world.categories[0].standing.as_ref();
            standing.expect("they rest").structure.len()
        });
        apart.collect()
    }

    fn apart(category: CategoryConfig, resting: &[usize]) -> Vec<usize> {
        apart_with(category, resting, Broadphase::clone)
    }

    /// Some rest that are not in it, and a copy knows that.
    #[test]
    fn a_copy_knows_whether_it_has_all() {
        let few = || CategoryConfig::oversized("boxes");
        assert_eq!(apart(few(), &[80, 74, 80]), [80, 0, 80]);
        let other = || {
            let config = BroadphaseConfig::new().category(few().rests_when_told());
            Broadphase::new(config).unwrap()
        };
        let into_another = |world: &Broadphase| {
            let mut copy = other();
            copy.clone_from(world);
            copy
        };
        let found = apart_with(few(), &[80, 74, 80], into_another);
        assert_eq!(found, [80, 0, 80]);
    }

    #[test]
    fn all_are_apart_only_while_few_are_awake() {
        let resting = [0, 79, 80, 76, 75, 74, 79, 80, 90, 0];
        let boxes = apart(CategoryConfig::oversized("boxes"), &resting);
        assert_eq!(boxes, [0, 0, 80, 76, 75, 0, 0, 80, 90, 0]);
        let resting = [0, 67, 68, 61, 60, 59, 67, 68, 90, 0];
        let points = apart(CategoryConfig::uniform("points", 1.0), &resting);
        assert_eq!(points, [0, 0, 68, 61, 60, 0, 0, 68, 90, 0]);
    }
}
