//! Typed errors: each says what was given and what is needed. Those of a config are in `world/config_error.rs`.

use std::collections::TryReserveError;

use throng_core::{Aabb, AabbError};

use crate::world::category::MAX_ROWS;
use crate::world::ids::{CategoryId, ProxyId, Row, SceneryId};

/// A category that this world does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no category number {}; this world has {categories}, counted from 0", given.index())]
pub struct UnknownCategory {
    /// The id as given, perhaps of another world, or of a config since replaced.
    pub given: CategoryId,
    /// How many categories there are.
    pub categories: usize,
}

fn unless_named(sensor: &Option<String>) -> String {
    let hint = |name| format!("; it fits {name:?}, which is of sensors, and so has to be named");
    sensor.as_ref().map_or_else(String::new, hint)
}

/// Why a box was not taken into any category. The world is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A box that is infinite.
    #[error(
        "the box {aabb} is unbounded, and no category is that large; add one without a bound, such as \
         `CategoryConfig::oversized(\"giants\")`, or of scenery if it is `Proxy::fixed`"
    )]
    Unbounded {
        /// The box as given.
        aabb: Aabb,
    },
    /// Something that never moves, but there is no scenery.
    #[error(
        "it is fixed, and there is no category of scenery; add one, such as `CategoryConfig::scenery(\"walls\")`, or \
         name a category"
    )]
    NoScenery,
    /// Something that moves, but all categories are scenery.
    #[error(
        "it moves, and all categories are scenery; add one such as `CategoryConfig::oversized(\"giants\")`, or make it \
         `Proxy::fixed`"
    )]
    OnlyScenery,
    /// No category is big enough.
    #[error(
        "half extents of {given:?} fit no category; the largest is {largest:?} with a bound of {bound:?}, so make the \
         thing smaller or add a category for it, such as `CategoryConfig::oversized(\"giants\")`{}",
        unless_named(.sensor)
    )]
    TooLarge {
        /// The half extents of the box.
        given: [f32; 2],
        /// The category with the largest bound.
        largest: String,
        /// That bound.
        bound: [f32; 2],
        /// A category of sensors that the box would fit; sensors are never chosen by size.
        sensor: Option<String>,
    },
    /// No category of scenery is big enough.
    #[error(
        "half extents of {given:?} fit no category of scenery; the largest is {largest:?} with a bound of {bound:?}, so \
         raise it, or leave it out to hold boxes of any size"
    )]
    TooLargeForScenery {
        /// The half extents of the box, infinite on an axis with an infinite side.
        given: [f32; 2],
        /// The category of scenery with the largest bound.
        largest: String,
        /// That bound.
        bound: [f32; 2],
    },
    /// The category it was put into by name is not big enough.
    #[error(
        "half extents of {given:?} do not fit category {category:?} with its bound of {bound:?}; name a bigger one, or \
         none to have it routed by size (`set_category` does so for a living proxy), or raise the bound"
    )]
    OverBound {
        /// The half extents of the box, infinite on an axis with an infinite side.
        given: [f32; 2],
        /// The category that was named for it.
        category: String,
        /// The bound of that category.
        bound: [f32; 2],
    },
}

/// Why a proxy was not inserted. The world is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// It names a category that does not exist.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// Its box fits nowhere, or not in the category that was named for it.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The category has as many rows as its index can number.
    #[error(
        "category {category:?} has {rows} proxies already, as many as it can hold; remove some first"
    )]
    Full {
        /// The category that it would go to.
        category: String,
        /// How many proxies there are.
        rows: usize,
    },
    /// A velocity that is not finite.
    #[error("the velocity {given:?} is not finite, so the proxy was not inserted")]
    VelocityNotFinite {
        /// The velocity as given.
        given: [f32; 2],
    },
    /// It was given a velocity, but is scenery.
    #[error(
        "the proxy has the velocity {given:?}, but would go to category {category:?}, which is scenery and has no velocities; leave the \
         velocity out, or make it with `Proxy::moving` and name no category of scenery"
    )]
    NeverMoves {
        /// The category that it would go to.
        category: String,
        /// The velocity as given.
        given: [f32; 2],
    },
    /// Every id is taken.
    #[error(transparent)]
    NoIds(#[from] throng_core::PoolFull),
}

