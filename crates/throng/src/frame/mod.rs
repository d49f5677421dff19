//! A frame, in the order in which it runs.

// The whole frame.
pub(crate) mod step;

pub(crate) mod ingest;

// Which categories meet, and in how many chunks,
pub(crate) mod plan;

// and the search of one chunk.
pub(crate) mod few_rows;
pub(crate) mod search;
pub(crate) mod sieve;

// Scratch memory of searches, of queries as well.
pub(crate) mod search_arenas;

// When memory that is kept is let go.
pub(crate) mod need;

// The narrowphase, and where its results go.
pub(crate) mod collect;
pub(crate) mod handover;
pub(crate) mod in_hand;
pub(crate) mod narrowphase;
pub(crate) mod outputs;

// Which pairs there will be.
pub(crate) mod prediction;

// Which pairs are new, and which are gone.
pub(crate) mod events;

// Who rests, and which pairs need not be found again.
pub(crate) mod resting;

// When there are more pairs than there may be.
pub(crate) mod limit;

// Where it runs.
pub(crate) mod short_steps;

// The counts of a frame, and how long it took.
pub(crate) mod clock;
pub(crate) mod report;
pub(crate) mod spans;
