//! Checks of input that every structure makes, and the errors they give.

use crate::{LooseError, MOST_ROWS};
use throng_core::{Simd, SimdLevel};

/// A size in the config, if there is one, must be a finite number above zero.
pub(crate) fn size(what: &'static str, given: Option<f32>) -> Result<(), LooseError> {
    match given.filter(|given| !(given.is_finite() && *given > 0.0)) {
        Some(given) => Err(LooseError::Size { what, given }),
        None => Ok(()),
    }
}

/// The instruction set asked for, or the best available.
pub(crate) fn simd(level: Option<SimdLevel>) -> Result<Simd, LooseError> {
    Ok(Simd::new(level)?)
}

/// Columns must not have more rows than can be numbered.
pub(crate) fn row_count(given: usize) -> Result<(), LooseError> {
    if given > MOST_ROWS {
        return Err(LooseError::TooManyRows { given });
    }
    Ok(())
}

/// Each box must have a row, and these must ascend and be below the limit.
pub(crate) fn rows_of_boxes(rows: &[u32], boxes: usize) -> Result<(), LooseError> {
    if rows.len() != boxes {
        let rows = rows.len();
        return Err(LooseError::RowsDiffer { rows, boxes });
    }
    if let Some(two) = rows.windows(2).find(|two| two[0] >= two[1]) {
        let (after, row) = (two[0], two[1]);
        return Err(LooseError::Descending { row, after });
    }
    rows.last().map_or(Ok(()), |&last| row_number(last))
}

/// A row number must be below the limit.
pub(crate) fn row_number(given: u32) -> Result<(), LooseError> {
    if given as usize >= MOST_ROWS {
        return Err(LooseError::RowTooHigh { given });
    }
    Ok(())
}

/// An invariant must hold; if not, the error says which is broken.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
