//! What a good engine programmer writes in an afternoon: a grid of cells that gives each row the list of its neighbours.
//!
//! Points are sorted into cells as wide as the radius, by counting, and copied in that order, so that the points of three
//! cells in a line are read one after the other. Each point then looks at the three lines of its block of cells. All memory
//! is kept from frame to frame. One thread, no intrinsics, no `unsafe`.
//!
//! Three ways to write the lists were tried, on 20k, 100k and 1M points with 1.6, 6 and 25 neighbours each, interleaved:
//!
//! - *One pass* into a buffer in the order of cells, from which lists are copied to their places. Kept.
//! - *Two passes*, to count and to fill: 1.4 to 2 times as long, because it looks at everything twice.
//! - *Pairs first*, each once, counted as they are found and then given to both rows: 1.2 to 2 times as long from 6
//!   neighbours up. With 1.6 it takes 0.85 to 1 times as long, because it looks at half as many points.

use std::ops::Range;

/// The neighbours of every row, as compressed rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeighbourLists {
    /// The list of row `i` is `rows[starts[i]..starts[i + 1]]`. One more than there are rows.
    pub starts: Vec<usize>,
    /// All lists, one after the other.
    pub rows: Vec<u32>,
}

impl NeighbourLists {
    /// The neighbours of a row.
    pub fn of(&self, row: usize) -> &[u32] {
        &self.rows[self.starts[row]..self.starts[row + 1]]
    }
}

impl Default for NeighbourLists {
    fn default() -> Self {
        Self {
            starts: vec![0],
            rows: Vec::new(),
        }
    }
}

/// A grid of cells over the points of a frame, and its memory.
#[derive(Clone, Default, Debug)]
pub struct CellGrid {
    /// The cell of each row.
    cell_of: Vec<u32>,
    /// Where the points of each cell begin, line by line. Around the cells that can hold points lies a margin of empty ones,
    /// so that every block of three by three exists.
    cells: Vec<u32>,
    columns: usize,
    /// All points, cell by cell.
    points: Vec<Point>,
    /// Lists in the order of `points`; in use up to the sum of their lengths.
    found: Vec<u32>,
    /// Where each of them ends.
    ends: Vec<usize>,
    lists: NeighbourLists,
}

/// Twelve bytes that are placed with one write and read in order.
#[derive(Clone, Copy, Default, Debug)]
struct Point {
    x: f32,
    y: f32,
    row: u32,
}

/// Cells for each point, at most: a small radius in a wide world would otherwise need more memory than there is.
const CELLS_PER_POINT: usize = 4;

impl CellGrid {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds, for every row, all other rows whose squared distance is at most the square of the radius. Lists are in the order of
    /// cells.
    ///
    /// Centres and radius must be finite. O(rows + looks at points in nine cells each).
    ///
    /// # Panics
    ///
    /// If the columns differ in length.
    pub fn find(&mut self, xs: &[f32], ys: &[f32], radius: f32) -> &NeighbourLists {
        assert_eq!(xs.len(), ys.len(), "columns of one length");
        self.sort_points(xs, ys, radius);
        self.find_lists(radius * radius);
        self.place_lists();
        &self.lists
    }

    /// As [`find`](Self::find), with the rows of each list in ascending order.
    ///
    /// # Panics
    ///
    /// As [`find`](Self::find).
    pub fn find_ascending(&mut self, xs: &[f32], ys: &[f32], radius: f32) -> &NeighbourLists {
        self.find(xs, ys, radius);
        let mut rest = &mut self.lists.rows[..];
        for ends in self.lists.starts.windows(2) {
            let (list, others) = rest.split_at_mut(ends[1] - ends[0]);
            list.sort_unstable();
            rest = others;
        }
        &self.lists
    }

    /// The lists of the last search.
    pub fn lists(&self) -> &NeighbourLists {
        &self.lists
    }

