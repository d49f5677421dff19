//! Levels of cells: which loose cell a box belongs to, and which tight cells a loose cell reaches into.

use crate::sides::{Sides, center};
use throng_core::Corners;
use throng_core::cell::CellMap;

/// How many levels have cells. Boxes over 16,000 times the smallest size belong to the level above all of these.
pub(super) const LEVELS: usize = 8;
/// How much coarser each level is than the one below it.
const COARSER: f32 = 4.0;
/// The level of boxes that fit no cell: infinite ones, and those larger than any cell. It is a single cell, so a box
/// there is compared with everything that it could touch, sixteen at a time.
pub(super) const TOP: u8 = LEVELS as u8;

/// A loose cell's level and coordinates in one number. Ascends by level, then from bottom to top, then from left to
/// right.
///
/// ```text
/// │ level: 4 bits │ y: 30 bits │ x: 30 bits │      coordinates shifted to count from 0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CellKey(u64);

impl CellKey {
    pub const NOWHERE: Self = Self(u64::MAX);
    const BITS: u32 = 30;
    const LIMIT: i32 = 1 << (Self::BITS - 1);

    /// Coordinates too far out are clamped to the outermost cell, as in a [`CellMap`], at half the distance.
    #[inline(always)]
    fn new(level: usize, x: i32, y: i32) -> Self {
        let shifted = |v: i32| (v.clamp(-Self::LIMIT, Self::LIMIT - 1) + Self::LIMIT) as u64;
        Self((level as u64) << (2 * Self::BITS) | shifted(y) << Self::BITS | shifted(x))
    }

    pub fn level(self) -> u8 {
        (self.0 >> (2 * Self::BITS)) as u8
    }

    /// Which of `2^bits` buckets the cell belongs to.
    #[inline(always)]
    pub fn bucket(self, bits: u32) -> usize {
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - bits)) as usize
    }
}

/// The tight cells that a box reaches into on one level: from `min` to `max` along x and y, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TightRange {
    pub level: u8,
    pub min: [i32; 2],
    pub max: [i32; 2],
}

impl TightRange {
    /// No cells: for a loose cell that is in no list.
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

    /// The cells, from bottom to top and from left to right.
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
    /// The largest side of a box on this level; also about the size of its loose cells.
    size: f32,
    loose: [CellMap; 2],
    tight: [CellMap; 2],
}

/// The cells of all levels.
///
/// A box on level `k` is no larger than a loose cell of level `k`, so the bounds of such a cell are at most about twice
/// the cell. That is the size of a tight cell, so they reach into at most two by two tight cells. Nothing relies on
/// this: where rounding makes it more, a coarser level lists the cell, and in the end the top level, which is one tight
/// cell for everything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    levels: [Level; LEVELS],
}

impl Layout {
    pub fn new(origin: [f32; 2], loose: f32, tight: f32) -> Self {
        let levels = std::array::from_fn(|level| {
            // Exact, as it is a power of two.
            let coarser = COARSER.powi(level as i32);
            // Finite, so that infinite boxes, and those close to that, fit no level.
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

    /// About how large the smallest loose cells are.
    pub fn loose_cell(&self) -> f32 {
        self.levels[0].size
    }

    /// About how large the smallest tight cells are.
    pub fn tight_cell(&self) -> f32 {
        self.levels[0].tight[0].width()
    }

    /// The loose cell of a box: the level by its size, the cell by its center.
    #[inline(always)]
    pub fn cell_key(&self, [min_x, min_y, max_x, max_y]: Sides) -> CellKey {
        let size = (max_x - min_x).max(max_y - min_y);
        let mut level = 0;
        while size > self.levels[level].size {
            level += 1;
            if level == LEVELS {
                return CellKey::new(LEVELS, 0, 0);
            }
        }
        // The rounding of the center does not matter: any cell would be correct.
        let [x, y] = self.levels[level].loose;
        CellKey::new(
            level,
            x.cell(center(min_x, max_x)),
            y.cell(center(min_y, max_y)),
        )
    }

    /// The tight cells in which a loose cell with these bounds is listed: at most four.
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
/// A sum of multiples of odd constants: it spreads neighbors over the buckets more evenly than a random hash.
#[inline(always)]
pub(super) fn bucket(bits: u32, level: u8, [x, y]: [i32; 2]) -> usize {
    let hash = (x as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(u64::from(level).wrapping_mul(0x1656_67b1_9e37_79f9));
    (hash >> (u64::BITS - bits)) as usize
}
