//! Peers that find contacts of circles.

mod bodies_inside;
mod parry;

use std::sync::Arc;

use throng_benches::contacts::{Course, Engines};

use crate::Upkeep;

pub use bodies_inside::BodiesInside;
pub use parry::ParryBodies;

/// Every peer, as of frame 0.
pub fn peers(course: &Arc<Course>) -> Engines {
    vec![
        Box::new(BodiesInside::new(course)),
        Box::new(ParryBodies::new(course, Upkeep::Refit)),
        Box::new(ParryBodies::new(course, Upkeep::Optimize)),
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::peers;
    use throng_benches::contacts::{Course, Trial, own};

    #[test]
    fn everybody_finds_the_same_contacts() {
        for circles in [1, 50, 3_000] {
            let course = Arc::new(Course::new(circles, 20));
            let mut engines = peers(&course);
            engines.extend(own(&course, 1).unwrap());
            let trial =
                Trial::run(circles, 5, &mut engines).unwrap_or_else(|error| panic!("{error}"));
            let few = circles < 100;
            assert!(
                few || (0.5..1.0).contains(&trial.contacts_each),
                "{}",
                trial.contacts_each
            );
            assert_eq!(trial.references().len(), 4, "each peer, and the fastest");
        }
    }
}
