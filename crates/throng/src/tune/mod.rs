//! What a frame cost, and how to do better.

// What is measured,
pub(crate) mod activity;
pub(crate) mod memory;
pub(crate) mod row_order;
pub(crate) mod sizes;

// and what follows from it.
pub(crate) mod advice;
pub(crate) mod cost;
pub(crate) mod crowding;
pub(crate) mod suggest;
