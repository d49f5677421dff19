//! The arrays of one category: one element per row.

use throng_core::{
    Aabb, Column, Corners, Handle, InfiniteSides, OptionalColumn, columns, for_both,
};

use crate::world::exclusions::Partners;
use crate::world::given_boxes::{OfEach, SEVERAL, SeveralBoxes};
use crate::world::ids::Row;
use crate::world::mask_column::MaskColumn;
use crate::world::masks::Masks;
use crate::world::proxy::Extent;
use crate::world::routing::Fitted;

columns! {
    /// What is stored for each proxy of a category, in row order.
    ///
    /// ```text
    /// ids               8 bytes    always
    /// xs, ys            8 bytes    always
    /// half_extents      8 bytes    oversized categories; exact ones once a size is not the bound; scenery once a box is moved or
    ///                              given by its center
    /// infinite          4 bytes    once a box has an infinite side
    /// boxes             16 bytes   scenery only
    /// keys              8 bytes    once one is not 0
    /// masks             2 bytes    once one is not `Masks::ALL`; 32 if more than 65,536 differ
    /// owners            8 bytes    once one is not 0
    /// excluded          1 byte     once a row is in an excluded pair
    /// velocities        8 bytes    once one is not 0
    /// still             1 byte     categories that rest
    /// last_xs, last_ys  8 bytes    categories that rest
    /// ```
    pub(crate) struct ProxyColumns {
        /// The proxy of each row: whole, so that who finds a row does not also have to wait for its slot in the pool.
        pub(crate) ids: Vec<Handle>,
        /// Centers along x; always finite.
        pub(crate) xs: Vec<f32>,
        /// Centers along y; always finite.
        pub(crate) ys: Vec<f32>,
        /// Half extents, within the bound. Allocated from the start in oversized categories, in exact ones once they
        /// are not the bound, never in a coarse one, and in scenery once a box is moved or given by its center: there 0 stands for
        /// those of the box.
        pub(crate) half_extents: OptionalColumn<[f32; 2]>,
        /// Which sides are at infinity. On an axis with such a side, the stored half extent is 0, and the stored center
        /// is the other side; or any number, if both sides are at infinity.
        pub(crate) infinite: OptionalColumn<InfiniteSides>,
        /// The lower and the upper corner of each box, as given. Allocated from the start in scenery, and never
        /// elsewhere.
        pub(crate) boxes: OptionalColumn<[[f32; 2]; 2]>,
        /// The engine's keys.
        pub(crate) keys: OptionalColumn<u64>,
        /// Who may pair with whom.
        pub(crate) masks: MaskColumn,
        /// Whose each row is; rows of one owner never pair. 0 for nobody's.
        pub(crate) owners: OptionalColumn<u64>,
        /// With whom a row is in an excluded pair.
        pub(crate) excluded: OptionalColumn<Partners>,
        /// How far each row is expected to move until the next step.
        pub(crate) velocities: OptionalColumn<[f32; 2]>,
        /// How long each row has not moved: see [`stillness`](crate::frame::resting::stillness). Allocated from the start in
        /// categories that rest, and never elsewhere, as the next two.
        pub(crate) still: OptionalColumn<u8>,
        /// Centers as of the last index, along x.
        pub(crate) last_xs: OptionalColumn<f32>,
        /// Centers as of the last index, along y.
        pub(crate) last_ys: OptionalColumn<f32>,
    }
}

impl ProxyColumns {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    #[inline]
    pub(crate) fn centers(&self) -> [&[f32]; 2] {
        [&self.xs, &self.ys]
    }

    #[inline]
    pub(crate) fn center(&self, row: usize) -> [f32; 2] {
        [self.xs[row], self.ys[row]]
    }

    #[inline]
    pub(crate) fn key(&self, row: usize) -> u64 {
        self.keys.values().map_or(0, |keys| keys[row])
    }

    #[inline]
    pub(crate) fn masks(&self, row: usize) -> Masks {
        self.masks.get(row)
    }

