//! In which order a batch of queries is asked: those close together after each other.

use throng_core::cell::CellMap;

/// So few queries are not worth sorting: of circles in no order in a world of 200,000 rows, 1000 took up to a tenth
/// longer for it on one thread, 2000 a tenth less, and 100,000 about half the time.
const FEW: usize = 1024;

/// The queries of a batch along a Z-curve through cells, those of one cell as they were given. (Morton, "A Computer
/// Oriented Geodetic Data Base and a New Technique in File Sequencing", 1966.)
///
/// Cells are numbered modulo 2^16 along each axis, so that one query far away does not make them coarse: it shares the
/// number of a cell where it is not, which costs a few misses.
#[derive(Default)]
pub(crate) struct Order {
    /// The cell, and the place in the order given in the lower half. Empty for the order given.
    keys: Vec<u64>,
    /// Of each query as given, its place among the keys.
    positions: Vec<u32>,
}

impl Order {
    /// Orders queries by their middles, in cells about this wide; few stay as given.
    pub(crate) fn sort(&mut self, width: f32, middles: impl ExactSizeIterator<Item = [f32; 2]>) {
        self.as_given();
        let len = middles.len();
        if len <= FEW || u32::try_from(len).is_err() {
            return;
        }
        let cells = CellMap::new(0.0, width);
        let keys = middles.zip(0_u64..).map(|(middle, index)| {
            let [x, y] = middle.map(|v| spread(cells.cell(v) as u16));
            u64::from(x | y << 1) << 32 | index
        });
        self.keys.extend(keys);
        if self.keys.is_sorted() {
            return self.as_given();
        }
        self.keys.sort_unstable();
        self.positions.resize(len, 0);
        for (position, &key) in (0..).zip(&self.keys) {
            self.positions[key as u32 as usize] = position;
        }
    }

    fn as_given(&mut self) {
        self.keys.clear();
        self.positions.clear();
    }

    /// The query at a place of this order, as given.
    #[inline]
    pub(crate) fn query_at(&self, position: usize) -> usize {
        let key = self.keys.get(position);
        key.map_or(position, |&key| key as u32 as usize)
    }

    /// The place of a query in this order.
    #[inline]
    pub(crate) fn position_of(&self, query: usize) -> usize {
        let position = self.positions.get(query);
        position.map_or(query, |&position| position as usize)
    }
}

/// The bits of a number with a zero above each.
fn spread(v: u16) -> u32 {
    let v = u32::from(v);
    let v = (v | v << 8) & 0x00ff_00ff;
    let v = (v | v << 4) & 0x0f0f_0f0f;
    let v = (v | v << 2) & 0x3333_3333;
    (v | v << 1) & 0x5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as are sorted.
    const MANY: usize = FEW + 1;

    /// The queries as ordered, each of which knows its place.
    fn ordered(width: f32, middle: impl Fn(usize) -> [f32; 2]) -> Vec<usize> {
        let mut order = Order::default();
        for _ in 0..2 {
            order.sort(width, (0..MANY).map(&middle));
        }
        let asked: Vec<_> = (0..MANY).map(|place| order.query_at(place)).collect();
        assert!((0..MANY).all(|place| order.position_of(asked[place]) == place));
        asked
    }

    #[test]
    fn a_z_through_the_cells() {
        let rest = [9.5, 9.5];
        let first = [
            rest,
            [1.5, 1.5],
            [0.5, 1.5],
            [1.5, 0.5],
            [1.5, 1.0],
            [0.0, 0.0],
        ];
        let asked = ordered(1.0, |query| *first.get(query).unwrap_or(&rest));
        assert_eq!(asked[..7], [5, 3, 2, 1, 4, 0, 6]);
        assert!(
            asked[7..].iter().copied().eq(7..MANY),
            "those of a cell stay as given"
        );
    }

    #[test]
    fn few_and_sorted_ones_stay_as_given() {
        let mut order = Order::default();
        order.sort(1.0, (0..FEW).rev().map(|query| [query as f32; 2]));
        assert!(order.keys.is_empty() && order.positions.is_empty());
        order.sort(1.0, (0..MANY).map(|query| [query as f32; 2]));
        assert!(order.keys.is_empty() && order.positions.is_empty());
    }

    #[test]
    fn places_that_are_none_have_a_cell() {
        let nowhere = [f32::NAN, f32::INFINITY, f32::MIN];
        for width in [0.0, f32::NAN, f32::INFINITY, -1.0] {
            let mut asked = ordered(width, |query| [nowhere[query % 3], nowhere[query % 2]]);
            asked.sort_unstable();
            assert!(asked.into_iter().eq(0..MANY));
        }
    }
}
