//! What a world is, and what it keeps.

// As configured.
pub(crate) mod config;
pub(crate) mod config_check;
pub(crate) mod config_error;
pub(crate) mod meets;
pub(crate) mod routing;

// Who works for it, unless an engine says.
pub(crate) mod executor;

// Proxies, and how they are named.
pub(crate) mod ids;
pub(crate) mod proxy;
pub(crate) mod rows;

// A category: its rows,
pub(crate) mod category;
pub(crate) mod columns;
pub(crate) mod journal;

// and the index of them, one kind for each kind of category.
pub(crate) mod box_index;
pub(crate) mod scenery_index;
pub(crate) mod structure;
