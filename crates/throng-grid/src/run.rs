//! Centers in sorted order, in columns: what the search kernels compare.

use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use crate::row_word::RowWord;
use std::ops::Range;
use throng_core::lanes::HitRoom;
use throng_core::{Arena, LANES, MaskWords, Placed, RowMasks, for_both};

/// How many elements of each column there are behind a run: sentinels, and others that are read and not used.
const BEHIND: usize = HitRoom::MEMBERS;

/// The centers of a leaf, or of part of one, as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Centers<'a> {
    pub xs: &'a [f32],
    pub ys: &'a [f32],
    /// As records have them: see `row_word`.
    pub rows: &'a [u32],
    pub row_word: RowWord,
    /// Rows' own half widths and half heights, in an exact grid.
    pub own: Option<[&'a [f32]; 2]>,
    pub bound: [f32; 2],
    /// Roughly how many words after each column the next leaf's begins.
    pub ahead: usize,
}

impl<'a> Centers<'a> {
    /// The same without sizes: boxes that are points.
    pub fn as_points(self) -> Self {
        Self {
            own: None,
            bound: [0.0; 2],
            ..self
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of element `k`.
    #[inline(always)]
    pub fn row(&self, k: usize) -> u32 {
        self.row_word.row(self.rows[k])
    }

    #[inline(always)]
    pub fn slice(self, range: Range<usize>) -> Self {
        Self {
            xs: &self.xs[range.clone()],
            ys: &self.ys[range.clone()],
            own: self.own.map(|own| own.map(|half| &half[range.clone()])),
            rows: &self.rows[range],
            ..self
        }
    }

    /// The first `COLUMNS` columns as words: x, y, row, own half extents, which are empty if there are none. Asked for often,
    /// so an array and not a chain of iterators.
    #[inline(always)]
    pub fn columns<const COLUMNS: usize>(&self) -> [&'a [u32]; COLUMNS] {
        const { assert!(COLUMNS <= EXACT_WORDS) };
        let own = self.own.unwrap_or([&[], &[]]);
        let all: [&[u32]; EXACT_WORDS] = [
            bytemuck::cast_slice(self.xs),
            bytemuck::cast_slice(self.ys),
            self.rows,
            bytemuck::cast_slice(own[0]),
            bytemuck::cast_slice(own[1]),
        ];
        std::array::from_fn(|column| all[column])
    }

    /// The columns as a kernel reads them, without masks and without NaNs at the end.
    #[inline(always)]
    pub fn view(&self) -> RunView<'a> {
        RunView {
            len: self.rows.len(),
            bound: self.bound,
            xs: self.xs,
            ys: self.ys,
            names: self.rows,
            rows: self.rows,
            own: self.own.unwrap_or([&[], &[]]),
            masks: [&[]; 2],
            row_shift: self.row_word.shift,
            name_shift: self.row_word.shift,
        }
    }

    /// The columns as pairs of places refer to them.
    pub fn placed(&self) -> Placed<'a> {
        Placed {
            rows: self.rows,
            row_shift: self.row_word.shift,
            centers: [self.xs, self.ys],
            own: self.own,
            bound: self.bound,
        }
    }

    /// The half extents to use for element `k`.
    #[inline(always)]
    pub fn half(&self, k: usize) -> [f32; 2] {
        self.own.map_or(self.bound, |own| [own[0][k], own[1][k]])
    }
}