/// Why the rows of a category were not sorted. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SortRowsError {
    /// There is no such category.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// Rows were to be sorted by key, and two have the same.
    #[error(
        "{:?} and {:?} have the same key {key}; rows are sorted by key only if every proxy of the category has a key of its \
         own, so set others with `set_key`, or sort by space",
        ids[0], ids[1]
    )]
    EqualKeys {
        /// The key.
        key: u64,
        /// Two proxies that have it, the one in the lower row first.
        ids: [ProxyId; 2],
    },
}

/// Why an operation on a proxy was refused. The proxy is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The proxy was removed, or never was.
    #[error("{id:?} names no living proxy; it was removed")]
    Stale {
        /// The id as given.
        id: ProxyId,
    },
    /// The id is one of another world.
    #[error(
        "{id:?} has world tag {}, and this world has {own}; an id is good only in the world whose insert returned it",
        id.world_tag()
    )]
    OtherWorld {
        /// The id as given.
        id: ProxyId,
        /// The tag of this world.
        own: u16,
    },
    /// A center that is not finite.
    #[error("the center {given:?} is not finite; {id:?} stays where it was")]
    NotFinite {
        /// The proxy.
        id: ProxyId,
        /// The center as given.
        given: [f32; 2],
    },
    /// A velocity that is not finite.
    #[error("the velocity {given:?} is not finite; {id:?} keeps the one it has")]
    VelocityNotFinite {
        /// The proxy.
        id: ProxyId,
        /// The velocity as given.
        given: [f32; 2],
    },
    /// It was given a velocity, but is scenery.
    #[error(
        "{id:?} is scenery, which has no velocity; if it is to move on, `set_category` puts it where things move"
    )]
    NeverMoves {
        /// The proxy.
        id: ProxyId,
    },
    /// The category it would migrate to has as many rows as its index can number.
    #[error(
        "{id:?} stays as it was: category {category:?}, where it would go, is full with {rows} proxies"
    )]
    Full {
        /// The proxy.
        id: ProxyId,
        /// The category.
        category: String,
        /// How many proxies there are.
        rows: usize,
    },
    /// It was told to rest or to wake, but its category never rests, or is scenery and always does.
    #[error(
        "{id:?} is in category {category:?}, where nobody can be told to rest or to wake: if that is scenery, it always rests; \
         otherwise configure it to `rests_after` some steps, or `rests_when_told`"
    )]
    NeverRests {
        /// The proxy.
        id: ProxyId,
        /// The name of its category.
        category: String,
    },
    /// It was to go into a category that does not exist.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// What was given as its new box is not a box. Only where many are written.
    #[error("{id:?} stays as it was: {problem}")]
    BadAabb {
        /// The proxy.
        id: ProxyId,
        /// What is wrong with it.
        problem: AabbError,
    },
    /// Its new box fits nowhere, or not in the category that was named for it.
    #[error("{id:?} stays as it was: {problem}")]
    Placement {
        /// The proxy.
        id: ProxyId,
        /// What does not fit, and where.
        problem: PlacementError,
    },
}

