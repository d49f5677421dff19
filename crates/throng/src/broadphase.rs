//! The world: its parts, and everything that can be read from it.

use educe::Educe;
use throng_core::{Simd, Spare};

use crate::error::{ProxyError, StaleIndex, UnknownCategory};
use crate::frame::clock::Clock;
use crate::frame::events::Events;
use crate::frame::events::pair_slots::PairSlots;
use crate::frame::limit::PairLimit;
use crate::frame::outputs::StoredByType;
use crate::frame::plan::PlannedMeetings;
use crate::frame::report::Report;
use crate::frame::resting::Rest;
use crate::frame::search_arenas::SearchArenas;
use crate::frame::short_steps::ShortSteps;
use crate::world::category::Category;
use crate::world::config::BroadphaseConfig;
use crate::world::config_error::ConfigError;
use crate::world::exclusions::Exclusions;
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxyPool, ProxySlot, draw_world_tag};
use crate::world::loaded_scenery::LoadedSceneries;
use crate::world::meets::MeetingTable;
use crate::world::own_executor::OwnExecutor;
use crate::world::proxy::ProxyView;
use crate::world::routing::Router;
use crate::world::rows::RowRef;
use crate::write::command_queue::{CommandSender, Inbox};

/// A world of proxies in categories, and the pairs among them.
///
/// It stores each proxy's center, and its own size where the category is exact; keys, masks and velocities where given; the
/// index of the last step; and the pairs of that step, where they have [events](crate::CategoryConfig::events). It does not
/// store shapes. The caller must say where things are before each step.
///
/// All reads and queries take `&self` and may run from many threads at once; they see the index of
/// the last [`step`](Self::step) or [`refresh`](Self::refresh).
///
/// ```
/// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
///
/// let mut world = Broadphase::new(
///     BroadphaseConfig::new()
///         .category(CategoryConfig::uniform("pixies", 0.1))
///         .category(CategoryConfig::uniform("infantry", 1.0)),
/// )?;
/// let orc = world.insert(Proxy::moving(Aabb::new([0.0, 0.0], [2.0, 2.0])?).key(1))?;
/// let elf = world.insert(Proxy::moving(Aabb::new([5.0, 0.0], [7.0, 2.0])?).key(2))?;
/// assert_eq!(world.step_pairs().report().pairs, 0);
///
/// world.set_center(elf, [3.0, 1.0])?;
/// let step = world.step_pairs();
/// let pairs: Vec<_> = step.outputs().flat_map(|list| list.pairs()).collect();
/// assert_eq!(pairs, [&[0, 1]], "they touch, which counts");
/// # let _ = orc;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For what it leaves to the engine, such as joints, see [the front page](crate#what-it-does-not-do).
///
/// # Copies
///
/// A clone is the whole world as it is, with whatever has been written since the last step, at any time. From then on, both
/// find the same in the same order, as long as the same is done to both. That includes what begins and ends, slots, and who
/// rests. So to go back to an earlier frame, keep a clone of it. It does not contain the outputs of the last step
/// ([`last_outputs`](Self::last_outputs)), nor commands that are queued and [senders](Self::sender).
///
/// Ids given before the copy are good in both. An id given later is good only in the world that gave it: the other one may give
/// the same to something else, and cannot tell.
///
/// `clone_from` reuses the memory of the world that is written over, whatever config that had. It allocates nothing in a steady
/// state, but for a few small blocks where steps run now on one thread and now on several. It takes a third of the time of a
/// step with 1,000 proxies, and two thirds with 100,000; a fresh clone of a large world takes two to four times as long. O(the
/// most proxies that there have been + pairs with events + pairs that rest + excluded pairs). Packed scenery is shared, until
/// one of the two changes something in a packed tree and makes a copy of that.
///
/// The world that is written over keeps its own senders, and runs what they have queued in its next step. Call
/// [`ingest`](Self::ingest) before the copy if it is to be in there, or [`discard_commands`](Self::discard_commands) after
/// going back.
///
/// ```
/// # use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
/// # let units = CategoryConfig::uniform("units", 1.0).events();
/// # let mut world = Broadphase::new(BroadphaseConfig::new().category(units))?;
/// let elf = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?)?;
/// let orc = world.insert(Proxy::centered([1.5, 0.0], [1.0, 1.0])?)?;
/// world.step_pairs();
/// let earlier = world.clone();
///
/// world.remove(orc)?;
/// assert_eq!(world.step_pairs().ended().count(), 1);
///
/// world.clone_from(&earlier);
/// world.set_center(orc, [1.0, 0.0])?;
/// let step = world.step_pairs();
/// assert_eq!((step.report().pairs, step.report().began), (1, 0), "it goes on, as if nothing had happened");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias(
    "sensor", "trigger", "ccd", "sleep", "joint", "island", "world", "rollback", "snapshot"
))]
#[derive(Educe)]
#[educe(Clone)]
pub struct Broadphase {
    pub(crate) config: BroadphaseConfig,
    pub(crate) router: Router,
    pub(crate) meetings: MeetingTable,
    /// One per category of the config, in its order.
    pub(crate) categories: Vec<Category>,
    pub(crate) pool: ProxyPool,
    /// Scenery that came as a tree.
    pub(crate) loaded: LoadedSceneries,
    /// Pairs that never meet.
    pub(crate) exclusions: Exclusions,
    pub(crate) inbox: Inbox,
    /// Proxies for which a column write gave a center that is not finite, since the last ingest.
    pub(crate) misplaced: Vec<ProxyId>,
    pub(crate) planned: PlannedMeetings,
    /// Whether there has been a step or a refresh.
    pub(crate) has_index: bool,
    /// Whether every index was built to the end.
    pub(crate) is_index_whole: bool,
    pub(crate) arenas: Spare<SearchArenas>,
    pub(crate) stored: StoredByType,
    pub(crate) limit: Spare<PairLimit>,
    pub(crate) executor: OwnExecutor,
    pub(crate) short_steps: ShortSteps,
    pub(crate) events: Events,
    pub(crate) rest: Rest,
    pub(crate) report: Report,
    pub(crate) clock: Clock,
}

