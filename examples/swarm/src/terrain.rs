//! The world's ground: a rectangle, and where in it units can start.

use std::ops::ControlFlow;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use throng::{Aabb, Scenery};

use crate::open_cells::OpenCells;

/// Width over height of a world without walls.
pub const SHAPE: f64 = 1.6;
/// How much more than the walls there is of a world that is known by its walls only, of its sides, on each side.
const MARGIN: f32 = 0.05;
/// How often a place between walls is looked for before there is said to be none.
const TRIES: usize = 4_000;

/// A rectangle; no unit leaves it. Maps have their first line at its lower side, which is the upper one in pictures.
pub struct Terrain {
    bounds: Aabb,
    ground: Ground,
}

/// Where in the rectangle units can start.
enum Ground {
    /// Anywhere.
    Open,
    /// On the open cells of a map, which are this large.
    Cells(OpenCells, f32),
    /// Wherever there is no wall.
    Between(Scenery),
}

impl Terrain {
    /// An open world of this area, with a corner at the origin.
    pub fn open(area: f64) -> Self {
        let height = (area / SHAPE).sqrt();
        Self {
            bounds: from_origin([(height * SHAPE) as f32, height as f32]),
            ground: Ground::Open,
        }
    }

    /// A map of so many columns and rows, with cells of this size, and a corner at the origin.
    pub fn of_cells(cells: OpenCells, [columns, rows]: [usize; 2], cell: f32) -> Self {
        Self {
            bounds: from_origin([columns as f32 * cell, rows as f32 * cell]),
            ground: Ground::Cells(cells, cell),
        }
    }

    /// The world that these walls are in, `bounds` being the box around them, which must be finite.
    pub fn between(walls: Scenery, bounds: &Aabb) -> Self {
        let [low, high] = [bounds.min(), bounds.max()];
        let margin = [0, 1].map(|axis| MARGIN * (high[axis] - low[axis]));
        let wider = Aabb::new(
            [low[0] - margin[0], low[1] - margin[1]],
            [high[0] + margin[0], high[1] + margin[1]],
        );
        Self {
            bounds: wider.unwrap_or(*bounds),
            ground: Ground::Between(walls),
        }
    }

    /// All of it.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Width and height.
    pub fn size(&self) -> [f32; 2] {
        let [low, high] = [self.bounds.min(), self.bounds.max()];
        [high[0] - low[0], high[1] - low[1]]
    }

    /// Whether there is anything to run into.
    pub fn has_walls(&self) -> bool {
        !matches!(self.ground, Ground::Open)
    }

    /// A place for a circle of this radius, clear of all walls; `None` if there is no such place, or none is found.
    pub fn place(&self, radius: f32, random: &mut Pcg64Mcg) -> Option<[f32; 2]> {
        match &self.ground {
            Ground::Open => Some(self.anywhere(radius, random)),
            Ground::Cells(cells, cell) => {
                let place = cells.place(radius / cell, random)?;
                Some(place.map(|side| side * cell))
            }
            Ground::Between(walls) => {
                let mut places = (0..TRIES).map(|_| self.anywhere(radius, random));
                places.find(|place| {
                    let found = walls.query_circle(*place, radius, |_, _| ControlFlow::Break(()));
                    found.is_ok_and(|found| found.is_continue())
                })
            }
        }
    }

    /// A place at least a radius from all sides, walls or not; in the middle of what is too narrow for that.
    fn anywhere(&self, radius: f32, random: &mut Pcg64Mcg) -> [f32; 2] {
        let (low, size) = (self.bounds.min(), self.size());
        [0, 1].map(|axis| {
            let room = (size[axis] - 2.0 * radius).max(0.0);
            low[axis] + radius.min(0.5 * size[axis]) + room * random.random::<f32>()
        })
    }
}

fn from_origin(size: [f32; 2]) -> Aabb {
    Aabb::new([0.0; 2], size).expect("sizes are numbers, and not below zero")
}

/// The cell size that gives all open cells together this area, a unit of this size room, and the largest of all some
/// place to be in.
pub fn cell_for(cells: &OpenCells, area: f64, largest_radius: f32) -> f32 {
    let fitting = (area / cells.len().max(1) as f64).sqrt() as f32;
    fitting
        .max(largest_radius)
        .max(largest_radius / cells.widest())
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use throng_scenes::map::GridMap;

    use super::*;

    #[test]
    fn places_are_inside_an_open_world() {
        let terrain = Terrain::open(16_000.0);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        assert!((terrain.size()[0] - 160.0).abs() < 1e-3);
        for _ in 0..1000 {
            let [x, y] = terrain.place(2.0, &mut random).expect("all is open");
            assert!((2.0..=158.001).contains(&x) && (2.0..=98.001).contains(&y));
        }
    }

    #[test]
    fn places_are_on_open_cells_of_a_map() {
        let text = "type octile\nheight 3\nwidth 4\nmap\n@.@@\n@..T\n@@@@\n";
        let map = GridMap::parse(text).expect("a sound map");
        let terrain = Terrain::of_cells(OpenCells::of(&map), [4, 3], 2.5);
        assert_eq!(terrain.size(), [10.0, 7.5]);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        for _ in 0..1000 {
            let [x, y] = terrain.place(0.5, &mut random).expect("there is room");
            assert!(
                map.is_open((x / 2.5) as usize, (y / 2.5) as usize),
                "{x} {y}"
            );
        }
        assert_eq!(
            terrain.place(1.3, &mut random),
            None,
            "cells are too narrow"
        );
    }

    #[test]
    fn cells_are_wide_enough_for_the_largest() {
        let map = |text: &str| OpenCells::of(&GridMap::parse(text).expect("a sound map"));
        let maze = map("type octile\nheight 1\nwidth 3\nmap\n.@.\n");
        assert_eq!(cell_for(&maze, 0.1, 1.2), 2.4);
        let hall = map("type octile\nheight 3\nwidth 3\nmap\n...\n...\n...\n");
        assert_eq!(cell_for(&hall, 0.1, 1.2), 1.2);
        assert_eq!(cell_for(&hall, 900.0, 1.2), 10.0);
    }
}
