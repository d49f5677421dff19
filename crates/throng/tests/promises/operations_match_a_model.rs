//! Promise: whatever is done to a world in whatever order, it holds what a list of proxies would
//! hold.

use crate::model::{Model, Operation, operations};
use proptest::prelude::*;
use throng::{DoubleGridConfig, LooseQuadtreeConfig, OversizedStructure, StripsConfig};

fn structure() -> impl Strategy<Value = OversizedStructure> {
    prop_oneof![
        Just(StripsConfig::new().into()),
        Just(DoubleGridConfig::new().into()),
        Just(LooseQuadtreeConfig::new().split_above(3).into()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn operations_match_a_model(operations in operations(), structure in structure()) {
        let mut model = Model::new(structure);
        for operation in &operations {
            model.apply(operation);
            model.check_rows();
        }
        model.apply(&Operation::Step);
        model.apply(&Operation::Query([0.0, 0.0], 6.0));
    }
}
