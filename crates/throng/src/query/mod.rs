//! After a frame: queries of the index.

// What is common to all queries,
pub(crate) mod filter;
pub(crate) mod queries;

// a file for each kind, from the world down to the index of one category,
pub(crate) mod aabb;
pub(crate) mod circle;
pub(crate) mod nearest;
pub(crate) mod partners;
pub(crate) mod point;
pub(crate) mod polygon;

pub(crate) mod cast;
pub(crate) mod casting;
pub(crate) mod windows;

// many at once,
pub(crate) mod answers;
pub(crate) mod batch;
pub(crate) mod order;
pub(crate) mod resolve;

// pairs within a distance,
pub(crate) mod pairs_within;
pub(crate) mod within;
pub(crate) mod within_pieces;
pub(crate) mod within_search;

// the neighbors of each row,
pub(crate) mod neighbor_search;
pub(crate) mod neighborhoods;
pub(crate) mod neighbors;

// and what an index looks like.
pub(crate) mod cells;
