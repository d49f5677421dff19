//! Static trees, and what is asked of them.

mod packed;
mod queries;

pub use packed::{Answer, Packed, Tree};
pub use queries::{Queries, questions, shots, windows_that_find};
