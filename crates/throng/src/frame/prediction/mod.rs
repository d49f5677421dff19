//! Predicted pairs: of two boxes that do not overlap, but would with their margins, or on their way to where they will be in
//! the next step.
//!
//! Rows that look ahead are a second time in an index of their own: their [swept boxes](swept), each from where a row is to
//! where its velocity takes it, with the margin around it. These are of any size, whatever the category, so that one that is
//! fast needs no room in a bound; but where nobody has a velocity, those of a uniform category fit a bound, too. They are met as
//! another category is ([`meetings`]): with each other, and with whatever does not look ahead in the category's own index; pairs
//! that overlap are left out, because the step has them. So those pairs, their order and their events are the same with and
//! without prediction, queries see boxes as they are, and where nobody looks ahead there is nothing to do.
//!
//! What was considered instead: to put swept boxes into the index itself, as engines with fat boxes do. That saves the second
//! index where everybody has a margin; but every query, every event and every pair would have had to be tested again with
//! the boxes as they are, and a uniform category would have had to store them.

pub(crate) mod meetings;
pub(crate) mod swept;
