//! What the plugin promises, each promise in a file.

mod bad_input_is_a_message;
mod follows_whatever_happens;
mod runs_on_bevys_threads;
mod what_is_not_touched_rests;
