//! What a world is, and what it stores.

// The config.
pub(crate) mod config;
pub(crate) mod config_check;
pub(crate) mod config_error;
#[cfg(feature = "serde")]
pub(crate) mod config_file;
pub(crate) mod meets;
pub(crate) mod resting;
pub(crate) mod routing;

// Who does the work, and how many workers there is memory for.
pub(crate) mod own_executor;
pub(crate) mod workers;

// Proxies and their ids.
pub(crate) mod ids;
pub(crate) mod proxy;
pub(crate) mod rows;
pub(crate) mod rows_now;

// Maps by row, slot or id, and what is made only if somebody asks.
pub(crate) mod index_map;
pub(crate) mod lazy;

// Who meets whom.
pub(crate) mod exclusions;
pub(crate) mod masks;
pub(crate) mod meeting_words;

// A category: its rows,
pub(crate) mod category;
pub(crate) mod columns;
pub(crate) mod disabled_rows;
pub(crate) mod given_boxes;
pub(crate) mod journal;
pub(crate) mod mask_column;
pub(crate) mod row_boxes;
pub(crate) mod row_changes;
pub(crate) mod spacing;

// and their index, one kind for each kind of category.
pub(crate) mod box_index;
pub(crate) mod loaded_boxes;
pub(crate) mod loaded_scenery;
pub(crate) mod scenery_changes;
pub(crate) mod scenery_index;
pub(crate) mod standing;
pub(crate) mod structure;
