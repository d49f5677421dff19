//! The open cells of a grid map, by how much room there is around each.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use throng_scenes::map::GridMap;

/// How far from the middle of a cell, in cells, a place in it may be at the most: not on the very edge, where rounding
/// could choose the next cell.
const FROM_MIDDLE: f32 = 0.49;

/// Where units can start, those places first that have the most room. Lengths are in cells.
pub struct OpenCells {
    /// The roomiest first.
    cells: Vec<OpenCell>,
}

struct OpenCell {
    corner: [u32; 2],
    /// From the middle of the cell to the nearest blocked cell, or to the edge of the map, along either axis.
    room: f32,
}

impl OpenCells {
    /// The open cells of a map. O(cells · log cells).
    pub fn of(map: &GridMap) -> Self {
        let (width, steps) = (map.width(), steps_to_blocked(map));
        let open = steps
            .into_iter()
            .enumerate()
            .filter(|(_, steps)| *steps > 0);
        let cells = open.map(|(cell, steps)| OpenCell {
            corner: [cell % width, cell / width].map(|side| side as u32),
            room: steps as f32 - 0.5,
        });
        let mut cells: Vec<OpenCell> = cells.collect();
        cells.sort_by(|a, b| b.room.total_cmp(&a.room));
        Self { cells }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The largest radius for which there is a place; at least half a cell.
    pub fn widest(&self) -> f32 {
        self.cells.first().map_or(0.0, |cell| cell.room)
    }

    /// A place from which a circle of this radius reaches no blocked cell, if there is one.
    pub fn place(&self, radius: f32, random: &mut Pcg64Mcg) -> Option<[f32; 2]> {
        let wide_enough = self.cells.partition_point(|cell| cell.room >= radius);
        if wide_enough == 0 {
            return None;
        }
        let OpenCell { corner, room } = self.cells[random.random_range(0..wide_enough)];
        let spare = (room - radius).min(FROM_MIDDLE);
        Some(
            corner.map(|corner| corner as f32 + 0.5 + spare * (2.0 * random.random::<f32>() - 1.0)),
        )
    }
}

/// For each cell, in how many steps of a chess king a blocked cell or the outside is reached; 0 if it is blocked.
///
/// Two passes over the cells (Rosenfeld and Pfaltz, "Sequential Operations in Digital Picture Processing", 1966).
fn steps_to_blocked(map: &GridMap) -> Vec<u32> {
    let (width, height) = (map.width(), map.height());
    // A frame of blocked cells stands for the outside.
    let line = width + 2;
    let mut steps = vec![0; line * (height + 2)];
    let inner = || (1..=height).flat_map(|row| (1..=width).map(move |column| row * line + column));
    for cell in inner() {
        if map.is_open(cell % line - 1, cell / line - 1) {
            let before = [cell - line - 1, cell - line, cell - line + 1, cell - 1];
            steps[cell] = 1 + before
                .map(|other| steps[other])
                .into_iter()
                .min()
                .unwrap_or(0);
        }
    }
    for cell in inner().rev() {
        let after = [cell + 1, cell + line - 1, cell + line, cell + line + 1];
        let reached = 1 + after
            .map(|other| steps[other])
            .into_iter()
            .min()
            .unwrap_or(0);
        steps[cell] = steps[cell].min(reached);
    }
    inner().map(|cell| steps[cell]).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn steps_are_those_of_the_nearest_blocked_cell() {
        let map = GridMap::castle();
        let (width, height) = (map.width() as i64, map.height() as i64);
        let blocked = |column: i64, row: i64| {
            let on_map = (0..width).contains(&column) && (0..height).contains(&row);
            !on_map || !map.is_open(column as usize, row as usize)
        };
        for (cell, steps) in (0..).zip(steps_to_blocked(&map)) {
            let (column, row, steps) = (cell % width, cell / width, i64::from(steps));
            let any_within = |reach: i64| {
                let mut rows = row - reach..=row + reach;
                rows.any(|row| (column - reach..=column + reach).any(|column| blocked(column, row)))
            };
            assert!(any_within(steps), "{column} {row}");
            assert!(steps == 0 || !any_within(steps - 1), "{column} {row}");
        }
    }

    #[test]
    fn circles_start_clear_of_what_is_blocked() {
        let map = GridMap::castle();
        let (cells, walls) = (OpenCells::of(&map), map.walls(1.0));
        assert_eq!(cells.len(), map.open_cells());
        let mut random = Pcg64Mcg::seed_from_u64(7);
        for radius in [0.2, 0.5, 0.9, 2.3, cells.widest()] {
            for _ in 0..300 {
                let place = cells.place(radius, &mut random).expect("there is room");
                let mut walls = (0..walls.len()).filter_map(|row| walls.aabb(row));
                assert!(walls.all(|wall| wall.distance_squared(place) >= (radius - 1e-4).powi(2)));
                let [right, bottom] = [
                    map.width() as f32 - place[0],
                    map.height() as f32 - place[1],
                ];
                let to_edge = [place[0], place[1], right, bottom];
                assert!(
                    to_edge.into_iter().all(|edge| edge >= radius - 1e-4),
                    "{place:?}"
                );
            }
        }
        assert_eq!(cells.place(1.01 * cells.widest(), &mut random), None);
    }
}
