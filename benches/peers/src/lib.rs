//! Other libraries that find what overlaps, each used in the way that suits it best.
//!
//! From the root of the repository:
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin contacts    # whole frames with an engine's narrowphase
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin pairs   # pairs, and then whole frames
//! cargo run --release --manifest-path benches/peers/Cargo.toml --features all-peers --bin resting # where most rest
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin searches    # static trees, about a minute
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin questions   # a box at a time, of every structure
//! cargo test --manifest-path benches/peers/Cargo.toml                            # everybody finds the same
//! ```
//!
//! Programs are in `compare/`. They give everybody frames in turns, so that a machine that slows down slows all.
//!
//! Peers that take long to build, rapier, obvhs and Box2D (which needs a C compiler), come with the feature `all-peers`, and
//! so do plots. LAMMPS takes part if its shared library is there (`apt-get install lammps`). The tests with all of them:
//! `cargo test --manifest-path benches/peers/Cargo.toml --features all-peers`.

#[cfg(feature = "all-peers")]
mod box2d;
mod broccoli;
pub mod conditions;
pub mod contacts;
pub mod document;
mod entrant;
#[cfg(feature = "all-peers")]
mod exact_pairs;
mod hash_grid;
#[cfg(feature = "all-peers")]
mod kept;
#[cfg(feature = "all-peers")]
mod lammps;
#[cfg(feature = "all-peers")]
mod obvhs;
mod parry;
mod parts;
#[cfg(feature = "all-peers")]
pub mod plot;
mod queries;
#[cfg(feature = "all-peers")]
mod rapier;
mod rebuilt;
mod roster;
mod stopwatch;
mod sweep;
mod trees;
mod upkeep;

pub use broccoli::Broccoli;
pub use entrant::{Entrant, Found, PairSum, Peer};
pub use hash_grid::HashGrid;
pub use parry::{Parry, ParryTree};
pub use rebuilt::Rebuilt;
pub use roster::{everybody, left_out, ways};
pub use stopwatch::Stopwatch;
pub use sweep::Sweep;
pub use trees::{GeoIndex, Rstar, StaticIndex};
pub use upkeep::Upkeep;