/// Why a column write was refused. What was written before it remains.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// The category does not exist.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// Scenery has no columns to write.
    #[error(
        "category {category:?} is scenery, which is not written in columns; if one of its proxies must move, use \
         `set_center` or `set_aabb`"
    )]
    Scenery {
        /// The category.
        category: String,
    },
    /// Scenery has no velocities.
    #[error("category {category:?} is scenery, which has no velocities; give them to what moves")]
    VelocityOfScenery {
        /// The category.
        category: String,
    },
    /// Arrays that are not as long as the rows they are to fill.
    #[error(
        "category {category:?}: {xs} xs and {ys} ys were given for {rows} rows; all three must be equal"
    )]
    LengthMismatch {
        /// The category.
        category: String,
        /// Length of the xs.
        xs: usize,
        /// Length of the ys.
        ys: usize,
        /// Rows to fill.
        rows: usize,
    },
    /// An array of points that is not as long as the rows it is to fill.
    #[error(
        "category {category:?}: {points} points were given for {rows} rows; there must be one for each row"
    )]
    PointsMismatch {
        /// The category.
        category: String,
        /// How many points there are.
        points: usize,
        /// Rows to fill.
        rows: usize,
    },
    /// An array of boxes that is not as long as the rows it is to fill.
    #[error(
        "category {category:?}: {aabbs} boxes were given for {rows} rows; there must be one for each row"
    )]
    AabbsMismatch {
        /// The category.
        category: String,
        /// How many boxes there are.
        aabbs: usize,
        /// Rows to fill.
        rows: usize,
    },
    /// An array of half extents that is not as long as the rows it is to fill.
    #[error(
        "category {category:?}: {half_extents} half extents were given for {rows} rows; there must be one for each row"
    )]
    HalfExtentsMismatch {
        /// The category.
        category: String,
        /// How many half extents there are.
        half_extents: usize,
        /// Rows to fill.
        rows: usize,
    },
    /// A row that does not exist.
    #[error(
        "category {category:?}: row {row} is not one of the {rows} rows there are, counted from {first}"
    )]
    NoSuchRow {
        /// The category.
        category: String,
        /// The row as given.
        row: Row,
        /// The first row there is.
        first: Row,
        /// How many there are.
        rows: usize,
    },
    /// A center that is not finite; the row keeps its last good one.
    #[error(
        "category {category:?}: the center {given:?} is not finite; row {row} keeps its last good one"
    )]
    NotFinite {
        /// The category.
        category: String,
        /// The row.
        row: Row,
        /// The center as given.
        given: [f32; 2],
    },
    /// A velocity that is not finite; the row keeps the one it has.
    #[error(
        "category {category:?}: the velocity {given:?} is not finite; row {row} keeps the one it has"
    )]
    VelocityNotFinite {
        /// The category.
        category: String,
        /// The row.
        row: Row,
        /// The velocity as given.
        given: [f32; 2],
    },
}

/// Why scenery was not loaded, packed, unloaded or listed. The world is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneryError {
    /// The category does not exist.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// The category holds things that move.
    #[error(
        "category {category:?} is not scenery; only categories made by `CategoryConfig::scenery` are loaded and packed"
    )]
    NotScenery {
        /// The category.
        category: String,
    },
    /// The tree was built from more rows than it holds boxes, so the others are unknown.
    #[error(
        "the tree holds {boxes} boxes of {rows} rows, and every row must have one; build it without disabled rows and \
         rows that are not boxes, as `pack_scenery` does"
    )]
    Incomplete {
        /// Boxes in the tree.
        boxes: usize,
        /// Rows it was built from.
        rows: usize,
    },
    /// A box of the tree exceeds the category's bound.
    #[error("row {row} of the tree: {problem}")]
    Placement {
        /// The row.
        row: Row,
        /// What does not fit.
        problem: PlacementError,
    },
    /// The category would get more proxies than it can hold.
    #[error(
        "category {category:?} cannot take {additional} boxes beside the {rows} proxies that it keeps; it holds at most {MAX_ROWS}"
    )]
    TooMany {
        /// The category.
        category: String,
        /// How many proxies it would keep.
        rows: usize,
        /// How many boxes the tree has.
        additional: usize,
    },
    /// There are too many boxes for the ids that are left.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// It has been unloaded, or its category has been loaded anew, or the world cleared.
    #[error(
        "{id:?} is not loaded any more: it was unloaded, its category was cleared or loaded anew, or the world was cleared"
    )]
    Unloaded {
        /// The scenery.
        id: SceneryId,
    },
    /// It belongs to another world.
    #[error(
        "{id:?} has world tag {}, and this world has {own}; an id is good only in the world that loaded the scenery",
        id.world_tag()
    )]
    OtherWorld {
        /// The scenery.
        id: SceneryId,
        /// The tag of this world.
        own: u16,
    },
}

