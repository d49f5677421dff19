//! The `throng` broadphase for C and C++: what is declared in `include/throng.h`, and wrapped for C++17 in
//! `include/throng.hpp`.
//!
//! Names are those of the Rust crate with `throng_` before them, and the documentation there says more about each; `docs/c.md`
//! has a guide. Types are named here as C knows them. A world is opaque. What goes in and out are numbers, plain structs, and
//! columns by pointer and count.
//!
//! # Nothing unwinds into C
//!
//! Every function that can fail returns a [`throng_status`], and [`throng_last_error_message`] tells the thread that called it
//! what was wrong and what is needed. Each runs inside `border.rs`, which catches panics: they have a code of their own, and the
//! world in which one happened refuses everything from then on but to be freed. Callbacks of C run while Rust is on the stack:
//! they must return, and not throw or jump out.
//!
//! # Who may use a world
//!
//! C has no borrow checker, so a world counts who uses it (`gate.rs`). Functions that take a `const throng_world *` may run on
//! any number of threads at once. Whoever calls another one meanwhile, from another thread or from inside of a callback, is
//! told `THRONG_STATUS_BUSY`, and nothing has happened. This costs a few atomic operations, some 15 ns a call, and saves a world
//! from the most common mistake there is: to insert or remove something in the middle of a step.
//!
//! # How it grows
//!
//! Structs that the caller fills in, and reports, begin with their size as the caller knows it: fields that are added later
//! are zero for those who were compiled without them, and zero always means what it meant before there was such a field. All
//! other structs stay as they are; what comes later has functions of its own.
//!
//! # Columns are filled, not written in place
//!
//! A center that is not finite must not reach the index, and its row keeps the last good one; where C has written in place
//! there would be none. So [`throng_fill_centers`] checks and copies, which is about as fast as a copy.
//!
//! # Safety
//!
//! For all functions alike: a pointer is null or points to as many valid, aligned elements as are said to be there, for as long
//! as the call lasts; what is written by a call overlaps nothing else that is passed to it; a world is one that a function here
//! has made, and that is not freed yet.
#![allow(
    unsafe_code,
    reason = "pointers from C are read and written; in each function in one block, by the helpers in `pointers.rs`"
)]
#![allow(
    non_camel_case_types,
    reason = "types are named as C knows them, so that the header and these pages agree"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what a caller promises is the same everywhere: it is on this page, and in the header"
)]

// The border: what may cross it, and how.
mod border;
mod gate;
mod growing;
mod last_error;
mod pointers;
mod refusals;
mod status;
mod strided;
mod version;

// Plain data.
mod shapes;

// A world, and who runs its tasks.
mod category_config;
mod config;
mod executor;
mod toml_config;
mod world;

// What is written before a frame,
mod aabbs;
mod columns;
mod insert;
mod remove;
mod resting;
mod scenery;
mod set;
mod sort_rows;
mod velocities;

// what is read,
mod proxies;
mod rows;

// the frame,
mod batch;
mod events;
mod outputs;
mod report;
mod step;
mod step_pairs;

// and queries after it.
mod query;

pub use aabbs::*;
pub use batch::*;
pub use category_config::*;
pub use columns::*;
pub use config::*;
pub use events::*;
pub use executor::*;
pub use insert::*;
pub use last_error::*;
pub use outputs::*;
pub use proxies::*;
pub use query::batch::*;
pub use query::casts::*;
pub use query::filter::*;
pub use query::hits::*;
pub use query::nearest::*;
pub use query::neighbors::*;
pub use query::pairs_within::*;
pub use query::places::*;
pub use remove::*;
pub use report::*;
pub use resting::*;
pub use rows::*;
pub use scenery::*;
pub use set::*;
pub use shapes::*;
pub use sort_rows::*;
pub use status::*;
pub use step::*;
pub use step_pairs::*;
pub use toml_config::*;
pub use velocities::*;
pub use version::*;
pub use world::*;
