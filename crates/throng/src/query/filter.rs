//! Which proxies a query may find.

use std::fmt;

use crate::query::queries::QueryHit;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId};
use crate::world::masks::Masks;

/// Which proxies a query may find: those that meet every condition set here.
///
/// A query tests each box that touches its shape, and only what passes can be visited, be among the nearest or be the
/// first hit of a cast.
///
/// ```
/// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Masks, Proxy, QueryFilter, QueryHit};
///
/// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
/// let (archers, player) = (Masks::new(0b01, !0), 7);
/// let unit = |x: f32| Proxy::centered([x, 0.0], [0.5, 0.5]).unwrap().masks(archers).key(x as u64);
/// let archer = world.insert(unit(0.0).owner(player))?;
/// let friend = world.insert(unit(1.0).owner(player))?;
/// let wounded = [world.insert(unit(2.0))?, world.insert(unit(3.0))?];
/// world.refresh();
///
/// let armor = [0, 0, 0, 12]; // by key
/// let is_soft = |hit: &QueryHit| world.get(hit.id).is_some_and(|view| armor[view.key as usize] == 0);
/// let found = |filter: QueryFilter| {
///     let mut hits = Vec::new();
///     world.query_with(&filter).find_in_circle([0.0, 0.0], 10.0, &mut hits).unwrap();
///     hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
/// };
/// assert_eq!(found(QueryFilter::new().except(archer)), [friend, wounded[0], wounded[1]]);
/// assert_eq!(found(QueryFilter::new().not_of(player)), wounded);
/// assert_eq!(found(QueryFilter::new().not_of(player).only(&is_soft)), wounded[..1]);
/// assert_eq!(found(QueryFilter::new().masks(Masks::new(!0, 0b10))), []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "a filter does nothing until a query has it"]
pub struct QueryFilter<'p> {
    /// Empty for all categories.
    pub(super) categories: Vec<CategoryId>,
    pub(super) without: Vec<CategoryId>,
    /// `None` for any masks: even [`Masks::ALL`] does not agree with a proxy that meets nothing.
    masks: Option<Masks>,
    /// 0 for any owner.
    not_of: u64,
    except: Vec<ProxyId>,
    only: Option<Predicate<'p>>,
}

type Predicate<'p> = &'p (dyn Fn(&QueryHit) -> bool + Sync);

/// The filter of a query that has none.
pub(super) static EVERYTHING: QueryFilter<'static> = QueryFilter {
    categories: Vec::new(),
    without: Vec::new(),
    masks: None,
    not_of: 0,
    except: Vec::new(),
    only: None,
};

impl<'p> QueryFilter<'p> {
    /// Finds everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds proxies of this category and of any others added the same way, and no others.
    pub fn category(mut self, category: CategoryId) -> Self {
        if !self.categories.contains(&category) {
            self.categories.push(category);
            self.categories.sort_unstable();
        }
        self
    }

    /// Leaves out proxies of this category and of any others added the same way, such as those of [sensors] or of scenery. A
    /// category that is also [added](Self::category) is left out.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, QueryFilter, RayCast};
    ///
    /// let zones = CategoryConfig::oversized("zones").sensor();
    /// let config = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)).category(zones);
    /// let mut world = Broadphase::new(config)?;
    /// let zones = world.category("zones").ok_or("configured above")?;
    /// world.insert(Proxy::centered([5.0, 0.0], [4.0, 4.0])?.in_category(zones))?;
    /// let unit = world.insert(Proxy::centered([5.0, 0.0], [1.0, 1.0])?)?;
    /// world.refresh();
    ///
    /// let filter = QueryFilter::new().without(zones);
    /// let first = world.query_with(&filter).cast_first(RayCast::from_to([0.0, 0.0], [9.0, 0.0])?)?;
    /// assert_eq!(first.map(|first| first.hit.id), Some(unit));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [sensors]: crate::CategoryConfig::sensor
    #[doc(alias("exclude_sensors", "exclude_fixed", "EXCLUDE_SENSORS", "EXCLUDE_FIXED"))]
    pub fn without(mut self, category: CategoryId) -> Self {
        self.without.push(category);
        self
    }

    /// Whether proxies of a category may pass.
    pub(super) fn admits(&self, category: CategoryId) -> bool {
        let is_asked_for = self.categories.is_empty() || self.categories.contains(&category);
        is_asked_for && !self.without.contains(&category)
    }

