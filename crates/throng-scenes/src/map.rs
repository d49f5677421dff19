//! Grid maps in the format of the MovingAI benchmarks (Sturtevant, "Benchmarks for Grid-Based
//! Pathfinding", 2012).

mod error;
mod rectangles;

use std::path::Path;

pub use error::MapError;
pub use rectangles::CellRectangle;

use crate::random::Random;
use crate::scene::Scene;

/// A grid of cells that are open or blocked, at least one of them open. Row 0 is the first in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridMap {
    width: usize,
    height: usize,
    /// One value per cell, row by row.
    is_open: Vec<bool>,
    /// The indices of open cells in `is_open`, ascending.
    open: Vec<u32>,
}

impl GridMap {
    /// The text of a small map of our own, 96 by 64 cells: a castle with towers, gates, an inner ward and a keep, a
    /// river with two bridges and a ford, woods and boulders. All open ground is connected.
    pub const CASTLE: &str = include_str!("../maps/castle.map");

    /// The map whose text is [`CASTLE`](Self::CASTLE).
    ///
    /// # Panics
    ///
    /// Never: the text is part of the crate.
    #[must_use]
    pub fn castle() -> GridMap {
        GridMap::parse(Self::CASTLE).expect("the castle is a valid map")
    }

    /// Reads a `.map` file.
    ///
    /// # Errors
    ///
    /// [`MapError::Unreadable`], or as [`GridMap::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<GridMap, MapError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| MapError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        GridMap::parse(&text)
    }

    /// Reads the text of a `.map` file: `type octile`, `height H`, `width W`, `map`, and `H` rows of
    /// `W` cells. Open are `.` and `G` (ground) and `S` (swamp); blocked are `@` and `O` (outside),
    /// `T` (trees) and `W` (water). Empty lines at the end are ignored.
    ///
    /// # Errors
    ///
    /// [`MapError`], with the offending line.
    pub fn parse(text: &str) -> Result<GridMap, MapError> {
        let mut lines = (1..).zip(text.trim_end().lines().map(str::trim_end));
        expect_line(lines.next(), 1, "type octile", |line| {
            (line == "type octile").then_some(())
        })?;
        let height = expect_line(lines.next(), 2, "height <number>", |line| {
            line.strip_prefix("height ")?.trim().parse().ok()
        })?;
        let width = expect_line(lines.next(), 3, "width <number>", |line| {
            line.strip_prefix("width ")?.trim().parse().ok()
        })?;
        expect_line(lines.next(), 4, "map", |line| (line == "map").then_some(()))?;

        let mut is_open = Vec::new();
        let mut rows = 0;
        for (line, text) in lines {
            let found = text.chars().count();
            if found != width {
                let expected = width;
                return Err(MapError::RowLength {
                    line,
                    found,
                    expected,
                });
            }
            for (column, cell) in (1..).zip(text.chars()) {
                is_open.push(match cell {
                    '.' | 'G' | 'S' => true,
                    '@' | 'O' | 'T' | 'W' => false,
                    found => {
                        return Err(MapError::UnknownCell {
                            line,
                            column,
                            found,
                        });
                    }
                });
            }
            rows += 1;
        }
        if rows != height {
            let (found, expected) = (rows, height);
            return Err(MapError::RowCount { found, expected });
        }
        let open: Vec<u32> = (0..)
            .zip(&is_open)
            .filter_map(|(cell, &is_open)| is_open.then_some(cell))
            .collect();
        if open.is_empty() {
            return Err(MapError::NothingOpen);
        }
        Ok(GridMap {
            width,
            height,
            is_open,
            open,
        })
    }

    /// Cells along x.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Cells along y.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many cells are open; at least 1.
    #[must_use]
    pub fn open_cells(&self) -> usize {
        self.open.len()
    }

    /// Whether a cell is open; anything off the map is not.
    #[must_use]
    pub fn is_open(&self, column: usize, row: usize) -> bool {
        column < self.width && row < self.height && self.is_open[row * self.width + column]
    }

    /// `n` boxes of half extents `half`, each with its center somewhere in an open cell. Cells are `cell` units wide
    /// and high, and the map's first corner is at the origin.
    ///
    /// # Panics
    ///
    /// If `cell` is not finite and above zero.
    #[must_use]
    pub fn spawn(&self, n: usize, cell: f32, half: [f32; 2], seed: u64) -> Scene {
        assert!(cell.is_finite() && cell > 0.0, "cells of {cell} units");
        let mut random = Random::new(seed);
        let centers = (0..n).map(|_| {
            let index = self.open[random.below(self.open.len())] as usize;
            let (column, row) = (index % self.width, index / self.width);
            // Kept away from the cell's far border, where a sum of a large and a small number may round to the next
            // cell.
            let mut within = |cell: usize| cell as f32 + random.between(0.001, 0.999);
            [within(column) * cell, within(row) * cell]
        });
        Scene::new(
            format!("{} by {} map", self.width, self.height),
            half,
            centers,
        )
    }
}

