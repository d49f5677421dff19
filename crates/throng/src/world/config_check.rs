//! Checks a config, and lists everything that is wrong with it, not only the first problem.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use throng_core::{Axis, SimdLevel};
use throng_loose::LooseError;

use crate::world::box_index::new_structure;
use crate::world::config::{
    BroadphaseConfig, CategoryConfig, CategoryKind, EventsWith, OversizedStructure, PairMode,
};
use crate::world::config_error::{ConfigError, ConfigProblem};
use crate::world::ids::{MAX_CATEGORIES, MAX_WORLD_TAG};
use crate::world::resting::Resting;

impl BroadphaseConfig {
    /// Checks everything and reports every problem, not only the first; but only the first of the settings of one
    /// [structure](crate::CategoryConfig::structure).
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] with one [`ConfigProblem`] for each thing to fix.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let problems = problems(self);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(ConfigError::new(problems))
        }
    }
}

/// Lists everything wrong with `config`, in the order of its fields.
fn problems(config: &BroadphaseConfig) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    check_world(config, &mut problems);
    check_names(&config.categories, &mut problems);
    let mut meetings = MeetingLists::new(&config.categories);
    for (index, category) in config.categories.iter().enumerate() {
        check_bound(category, &mut problems);
        check_structure(category, config.simd, &mut problems);
        check_pairs(category, &mut problems);
        check_sensor(category, &mut problems);
        check_resting(category, &mut problems);
        check_margin(category, &mut problems);
        meetings.check(index, &mut problems);
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
    if let Some(given) = config.world_tag
        && given > MAX_WORLD_TAG
    {
        problems.push(ConfigProblem::WorldTag { given });
    }
    if config.pair_slots && (config.categories.iter()).all(|category| category.events.is_off()) {
        problems.push(ConfigProblem::SlotsWithoutEvents);
    }
    if let Some(given) = config.simd
        && !SimdLevel::available().contains(&given)
    {
        let available = listed(SimdLevel::available().iter());
        problems.push(ConfigProblem::SimdUnavailable { given, available });
    }
}

fn check_names(categories: &[CategoryConfig], problems: &mut Vec<ConfigProblem>) {
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
}

fn check_bound(category: &CategoryConfig, problems: &mut Vec<ConfigProblem>) {
    let CategoryConfig {
        name: category_name,
        kind,
        ..
    } = category;
    if *kind == CategoryKind::Uniform && category.half_extents == [f32::INFINITY; 2] {
        problems.push(ConfigProblem::NoBound {
            category: category_name.clone(),
        });
        return;
    }
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

fn check_sensor(category: &CategoryConfig, problems: &mut Vec<ConfigProblem>) {
    if category.sensor && category.events != EventsWith::Everybody {
        let category = category.name.clone();
        problems.push(ConfigProblem::SensorWithoutEvents { category });
    }
}

fn check_resting(category: &CategoryConfig, problems: &mut Vec<ConfigProblem>) {
    let name = || category.name.clone();
    if category.kind == CategoryKind::Scenery {
        if !category.rests.is_never() || category.wakes_on_contact {
            problems.push(ConfigProblem::RestingScenery { category: name() });
        }
    } else if category.wakes_on_contact && category.rests.is_never() {
        problems.push(ConfigProblem::NothingToWake { category: name() });
    }
    if let Resting::After(given) = category.rests
        && !(1..=Resting::MOST_STEPS).contains(&given)
    {
        let category = name();
        problems.push(ConfigProblem::RestsAfter { category, given });
    }
}

fn check_margin(category: &CategoryConfig, problems: &mut Vec<ConfigProblem>) {
    let (given, name) = (category.margin, || category.name.clone());
    if !(0.0..=f32::MAX).contains(&given) {
        let category = name();
        problems.push(ConfigProblem::Margin { category, given });
    } else if given > 0.0 && category.kind == CategoryKind::Scenery {
        problems.push(ConfigProblem::MarginOfScenery { category: name() });
    } else if given > 0.0 && category.sensor {
        problems.push(ConfigProblem::MarginOfSensor { category: name() });
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
        // An unavailable instruction set is reported once, for the world.
        CategoryKind::Oversized => match new_structure(&category.structure, simd) {
            Ok(_) | Err(LooseError::Simd(_)) => {}
            Err(problem) => problems.push(ConfigProblem::Structure {
                category: category.name.clone(),
                problem,
            }),
        },
    }
}

fn check_pairs(category: &CategoryConfig, problems: &mut Vec<ConfigProblem>) {
    if category.kind != CategoryKind::Uniform && category.pairs == PairMode::Coarse {
        let category = category.name.clone();
        problems.push(ConfigProblem::CoarseNotUniform { category });
    }
}

/// The lists of who meets whom, with names as numbers: each name is looked up once, and none of the lists is searched, which
/// may all be as long as there are categories.
///
/// The number of a name is the place of the first category that has it. Names of no category have numbers of their own
/// beyond those.
struct MeetingLists<'c> {
    categories: &'c [CategoryConfig],
    /// Per category, the number of its name.
    names: Vec<usize>,
    /// Per category, the numbers of the names in its list.
    lists: Vec<Vec<usize>>,
    /// Per category, the numbers of the names whose events it asks for.
    events: Vec<Vec<usize>>,
    /// Per number of a category's name, the places of the categories that list it.
    listed_by: Vec<Vec<usize>>,
    /// Scratch: the names of a list that were read so far, and the places of the categories that list its owner.
    read: FixedBitSet,
    listing: FixedBitSet,
}

