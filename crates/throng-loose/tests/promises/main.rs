//! What structures for boxes of any size promise, a file per promise: every structure, over the shared scenes,
//! against the shared oracle.

mod any_boxes;
mod bad_input_is_an_answer;
mod changeable;
mod common;
mod crowds_are_many_chunks;
mod matches_brute_force;
mod matches_while_everything_moves;
mod meetings_match_brute_force;
mod memory_follows_the_rows;
mod operations_match_a_model;
mod plans_are_kept_while_they_fit;
mod queries_match_brute_force;
mod recovers_from_a_panic;
mod scenes;
mod searches_see_every_change;
mod some_rows;
mod walls_cost_what_they_meet;
