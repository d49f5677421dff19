//! Sorted strips of boxes: rebuilt by every update, and the fastest of the three where most things move.

mod buckets;
mod config;
mod gather;
mod gather_buffer;
mod inspect;
mod kernels;
mod layer_choice;
mod layers;
mod partition;
mod pieces;
mod plan;
mod sample;
mod search;
mod sort;

use crate::or_empty::or_empty;
use crate::{LooseCell, LooseError, LooseStructure, UpdateReport, check};
use buckets::Buckets;
use educe::Educe;
use fixedbitset::FixedBitSet;
use gather::bounds;
use layers::Layers;
use pieces::{StripPiece, cut_into_pieces};
use plan::{CrowdSummary, plan_layers};
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxSource, Boxes, Executor, PairOrder, RowMasks, SearchStats, Simd, SimdLevel,
};

pub use config::StripsConfig;
pub use inspect::StripsMemory;

/// Boxes of any size, each in every strip that it touches, sorted along the strip.
///
/// ```text
///   y ▲                      ┌─────┐
///     │ ────────┌───┐────────│  c  │──────────────────     strip 2: c c'…
///     │   ┌───┐ │ b │        │     │     ┌─────────┐
///     │   │ a │ └───┘        │     │     │    d    │      strip 1: a b c d
///     │ ──│   │──────────────└─────┘─────└─────────┘─
///     │   └───┘                                           strip 0: a
///     └──────────────────────────────────────────────► x
/// ```
///
/// The boxes of a strip are sorted by their left sides. So, of the boxes after a given one, those that it can overlap
/// come first: a search compares sixteen at a time and continues as long as they begin before the box ends. Two boxes
/// that share several strips are reported in one of them: the strip of the higher of their two lower sides.
///
/// Strips come in layers, each eight times as tall as the one below. A box goes into the lowest layer where it crosses
/// at most seven borders and is at most as wide as seven strips are tall. So it has **at most eight copies**, whatever
/// its size, and about 1.2 on average. Above these are two layers of a single strip. One is transposed, that is, sorted
/// by lower sides. It takes boxes that are wider than tall and fit no strips, such as endless walls, and flat boxes
/// that the sample says are cheaper there. The top layer takes everything else: boxes hundreds of thousands of strips
/// tall, half-spaces, the whole plane. A search goes through each layer by itself. For each piece of a strip it also
/// looks for boxes in the layers above, once for all boxes of the piece. So an unbounded box costs what it overlaps,
/// plus one look for each piece of a thousand boxes.
///
/// Two costs remain. Walls in the transposed layer that overlap along y are compared, wherever they are along x. And a
/// look into a layer of one strip scans every box that begins, before the window, within the length of the longest box
/// there. So a wall as thick as the world makes each look scan all walls on one side of it, sixteen at a time.
///
/// An update reads the columns once and sorts everything again. There is nothing to maintain, so it costs the same
/// however far things moved, and however few. Where few things move and few searches follow, a structure that applies
/// only the differences is better.
///
/// # Invariants
///
/// Checked by [`validate`](LooseStructure::validate): every row held is in the lowest layer that takes it, once in
/// every strip that it touches, and marked in the strip that it begins in. Copies in a strip are sorted by left side
/// (by lower side if transposed) and followed by sentinels. No copy is wider than its slot says.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub struct BoxStrips {
    config: StripsConfig,
    simd: Simd,
    layers: Layers,
    buckets: Buckets,
    pieces: Vec<StripPiece>,
    /// The first piece of each chunk; the last element is the end.
    chunks: Vec<u32>,
    rows: usize,
    /// Rows that were disabled in the columns of the last update.
    disabled: FixedBitSet,
    columns_len: usize,
    /// The row of each box of the columns, if it was not its place in them.
    named: Vec<u32>,
    planned_for: Option<CrowdSummary>,
    /// Spacing of the boxes when layers were planned.
    spacing: f32,
}

impl BoxStrips {
    /// Strips without boxes.
    ///
    /// # Errors
    ///
    /// If the height is not a finite number above zero, or this machine lacks the instruction set asked for.
    pub fn new(config: StripsConfig) -> Result<Self, LooseError> {
        check::size("strip_height, the height of a strip,", config.strip_height)?;
        let simd = check::simd(config.simd)?;
        Ok(Self {
            config,
            simd,
            layers: Layers::single(),
            buckets: Buckets::default(),
            pieces: Vec::new(),
            chunks: Vec::new(),
            rows: 0,
            disabled: FixedBitSet::new(),
            columns_len: 0,
            named: Vec::new(),
            planned_for: None,
            spacing: 0.0,
        })
    }