/// Why the index cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StaleIndex {
    /// There has been no step or refresh since the world was made.
    #[error("nothing is indexed yet; call `step` or `refresh` first")]
    NeverIndexed,
    /// An index was not built to the end, because the executor panicked.
    #[error("the executor panicked while an index was built; call `step` or `refresh` first")]
    Unfinished,
    /// Rows or masks changed after the index was built, so that its pairs would name the wrong rows.
    #[error(
        "proxies of this world, or of a category that was asked about, were inserted, removed, migrated, enabled, disabled or given other \
         masks since the last step or refresh; call `refresh` first"
    )]
    RowsChanged,
    /// Something in this world was moved, or given another velocity, after the index was built, and some pairs are found by where things
    /// are now: [predicted](crate::PairBatch::is_predicted) ones.
    #[error(
        "something in this world was moved or given another velocity since the last step or refresh, and pairs of a margin or of a \
         velocity are found by where things are now; call `refresh` first"
    )]
    Moved,
}

/// Some of the centers of a [`set_centers`](crate::Broadphase::set_centers) were refused. All others are set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{} of {} centers were refused, and the others are set:{}", refused.len(), refused.len() + set, first_few(refused))]
#[non_exhaustive]
pub struct RefusedCenters {
    /// How many were set.
    pub set: usize,
    /// The refused ones: the index in the given order, from 0, and why. Never empty.
    pub refused: Vec<(usize, ProxyError)>,
}

/// The first few of what was refused, a line each.
fn first_few(refused: &[(usize, ProxyError)]) -> String {
    const SHOWN: usize = 4;
    let shown = refused.iter().take(SHOWN);
    let mut lines: String = shown
        .map(|(index, error)| format!("\n- number {index}: {error}"))
        .collect();
    if let more @ 1.. = refused.len().saturating_sub(SHOWN) {
        lines += &format!("\n- and {more} more");
    }
    lines
}

/// Why no room was made. The world is unchanged, except that some columns may have more room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReserveError {
    /// There is no such category.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// No category holds that many.
    #[error(
        "category {category:?} has {rows} proxies and cannot make room for {additional} more; it holds at most {MAX_ROWS}"
    )]
    TooMany {
        /// The category.
        category: String,
        /// How many proxies there are.
        rows: usize,
        /// How many more were to have room.
        additional: usize,
    },
    /// There is not enough memory.
    #[error("there is no memory for {additional} more proxies in category {category:?}: {problem}")]
    Memory {
        /// The category.
        category: String,
        /// How many more were to have room.
        additional: usize,
        /// What the allocator says.
        problem: TryReserveError,
    },
}

/// Why a query was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The shape is not valid: NaN, or a negative radius or distance.
    #[error(transparent)]
    Shape(#[from] throng_core::ShapeError),
    /// A category that does not exist is named.
    #[error(transparent)]
    UnknownCategory(#[from] UnknownCategory),
    /// There are proxies, but no step or refresh yet; or rows changed since the last one, and the answer is by row.
    #[error(transparent)]
    StaleIndex(#[from] StaleIndex),
    /// The proxy whose partners were asked for is not in this world.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    /// Neighborhoods were asked for in several pairs of categories at once.
    #[error(
        "neighborhoods are visited for one pair of categories at a time, but {given} pairs were given; `find_neighbors` lists \
         several at once"
    )]
    SeveralCategoryPairs {
        /// How many pairs of categories were given.
        given: usize,
    },
    /// Neighborhoods were asked for where boxes of any size are.
    #[error(
        "neighborhoods are visited in uniform categories, and {name:?} is not one; `find_neighbors` lists neighbors in any"
    )]
    NotUniform {
        /// The first of the categories given that is not uniform.
        given: CategoryId,
        /// Its name.
        name: String,
    },
    /// Pairs within an infinite distance were requested.
    #[error(
        "pairs are found within a finite distance, but {given} was given; one larger than the world finds all of them"
    )]
    EndlessDistance {
        /// The distance as given.
        given: f32,
    },
}

/// Why a command from another thread failed when its turn came.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A queued insert.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// A queued operation on a proxy.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
}
