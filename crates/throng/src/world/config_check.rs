//! Every way in which a config can make no sense, and what would be right.

use std::collections::HashMap;

use throng_core::{Axis, SimdLevel};
use throng_loose::LooseError;

use crate::world::box_index::new_structure;
use crate::world::config::{BroadphaseConfig, CategoryConfig, CategoryKind, OversizedStructure};

/// The most categories of one world: a category is named by 16 bits.
pub const MAX_CATEGORIES: usize = u16::MAX as usize;

/// One thing in a config to put right; its message names the category, what was given and what
/// would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigProblem {
    /// There is nothing to put a proxy into.
    #[error(
        "there are no categories; add at least one, such as `CategoryConfig::uniform(\"units\", 1.0)`"
    )]
    NoCategories,
    /// More categories than ids.
    #[error("{given} categories are too many; at most {MAX_CATEGORIES} fit")]
    TooManyCategories {
        /// How many there are.
        given: usize,
    },
    /// A category without a name.
    #[error("category number {index} (from 0) has an empty name; give it one of its own")]
    EmptyName {
        /// Its place in the config.
        index: usize,
    },
    /// Two categories of one name.
    #[error(
        "categories number {first} and {second} (from 0) are both called {name:?}; names must differ"
    )]
    DuplicateName {
        /// The name.
        name: String,
        /// Where it stands first.
        first: usize,
        /// Where it stands again.
        second: usize,
    },
    /// A bound that is no size.
    #[error(
        "category {category:?}: the half extent on {axis} is {given}; that of a uniform category must be given, \
         finite and not negative"
    )]
    Bound {
        /// The category.
        category: String,
        /// The axis of the half extent.
        axis: Axis,
        /// The half extent as configured.
        given: f32,
    },
    /// The bound of an oversized category or of scenery, and no size.
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
    /// A structure that cannot be made as configured.
    #[error("category {category:?}: {problem}")]
    Structure {
        /// The category.
        category: String,
        /// What is wrong with it.
        problem: LooseError,
    },
    /// A structure chosen for a category that does not have one.
    #[error(
        "category {category:?} is not oversized, which leaves nothing to choose; leave its structure out, or make it oversized"
    )]
    NeedlessStructure {
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
        /// The names there are, quoted.
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
    /// Two categories of scenery that should meet.
    #[error(
        "categories {category:?} and {other:?} are both scenery, which never meets scenery; take {other:?} out of the list"
    )]
    SceneryMeeting {
        /// The category whose list it is.
        category: String,
        /// The name in the list.
        other: String,
    },
    /// A name that stands twice in one list.
    #[error("category {category:?} names {given:?} more than once in `meets`; once is enough")]
    RepeatedMeeting {
        /// The category whose list it is.
        category: String,
        /// The name in the list.
        given: String,
    },
    /// A hysteresis that is no fraction.
    #[error("`migrate_back` is {given}; it must be greater than 0 and at most 1, such as 0.8")]
    MigrateBack {
        /// The fraction as configured.
        given: f32,
    },
    /// An instruction set that this machine does not have.
    #[error(
        "`simd` is {given}, which this machine does not have; it has {available}, and without `simd` takes the best"
    )]
    SimdUnavailable {
        /// The level as configured.
        given: SimdLevel,
        /// The levels there are.
        available: String,
    },
}

/// Lists everything wrong with `config`, in the order in which it is read.
pub(crate) fn problems(config: &BroadphaseConfig) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    check_world(config, &mut problems);
    let places = check_names(&config.categories, &mut problems);
    for category in &config.categories {
        check_bound(category, &mut problems);
        check_structure(category, config.simd, &mut problems);
        check_meetings(category, &config.categories, &places, &mut problems);
    }
    problems
}

fn check_world(config: &BroadphaseConfig, problems: &mut Vec<ConfigProblem>) {
    if config.categories.is_empty() {
        problems.push(ConfigProblem::NoCategories);
    }
    if config.categories.len() > MAX_CATEGORIES {
        problems.push(ConfigProblem::TooManyCategories {
            given: config.categories.len(),
        });
    }
    let fraction = config.migrate_back;
    if !(fraction > 0.0 && fraction <= 1.0) {
        problems.push(ConfigProblem::MigrateBack { given: fraction });
    }
    if let Some(given) = config.simd
        && !SimdLevel::available().contains(&given)
    {
        let available = listed(SimdLevel::available().iter());
        problems.push(ConfigProblem::SimdUnavailable { given, available });
    }
}

