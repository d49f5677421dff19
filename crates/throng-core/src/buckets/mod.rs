//! Rows into buckets, and a bucket's records into columns: the two passes of whatever is rebuilt from columns.
//!
//! | pass | does |
//! |---|---|
//! | partition | appends a record of each row to its bucket, or to each of its buckets: [`Partition`], [`Placement`] |
//! | sort | brings a bucket's records into the order of their columns, while they are in L1: [`ColumnCounters`] |
//!
//! # The partition
//!
//! There is no counting pass. Each bucket is given what it held last time and some slack. A record too many is
//! appended all the same, over a neighbour's: nothing is asked in the inner loop, and a pass that overflowed has
//! counted every bucket exactly for its own repetition. The first time is nothing special: every bucket starts
//! with room for a few.
//!
//! The rows are cut into as many parts as there are workers, each with its own run of every bucket, and a bucket's
//! runs lie side by side in part order:
//!
//! ```text
//! words:  │ bucket 0                        │ bucket 1                        │ …
//!         │ part 0 ▓▓▓▓▓░ │ part 1 ▓▓▓▓░░ │ part 0 ▓▓▓░░ │ part 1 ▓▓▓▓▓▓░ │
//! ```
//!
//! Parts are ascending ranges of whole groups of rows, and a group's records are appended in an order that its rows
//! alone decide. So a bucket read from left to right is the same however many parts there were: the number of
//! workers cannot show.
//!
//! # Instruction sets
//!
//! Both passes are plain Rust, inlined into a function of the caller's for each instruction set. Loops are spelled
//! out, because closures would not be inlined.

mod columns;
mod part;
mod partition;
mod pass;
mod shares;

pub use columns::ColumnCounters;
pub use part::Part;
pub use partition::{Filled, MOST_PARTS, Partition, fit_words};
pub use pass::{Appender, GROUP, Pass, Placement, group_at};
pub use shares::even_shares;

#[cfg(test)]
mod tests;