    /// The lower and the upper corner of a row's box, as it is compared: its own, or one with half extents `all` if no sizes are
    /// stored.
    #[inline]
    pub(crate) fn corners(&self, row: usize, all: [f32; 2]) -> Corners {
        match self.boxes.values() {
            Some(boxes) => boxes[row],
            None => {
                let half = self.half_extents_or(all, row);
                corners(self.center(row), half, self.infinite.get(row))
            }
        }
    }

    /// The same of a box that is larger by a margin on every side. Not for scenery, whose corners are stored.
    #[inline]
    pub(crate) fn corners_with(&self, row: usize, all: [f32; 2], margin: f32) -> Corners {
        debug_assert!(!self.boxes.is_allocated(), "scenery has no margins");
        let half = self.half_extents_or(all, row).map(|half| half + margin);
        corners(self.center(row), half, self.infinite.get(row))
    }

    /// A row's half extents as stored, or `all` if none are.
    #[inline]
    pub(crate) fn half_extents_or(&self, all: [f32; 2], row: usize) -> [f32; 2] {
        self.half_extents.values().map_or(all, |own| own[row])
    }

    /// The corners of consecutive rows' boxes, from `first` on, as [`corners_with`](Self::corners_with) tells each; but which columns
    /// there are is asked only once. With a margin of 0 these are [`corners`](Self::corners), and scenery may be asked, too.
    pub(crate) fn write_corners(
        &self,
        first: usize,
        all: [f32; 2],
        margin: f32,
        to: &mut [Corners],
    ) {
        let rows = first..first + to.len();
        if self.boxes.is_allocated() || self.infinite.is_allocated() {
            for (row, to) in rows.zip(to) {
                *to = if margin > 0.0 {
                    self.corners_with(row, all, margin)
                } else {
                    self.corners(row, all)
                };
            }
            return;
        }
        let wide = |half: [f32; 2]| half.map(|half| half + margin);
        let centers = self.xs[rows.clone()].iter().zip(&self.ys[rows.clone()]);
        let boxes = to.iter_mut().zip(centers);
        let bounded =
            |(&x, &y): (&f32, &f32), half| corners([x, y], half, InfiniteSides::default());
        match self.half_extents.values() {
            Some(own) => {
                for ((to, center), &half) in boxes.zip(&own[rows]) {
                    *to = bounded(center, wide(half));
                }
            }
            None => {
                let half = wide(all);
                boxes.for_each(|(to, center)| *to = bounded(center, half));
            }
        }
    }

