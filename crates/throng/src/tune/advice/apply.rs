//! Advice, applied to a config.

use super::Advice;
use crate::world::config::{
    BroadphaseConfig, CategoryConfig, CategoryKind, OversizedStructure, PairMode,
};
use throng_core::for_both;

impl Advice {
    /// Makes the change in a config, and returns whether there was one to make. There is none:
    ///
    /// - if the config has no such category, or already is that way: following the same advice twice does nothing;
    /// - where the change belongs in the code that inserts ([`SceneryMoves`](Self::SceneryMoves), [`FarOut`](Self::FarOut),
    ///   [`Crowd`](Self::Crowd), [`SameBound`](Self::SameBound), [`Merge`](Self::Merge),
    ///   [`MasksMeetNobody`](Self::MasksMeetNobody)) or in the frame ([`SortRows`](Self::SortRows));
    /// - where it depends on what is still to come ([`Empty`](Self::Empty)).
    ///
    /// A valid config stays valid, and a world as it was measured still fits. No category is removed; new ones come
    /// last, and meet whatever the one they come from meets. [`MakeScenery`](Self::MakeScenery) adds a category of
    /// scenery if there is none without a bound; things that never move get there once they are inserted as
    /// [`Proxy::fixed`](crate::Proxy::fixed). [`LowerBound`](Self::LowerBound) and [`Split`](Self::Split) reduce the
    /// pairs of a coarse category, since its pairs are those of boxes of the bound.
    ///
    /// Meant for the next world: in an existing one, [`reconfigure`](crate::Broadphase::reconfigure) leaves each
    /// proxy in its category as long as it fits there.
    pub fn apply(&self, config: &mut BroadphaseConfig) -> bool {
        let mut categories = config.categories.iter();
        let Some(index) = categories.position(|category| category.name == self.category()) else {
            return false;
        };
        let category = &mut config.categories[index];
        match (self, category.kind) {
            (Self::LowerBound { to, .. }, CategoryKind::Uniform) => {
                let lower = for_both(|axis| category.half_extents[axis].min(to[axis]));
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
                add_scenery(config, index)
            }
            _ => false,
        }
    }
}

/// Adds a uniform category for the smaller things of another, unless there is one with that bound.
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
    let mut added = CategoryConfig::uniform("", 0.0).half_extents(bound);
    added.pairs = pairs;
    added.meets = config.categories[index].meets.clone();
    add(config, index, "small", added);
    true
}

/// Adds a category of scenery for things of another that never move, unless there is one without a bound.
fn add_scenery(config: &mut BroadphaseConfig, index: usize) -> bool {
    let holds_them = |category: &CategoryConfig| {
        category.kind == CategoryKind::Scenery && category.half_extents == [f32::INFINITY; 2]
    };
    if config.categories.iter().any(holds_them) {
        return false;
    }
    let mut added = CategoryConfig::scenery("");
    // Scenery never meets scenery, and must not name it.
    let is_moving = |name: &String| {
        let mut named = config.categories.iter().filter(|other| other.name == *name);
        named.all(|other| other.kind != CategoryKind::Scenery)
    };
    let meets = config.categories[index].meets.iter().flatten();
    let meets: Vec<String> = meets.filter(|name| is_moving(name)).cloned().collect();
    added.meets = config.categories[index].meets.is_some().then_some(meets);
    add(config, index, "fixed", added);
    true
}

/// Adds a category named after another. Whatever meets that one, itself included if it does, meets the new one too.
fn add(config: &mut BroadphaseConfig, index: usize, what: &str, mut added: CategoryConfig) {
    let beside = config.categories[index].name.clone();
    let taken = |name: &str| config.categories.iter().any(|other| other.name == name);
    added.name = format!("{what} {beside}");
    while taken(&added.name) {
        added.name.insert_str(0, "very ");
    }
    let adds_scenery = added.kind == CategoryKind::Scenery;
    let name = added.name.clone();
    config.categories.push(added);
    for category in &mut config.categories {
        let may_meet = !(adds_scenery && category.kind == CategoryKind::Scenery);
        if let Some(names) = &mut category.meets
            && names.contains(&beside)
            && may_meet
        {
            names.push(name.clone());
        }
    }
}
