//! A new config for a world with proxies.

use std::fmt;
use throng_core::{Executor, for_both};

use crate::broadphase::{Broadphase, new_categories};
use crate::frame::plan::PlannedMeetings;
use crate::world::category::MAX_ROWS;
use crate::world::config::BroadphaseConfig;
use crate::world::config_error::ConfigError;
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot};
use crate::world::meets::MeetingTable;
use crate::world::proxy::Extent;
use crate::world::routing::{Routed, Router, place_in};

/// What happened to the proxies of a world under a new config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reconfigured {
    /// Proxies that stayed in the category of the same name.
    pub kept: usize,
    /// Proxies that are in a category of another name, chosen by size.
    pub rerouted: usize,
}

/// Why a new config was refused. The world is as it was, except that queued commands may have run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReconfigureError {
    /// The config is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Another world tag, which would turn every id into one of another world.
    #[error(
        "`world_tag` is {given}, and this world has {own}, which is in every id; keep it, or leave it out"
    )]
    WorldTag {
        /// The tag of the new config.
        given: u16,
        /// The tag of the world.
        own: u16,
    },
    /// There are proxies that fit no category of the new config.
    #[error("some proxies no longer fit:{}", lines(.unplaced))]
    Unplaced {
        /// One entry per category of the old config.
        unplaced: Vec<Unplaced>,
    },
    /// A category would get more proxies than it can hold.
    #[error("category {category:?} would get {rows} proxies; it holds at most {MAX_ROWS}")]
    TooMany {
        /// The name of the category in the new config.
        category: String,
        /// How many it would get.
        rows: usize,
    },
}

/// The proxies of one old category that fit no category of a new config.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unplaced {
    /// The name of the category that they are in.
    pub category: String,
    /// How many there are.
    pub proxies: usize,
    /// One of them.
    pub first: ProxyId,
    /// The largest half extents among them, per axis.
    pub half_extents: [f32; 2],
    /// Whether they are scenery, which fits only into a category of scenery.
    pub scenery: bool,
}

impl fmt::Display for Unplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            category,
            proxies,
            first,
            half_extents,
            scenery,
        } = self;
        let kind = if *scenery {
            "a category of scenery with "
        } else {
            ""
        };
        write!(
            f,
            "{proxies} of category {category:?}, {first:?} the first; {kind}a bound of at least {half_extents:?} would hold them"
        )
    }
}

/// How one proxy moves: the category it was in, where it goes, and how it was assigned.
struct Move {
    id: ProxyId,
    from: ProxySlot,
    placement: Routed,
    origin: Origin,
}

impl Broadphase {
    /// Replaces the config and rebuilds what is needed. Every [`ProxyId`] stays valid. Category ids are those of the
    /// new config, and rows are renumbered, so read [`proxies`](Self::proxies) again. Queued commands run first, under
    /// the old config. Queries see the current state of the world afterwards. O(proxies).
    ///
    /// A proxy stays in the category with the same name as long as it fits there. If its category is gone, or if it was
    /// routed by size and no longer fits, it is routed by size. In coarse categories, which store no sizes, every proxy
    /// counts as large as the largest one inserted or resized there since the category was last empty.
    ///
    /// # Errors
    ///
    /// [`ReconfigureError`] lists every problem of the config, or every category with proxies that fit nowhere. The
    /// world keeps its config and its proxies. If the config itself is valid, and only does not hold all proxies, queued commands
    /// have run all the same.
    pub fn reconfigure(
        &mut self,
        config: BroadphaseConfig,
    ) -> Result<Reconfigured, ReconfigureError> {
        self.reconfigure_on(&*self.step_executor(), config)
    }

    /// [`reconfigure`](Self::reconfigure) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`reconfigure`](Self::reconfigure).
    pub fn reconfigure_on(
        &mut self,
        executor: &dyn Executor,
        config: BroadphaseConfig,
    ) -> Result<Reconfigured, ReconfigureError> {
        let mut categories = new_categories(&config)?;
        let own = self.world_tag();
        if let Some(given) = config.world_tag.filter(|given| *given != own) {
            return Err(ReconfigureError::WorldTag { given, own });
        }
        self.ingest();
        let router = Router::new(&config);
        let moves = self.plan_moves(&config, &router)?;

        self.wake_everybody();
        let meetings = MeetingTable::new(&config);
        self.events
            .reconfigure(&config, &meetings, &self.categories, &self.pool);
        let mut done = Reconfigured::default();
        let mut homes = vec![None; self.categories.len()];
        for Move {
            id,
            from,
            placement,
            origin,
        } in moves
        {
            let (old, row) = (&self.categories[from.category_index()], from.row_index());
            let same_name = self.config.categories[from.category_index()].name
                == config.categories[usize::from(placement.category)].name;
            if same_name {
                done.kept += 1;
            } else {
                done.rerouted += 1;
            }
            let attributes = old.attributes(row);
            let new_row = categories[usize::from(placement.category)].push(
                id.0,
                &placement.extent,
                &attributes,
            );
            if let Some(slot) = self.pool.get_mut(id.0) {
                *slot = ProxySlot::new(placement.category, new_row, origin);
            }
            homes[from.category_index()] = Some(usize::from(placement.category));
        }
        for (old, home) in self.categories.iter().zip(homes) {
            if let Some(home) = home {
                categories[home].learn_sizes(old);
            }
        }
        // Words were made for the old columns.
        self.planned = PlannedMeetings::default();
        // Measurements were made under the old config.
        self.report.meetings.clear();
        self.report.predicted_meetings.clear();
        self.report.categories.clear();
        (self.categories, self.config) = (categories, config);
        (self.router, self.meetings) = (router, meetings);
        self.events.follow(&mut self.categories);
        self.index_and_plan(executor);
        Ok(done)
    }

