//! Counts as people type them on a command line.

use std::ops::RangeInclusive;

/// Reads a whole number in a range: 20000, `20_000`, 20k, 2M.
///
/// # Errors
///
/// What is needed, in a sentence.
///
/// ```
/// use throng_scenes::parse_count;
///
/// assert_eq!(parse_count("20k", 1..=50_000_000), Ok(20_000));
/// assert_eq!(parse_count("2M", 1..=1000).unwrap_err(), "it must be from 1 to 1000");
/// ```
pub fn parse_count(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let (least, most) = (range.start(), range.end());
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let number = digits
        .replace('_', "")
        .parse::<usize>()
        .map_err(|_| "a whole number is needed, such as 20000 or 20k".to_owned())?;
    match number.checked_mul(unit) {
        Some(number) if range.contains(&number) => Ok(number),
        _ if *most == usize::MAX => Err(format!("at least {least} is needed")),
        _ => Err(format!("it must be from {least} to {most}")),
    }
}
