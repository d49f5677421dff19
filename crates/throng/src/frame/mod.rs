//! A frame, in the order in which it runs.

// All of it.
pub(crate) mod step;

pub(crate) mod ingest;

// Which categories meet in how many chunks,
pub(crate) mod plan;

// and the search of one chunk.
pub(crate) mod search;

// What is called with the pairs, and where it puts what it makes of them.
pub(crate) mod collect;
pub(crate) mod narrowphase;
pub(crate) mod outputs;

// What it came to, and how long it took.
pub(crate) mod clock;
pub(crate) mod report;
