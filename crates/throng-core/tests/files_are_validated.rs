//! What is read from a file is checked as if it had been constructed.
#![cfg(feature = "serde")]

use throng_core::{Aabb, Handle, MaskWords, SimdLevel};

#[test]
fn boxes_are_read_back_and_nonsense_is_refused() {
    let aabb = Aabb::new([0.0, 1.0], [2.0, 3.5]).unwrap();
    let text = serde_json::to_string(&aabb).unwrap();
    assert_eq!(text, r#"{"min":[0.0,1.0],"max":[2.0,3.5]}"#);
    assert_eq!(serde_json::from_str::<Aabb>(&text).unwrap(), aabb);

    let beach = Aabb::new([f32::NEG_INFINITY, 0.0], [f32::INFINITY, 2.0]).unwrap();
    let text = serde_json::to_string(&beach).unwrap();
    assert_eq!(text, r#"{"min":[null,0.0],"max":[null,2.0]}"#);
    assert_eq!(serde_json::from_str::<Aabb>(&text).unwrap(), beach);

    let inverted = r#"{"min":[5.0,1.0],"max":[2.0,3.5]}"#;
    let error = serde_json::from_str::<Aabb>(inverted).unwrap_err();
    assert!(error.to_string().contains("inverted in x"), "{error}");
    let misspelt = r#"{"min":[0.0,1.0],"max":[2.0,3.5],"mux":[0.0,0.0]}"#;
    assert!(serde_json::from_str::<Aabb>(misspelt).is_err());
}

#[test]
fn plain_data_is_read_back() {
    let masks = MaskWords {
        memberships: 1,
        filter: 6,
    };
    let text = serde_json::to_string(&masks).unwrap();
    assert_eq!(text, r#"{"memberships":1,"filter":6}"#);
    assert_eq!(serde_json::from_str::<MaskWords>(&text).unwrap(), masks);

    let handle = Handle::from_bits(3 << 32 | 17);
    let text = serde_json::to_string(&handle).unwrap();
    assert_eq!(serde_json::from_str::<Handle>(&text).unwrap(), handle);

    assert_eq!(
        serde_json::to_string(&SimdLevel::Avx512).unwrap(),
        r#""avx512""#
    );
}
