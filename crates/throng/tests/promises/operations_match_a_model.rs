//! Promise: whatever is done to a world in whatever order, it holds what a list of proxies would
//! hold.

use crate::model::{Model, Operation, operations, structure};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

#[test]
fn operations_match_a_model() {
    let config = ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (rested, refitted) = (Cell::new(0), Cell::new(0));
    let whatever = (operations(), structure(), any::<bool>(), any::<bool>());
    let run =
        TestRunner::new(config).run(&whatever, |(operations, structure, rests, has_slots)| {
            let mut model = Model::new(structure, rests, has_slots);
            for operation in &operations {
                model.apply(operation);
                model.check_rows();
            }
            model.apply(&Operation::Step);
            model.apply(&Operation::Query([0.0, 0.0], 6.0));
            rested.set(rested.get() + model.rested());
            refitted.set(refitted.get() + model.refitted());
            Ok(())
        });
    run.unwrap_or_else(|failed| panic!("{failed}"));
    assert!(rested.get() > 100, "{} pairs rested", rested.get());
    let refitted = refitted.get();
    assert!(refitted > 100, "{refitted} steps kept an order");
}
