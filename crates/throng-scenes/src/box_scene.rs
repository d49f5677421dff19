//! Rows of boxes, as a structure for any size holds them.

use throng_core::{Aabb, Boxes, MaskWords};

use crate::order::{by_space, permuted, shuffled};
use crate::scene::Scene;

/// Rows of boxes of any size, which may be unbounded.
///
/// Columns that are present have the same length. Units are those of the world.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxScene {
    /// What is special about it, for test failures and tables.
    pub name: String,
    /// Lower sides, a column for each axis.
    pub min: [Vec<f32>; 2],
    /// Upper sides, a column for each axis.
    pub max: [Vec<f32>; 2],
    /// The masks of each row; without them everything meets.
    pub masks: Option<Vec<MaskWords>>,
}

impl BoxScene {
    /// A scene of the given boxes.
    pub fn new(name: impl Into<String>, boxes: impl IntoIterator<Item = Aabb>) -> BoxScene {
        let sides = boxes.into_iter().map(|aabb| [aabb.min(), aabb.max()]);
        BoxScene::from_sides(name, sides)
    }

    /// A scene of rows with the given `[min, max]` corners, whether or not these make valid boxes.
    pub fn from_sides(
        name: impl Into<String>,
        sides: impl IntoIterator<Item = [[f32; 2]; 2]>,
    ) -> BoxScene {
        let mut scene = BoxScene {
            name: name.into(),
            min: [vec![], vec![]],
            max: [vec![], vec![]],
            masks: None,
        };
        for [min, max] in sides {
            for axis in 0..2 {
                scene.min[axis].push(min[axis]);
                scene.max[axis].push(max[axis]);
            }
        }
        scene
    }