    /// Finds proxies whose masks agree with these. Without this, masks are ignored; but
    /// [`find_partners`](crate::Queries::find_partners) always goes by those of the proxy, and these are a second test.
    ///
    /// As in a pair, both have a say: what accepts none of these memberships is not found. To find all members of some groups,
    /// whatever they accept, look at their masks in [`only`](Self::only).
    pub fn masks(mut self, masks: Masks) -> Self {
        self.masks = Some(masks);
        self
    }

    /// Leaves out what this [owner](crate::Proxy::owner) owns, such as everything that belongs to the player who shoots. 0
    /// leaves out nothing. It takes the place of an earlier owner.
    #[doc(alias = "exclude_owner")]
    pub fn not_of(mut self, owner: u64) -> Self {
        self.not_of = owner;
        self
    }

    /// Leaves out this proxy, such as the one that looks, and any others added the same way. Meant for a few: each hit is
    /// compared with all of them.
    #[doc(alias = "exclude_collider")]
    #[doc(alias = "exclude_rigid_body")]
    pub fn except(mut self, id: ProxyId) -> Self {
        self.except.push(id);
        self
    }

    /// Finds only what passes a test of the engine's own. It takes the place of an earlier one.
    ///
    /// The test may be called for more than is found in the end, in no particular order, and by many threads in a batch
    /// of queries, so it should change nothing. The hit that it is given is complete, and other tests come first.
    #[doc(alias = "predicate")]
    pub fn only(mut self, passes: &'p (dyn Fn(&QueryHit) -> bool + Sync)) -> Self {
        self.only = Some(passes);
        self
    }

    /// Whether a proxy passes, by what is stored in its row.
    #[inline]
    pub(super) fn passes(&self, id: ProxyId, category: &Category, row: usize) -> bool {
        let columns = &category.columns;
        let agrees = self
            .masks
            .is_none_or(|masks| columns.masks(row).meets(masks));
        let is_owned = self.not_of != 0 && columns.owners.get(row) == self.not_of;
        agrees && !is_owned && !self.except.contains(&id)
    }

    /// Whether a hit passes the engine's own test.
    #[inline]
    pub(super) fn passes_predicate(&self, hit: &QueryHit) -> bool {
        self.only.is_none_or(|passes| passes(hit))
    }
}

impl fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            categories,
            without,
            masks,
            not_of,
            except,
            only,
        } = self;
        f.debug_struct("QueryFilter")
            .field("categories", categories)
            .field("without", without)
            .field("masks", masks)
            .field("not_of", not_of)
            .field("except", except)
            .field("only", &only.map(|_| "a predicate"))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, QueryError};

    #[test]
    fn categories_are_asked_for_or_left_out() {
        let names = ["a", "b", "c"];
        let config = names.iter().fold(BroadphaseConfig::new(), |config, name| {
            config.category(CategoryConfig::uniform(*name, 1.0))
        });
        let mut world = Broadphase::new(config).unwrap();
        let all = names.map(|name| world.category(name).unwrap());
        let ids = all.map(|category| {
            let proxy = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
            world.insert(proxy.in_category(category)).unwrap()
        });
        world.refresh();
        let everywhere = Aabb::from_center([0.0; 2], [9.0; 2]).unwrap();
        for (asked, without) in (0..8).flat_map(|asked| (0..8).map(move |without| (asked, without)))
        {
            let is_in = |set: u32, k: usize| set >> k & 1 == 1;
            let mut filter = QueryFilter::new();
            for (k, &category) in all.iter().enumerate() {
                if is_in(asked, k) {
                    filter = filter.category(category);
                }
                if is_in(without, k) {
                    filter = filter.without(category).without(category);
                }
            }
            let mut hits = Vec::new();
            let query = world.query_with(&filter);
            query.find_in_aabb(&everywhere, &mut hits).unwrap();
            let found: Vec<_> = hits.iter().map(|hit| hit.id).collect();
            let passes = |k: usize| (asked == 0 || is_in(asked, k)) && !is_in(without, k);
            let expected: Vec<_> = (0..3).filter(|&k| passes(k)).map(|k| ids[k]).collect();
            assert_eq!(found, expected, "{filter:?}");
        }
        let unknown = QueryFilter::new().without(CategoryId::new(7));
        let refused = world
            .query_with(&unknown)
            .find_in_aabb(&everywhere, &mut Vec::new());
        assert!(matches!(refused, Err(QueryError::UnknownCategory(_))));
    }
}