    /// A counting sort of all points by cell.
    fn sort_points(&mut self, xs: &[f32], ys: &[f32], radius: f32) {
        let [(left, width), (bottom, height)] = [xs, ys].map(extent);
        // Each of two places in units of cells is wrong by less than three halves of a rounding of the extent.
        let safe_side = radius + 4.0 * f32::EPSILON * (width.max(height) + radius);
        let most_cells = (CELLS_PER_POINT * xs.len() + 1) as f32;
        let side = safe_side
            .max((width / most_cells * height).sqrt())
            .max(width.max(height) / most_cells);
        let per_side = if side > 0.0 { 1.0 / side } else { 0.0 };
        self.columns = (width * per_side) as usize + 3;
        let lines = (height * per_side) as usize + 3;

        let Self {
            cell_of,
            cells,
            columns,
            points,
            ..
        } = self;
        cells.clear();
        cells.resize(*columns * lines + 1, 0);
        cell_of.clear();
        cell_of.extend(xs.iter().zip(ys).map(|(x, y)| {
            let column = ((x - left) * per_side) as u32 + 1;
            let line = ((y - bottom) * per_side) as u32 + 1;
            let cell = line * *columns as u32 + column;
            cells[cell as usize] += 1;
            cell
        }));
        let mut end = 0;
        for cell in cells.iter_mut() {
            end += *cell;
            *cell = end;
        }
        // Backwards, so that what ends as the first place of a cell was its end, and rows of a cell ascend.
        points.resize(xs.len(), Point::default());
        for (row, &cell) in cell_of.iter().enumerate().rev() {
            let place = &mut cells[cell as usize];
            *place -= 1;
            points[*place as usize] = Point {
                x: xs[row],
                y: ys[row],
                row: row as u32,
            };
        }
    }

    /// Finds the list of each point in the order of cells, and writes down its length by row.
    fn find_lists(&mut self, radius_squared: f32) {
        let Self {
            cells,
            columns,
            points,
            found,
            ends,
            lists,
            ..
        } = self;
        let (columns, points) = (*columns, &points[..]);
        ends.clear();
        lists.starts.clear();
        lists.starts.resize(points.len() + 1, 0);
        let line_of = |line: usize| &cells[line * columns..=(line + 1) * columns];
        let mut len = 0;
        for line in 1..(cells.len() - 1) / columns - 1 {
            let block = [line - 1, line, line + 1].map(line_of);
            for column in 1..columns - 1 {
                let own = places(block[1], column..column + 1);
                if own.is_empty() {
                    continue;
                }
                let around = block.map(|line| &points[places(line, column - 1..column + 2)]);
                // Every look writes, and only a neighbour moves on: a branch would be mispredicted. So there has to be room
                // for all that are looked at, and for one more.
                let looks = around.iter().map(|points| points.len()).sum::<usize>();
                let needed = len + looks * own.len() + 1;
                if found.len() < needed {
                    found.resize(needed.next_power_of_two(), 0);
                }
                for point in &points[own] {
                    let list = &mut found[len..][..=looks];
                    let mut neighbours = 0;
                    for others in around {
                        for other in others {
                            let (dx, dy) = (point.x - other.x, point.y - other.y);
                            let is_near = dx * dx + dy * dy <= radius_squared;
                            list[neighbours] = other.row;
                            neighbours += usize::from(is_near & (other.row != point.row));
                        }
                    }
                    lists.starts[point.row as usize + 1] = neighbours;
                    len += neighbours;
                    ends.push(len);
                }
            }
        }
    }

    /// Turns lengths into starts, and copies each list to its place.
    fn place_lists(&mut self) {
        let NeighbourLists { starts, rows } = &mut self.lists;
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        rows.resize(end, 0);
        let mut begin = 0;
        // Ends are read from where they lie in order: a length taken from `starts` would have each copy wait for the cache miss
        // of the one before it, which takes twice as long with a million rows in random order.
        for (point, &end) in self.points.iter().zip(&self.ends) {
            let list = &mut rows[starts[point.row as usize]..];
            // Lists are short: a loop beats the call of `copy_from_slice`.
            for (to, from) in list.iter_mut().zip(&self.found[begin..end]) {
                *to = *from;
            }
            begin = end;
        }
    }
}

