//! What the search of one chunk works with, and how it tests masks.
//!
//! Masks are tested **by class** where the index carries classes (see `row_word`): not for every candidate, but for the boxes
//! that overlap, sixteen pairs at a time, when their rows are looked up. At a pair a row, that is a tenth of the candidates.
//! No masks are gathered, and nothing is added to the loop that compares.
//!
//! Otherwise they are tested **by words**, gathered by row, for every candidate and together with its box. In a crowd where
//! most candidates overlap, that is faster: what masks keep apart is not noted at all.

use crate::leaf::Bounds;
use crate::run::{MaskTest, Run, RunKind};
use crate::view::SPARE_ROOM;
use throng_core::lanes::HitRoom;
use throng_core::{Arena, MetClasses, RowMasks, Simd, SimdLevel};

/// The working memory of one chunk's search.
pub(crate) struct PairSearch<'a, S> {
    pub masks: Option<RowMasks<'a>>,
    /// Which classes meet, if masks are tested by class.
    pub met: Option<MetClasses>,
    pub arena: &'a Arena,
    pub runs: Runs<'a>,
    /// Those of crowded pieces, whose masks are tested by words; made for the first.
    pub of_crowds: Option<Runs<'a>>,
    pub out: S,
    pub candidates: u64,
}

/// What is compared: a piece and what is ahead of it, and the edges of two strips; and the memory for what is found.
pub(crate) struct Runs<'a> {
    pub own: Run<'a>,
    pub low: Run<'a>,
    pub high: Run<'a>,
    pub hits: &'a mut HitRoom,
    kind: RunKind,
    most: [usize; 2],
}

impl<'a> Runs<'a> {
    /// For pieces of up to `longest` rows, of a grid of so many.
    pub fn new(arena: &'a Arena, kind: RunKind, [longest, rows]: [usize; 2]) -> Self {
        // Its rows come by themselves: see `sweep`.
        let own = RunKind {
            placed: false,
            ..kind
        };
        // Room is filled when it is made, so in a small grid there is no more of it than it can need.
        let run = |capacity: usize, kind| Run::with_capacity(arena, capacity.min(rows), kind);
        Self {
            own: run(longest + SPARE_ROOM, own),
            low: run(2 * SPARE_ROOM, kind),
            high: run(2 * SPARE_ROOM, kind),
            hits: HitRoom::in_arena(arena),
            kind,
            most: [longest, rows],
        }
    }

    /// Such runs whose masks are tested by words.
    pub fn by_words(&self, arena: &'a Arena) -> Self {
        let kind = RunKind {
            mask_test: MaskTest::Words,
            ..self.kind
        };
        Self::new(arena, kind, self.most)
    }

    /// Whether so many boxes of a piece overlap that their masks had better be tested by words. Looks at one box in the
    /// middle.
    pub fn are_crowded(&self, simd: Simd, own: usize, window: &Bounds) -> bool {
        let Run { xs, bound, len, .. } = &self.own;
        let heights = (window.max[1] - window.min[1]) / (2.0 * bound[1]);
        let middle = own / 2;
        let ahead = middle.saturating_add((most_overlapping(simd) * heights) as usize);
        let reached = |x: &f32| x - xs[middle] <= 2.0 * bound[0];
        xs[..*len].get(ahead).is_some_and(reached)
    }
}

/// How many boxes ahead of one overlap it where a test by words begins to pay. Without an instruction that looks up one of
/// thirty-two words, a test by class costs more.
fn most_overlapping(simd: Simd) -> f32 {
    match simd.level() {
        SimdLevel::Avx512 => 16.0,
        _ => 4.0,
    }
}
