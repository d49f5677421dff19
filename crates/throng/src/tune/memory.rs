//! Memory in bytes, by part.

use std::fmt;

use throng_core::{Column, Executor, Spare};

use crate::broadphase::Broadphase;
use crate::frame::outputs::StoredByType;
use crate::frame::plan::PlannedMeetings;
use crate::frame::resting::waking::RestUpdate;
use crate::world::category::Category;
use crate::world::loaded_scenery;

/// The parts of a world's memory, in bytes as allocated, including room to grow.
///
/// Outputs and scratch of narrowphases count as far as these say what they hold: by
/// [`ChunkOutput::held_bytes`](crate::ChunkOutput::held_bytes) and [`Narrowphase::scratch_bytes`](crate::Narrowphase::scratch_bytes).
/// Displays as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryReport {
    /// One entry per category, in the order of the config.
    pub categories: Vec<CategoryMemory>,
    /// Slots behind the ids: 12 bytes per proxy.
    pub slots: usize,
    /// The lists of proxies that came with each tree of scenery: 8 bytes per proxy.
    pub loaded: usize,
    /// Scratch memory of searches.
    pub arenas: usize,
    /// Queued commands while they are carried out, and their outcomes.
    pub commands: usize,
    /// What narrowphases have written, and their scratch, of every type that was used in the last 256 steps.
    pub outputs: usize,
    /// Excluded pairs, and masks as searches compare them.
    pub filters: usize,
    /// Where there are events: the pairs of the last two steps, which of them began and ended, and their slots.
    pub events: usize,
    /// The pairs of proxies that rest: about 56 bytes each, and 4 bytes per proxy; and who woke and came to rest with the last
    /// step: a bit per proxy, and 24 to 48 bytes for each that did.
    pub resting: usize,
}

/// The parts of a category's memory, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CategoryMemory {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// From rows to proxies: 8 bytes per row.
    pub slots: usize,
    /// Centers: 8 bytes per row.
    pub centers: usize,
    /// Own half extents: 8 bytes per row of an exact or oversized category, and of scenery once some of it is moved.
    pub half_extents: usize,
    /// Boxes as given: 16 bytes per row of scenery.
    pub boxes: usize,
    /// Which sides are infinite: 4 bytes per row once any is.
    pub infinite_sides: usize,
    /// Keys: 8 bytes per row once any is not 0.
    pub keys: usize,
    /// Masks: 2 bytes per row once any is not `Masks::ALL`, 32 if there are more than 65,536 different ones.
    pub masks: usize,
    /// Owners: 8 bytes per row once any is not 0.
    pub owners: usize,
    /// With whom rows are in excluded pairs: 16 bytes per row once any is.
    pub excluded: usize,
    /// Which rows are disabled: a bit per row once any is.
    pub disabled: usize,
    /// The index. For an oversized category this includes each row's four sides, 16 bytes, beside the structure; for
    /// scenery it is the trees, whose bytes other worlds may share, and what has changed since. For a category that rests it
    /// is the index of those that rest as well, and one of all rows if neighbors or pairs within a distance were asked for.
    pub index: usize,
    /// Velocities: 8 bytes per row once any is not 0.
    pub velocities: usize,
    /// What pairs are predicted with: 8 to 32 bytes a row of a uniform category whose rows look ahead no farther than about their own size;
    /// 8 or 16 in those that meet it, or of which a sixteenth or more look farther; and about 100 for each row that looks farther, or
    /// looks ahead in an oversized category.
    pub swept: usize,
    /// Where rows went that have moved in memory since the index was built.
    pub journal: usize,
    /// The boxes of its rows as of the last step, and who was in rows that have changed since, where there are events: 16
    /// bytes per row if all are of one size, otherwise 32; 16 for scenery.
    pub then: usize,
    /// Where rows rest, how long each has not moved, and where it was in the last index: 9 bytes per row, and up to two bits; and
    /// lists of those that are awake.
    pub stillness: usize,
    /// The measurements behind [`Report::advice`](crate::Report::advice): a few hundred bytes, however many rows there
    /// are.
    pub tuning: usize,
}

impl MemoryReport {
    /// All of it together.
    pub fn total(&self) -> usize {
        let categories: usize = self.categories.iter().map(CategoryMemory::total).sum();
        categories
            + self.slots
            + self.loaded
            + self.arenas
            + self.commands
            + self.outputs
            + self.filters
            + self.events
            + self.resting
    }
}

impl CategoryMemory {
    /// All of the category's memory together.
    pub fn total(&self) -> usize {
        let Self {
            slots,
            centers,
            half_extents,
            boxes,
            infinite_sides,
            keys,
            masks,
            owners,
            excluded,
            disabled,
            index,
            velocities,
            swept,
            journal,
            then,
            stillness,
            tuning,
            ..
        } = self;
        slots
            + centers
            + half_extents
            + boxes
            + keys
            + masks
            + owners
            + excluded
            + disabled
            + infinite_sides
            + index
            + velocities
            + swept
            + journal
            + then
            + stillness
            + tuning
    }

