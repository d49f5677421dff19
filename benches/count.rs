//! Numbers as people type them.

/// Reads a count from 1 to 50 million: 20000, 20_000, 20k, 2M.
///
/// # Errors
///
/// What would be right.
pub fn parse_count(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let number: usize = digits
        .replace('_', "")
        .parse()
        .map_err(|_| "a whole number is needed, such as 20000 or 20k".to_owned())?;
    match number.checked_mul(unit) {
        Some(agents @ 1..=50_000_000) => Ok(agents),
        _ => Err("it must be from 1 to 50M".to_owned()),
    }
}
