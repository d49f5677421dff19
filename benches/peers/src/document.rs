//! Sections of a document that programs write.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// What such a section ends with.
const END: &str = "<!-- The end of the generated section. -->";

/// `benchmarks.md`, as it was when it was read.
pub struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    /// Reads that of a folder.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn read(docs: &Path) -> Result<Self, Box<dyn Error>> {
        let path = docs.join("benchmarks.md");
        let text = fs::read_to_string(&path)?;
        Ok(Self { path, text })
    }

    /// Writes it with another text between this marker and the next end of a section.
    ///
    /// # Errors
    ///
    /// If it lacks either, or cannot be written.
    pub fn write_section(&self, begin: &str, section: &str) -> Result<(), Box<dyn Error>> {
        let text = with_section(&self.text, begin, section);
        fs::write(&self.path, text.ok_or("the document lacks the markers")?)?;
        Ok(())
    }
}

/// What shows pictures in a document: of each, where it is and what it shows.
pub fn pictures(drawn: &[(String, String)]) -> String {
    let shown = drawn
        .iter()
        .map(|(file, caption)| format!("\n![{caption}]({file})\n"));
    shown.collect()
}

/// The document with another text between this marker and the next end of a section; `None` if it lacks either.
fn with_section(document: &str, begin: &str, section: &str) -> Option<String> {
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
