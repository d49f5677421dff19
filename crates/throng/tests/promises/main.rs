//! What the broadphase promises, each promise in a file. That it allocates nothing is a program of its own, because of its
//! allocator.

#[path = "../common/mod.rs"]
mod common;
mod model;
mod tuning;

mod a_config_is_a_file;
mod an_engine_may_run_the_plan;
mod answers_do_not_depend_on_rest;
mod begin_and_end;
mod casts_and_polygons_match_brute_force;
mod casts_ask_shapes;
mod clocks_are_the_hosts;
mod commands_run_in_a_fixed_order;
mod config_changes_on_a_living_world;
mod config_reports_every_problem;
mod costs_what_it_says;
mod errors_say_what_is_wrong;
mod every_form_of_a_query_agrees;
mod few_among_many;
mod frames_can_be_rolled_back;
mod masks_change_between_frames;
mod matches_brute_force;
mod names_are_read_back;
mod neighbors_match_brute_force;
mod operations_match_a_model;
mod orders_are_kept_while_rows_stay_near;
mod oversized_matches_brute_force;
mod pairs_say_who_they_are;
mod pairs_within_match_brute_force;
mod points_of_any_library;
mod predicted_pairs;
mod queries_match_brute_force;
mod queries_see_the_last_step;
mod rest_costs_nothing;
mod same_on_any_thread_count;
mod scenery_comes_in_pieces;
mod scenery_matches_brute_force;
mod sensors_are_only_told_of;
mod sizes_are_stored_where_they_differ;
mod sorted_rows_follow;
mod too_many_pairs_do_no_harm;
mod types_can_be_shared;
mod values_in_hand_are_the_columns;
mod who_meets_whom;
mod who_rests;