    fn forget_boxes(&mut self) {
        self.buckets.clear();
        self.pieces.clear();
        self.chunks.clear();
        self.disabled.clear();
        self.columns_len = 0;
        self.named.clear();
        self.rows = 0;
    }

    /// Whether a row is held. O(log rejected rows), or O(log rows) if [rows were given](LooseStructure::update_rows).
    pub fn contains(&self, row: u32) -> bool {
        let place = if self.named.is_empty() {
            row as usize
        } else {
            let place = self.named.binary_search(&row);
            place.unwrap_or(self.columns_len)
        };
        place < self.columns_len
            && !self.disabled.contains(place)
            && self.rejected_rows().binary_search(&row).is_err()
    }

    /// Sorts everything again. The boxes have these rows, or their places if none are given.
    fn update_boxes(
        &mut self,
        boxes: Boxes<'_>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        check::row_count(boxes.len())?;
        self.forget_boxes();
        let planned = self.planned_for.is_none();
        if planned {
            (self.layers, self.spacing) = plan_layers(&boxes, self.config.strip_height);
            self.buckets.forget_counts();
        }
        or_empty(self, |strips| {
            let (layers, simd) = (&strips.layers, strips.simd);
            strips.buckets.distribute(boxes, layers, simd, executor);
            strips.buckets.sort(layers, simd, executor);
        });
        if !rows.is_empty() {
            self.buckets.name_rows(rows);
            self.named.extend_from_slice(rows);
        }
        self.rows = self.buckets.rows();
        self.columns_len = boxes.len();
        if let Some(disabled) = boxes.absent() {
            self.disabled.clone_from(disabled);
        }
        cut_into_pieces(&self.buckets, &mut self.pieces, &mut self.chunks);
        let now = CrowdSummary::of(self.rows, self.buckets.slots(), &boxes, self.spacing);
        if !self.planned_for.get_or_insert(now).fits(&now) {
            self.planned_for = None;
        }
        Ok(UpdateReport {
            rows: self.rows,
            rejected: self.rejected_rows().len(),
            moved: self.rows,
            planned,
            ..UpdateReport::default()
        })
    }

    /// Rows that the last update left out because their sides do not make a box, ascending.
    pub fn rejected_rows(&self) -> &[u32] {
        self.buckets.rejected()
    }

    /// The instruction set in use.
    pub fn simd(&self) -> SimdLevel {
        self.simd.level()
    }
}

impl LooseStructure for BoxStrips {
    /// Sorts everything again, in parallel. Nothing of the last update remains, so all rows count as moved. Earlier
    /// updates may affect how tall strips are, and so the order of pairs, but never which pairs there are.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        self.update_boxes(boxes, &[], executor)
    }

    /// As for all rows, and a pass over the copies to give them their numbers.
    fn update_rows(
        &mut self,
        boxes: Boxes<'_>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        check::rows_of_boxes(rows, boxes.len())?;
        self.update_boxes(boxes, rows, executor)
    }

    fn clear(&mut self) {
        self.forget_boxes();
        self.planned_for = None;
    }

    fn len(&self) -> usize {
        self.rows
    }

    fn chunks(&self) -> usize {
        self.chunks.len().saturating_sub(1)
    }

    fn chunk_scratch_bytes(&self) -> usize {
        Self::scratch_bytes()
    }

    fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        self.find_pairs(chunk, masks, arena, visit)
    }

    fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        self.find_meetings(other, chunk, masks, order, arena, visit)
    }

    /// Layer by layer, lowest strips first; in a strip by left side, in the transposed layer by lower side. O(strips
    /// the window touches · log boxes + boxes in the window's part of those strips, extended to the left by the widest
    /// box of each).
    fn query_aabb(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_touching(window, visit)
    }

    /// The slots that hold boxes, lowest layer first. Strips that are far apart may share a slot, and then count as
    /// one.
    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell)) {
        for slot in self.buckets.slots().iter().filter(|slot| slot.len > 0) {
            let [min, max] = bounds(&self.buckets.copies(slot), slot.transposed);
            if let Ok(bounds) = Aabb::new(min, max) {
                visit(LooseCell {
                    bounds,
                    rows: slot.len as usize,
                    level: slot.layer as usize,
                });
            }
        }
    }

    fn cells(&self) -> usize {
        let slots = self.buckets.slots().iter();
        slots.filter(|slot| slot.len > 0).count()
    }

    fn memory_bytes(&self) -> usize {
        self.memory().total()
    }

    fn validate(&self) -> Result<(), String> {
        self.check_invariants()
    }
}
