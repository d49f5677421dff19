//! Every overlapping pair of few boxes and a structure of many, once, chunk by chunk.
//!
//! The few are walked, and the many are asked what touches them: for one box at a time where the few are thin on the
//! ground, and what is found are its pairs; for several at once where they are close together, and the two groups are
//! compared. So those of the many that are near none of the few cost nothing.
//!
//! A structure that [finds the pairs of many boxes at once](BoxSource::at_once) is given all boxes of a chunk. For others, which
//! boxes are asked for together is decided box by box, in the order of a piece: a group grows as long as its
//! cost for each of its boxes falls, by an estimate of how many of the many its bounds hold. Tried first: halving a piece for
//! as long as its halves are cheaper than the whole, which was half as good for even crowds, and a sixth slower where every
//! box is alone.

use crate::aabb::{Aabb, Corners};
use crate::arena::Arena;
use crate::box_list::BoxList;
use crate::box_run::BoxRun;
use crate::box_source::{BoxPieces, BoxSource, PairsAtOnce};
use crate::lanes::Simd;
use crate::mask_words::{MaskWords, RowMasks};
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use crate::search_stats::SearchStats;
use std::ops::{ControlFlow, Range};

/// What it costs to ask once, and what it adds if a group is then compared with what is found. The unit is the cost of one
/// box found. With `ASKING` at 200, meetings with only a few times more rows take a third longer.
const ASKING: f32 = 100.0;
const COMPARING: f32 = 60.0;
/// A box is large if it is expected to touch more of the many than this: no group may be, and a large box may be left to a
/// search that is split over more chunks.
const LARGE: f32 = 1024.0;
/// Room at first for the boxes of a piece, and for those found near one. Little, because room is filled when it is made, and
/// there may be ten boxes in all.
const BOXES_IN_PIECE: usize = 64;
const BOXES_FOUND: usize = 48;
/// The most boxes in a piece, about: see [`BoxPieces`].
const LONGEST_PIECE: usize = 2048;

/// How boxes are spread out, as an estimate.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Boxes per unit of length.
    per_length: f32,
}

impl Spread {
    /// Boxes about so far apart.
    #[must_use]
    pub fn of_spacing(spacing: f32) -> Self {
        Self {
            per_length: 1.0 / spacing,
        }
    }

    /// About how many of the boxes touch a window, if each is as large as they are apart. May be NaN.
    #[inline(always)]
    fn touched(self, [min, max]: &Corners) -> f32 {
        let along = |axis: usize| (max[axis] - min[axis]) * self.per_length + 1.0;
        along(0) * along(1)
    }

    /// Whether a box is expected to touch so many of the boxes that the work should be shared by several chunks.
    #[must_use]
    pub fn finds_large(self, corners: &[[f32; 2]; 2]) -> bool {
        let touched = self.touched(corners);
        touched > LARGE || touched.is_nan()
    }

    /// Lists the large boxes among the few, up to `most`. Returns whether these are all.
    pub fn list_large(
        self,
        few: &dyn BoxPieces,
        most: usize,
        arena: &mut Arena,
        list: &mut BoxList,
    ) -> bool {
        list.clear();
        arena.reset();
        let arena = &*arena;
        let mut piece = BoxRun::with_capacity(arena, BOXES_IN_PIECE, false);
        let listed = (0..few.piece_chunks()).try_for_each(|chunk| {
            few.visit_pieces(chunk, arena, &mut piece, &mut |piece| {
                for (k, &row) in piece.rows().iter().enumerate() {
                    let corners = piece.corners(k);
                    if self.finds_large(&corners) {
                        if list.len() == most {
                            return ControlFlow::Break(());
                        }
                        list.push(corners, row);
                    }
                }
                ControlFlow::Continue(())
            })
        });
        listed.is_continue()
    }
}

/// A search for the pairs of few boxes and many.
#[derive(Clone, Copy)]
pub struct FewAmongMany<'s> {
    /// The boxes that are walked.
    pub few: &'s dyn BoxPieces,
    /// How many chunks each chunk of their pieces is split into.
    pub parts: usize,
    /// The structure that is asked.
    pub many: &'s dyn BoxSource,
    /// How the many are spread out. Decides what is asked together and what is large, never what is found.
    pub spread: Spread,
    /// Whether the boxes that [are large](Spread::finds_large) are left out.
    pub without_large: bool,
    /// What compares boxes.
    pub simd: Simd,
    /// The masks of the few's rows, and of the others.
    pub masks: [Option<RowMasks<'s>>; 2],
    /// Whose row comes first: [`Left`](PairOrder::Left) is the few's.
    pub order: PairOrder,
}

