//! Predicted pairs: of two boxes that do not overlap, but would with their margins, or on their way to where they will be in
//! the next step.
//!
//! A row's *swept box* is the box around where it is and where its velocity takes it, with its margin around it. Most that look ahead
//! look less far than they are wide. These are met where they are: the index of their category is searched once more, as if its
//! boxes were wider by the farthest that any of them looks, and what is found is tested with the swept boxes. Those that look farther
//! have their swept boxes in an [index of their own](swept), so that one that is fast neither needs room in a bound nor widens the
//! search for all. They are met as another category is ([`meetings`]). Which rows are which is [chosen](choice) in each step.
//!
//! Pairs that overlap are left out, because the step has them. So those pairs, their order and their events are the same with and without
//! prediction, queries see boxes as they are, and where nobody looks ahead there is nothing to do.
//!
//! What was considered instead: to put swept boxes into the index itself, as engines with fat boxes do. That saves the second
//! search; but every query, every event and every pair would have had to be tested again with the boxes as they are, and a uniform
//! category would have had to store them. And a second index for all that look ahead: a step in which all of 20,000 had a
//! velocity took twice as long, and memory four times as much.

mod choice;
mod look_ahead;
pub(crate) mod meetings;
pub(crate) mod swept;
