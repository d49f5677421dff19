//! Before a frame: writing to the world.

// One proxy is inserted, changed or removed.
pub(crate) mod insert;
pub(crate) mod remove;
pub(crate) mod set;

// Two of them never meet.
pub(crate) mod exclude;

// Many are inserted or removed.
pub(crate) mod batch;

// A whole category at a time.
pub(crate) mod aabbs;
mod column_checks;
pub(crate) mod columns;
pub(crate) mod scenery;
pub(crate) mod sort_rows;
pub(crate) mod velocity;

// From other threads, at any time.
pub(crate) mod command_queue;

// And the config.
pub(crate) mod reconfigure;
