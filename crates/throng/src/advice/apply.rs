//! Advice, written into a config.

use super::Advice;
use crate::config::{BroadphaseConfig, CategoryConfig, CategoryKind, OversizedStructure, PairMode};

impl Advice {
    /// Makes the change in a config, and says whether there was one to make: not if the config has no such category, or
    /// is that way already, so that following the same advice again does nothing; nor where the change belongs in the code that inserts, as with
    /// [`SceneryMoves`](Self::SceneryMoves) and [`FarOut`](Self::FarOut).
    ///
    /// A config that is valid stays so, new categories come last and meet whatever the one that they come from meets.
    /// [`Empty`](Self::Empty) removes one, and those behind it move up.
    ///
    /// For the next world: in one that is alive [`reconfigure`](crate::Broadphase::reconfigure) leaves each proxy in
    /// the category that it is in as long as it fits.
    pub fn apply(&self, config: &mut BroadphaseConfig) -> bool {
        let mut categories = config.categories.iter();
        let Some(index) = categories.position(|category| category.name == self.category()) else {
            return false;
        };
        let category = &mut config.categories[index];
        match (self, category.kind) {
            (Self::LowerBound { to, .. }, CategoryKind::Uniform) => {
                let lower = [0, 1].map(|axis| category.half_extents[axis].min(to[axis]));
                std::mem::replace(&mut category.half_extents, lower) != lower
            }
            (Self::Split { at, .. }, CategoryKind::Uniform) => {
                let bound = category.half_extents.map(|half| half.min(*at));
                let pairs = category.pairs;
                add_beside(config, index, bound, pairs)
            }
            (
                Self::MakeUniform {
                    bound, below, of, ..
                },
                CategoryKind::Oversized,
            ) if below == of => {
                category.kind = CategoryKind::Uniform;
                category.half_extents = *bound;
                category.pairs = PairMode::Exact;
                category.structure = OversizedStructure::default();
                true
            }
            (Self::MakeUniform { bound, .. }, CategoryKind::Oversized) => {
                add_beside(config, index, *bound, PairMode::Exact)
            }
            (Self::ChangeStructure { to, .. }, CategoryKind::Oversized) => {
                std::mem::replace(&mut category.structure, *to) != *to
            }
            (Self::MakeScenery { .. }, CategoryKind::Uniform | CategoryKind::Oversized) => {
                make_scenery(config, index);
                true
            }
            (Self::Empty { .. }, _) if config.categories.len() > 1 => {
                remove(config, index);
                true
            }
            _ => false,
        }
    }
}

/// Adds a uniform category for the smaller ones of another, unless there is one of that bound.
fn add_beside(
    config: &mut BroadphaseConfig,
    index: usize,
    bound: [f32; 2],
    pairs: PairMode,
) -> bool {
    let holds_them = |category: &CategoryConfig| {
        category.kind == CategoryKind::Uniform && category.half_extents == bound
    };
    if config.categories.iter().any(holds_them) {
        return false;
    }
    let beside = config.categories[index].name.clone();
    let taken = |name: &str| config.categories.iter().any(|other| other.name == name);
    let mut name = format!("small {beside}");
    while taken(&name) {
        name.insert_str(0, "very ");
    }
    for category in &mut config.categories {
        if let Some(names) = &mut category.meets
            && names.contains(&beside)
        {
            names.push(name.clone());
        }
    }
    let mut added = CategoryConfig::uniform(name, 0.0).half_extents(bound);
    added.pairs = pairs;
    added.meets = config.categories[index].meets.clone();
    config.categories.push(added);
    true
}

/// Scenery never meets scenery, and is not to name it.
fn make_scenery(config: &mut BroadphaseConfig, index: usize) {
    let category = &mut config.categories[index];
    category.kind = CategoryKind::Scenery;
    category.half_extents = [f32::INFINITY; 2];
    category.pairs = PairMode::Exact;
    category.structure = OversizedStructure::default();
    let scenery = config.categories.iter();
    let scenery = scenery.filter(|category| category.kind == CategoryKind::Scenery);
    let fixed: Vec<String> = scenery.map(|category| category.name.clone()).collect();
    for category in &mut config.categories {
        if category.kind == CategoryKind::Scenery
            && let Some(names) = &mut category.meets
        {
            names.retain(|name| !fixed.contains(name));
        }
    }
}

fn remove(config: &mut BroadphaseConfig, index: usize) {
    let removed = config.categories.remove(index).name;
    for names in config
        .categories
        .iter_mut()
        .filter_map(|category| category.meets.as_mut())
    {
        names.retain(|name| *name != removed);
    }
}