/// Centers that ascend along x up to a slack, copied from one leaf or several so that a kernel reads them without a
/// break, together with masks, which leaves do not keep.
///
/// Kernels compute boxes from them as they go. Storing four sides instead of the center would save four additions but
/// cost two more loads; and loads of sixteen floats at any offset are what a sweep waits for, since each touches two
/// cache lines.
///
/// Invariants, for `slack` as defined by [`View::slack`](crate::view::View::slack):
/// - left sides of the bound ascend: `xs[j] - bound >= xs[k] - bound - slack` for all `j > k`;
/// - once [`finish`](Self::finish)ed, [`LANES`] NaNs ("sentinels") follow the last center: no comparison with them is
///   true.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub len: usize,
    pub bound: [f32; 2],
    pub xs: &'a mut [f32],
    pub ys: &'a mut [f32],
    pub rows: &'a mut [u32],
    /// Rows' own half extents; empty in a coarse run.
    pub own: [&'a mut [f32]; 2],
    /// Memberships and filters; empty unless they are tested.
    masks: [&'a mut [u32]; 2],
    mask_test: MaskTest,
    /// What `rows` say: until the run is finished, what was appended; from then on, rows alone unless classes are tested.
    row_word: RowWord,
    /// The places 0, 1, 2 and so on, if pairs are to be named by them; otherwise empty.
    places: &'a mut [u32],
}

/// How masks are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaskTest {
    /// Not at all.
    None,
    /// By their words.
    Words,
    /// By class. All centers have one.
    Classes,
}

impl MaskTest {
    /// By their words, if at all.
    pub fn words_if(tested: bool) -> Self {
        if tested { Self::Words } else { Self::None }
    }
}

/// Which columns a run needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunKind {
    pub bound: [f32; 2],
    pub exact: bool,
    pub mask_test: MaskTest,
    /// Whether pairs are named by places in the run rather than by rows.
    pub placed: bool,
}

impl RunKind {
    /// Bytes that a run of up to `capacity` centers takes from an arena.
    pub fn bytes(self, capacity: usize) -> usize {
        let has_words = self.mask_test == MaskTest::Words;
        let pairs_of_arrays = usize::from(self.exact) + usize::from(has_words);
        let arrays = 3 + 2 * pairs_of_arrays + usize::from(self.placed);
        // Each array may be padded to its alignment.
        arrays * ((capacity + BEHIND) * size_of::<f32>() + align_of::<f32>())
    }
}

