//! What can be wrong with a config, and what is needed instead.

use std::fmt;

use throng_core::{Axis, SimdLevel};
use throng_loose::LooseError;

use crate::world::ids::{MAX_CATEGORIES, MAX_WORLD_TAG};
use crate::world::resting::Resting;

/// A config that was refused, with every problem in it; printed one per line.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigError {
    problems: Vec<ConfigProblem>,
}

impl ConfigError {
    pub(crate) fn new(problems: Vec<ConfigProblem>) -> Self {
        Self { problems }
    }

    /// The problems, in the order of the config; never empty.
    pub fn problems(&self) -> &[ConfigProblem] {
        &self.problems
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.len() {
            1 => write!(f, "the config has a problem:")?,
            n => write!(f, "the config has {n} problems:")?,
        }
        self.problems
            .iter()
            .try_for_each(|problem| write!(f, "\n- {problem}"))
    }
}

impl std::error::Error for ConfigError {}

/// One thing in a config to fix. The message names the category, what was given, and what is needed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigProblem {
    /// There is no category to put a proxy into.
    #[error(
        "there are no categories; add at least one, such as `CategoryConfig::uniform(\"units\", 1.0)`"
    )]
    NoCategories,
    /// More categories than there are ids.
    #[error("{given} categories are too many; at most {MAX_CATEGORIES} fit")]
    TooManyCategories {
        /// How many there are.
        given: usize,
    },
    /// A category without a name.
    #[error("category number {index} (from 0) has an empty name; give it one of its own")]
    EmptyName {
        /// Its index in the config.
        index: usize,
    },
    /// Two categories with the same name.
    #[error(
        "categories number {first} and {second} (from 0) are both called {name:?}; names must differ"
    )]
    DuplicateName {
        /// The name.
        name: String,
        /// Where it appears first.
        first: usize,
        /// Where it appears again.
        second: usize,
    },
    /// A uniform category without a bound.
    #[error(
        "category {category:?} has no bound, and a uniform one needs one; give its `half_extents`, such as [1.0, 1.0], or make it \
         oversized, which needs none (in a file, `kind = \"oversized\"`: without `kind` it is uniform)"
    )]
    NoBound {
        /// The category.
        category: String,
    },
    /// A bound that is not a size.
    #[error(
        "category {category:?}: the half extent on {axis} is {given}; that of a uniform category must be finite and \
         not negative"
    )]
    Bound {
        /// The category.
        category: String,
        /// The axis of the half extent.
        axis: Axis,
        /// The half extent as configured.
        given: f32,
    },
    /// The bound of an oversized category or of scenery is not a size.
    #[error(
        "category {category:?}: the half extent on {axis} is {given}; that of an oversized category or of scenery must \
         not be negative, and is infinite unless given"
    )]
    OversizedBound {
        /// The category.
        category: String,
        /// The axis of the half extent.
        axis: Axis,
        /// The half extent as configured.
        given: f32,
    },
    /// A structure that cannot be created as configured.
    #[error("category {category:?}: {problem}")]
    Structure {
        /// The category.
        category: String,
        /// What is wrong with it.
        problem: LooseError,
    },
    /// A structure was chosen for a category that is not oversized.
    #[error(
        "category {category:?} is not oversized, which leaves nothing to choose; leave its structure out, or make it oversized"
    )]
    NeedlessStructure {
        /// The category.
        category: String,
    },
    /// A category that is not uniform is supposed to count its proxies as boxes with a bound.
    #[error(
        "category {category:?} is not uniform, and its proxies always count as their own boxes; leave `coarse()` out (in a file, \
         `pairs = \"coarse\"`), or make it uniform"
    )]
    CoarseNotUniform {
        /// The category.
        category: String,
    },
    /// A meeting with a category that does not exist.
    #[error("category {category:?} meets {given:?}, which is not a category; there are {known}")]
    UnknownMeeting {
        /// The category whose list it is.
        category: String,
        /// The name in the list.
        given: String,
        /// The names of all categories, quoted.
        known: String,
    },
    /// One list names the other category, whose own list does not name it back.
    #[error(
        "category {category:?} meets {other:?}, but the list of {other:?} leaves {category:?} out; name it in both \
         lists or in neither"
    )]
    OneSidedMeeting {
        /// The category that names the other.
        category: String,
        /// The category that does not.
        other: String,
    },
    /// Two categories of scenery that are supposed to meet.
    #[error(
        "categories {category:?} and {other:?} are both scenery, which never meets scenery; take {other:?} out of the list"
    )]
    SceneryMeeting {
        /// The category whose list it is.
        category: String,
        /// The name in the list.
        other: String,
    },
    /// A name that appears twice in one list.
    #[error("category {category:?} names {given:?} more than once in `meets`; once is enough")]
    RepeatedMeeting {
        /// The category whose list it is.
        category: String,
        /// The name in the list.
        given: String,
    },
    /// Events with a category that does not exist.
    #[error(
        "category {category:?} asks for events with {given:?}, which is not a category; there are {known}"
    )]
    UnknownEvents {
        /// The category that asks.
        category: String,
        /// The name in its list.
        given: String,
        /// The names of all categories, quoted.
        known: String,
    },
    /// Events with a category that it does not meet.
    #[error(
        "category {category:?} asks for events with {other:?}, and does not meet it; let them meet, or take {other:?} out of \
         `events`"
    )]
    EventsWithoutMeeting {
        /// The category that asks.
        category: String,
        /// The one that it does not meet.
        other: String,
    },
    /// Slots of pairs, where no pair would have one.
    #[error(
        "`pair_slots` are on, and no category asks for events; only pairs with events have slots, so set `events` of a category, or \
         leave `pair_slots` out"
    )]
    SlotsWithoutEvents,
    /// A sensor of which nobody would hear.
    #[error(
        "category {category:?} is a sensor, whose pairs come only as events; set `events` of it to true, for all that it meets (`meets` \
         says what these are), instead of naming some, or leave `sensor` out"
    )]
    SensorWithoutEvents {
        /// The category.
        category: String,
    },
    /// A number of steps after which nothing can rest.
    #[error(
        "category {category:?} rests after {given} steps; it must be 1 to {}, such as 30, or left out",
        Resting::MOST_STEPS
    )]
    RestsAfter {
        /// The category.
        category: String,
        /// The number of steps as configured.
        given: u32,
    },
    /// A category that wakes, and never rests.
    #[error(
        "category {category:?} wakes on contact, but never rests; say `rests_after` or `rests_when_told`, or leave \
         `wakes_on_contact` out"
    )]
    NothingToWake {
        /// The category.
        category: String,
    },
    /// Scenery that is supposed to come to rest.
    #[error(
        "category {category:?} is scenery, which always rests and never wakes; leave `rests` and `wakes_on_contact` out"
    )]
    RestingScenery {
        /// The category.
        category: String,
    },
    /// A margin that is no length.
    #[error(
        "category {category:?} has a margin of {given}; it must be finite and not negative, such as 0.1, or left out"
    )]
    Margin {
        /// The category.
        category: String,
        /// The margin as configured.
        given: f32,
    },
    /// A margin around what does not move.
    #[error(
        "category {category:?} is scenery, which does not move; give a `margin` to what moves, and leave it out here"
    )]
    MarginOfScenery {
        /// The category.
        category: String,
    },
    /// A margin whose pairs nobody would hear of.
    #[error(
        "category {category:?} is a sensor, whose pairs come only as events, and events know no margin; leave `margin` or `sensor` out"
    )]
    MarginOfSensor {
        /// The category.
        category: String,
    },
    /// A hysteresis that is not a fraction.
    #[error("`migrate_back` is {given}; it must be greater than 0 and at most 1, such as 0.8")]
    MigrateBack {
        /// The fraction as configured.
        given: f32,
    },
    /// A world tag that an id has no room for.
    #[error(
        "`world_tag` is {given}; it must be at most {MAX_WORLD_TAG}, or left out to have one drawn"
    )]
    WorldTag {
        /// The tag as configured.
        given: u16,
    },
    /// An instruction set that is not available on this machine.
    #[error(
        "`simd` is {given}, which this machine does not have; it has {available}, and without `simd` takes the best"
    )]
    SimdUnavailable {
        /// The level as configured.
        given: SimdLevel,
        /// The available levels.
        available: String,
    },
}
