//! What a caller says about a proxy to insert it, and what the world says about it later.

use throng_core::{Aabb, AabbError, InfiniteSides};

use crate::world::ids::{CategoryId, ProxyId, Row};
use crate::world::masks::Masks;

/// Describes a proxy to [`insert`](crate::Broadphase::insert).
///
/// ```
/// use throng::{Aabb, Masks, Proxy};
///
/// let orc = Proxy::moving(Aabb::new([9.5, 19.5], [10.5, 20.5])?).key(42);
/// let ghost = Proxy::centered([3.0, 4.0], [0.5, 0.5])?.masks(Masks::new(0b10, 0b01));
/// assert_eq!(orc.aabb().center(), [10.0, 20.0]);
/// # Ok::<(), throng::AabbError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "a proxy is in no world until it is inserted"]
pub struct Proxy {
    pub(crate) extent: Extent,
    pub(crate) key: u64,
    pub(crate) masks: Masks,
    pub(crate) owner: u64,
    pub(crate) velocity: [f32; 2],
    pub(crate) category: Option<CategoryId>,
    pub(crate) enabled: bool,
    pub(crate) fixed: bool,
}

impl Proxy {
    /// Something that moves, with its current box. Routed by size unless put [`in_category`](Self::in_category).
    pub fn moving(aabb: Aabb) -> Self {
        Self::of_extent(Extent::of(aabb))
    }

    /// Something that never moves: scenery, with its box. Routed to the smallest category of scenery that holds it
    /// unless put [`in_category`](Self::in_category).
    ///
    /// It can still be moved now and then, at the price of some microseconds each time; see
    /// [`CategoryConfig::scenery`](crate::CategoryConfig::scenery).
    pub fn fixed(aabb: Aabb) -> Self {
        Self {
            fixed: true,
            ..Self::moving(aabb)
        }
    }

    /// Something that moves, given by center and half extents. The center is stored exactly, while that of a box is
    /// computed from its sides. A half extent may be infinite: then both sides are.
    ///
    /// # Errors
    ///
    /// As for [`Aabb::from_center`]: NaN, a negative half extent, a center that is not finite.
    pub fn centered(
        center: impl Into<[f32; 2]>,
        half_extents: impl Into<[f32; 2]>,
    ) -> Result<Self, AabbError> {
        Extent::centered(center.into(), half_extents.into()).map(Self::of_extent)
    }

    fn of_extent(extent: Extent) -> Self {
        Self {
            extent,
            key: 0,
            masks: Masks::ALL,
            owner: 0,
            velocity: [0.0; 2],
            category: None,
            enabled: true,
            fixed: false,
        }
    }

    /// The engine's own name for it, such as `Entity::to_bits()`. 0 by default, which costs nothing.
    pub fn key(mut self, key: u64) -> Self {
        self.key = key;
        self
    }

    /// Which proxies it may pair with. [`Masks::ALL`] by default, which costs nothing.
    #[doc(alias = "layer")]
    #[doc(alias = "group")]
    #[doc(alias = "collision_layers")]
    #[doc(alias = "interaction_groups")]
    pub fn masks(mut self, masks: Masks) -> Self {
        self.masks = masks;
        self
    }

    /// Whose the proxy is: proxies of one owner never pair, such as a caster and its missiles, or the parts of one
    /// ragdoll. Nobody's by default (0), which costs nothing.
    ///
    /// A number of the engine's, such as `Entity::to_bits()` or the number of a player, and not a
    /// [`ProxyId`](crate::ProxyId): an owner may have many proxies or none, may be in another world, and may be gone
    /// before its missiles are. Whether the owner itself is a proxy does not matter; if it is, it needs its own number
    /// as its owner, too.
    ///
    /// Applies to the pairs of a step, to [`find_partners`](crate::Queries::find_partners), and to queries whose filter says
    /// [`not_of`](crate::QueryFilter::not_of); not to other queries, nor to [`Proximity`](crate::Proximity).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("all", 1.0)))?;
    /// let at = |x: f32| Proxy::centered([x, 0.0], [1.0, 1.0]);
    /// let (witch, knight) = (7, 8);
    /// world.insert(at(0.0)?.owner(witch))?;
    /// world.insert(at(1.0)?.owner(witch))?; // her missile
    /// world.insert(at(2.0)?.owner(knight))?;
    /// let step = world.step_pairs();
    /// let mut pairs: Vec<_> = step.pairs().map(|pair| pair.map(|place| place.row)).collect();
    /// pairs.sort();
    /// assert_eq!(pairs, [[0, 2], [1, 2]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "ignore_owner")]
    #[doc(alias = "group_index")]
    pub fn owner(mut self, owner: u64) -> Self {
        self.owner = owner;
        self
    }

