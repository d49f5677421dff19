//! What a world consists of: plain data, validated once, with every problem reported.

use educe::Educe;
use throng_core::SimdLevel;
use throng_loose::{DoubleGridConfig, LooseQuadtreeConfig, StripsConfig};

#[cfg(feature = "serde")]
use crate::world::config_file;
use crate::world::resting::Resting;

/// To move back to a smaller category, a proxy that has grown must shrink to this fraction of that category's bound.
const MIGRATE_BACK: f32 = 0.8;

/// Everything that [`Broadphase::new`](crate::Broadphase::new) needs to know: which categories there are, and how big
/// things are in each.
///
/// Lengths are in the engine's own unit. The order of the categories is the order of their
/// [`CategoryId`](crate::CategoryId)s, and of the batches in a step.
///
/// ```
/// use throng::{BroadphaseConfig, CategoryConfig};
///
/// let config = BroadphaseConfig::new()
///     .category(CategoryConfig::uniform("pixies", 0.1).meets(["infantry"]))
///     .category(CategoryConfig::uniform("infantry", 1.0).coarse())
///     .category(CategoryConfig::oversized("dragons"))
///     .category(CategoryConfig::scenery("castles"));
/// assert!(config.validate().is_ok());
/// ```
///
/// With the `serde` feature the same config is a file:
///
/// ```toml
/// migrate_back = 0.8
///
/// [[categories]]
/// name = "pixies"
/// half_extents = 0.1
/// meets = ["infantry"]
///
/// [[categories]]
/// name = "infantry"
/// kind = "uniform"
/// half_extents = [1.0, 0.5]
/// pairs = "coarse"
///
/// [[categories]]
/// name = "dragons"
/// kind = "oversized"
/// structure = { kind = "double_grid", loose_cell = 40.0 }
///
/// [[categories]]
/// name = "castles"
/// kind = "scenery"
/// ```
#[derive(Debug, PartialEq, Educe)]
#[educe(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[non_exhaustive]
#[must_use = "a config does nothing until a world is made of it"]
pub struct BroadphaseConfig {
    /// A proxy routed by size moves back to a smaller category only once its half extents are at most this fraction of
    /// that category's bound, so that a proxy whose size varies a little does not migrate every frame. In `(0, 1]`.
    pub migrate_back: f32,
    /// The instruction set of the kernels; `None` takes the best one this machine has. Pairs and their order are the
    /// same with any.
    #[cfg_attr(
        feature = "serde",
        serde(
            with = "config_file::simd_name",
            skip_serializing_if = "Option::is_none"
        )
    )]
    pub simd: Option<SimdLevel>,
    /// The most pairs of one step; `None` for any number. A step with more keeps its chunks in order for as long as their pairs
    /// together stay within the limit, drops all later ones with their outputs, and says so in the report
    /// ([`Report::cut`](crate::Report::cut)). So ten thousand things on one spot, which are fifty million pairs, do not take
    /// the machine's memory: at most this many pairs for each worker.
    ///
    /// A safeguard, not a way to play on: chunks come meeting by meeting, in the order of categories, and so a crowd of the
    /// first category can drop the pairs of all others. The same pairs are left on any number of threads, though the narrowphase
    /// may have been called with some that are not. A step that was cut lets nobody come to rest in the one after
    /// it. It gives back the memory of chunks that had too many pairs; so if every step is cut, every step allocates.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub max_pairs: Option<u64>,
    /// Whether each pair with [events](CategoryConfig::events) has a slot: a number that stays the pair's as long as it lasts,
    /// low enough to be the index of a `Vec`. See [`PairBatch::slot`](crate::PairBatch::slot). If slots are turned on by
    /// [`reconfigure`](crate::Broadphase::reconfigure), pairs that go on get theirs without an event: size and clear what is kept by
    /// slot, as [`Broadphase::pair_slots_len`](crate::Broadphase::pair_slots_len) says, right after it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub pair_slots: bool,
    /// A number from 0 to [`MAX_WORLD_TAG`](crate::MAX_WORLD_TAG) that is part of every id of the world, so that a
    /// world refuses ids of another one instead of moving whatever has the same place in it. `None` draws one: 1 for
    /// the first world of the process, then 2, and so on, and from 1 again after the highest.
    ///
    /// Two runs that make their worlds in the same order have the same ids. Set it where that order may differ, as
    /// among lockstep peers, or if ids are stored in a file; and to a different number for each world that lives at the
    /// same time. A [copy](crate::Broadphase#copies) has the number of its world, and takes its ids.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub world_tag: Option<u16>,
    /// The parts of the world, in the order of their ids.
    pub categories: Vec<CategoryConfig>,
}

