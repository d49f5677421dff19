//! What the benchmarks of `throng` share: scenes, worlds made of them, and who is compared.
//!
//! ```sh
//! cargo bench -p throng-benches                           # all stages and whole frames, some minutes
//! cargo bench -p throng-benches --bench stages -- "grid build.*1M"
//! cargo bench -p throng-benches -- --test                 # everything once, small
//! cargo run --release -p throng-benches --bin ratios      # against broccoli, about a minute
//! ```
//!
//! Criterion follows one machine over time. How two things compare is for `ratios` to say, which gives
//! them frames in turns, so that a machine that slows down slows both.
//!
//! "P" is the number of overlapping pairs per agent. Figures are only as good as the quiet around them.

mod case;
mod contenders;
mod moving;
mod plan;
mod workers;
mod world;

pub use case::{Case, Order, crowds, patterns, short};
pub use contenders::{Broccoli, Contender, Fingerprint, Frame, GridAlone, WholeStep};
pub use moving::Moving;
pub use plan::{cases, criterion, is_test_mode, named_scene_agents};
pub use workers::Workers;
pub use world::{masks_of_row, world_of};