    /// The rows' boxes, for writing. Not for scenery.
    #[inline]
    pub(crate) fn boxes_mut(&mut self) -> BoxesMut<'_> {
        self.ids_and_boxes_mut().1
    }

    /// The same, with whose they are.
    #[inline]
    pub(crate) fn ids_and_boxes_mut(&mut self) -> (&[Handle], BoxesMut<'_>) {
        debug_assert!(!self.boxes.is_allocated(), "scenery stores corners");
        let boxes = BoxesMut {
            xs: &mut self.xs,
            ys: &mut self.ys,
            half_extents: self.half_extents.allocated_mut(),
            infinite: self.infinite.allocated_mut(),
        };
        (&self.ids, boxes)
    }

    /// The center of a row as of the last index, in a category that rests.
    #[inline]
    pub(crate) fn last_center(&self, row: usize) -> [f32; 2] {
        [self.last_xs.get(row), self.last_ys.get(row)]
    }

    /// From here on, the row has not moved.
    pub(crate) fn keep_center(&mut self, row: usize) {
        let [x, y] = self.center(row);
        self.last_xs.set(row, x);
        self.last_ys.set(row, y);
    }

    /// Writes a key. The first that is not 0 allocates the column, with as much capacity as the others have.
    pub(crate) fn write_key(&mut self, row: usize, key: u64) {
        write_optional(&mut self.keys, row, key, self.xs.capacity());
    }

    /// Writes masks. The first that are not [`Masks::ALL`] allocate the column, with as much capacity as the others
    /// have.
    pub(crate) fn write_masks(&mut self, row: usize, masks: Masks) {
        let was_allocated = self.masks.is_allocated();
        self.masks.set(row, masks);
        if !was_allocated {
            // The rows exist already; room for more is a hint.
            let room = self.xs.capacity() - self.masks.rows();
            let _ = self.masks.try_reserve_rows(room);
        }
    }

    /// Begins to store half extents; every row gets `all`.
    pub(crate) fn store_half_extents(&mut self, all: [f32; 2]) {
        self.half_extents.values_mut().fill(all);
        // The rows exist already; room for more is a hint.
        let room = self.xs.capacity() - self.half_extents.rows();
        let _ = self.half_extents.try_reserve_rows(room);
    }

    /// Writes an owner. The first that is not 0 allocates the column, with as much capacity as the others have.
    pub(crate) fn write_owner(&mut self, row: usize, owner: u64) {
        write_optional(&mut self.owners, row, owner, self.xs.capacity());
    }

    /// Writes a velocity. The first that is not 0 allocates the column, with as much capacity as the others have.
    pub(crate) fn write_velocity(&mut self, row: usize, velocity: [f32; 2]) {
        write_optional(&mut self.velocities, row, velocity, self.xs.capacity());
    }

    /// Notes with whom a row is in an excluded pair. The first allocates the column, with as much capacity as the others
    /// have.
    pub(crate) fn write_excluded(&mut self, row: usize, partners: Partners) {
        write_optional(&mut self.excluded, row, partners, self.xs.capacity());
    }

    /// The box of a row of scenery, as given.
    pub(crate) fn fixed_box(&self, row: usize) -> Option<Aabb> {
        let [min, max] = *self.boxes.values()?.get(row)?;
        Some(Aabb::new(min, max).expect("what is stored was a box"))
    }

    /// Writes the center of a row, and its size if the category stores sizes.
    pub(crate) fn write_extent(&mut self, row: Row, extent: &Extent) {
        let row = row as usize;
        [self.xs[row], self.ys[row]] = extent.center;
        let is_scenery = self.boxes.is_allocated();
        if is_scenery {
            self.boxes.set(row, [extent.aabb.min(), extent.aabb.max()]);
        } else {
            let room = self.xs.capacity();
            write_optional(&mut self.infinite, row, extent.infinite, room);
        }
        let half_extents = if is_scenery && extent.from_sides {
            [0.0; 2]
        } else {
            finite_or_zero(extent.half_extents)
        };
        if self.half_extents.is_allocated() || (is_scenery && half_extents != [0.0; 2]) {
            self.half_extents.set(row, half_extents);
        }
    }
}

/// The boxes of consecutive rows that are no scenery, for writing. What is not stored is empty.
#[derive(Default)]
pub(crate) struct BoxesMut<'c> {
    xs: &'c mut [f32],
    ys: &'c mut [f32],
    half_extents: &'c mut [[f32; 2]],
    infinite: &'c mut [InfiniteSides],
}

impl BoxesMut<'_> {
    pub(crate) fn len(&self) -> usize {
        self.xs.len()
    }

    /// Splits the first rows off, or all if there are no more.
    pub(crate) fn split_off_first(&mut self, rows: usize) -> Self {
        fn first<'c, T>(of: &mut &'c mut [T], rows: usize) -> &'c mut [T] {
            let rows = rows.min(of.len());
            of.split_off_mut(..rows).expect("there are as many")
        }
        Self {
            xs: first(&mut self.xs, rows),
            ys: first(&mut self.ys, rows),
            half_extents: first(&mut self.half_extents, rows),
            infinite: first(&mut self.infinite, rows),
        }
    }

    /// Writes a box. Returns the half extents that were stored, or `None` if none are.
    #[inline(always)]
    pub(crate) fn write(&mut self, row: usize, fitted: Fitted) -> Option<[f32; 2]> {
        [self.xs[row], self.ys[row]] = fitted.center;
        let stored = self.half_extents.get_mut(row)?;
        let half = std::mem::replace(stored, fitted.half_extents);
        let infinite = self.infinite.get_mut(row).map(std::mem::take);
        Some(without_end(half, infinite.unwrap_or_default()))
    }

    /// Writes several boxes, from row `first` on. Returns the half extents that were stored, or `None` if none are.
    #[inline(always)]
    pub(crate) fn write_several(
        &mut self,
        first: usize,
        boxes: &SeveralBoxes,
    ) -> Option<OfEach<SEVERAL>> {
        let rows = first..first + SEVERAL;
        self.xs[rows.clone()].copy_from_slice(&boxes.centers[0]);
        self.ys[rows.clone()].copy_from_slice(&boxes.centers[1]);
        let stored = self.half_extents.get_mut(rows.clone())?;
        let stored: &mut [[f32; 2]; SEVERAL] = stored.try_into().expect("as many as rows");
        let mut before = OfEach::default();
        for axis in [0, 1] {
            for k in 0..SEVERAL {
                before[axis][k] = stored[k][axis];
                stored[k][axis] = boxes.half_extents[axis][k];
            }
        }
        if let Some(infinite) = self.infinite.get_mut(rows) {
            for (k, infinite) in infinite.iter_mut().enumerate() {
                let half = [before[0][k], before[1][k]];
                [before[0][k], before[1][k]] = without_end(half, std::mem::take(infinite));
            }
        }
        Some(before)
    }
}

