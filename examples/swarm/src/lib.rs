//! A swarm of circles of several sizes that steer, collide, push apart and bounce, and dragons and walls among them.
//!
//! What `parallel_swarm` shows in a window and `swarm_web` in a page. Begin reading at [`swarm`], which shows all that the
//! broadphase and an engine say to each other in a frame, and at [`contacts`], the narrowphase.
//!
//! The same seed gives the same run on any number of threads and on any processor: whatever decides where a body is uses
//! additions, multiplications, divisions and square roots only, which are the same to the bit everywhere.

pub mod bodies;
#[path = "../../shared/colour.rs"]
pub mod colour;
pub mod contacts;
pub mod failure;
pub mod figures;
mod flow;
mod ground;
pub mod motion;
mod open_cells;
pub mod paint;
pub mod pair_hash;
mod resolve;
mod restraint;
pub mod setup;
pub mod sizes;
pub mod sleep;
pub mod swarm;
pub mod terrain;
pub mod view;
pub mod walls;
pub mod witness;
