//! A list of proxies that does what a world does, the plain way.

mod check;
mod known;
mod operation;

use std::collections::{HashMap, HashSet};

use crate::common::Threads;
use crate::common::lasting::Lasting;
use educe::Educe;
use known::{Known, boxes_of_rows, described};
use throng::{
    AlignedBytes, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, ColumnError,
    InfiniteSides, Masks, OversizedStructure, PackedQuadtree, Placement, Proxy, ProxyError,
    ProxyId, Resting, Row, RowOrder, SceneryError, SceneryId, SharedBytes, SortRowsError,
};

pub use operation::{BoxesBy, Operation, SortBy, operations, structure};

/// Bounds of the categories; the second is exact, the third does not meet itself, the two behind it are
/// oversized, the last is scenery.
const BOUNDS: [f32; CATEGORIES] = [0.5, 2.0, 8.0, 20.0, f32::INFINITY, f32::INFINITY];
/// How much larger boxes count when pairs are predicted.
const MARGINS: [f32; CATEGORIES] = [0.25, 0.125, 0.5, 0.0, 0.125, 0.0];
const EXACT: [bool; CATEGORIES] = [false, true, false, true, true, true];
/// Who rests, in worlds where any do, and after how many steps.
const RESTS: [Resting; CATEGORIES] = [
    Resting::After(1),
    Resting::After(2),
    Resting::Never,
    Resting::After(1),
    Resting::WhenTold,
    Resting::Never,
];
const WAKES_ON_CONTACT: usize = 1;
/// While all move, whoever stops is noticed sixteen steps late at most, and then it takes a few to come to rest.
const STEPS_UNTIL_ALL_REST: usize = 16 + 4;
const CATEGORIES: usize = 6;
/// The category of scenery.
const WALLS: usize = 5;
const MIGRATE_BACK: f32 = 0.75;

fn meets(a: usize, b: usize) -> bool {
    ![(2, 2), (WALLS, WALLS)].contains(&(a, b))
}

/// Whether pairs of two categories, the lower one first, have events.
fn has_events([a, b]: [CategoryId; 2]) -> bool {
    let asked_for = [(1, 1), (1, 4), (3, WALLS)];
    a.index() == 0 || asked_for.contains(&(a.index(), b.index()))
}

/// The categories, in which some rest or nobody does, and pairs have slots or not.
fn config(structure: OversizedStructure, rests: bool, has_slots: bool) -> BroadphaseConfig {
    let category =
        |name, index: usize| CategoryConfig::uniform(name, BOUNDS[index]).margin(MARGINS[index]);
    let oversized = |name| CategoryConfig::oversized(name).structure(structure);
    let mut config = BroadphaseConfig::new()
        .migrate_back(MIGRATE_BACK)
        .pair_slots(has_slots)
        .category(category("pixies", 0).coarse().events())
        .category(category("infantry", 1).events_with(["infantry", "titans"]))
        .category(
            category("ogres", 2)
                .coarse()
                .meets(["pixies", "infantry", "drakes", "titans", "walls"]),
        )
        .category(oversized("drakes").half_extents([BOUNDS[3]; 2]))
        .category(oversized("titans").margin(MARGINS[4]))
        .category(CategoryConfig::scenery("walls").events_with(["drakes"]));
    if rests {
        for (category, rests) in config.categories.iter_mut().zip(RESTS) {
            category.rests = rests;
        }
        config.categories[WAKES_ON_CONTACT].wakes_on_contact = true;
    }
    config
}

/// The category that a box would be in after a `set_aabb`, if any.
fn place_again(known: &Known, half: f32, infinite: InfiniteSides) -> Option<usize> {
    let size = if infinite.any() { f32::INFINITY } else { half };
    let admits = |place: usize| {
        let room = if place < known.category {
            MIGRATE_BACK
        } else {
            1.0
        };
        size <= room * BOUNDS[place]
    };
    if known.named {
        admits(known.category).then_some(known.category)
    } else if known.category == WALLS {
        Some(WALLS)
    } else {
        (0..WALLS).find(|&place| admits(place))
    }
}

