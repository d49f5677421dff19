//! After a frame: what is asked of the index.

// One query,
pub(crate) mod find;
pub(crate) mod found;
pub(crate) mod nearest;
pub(crate) mod queries;
pub(crate) mod shapes;
pub(crate) mod way;

// many at once,
pub(crate) mod answers;
pub(crate) mod batch_query;
pub(crate) mod find_batch;
pub(crate) mod order;

// pairs within a distance,
pub(crate) mod pairs_within;
pub(crate) mod within;
pub(crate) mod within_search;

// and what an index looks like.
pub(crate) mod cells;
