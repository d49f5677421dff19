//! Whether a config makes sense: everything that is wrong with it, not only the first.

use std::collections::HashMap;

use throng_core::{Axis, SimdLevel};
use throng_loose::LooseError;

use crate::world::box_index::new_structure;
use crate::world::config::{BroadphaseConfig, CategoryConfig, CategoryKind, OversizedStructure};
use crate::world::config_error::{ConfigError, ConfigProblem};
use crate::world::ids::MAX_CATEGORIES;

impl BroadphaseConfig {
    /// Checks everything and reports every problem found, not only the first.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] with one [`ConfigProblem`] per thing to put right.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let problems = problems(self);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(ConfigError::new(problems))
        }
    }
}

/// Lists everything wrong with `config`, in the order in which it is read.
fn problems(config: &BroadphaseConfig) -> Vec<ConfigProblem> {
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
