//! The first pass of a build: every row is appended to the bucket of its strip and block. The pass itself is in
//! [`throng_core::buckets`].

use crate::Points;
use crate::layout::{COLUMN_BITS, COLUMNS, Layout, Place};
use crate::row_word::RowWord;
use std::ops::Range;
use throng_core::buckets::{self, Appender, GROUP, Placement, group_at};

/// Words in a record: x, y and row (see [`RowWord`]), and in an exact grid the row's half extents.
pub(crate) const COARSE_WORDS: usize = 3;
pub(crate) const EXACT_WORDS: usize = 5;

/// One worker's part of the rows.
pub(crate) type Part = buckets::Part<Seen>;
/// What all parts read.
pub(crate) type Pass<'a, W> = buckets::Pass<'a, PointPlacement<'a, W>>;

/// What the records of rows say of them: a word each.
pub(crate) trait RowWords: Copy + Sync {
    /// Those of a group, if they are looked up together.
    fn of_group(&self, first: u32) -> [u32; GROUP];

    /// That of a row in a group; `looked_up` are those of the group.
    fn in_group(&self, first: u32, lane: usize, looked_up: &[u32; GROUP]) -> u32;

    /// That of any row.
    fn of_row(&self, row: u32) -> u32;
}

/// Rows are named by their numbers alone.
#[derive(Clone, Copy)]
pub(crate) struct Numbers;

impl RowWords for Numbers {
    #[inline(always)]
    fn of_group(&self, _first: u32) -> [u32; GROUP] {
        [0; GROUP]
    }

    #[inline(always)]
    fn in_group(&self, first: u32, lane: usize, _looked_up: &[u32; GROUP]) -> u32 {
        first + lane as u32
    }

    #[inline(always)]
    fn of_row(&self, row: u32) -> u32 {
        row
    }
}

/// Each row comes with its class.
#[derive(Clone, Copy)]
pub(crate) struct WithClasses<'a> {
    pub classes: &'a [u16],
    pub row_word: RowWord,
}

impl RowWords for WithClasses<'_> {
    #[inline(always)]
    fn of_group(&self, first: u32) -> [u32; GROUP] {
        let classes = group_at(self.classes, first);
        let mut words = [0; GROUP];
        for lane in 0..GROUP {
            words[lane] = self.row_word.word(first + lane as u32, classes[lane]);
        }
        words
    }

    #[inline(always)]
    fn in_group(&self, _first: u32, lane: usize, looked_up: &[u32; GROUP]) -> u32 {
        looked_up[lane]
    }

    #[inline(always)]
    fn of_row(&self, row: u32) -> u32 {
        self.row_word.word(row, self.classes[row as usize])
    }
}

/// The words are given, one for each row.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a>(pub &'a [u32]);

impl RowWords for Given<'_> {
    #[inline(always)]
    fn of_group(&self, first: u32) -> [u32; GROUP] {
        *group_at(self.0, first)
    }

    #[inline(always)]
    fn in_group(&self, _first: u32, lane: usize, looked_up: &[u32; GROUP]) -> u32 {
        looked_up[lane]
    }

    #[inline(always)]
    fn of_row(&self, row: u32) -> u32 {
        self.0[row as usize]
    }
}

/// Sends each row to one bucket.
#[derive(Clone, Copy)]
pub(crate) struct PointPlacement<'a, W> {
    pub points: Points<'a>,
    pub words: W,
    pub bound: [f32; 2],
    pub layout: Layout,
}

impl<const WORDS: usize, W: RowWords> Placement<WORDS> for PointPlacement<'_, W> {
    type Notes = Seen;

    const ROOM_FOR_NONE: u32 = 4;

    #[inline(always)]
    fn is_present(&self, row: usize) -> bool {
        self.points.is_present(row)
    }

    #[inline(always)]
    fn is_sound(&self, row: usize) -> bool {
        self.points.is_sound(row, self.bound)
    }

    #[inline(always)]
    fn append_group(&self, first: u32, to: &mut Appender<'_, WORDS>, seen: &mut Seen) -> bool {
        let (x, y) = (
            group_at(self.points.xs, first),
            group_at(self.points.ys, first),
        );
        let plain = self.points.are_plain::<GROUP>(first as usize, self.bound);
        if !(all_finite(x, y) & plain) {
            return false;
        }
        let mut buckets = [0_u32; GROUP];
        for lane in 0..GROUP {
            let place = self.layout.place(x[lane], y[lane]);
            seen.see(lane, place);
            buckets[lane] = self.layout.bucket(place.strip, place.block());
        }
        let places = to.take_places(&buckets);
        let own = match self.points.half_extents {
            Some(own) if WORDS == EXACT_WORDS => group_at(own, first),
            _ => &[[0.0; 2]; GROUP],
        };
        // All of them first, so that it becomes vectors.
        let words = self.words.of_group(first);
        // Four at a time, because the compiler does not unroll the loop over all.
        for four in (0..GROUP).step_by(4) {
            for lane in four..four + 4 {
                let word = self.words.in_group(first, lane, &words);
                to.write(places[lane], record(x[lane], y[lane], word, own[lane]));
            }
        }
        true
    }

    #[inline(always)]
    fn append_row(&self, row: u32, to: &mut Appender<'_, WORDS>, seen: &mut Seen) {
        let (x, y) = (self.points.xs[row as usize], self.points.ys[row as usize]);
        let place = self.layout.place(x, y);
        seen.see(0, place);
        let bucket = self.layout.bucket(place.strip, place.block());
        let own = self
            .points
            .half_extents
            .map_or([0.0; 2], |own| own[row as usize]);
        to.append(bucket, record(x, y, self.words.of_row(row), own));
    }

    #[inline(always)]
    fn finish(&self, rows: Range<usize>, seen: &mut Seen) {
        if seen.reach().is_at_edge() {
            seen.outside = self.count_outside(rows);
        }
    }
}

