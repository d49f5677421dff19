//! Boxes as columns of sides.

use throng_core::Boxes;

use crate::Population;

/// A column for each side of every row's box.
#[derive(Clone, Default, Debug)]
pub struct BoxColumns([Vec<f32>; 4]);

impl BoxColumns {
    /// The boxes of a population.
    pub fn of(population: &Population) -> Self {
        let mut columns = Self::default();
        columns.fill_from(population);
        columns
    }

    /// Replaces all rows.
    pub fn fill_from(&mut self, population: &Population) {
        self.0.iter_mut().for_each(Vec::clear);
        for sides in population.boxes() {
            let columns = self.0.iter_mut().zip(sides);
            columns.for_each(|(column, side)| column.push(side));
        }
    }

    /// What structures are built from.
    pub fn boxes(&self) -> Boxes<'_> {
        let [min_x, min_y, max_x, max_y] = &self.0;
        Boxes::new([min_x, min_y], [max_x, max_y]).expect("filled together")
    }
}