impl Default for BroadphaseConfig {
    fn default() -> Self {
        Self {
            migrate_back: MIGRATE_BACK,
            simd: None,
            max_pairs: None,
            pair_slots: false,
            world_tag: None,
            categories: Vec::new(),
        }
    }
}

impl BroadphaseConfig {
    /// A config without categories; at least one must be added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a category after those already there.
    pub fn category(mut self, category: CategoryConfig) -> Self {
        self.categories.push(category);
        self
    }

    /// Sets [`max_pairs`](Self::max_pairs).
    pub fn max_pairs(mut self, pairs: u64) -> Self {
        self.max_pairs = Some(pairs);
        self
    }

    /// Sets [`pair_slots`](Self::pair_slots).
    pub fn pair_slots(mut self, on: bool) -> Self {
        self.pair_slots = on;
        self
    }

    /// Sets [`migrate_back`](Self::migrate_back).
    pub fn migrate_back(mut self, fraction: f32) -> Self {
        self.migrate_back = fraction;
        self
    }

    /// Sets [`world_tag`](Self::world_tag).
    pub fn world_tag(mut self, tag: u16) -> Self {
        self.world_tag = Some(tag);
        self
    }

    /// Sets [`simd`](Self::simd).
    pub fn simd(mut self, level: SimdLevel) -> Self {
        self.simd = Some(level);
        self
    }
}

/// One part of the world: things that behave alike.
#[derive(Debug, PartialEq, Educe)]
#[educe(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
#[must_use = "a category does nothing until it is in a config"]
pub struct CategoryConfig {
    /// The engine's name for it; unique and not empty.
    pub name: String,
    /// Which structure holds it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub kind: CategoryKind,
    /// The bound: the half extents of a proxy of this category are at most this, per axis. For a circle, this is its
    /// radius.
    ///
    /// A uniform category must have a bound. The tighter it is, the fewer pairs the narrowphase has to reject.
    /// Oversized categories and scenery need none: the default is infinite and allows boxes of any size, including
    /// those with infinite sides.
    #[cfg_attr(
        feature = "serde",
        serde(
            default = "config_file::unbounded",
            skip_serializing_if = "config_file::is_unbounded",
            deserialize_with = "config_file::bound_of_file"
        )
    )]
    pub half_extents: [f32; 2],
    /// The structure of an oversized category. On any other kind, one that is not the default is
    /// [refused](crate::ConfigProblem::NeedlessStructure).
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "OversizedStructure::is_default")
    )]
    pub structure: OversizedStructure,
    /// By which boxes pairs are found. Oversized categories and scenery are always exact.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pairs: PairMode,
    /// The names of the categories it meets, including its own if it meets itself; `None` means all.
    ///
    /// Two categories meet unless one of their lists leaves the other out. Meeting has no direction, so it is enough to say
    /// it on one side:
    ///
    /// | A's list | B's list | A and B |
    /// |---|---|---|
    /// | none | none | meet |
    /// | names B | none, or names A | meet |
    /// | leaves B out | none, or leaves A out | do not meet |
    /// | names B | leaves A out | [`OneSidedMeeting`](crate::ConfigProblem::OneSidedMeeting): the config is refused |
    ///
    /// Scenery never meets scenery.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub meets: Option<Vec<String>>,
    /// With which categories its pairs have events: [`Step::began`](crate::Step::began) and [`Step::ended`](crate::Step::ended)
    /// tell when they begin and end. A meeting has events if either of the two categories asks for them. In a file `true`,
    /// `false`, or a list of names.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "EventsWith::is_off")
    )]
    pub events: EventsWith,
    /// Whether its pairs come only as [events](Self::events), and the narrowphase sees none of them.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub sensor: bool,
    /// When its proxies come to rest. In a file a number of steps, `"when_told"`, or `false`. Scenery always rests.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Resting::is_never")
    )]
    pub rests: Resting,
    /// Whether those that rest wake where something that moves touches them.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "std::ops::Not::not")
    )]
    pub wakes_on_contact: bool,
    /// How much larger its boxes count, on every side, when [predicted pairs](crate::PairBatch::is_predicted) are looked for.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "config_file::is_zero")
    )]
    pub margin: f32,
}

