//! What the grid promises, a file per promise.

mod any_points;
mod bad_input_is_an_answer;
mod boxes_ask;
mod common;
mod few_may_jump;
mod masks_by_class_match_brute_force;
mod matches_brute_force;
mod mends_are_refused;
mod mends_match_builds;
mod near_rows_match_brute_force;
mod places_are_noted;
mod plans_are_kept_while_they_fit;
mod queries_match_brute_force;
mod recovers_from_a_panic;
mod refits_match_builds;
mod rows_come_in_any_order;
mod some_rows_are_indexed;
mod uneven_crowds_have_few_leaves;
mod values_come_with_the_pairs;
