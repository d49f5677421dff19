//! Rows into buckets, and a bucket's records into columns: the two passes of every index that is rebuilt from columns.
//!
//! | pass | does |
//! |---|---|
//! | partition | appends a record of each row to its bucket, or to each of its buckets: [`Partition`], [`Placement`] |
//! | sort | brings a bucket's records into the order of their columns, while they are in L1: [`ColumnCounters`], [`copy`], [`transpose`] |
//!
//! # The partition
//!
//! There is no counting pass. Each bucket gets room for what it held last time and some slack. A record too many is
//! still appended, over those of a neighbor, or dropped behind the end of the memory: the inner loop never looks at where
//! a bucket ends. A pass that overflowed has counted every
//! bucket exactly, and is then repeated with those counts. The first time is not special: every bucket starts with room
//! for a few.
//!
//! The rows are cut into as many parts as there are workers. Each part has its own run in every bucket, and the runs of
//! a bucket are next to each other, in part order:
//!
//! ```text
//! words:  │ bucket 0                        │ bucket 1                        │ …
//!         │ part 0 ▓▓▓▓▓░ │ part 1 ▓▓▓▓░░ │ part 0 ▓▓▓░░ │ part 1 ▓▓▓▓▓▓░ │
//! ```
//!
//! Parts are ascending ranges of whole groups of rows, and the order in which a group's records are appended depends
//! only on its rows. So a bucket, read from left to right, is the same for any number of parts, and the number of
//! workers does not change a result.
//!
//! # Instruction sets
//!
//! Both passes are plain Rust, inlined into a function of the caller for each instruction set. They use plain loops,
//! because closures would not be inlined.

mod columns;
mod part;
mod partition;
mod pass;
mod shares;

pub use columns::{ColumnCounters, copy, transpose};
pub use part::Part;
pub use partition::{Filled, MOST_PARTS, Partition, fit_words};
pub use pass::{Appender, GROUP, Pass, Placement, group_at};
pub use shares::even_shares;

#[cfg(test)]
mod tests;