    fn plan_moves(
        &self,
        config: &BroadphaseConfig,
        router: &Router,
    ) -> Result<Vec<Move>, ReconfigureError> {
        let mut moves = Vec::with_capacity(self.len());
        let mut unplaced = Vec::new();
        for (index, category) in self.categories.iter().enumerate() {
            let name = &self.config.categories[index].name;
            let same_name = config
                .categories
                .iter()
                .position(|category| category.name == *name);
            let same_name = same_name.map(|index| CategoryId::from_index(index).raw());
            let fixed = category.structure.is_scenery();
            let mut of_category: Option<Unplaced> = None;
            for row in 0..category.len() {
                let id = category.id_in_row(row);
                let from = *self.pool.get(id.0).expect("every row's slot is occupied");
                let extent = self.extent_of(&from);
                match find_placement(&extent, from.origin, same_name, fixed, config, router) {
                    Some((placement, origin)) => moves.push(Move {
                        id,
                        from,
                        placement,
                        origin,
                    }),
                    None => note_unplaced(&mut of_category, name, id, extent.half_extents, fixed),
                }
            }
            unplaced.extend(of_category);
        }
        if !unplaced.is_empty() {
            return Err(ReconfigureError::Unplaced { unplaced });
        }
        let mut rows = vec![0; config.categories.len()];
        for moved in &moves {
            rows[usize::from(moved.placement.category)] += 1;
        }
        check_rows(&rows, MAX_ROWS, config)?;
        Ok(moves)
    }

    /// The extent of a proxy, as far as its size is known.
    pub(crate) fn extent_of(&self, slot: &ProxySlot) -> Extent {
        let (category, row) = (&self.categories[slot.category_index()], slot.row_index());
        if category.structure.is_scenery() {
            return category.fixed_extent(row);
        }
        Extent {
            aabb: category.aabb(row, category.largest),
            center: category.columns.center(row),
            half_extents: category.half_extents(row, category.largest),
            infinite: category.columns.infinite.get(row),
            from_sides: false,
        }
    }
}

/// The category of the same name, if it fits there; otherwise one chosen by size, unless it was put into its category
/// by name.
fn find_placement(
    extent: &Extent,
    origin: Origin,
    same_name: Option<u16>,
    fixed: bool,
    config: &BroadphaseConfig,
    router: &Router,
) -> Option<(Routed, Origin)> {
    if let Some(category) = same_name {
        let placement = place_in(extent, category, config).ok();
        if placement.is_some() || origin == Origin::Named {
            return placement.map(|placement| (placement, origin));
        }
    }
    let placement = router.route(extent, fixed, config).ok()?;
    Some((placement, Origin::Routed))
}

/// Checks that no category gets more rows than it can hold.
fn check_rows(
    rows: &[usize],
    most: usize,
    config: &BroadphaseConfig,
) -> Result<(), ReconfigureError> {
    match rows
        .iter()
        .zip(&config.categories)
        .find(|(rows, _)| **rows > most)
    {
        Some((&rows, category)) => Err(ReconfigureError::TooMany {
            category: category.name.clone(),
            rows,
        }),
        None => Ok(()),
    }
}

fn note_unplaced(
    noted: &mut Option<Unplaced>,
    category: &str,
    id: ProxyId,
    half_extents: [f32; 2],
    scenery: bool,
) {
    let noted = noted.get_or_insert_with(|| Unplaced {
        category: category.to_owned(),
        proxies: 0,
        first: id,
        half_extents: [0.0; 2],
        scenery,
    });
    noted.proxies += 1;
    noted.half_extents = for_both(|axis| noted.half_extents[axis].max(half_extents[axis]));
}

fn lines(items: &[impl fmt::Display]) -> String {
    items.iter().map(|item| format!("\n- {item}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::config::CategoryConfig;

    #[test]
    fn a_category_that_would_get_too_many_is_named() {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("ants", 0.1))
            .category(CategoryConfig::uniform("bees", 0.2));
        assert_eq!(check_rows(&[7, 7], 7, &config), Ok(()));
        let refused = check_rows(&[7, 8], 7, &config).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "category \"bees\" would get 8 proxies; it holds at most 134217728"
        );
    }
}
