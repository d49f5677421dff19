//! Other libraries that find what overlaps, each used in the way that suits it best.
//!
//! From the root of the repository:
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin contacts    # whole frames with an engine's narrowphase
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin ratios      # pairs alone, some minutes
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin ratios -- --scene mixed,rings
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin searches    # static trees, about a minute
//! cargo test --manifest-path benches/peers/Cargo.toml                            # everybody finds the same
//! ```
//!
//! Programs are in `compare/`. They give everybody frames in turns, so that a machine that slows down slows all.

mod broccoli;
pub mod contacts;
mod parry;
mod trees;
mod upkeep;

pub use broccoli::Broccoli;
pub use parry::Parry;
pub use trees::{Rstar, StaticIndex};
pub use upkeep::Upkeep;
