//! Levels of cells: which loose cell a box sits in, and which tight cells a loose cell reaches into.

use crate::sides::{Corners, Sides, middle};
use throng_core::cell::CellMap;

/// Levels with cells. Sixteen thousand times the smallest size is left to the level above them all.
pub(super) const LEVELS: usize = 8;
/// How much coarser a level is than the one below it.
const COARSER: f32 = 4.0;
/// The level of what has no cell: infinite boxes, and those larger than any cell. It is one place, so what
/// lies there is compared with all that it could meet, sixteen at a time.
pub(super) const TOP: u8 = LEVELS as u8;

/// A loose cell's place. Ascends by level, then from bottom to top, then from left to right.
///
/// ```text
/// │ level: 4 bits │ y: 30 bits │ x: 30 bits │      coordinates shifted to count from 0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

impl Place {
    pub const NOWHERE: Self = Self(u64::MAX);
    const BITS: u32 = 30;
    const LIMIT: i32 = 1 << (Self::BITS - 1);

    /// What lies farther out shares the outermost cell, as in a [`CellMap`], only twice as near.
    #[inline(always)]
    fn new(level: usize, x: i32, y: i32) -> Self {
        let shifted = |v: i32| (v.clamp(-Self::LIMIT, Self::LIMIT - 1) + Self::LIMIT) as u64;
        Self((level as u64) << (2 * Self::BITS) | shifted(y) << Self::BITS | shifted(x))
    }

    pub fn level(self) -> u8 {
        (self.0 >> (2 * Self::BITS)) as u8
    }

    /// Which of `2^bits` buckets it belongs to.
    #[inline(always)]
    pub fn bucket(self, bits: u32) -> usize {
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - bits)) as usize
    }
}

/// The tight cells that a box reaches into, on one level: from `min` to `max` along x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TightRange {
    pub level: u8,
    pub min: [i32; 2],
    pub max: [i32; 2],
}

impl TightRange {
    /// No cell: the listing of a loose cell that is in no list.
    pub const NOWHERE: Self = Self {
        level: TOP,
        min: [0; 2],
        max: [-1; 2],
    };

    /// How many cells.
    pub fn count(&self) -> u64 {
        let along =
            |axis: usize| (i64::from(self.max[axis]) - i64::from(self.min[axis]) + 1) as u64;
        along(0) * along(1)
    }

    /// The cells, from bottom to top, each row from left to right.
    #[inline(always)]
    pub fn cells(self) -> impl Iterator<Item = [i32; 2]> {
        let xs = self.min[0]..=self.max[0];
        (self.min[1]..=self.max[1]).flat_map(move |y| xs.clone().map(move |x| [x, y]))
    }

    fn is_two_by_two_at_most(&self) -> bool {
        // Saturating: the outermost cells are 2^31 apart.
        (0..2).all(|axis| self.max[axis].saturating_sub(self.min[axis]) <= 1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Level {
    /// The largest side that a box of this level has; also about the size of its loose cells.
    size: f32,
    loose: [CellMap; 2],
    tight: [CellMap; 2],
}

/// The cells of all levels.
///
/// A box of level `k` is no larger than a loose cell of level `k`, so the box of such a cell is about twice
/// the cell at most, which is the size of a tight cell: it reaches into two by two of them. Nothing relies
/// on that. Where rounding makes it more, a coarser level takes the cell, and at last the top, which has
/// one tight cell that is everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    levels: [Level; LEVELS],
}

impl Layout {
    pub fn new(origin: [f32; 2], loose: f32, tight: f32) -> Self {
        let levels = std::array::from_fn(|level| {
            let coarser = COARSER.powi(level as i32);
            // Finite, so that what is infinite, or as good as that, fits no level.
            let size = (loose * coarser).min(f32::MAX);
            let maps = |width: f32| origin.map(|origin| CellMap::new(origin, width));
            Level {
                size,
                loose: maps(size),
                tight: maps((tight * coarser).min(f32::MAX)),
            }
        });
        Self { levels }
    }

    /// About the size of the smallest loose cells.
    pub fn loose_cell(&self) -> f32 {
        self.levels[0].size
    }

    /// About the size of the smallest tight cells.
    pub fn tight_cell(&self) -> f32 {
        self.levels[0].tight[0].width()
    }

    /// The loose cell of a box: by its size, then by its centre.
    #[inline(always)]
    pub fn place(&self, [min_x, min_y, max_x, max_y]: Sides) -> Place {
        let size = (max_x - min_x).max(max_y - min_y);
        let mut level = 0;
        while size > self.levels[level].size {
            level += 1;
            if level == LEVELS {
                return Place::new(LEVELS, 0, 0);
            }
        }
        // That middles are rounded is no matter: any place would do.
        let [x, y] = self.levels[level].loose;
        Place::new(
            level,
            x.cell(middle(min_x, max_x)),
            y.cell(middle(min_y, max_y)),
        )
    }

    /// The tight cells in which a loose cell of some level is listed, given its box: four at most.
    pub fn listing(&self, level: u8, bounds: &Corners) -> TightRange {
        (level..TOP)
            .map(|level| self.window(level, bounds))
            .find(TightRange::is_two_by_two_at_most)
            .unwrap_or_else(|| self.window(TOP, bounds))
    }

    /// The tight cells of a level that a window touches.
    #[inline(always)]
    pub fn window(&self, level: u8, [min, max]: &Corners) -> TightRange {
        match self.levels.get(level as usize) {
            Some(Level { tight: [x, y], .. }) => TightRange {
                level,
                min: [x.cell(min[0]), y.cell(min[1])],
                max: [x.cell(max[0]), y.cell(max[1])],
            },
            None => TightRange {
                level,
                min: [0; 2],
                max: [0; 2],
            },
        }
    }
}

/// Which of `2^bits` buckets a tight cell of a level belongs to.
///
/// Multiples of odd constants, added: neighbours spread over the buckets more evenly than by chance.
#[inline(always)]
pub(super) fn bucket(bits: u32, level: u8, [x, y]: [i32; 2]) -> usize {
    let hash = (x as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(u64::from(level).wrapping_mul(0x1656_67b1_9e37_79f9));
    (hash >> (u64::BITS - bits)) as usize
}
