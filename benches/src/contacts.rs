//! What a real frame costs: circles move, die and are born elsewhere; whoever touches whom is found, tested, and kept with
//! depth and speed of approach.
//!
//! Every [`Engine`] has the same circles in its own form, and must find the same contacts in every frame.

mod args;
mod arrays;
mod circles;
mod contact;
mod engine;
mod program;
mod tables;
mod throng_engine;
mod trial;

pub use args::Args;
pub use circles::{Circle, Course};
pub use contact::{Contact, Found, depth_and_approach, is_within, touch};
pub use engine::{Engine, STAGES, Stage, Times};
pub use program::{Engines, ProgramError, measure, own, run};
pub use throng_engine::{Rows, ThrongEngine};
pub use trial::{Disagreement, Figures, Trial};
