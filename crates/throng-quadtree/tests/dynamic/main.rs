//! What the dynamic quadtree promises, a file per promise: over the shared scenes, against the shared oracle.

mod any_boxes;
mod bad_input_is_an_answer;
mod common;
mod copies_are_bounded;
mod memory_comes_back;
mod nodes_are_drawn;
mod operations_match_a_model;
mod pairs_match_brute_force;
mod queries_match_brute_force;
