//! Sorted strips of boxes: rebuilt at every update, and the fastest of the three where most things move.

mod buckets;
mod config;
mod gather;
mod inspect;
mod kernels;
mod layers;
mod partition;
mod pieces;
mod plan;
mod sample;
mod search;
mod sort;
mod staged;
mod trials;

use crate::or_empty::or_empty;
use crate::{LooseCell, LooseError, LooseStructure, UpdateReport, check};
use buckets::Buckets;
use fixedbitset::FixedBitSet;
use gather::bounds;
use layers::Layers;
use pieces::{Piece, cut_into_pieces};
use plan::{Plan, plan_layers};
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxSource, Boxes, ChunkStats, Executor, PairOrder, RowMasks, Simd, SimdLevel,
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
/// A strip's boxes ascend by their left sides. So those that a box can overlap, of those that begin after
/// it, are the very next ones: a search compares sixteen at a time and goes on for as long as they begin
/// before the box ends. Two boxes that share several strips are reported in the one in which the higher of
/// their lower sides lies.
///
/// Strips come in layers, each eight times as tall as the one below. A box goes into the lowest layer where
/// it crosses at most seven borders and is at most as wide as seven strips are tall; so it has **at most
/// eight copies**, whatever its size, and about 1.2 on average. Above them are two layers of a single strip.
/// One lies across: sorted by lower sides, it takes what is wider than tall and fits no strips, such as
/// endless walls, and flat boxes that a sample says are cheaper there. The topmost takes everything else: boxes
/// hundreds of thousands of strips tall, half-spaces, the whole plane. A search goes through each layer by
/// itself, and looks from each stretch of a strip for boxes in the layers above, once for all boxes in it.
/// An unbounded box therefore costs what it meets, and a look at it from each stretch of a thousand boxes.
///
/// What remains to be paid: walls that lie across and overlap along y are compared, wherever they are on x.
/// A stretch that looks into a layer of one strip goes past all that begin, along it, no farther before the
/// window than the longest box there reaches: so one that is as thick as the world makes each look pass all
/// walls on one side of it, sixteen at a time.
///
/// An update reads the columns once and sorts everything anew; there is nothing to maintain, so it costs
/// the same however far things moved, and however few. Where few do and few searches follow, a structure that
/// applies only differences is the better one.
///
/// # Invariants
///
/// Checked by [`validate`](LooseStructure::validate): every row held is in the lowest layer that takes it, once in
/// every strip that it touches, and marked in the strip that it begins in; copies in a strip ascend by left
/// side (by lower side where they lie across) and are followed by sentinels; no copy is longer than its strip
/// says.
#[derive(Debug)]
pub struct BoxStrips {
    config: StripsConfig,
    simd: Simd,
    layers: Layers,
    buckets: Buckets,
    pieces: Vec<Piece>,
    /// First piece of each chunk, and the end.
    chunks: Vec<u32>,
    rows: usize,
    /// Rows of the columns last updated from that were to be left out.
    absent: FixedBitSet,
    columns_len: usize,
    plan: Option<Plan>,
    /// Of the boxes, when layers were planned.
    spacing: f32,
}

impl BoxStrips {
    /// Strips that hold nothing.
    ///
    /// # Errors
    ///
    /// If the height given is not a finite number above zero, or this machine lacks the instruction set
    /// asked for.
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
            absent: FixedBitSet::new(),
            columns_len: 0,
            plan: None,
            spacing: 0.0,
        })
    }

    fn forget_boxes(&mut self) {
        self.buckets.clear();
        self.pieces.clear();
        self.chunks.clear();
        self.absent.clear();
        self.columns_len = 0;
        self.rows = 0;
    }

    /// Whether a row is held. O(log rejected rows).
    pub fn contains(&self, row: u32) -> bool {
        let index = row as usize;
        index < self.columns_len
            && !self.absent.contains(index)
            && self.rejected_rows().binary_search(&row).is_err()
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
    /// Sorts everything anew, in parallel. Nothing of the last update remains, so all rows count as moved. What
    /// earlier updates saw may change how tall strips are and so the order of pairs, never which pairs there are.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        check::row_count(boxes.len())?;
        self.forget_boxes();
        let planned = self.plan.is_none();
        if planned {
            (self.layers, self.spacing) = plan_layers(&boxes, self.config.strip_height);
            self.buckets.forget_counts();
        }
        or_empty(self, |strips| {
            let (layers, simd) = (&strips.layers, strips.simd);
            strips.buckets.distribute(boxes, layers, simd, executor);
            strips.buckets.sort(layers, simd, executor);
        });
        self.rows = self.buckets.rows();
        self.columns_len = boxes.len();
        if let Some(absent) = boxes.absent() {
            self.absent.clone_from(absent);
        }
        cut_into_pieces(&self.buckets, &mut self.pieces, &mut self.chunks);
        let now = Plan::of(self.rows, self.buckets.slots(), &boxes, self.spacing);
        if !self.plan.get_or_insert(now).fits(&now) {
            self.plan = None;
        }
        Ok(UpdateReport {
            rows: self.rows,
            rejected: self.rejected_rows().len(),
            moved: self.rows,
            planned,
            ..UpdateReport::default()
        })
    }

    fn clear(&mut self) {
        self.forget_boxes();
        self.plan = None;
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
    ) -> ChunkStats {
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
    ) -> ChunkStats {
        self.find_meetings(other, chunk, masks, order, arena, visit)
    }

    /// Layer after layer, lowest strips first; in a strip by left side, by lower side where boxes lie across.
    /// O(strips the window touches · log boxes + boxes in its stretch of them, the widest box of each strip to
    /// its left included).
    fn query_box(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_touching(window, visit)
    }

    /// Strips that hold anything, lowest layer first. Strips far apart may have been put together, and are then
    /// one.
    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell)) {
        for slot in self.buckets.slots().iter().filter(|slot| slot.len > 0) {
            let [min, max] = bounds(&self.buckets.copies(slot), slot.lies_across);
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
