//! The component that puts an entity into the broadphase.

use bevy_ecs::component::Component;
use throng::{CategoryId, Masks};

use crate::tracked::{Home, Tracked, release};

/// Puts an entity into the broadphase, as a box around its center.
///
/// ```
/// use bevy_throng::Bounds;
/// use throng::{CategoryId, Masks};
///
/// let orc = Bounds::circle(0.5);
/// let wall = Bounds::new([20.0, 1.0]).fixed();
/// let ghost = Bounds::circle(0.5)
///     .in_category(CategoryId::new(1))
///     .masks(Masks::new(0b10, 0b01));
/// # let _ = (orc, wall, ghost);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(on_remove = release)]
#[require(Tracked)]
pub struct Bounds {
    /// Half the width and half the height. Infinite is allowed in oversized categories and scenery.
    pub half_extents: [f32; 2],
    /// Which entities it may pair with.
    pub masks: Masks,
    /// Whose the entity is: entities of one owner never pair. 0 for nobody's.
    pub owner: u64,
    /// Whether it is scenery. It can still move now and then, at the price of some microseconds each time.
    pub fixed: bool,
    /// The category it is put into, whatever its size; `None` for the smallest that it fits.
    pub category: Option<CategoryId>,
}

impl Bounds {
    /// A box that moves, may pair with everything, and is routed by its size.
    pub fn new(half_extents: [f32; 2]) -> Self {
        Self {
            half_extents,
            masks: Masks::ALL,
            owner: 0,
            fixed: false,
            category: None,
        }
    }

    /// The box around a circle.
    pub fn circle(radius: f32) -> Self {
        Self::new([radius; 2])
    }

    /// Never moves: scenery.
    pub fn fixed(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// Puts it into a given category.
    pub fn in_category(mut self, category: CategoryId) -> Self {
        self.category = Some(category);
        self
    }

    /// Sets which entities it may pair with.
    pub fn masks(mut self, masks: Masks) -> Self {
        self.masks = masks;
        self
    }

    /// Sets whose the entity is, such as the bits of the entity that shot it: entities of one owner never pair.
    pub fn owner(mut self, owner: u64) -> Self {
        self.owner = owner;
        self
    }

    pub(crate) fn home(&self) -> Home {
        Home {
            fixed: self.fixed,
            category: self.category,
        }
    }
}