impl CategoryConfig {
    /// Things that move, all of about one size, none with a half extent above `half_extent` on either axis.
    ///
    /// Each proxy counts as its own box. As long as all are as large as the bound, no sizes are stored; see
    /// [`PairMode`].
    pub fn uniform(name: impl Into<String>, half_extent: f32) -> Self {
        Self {
            kind: CategoryKind::Uniform,
            half_extents: [half_extent; 2],
            ..Self::oversized(name)
        }
    }

    /// Things that move and may have any size: what fits no uniform category is routed here.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("infantry", 1.0))
    ///         .category(CategoryConfig::oversized("dragons")),
    /// )?;
    /// world.insert(Proxy::centered([3.0, 3.0], [1.0, 1.0])?)?;
    /// world.insert(Proxy::centered([0.0, 0.0], [40.0, 25.0])?)?;
    /// // Everything below the ground, for ever.
    /// world.insert(Proxy::moving(Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY, 2.0])?))?;
    /// assert_eq!(world.step_pairs().report().pairs, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn oversized(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: CategoryKind::Oversized,
            half_extents: [f32::INFINITY; 2],
            structure: OversizedStructure::default(),
            pairs: PairMode::Exact,
            meets: None,
            events: EventsWith::Nobody,
            sensor: false,
            rests: Resting::Never,
            wakes_on_contact: false,
            margin: 0.0,
        }
    }

    /// Things that never move: castles, walls, boulders, of any size. [`Proxy::fixed`](crate::Proxy::fixed) goes here.
    ///
    /// They are packed into a tree once, and the tree is kept. What is inserted, removed, moved, enabled or disabled later costs
    /// a microsecond or a few each in the next step, however much there is: walls may break and doors open. If more than one in
    /// four change, all are packed again. Pieces of a level are [added](crate::Broadphase::add_scenery) and
    /// [unloaded](crate::Broadphase::unload_scenery) as trees. Scenery meets what moves, and never scenery.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("infantry", 1.0))
    ///         .category(CategoryConfig::scenery("castles")),
    /// )?;
    /// world.insert(Proxy::fixed(Aabb::new([0.0, 0.0], [50.0, 2.0])?))?;
    /// world.insert(Proxy::fixed(Aabb::new([0.0, 0.0], [2.0, 50.0])?))?;
    /// let scout = world.insert(Proxy::centered([10.0, 2.5], [1.0, 1.0])?)?;
    /// assert_eq!(world.step_pairs().report().pairs, 1, "walls do not meet each other");
    ///
    /// world.set_center(scout, [2.5, 2.5])?;
    /// let step = world.step_pairs();
    /// assert_eq!((step.report().pairs, step.report().scenery_packed), (2, 0), "nothing was packed again");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scenery(name: impl Into<String>) -> Self {
        Self {
            kind: CategoryKind::Scenery,
            ..Self::oversized(name)
        }
    }

    /// Chooses the structure of an oversized category.
    pub fn structure(mut self, structure: impl Into<OversizedStructure>) -> Self {
        self.structure = structure.into();
        self
    }

    /// Sets the bound per axis.
    pub fn half_extents(mut self, half_extents: [f32; 2]) -> Self {
        self.half_extents = half_extents;
        self
    }

    /// Counts everything in it as a box with the bound, and stores no sizes. For uniform categories whose narrowphase tests real
    /// shapes anyway; queries, too, then go by such boxes.
    pub fn coarse(mut self) -> Self {
        self.pairs = PairMode::Coarse;
        self
    }

    /// Meets only the named categories; include its own name if it meets itself. If the other one has a list as well, each has to
    /// name the other.
    #[doc(alias("layer", "group", "collision_matrix"))]
    pub fn meets<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.meets = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Meets no category, not even itself; queries still find its proxies.
    pub fn meets_nothing(self) -> Self {
        self.meets(std::iter::empty::<String>())
    }

    /// Asks for the begin and the end of all its pairs; it is enough if one of two categories asks.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("heroes", 1.0))
    ///         .category(CategoryConfig::scenery("traps").events()),
    /// )?;
    /// let hero = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?.key(1))?;
    /// world.insert(Proxy::fixed(Aabb::new([3.0, -1.0], [5.0, 1.0])?).key(2))?;
    /// assert_eq!(world.step_pairs().began().count(), 0);
    ///
    /// world.set_center(hero, [4.0, 0.0])?;
    /// assert!(world.step_pairs().began().map(|event| event.keys).eq([[1, 2]]));
    /// assert_eq!(world.step_pairs().began().count(), 0, "it goes on");
    ///
    /// world.remove(hero)?;
    /// let step = world.step_pairs();
    /// let ended: Vec<_> = step.ended().map(|event| event.ids[0]).collect();
    /// assert_eq!(ended, [hero], "whatever the reason");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("begin", "end", "enter", "exit", "collision_events"))]
    pub fn events(mut self) -> Self {
        self.events = EventsWith::Everybody;
        self
    }

    /// Asks for the begin and the end of its pairs with the named categories; include its own name for pairs within this category.
    pub fn events_with<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.events = EventsWith::These(names.into_iter().map(Into::into).collect());
        self
    }

    /// Lets a proxy rest that has not moved for so many steps: that was not written, or was written to where it is.
    ///
    /// Pairs of two that rest are no longer handed to the narrowphase; they are in
    /// [`Broadphase::resting_pairs`](crate::Broadphase::resting_pairs) instead, until one of the two wakes. Scenery counts as
    /// resting. Whatever else changes a proxy wakes it: a write that moves it, a new size, masks, owner or excluded pair,
    /// another category, being enabled, or being [told](crate::Broadphase::set_resting).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let boxes = CategoryConfig::uniform("boxes", 1.0).rests_after(2);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(boxes))?;
    /// world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?)?;
    /// let above = world.insert(Proxy::centered([0.0, 1.5], [1.0, 1.0])?)?;
    ///
    /// // They are new, and then do not move for two steps.
    /// assert_eq!([0; 3].map(|_| world.step_pairs().report().pairs), [1; 3]);
    /// let step = world.step_pairs();
    /// assert_eq!((step.report().pairs, step.resting_pairs().len()), (0, 1));
    ///
    /// world.set_center(above, [0.0, 1.6])?;
    /// let step = world.step_pairs();
    /// assert_eq!((step.report().pairs, step.resting_pairs().len()), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("sleep", "sleeping", "deactivation", "island"))]
    pub fn rests_after(mut self, steps: u32) -> Self {
        self.rests = Resting::After(steps);
        self
    }

    /// Makes its proxies sensors: areas that are entered and left. Their pairs come only as [`events`](Self::events), which this
    /// turns on. They are not handed to the narrowphase, are not among the pairs of a step, and wake nobody.
    ///
    /// A sensor may be of any kind: scenery for traps that never move, uniform for what each unit can see. Two
    /// sensors meet as any categories do, unless [`meets`](Self::meets) says otherwise, and queries find sensors like all else.
    /// [Name](crate::Proxy::in_category) the category of a sensor: no proxy comes into it because of its size, unless there is no
    /// other category for what moves, or for what does not.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("players", 1.0))
    ///     .category(CategoryConfig::scenery("traps").sensor());
    /// let mut world = Broadphase::new(config)?;
    /// let player = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?)?;
    /// let trap = world.insert(Proxy::fixed(Aabb::new([3.0, -1.0], [5.0, 1.0])?))?;
    /// world.step_pairs();
    /// world.set_center(player, [3.5, 0.0])?;
    /// let step = world.step_pairs();
    /// assert!(step.began().map(|event| event.ids).eq([[player, trap]]));
    /// assert_eq!((step.pairs().count(), step.report().sensor_pairs), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("trigger", "is_trigger", "area"))]
    pub fn sensor(mut self) -> Self {
        self.sensor = true;
        // Events with some only are a mistake, which the check of the config tells of.
        match self.events {
            EventsWith::Nobody => self.events(),
            _ => self,
        }
    }

    /// Lets proxies rest when [told](crate::Broadphase::set_resting), and only then. Otherwise as
    /// [`rests_after`](Self::rests_after).
    pub fn rests_when_told(mut self) -> Self {
        self.rests = Resting::WhenTold;
        self
    }

    /// Wakes whoever rests and is touched by something that moves: in the step after the one in which they are a pair. The other
    /// may be of any category that meets this one; in one that never rests, everybody counts as moving, but for scenery.
    ///
    /// Who wakes has not moved, and so wakes nobody else before it does; it rests again once it has not moved, nor been
    /// touched, for long enough; or once it is told again, if it rests [when told](Self::rests_when_told). No event says who wakes:
    /// [`woken`](crate::Broadphase::woken) lists them, in the step after the touch. Without this, waking is left to the engine, which knows
    /// whether a touch moves anything.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let crates = CategoryConfig::uniform("crates", 1.0).rests_after(1).wakes_on_contact();
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(crates))?;
    /// let standing = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?)?;
    /// let thrown = world.insert(Proxy::centered([9.0, 0.0], [1.0, 1.0])?)?;
    /// (0..3).for_each(|_| drop(world.step_pairs()));
    /// assert!(world.is_resting(standing)?);
    ///
    /// world.set_center(thrown, [1.5, 0.0])?;
    /// world.step_pairs();
    /// world.step_pairs();
    /// assert!(!world.is_resting(standing)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wakes_on_contact(mut self) -> Self {
        self.wakes_on_contact = true;
        self
    }

    /// Lets its boxes count as larger by this length on every side when pairs are looked for ahead of time: for engines that take
    /// several small steps between two searches, or want contacts before they happen. Pairs that do not overlap, but would with their
    /// margins, come after all others, in batches that [say so](crate::PairBatch::is_predicted). Events, rest and queries know
    /// boxes without margins. 0 by default, which costs nothing.
    ///
    /// Two of a category with a margin are a pair if the gap between them is no more than twice that; one of them and a wall, once.
    /// Those that rest have none. [`set_velocity`](crate::Broadphase::set_velocity) looks ahead along the way of each.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let pucks = CategoryConfig::uniform("pucks", 1.0).margin(0.25);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(pucks))?;
    /// for x in [0.0, 2.5, 5.2] {
    ///     world.insert(Proxy::centered([x, 0.0], [1.0, 1.0])?)?;
    /// }
    /// let step = world.step_pairs();
    /// assert!(step.predicted_pairs().map(|pair| pair.map(|row| row.row)).eq([[0, 1]]));
    /// assert_eq!((step.report().pairs, step.report().predicted_pairs), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("speculative", "prediction", "contact_skin", "fat"))]
    pub fn margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }
}