/// A world and what it should hold.
#[derive(Educe)]
#[educe(Clone)]
pub struct Model {
    world: Broadphase,
    /// The rows of each category, followed by nothing but what each call says.
    rows: [Vec<Known>; CATEGORIES],
    removed: Vec<ProxyId>,
    /// The excluded pairs, either way round.
    excluded: Vec<[ProxyId; 2]>,
    /// The proxies as of the last step.
    indexed: Vec<Known>,
    /// Whether there was a step.
    was_indexed: bool,
    /// The pairs that have begun and not ended.
    lasting: Lasting,
    /// The trees that were loaded, as far as it is known that they still are.
    loaded: Vec<SceneryId>,
    /// The last key of every proxy that ever was.
    keys: HashMap<ProxyId, u64>,
    /// Whether anybody ever rests, and how many pairs of two that rest there were in all steps.
    rests: bool,
    rested: u64,
    /// Who rested as of the last step, and not in scenery.
    at_rest: HashSet<ProxyId>,
    refitted: usize,
    /// A copy made earlier.
    earlier: Option<Box<Model>>,
}

impl Model {
    /// With an empty world, in which some rest or nobody does, and pairs have slots or not.
    pub fn new(structure: OversizedStructure, rests: bool, has_slots: bool) -> Self {
        Self {
            world: Broadphase::new(config(structure, rests, has_slots)).unwrap(),
            rows: Default::default(),
            removed: Vec::new(),
            excluded: Vec::new(),
            indexed: Vec::new(),
            was_indexed: false,
            lasting: Lasting::default(),
            loaded: Vec::new(),
            keys: HashMap::new(),
            rests,
            rested: 0,
            at_rest: HashSet::new(),
            refitted: 0,
            earlier: None,
        }
    }

    /// Makes a copy, in the memory of an earlier one if there is any.
    fn keep(&mut self) {
        let mut kept = match self.earlier.take() {
            Some(mut kept) => {
                Self::clone_from(&mut kept, self);
                kept
            }
            None => Box::new(self.clone()),
        };
        // The copy is what goes on.
        std::mem::swap(self, &mut kept);
        self.earlier = Some(kept);
    }

    /// Goes back to the last copy, if there is any.
    fn go_back(&mut self) {
        if let Some(earlier) = self.earlier.take() {
            let sums = (self.rested, self.refitted);
            self.clone_from(&earlier);
            (self.rested, self.refitted) = sums;
            self.earlier = Some(earlier);
        }
    }

    pub fn apply(&mut self, operation: &Operation) {
        let known = self.rows.iter().flatten();
        self.keys.extend(known.map(|known| (known.id, known.key)));
        match *operation {
            Operation::Insert {
                center,
                half,
                infinite,
                masks,
                named,
                fixed,
            } => self.insert(center, half, infinite, masks, named, fixed),
            Operation::SetCenter(pick, center) => self.set_center(pick, center),
            Operation::SetAabb(pick, center, half, infinite) => {
                self.set_aabb(pick, center, half, infinite);
            }
            Operation::SetCategory(pick, named) => self.set_category(pick, named),
            Operation::Remove(pick) => self.remove(pick),
            Operation::SetEnabled(pick, enabled) => self.set_enabled(pick, enabled),
            Operation::SetMasks(pick, masks) => self.set_masks(pick, masks),
            Operation::SetKey(pick, key) => self.set_key(pick, key),
            Operation::SetOwner(pick, owner) => self.set_owner(pick, owner),
            Operation::SetVelocity(pick, velocity) => self.set_velocity(pick, velocity),
            Operation::SetResting(pick, rests) => self.set_resting(pick, rests),
            Operation::Velocities(category, velocity) => self.write_velocities(category, velocity),
            Operation::Exclude(a, b) => self.exclude(a, b),
            Operation::Include(a, b) => self.include(a, b),
            Operation::Columns(category, shift) => self.write_columns(category, shift),
            Operation::Boxes(category, by, shift, half) => {
                self.write_boxes(category, by, shift, half);
            }
            Operation::Wander(category, step, steps) => self.wander(category, step, steps),
            Operation::ForgetHistory(category) => {
                let category = CategoryId::new(category as u16);
                self.world.forget_history(category).unwrap();
            }
            Operation::Clear => self.clear(),
            Operation::ClearCategory(category) => self.clear_category(category),
            Operation::ReloadScenery => self.reload_scenery(),
            Operation::AddScenery => self.add_scenery(),
            Operation::UnloadScenery(pick) => self.unload_scenery(pick),
            Operation::SortRows(category, by, threads) => {
                self.sort_rows(category, by, &Threads(threads));
            }
            Operation::Reconfigure(structure, rests) => self.reconfigure(structure, rests),
            Operation::Keep => self.keep(),
            Operation::GoBack => self.go_back(),
            Operation::Step => self.step(),
            Operation::Quiet(steps) => (0..steps).for_each(|_| self.step()),
            Operation::QuietForLong => {
                (0..STEPS_UNTIL_ALL_REST).for_each(|_| self.step());
                self.assert_all_rest();
            }
            Operation::Query(center, radius) => self.query(center, radius),
        }
    }

