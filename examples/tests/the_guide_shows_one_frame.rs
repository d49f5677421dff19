//! The guide shows `one_frame.rs` as it is.

#[test]
fn the_guide_shows_one_frame_word_for_word() {
    let guide = include_str!("../../docs/guide.md");
    let example = include_str!("../one_frame.rs");
    assert!(
        guide.contains(&format!("```rust\n{}\n```", example.trim_end())),
        "copy examples/one_frame.rs into docs/guide.md"
    );
}