/// For which of its pairs a category asks for events.
#[derive(Debug, Default, PartialEq, Eq, Educe)]
#[educe(Clone)]
#[non_exhaustive]
pub enum EventsWith {
    /// For none; a category that it meets may still ask.
    #[default]
    Nobody,
    /// For pairs with any category that it meets, itself included.
    Everybody,
    /// For pairs with the named categories.
    These(Vec<String>),
}

impl EventsWith {
    /// The names in its list, if it has one.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::Nobody | Self::Everybody => &[],
            Self::These(names) => names,
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        match self {
            Self::Nobody => true,
            Self::Everybody => false,
            Self::These(names) => names.is_empty(),
        }
    }
}

/// Which kind of index a category has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CategoryKind {
    /// A grid of points with one upper bound for their size, brought up to date in every step.
    #[default]
    Uniform,
    /// Boxes of any size that move, in the structure that the category chooses.
    Oversized,
    /// Boxes of any size that never move, in a packed quadtree.
    Scenery,
}

/// How the boxes of an oversized category are stored. All structures give the same pairs; they differ in cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        tag = "kind",
        rename_all = "snake_case",
        expecting = "a table such as { kind = \"strips\" }, of kind \"strips\", \"double_grid\" or \"quadtree\""
    )
)]
#[non_exhaustive]
pub enum OversizedStructure {
    /// Rows of boxes, each sorted along x; rebuilt every step. The fastest where many boxes move.
    Strips(StripsConfig),
    /// A grid of loose cells under a grid of tight ones; only what changed is updated.
    DoubleGrid(DoubleGridConfig),
    /// A quadtree of loose nodes; only what changed is updated, and it adapts to any density.
    Quadtree(LooseQuadtreeConfig),
}