/// The value that `read` gets from a header line, or an error that names the line.
fn expect_line<T>(
    found: Option<(usize, &str)>,
    line: usize,
    expected: &'static str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, MapError> {
    const LONGEST_QUOTE: usize = 40;
    let text = found.map_or("", |(_, text)| text);
    read(text).ok_or_else(|| MapError::Header {
        line,
        found: text.chars().take(LONGEST_QUOTE).collect(),
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::GridMap;

    const SMALL: &str = "type octile\nheight 3\nwidth 4\nmap\n@@.T\nG.SW\nOOO.\n";

    #[test]
    fn a_small_map_is_read() {
        let map = GridMap::parse(SMALL).unwrap();
        assert_eq!((map.width(), map.height(), map.open_cells()), (4, 3, 5));
        assert!(map.is_open(2, 0) && map.is_open(0, 1) && map.is_open(3, 2));
        assert!(!map.is_open(3, 0) && !map.is_open(4, 0) && !map.is_open(0, 3));
        let from_windows = SMALL.replace('\n', "\r\n");
        assert_eq!(GridMap::parse(&from_windows).unwrap(), map);
    }

    #[test]
    fn the_castle_is_all_connected() {
        let map = GridMap::castle();
        let blocked = map.width() * map.height() - map.open_cells();
        assert_eq!((map.width(), map.height()), (96, 64));
        assert!(blocked > 1000, "{blocked} cells to run into");
        let (mut reached, mut left) = (vec![false; 96 * 64], vec![(0, 0)]);
        while let Some((column, row)) = left.pop() {
            if map.is_open(column, row) && !reached[row * 96 + column] {
                reached[row * 96 + column] = true;
                left.extend([(column + 1, row), (column, row + 1)]);
                left.extend([(column.wrapping_sub(1), row), (column, row.wrapping_sub(1))]);
            }
        }
        assert_eq!(reached, map.is_open);
    }

    #[test]
    fn everyone_spawns_in_an_open_cell() {
        let map = GridMap::parse(SMALL).unwrap();
        let scene = map.spawn(500, 2.5, [0.5; 2], 3);
        let mut cells: Vec<_> = scene
            .xs
            .iter()
            .zip(&scene.ys)
            .map(|(x, y)| ((x / 2.5) as usize, (y / 2.5) as usize))
            .collect();
        assert!(cells.iter().all(|&(column, row)| map.is_open(column, row)));
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), map.open_cells(), "all are used");
        scene.validate().unwrap();
    }

    #[test]
    fn what_is_no_map_is_refused_by_line() {
        let cases = [
            ("", "line 1 of the map is ``; `type octile` is needed"),
            (
                "type octile\nheight x\n",
                "line 2 of the map is `height x`; `height <number>` is needed",
            ),
            (
                "type octile\nheight 1\nwidth 2\nmap\n...\n",
                "line 5 of the map has 3 cells; the header says 2",
            ),
            (
                "type octile\nheight 2\nwidth 2\nmap\n..\n",
                "the map has 1 rows of cells; the header says 2",
            ),
            (
                "type octile\nheight 1\nwidth 2\nmap\n.x\n",
                "line 5, column 2 of the map is `x`; one of . G S @ O T W is needed",
            ),
            (
                "type octile\nheight 1\nwidth 2\nmap\n@@\n",
                "the map has no open cell; at least one of . G S is needed",
            ),
        ];
        for (text, words) in cases {
            assert_eq!(GridMap::parse(text).unwrap_err().to_string(), words);
        }
        let missing = GridMap::read("no such file.map").unwrap_err();
        assert!(missing.to_string().contains("no such file.map"));
    }
}
