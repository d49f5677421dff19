//! The world's ground: an open rectangle, or the open cells of a grid map.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use throng_scenes::map::GridMap;

/// Width over height of a world without a map.
pub const SHAPE: f64 = 1.6;

/// Where units may be. Its lower left corner is the origin; maps have their first line at the top.
pub struct Terrain {
    size: [f32; 2],
    walls: Option<Walls>,
}

/// A grid map as ground.
struct Walls {
    map: GridMap,
    cell: f32,
    /// Column and row of each open cell.
    open_cells: Vec<[usize; 2]>,
}

impl Terrain {
    /// An open world of this area.
    pub fn open(area: f64) -> Self {
        let height = (area / SHAPE).sqrt();
        Self {
            size: [(height * SHAPE) as f32, height as f32],
            walls: None,
        }
    }

    /// A map with cells of this size.
    pub fn from_map(map: GridMap, cell: f32) -> Self {
        let cells =
            (0..map.height()).flat_map(|row| (0..map.width()).map(move |column| [column, row]));
        let open_cells = cells
            .filter(|[column, row]| map.is_open(*column, *row))
            .collect();
        Self {
            size: [map.width() as f32 * cell, map.height() as f32 * cell],
            walls: Some(Walls {
                map,
                cell,
                open_cells,
            }),
        }
    }

    /// Width and height.
    pub fn size(&self) -> [f32; 2] {
        self.size
    }

    /// Whether there is anything but the outer walls to run into.
    pub fn has_walls(&self) -> bool {
        self.walls.is_some()
    }

    /// Whether the middle of a unit may be here; beyond the edge of a map nothing is open.
    #[inline]
    pub fn is_open(&self, x: f32, y: f32) -> bool {
        let Some(walls) = &self.walls else {
            return true;
        };
        // A cast takes what is below zero to cell 0, so that has to be looked at first.
        x >= 0.0
            && y >= 0.0
            && walls
                .map
                .is_open((x / walls.cell) as usize, (y / walls.cell) as usize)
    }

    /// A place for a unit of this radius.
    pub fn place(&self, radius: f32, random: &mut Pcg64Mcg) -> [f32; 2] {
        match &self.walls {
            None => [0, 1].map(|axis| {
                let room = (self.size[axis] - 2.0 * radius).max(0.0);
                radius + room * random.random::<f32>()
            }),
            Some(walls) => {
                let corner = walls.open_cells[random.random_range(0..walls.open_cells.len())];
                // Off the very edge of the cell, where rounding could choose the next one.
                corner.map(|corner| {
                    (corner as f32 + 0.01 + 0.98 * random.random::<f32>()) * walls.cell
                })
            }
        }
    }
}

/// The cell size that gives all open cells together this area, and a unit of this size room.
pub fn cell_for(open_cells: usize, area: f64, largest_radius: f32) -> f32 {
    let fitting = (area / open_cells.max(1) as f64).sqrt() as f32;
    fitting.max(largest_radius)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn places_are_inside_an_open_world() {
        let terrain = Terrain::open(16_000.0);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        assert!((terrain.size()[0] - 160.0).abs() < 1e-3);
        for _ in 0..1000 {
            let [x, y] = terrain.place(2.0, &mut random);
            assert!((2.0..=158.001).contains(&x) && (2.0..=98.001).contains(&y));
        }
    }

    #[test]
    fn places_are_on_open_cells_of_a_map() {
        let text = "type octile\nheight 3\nwidth 4\nmap\n@.@@\n@..T\n@@@@\n";
        let map = GridMap::parse(text).expect("a sound map");
        let terrain = Terrain::from_map(map, 2.5);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        for _ in 0..1000 {
            let [x, y] = terrain.place(0.5, &mut random);
            assert!(terrain.is_open(x, y), "{x} {y}");
        }
        for closed in [
            [1.0, 1.0],
            [-1.0, 3.0],
            [3.0, -1.0],
            [1e9, 3.0],
            [f32::NAN, 3.0],
        ] {
            assert!(!terrain.is_open(closed[0], closed[1]), "{closed:?}");
        }
    }
}