impl OversizedStructure {
    #[cfg(feature = "serde")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for OversizedStructure {
    fn default() -> Self {
        Self::Strips(StripsConfig::default())
    }
}

impl From<StripsConfig> for OversizedStructure {
    fn from(config: StripsConfig) -> Self {
        Self::Strips(config)
    }
}

impl From<DoubleGridConfig> for OversizedStructure {
    fn from(config: DoubleGridConfig) -> Self {
        Self::DoubleGrid(config)
    }
}

impl From<LooseQuadtreeConfig> for OversizedStructure {
    fn from(config: LooseQuadtreeConfig) -> Self {
        Self::Quadtree(config)
    }
}

/// By which boxes the pairs of a category are found. In a meeting of two categories, each proxy counts as its
/// own category says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum PairMode {
    /// Every proxy counts as its own box. In a meeting with a coarse category, that one's rows still count as boxes
    /// with its bound.
    ///
    /// Sizes take 17 bytes a row, half of them in the index, and are only stored and read while one differs from the bound. A box
    /// given by its sides counts as equal to the bound if its sides are those of a box with the bound after rounding.
    #[default]
    Exact,
    /// Every proxy counts as a box with the category's bound. Never stores sizes; the right choice where sizes vary
    /// and the narrowphase tests real shapes anyway.
    Coarse,
}