/// The places of the points of some cells that follow each other in a line.
fn places(line: &[u32], cells: Range<usize>) -> Range<usize> {
    line[cells.start] as usize..line[cells.end] as usize
}

/// The lowest coordinate, and how far the highest is from it; zeros if there are none.
fn extent(coordinates: &[f32]) -> (f32, f32) {
    let low = coordinates.iter().copied().fold(f32::INFINITY, f32::min);
    let high = coordinates
        .iter()
        .copied()
        .fold(f32::NEG_INFINITY, f32::max);
    if low <= high {
        (low, high - low)
    } else {
        (0.0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{CellGrid, NeighbourLists};

    fn by_brute_force(xs: &[f32], ys: &[f32], radius: f32) -> NeighbourLists {
        let mut lists = NeighbourLists::default();
        for row in 0..xs.len() {
            for other in 0..xs.len() {
                let (dx, dy) = (xs[row] - xs[other], ys[row] - ys[other]);
                if row != other && dx * dx + dy * dy <= radius * radius {
                    lists.rows.push(other as u32);
                }
            }
            lists.starts.push(lists.rows.len());
        }
        lists
    }

    #[test]
    fn lists_are_those_of_brute_force() {
        // Frame after frame in the same memory, as it is used.
        let mut grid = CellGrid::new();
        let near_the_origin = throng_scenes::uniform(500, 1.0, 3);
        let crowded = throng_scenes::uniform(300, 20.0, 4);
        for scene in [near_the_origin, crowded] {
            for radius in [0.5, 1.0, 1.7, 6.0, 1e-4, 100.0] {
                for shift in [0.0, -40.0, 1e4] {
                    let [xs, ys] = [&scene.xs, &scene.ys]
                        .map(|axis| axis.iter().map(|c| c + shift).collect::<Vec<_>>());
                    let expected = by_brute_force(&xs, &ys, radius);
                    assert_eq!(grid.find_ascending(&xs, &ys, radius), &expected);
                    let any_order = grid.find(&xs, &ys, radius).clone();
                    assert_eq!(any_order.starts, expected.starts);
                    for row in 0..xs.len() {
                        let mut list = any_order.of(row).to_vec();
                        list.sort_unstable();
                        assert_eq!(list, expected.of(row));
                    }
                }
            }
        }
    }

    #[test]
    fn neighbours_at_just_the_radius_are_found_wherever_cells_end() {
        let mut grid = CellGrid::new();
        for radius in [0.1, 0.3, 1.0, 3.3] {
            let xs: Vec<f32> = (0..400).map(|i| 17.3 + i as f32 * radius).collect();
            let ys = vec![-5.0; 400];
            let expected = by_brute_force(&xs, &ys, radius);
            assert_eq!(grid.find_ascending(&xs, &ys, radius), &expected);
            assert_eq!(grid.find_ascending(&ys, &xs, radius), &expected);
        }
    }

    #[test]
    fn odd_worlds_have_lists_too() {
        let mut grid = CellGrid::new();
        assert_eq!(grid.find(&[], &[], 1.0), &NeighbourLists::default());
        assert_eq!(grid.find(&[3.0], &[4.0], 0.0).starts, [0, 0]);
        // On one spot, with and without a radius.
        for radius in [0.0, 2.0] {
            let lists = grid.find_ascending(&[7.0; 3], &[7.0; 3], radius);
            assert_eq!(lists.rows, [1, 2, 0, 2, 0, 1]);
        }
        // Far apart for so small a radius: memory is bounded all the same.
        let lists = grid.find_ascending(&[0.0, 1e9, 1e9], &[0.0, 0.0, 1e-6], 1e-3);
        assert_eq!(lists.rows, [2, 1]);
        assert!(grid.cells.len() < 200);
    }
}
