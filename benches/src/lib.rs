//! What the benchmarks of `throng` share: populations, worlds made of them, and who is compared.
//!
//! ```sh
//! cargo bench --manifest-path benches/Cargo.toml                           # all stages and whole frames, some minutes
//! cargo bench --manifest-path benches/Cargo.toml --bench stages -- "grid build.*1M"
//! cargo bench --manifest-path benches/Cargo.toml --bench boxes -- "strips.*250k"
//! cargo bench --manifest-path benches/Cargo.toml -- --test                 # everything once, small
//! cargo run --release --manifest-path benches/Cargo.toml --bin categories  # one category, and several
//! cargo run --release --manifest-path benches/Cargo.toml --bin loads       # scenery loaded from bytes, and copies of them
//! cargo run --release --manifest-path benches/Cargo.toml --bin meetings    # few among many, and many among many
//! cargo run --release --manifest-path benches/Cargo.toml --bin neighbors   # pairs within a distance, and lists of neighbours
//! cargo run --release --manifest-path benches/Cargo.toml --bin own_contacts   # whole frames with an engine's narrowphase
//! cargo run --release --manifest-path benches/Cargo.toml --bin turning     # things that have another box in each step
//! ```
//!
//! Criterion follows one machine over time: its targets are in `criterion/`. How two things compare is for the programs in
//! `compare/` to say, which give them frames in turns, so that a machine that slows down slows both. Those that compare with
//! other libraries are in `peers/`, a package of its own.
//!
//! "P" is the number of overlapping pairs per agent. Figures are only as good as the quiet around them.

mod box_columns;
mod case;
mod cell_grid;
pub mod contacts;
mod contenders;
mod count;
mod moving;
mod plan;
mod population;
mod samples;
mod sorted;
mod stage;
mod trees;
mod workers;
mod world;

pub use box_columns::BoxColumns;
pub use case::{Case, Kind, Order, crowds, patterns, short};
pub use cell_grid::{CellGrid, NeighbourLists};
pub use contenders::{Alone, Contender, Fingerprint, Frame, Loose, Share, WholeStep, mixed};
pub use count::parse_count;
pub use moving::{Motion, Moving, there_and_back};
pub use plan::{box_cases, cases, criterion, is_test_mode, named_scene_agents, whole_world_cases};
pub use population::{Group, Population, Sides};
pub use samples::Samples;
pub use sorted::sort_centers;
pub use stage::{Run, measure_stage};
pub use trees::{Answer, Packed, Queries, Tree, questions, shots, windows_that_find};
pub use workers::{Workers, work_on};
pub use world::{
    categories, give_own_sizes, masks_of_row, row_of_key, world_of, world_of_scene, write_centers,
};
