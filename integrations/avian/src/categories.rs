//! Which categories the colliders of a world are kept in.

use avian2d::collider_tree::{ColliderTreeProxy, ColliderTreeType};
use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CategoryKind};

/// Statics, which are packed.
const SCENERY: &str = "statics";
/// Statics that are not scenery: sensors, since those meet other statics and scenery never meets scenery; and those that have been
/// moved, since that costs less here. And colliders whose body is not of any kind, such as those of one that has been taken away.
const LOOSE: &str = "sensors and moved statics";
/// Colliders without a body.
const STANDALONE: &str = "colliders without a body";

/// The categories for colliders of bodies that move as [suggested](BroadphaseConfig::suggest) for these boxes, one for any that
/// fit none of them, and one for each kind of others.
pub(crate) fn config_for(moving: &[Aabb], generation: u32) -> BroadphaseConfig {
    let mut config = BroadphaseConfig::suggest(moving);
    let oversized = |category: &CategoryConfig| category.kind == CategoryKind::Oversized;
    if !config.categories.iter().any(oversized) {
        config = config.category(CategoryConfig::oversized("oversized"));
    }
    for category in &mut config.categories {
        // A proxy stays in a category of the same name for as long as it fits. These have new names, so that everybody is
        // placed anew.
        category.name = format!("{} (config {generation})", category.name);
    }
    config = config
        .category(CategoryConfig::oversized(LOOSE))
        .category(CategoryConfig::scenery(SCENERY));
    // Avian counts two without a body as parts of the same.
    let others: Vec<_> = config
        .categories
        .iter()
        .map(|other| other.name.clone())
        .collect();
    config.category(CategoryConfig::oversized(STANDALONE).meets(others))
}

/// Whether two configs have the same categories, whatever these are called.
pub(crate) fn are_alike(a: &BroadphaseConfig, b: &BroadphaseConfig) -> bool {
    let what = |category: &CategoryConfig| (category.kind, category.half_extents);
    a.categories
        .iter()
        .map(what)
        .eq(b.categories.iter().map(what))
}

/// Where a collider is to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// With others of its size.
    BySize,
    Scenery,
    Loose,
    Standalone,
}

impl Home {
    /// Of somebody who was not there before.
    pub(crate) fn of_new(tree: ColliderTreeType, proxy: &ColliderTreeProxy) -> Self {
        match tree {
            ColliderTreeType::Dynamic | ColliderTreeType::Kinematic => Self::BySize,
            ColliderTreeType::Static if proxy.is_sensor() => Self::Loose,
            ColliderTreeType::Static => Self::Scenery,
            ColliderTreeType::Standalone if proxy.body.is_some() => Self::Loose,
            ColliderTreeType::Standalone => Self::Standalone,
        }
    }

    /// Its category, unless that is chosen by size.
    pub(crate) fn category(self, world: &Broadphase) -> Option<CategoryId> {
        let name = match self {
            Self::BySize => return None,
            Self::Scenery => SCENERY,
            Self::Loose => LOOSE,
            Self::Standalone => STANDALONE,
        };
        world.category(name)
    }
}
