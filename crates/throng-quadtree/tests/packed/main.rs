//! What the packed quadtree promises, a file per promise: over the shared scenes, against the shared oracle.

mod any_boxes;
mod bad_input_is_an_answer;
mod bytes_are_the_tree;
mod common;
mod costs_what_it_says;
mod forests_match_brute_force;
mod meetings_match_brute_force;
mod ordered_searches_match_brute_force;
mod queries_match_brute_force;
mod real_maps;
mod same_on_any_thread_count;
mod scenes;
mod shapes_match_brute_force;