/// Half extents of a box as they are told: infinite on an axis with an infinite side.
#[inline(always)]
pub(crate) fn without_end(half: [f32; 2], infinite: InfiniteSides) -> [f32; 2] {
    for_both(|axis| {
        if infinite.min[axis] || infinite.max[axis] {
            f32::INFINITY
        } else {
            half[axis]
        }
    })
}

/// Half extents as stored: 0 on an axis with an infinite side.
pub(crate) fn finite_or_zero(half_extents: [f32; 2]) -> [f32; 2] {
    half_extents.map(|half| if half < f32::INFINITY { half } else { 0.0 })
}

/// The corners of a row's box, as it is compared: lower and upper.
#[inline(always)]
pub(crate) fn corners(center: [f32; 2], half: [f32; 2], infinite: InfiniteSides) -> [[f32; 2]; 2] {
    let side = |infinite: bool, at_infinity: f32, finite: f32| {
        if infinite { at_infinity } else { finite }
    };
    [
        for_both(|axis| {
            side(
                infinite.min[axis],
                f32::NEG_INFINITY,
                center[axis] - half[axis],
            )
        }),
        for_both(|axis| side(infinite.max[axis], f32::INFINITY, center[axis] + half[axis])),
    ]
}

fn write_optional<T: Copy + Default + PartialEq + Send + Sync>(
    column: &mut OptionalColumn<T>,
    row: usize,
    value: T,
    room: usize,
) {
    let was_allocated = column.is_allocated();
    column.set(row, value);
    if !was_allocated {
        // As for masks.
        let _ = column.try_reserve_rows(room - column.rows());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::Columns;

    #[test]
    fn consecutive_corners_are_those_of_each_row() {
        const ALL: [f32; 2] = [0.5, 0.75];
        for case in ["alike", "sized", "endless", "both", "scenery"] {
            let mut columns = ProxyColumns::default();
            for row in 0..9 {
                columns.push_row();
                (columns.xs[row], columns.ys[row]) = (row as f32 / 3.0, 0.1 - row as f32);
            }
            if ["sized", "both"].contains(&case) {
                columns.half_extents.set(7, [3.0, 4.0]);
            }
            if ["endless", "both"].contains(&case) {
                let mut endless = InfiniteSides::default();
                endless.max[0] = true;
                columns.infinite.set(3, endless);
            }
            if case == "scenery" {
                columns.boxes.set(5, [[1.0; 2], [2.0; 2]]);
            }
            let expected: Vec<_> = (2..8).map(|row| columns.corners(row, ALL)).collect();
            let mut found = [Corners::default(); 6];
            columns.write_corners(2, ALL, 0.0, &mut found);
            assert_eq!(found[..], expected, "{case}");
            if case != "scenery" {
                let wide = (2..8).map(|row| columns.corners_with(row, ALL, 0.1));
                columns.write_corners(2, ALL, 0.1, &mut found);
                assert!(wide.eq(found), "{case}");
            }
        }
    }
}