/// A finished run as a kernel reads it: see [`Run::view`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunView<'a> {
    pub len: usize,
    pub bound: [f32; 2],
    pub xs: &'a [f32],
    pub ys: &'a [f32],
    /// What pairs are named by: rows, or places in the columns.
    pub names: &'a [u32],
    pub rows: &'a [u32],
    pub own: [&'a [f32]; 2],
    /// Memberships and filters; empty if masks are not tested.
    pub masks: [&'a [u32]; 2],
    /// How many bits of `rows`, and of `names` unless those are places, are below the row.
    pub row_shift: u32,
    pub name_shift: u32,
}

impl<'a> Run<'a> {
    /// An empty run with room for `capacity` centers.
    pub fn with_capacity(arena: &'a Arena, capacity: usize, kind: RunKind) -> Self {
        let room = capacity + BEHIND;
        let floats = |used: bool| arena.alloc_slice_fill(if used { room } else { 0 }, f32::NAN);
        let words = |used: bool| arena.alloc_slice_fill(if used { room } else { 0 }, 0_u32);
        Self {
            len: 0,
            bound: kind.bound,
            xs: floats(true),
            ys: floats(true),
            rows: words(true),
            own: for_both(|_| floats(kind.exact)),
            masks: for_both(|_| words(kind.mask_test == MaskTest::Words)),
            mask_test: kind.mask_test,
            row_word: RowWord::PLAIN,
            places: arena.alloc_slice_with(if kind.placed { room } else { 0 }, |k| k as u32),
        }
    }

    pub fn is_exact(&self) -> bool {
        !self.own[0].is_empty()
    }

    pub fn mask_test(&self) -> MaskTest {
        self.mask_test
    }

    /// Whether masks are tested by their words.
    pub fn is_masked(&self) -> bool {
        self.mask_test == MaskTest::Words
    }

    fn is_placed(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether `more` centers and the sentinels after them fit.
    #[inline(always)]
    pub fn has_room(&self, more: usize) -> bool {
        self.len + more + BEHIND <= self.xs.len()
    }

    /// Makes sure that `more` centers fit, moving to a larger block in the arena if they do not.
    pub fn make_room(&mut self, arena: &'a Arena, more: usize) {
        if self.has_room(more) {
            return;
        }
        let kind = RunKind {
            bound: self.bound,
            exact: self.is_exact(),
            mask_test: self.mask_test,
            placed: self.is_placed(),
        };
        let mut larger = Run::with_capacity(arena, (self.len + more).next_power_of_two(), kind);
        larger.append(&self.centers());
        *self = larger;
    }

    /// Empties the run.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The centers appended so far.
    pub fn centers(&self) -> Centers<'_> {
        let own = || self.own.each_ref().map(|half| &half[..self.len]);
        Centers {
            xs: &self.xs[..self.len],
            ys: &self.ys[..self.len],
            rows: &self.rows[..self.len],
            row_word: self.row_word,
            own: self.is_exact().then(own),
            bound: self.bound,
            ahead: 0,
        }
    }

    /// The first `COLUMNS` columns as words, to be written; in the order of [`Centers::columns`].
    #[inline(always)]
    pub fn columns_mut<const COLUMNS: usize>(&mut self) -> [&mut [u32]; COLUMNS] {
        const { assert!(COLUMNS <= EXACT_WORDS) };
        let [widths, heights] = &mut self.own;
        let all: [&mut [u32]; EXACT_WORDS] = [
            bytemuck::cast_slice_mut(self.xs),
            bytemuck::cast_slice_mut(self.ys),
            self.rows,
            bytemuck::cast_slice_mut(widths),
            bytemuck::cast_slice_mut(heights),
        ];
        let mut all = all.into_iter();
        std::array::from_fn(|_| all.next().expect("no more than there are"))
    }

    /// Notes that what is about to be appended comes from these centers: all from one grid.
    pub fn begin_append(&mut self, centers: &Centers<'_>) {
        self.row_word = centers.row_word;
    }

    /// Appends centers, which must be exact if the run is. There must be room for them.
    pub fn append(&mut self, centers: &Centers<'_>) {
        self.begin_append(centers);
        if centers.own.is_some() {
            self.append_columns::<EXACT_WORDS>(centers);
        } else {
            self.append_columns::<COARSE_WORDS>(centers);
        }
    }

    fn append_columns<const COLUMNS: usize>(&mut self, centers: &Centers<'_>) {
        let room = self.len..self.len + centers.len();
        let columns = self.columns_mut::<COLUMNS>().into_iter();
        for (mine, theirs) in columns.zip(centers.columns::<COLUMNS>()) {
            mine[room.clone()].copy_from_slice(theirs);
        }
        self.len = room.end;
    }

    /// Appends [`LANES`] sentinels, so that what comes after them is not read together with what is before. There must be room.
    pub fn append_gap(&mut self) {
        let gap = self.len..self.len + LANES;
        self.xs[gap.clone()].fill(f32::NAN);
        self.ys[gap.clone()].fill(f32::NAN);
        // A row that has masks, whichever.
        self.rows[gap.clone()].fill(0);
        self.len = gap.end;
    }

    /// Looks up the masks by row, if the run has any, and writes the sentinels. Without `masks`, every row has
    /// [`MaskWords::ALL`]. Unless classes are tested, it takes classes off rows first.
    pub fn finish(&mut self, masks: Option<RowMasks<'_>>) {
        if self.mask_test != MaskTest::Classes {
            self.take_classes_off();
            match masks {
                None => self.fetch_masks(|_| MaskWords::ALL),
                Some(RowMasks::Each(masks)) => self.fetch_masks(|row| masks[row]),
                Some(RowMasks::Classes { classes, palette }) => {
                    self.fetch_masks(|row| palette[classes[row] as usize]);
                }
            }
        }
        let sentinels = self.len..self.len + BEHIND;
        self.xs[sentinels.clone()].fill(f32::NAN);
        self.ys[sentinels].fill(f32::NAN);
    }

    fn take_classes_off(&mut self) {
        if !self.row_word.is_plain() {
            for word in &mut self.rows[..self.len] {
                *word = self.row_word.row(*word);
            }
            self.row_word = RowWord::PLAIN;
        }
    }

    #[inline(always)]
    fn fetch_masks(&mut self, of_row: impl Fn(usize) -> MaskWords) {
        let [memberships, filters] = &mut self.masks;
        let rows = self.rows[..self.len].iter();
        for ((&row, memberships), filter) in rows.zip(&mut **memberships).zip(&mut **filters) {
            let masks = of_row(row as usize);
            (*memberships, *filter) = (masks.memberships, masks.filter);
        }
    }

    /// The columns cut to the same length, sentinels included, so that one bounds check covers them all.
    #[inline(always)]
    pub fn view(&self) -> RunView<'_> {
        let end = self.len + BEHIND;
        let used = |used: bool| if used { end } else { 0 };
        let (own, masked) = (used(self.is_exact()), used(self.is_masked()));
        let names: &[u32] = if self.is_placed() {
            self.places
        } else {
            self.rows
        };
        RunView {
            len: self.len,
            bound: self.bound,
            xs: &self.xs[..end],
            ys: &self.ys[..end],
            names: &names[..end],
            rows: &self.rows[..end],
            own: [&self.own[0][..own], &self.own[1][..own]],
            masks: self.masks.each_ref().map(|masks| &masks[..masked]),
            row_shift: self.row_word.shift,
            name_shift: if self.is_placed() {
                0
            } else {
                self.row_word.shift
            },
        }
    }
}

