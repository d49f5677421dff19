//! What is asked of columns before any of their rows is written, whatever they hold; and the values for some of their rows, if all of these
//! may be written.

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

/// That there is a box for each of `rows` rows.
pub(super) fn check_aabbs(category: &str, aabbs: usize, rows: usize) -> Result<(), ColumnError> {
    if aabbs == rows {
        return Ok(());
    }
    Err(ColumnError::AabbsMismatch {
        category: category.to_owned(),
        aabbs,
        rows,
    })
}

/// That there are half extents for each of `rows` rows.
pub(super) fn check_half_extents(
    category: &str,
    half_extents: usize,
    rows: usize,
) -> Result<(), ColumnError> {
    if half_extents == rows {
        return Ok(());
    }
    Err(ColumnError::HalfExtentsMismatch {
        category: category.to_owned(),
        half_extents,
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

/// The values for the rows listed of `all` rows: the first of the columns is for the first row listed, and so on.
pub(super) fn values_in_order<'v>(
    category: &str,
    listed: &[Row],
    [xs, ys]: [&'v [f32]; 2],
    all: usize,
) -> Result<impl Iterator<Item = [f32; 2]> + use<'v>, ColumnError> {
    check_lengths(category, xs, ys, listed.len())?;
    check_rows(category, listed, 0..all as Row)?;
    Ok(xs.iter().zip(ys).map(|(&x, &y)| [x, y]))
}