impl FewAmongMany<'_> {
    /// About how many boxes there are in a chunk: that many questions take as long as the search of a chunk of a grid.
    pub const BOXES_IN_CHUNK: usize = 512;

    /// How many parts to split each chunk of pieces of a structure into that has this many rows.
    #[must_use]
    pub fn parts(few: &dyn BoxPieces, rows: usize) -> usize {
        let each = rows.div_ceil(few.piece_chunks().max(1));
        each.div_ceil(Self::BOXES_IN_CHUNK).max(1)
    }

    /// How much arena memory the search of a chunk among `many` takes, unless boxes are crowded, which makes the arena grow.
    #[must_use]
    pub fn scratch_bytes(many: &dyn BoxSource) -> usize {
        // A run that outgrows its room leaves it behind.
        let piece = BoxRun::bytes(BOXES_IN_PIECE, false) + BoxRun::bytes(LONGEST_PIECE, false);
        let at_once = many.at_once();
        let more = at_once.map_or(0, |many| many.scratch_bytes_for(Self::BOXES_IN_CHUNK));
        PairBuffer::BYTES + piece + 2 * BoxRun::bytes(Self::BOXES_IN_CHUNK, true) + more
    }

    /// Visits every overlapping pair of a chunk of `few.piece_chunks() * parts`, in batches: box by box, in the order
    /// of the few's pieces, but for those that are close together. A structure that finds the pairs of many boxes
    /// [at once](BoxSource::at_once) has an order of its own. The order depends only on the data.
    ///
    /// Of the boxes of a chunk of pieces, those of part `k` are the `k`-th [`BOXES_IN_CHUNK`](Self::BOXES_IN_CHUNK); the rest are
    /// in the last part.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are too few for the rows.
    pub fn meet_in_chunk(
        &self,
        chunk: usize,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        arena.reset();
        let arena = &*arena;
        let masked = self.masks.iter().any(Option::is_some);
        let mut piece = BoxRun::with_capacity(arena, BOXES_IN_PIECE, false);
        let mut search = Search {
            meeting: self,
            arena,
            own: BoxRun::with_capacity(arena, 0, masked),
            found: BoxRun::with_capacity(arena, BOXES_FOUND, masked),
            out: PairBuffer::new(arena, visit),
            candidates: 0,
        };
        let (chunk, part) = (chunk / self.parts, chunk % self.parts);
        let begin = part * Self::BOXES_IN_CHUNK;
        let end = if part + 1 == self.parts {
            usize::MAX
        } else {
            begin + Self::BOXES_IN_CHUNK
        };
        let mut passed = 0;
        let at_once = self.many.at_once();
        let _ = self
            .few
            .visit_pieces(chunk, arena, &mut piece, &mut |piece| {
                let first = begin.saturating_sub(passed).min(piece.len());
                let last = (end - passed).min(piece.len());
                match at_once {
                    Some(many) => search.collect(piece, first..last, many),
                    None => search.meet(piece, first, last),
                }
                search.out.flush();
                passed += piece.len();
                if passed < end {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        if let Some(many) = at_once {
            search.ask_at_once(many);
        }
        SearchStats {
            pairs: search.out.total(),
            candidates: search.candidates,
        }
    }
}

/// Boxes of a piece that are asked for together.
#[derive(Clone, Copy)]
struct Group {
    first: usize,
    end: usize,
    window: Corners,
    cost: f32,
}

/// The working memory of one chunk's search.
struct Search<'a, 's> {
    meeting: &'s FewAmongMany<'s>,
    arena: &'a Arena,
    /// A group of the few, and what it may touch.
    own: BoxRun<'a>,
    found: BoxRun<'a>,
    out: PairBuffer<'a>,
    candidates: u64,
}

impl Search<'_, '_> {
    /// Takes some boxes of a piece, and asks for them once they are as many as there are in a chunk.
    fn collect(&mut self, piece: &BoxRun<'_>, range: Range<usize>, many: &dyn PairsAtOnce) {
        self.own.make_room(self.arena, range.len());
        if self.meeting.without_large {
            for k in range {
                if !self.is_left_out(piece, k) {
                    self.own.push(piece.corners(k), piece.rows()[k]);
                }
            }
        } else {
            let sides = piece.sides().map(|side| &side[range.clone()]);
            self.own.append(sides, &piece.rows()[range]);
        }
        if self.own.len() >= FewAmongMany::BOXES_IN_CHUNK {
            self.ask_at_once(many);
        }
    }

    /// Pairs of the boxes that were taken.
    fn ask_at_once(&mut self, many: &dyn PairsAtOnce) {
        let FewAmongMany { masks, order, .. } = *self.meeting;
        let (own, arena) = (&self.own, self.arena);
        self.candidates += many.pairs_with(own, masks, order, arena, &mut self.out);
        self.out.flush();
        self.own.clear();
    }

    /// Whether a box is large, and large ones do not count here.
    fn is_left_out(&self, piece: &BoxRun<'_>, at: usize) -> bool {
        self.meeting.without_large && self.meeting.spread.finds_large(&piece.corners(at))
    }

    /// Pairs of some boxes of a piece.
    fn meet(&mut self, piece: &BoxRun<'_>, first: usize, end: usize) {
        let mut at = first;
        while at < end {
            if self.is_left_out(piece, at) {
                at += 1;
                continue;
            }
            let group = self.group_from(piece, at, end);
            if group.cost <= (group.end - at) as f32 * ASKING {
                self.ask_for_all(piece, &group);
            } else {
                for k in at..group.end {
                    self.ask_for_one(piece.rows()[k], piece.corners(k));
                }
            }
            at = group.end;
        }
    }

    /// The group that begins with a box: it ends where the next box would make each of its boxes cost more.
    #[inline]
    fn group_from(&self, piece: &BoxRun<'_>, first: usize, end: usize) -> Group {
        let spread = self.meeting.spread;
        let window = piece.corners(first);
        let mut group = Group {
            first,
            end: first + 1,
            window,
            cost: ASKING + COMPARING + spread.touched(&window),
        };
        for k in first + 1..end {
            let window = around(&group.window, &piece.corners(k));
            let touched = spread.touched(&window);
            let (len, more) = ((k - first) as f32, (k - first + 1) as f32);
            let cost = ASKING + COMPARING + touched * (1.0 + more / LANES as f32);
            let pays = cost * len <= group.cost * more && touched <= LARGE;
            if !pays {
                break;
            }
            group = Group {
                first,
                end: k + 1,
                window,
                cost,
            };
        }
        group
    }

    /// Pairs of a group.
    fn ask_for_all(&mut self, piece: &BoxRun<'_>, group: &Group) {
        let meeting = self.meeting;
        self.gather(&group.window);
        if self.found.is_empty() {
            return;
        }
        let range = group.first..group.end;
        self.own.clear();
        self.own.make_room(self.arena, range.len());
        let sides = piece.sides().map(|side| &side[range.clone()]);
        self.own.append(sides, &piece.rows()[range]);
        self.own.finish(meeting.masks[0]);
        self.found.finish(meeting.masks[1]);
        let (own, found) = (&self.own, &self.found);
        self.candidates += meeting.simd.cross(own, found, meeting.order, &mut self.out);
    }

    /// Pairs of one box: whatever touches it.
    fn ask_for_one(&mut self, row: u32, corners: Corners) {
        let FewAmongMany { masks, order, .. } = *self.meeting;
        self.gather(&corners);
        self.candidates += self.found.len() as u64;
        let masked = masks.iter().any(Option::is_some);
        let masks_of = |side: usize, row: u32| {
            masks[side].map_or(MaskWords::ALL, |masks| masks.get(row as usize))
        };
        let own = masks_of(0, row);
        for found in self.found.rows().chunks(LANES) {
            let room = self.out.room();
            let mut kept = 0;
            for &other in found {
                room[kept] = order.walked_first([row, other]);
                kept += usize::from(!masked || own.meets(masks_of(1, other)));
            }
            self.out.keep(kept);
        }
    }

    fn gather(&mut self, &[min, max]: &Corners) {
        self.found.clear();
        let window = Aabb::of_corners(min, max);
        self.meeting
            .many
            .gather(&window, self.arena, &mut self.found);
    }
}

/// The box around two.
#[inline(always)]
fn around(a: &Corners, b: &Corners) -> Corners {
    let lower = |a: f32, b: f32| if b < a { b } else { a };
    let higher = |a: f32, b: f32| if b > a { b } else { a };
    [
        [lower(a[0][0], b[0][0]), lower(a[0][1], b[0][1])],
        [higher(a[1][0], b[1][0]), higher(a[1][1], b[1][1])],
    ]
}
