//! Static trees, and what is asked of them.

mod contenders;
mod queries;

pub use contenders::{Answer, Packed, Rstar, StaticIndex, Tree};
pub use queries::{Queries, questions, shots};