    /// The rows in the form that structures take, all of them present.
    ///
    /// # Panics
    ///
    /// If the columns differ in length.
    #[must_use]
    pub fn boxes(&self) -> Boxes<'_> {
        Boxes::new(self.min(), self.max()).expect("columns of equal length")
    }

    /// The same, but of every nine rows five are no longer valid boxes, each in a different way.
    #[must_use]
    pub fn spoiled(self) -> BoxScene {
        let mut scene = self;
        const INFINITY: f32 = f32::INFINITY;
        scene.name += ", some of them no boxes";
        for row in 0..scene.len() {
            let axis = row / 9 % 2;
            let (min, max) = (scene.min[axis][row], scene.max[axis][row]);
            let [min, max] = match row % 9 {
                0 => [f32::NAN, max],
                1 => [min, f32::NAN],
                2 => [max + 1.0, min],
                3 => [INFINITY, INFINITY],
                4 => [-INFINITY, -INFINITY],
                _ => [min, max],
            };
            (scene.min[axis][row], scene.max[axis][row]) = (min, max);
        }
        scene
    }

    /// The same without some rows, which have no boxes here. Row numbers that do not exist are ignored.
    #[must_use]
    pub fn without(&self, rows: impl IntoIterator<Item = usize>) -> BoxScene {
        let mut rest = self.clone();
        for row in rows.into_iter().filter(|&row| row < self.len()) {
            rest.min[0][row] = f32::NAN;
        }
        rest
    }

    /// The same boxes without masks, so that all may meet each other.
    #[must_use]
    pub fn unmasked(&self) -> BoxScene {
        BoxScene {
            masks: None,
            ..self.clone()
        }
    }

    /// A scene of boxes of the given half extents, each around its center.
    pub(crate) fn around(
        name: impl Into<String>,
        half_extents: &[[f32; 2]],
        mut center: impl FnMut() -> [f32; 2],
    ) -> BoxScene {
        let sides = half_extents.iter().map(|[hx, hy]| {
            let [x, y] = center();
            [[x - hx, y - hy], [x + hx, y + hy]]
        });
        BoxScene::from_sides(name, sides)
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.min[0].len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min[0].is_empty()
    }

    /// The columns of lower sides, x and y.
    #[must_use]
    pub fn min(&self) -> [&[f32]; 2] {
        self.min.each_ref().map(Vec::as_slice)
    }

    /// The columns of upper sides, x and y.
    #[must_use]
    pub fn max(&self) -> [&[f32]; 2] {
        self.max.each_ref().map(Vec::as_slice)
    }

    /// A row's box, or `None` if its sides do not make a valid box; the oracles leave such rows out.
    #[must_use]
    pub fn aabb(&self, row: usize) -> Option<Aabb> {
        let [min, max] = self.corners(row);
        Aabb::new(min, max).ok()
    }

    /// A row's masks.
    #[must_use]
    pub fn masks_of(&self, row: usize) -> MaskWords {
        match &self.masks {
            Some(masks) => masks[row],
            None => MaskWords::ALL,
        }
    }

    /// Replaces a row's box.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn set(&mut self, row: usize, aabb: Aabb) {
        for axis in 0..2 {
            self.min[axis][row] = aabb.min()[axis];
            self.max[axis][row] = aabb.max()[axis];
        }
    }

    /// The smallest box around all finite boxes; `None` if there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        let boxes = (0..self.len()).filter_map(|row| self.aabb(row));
        let finite = boxes.filter(Aabb::is_finite);
        finite.reduce(|all, aabb| all.union(&aabb))
    }

    /// Moves row `order[i]` to row `i`, in every column.
    ///
    /// # Panics
    ///
    /// If `order` is not as long as the scene, or names a row that does not exist.
    pub fn reorder(&mut self, order: &[u32]) {
        assert_eq!(order.len(), self.len(), "an order names each row once");
        for column in self.min.iter_mut().chain(&mut self.max) {
            *column = permuted(column, order);
        }
        if let Some(masks) = &mut self.masks {
            *masks = permuted(masks, order);
        }
    }

    /// Puts the rows in an order unrelated to space.
    pub fn shuffle(&mut self, seed: u64) {
        self.reorder(&shuffled(self.len(), seed));
    }

    /// Puts the rows in spatial order: by strips of `strip_height`, each by x. Rows are placed by their centers, and
    /// rows without a box at the origin.
    ///
    /// # Panics
    ///
    /// If `strip_height` is not above zero.
    pub fn sort_by_space(&mut self, strip_height: f32) {
        let centers = (0..self.len()).map(|row| match self.aabb(row) {
            Some(aabb) => aabb.center().into(),
            None => (0.0, 0.0),
        });
        let (xs, ys): (Vec<f32>, Vec<f32>) = centers.unzip();
        self.reorder(&by_space(&xs, &ys, strip_height));
    }

    /// Checks that columns have equal lengths and that every row has a box. O(rows).
    ///
    /// # Errors
    ///
    /// Says what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        let rows = self.len();
        let sides = self.min.iter().chain(&self.max).map(Vec::len);
        let mut lengths = sides.chain(self.masks.as_ref().map(Vec::len));
        if let Some(length) = lengths.find(|&length| length != rows) {
            let name = &self.name;
            return Err(format!("{name}: columns of {rows} and of {length} rows"));
        }
        for row in 0..rows {
            let [min, max] = self.corners(row);
            Aabb::new(min, max).map_err(|error| format!("{}: row {row}: {error}", self.name))?;
        }
        Ok(())
    }

    /// Moves a row. Finite sides stay finite, and infinite ones stay where they are.
    pub(crate) fn shift(&mut self, row: usize, by: [f32; 2]) {
        for (axis, by) in by.into_iter().enumerate() {
            for side in [&mut self.min[axis][row], &mut self.max[axis][row]] {
                if side.is_finite() {
                    *side = (*side + by).clamp(f32::MIN, f32::MAX);
                }
            }
        }
    }

    fn corners(&self, row: usize) -> [[f32; 2]; 2] {
        [&self.min, &self.max].map(|[x, y]| [x[row], y[row]])
    }
}

/// The same boxes and masks; a row without a box has none here either.
impl From<&Scene> for BoxScene {
    fn from(scene: &Scene) -> BoxScene {
        // Never a valid box: each side is at the wrong infinity.
        const NONE: [[f32; 2]; 2] = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
        let sides = (0..scene.len()).map(|row| match scene.aabb(row) {
            Some(aabb) => [aabb.min(), aabb.max()],
            None => NONE,
        });
        BoxScene {
            masks: scene.masks.clone(),
            ..BoxScene::from_sides(scene.name.clone(), sides)
        }
    }
}
