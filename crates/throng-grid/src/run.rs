//! Boxes in sorted order, side by side: what the search kernels compare.

use throng_core::{Arena, Masks};

/// Boxes that a kernel compares at a time. The scalar twin walks the same sixteen, so that the order of
/// the pairs does not depend on the machine.
pub(crate) const LANES: usize = 16;

/// A run of boxes, ascending along x up to a slack, each side in an array of its own.
///
/// Invariants, for `slack` as the filler states it:
/// - `order[k] <= min_x[k]`, and `order[j] >= order[k] - slack` for all `j > k`;
/// - [`LANES`] sentinels follow the last box: NaN sides, which no comparison accepts.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub len: usize,
    /// Left sides at the bound's half width. In a coarse run these are the left sides themselves, and
    /// the array is empty.
    own_order: &'a mut [f32],
    pub min_x: &'a mut [f32],
    pub max_x: &'a mut [f32],
    pub min_y: &'a mut [f32],
    pub max_y: &'a mut [f32],
    pub rows: &'a mut [u32],
    /// Empty where no masks are tested.
    pub memberships: &'a mut [u32],
    pub filters: &'a mut [u32],
}

/// The centres of (part of) a leaf, as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Centers<'a> {
    pub xs: &'a [f32],
    pub ys: &'a [f32],
    pub rows: &'a [u32],
    /// Own half widths and half heights; empty in a coarse grid.
    pub own: [&'a [f32]; 2],
    pub bound: [f32; 2],
}

impl<'a> Centers<'a> {
    pub fn slice(self, range: std::ops::Range<usize>) -> Self {
        let own = self.own.map(|half| {
            if half.is_empty() {
                half
            } else {
                &half[range.clone()]
            }
        });
        Self {
            xs: &self.xs[range.clone()],
            ys: &self.ys[range.clone()],
            rows: &self.rows[range],
            own,
            ..self
        }
    }

    pub fn is_exact(&self) -> bool {
        !self.own[0].is_empty()
    }

    /// The half extents to compare element `k` with.
    #[inline(always)]
    pub fn half(&self, k: usize) -> [f32; 2] {
        if self.is_exact() {
            [self.own[0][k], self.own[1][k]]
        } else {
            self.bound
        }
    }
}

/// Which arrays a run needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunKind {
    pub exact: bool,
    pub masked: bool,
}

impl RunKind {
    /// Bytes that a run of up to `capacity` boxes takes from an arena.
    pub fn bytes(self, capacity: usize) -> usize {
        let arrays = 5 + usize::from(self.exact) + 2 * usize::from(self.masked);
        // Each array may be padded to its alignment.
        arrays * ((capacity + LANES) * size_of::<f32>() + align_of::<f32>())
    }
}

/// A closed run as a kernel reads it: see [`Run::view`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunView<'a> {
    pub order: &'a [f32],
    pub min_x: &'a [f32],
    pub max_x: &'a [f32],
    pub min_y: &'a [f32],
    pub max_y: &'a [f32],
    pub rows: &'a [u32],
    pub memberships: &'a [u32],
    pub filters: &'a [u32],
}

/// Where a kernel appends: see [`Run::room`].
#[derive(Debug)]
pub(crate) struct RunRoom<'a> {
    /// Empty in a coarse run.
    pub order: &'a mut [f32],
    pub min_x: &'a mut [f32],
    pub max_x: &'a mut [f32],
    pub min_y: &'a mut [f32],
    pub max_y: &'a mut [f32],
    pub rows: &'a mut [u32],
}

impl<'a> Run<'a> {
    /// An empty run with room for `capacity` boxes.
    pub fn with_capacity(arena: &'a Arena, capacity: usize, kind: RunKind) -> Self {
        let room = capacity + LANES;
        let floats = |used: bool| arena.alloc_slice_fill(if used { room } else { 0 }, f32::NAN);
        let words = |used: bool| arena.alloc_slice_fill(if used { room } else { 0 }, 0_u32);
        Self {
            len: 0,
            own_order: floats(kind.exact),
            min_x: floats(true),
            max_x: floats(true),
            min_y: floats(true),
            max_y: floats(true),
            rows: words(true),
            memberships: words(kind.masked),
            filters: words(kind.masked),
        }
    }