impl<'a> RunView<'a> {
    /// What is compared of `COUNT` elements from one on: centers, and own half extents and masks if `exact` and `masked` say so. The
    /// columns of rows and names are empty. One bounds check for each column, instead of one for each load.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline(always)]
    pub fn cut<const COUNT: usize>(
        &self,
        from: usize,
        (exact, masked): (bool, bool),
    ) -> RunView<'a> {
        RunView {
            len: COUNT,
            xs: cut::<_, COUNT>(self.xs, from),
            ys: cut::<_, COUNT>(self.ys, from),
            names: &[],
            rows: &[],
            own: cut_if::<_, COUNT>(exact, self.own, from),
            masks: cut_if::<_, COUNT>(masked, self.masks, from),
            ..*self
        }
    }

    /// The box of element `k`: lower and upper corner.
    #[inline(always)]
    pub fn corners(&self, k: usize) -> [[f32; 2]; 2] {
        let half = self.half(k);
        let (x, y) = (self.xs[k], self.ys[k]);
        [[x - half[0], y - half[1]], [x + half[0], y + half[1]]]
    }

    /// The half extents to use for element `k`.
    #[inline(always)]
    pub fn half(&self, k: usize) -> [f32; 2] {
        if self.is_exact() {
            [self.own[0][k], self.own[1][k]]
        } else {
            self.bound
        }
    }

    /// Whether rows' own half extents are there.
    #[inline(always)]
    pub fn is_exact(&self) -> bool {
        !self.own[0].is_empty()
    }

    /// The sort key: the left side of a box of the bound.
    #[inline(always)]
    pub fn order(&self, k: usize) -> f32 {
        self.xs[k] - self.bound[0]
    }
}

/// So many elements of a column from one on, as a slice whose length the compiler knows.
#[inline(always)]
fn cut<T, const COUNT: usize>(column: &[T], from: usize) -> &[T] {
    let cut: &[T; COUNT] = column[from..]
        .first_chunk()
        .expect("as many as are compared at once");
    cut
}

/// The same of two columns, or nothing if they are not `used`.
#[inline(always)]
fn cut_if<T, const COUNT: usize>(used: bool, [a, b]: [&[T]; 2], from: usize) -> [&[T]; 2] {
    if used {
        [cut::<T, COUNT>(a, from), cut::<T, COUNT>(b, from)]
    } else {
        [&[]; 2]
    }
}
