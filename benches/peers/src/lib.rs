//! Other libraries that find what overlaps, each used in the way that suits it best.
//!
//! From the root of the repository:
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin contacts   # whole frames with an engine's narrowphase
//! cargo test --manifest-path benches/peers/Cargo.toml                           # everybody finds the same
//! ```

pub mod contacts;
mod upkeep;

pub use upkeep::Upkeep;