impl<'c> MeetingLists<'c> {
    fn new(categories: &'c [CategoryConfig]) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let places = categories.iter().enumerate();
        let names = places
            .map(|(place, category)| *numbers.entry(&category.name).or_insert(place))
            .collect();
        let mut listed_by = vec![Vec::new(); categories.len()];
        let mut unknown = categories.len();
        let mut number_of = |name: &'c String| {
            let number = *numbers.entry(name).or_insert(unknown);
            unknown += usize::from(number == unknown);
            number
        };
        let mut lists = Vec::with_capacity(categories.len());
        let mut events = Vec::with_capacity(categories.len());
        for (place, category) in categories.iter().enumerate() {
            let meets = category.meets.iter().flatten();
            let list: Vec<usize> = meets.map(&mut number_of).collect();
            for &number in &list {
                if let Some(listed_by) = listed_by.get_mut(number) {
                    listed_by.push(place);
                }
            }
            lists.push(list);
            events.push(category.events.names().iter().map(&mut number_of).collect());
        }
        Self {
            categories,
            names,
            lists,
            events,
            listed_by,
            read: FixedBitSet::with_capacity(unknown),
            listing: FixedBitSet::with_capacity(categories.len()),
        }
    }

    /// Checks the lists of one category. O(names in them and categories that list it), but for clearing a bit per name.
    fn check(&mut self, place: usize, problems: &mut Vec<ConfigProblem>) {
        let category = &self.categories[place];
        if category.meets.is_none() && self.events[place].is_empty() {
            return;
        }
        self.read.clear();
        self.listing.clear();
        self.listing
            .extend(self.listed_by[self.names[place]].iter().copied());
        if let Some(names) = &category.meets {
            self.check_meetings(place, names, problems);
        }
        self.check_events(place, problems);
    }

    fn check_meetings(
        &mut self,
        place: usize,
        names: &[String],
        problems: &mut Vec<ConfigProblem>,
    ) {
        let category = &self.categories[place];
        for (given, &number) in names.iter().zip(&self.lists[place]) {
            if self.read.put(number) {
                problems.push(ConfigProblem::RepeatedMeeting {
                    category: category.name.clone(),
                    given: given.clone(),
                });
                continue;
            }
            let Some(other) = self.named(number) else {
                problems.push(ConfigProblem::UnknownMeeting {
                    category: category.name.clone(),
                    given: given.clone(),
                    known: self.known(),
                });
                continue;
            };
            if let Some(problem) = both_scenery(category, other) {
                problems.push(problem);
                continue;
            }
            if other.meets.is_some() && !self.listing.contains(number) {
                problems.push(ConfigProblem::OneSidedMeeting {
                    category: category.name.clone(),
                    other: given.clone(),
                });
            }
        }
    }

    /// Checks whose events a category asks for, after the list of who it meets has been read.
    fn check_events(&self, place: usize, problems: &mut Vec<ConfigProblem>) {
        let category = &self.categories[place];
        for (given, &number) in category.events.names().iter().zip(&self.events[place]) {
            let Some(other) = self.named(number) else {
                problems.push(ConfigProblem::UnknownEvents {
                    category: category.name.clone(),
                    given: given.clone(),
                    known: self.known(),
                });
                continue;
            };
            if let Some(problem) = both_scenery(category, other) {
                problems.push(problem);
                continue;
            }
            let leaves_out = category.meets.is_some() && !self.read.contains(number);
            let is_left_out = other.meets.is_some() && !self.listing.contains(number);
            if leaves_out || is_left_out {
                problems.push(ConfigProblem::EventsWithoutMeeting {
                    category: category.name.clone(),
                    other: given.clone(),
                });
            }
        }
    }

    /// The category that the number of a name stands for, if there is one. An empty name stands for none.
    fn named(&self, number: usize) -> Option<&'c CategoryConfig> {
        let category = self.categories.get(number)?;
        (!category.name.is_empty()).then_some(category)
    }

    /// The names of all categories, quoted.
    fn known(&self) -> String {
        let names = self.categories.iter();
        listed(names.map(|category| format!("{:?}", category.name)))
    }
}

