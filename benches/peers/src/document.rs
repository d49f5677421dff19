//! Sections of a document that programs write.

/// What such a section ends with.
const END: &str = "<!-- The end of the generated section. -->";

/// The document with another text between this marker and the next end of a section; `None` if it lacks either.
pub fn with_section(document: &str, begin: &str, section: &str) -> Option<String> {
    let (before, rest) = document.split_once(begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!(
        "{before}{begin}\n\n{}\n\n{END}{after}",
        section.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::{END, with_section};

    #[test]
    fn only_what_is_between_the_markers_is_replaced() {
        const BEGIN: &str = "<!-- Written -->";
        let others = "<!-- Of others -->\ntheirs\n<!-- The end of the generated section. -->";
        let document = format!("# Before\n{others}\n{BEGIN}\nold\n{END}\nafter\n");
        let written = with_section(&document, BEGIN, "\nnew\n").unwrap();
        assert_eq!(
            written,
            format!("# Before\n{others}\n{BEGIN}\n\nnew\n\n{END}\nafter\n")
        );
        assert_eq!(with_section(&written, BEGIN, "new"), Some(written.clone()));
        assert_eq!(with_section("no markers", BEGIN, "new"), None);
    }
}
