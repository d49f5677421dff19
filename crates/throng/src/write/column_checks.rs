//! What is asked of columns before any of their rows is written, whatever they hold.

use std::ops::Range;

use crate::error::ColumnError;
use crate::world::ids::Row;

/// That there is a value on each axis for each of `rows` rows.
pub(super) fn check_lengths(
    category: &str,
    xs: &[f32],
    ys: &[f32],
    rows: usize,
) -> Result<(), ColumnError> {
    if xs.len() == rows && ys.len() == rows {
        return Ok(());
    }
    Err(ColumnError::LengthMismatch {
        category: category.to_owned(),
        xs: xs.len(),
        ys: ys.len(),
        rows,
    })
}

/// That there is a point for each of `rows` rows.
pub(super) fn check_points(category: &str, points: usize, rows: usize) -> Result<(), ColumnError> {
    if points == rows {
        return Ok(());
    }
    Err(ColumnError::PointsMismatch {
        category: category.to_owned(),
        points,
        rows,
    })
}

/// That all rows listed are among those that can be written.
pub(super) fn check_rows(
    category: &str,
    listed: &[Row],
    rows: Range<Row>,
) -> Result<(), ColumnError> {
    let Some(&row) = listed.iter().find(|row| !rows.contains(row)) else {
        return Ok(());
    };
    Err(ColumnError::NoSuchRow {
        category: category.to_owned(),
        row,
        first: rows.start,
        rows: rows.len(),
    })
}