    /// A living proxy, its category and row; none if there is none.
    fn pick(&self, pick: usize) -> Option<(usize, usize)> {
        let len = self.world.len();
        let mut pick = pick.checked_rem(len)?;
        for (category, rows) in self.rows.iter().enumerate() {
            if pick < rows.len() {
                return Some((category, pick));
            }
            pick -= rows.len();
        }
        None
    }

    fn insert(
        &mut self,
        center: [f32; 2],
        half: f32,
        infinite: InfiniteSides,
        masks: Masks,
        named: Option<usize>,
        fixed: bool,
    ) {
        let (aabb, center) = described(center, half, infinite);
        let proxy = if fixed {
            Proxy::fixed(aabb)
        } else if infinite.any() {
            Proxy::moving(aabb)
        } else {
            Proxy::centered(center, [half; 2]).unwrap()
        };
        let mut proxy = proxy.masks(masks).key(9);
        if let Some(category) = named {
            proxy = proxy.in_category(CategoryId::new(category as u16));
        }
        let size = if infinite.any() { f32::INFINITY } else { half };
        let category = match named {
            Some(category) => (size <= BOUNDS[category]).then_some(category),
            None if fixed => Some(WALLS),
            None => BOUNDS.iter().position(|&bound| size <= bound),
        };
        let inserted = self.world.insert(proxy);
        assert_eq!(inserted.is_ok(), category.is_some());
        if let (Ok(id), Some(category)) = (inserted, category) {
            let named = named.is_some();
            self.rows[category].push(Known {
                id,
                category,
                center,
                half,
                infinite,
                masks,
                key: 9,
                owner: 0,
                velocity: [0.0; 2],
                enabled: true,
                named,
            });
        }
    }