/// Checks the names and returns where each stands first.
fn check_names<'c>(
    categories: &'c [CategoryConfig],
    problems: &mut Vec<ConfigProblem>,
) -> HashMap<&'c str, usize> {
    let mut places = HashMap::new();
    for (index, category) in categories.iter().enumerate() {
        let name = category.name.as_str();
        if name.is_empty() {
            problems.push(ConfigProblem::EmptyName { index });
        } else if let Some(&first) = places.get(name) {
            problems.push(ConfigProblem::DuplicateName {
                name: name.to_owned(),
                first,
                second: index,
            });
        } else {
            places.insert(name, index);
        }
    }
    places
}

fn check_bound(category: &CategoryConfig, problems: &mut Vec<ConfigProblem>) {
    let CategoryConfig {
        name: category_name,
        kind,
        ..
    } = category;
    for (axis, given) in Axis::ALL.into_iter().zip(category.half_extents) {
        let category = || category_name.clone();
        match kind {
            CategoryKind::Uniform if !(0.0..=f32::MAX).contains(&given) => {
                problems.push(ConfigProblem::Bound {
                    category: category(),
                    axis,
                    given,
                });
            }
            CategoryKind::Oversized | CategoryKind::Scenery
                if !(0.0..=f32::INFINITY).contains(&given) =>
            {
                problems.push(ConfigProblem::OversizedBound {
                    category: category(),
                    axis,
                    given,
                });
            }
            CategoryKind::Uniform | CategoryKind::Oversized | CategoryKind::Scenery => {}
        }
    }
}

fn check_structure(
    category: &CategoryConfig,
    simd: Option<SimdLevel>,
    problems: &mut Vec<ConfigProblem>,
) {
    match category.kind {
        CategoryKind::Uniform | CategoryKind::Scenery => {
            if category.structure != OversizedStructure::default() {
                problems.push(ConfigProblem::NeedlessStructure {
                    category: category.name.clone(),
                });
            }
        }
        // An instruction set that is not there is reported once, for the world.
        CategoryKind::Oversized => match new_structure(&category.structure, simd) {
            Ok(_) | Err(LooseError::Simd { .. }) => {}
            Err(problem) => problems.push(ConfigProblem::Structure {
                category: category.name.clone(),
                problem,
            }),
        },
    }
}

fn check_meetings(
    category: &CategoryConfig,
    categories: &[CategoryConfig],
    places: &HashMap<&str, usize>,
    problems: &mut Vec<ConfigProblem>,
) {
    let Some(names) = &category.meets else { return };
    for (position, given) in names.iter().enumerate() {
        if names[..position].contains(given) {
            problems.push(ConfigProblem::RepeatedMeeting {
                category: category.name.clone(),
                given: given.clone(),
            });
            continue;
        }
        let Some(&place) = places.get(given.as_str()) else {
            problems.push(ConfigProblem::UnknownMeeting {
                category: category.name.clone(),
                given: given.clone(),
                known: listed(
                    categories
                        .iter()
                        .map(|category| format!("{:?}", category.name)),
                ),
            });
            continue;
        };
        let scenery = |category: &CategoryConfig| category.kind == CategoryKind::Scenery;
        if scenery(category) && scenery(&categories[place]) {
            problems.push(ConfigProblem::SceneryMeeting {
                category: category.name.clone(),
                other: given.clone(),
            });
            continue;
        }
        let back = &categories[place].meets;
        if back
            .as_ref()
            .is_some_and(|names| !names.contains(&category.name))
        {
            problems.push(ConfigProblem::OneSidedMeeting {
                category: category.name.clone(),
                other: given.clone(),
            });
        }
    }
}

/// Writes a list the way a sentence does, and cuts it where nobody would read on.
fn listed(items: impl ExactSizeIterator<Item = impl ToString>) -> String {
    const SHOWN: usize = 12;
    let more = items.len().saturating_sub(SHOWN);
    let shown: Vec<String> = items.take(SHOWN).map(|item| item.to_string()).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