    fn of(category: &Category, name: String) -> Self {
        let columns = &category.columns;
        Self {
            name,
            rows: category.len(),
            slots: columns.ids.memory_bytes(),
            centers: columns.xs.memory_bytes() + columns.ys.memory_bytes(),
            half_extents: columns.half_extents.memory_bytes(),
            boxes: columns.boxes.memory_bytes(),
            infinite_sides: columns.infinite.memory_bytes(),
            keys: columns.keys.memory_bytes(),
            masks: columns.masks.memory_bytes(),
            owners: columns.owners.memory_bytes(),
            excluded: columns.excluded.memory_bytes(),
            disabled: category.disabled_bytes(),
            index: category.index_bytes(),
            velocities: columns.velocities.memory_bytes(),
            swept: category
                .swept
                .as_ref()
                .map_or(0, |swept| swept.memory_bytes()),
            journal: category.journal.memory_bytes(),
            then: category.then.as_ref().map_or(0, |then| then.memory_bytes()),
            stillness: category.stillness_bytes(),
            tuning: category.tuning_bytes(),
        }
    }
}

impl Broadphase {
    /// The parts of the world's memory. O(categories).
    pub fn memory(&self) -> MemoryReport {
        let names = self
            .config
            .categories
            .iter()
            .map(|category| category.name.clone());
        let categories = self
            .categories
            .iter()
            .zip(names)
            .map(|(category, name)| CategoryMemory::of(category, name));
        MemoryReport {
            categories: categories.collect(),
            ..self.shared_memory()
        }
    }

    /// Frees memory of proxies that are gone, and all outputs of narrowphases, and takes back the last slots of pairs, as far as
    /// they are free. Nothing does this by itself for proxies, because as many may come again; what outputs, events and pairs that
    /// rest take is let go when they have needed far less for a few hundred steps. Every index is rebuilt, as in a refresh, and
    /// takes what it needs. O(proxies + slots of pairs).
    pub fn shrink_to_fit(&mut self) {
        self.shrink_to_fit_on(&*self.step_executor());
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit) on an executor of the caller's choice.
    pub fn shrink_to_fit_on(&mut self, executor: &dyn Executor) {
        self.ingest();
        self.update_rest(RestUpdate::Refresh);
        for (category, settings) in self.categories.iter_mut().zip(&self.config.categories) {
            category.shrink_to_fit(settings, self.config.simd);
        }
        self.arenas = Spare::default();
        self.planned = PlannedMeetings::default();
        self.exclusions.shrink_to_fit();
        self.stored = StoredByType::default();
        self.events.shrink_to_fit();
        self.rest.shrink_to_fit();
        self.index_and_plan(executor);
        self.count_index();
    }

    /// The total of [`memory`](Self::memory), without allocating.
    pub(crate) fn memory_bytes(&self) -> usize {
        let category = |category| CategoryMemory::of(category, String::new()).total();
        self.shared_memory().total() + self.categories.iter().map(category).sum::<usize>()
    }

    fn shared_memory(&self) -> MemoryReport {
        MemoryReport {
            categories: Vec::new(),
            slots: self.pool.memory_bytes(),
            loaded: loaded_scenery::memory_bytes(&self.loaded),
            arenas: self.arenas.memory_bytes(),
            commands: self.inbox.memory_bytes(),
            outputs: self.stored.held_bytes() + self.limit.memory_bytes(),
            filters: self.exclusions.memory_bytes() + self.planned.memory_bytes(),
            events: self.events.memory_bytes(),
            resting: self.rest.memory_bytes(),
        }
    }
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for category in &self.categories {
            let CategoryMemory {
                name,
                rows,
                slots,
                centers,
                half_extents,
                boxes,
                infinite_sides,
                keys,
                masks,
                owners,
                excluded,
                disabled,
                index,
                velocities,
                swept,
                journal,
                then,
                stillness,
                tuning,
            } = category;
            let total = category.total();
            let per_row = total as f64 / (*rows).max(1) as f64;
            writeln!(
                f,
                "{name}: {total} bytes, {per_row:.1} for each of {rows} rows"
            )?;
            writeln!(
                f,
                "  slots {slots}, centers {centers}, half extents {half_extents}, boxes {boxes}, keys {keys}, masks {masks}, owners \
                 {owners}, excluded {excluded}, disabled {disabled}, infinite sides {infinite_sides}, index {index}, velocities {velocities}, swept {swept}, journal {journal}, then {then}, stillness \
                 {stillness}, tuning {tuning}"
            )?;
        }
        let Self {
            slots,
            loaded,
            arenas,
            commands,
            outputs,
            filters,
            events,
            resting,
            ..
        } = self;
        writeln!(
            f,
            "shared: slots {slots}, loaded scenery {loaded}, arenas {arenas}, commands {commands}, outputs {outputs}, filters {filters}, events {events}, \
             resting {resting}"
        )?;
        write!(f, "total: {} bytes", self.total())
    }
}