    fn set_center(&mut self, pick: usize, center: [f32; 2]) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        self.world
            .set_center(self.rows[category][row].id, center)
            .unwrap();
        self.rows[category][row].center = center;
    }

    fn set_aabb(&mut self, pick: usize, center: [f32; 2], half: f32, infinite: InfiniteSides) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        let known = self.rows[category][row];
        let (aabb, center) = described(center, half, infinite);
        let changed = self.world.set_aabb(known.id, aabb);
        let Some(place) = place_again(&known, half, infinite) else {
            assert!(changed.is_err());
            return;
        };
        let known = Known {
            category: place,
            center,
            half,
            infinite,
            ..known
        };
        self.follow(category, row, known, changed.unwrap());
    }

    /// As a `set_aabb` of each.
    fn write_boxes(&mut self, category: usize, by: BoxesBy, shift: f32, half: f32) {
        let boxes = self.world.aabbs_mut(CategoryId::new(category as u16));
        if category == WALLS {
            assert!(matches!(boxes.err(), Some(ColumnError::Scenery { .. })));
            return;
        }
        let mut boxes = boxes.unwrap();
        let rows = &self.rows[category];
        let given = boxes_of_rows(rows, by, shift, half);
        let sides: Vec<_> = given.iter().map(|given| given.sides()).collect();
        let centers: Vec<_> = given.iter().map(|given| given.center).collect();
        let halves: Vec<_> = given.iter().map(|given| [given.half; 2]).collect();
        let along = |points: &[[f32; 2]], axis: usize| -> Vec<f32> {
            points.iter().map(|point| point[axis]).collect()
        };
        // Which box is for which row, in the order in which they count.
        let mut written: Vec<(Row, usize)> = (0..rows.len()).map(|n| (n as Row, n)).collect();
        let fill = match by {
            BoxesBy::Sides => boxes.fill_from(&sides),
            BoxesBy::Centers => boxes.fill_from_centers(&centers, &halves),
            BoxesBy::Columns => boxes.fill_from_columns(
                [&along(&centers, 0), &along(&centers, 1)],
                [&along(&halves, 0), &along(&halves, 1)],
            ),
            BoxesBy::Rows => {
                written.reverse();
                let again = (0..rows.len()).step_by(2);
                written.extend(again.map(|n| (n as Row, (n * 7 + 3) % rows.len())));
                let (rows, boxes_of_them): (Vec<_>, Vec<_>) =
                    written.iter().map(|&(row, n)| (row, sides[n])).unzip();
                boxes.set_rows(&rows, &boxes_of_them)
            }
            BoxesBy::Asked => {
                Ok(boxes.fill_with(|row| throng::Aabb::try_from(sides[row as usize])))
            }
            BoxesBy::RowsOfAll | BoxesBy::RowsAsked => {
                written.retain(|(row, _)| row % 3 != 1);
                let rows: Vec<_> = written.iter().map(|(row, _)| *row).collect();
                if by == BoxesBy::RowsOfAll {
                    boxes.set_rows_from(&rows, &sides)
                } else {
                    boxes.set_rows_with(&rows, |row| throng::Aabb::try_from(sides[row as usize]))
                }
            }
        };
        let fill = fill.unwrap();
        let (mut migrated, mut refused) = (fill.migrated.iter(), fill.refused.iter());
        let ids: Vec<ProxyId> = rows.iter().map(|known| known.id).collect();
        for (row, n) in written {
            let (given, id) = (given[n], ids[row as usize]);
            let (category, at) = self.find(id);
            let known = self.rows[category][at];
            let fits = place_again(&known, given.half, given.infinite);
            let Some(fits) = fits.filter(|_| !given.half.is_nan()) else {
                let (refused_row, problem) = refused.next().unwrap();
                assert_eq!(*refused_row, row);
                match problem {
                    ProxyError::BadAabb { id: bad, .. } => {
                        assert_eq!((*bad, given.half.is_nan()), (id, true));
                    }
                    ProxyError::Placement { id: large, .. } => {
                        assert_eq!((*large, given.half.is_nan()), (id, false));
                    }
                    other => panic!("{other}"),
                }
                continue;
            };
            let (_, center) = described(given.center, given.half, given.infinite);
            let known = Known {
                category: fits,
                center,
                half: given.half,
                infinite: given.infinite,
                ..known
            };
            let changed = if fits == category {
                Placement::Stayed
            } else {
                let migration = migrated.next().unwrap();
                assert_eq!(migration.id, id);
                Placement::Migrated(*migration)
            };
            self.follow(category, at, known, changed);
        }
        assert_eq!((migrated.next(), refused.next()), (None, None));
    }

    /// The category and the row of a living proxy.
    fn find(&self, id: ProxyId) -> (usize, usize) {
        let mut found = self.rows.iter().enumerate().filter_map(|(category, rows)| {
            let row = rows.iter().position(|known| known.id == id)?;
            Some((category, row))
        });
        found.next().unwrap()
    }

    fn set_category(&mut self, pick: usize, named: Option<usize>) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        let known = self.rows[category][row];
        // Of a coarse category no more is known than that it was no smaller than it is and no larger than the bound.
        let sizes = match (known.infinite.any(), EXACT[category]) {
            (true, _) => [f32::INFINITY; 2],
            (false, true) => [known.half; 2],
            (false, false) => [known.half, BOUNDS[category]],
        };
        let places = sizes.map(|size| match named {
            Some(named) => (size <= BOUNDS[named]).then_some(named),
            None if category == WALLS => Some(WALLS),
            None => BOUNDS.iter().position(|&bound| size <= bound),
        });
        let id = named.map(|named| CategoryId::new(named as u16));
        let changed = match self.world.set_category(known.id, id) {
            Ok(changed) => changed,
            Err(_) => return assert_eq!(places[1], None),
        };
        let place = match changed {
            Placement::Stayed => category,
            Placement::Migrated(migration) => migration.to.category.index(),
        };
        let [lowest, highest] = places.map(|place| place.unwrap_or(CATEGORIES));
        assert!(lowest <= place && place <= highest);
        let mut known = Known {
            category: place,
            named: named.is_some(),
            ..known
        };
        if EXACT[place] && !EXACT[category] {
            known.half = self.world.get(known.id).unwrap().half_extents[0];
            assert!(sizes[0] <= known.half && known.half <= sizes[1]);
        }
        if place == WALLS {
            known.velocity = [0.0; 2];
        }
        self.follow(category, row, known, changed);
    }

    /// Scenery has none.
    fn set_velocity(&mut self, pick: usize, velocity: [f32; 2]) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        let known = &mut self.rows[category][row];
        let set = self.world.set_velocity(known.id, velocity);
        if category == WALLS {
            assert_eq!(set, Err(ProxyError::NeverMoves { id: known.id }));
        } else {
            assert_eq!(set, Ok(()));
            known.velocity = velocity;
        }
    }

    /// Only what can rest is told to. Nobody rests before the next step.
    fn set_resting(&mut self, pick: usize, rests: bool) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        let id = self.rows[category][row].id;
        let can_rest = self.rests && RESTS[category] != Resting::Never;
        let told = self.world.set_resting(id, rests);
        if can_rest {
            assert_eq!(told, Ok(()));
        } else {
            assert!(
                matches!(told, Err(ProxyError::NeverRests { .. })),
                "{told:?}"
            );
        }
    }

    /// How many pairs of two that rest there were in all steps.
    pub fn rested(&self) -> u64 {
        self.rested
    }

    /// How many steps kept the order of the index while rows moved.
    pub fn refitted(&self) -> usize {
        self.refitted
    }

    /// Writes the velocities of a whole category. What is given to every fifth row is not finite, and refused.
    fn write_velocities(&mut self, category: usize, velocity: [f32; 2]) {
        let velocities = self.world.velocities_mut(CategoryId::new(category as u16));
        if category == WALLS {
            let refused = velocities.err();
            assert!(matches!(
                refused,
                Some(ColumnError::VelocityOfScenery { .. })
            ));
            return;
        }
        let rows = &mut self.rows[category];
        let xs = (0..rows.len()).map(|row| if row % 5 == 4 { f32::NAN } else { velocity[0] });
        let (xs, ys): (Vec<f32>, Vec<f32>) = (xs.collect(), vec![velocity[1]; rows.len()]);
        let fill = velocities.unwrap().fill_from(&xs, &ys).unwrap();
        assert_eq!(fill.rejected, rows.len() / 5);
        assert_eq!(fill.first_rejected, (rows.len() >= 5).then_some(4));
        let written = rows.iter_mut().zip(xs).filter(|(_, x)| !x.is_nan());
        written.for_each(|(known, _)| known.velocity = velocity);
    }

    /// Does to the rows what a call said that it did.
    fn follow(&mut self, category: usize, row: usize, known: Known, changed: Placement) {
        let place = known.category;
        match changed {
            Placement::Stayed => {
                assert_eq!(place, category);
                self.rows[category][row] = known;
            }
            Placement::Migrated(migration) => {
                assert_eq!(
                    (migration.from.category.index(), migration.from.row as usize),
                    (category, row)
                );
                self.swap_remove(category, row, migration.swapped_in);
                assert_eq!(
                    (migration.to.category.index(), migration.to.row as usize),
                    (place, self.rows[place].len())
                );
                self.rows[place].push(known);
            }
        }
    }

    fn swap_remove(&mut self, category: usize, row: usize, swapped_in: Option<ProxyId>) {
        self.rows[category].swap_remove(row);
        assert_eq!(
            swapped_in,
            self.rows[category].get(row).map(|known| known.id)
        );
    }

    fn remove(&mut self, pick: usize) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        let known = self.rows[category][row];
        let removed = self.world.remove(known.id).unwrap();
        assert_eq!(
            (removed.category.index(), removed.row as usize, removed.key),
            (category, row, known.key)
        );
        self.swap_remove(category, row, removed.swapped_in);
        self.removed.push(known.id);
        self.excluded.retain(|pair| !pair.contains(&known.id));
        assert!(self.world.remove(known.id).is_err());
    }

    fn set_enabled(&mut self, pick: usize, enabled: bool) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        self.world
            .set_enabled(self.rows[category][row].id, enabled)
            .unwrap();
        self.rows[category][row].enabled = enabled;
    }

    fn set_masks(&mut self, pick: usize, masks: Masks) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        self.world
            .set_masks(self.rows[category][row].id, masks)
            .unwrap();
        self.rows[category][row].masks = masks;
    }

    fn set_key(&mut self, pick: usize, key: u64) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        self.world
            .set_key(self.rows[category][row].id, key)
            .unwrap();
        self.rows[category][row].key = key;
    }

    fn set_owner(&mut self, pick: usize, owner: u64) {
        let Some((category, row)) = self.pick(pick) else {
            return;
        };
        self.world
            .set_owner(self.rows[category][row].id, owner)
            .unwrap();
        self.rows[category][row].owner = owner;
    }

    /// The ids of two living proxies, or of one twice.
    fn pick_two(&self, picks: [usize; 2]) -> Option<[ProxyId; 2]> {
        let [a, b] = picks.map(|pick| self.pick(pick));
        Some([a?, b?].map(|(category, row)| self.rows[category][row].id))
    }

    fn are_excluded(&self, [a, b]: [ProxyId; 2]) -> bool {
        self.excluded.contains(&[a, b]) || self.excluded.contains(&[b, a])
    }

    fn exclude(&mut self, a: usize, b: usize) {
        if let Some([a, b]) = self.pick_two([a, b]) {
            let is_new = a != b && !self.are_excluded([a, b]);
            assert_eq!(self.world.exclude_pair(a, b), Ok(is_new));
            if is_new {
                self.excluded.push([a, b]);
            }
        }
    }

    /// Those picked, or else whichever pair is there.
    fn include(&mut self, a: usize, b: usize) {
        let listed = self.excluded.get(a % self.excluded.len().max(1)).copied();
        let listed = listed.filter(|_| b.is_multiple_of(2));
        if let Some([a, b]) = listed.or_else(|| self.pick_two([a, b])) {
            let was_excluded = self.are_excluded([a, b]);
            assert_eq!(self.world.include_pair(b, a), Ok(was_excluded));
            self.excluded
                .retain(|&pair| pair != [a, b] && pair != [b, a]);
        }
    }

    /// Shifts a whole category to the right, but every fifth row to nowhere.
    fn write_columns(&mut self, category: usize, shift: f32) {
        if category == WALLS {
            let refused = self.world.centers_mut(CategoryId::new(WALLS as u16));
            assert!(matches!(refused.err(), Some(ColumnError::Scenery { .. })));
            return;
        }
        let rows = &mut self.rows[category];
        let xs = rows.iter().enumerate().map(|(row, known)| {
            if row % 5 == 4 {
                f32::NAN
            } else {
                known.center[0] + shift
            }
        });
        let (xs, ys): (Vec<f32>, Vec<f32>) =
            xs.zip(rows.iter().map(|known| known.center[1])).unzip();
        let mut centers = self
            .world
            .centers_mut(CategoryId::new(category as u16))
            .unwrap();
        assert_eq!(
            centers.fill_from(&xs, &ys).unwrap().rejected,
            xs.iter().filter(|x| x.is_nan()).count()
        );
        for (known, &x) in rows.iter_mut().zip(&xs) {
            known.center[0] = if x.is_nan() { known.center[0] } else { x };
        }
    }

    /// Each row goes its way, but for every fourth, which stays.
    fn wander(&mut self, category: usize, step: f32, steps: usize) {
        if category == WALLS {
            return;
        }
        for _ in 0..steps {
            let id = CategoryId::new(category as u16);
            let mut centers = self.world.centers_mut(id).unwrap();
            for (row, known) in (0..).zip(&mut self.rows[category]) {
                let last = [0.0, (steps % 2) as f32];
                let directions = [[1.0, 0.0], [0.0, -1.0], [-1.0, 1.0], last];
                let [dx, dy] = directions[(known.key as usize + row as usize) % 4];
                known.center[0] += step * dx;
                known.center[1] += step * dy;
                centers.set(row, known.center).unwrap();
            }
            drop(centers);
            self.step();
            let report = &self.world.report().categories[category];
            self.refitted += usize::from(report.refitted);
        }
    }

    /// Packs the scenery and loads it again: the same boxes in the same order, without what was disabled.
    fn reload_scenery(&mut self) {
        let walls = CategoryId::new(WALLS as u16);
        let packed = self.world.pack_scenery(walls).unwrap();
        let bytes = AlignedBytes::from(packed.as_bytes());
        let loaded = PackedQuadtree::from_bytes(SharedBytes::new(bytes)).unwrap();
        let id = self.world.load_scenery(walls, &loaded).unwrap();
        let before = self.take_rows(WALLS);
        self.push_loaded(&before, id);
        self.assert_all_awake();
        self.forget_unloaded();
        // What had gone elsewhere since the last step was found by the index that is no more.
        self.indexed.retain(|known| known.category != WALLS);
    }

    /// Unless something has gone elsewhere, nothing is left of what was loaded into scenery that is empty now.
    fn forget_unloaded(&mut self) {
        let gone = |id| {
            matches!(
                self.world.scenery_proxies(id),
                Err(SceneryError::Unloaded { .. })
            )
        };
        self.loaded.retain(|&id| !gone(id));
    }

    /// The rows that a tree of some rows brings.
    fn push_loaded(&mut self, packed: &[Known], id: SceneryId) {
        let ids = self.world.scenery_proxies(id).unwrap();
        let kept = packed.iter().filter(|known| known.enabled);
        assert_eq!(ids.len(), kept.clone().count());
        let named = kept.zip(ids).map(|(&known, &id)| Known {
            id,
            // All that is loaded is the box.
            center: described(known.center, known.half, known.infinite).1,
            masks: Masks::ALL,
            key: 0,
            owner: 0,
            velocity: [0.0; 2],
            named: false,
            ..known
        });
        self.rows[WALLS].extend(named);
        self.loaded.push(id);
    }

    /// Packs the scenery and loads it beside what is there.
    fn add_scenery(&mut self) {
        // Each doubles what is there.
        if self.rows[WALLS].len() > 200 {
            return;
        }
        let walls = CategoryId::new(WALLS as u16);
        let packed = self.world.pack_scenery(walls).unwrap();
        let id = self.world.add_scenery(walls, &packed).unwrap();
        self.push_loaded(&self.rows[WALLS].clone(), id);
    }

    /// As if its proxies were removed, the last first.
    fn unload_scenery(&mut self, pick: usize) {
        let Some(pick) = pick.checked_rem(self.loaded.len()) else {
            return;
        };
        let id = self.loaded.swap_remove(pick);
        let came = self.world.scenery_proxies(id).unwrap().to_vec();
        let mut left = 0;
        for &gone in came.iter().rev() {
            for rows in &mut self.rows {
                if let Some(row) = rows.iter().position(|known| known.id == gone) {
                    rows.swap_remove(row);
                    self.removed.push(gone);
                    left += 1;
                }
            }
        }
        self.excluded
            .retain(|pair| !pair.iter().any(|id| came.contains(id)));
        assert_eq!(self.world.unload_scenery(id), Ok(left));
        assert_eq!(
            self.world.unload_scenery(id),
            Err(SceneryError::Unloaded { id })
        );
    }

    /// The rows follow as the world says. By key they must be in order then, and equal keys are refused.
    fn sort_rows(&mut self, category: usize, by: SortBy, executor: &Threads) {
        let id = CategoryId::new(category as u16);
        let rows = &mut self.rows[category];
        if let SortBy::DifferentKeys = by {
            for (row, known) in rows.iter_mut().enumerate() {
                known.key = (row as u64 * 7919 + 13) % 1009;
                self.world.set_key(known.id, known.key).unwrap();
            }
        }
        let order = match by {
            SortBy::Space => RowOrder::Space,
            SortBy::KeysAsTheyAre | SortBy::DifferentKeys => RowOrder::Key,
        };
        let mut keys: Vec<u64> = rows.iter().map(|known| known.key).collect();
        match self.world.sort_rows_on(executor, id, order) {
            Ok(sorted) => {
                sorted.apply_in_place(rows).unwrap();
                let mut spare = vec![7; 3];
                sorted.apply_on(executor, &mut keys, &mut spare).unwrap();
                assert!(keys.iter().eq(rows.iter().map(|known| &known.key)));
                let world_keys = self.world.keys(id);
                assert!(world_keys.map_or(keys.iter().all(|&key| key == 0), |own| own == keys));
                assert!(order == RowOrder::Space || rows.is_sorted_by(|a, b| a.key < b.key));
                assert!(order == RowOrder::Key || rows.is_sorted_by_key(|known| !known.enabled));
                self.remember_indexed();
            }
            Err(SortRowsError::EqualKeys { key, ids }) => {
                let equal = rows.iter().filter(|known| known.key == key);
                let equal: Vec<ProxyId> = equal.map(|known| known.id).collect();
                assert_eq!(ids[..], equal[..2]);
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// All stay in their categories, whose names and bounds are as before. Who rested is awake, and queries see what is there.
    fn reconfigure(&mut self, structure: OversizedStructure, rests: bool) {
        let has_slots = self.world.config().pair_slots;
        let config = config(structure, rests, has_slots);
        let done = self.world.reconfigure(config).unwrap();
        assert_eq!((done.kept, done.rerouted), (self.world.len(), 0));
        self.rests = rests;
        for (category, rows) in self.rows.iter_mut().enumerate() {
            let ids = self.world.proxies(CategoryId::new(category as u16));
            let order: HashMap<ProxyId, usize> = ids.zip(0..).collect();
            rows.sort_unstable_by_key(|known| order[&known.id]);
        }
        self.assert_all_awake();
        self.remember_indexed();
    }

    /// But for scenery, which always rests.
    fn assert_all_awake(&self) {
        for known in self.rows.iter().flatten() {
            let is_wall = known.enabled && known.category == WALLS;
            assert_eq!(self.world.is_resting(known.id), Ok(is_wall));
        }
    }

    /// But for those that do only when they are told, and those that somebody who never rests may go on waking.
    fn assert_all_rest(&self) {
        for known in self.rows.iter().flatten().filter(|known| known.enabled) {
            let rests = matches!(RESTS[known.category], Resting::After(_));
            if self.rests && rests && known.category != WAKES_ON_CONTACT {
                let rests = self.world.is_resting(known.id);
                assert_eq!(rests, Ok(true), "{known:?} after a long time");
            }
        }
    }

    /// As if its proxies were removed.
    fn clear_category(&mut self, category: usize) {
        let gone = self.take_rows(category);
        let id = CategoryId::new(category as u16);
        assert_eq!(self.world.clear_category(id), Ok(gone.len()));
        assert_eq!(self.world.rows(id), 0);
        self.forget_unloaded();
    }

    /// The rows of a category, all of which are removed.
    fn take_rows(&mut self, category: usize) -> Vec<Known> {
        let gone = std::mem::take(&mut self.rows[category]);
        self.removed.extend(gone.iter().map(|known| known.id));
        let is_gone = |pair: &[ProxyId; 2]| gone.iter().any(|known| pair.contains(&known.id));
        self.excluded.retain(|pair| !is_gone(pair));
        gone
    }

    fn clear(&mut self) {
        self.world.clear();
        self.excluded.clear();
        self.removed
            .extend(self.rows.iter().flatten().map(|known| known.id));
        self.rows = Default::default();
        self.loaded.clear();
    }
}