impl<W> PointPlacement<'_, W> {
    /// How many of the rows that are held are clamped to an outermost cell.
    fn count_outside(&self, rows: Range<usize>) -> u32 {
        let (points, layout) = (&self.points, &self.layout);
        let clamped = |&row: &usize| {
            points.is_present(row)
                && points.is_sound(row, self.bound)
                && (layout.columns.is_clamped(points.xs[row])
                    || layout.strips.is_clamped(points.ys[row]))
        };
        rows.filter(clamped).count() as u32
    }
}

/// The first words of x, y, row and half extents: all of them, or those of a coarse grid.
#[inline(always)]
fn record<const WORDS: usize>(x: f32, y: f32, word: u32, own: [f32; 2]) -> [u32; WORDS] {
    let all: [u32; EXACT_WORDS] = [
        x.to_bits(),
        y.to_bits(),
        word,
        own[0].to_bits(),
        own[1].to_bits(),
    ];
    let mut record = [0; WORDS];
    record.copy_from_slice(&all[..WORDS]);
    record
}

#[inline(always)]
fn all_finite(x: &[f32; GROUP], y: &[f32; GROUP]) -> bool {
    let mut finite = true;
    for lane in 0..GROUP {
        finite &= (x[lane].abs() < f32::INFINITY) & (y[lane].abs() < f32::INFINITY);
    }
    finite
}

/// What is noted about a part's rows.
///
/// The lowest and the highest strip and block are kept for each lane of a group, so that they cost only vector minima
/// and maxima.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    strips: [[i32; GROUP]; 2],
    blocks: [[i32; GROUP]; 2],
    /// Rows that are clamped to an outermost cell.
    pub outside: u32,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            strips: [[i32::MAX; GROUP], [i32::MIN; GROUP]],
            blocks: [[i32::MAX; GROUP], [i32::MIN; GROUP]],
            outside: 0,
        }
    }
}

impl Seen {
    #[inline(always)]
    fn see(&mut self, lane: usize, place: Place) {
        let (strip, block) = (place.strip, place.block());
        for (seen, cell) in [(&mut self.strips, strip), (&mut self.blocks, block)] {
            seen[0][lane] = seen[0][lane].min(cell);
            seen[1][lane] = seen[1][lane].max(cell);
        }
    }

    pub fn reach(&self) -> Reach {
        let over_lanes = |[least, most]: &[[i32; GROUP]; 2]| {
            [
                least.iter().copied().fold(i32::MAX, i32::min),
                most.iter().copied().fold(i32::MIN, i32::max),
            ]
        };
        Reach {
            strips: over_lanes(&self.strips),
            blocks: over_lanes(&self.blocks),
        }
    }
}

/// The lowest and the highest strip and block of all rows: tells whether buckets can have wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    strips: [i32; 2],
    blocks: [i32; 2],
}

impl Reach {
    pub fn merge(self, other: Reach) -> Self {
        let merge = |a: [i32; 2], b: [i32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self {
            strips: merge(self.strips, other.strips),
            blocks: merge(self.blocks, other.blocks),
        }
    }

    /// Whether two different places can share a bucket of `layout`.
    pub fn wraps(self, layout: &Layout) -> bool {
        let beyond =
            |seen: [i32; 2], bits: u32| i64::from(seen[1]) - i64::from(seen[0]) >= 1_i64 << bits;
        beyond(self.strips, layout.strip_bits) || beyond(self.blocks, layout.block_bits)
    }

    /// Whether a cell is outermost in a `CellMap`, or close to that.
    fn is_at_edge(self) -> bool {
        const EDGE: i32 = (1 << 30) - COLUMNS as i32;
        let at_edge = |seen: [i32; 2]| seen[0] <= -EDGE || seen[1] >= EDGE;
        at_edge(self.strips) || at_edge(self.blocks.map(|block| block << COLUMN_BITS))
    }
}