/// What is wrong if a category names another, and neither ever moves.
fn both_scenery(category: &CategoryConfig, other: &CategoryConfig) -> Option<ConfigProblem> {
    let is_scenery = |category: &CategoryConfig| category.kind == CategoryKind::Scenery;
    (is_scenery(category) && is_scenery(other)).then(|| ConfigProblem::SceneryMeeting {
        category: category.name.clone(),
        other: other.name.clone(),
    })
}

/// Writes a list as in a sentence, and cuts long ones.
fn listed(items: impl ExactSizeIterator<Item = impl ToString>) -> String {
    const SHOWN: usize = 12;
    let more = items.len().saturating_sub(SHOWN);
    let shown: Vec<String> = items.take(SHOWN).map(|item| item.to_string()).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is wrong with the lists, by looking through each as often as it takes.
    fn plainly(categories: &[CategoryConfig]) -> Vec<(&str, &str, &'static str)> {
        let is_scenery = |category: &CategoryConfig| category.kind == CategoryKind::Scenery;
        let mut wrong = Vec::new();
        for category in categories {
            let names = category.meets.as_deref().unwrap_or_default();
            for (position, given) in names.iter().enumerate() {
                let other = categories.iter().find(|other| other.name == *given);
                let what = match other.filter(|other| !other.name.is_empty()) {
                    _ if names[..position].contains(given) => "repeated",
                    None => "unknown",
                    Some(other) if is_scenery(category) && is_scenery(other) => "scenery",
                    Some(other) => match &other.meets {
                        Some(back) if !back.contains(&category.name) => "one-sided",
                        _ => continue,
                    },
                };
                wrong.push((&category.name[..], &given[..], what));
            }
        }
        wrong
    }

    fn of_lists(problem: &ConfigProblem) -> Option<(&str, &str, &'static str)> {
        Some(match problem {
            ConfigProblem::RepeatedMeeting { category, given } => (category, given, "repeated"),
            ConfigProblem::UnknownMeeting {
                category, given, ..
            } => (category, given, "unknown"),
            ConfigProblem::SceneryMeeting { category, other } => (category, other, "scenery"),
            ConfigProblem::OneSidedMeeting { category, other } => (category, other, "one-sided"),
            _ => return None,
        })
    }

    /// Names that are missing, empty, or those of two categories among them.
    fn name() -> BoxedStrategy<String> {
        (0..6_usize)
            .prop_map(|k| ["", "a", "b", "c", "d", "e"][k].to_owned())
            .boxed()
    }

    fn category() -> BoxedStrategy<CategoryConfig> {
        let list = prop::option::of(prop::collection::vec(name(), 0..7));
        (name(), any::<bool>(), list)
            .prop_map(|(name, scenery, meets)| {
                let category = if scenery {
                    CategoryConfig::scenery(name)
                } else {
                    CategoryConfig::uniform(name, 1.0)
                };
                CategoryConfig { meets, ..category }
            })
            .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn everything_wrong_with_the_lists_in_the_order_of_the_lists(
            categories in prop::collection::vec(category(), 0..6),
        ) {
            let mut config = BroadphaseConfig::new();
            config.categories = categories;
            let problems = problems(&config);
            let found: Vec<_> = problems.iter().filter_map(of_lists).collect();
            prop_assert_eq!(found, plainly(&config.categories));
        }
    }
}
