//! The README shows `one_frame.rs` as it is.

#[test]
fn readme_shows_one_frame_word_for_word() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../one_frame.rs");
    assert!(
        readme.contains(&format!("```rust\n{}\n```", example.trim_end())),
        "copy examples/one_frame.rs into README.md"
    );
}