impl Broadphase {
    /// An empty world.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with every problem of the config, as [`BroadphaseConfig::validate`].
    pub fn new(config: BroadphaseConfig) -> Result<Self, ConfigError> {
        let mut categories = new_categories(&config)?;
        let meetings = MeetingTable::new(&config);
        let events = Events::new(&config, &meetings);
        events.follow(&mut categories);
        let tag = config.world_tag.unwrap_or_else(draw_world_tag);
        Ok(Self {
            categories,
            events,
            router: Router::new(&config),
            meetings,
            pool: ProxyPool::new().with_tag(tag),
            loaded: LoadedSceneries::new().with_tag(tag),
            config,
            exclusions: Exclusions::default(),
            inbox: Inbox::default(),
            misplaced: Vec::new(),
            planned: PlannedMeetings::default(),
            has_index: false,
            is_index_whole: true,
            arenas: Spare::default(),
            stored: StoredByType::default(),
            limit: Spare::default(),
            executor: OwnExecutor::default(),
            short_steps: ShortSteps::default(),
            rest: Rest::default(),
            report: Report::default(),
            clock: Clock::default(),
        })
    }

    /// The current config.
    pub fn config(&self) -> &BroadphaseConfig {
        &self.config
    }

    /// The number that is in every id of this world: that of its config, or else one that was drawn when it was made.
    pub fn world_tag(&self) -> u16 {
        self.pool.tag()
    }

    /// The category with a name. O(c) for c categories: look it up once and keep the id.
    pub fn category(&self, name: &str) -> Option<CategoryId> {
        let index = self
            .config
            .categories
            .iter()
            .position(|category| category.name == name)?;
        Some(CategoryId::from_index(index))
    }

    /// The name of a category, or `None` if this world does not have it.
    pub fn category_name(&self, category: CategoryId) -> Option<&str> {
        self.config
            .categories
            .get(category.index())
            .map(|category| category.name.as_str())
    }

