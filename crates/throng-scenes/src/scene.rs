//! Rows of boxes, as one uniform category holds them.

use throng_core::{Aabb, MaskWords};

use crate::order::{by_space, permuted, shuffled};

/// The rows of one uniform category: centers, and what else the category stores.
///
/// Columns that are present have the same length as `xs`. Units are those of the world.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// What is special about it, for test failures and tables.
    pub name: String,
    /// Centers, x.
    pub xs: Vec<f32>,
    /// Centers, y.
    pub ys: Vec<f32>,
    /// The upper bound of half extents; also the half extents of all rows if they have none of their own.
    pub half: [f32; 2],
    /// Half extents of each row, none above `half`.
    pub half_extents: Option<Vec<[f32; 2]>>,
    /// The masks of each row; without them everything meets.
    pub masks: Option<Vec<MaskWords>>,
}

impl Scene {
    /// A scene of equal boxes at the given centers.
    pub fn new(
        name: impl Into<String>,
        half: [f32; 2],
        centers: impl IntoIterator<Item = [f32; 2]>,
    ) -> Scene {
        let (xs, ys) = centers.into_iter().map(|[x, y]| (x, y)).unzip();
        Scene {
            name: name.into(),
            xs,
            ys,
            half,
            half_extents: None,
            masks: None,
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.xs.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.xs.is_empty()
    }

    /// A row's box: center plus and minus its own half extents, or the bound if it has none. `None` for a row that
    /// has no box, because a center is not finite or a half extent is NaN or negative; the oracles leave such rows
    /// out.
    #[must_use]
    pub fn aabb(&self, row: usize) -> Option<Aabb> {
        Aabb::from_center([self.xs[row], self.ys[row]], self.half_extents_of(row)).ok()
    }

    /// A row's own half extents, or the bound if it has none.
    #[must_use]
    pub fn half_extents_of(&self, row: usize) -> [f32; 2] {
        match &self.half_extents {
            Some(half_extents) => half_extents[row],
            None => self.half,
        }
    }

    /// A row's masks.
    #[must_use]
    pub fn masks_of(&self, row: usize) -> MaskWords {
        match &self.masks {
            Some(masks) => masks[row],
            None => MaskWords::ALL,
        }
    }

    /// The same scene with the bound in place of each row's own half extents: what a coarse category sees.
    #[must_use]
    pub fn coarse(&self) -> Scene {
        Scene {
            half_extents: None,
            ..self.clone()
        }
    }

    /// The smallest box around all rows' boxes; `None` if there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        let boxes = (0..self.len()).filter_map(|row| self.aabb(row));
        boxes.reduce(|all, aabb| all.union(&aabb))
    }

    /// Moves row `order[i]` to row `i`, in every column.
    ///
    /// # Panics
    ///
    /// If `order` is not as long as the scene, or names a row that does not exist.
    pub fn reorder(&mut self, order: &[u32]) {
        assert_eq!(order.len(), self.len(), "an order names each row once");
        self.xs = permuted(&self.xs, order);
        self.ys = permuted(&self.ys, order);
        if let Some(half_extents) = &mut self.half_extents {
            *half_extents = permuted(half_extents, order);
        }
        if let Some(masks) = &mut self.masks {
            *masks = permuted(masks, order);
        }
    }

    /// Puts the rows in an order unrelated to space.
    pub fn shuffle(&mut self, seed: u64) {
        self.reorder(&shuffled(self.len(), seed));
    }

    /// Puts the rows in spatial order: by strips of `strip_height`, each by x. That is roughly how an engine stores
    /// things that it sorted a frame ago.
    ///
    /// # Panics
    ///
    /// If `strip_height` is not above zero.
    pub fn sort_by_space(&mut self, strip_height: f32) {
        self.reorder(&by_space(&self.xs, &self.ys, strip_height));
    }

    /// Checks that columns have equal lengths, that half extents are neither NaN nor negative, and that no row is
    /// bigger than the bound. O(rows).
    ///
    /// # Errors
    ///
    /// Says what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        let rows = self.len();
        let lengths = [
            ("ys", Some(self.ys.len())),
            ("half_extents", self.half_extents.as_ref().map(Vec::len)),
            ("masks", self.masks.as_ref().map(Vec::len)),
        ];
        for (column, length) in lengths {
            if length.is_some_and(|length| length != rows) {
                return Err(format!("{}: {column} differs from {rows} rows", self.name));
            }
        }
        let own = self.half_extents.iter().flatten();
        for half in std::iter::once(&self.half).chain(own) {
            let fits = (0..2).all(|axis| (0.0..=self.half[axis]).contains(&half[axis]));
            if !fits {
                let bound = self.half;
                return Err(format!("{}: half {half:?}, bound {bound:?}", self.name));
            }
        }
        Ok(())
    }
}
