//! What the header declares.

use std::collections::BTreeSet;

use crate::compilers::package;

/// The header for C.
pub fn header() -> String {
    std::fs::read_to_string(package().join("include/throng.h")).unwrap()
}

/// The words of a text that begin like this, each once.
pub fn words<'t>(text: &'t str, begin: &str) -> BTreeSet<&'t str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter))
        .filter(|word| word.starts_with(begin) && word.len() > begin.len())
        .collect()
}

/// The names of all functions in the header.
pub fn functions(header: &str) -> Vec<&str> {
    let is_function = |name: &&str| {
        let declared = [" ", "*"].map(|before| format!("{before}{name}("));
        declared.iter().any(|start| header.contains(start))
    };
    let functions: Vec<_> = words(header, "throng_")
        .into_iter()
        .filter(is_function)
        .collect();
    assert!(functions.len() > 50, "{functions:?}");
    functions
}