    /// All categories, in the order of the config.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = CategoryId> + use<> {
        (0..self.categories.len()).map(CategoryId::from_index)
    }

    /// Whether proxies of the two categories can pair at all; false if this world lacks either.
    pub fn meets(&self, a: CategoryId, b: CategoryId) -> bool {
        let known = |category: CategoryId| category.index() < self.categories.len();
        known(a) && known(b) && self.meetings.meets(a, b)
    }

    /// How many proxies there are, including disabled ones.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    /// Whether there are no proxies.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// How many rows a category has; 0 if this world does not have the category.
    pub fn rows(&self, category: CategoryId) -> usize {
        self.category_of(category).map_or(0, Category::len)
    }

    /// The proxies of a category in row order, which is the order that an engine's own arrays must have. No ids if this
    /// world does not have the category.
    pub fn proxies(&self, category: CategoryId) -> impl Iterator<Item = ProxyId> {
        let category = self.category_of(category);
        let rows = 0..category.map_or(0, Category::len);
        category
            .into_iter()
            .flat_map(move |category| rows.clone().map(move |row| category.id_in_row(row)))
    }

    /// The proxy in a row, or `None` if there is no such row. O(1).
    pub fn proxy_at(&self, place: RowRef) -> Option<ProxyId> {
        let category = self.category_of(place.category)?;
        let row = place.row as usize;
        (row < category.len()).then(|| category.id_in_row(row))
    }

    /// The centers of a category, x and y in row order; empty if this world does not have it.
    pub fn centers(&self, category: CategoryId) -> [&[f32]; 2] {
        self.category_of(category)
            .map_or([&[]; 2], |category| category.columns.centers())
    }

    /// The velocities of a category in row order, zero where none was [set](Self::set_velocity); `None` while none are stored.
    pub fn velocities(&self, category: CategoryId) -> Option<&[[f32; 2]]> {
        self.category_of(category)?.columns.velocities.values()
    }

    /// The keys of a category in row order; `None` until one is set that is not 0, because until then none are stored, or if this world
    /// does not have the category.
    pub fn keys(&self, category: CategoryId) -> Option<&[u64]> {
        self.category_of(category)?.columns.keys.values()
    }

    /// Whether rows, masks or enabled flags have changed since the last step or refresh, or nothing was indexed yet. If so,
    /// [`plan`](Self::plan) is refused, and so are questions about neighbors in the categories that have changed.
    ///
    /// Proxies that moved inside their categories do not count: a plan is then for where they were.
    pub fn is_index_stale(&self) -> bool {
        !self.has_index || self.check_rows().is_err()
    }

    /// Whether the id is that of a living proxy of this world. O(1).
    #[inline]
    pub fn contains(&self, id: ProxyId) -> bool {
        self.pool.contains(id.0)
    }

    /// The category and row a proxy is in, or `None` if it was removed. O(1).
    #[inline]
    pub fn locate(&self, id: ProxyId) -> Option<RowRef> {
        let slot = self.pool.get(id.0)?;
        Some(RowRef {
            category: slot.category(),
            row: slot.row,
        })
    }

    /// The key of a proxy, 0 if it was given none, or `None` if it was removed. O(1).
    #[inline]
    pub fn key(&self, id: ProxyId) -> Option<u64> {
        let slot = self.pool.get(id.0)?;
        let columns = &self.categories[slot.category_index()].columns;
        Some(columns.key(slot.row_index()))
    }

    /// Everything known about a proxy, or `None` if it was removed. O(1).
    pub fn get(&self, id: ProxyId) -> Option<ProxyView> {
        let slot = self.pool.get(id.0)?;
        let (category, row) = (&self.categories[slot.category_index()], slot.row_index());
        Some(ProxyView {
            id,
            category: slot.category(),
            row: slot.row,
            center: category.columns.center(row),
            half_extents: category.half_extents(row, category.bound),
            aabb: category.aabb(row, category.bound),
            key: category.columns.key(row),
            masks: category.columns.masks(row),
            owner: category.columns.owners.get(row),
            velocity: category.columns.velocities.get(row),
            enabled: category.is_enabled(row),
            named: slot.origin == Origin::Named,
        })
    }

    /// A sender for another thread, to queue commands that run at the next step or refresh. See [`CommandSender`].
    pub fn sender(&self) -> CommandSender {
        self.inbox.sender()
    }

    /// What happened in the last step or refresh.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How long an array with an element for each pair slot has to be; 0 if [`pair_slots`](BroadphaseConfig::pair_slots) are off.
    /// It grows with the highest slot in use, and becomes less in two cases: to 0 with a step before which no pair had a slot; and
    /// in [`shrink_to_fit`](Self::shrink_to_fit), which takes back the last slots that are free. O(1).
    pub fn pair_slots_len(&self) -> usize {
        self.events.slots.as_ref().map_or(0, PairSlots::len)
    }

    /// Checks every invariant; of indices only if they were built to the end. O(proxies); for tests.
    ///
    /// # Errors
    ///
    /// What is broken, which would be a bug in this library.
    pub fn validate(&self) -> Result<(), String> {
        self.pool.validate()?;
        self.rest.pairs.validate()?;
        for (index, category) in self.categories.iter().enumerate() {
            let name = &self.config.categories[index].name;
            category
                .validate(index, &self.pool, self.is_index_whole)
                .map_err(|what| format!("category {name:?}: {what}"))?;
        }
        self.exclusions.validate(|slot| {
            let slot = self.pool.get_at(slot)?;
            let columns = &self.categories[slot.category_index()].columns;
            Some(columns.excluded.get(slot.row_index()))
        })?;
        let noted = self.categories.iter().map(|category| {
            let partners = category.columns.excluded.values().unwrap_or_default();
            partners
                .iter()
                .filter(|partners| !partners.are_none())
                .count()
        });
        let noted: usize = noted.sum();
        if noted != self.exclusions.proxies() {
            return Err(format!("{noted} rows have partners in excluded pairs"));
        }
        let rows: usize = self.categories.iter().map(Category::len).sum();
        if rows != self.pool.len() {
            return Err(format!("{rows} rows for {} proxies", self.pool.len()));
        }
        Ok(())
    }

    pub(crate) fn category_of(&self, category: CategoryId) -> Option<&Category> {
        self.categories.get(category.index())
    }

    pub(crate) fn known(&self, category: CategoryId) -> Result<CategoryId, UnknownCategory> {
        let categories = self.categories.len();
        if category.index() < categories {
            Ok(category)
        } else {
            Err(UnknownCategory {
                given: category,
                categories,
            })
        }
    }

    #[inline]
    pub(crate) fn slot(&self, id: ProxyId) -> Result<ProxySlot, ProxyError> {
        match self.pool.get(id.0) {
            Some(slot) => Ok(*slot),
            None => Err(self.not_here(id)),
        }
    }

    /// Why an id names nothing here.
    #[cold]
    pub(crate) fn not_here(&self, id: ProxyId) -> ProxyError {
        let own = self.world_tag();
        if id.world_tag() == own {
            ProxyError::Stale { id }
        } else {
            ProxyError::OtherWorld { id, own }
        }
    }

    /// Whether queries have an index to search, or nothing to search for.
    pub(crate) fn check_indexed(&self) -> Result<(), StaleIndex> {
        if !self.is_index_whole {
            Err(StaleIndex::Unfinished)
        } else if self.has_index || self.is_empty() {
            Ok(())
        } else {
            Err(StaleIndex::NeverIndexed)
        }
    }

    /// Whether all rows are those of the index.
    pub(crate) fn check_rows(&self) -> Result<(), StaleIndex> {
        self.check_rows_of(self.categories())
    }

    /// The same for some categories: others may have changed.
    pub(crate) fn check_rows_of(
        &self,
        categories: impl IntoIterator<Item = CategoryId>,
    ) -> Result<(), StaleIndex> {
        self.check_indexed()?;
        if self.has_index && self.have_changed(categories) {
            return Err(StaleIndex::RowsChanged);
        }
        Ok(())
    }

    /// Whether rows, masks or enabled flags of any of some categories are not those of the index.
    pub(crate) fn have_changed(&self, categories: impl IntoIterator<Item = CategoryId>) -> bool {
        let mut categories = categories.into_iter();
        categories.any(|id| self.categories[id.index()].has_changed)
    }

    /// To be called when rows, masks or enabled flags of a category change.
    pub(crate) fn note_changed(&mut self, category: usize) {
        self.categories[category].has_changed = true;
    }

    /// The instruction set that the config asks for, or the best there is.
    pub(crate) fn simd(&self) -> Simd {
        Simd::new(self.config.simd).expect("the config is checked")
    }
}

impl std::fmt::Debug for Broadphase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Short: `config` and `report` tell the rest.
        let rows: Vec<_> = (self.config.categories.iter().zip(&self.categories))
            .map(|(settings, category)| (&*settings.name, category.len()))
            .collect();
        f.debug_struct("Broadphase")
            .field("world_tag", &self.world_tag())
            .field("rows", &rows)
            .finish_non_exhaustive()
    }
}

/// Empty categories for a config, which is checked first.
pub(crate) fn new_categories(config: &BroadphaseConfig) -> Result<Vec<Category>, ConfigError> {
    config.validate()?;
    let categories = config.categories.iter().enumerate();
    Ok(categories
        .map(|(index, settings)| {
            Category::new(CategoryId::from_index(index), settings, config.simd)
        })
        .collect())
}
