//! What there is to stand on, and to run into: the open, a map, or what is between walls.

use std::path::{Path, PathBuf};

use throng::Scenery;
use throng_scenes::map::GridMap;

use crate::{
    bodies::area_for,
    failure::Failure,
    open_cells::OpenCells,
    sizes::{Sizes, area_with},
    terrain::{Terrain, cell_for},
    walls::{self, Walls},
};

/// More than this would keep the machine busy for longer than anyone waits.
const MOST_PAIRS_EACH: f64 = 100.0;
/// The least part of a world that is taken to be open, however many walls are heaped up in it.
const LEAST_OPEN: f64 = 0.01;

/// A ground, and what is on it.
pub struct Ground {
    /// Where units may be.
    pub terrain: Terrain,
    /// What they run into there.
    pub walls: Walls,
    /// The area without the walls.
    pub open_area: f64,
}

/// Those who need a ground to stand on.
pub struct Crowd {
    /// The bound of each uniform category.
    pub bounds: Vec<[f32; 2]>,
    /// How many agents each of them has.
    pub shares: Vec<usize>,
    /// The largest of the bounds.
    pub largest: f32,
    /// How many there are of the big.
    pub oversized: usize,
    /// How crowded they like it: overlapping boxes per agent, if agents stood anywhere.
    pub pairs_each: f64,
}

impl Crowd {
    /// The ground for them: a map, with cells of this size, walls that were read from a file, or both; or the open.
    pub fn ground(
        &self,
        map: Option<&GridMap>,
        cell: Option<f32>,
        packed: Option<(PathBuf, Scenery)>,
    ) -> Result<Ground, Failure> {
        match (map, packed) {
            (Some(map), packed) => self.on_map(map, cell, packed),
            (None, Some((path, walls))) => self.between(&path, walls),
            (None, None) => Ok(self.in_the_open(Walls::None)),
        }
    }

    /// The open area that is comfortably full with them.
    fn area(&self) -> f64 {
        let agents_area = area_for(&self.bounds, &self.shares, self.pairs_each);
        area_with(self.oversized, self.largest, agents_area)
    }

    fn in_the_open(&self, walls: Walls) -> Ground {
        Ground {
            terrain: Terrain::open(self.area()),
            walls,
            open_area: self.area(),
        }
    }

    /// A map with cells of this size, or of one that fits; with walls of its own, or as they were read.
    fn on_map(
        &self,
        map: &GridMap,
        cell: Option<f32>,
        packed: Option<(PathBuf, Scenery)>,
    ) -> Result<Ground, Failure> {
        let cells = OpenCells::of(map);
        let fitting = cell_for(&cells, self.area(), self.largest);
        let (cell, walls) = match packed {
            None => {
                let cell = cell.unwrap_or(fitting);
                (cell, Walls::Boxes(map.walls(cell)))
            }
            Some((path, walls)) => {
                let cell = cell_of(&path, &walls, map, cell, fitting)?;
                (cell, Walls::Packed(walls))
            }
        };
        let open_area = f64::from(cell).powi(2) * cells.len() as f64;
        self.check_room(
            open_area,
            &format!("on cells of {cell}"),
            &format!("--cell {fitting}"),
        )?;
        Ok(Ground {
            terrain: Terrain::of_cells(cells, [map.width(), map.height()], cell),
            walls,
            open_area,
        })
    }

    /// The world of walls that nobody has a map of.
    fn between(&self, path: &Path, walls: Scenery) -> Result<Ground, Failure> {
        let bounds = walls::bounds(&walls).map_err(|problem| Failure::file(path, problem))?;
        let Some(bounds) = bounds else {
            return Ok(self.in_the_open(Walls::Packed(walls)));
        };
        let terrain = Terrain::between(walls.clone(), &bounds);
        let area = |[width, height]: [f32; 2]| f64::from(width) * f64::from(height);
        let (all, mut covered) = (area(terrain.size()), 0.0);
        walls.for_each_box(|_, wall| {
            let [low, high] = [wall.min(), wall.max()];
            covered += area([high[0] - low[0], high[1] - low[1]]);
        });
        // Walls may overlap, and cover less than they add up to.
        let open_area = (all - covered).max(LEAST_OPEN * all);
        let between = format!("between the walls of {}", path.display());
        self.check_room(open_area, &between, "fewer of them")?;
        Ok(Ground {
            terrain,
            walls: Walls::Packed(walls),
            open_area,
        })
    }

    /// Refuses a ground on which everyone would stand on everyone else.
    fn check_room(&self, open_area: f64, place: &str, instead: &str) -> Result<(), Failure> {
        let typical = Sizes::new(self.largest, open_area).typical();
        let bounds = [&self.bounds[..], &[[typical; 2]]].concat();
        let counts = [&self.shares[..], &[self.oversized]].concat();
        let pairs_each = area_for(&bounds, &counts, 1.0) / open_area;
        if pairs_each > MOST_PAIRS_EACH {
            return Err(Failure::input(format!(
                "{place}, agents would overlap about {pairs_each:.0} others each; try {instead}",
            )));
        }
        Ok(())
    }
}

/// The cell size at which a map has these walls: as asked for, or else as it would be for walls of its own, or else as
/// it was when they were written for another crowd.
fn cell_of(
    path: &Path,
    walls: &Scenery,
    map: &GridMap,
    asked: Option<f32>,
    fitting: f32,
) -> Result<f32, Failure> {
    let sizes = match asked {
        Some(cell) => [Some(cell), None],
        None => [Some(fitting), walls::measured_cell(walls, map)],
    };
    let mut sizes = sizes.into_iter().flatten();
    let found = sizes.find(|cell| walls::are_of_map(walls, map, *cell));
    found.ok_or_else(|| {
        let with = asked.map_or(String::new(), |cell| format!(" with cells of {cell}"));
        Failure::file(
            path,
            format_args!("these are not the walls of the map{with}"),
        )
    })
}