    /// How far it is expected to move from one step to the next, so that it meets what is on its way in its first step already; see
    /// [`set_velocity`](crate::Broadphase::set_velocity). 0 by default, which costs nothing. Scenery has no other: it is not inserted with
    /// one.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("all", 1.0)))?;
    /// world.insert(Proxy::centered([9.0, 0.0], [1.0, 1.0])?)?;
    /// let bullet = Proxy::centered([0.0, 0.0], [0.1, 0.1])?.velocity([15.0, 0.0]);
    /// world.sender().insert(bullet); // from another thread, perhaps
    /// assert_eq!(world.step_pairs().predicted_pairs().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("ccd", "bullet"))]
    pub fn velocity(mut self, velocity: impl Into<[f32; 2]>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// Chooses its category: it stays there, and is refused if it does not fit. Then the category says whether it moves or is
    /// scenery, and not the constructor.
    pub fn in_category(mut self, category: CategoryId) -> Self {
        self.category = Some(category);
        self
    }

    /// Inserts it disabled: it is stored, but is in no pair, and no query finds it, until
    /// [`set_enabled`](crate::Broadphase::set_enabled).
    pub fn disabled(mut self) -> Self {
        self.enabled = false;
        self
    }

    /// Its box as described.
    pub fn aabb(&self) -> Aabb {
        self.extent.aabb
    }
}

/// A box, with the center and half extents that are to be stored for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) aabb: Aabb,
    pub(crate) center: [f32; 2],
    /// Infinite on an axis with an infinite side.
    pub(crate) half_extents: [f32; 2],
    /// Which sides the caller gave as infinite; not those that became infinite by overflow.
    pub(crate) infinite: InfiniteSides,
    /// Whether center and half extents were computed from the sides, which are rounded anew wherever a box goes, rather than given by
    /// the caller. Those that were given are stored in scenery, too.
    pub(crate) from_sides: bool,
}

impl Extent {
    /// The center of a box, and half extents that are at least half its width and reach both sides.
    ///
    /// Far from the origin less than half the width may be enough to reach them, because the sums are rounded; but the
    /// box may be moved to where they are not.
    #[inline(always)]
    pub(crate) fn of(aabb: Aabb) -> Self {
        let (min, max) = (aabb.min(), aabb.max());
        // Which of the two is more is a matter of rounding, so it is not asked by a branch.
        let (center, enough) = aabb.center_and_half_extents();
        let along = |axis: usize| half_width(min[axis], max[axis]).max(enough[axis]);
        let half_extents = [along(0), along(1)];
        Self {
            aabb,
            center,
            half_extents,
            infinite: aabb.infinite_sides(),
            from_sides: true,
        }
    }

    /// A center and half extents as given.
    ///
    /// # Errors
    ///
    /// As [`Aabb::from_center`].
    #[inline]
    pub(crate) fn centered(center: [f32; 2], half_extents: [f32; 2]) -> Result<Self, AabbError> {
        let aabb = Aabb::from_center(center, half_extents)?;
        Ok(Self {
            aabb,
            center,
            half_extents,
            infinite: InfiniteSides {
                min: half_extents.map(f32::is_infinite),
                max: half_extents.map(f32::is_infinite),
            },
            from_sides: false,
        })
    }
}

/// Rounded to `f32` once, without overflow.
#[inline(always)]
pub(crate) fn half_width(min: f32, max: f32) -> f32 {
    ((f64::from(max) - f64::from(min)) / 2.0) as f32
}

/// What the world knows about a proxy: a copy, as of now.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProxyView {
    /// Its id.
    pub id: ProxyId,
    /// The category that it is in.
    pub category: CategoryId,
    /// Its row there, until rows next change: by an insert, a removal, a migration, a sort, scenery loaded or another config.
    pub row: Row,
    /// Its center.
    pub center: [f32; 2],
    /// Its own half extents in an exact or oversized category or in scenery; in a coarse category, the bound. Infinite
    /// on an axis with an infinite side.
    pub half_extents: [f32; 2],
    /// The box by which pairs are found: `center ± half_extents`, each side rounded to `f32`. On an axis with one
    /// infinite side, the finite side is the center itself. For scenery, the box as given.
    pub aabb: Aabb,
    /// The engine's own name for it, or 0.
    pub key: u64,
    /// Which proxies it may pair with.
    pub masks: Masks,
    /// Whose it is, or 0.
    pub owner: u64,
    /// How far it is expected to move until the next step, as it was [set](crate::Broadphase::set_velocity), or 0.
    pub velocity: [f32; 2],
    /// Whether it takes part in pairs and queries.
    pub enabled: bool,
    /// Whether it was put into its category by name, and so never migrates.
    pub named: bool,
}
