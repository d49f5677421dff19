//! Numbers as people type them.

/// Reads how many things a bench is about: 20000, `20_000`, 20k, 2M, up to 50 million.
///
/// # Errors
///
/// What would be right.
pub fn parse_count(text: &str) -> Result<usize, String> {
    throng_scenes::parse_count(text, 1..=50_000_000)
}
