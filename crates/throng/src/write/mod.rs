//! Before a frame: what is written.

// One proxy at a time, or many.
pub(crate) mod batch;
pub(crate) mod operations;

// A whole category at a time.
pub(crate) mod columns;
pub(crate) mod scenery;

// From other threads, at any time.
pub(crate) mod command_queue;

// And the config.
pub(crate) mod reconfigure;
