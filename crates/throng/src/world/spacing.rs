//! How far apart the rows of a category are.

use std::sync::OnceLock;

use throng_core::even_spacing;

use crate::world::columns::ProxyColumns;

/// How many rows are looked at.
const SAMPLE: usize = 64;
/// How many of them are taken to be outliers at either end.
const FAR_OUT: usize = SAMPLE / 8;
/// While no more than one row in so many has changed, the last sample will do: it is no more exact than that.
const PART_CHANGED: usize = 64;

/// About how far apart rows are where most of them are, as of an index: estimated from a sample without outliers.
///
/// The sample is taken with the index, in every step, but sorted only when somebody asks: that takes a microsecond, which is
/// a quarter of a step of fifty rows, and most worlds are never asked.
#[derive(Clone)]
pub(crate) struct Spacing {
    xs: [f32; SAMPLE],
    ys: [f32; SAMPLE],
    rows: usize,
    /// How many rows have changed since, as far as known.
    changed: usize,
    found: OnceLock<f32>,
}

impl Default for Spacing {
    fn default() -> Self {
        Self {
            xs: [0.0; SAMPLE],
            ys: [0.0; SAMPLE],
            rows: 0,
            changed: 0,
            found: OnceLock::new(),
        }
    }
}

impl Spacing {
    /// Notes that so many more rows have changed, and tells whether so many have that it is time to look again.
    pub(crate) fn note(&mut self, changed: usize) -> bool {
        self.changed = self.changed.saturating_add(changed);
        self.changed > self.rows / PART_CHANGED
    }

    /// Takes a sample of the columns in place of the last one.
    pub(crate) fn look(&mut self, columns: &ProxyColumns) {
        self.rows = columns.len();
        self.changed = 0;
        self.found.take();
        if self.rows == 0 {
            return;
        }
        let [xs, ys] = columns.centers();
        for look in 0..SAMPLE {
            let row = (look as u64 * self.rows as u64 / SAMPLE as u64) as usize;
            (self.xs[look], self.ys[look]) = (xs[row], ys[row]);
        }
    }

    /// The spacing; 0 if there are no rows.
    pub(crate) fn get(&self) -> f32 {
        if self.rows == 0 {
            return 0.0;
        }
        *self
            .found
            .get_or_init(|| even_spacing([self.xs, self.ys].map(extent), self.rows as f64) as f32)
    }
}

/// The extent of a sample without its outliers.
fn extent(mut sample: [f32; SAMPLE]) -> f64 {
    sample.sort_unstable_by(f32::total_cmp);
    f64::from(sample[SAMPLE - 1 - FAR_OUT]) - f64::from(sample[FAR_OUT])
}

#[cfg(test)]
mod tests {
    use throng_core::Columns;

    use super::*;

    #[test]
    fn it_is_looked_at_again_once_enough_has_changed() {
        let mut columns = ProxyColumns::default();
        let mut spacing = Spacing::default();
        columns.push_rows(10 * PART_CHANGED);
        assert!(spacing.note(1), "nothing is known");
        spacing.look(&columns);
        assert!(!spacing.note(0));
        assert!(!spacing.note(7));
        assert!(!spacing.note(3));
        assert!(spacing.note(1));
        spacing.look(&columns);
        assert!(!spacing.note(10));
        assert!(spacing.note(usize::MAX));
    }

    #[test]
    fn spacing_is_how_far_apart_most_rows_are() {
        let mut columns = ProxyColumns::default();
        let mut spacing = Spacing::default();
        assert_eq!(spacing.get(), 0.0);
        columns.push_rows(10_000);
        for row in 0..10_000 {
            // A square of 100 by 100, three units apart, in no order; but a few are far out.
            let place = row * 7919 % 10_000;
            columns.xs[row] = 3.0 * (place % 100) as f32 + if row % 40 == 7 { 1e6 } else { 0.0 };
            columns.ys[row] = 3.0 * (place / 100) as f32;
        }
        spacing.look(&columns);
        let in_a_square = spacing.get();
        assert!((2.0..3.5).contains(&in_a_square), "{in_a_square}");
        for row in 0..10_000 {
            columns.xs[row] = 5.0 * row as f32;
        }
        columns.ys.fill(0.0);
        assert_eq!(spacing.get(), in_a_square, "as of the last look");
        spacing.look(&columns);
        let in_a_line = spacing.get();
        assert!((3.0..5.5).contains(&in_a_line), "{in_a_line}");
        columns.clear_rows();
        spacing.look(&columns);
        assert_eq!(spacing.get(), 0.0);
    }
}
