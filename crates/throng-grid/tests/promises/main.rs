//! What the grid promises, a file per promise.

mod any_points;
mod bad_input_is_an_answer;
mod common;
mod matches_brute_force;
mod queries_match_brute_force;