    /// Sees to it that `more` boxes fit, moving to a larger place in the arena if they do not.
    pub fn make_room(&mut self, arena: &'a Arena, more: usize) {
        if self.has_room(more) {
            return;
        }
        let kind = RunKind {
            exact: !self.own_order.is_empty(),
            masked: self.is_masked(),
        };
        let mut larger = Run::with_capacity(arena, (self.len + more).next_power_of_two(), kind);
        larger.len = self.len;
        let copy = |to: &mut [f32], from: &[f32]| to[..from.len()].copy_from_slice(from);
        copy(larger.own_order, self.own_order);
        copy(larger.min_x, self.min_x);
        copy(larger.max_x, self.max_x);
        copy(larger.min_y, self.min_y);
        copy(larger.max_y, self.max_y);
        let copy = |to: &mut [u32], from: &[u32]| to[..from.len()].copy_from_slice(from);
        copy(larger.rows, self.rows);
        copy(larger.memberships, self.memberships);
        copy(larger.filters, self.filters);
        *self = larger;
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The ascending keys: see the type's invariants.
    #[inline(always)]
    pub fn order(&self) -> &[f32] {
        if self.own_order.is_empty() {
            self.min_x
        } else {
            self.own_order
        }
    }

    /// The arrays cut to one length, sentinels included, so that one bounds check serves them all.
    #[inline(always)]
    pub fn view(&self) -> RunView<'_> {
        let end = self.len + LANES;
        let masked = if self.is_masked() { end } else { 0 };
        RunView {
            order: &self.order()[..end],
            min_x: &self.min_x[..end],
            max_x: &self.max_x[..end],
            min_y: &self.min_y[..end],
            max_y: &self.max_y[..end],
            rows: &self.rows[..end],
            memberships: &self.memberships[..masked],
            filters: &self.filters[..masked],
        }
    }

    /// The arrays behind the last box, cut to one length: `more` boxes and the sentinels.
    #[inline(always)]
    pub fn room(&mut self, more: usize) -> RunRoom<'_> {
        let room = self.len..self.len + more + LANES;
        let order = if self.own_order.is_empty() {
            0..0
        } else {
            room.clone()
        };
        RunRoom {
            order: &mut self.own_order[order],
            min_x: &mut self.min_x[room.clone()],
            max_x: &mut self.max_x[room.clone()],
            min_y: &mut self.min_y[room.clone()],
            max_y: &mut self.max_y[room.clone()],
            rows: &mut self.rows[room],
        }
    }

    pub fn is_masked(&self) -> bool {
        !self.memberships.is_empty()
    }

    /// Whether `more` boxes and the sentinels behind them fit.
    #[inline(always)]
    pub fn has_room(&self, more: usize) -> bool {
        self.len + more + LANES <= self.min_x.len()
    }

    /// Appends one box: the scalar filler, and the end of every vector filler.
    #[inline(always)]
    pub fn push(&mut self, centers: &Centers<'_>, k: usize) {
        let (x, y, half, at) = (centers.xs[k], centers.ys[k], centers.half(k), self.len);
        if let Some(order) = self.own_order.get_mut(at) {
            *order = x - centers.bound[0];
        }
        self.min_x[at] = x - half[0];
        self.max_x[at] = x + half[0];
        self.min_y[at] = y - half[1];
        self.max_y[at] = y + half[1];
        self.rows[at] = centers.rows[k];
        self.len += 1;
    }

    /// Fetches the masks of the boxes from `first` on, and closes the run with its sentinels.
    pub fn finish(&mut self, first: usize, masks: Option<&[Masks]>) {
        if let Some(masks) = masks {
            for k in first..self.len {
                let Masks {
                    memberships,
                    filter,
                } = masks[self.rows[k] as usize];
                self.memberships[k] = memberships;
                self.filters[k] = filter;
            }
        }
        let sentinels = self.len..self.len + LANES;
        for side in [&mut *self.min_x, self.max_x, self.min_y, self.max_y] {
            side[sentinels.clone()].fill(f32::NAN);
        }
        if let Some(order) = self.own_order.get_mut(sentinels) {
            order.fill(f32::NAN);
        }
    }
}

/// Centres picked from a leaf, a stretch at a time.
#[derive(Debug)]
pub(crate) struct Picked<'a> {
    pub len: usize,
    pub xs: &'a mut [f32],
    pub ys: &'a mut [f32],
    pub rows: &'a mut [u32],
    /// Empty in a coarse grid.
    pub own: [&'a mut [f32]; 2],
}

impl<'a> Picked<'a> {
    /// Centres that are looked at together.
    pub const STRETCH: usize = 256;

    /// Room for a stretch, and for the idle lanes of the last group of it.
    pub fn new(arena: &'a Arena, exact: bool) -> Self {
        let room = Self::STRETCH + LANES;
        let own = || arena.alloc_slice_fill(if exact { room } else { 0 }, 0.0);
        Self {
            len: 0,
            xs: arena.alloc_slice_fill(room, 0.0),
            ys: arena.alloc_slice_fill(room, 0.0),
            rows: arena.alloc_slice_fill(room, 0),
            own: [own(), own()],
        }
    }

    /// What has been picked.
    pub fn centers(&self, bound: [f32; 2]) -> Centers<'_> {
        let own = |half: usize| self.own[half].get(..self.len).unwrap_or_default();
        Centers {
            xs: &self.xs[..self.len],
            ys: &self.ys[..self.len],
            rows: &self.rows[..self.len],
            own: [own(0), own(1)],
            bound,
        }
    }
}

/// Whether a box of the bound at height `y` touches a window along y. Own boxes are no larger, so what
/// is turned away here cannot touch it.
#[inline(always)]
pub(crate) fn reaches(y: f32, half_height: f32, window: [f32; 2]) -> bool {
    (y - half_height <= window[1]) & (window[0] <= y + half_height)
}
