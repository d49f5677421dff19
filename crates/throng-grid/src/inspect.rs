//! A grid seen from outside: its leaves, its memory, its invariants.

use crate::PointGrid;
use crate::layout::COLUMNS;
use crate::leaf::{Bounds, Leaf, Strip};
use crate::mend::Upkeep;
use crate::pieces::{Piece, cut_into_pieces};
use std::fmt;
use throng_core::Aabb;

/// A leaf as seen from outside, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafView {
    /// The strip it is in; neighboring strips have consecutive numbers.
    pub strip: i32,
    /// The bounds of the centers in it.
    pub bounds: Aabb,
    /// How many rows it holds.
    pub rows: usize,
}

/// The memory of a grid in bytes, by use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GridMemory {
    /// Sorted records: center, row and, in an exact grid, half extents, with the buckets' slack.
    pub records: usize,
    /// Leaves, strips, and the pieces of work they are cut into.
    pub leaves: usize,
    /// Counts and scratch memory of a build.
    pub scratch: usize,
}

impl GridMemory {
    /// All of them together.
    pub fn total(&self) -> usize {
        self.records + self.leaves + self.scratch
    }
}

impl fmt::Display for GridMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            records,
            leaves,
            scratch,
        } = self;
        write!(
            f,
            "{} bytes: {records} in records, {leaves} in leaves, {scratch} in scratch",
            self.total()
        )
    }
}

impl PointGrid {
    /// Visits every leaf, strip by strip, each from left to right. For debug drawing.
    pub fn visit_leaves(&self, mut visit: impl FnMut(LeafView)) {
        for leaf in &self.leaves {
            if let Some(bounds) = leaf.bounds.to_aabb() {
                visit(LeafView {
                    strip: leaf.strip,
                    bounds,
                    rows: leaf.len as usize,
                });
            }
        }
    }

    /// The number of the strip that a coordinate is in. After a refit, rows there may be stored in the strips beside it.
    #[inline]
    pub fn strip_of(&self, y: f32) -> i32 {
        self.layout.strips.cell(y)
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// Rows in the index that are too far from the origin for cells to be told apart: see
    /// [`BuildReport::outside`](crate::BuildReport::outside).
    pub fn outside(&self) -> usize {
        self.upkeep.as_ref().map_or(0, |upkeep| upkeep.outside)
    }

    /// Roughly how tall a strip and how wide a block of columns is. For debug drawing and reports.
    pub fn cell_size(&self) -> [f32; 2] {
        [
            self.layout.columns.width() * COLUMNS as f32,
            self.layout.strips.width(),
        ]
    }

    /// The memory that the grid holds. It does not depend on the area of the world.
    pub fn memory(&self) -> GridMemory {
        GridMemory {
            records: self.buckets.record_bytes(),
            leaves: self.leaves.capacity() * size_of::<Leaf>()
                + self.strips.capacity() * size_of::<Strip>()
                + self.pieces.capacity() * size_of::<Piece>()
                + self.chunks.capacity() * size_of::<u32>(),
            scratch: self.buckets.scratch_bytes()
                + self.mend_scratch.memory_bytes()
                + self.refit_scratch.memory_bytes()
                + self.row_columns.memory_bytes(),
        }
    }

    /// Checks the invariants stated at [`PointGrid`]. O(rows · log rows); for tests.
    ///
    /// # Errors
    ///
    /// The first broken invariant, in words.
    pub fn validate(&self) -> Result<(), String> {
        let ascending = self
            .leaves
            .is_sorted_by(|a, b| (a.strip, a.block) < (b.strip, b.block));
        ensure(ascending, || {
            "leaves do not ascend by strip, then block".into()
        })?;
        let mut rows = Vec::with_capacity(self.rows);
        for leaf in &self.leaves {
            self.validate_leaf(leaf)?;
            let centers = self.centers(leaf);
            rows.extend((0..centers.len()).map(|k| centers.row(k)));
        }
        ensure(rows.len() == self.rows, || {
            format!("{} rows in leaves, {} counted", rows.len(), self.rows)
        })?;
        rows.sort_unstable();
        ensure(rows.is_sorted_by(|a, b| a < b), || {
            "a row is in two leaves".into()
        })?;
        self.validate_work()?;
        self.validate_memory()?;
        self.validate_upkeep()?;
        self.validate_places()?;
        let covered = self
            .strips
            .iter()
            .try_fold(0, |at, strip| (strip.first == at).then_some(strip.end));
        ensure(covered == Some(self.leaves.len() as u32), || {
            "strips do not list all leaves in order".into()
        })
    }

    /// Pieces and chunks.
    fn validate_work(&self) -> Result<(), String> {
        let (mut pieces, mut chunks) = (Vec::new(), Vec::new());
        cut_into_pieces(&self.leaves, self.rows, &mut pieces, &mut chunks);
        ensure(pieces == self.pieces, || {
            "pieces are not those of the leaves".into()
        })?;
        let ends =
            [self.chunks.first(), self.chunks.last()].map(|end| end.map(|&end| end as usize));
        // A grid that was never built has none.
        let all = ends == [Some(0), Some(pieces.len())] || pieces.is_empty();
        ensure(all && self.chunks.is_sorted_by(|a, b| a < b), || {
            "chunks do not list all pieces in order".into()
        })
    }

    /// Each leaf has memory of its own.
    fn validate_memory(&self) -> Result<(), String> {
        let memory = |leaf: &Leaf| {
            let [start, room] = [leaf.start, leaf.room].map(|records| records as usize);
            start..start + room * self.record_words()
        };
        let mut memories: Vec<_> = self.leaves.iter().map(memory).collect();
        memories.sort_unstable_by_key(|memory| memory.start);
        let apart = memories.is_sorted_by(|a, b| a.end <= b.start);
        let within = memories
            .last()
            .is_none_or(|last| last.end <= self.buckets.words().len());
        let fits = |leaf: &Leaf| leaf.len <= leaf.stride && leaf.stride <= leaf.room;
        ensure(apart && within && self.leaves.iter().all(fits), || {
            "leaves share memory, or exceed their own".into()
        })
    }

    /// Rows are in their leaves, or no farther from their places than is known.
    fn validate_places(&self) -> Result<(), String> {
        for strip in &self.strips {
            let leaves = &self.leaves[strip.first as usize..strip.end as usize];
            let mut furthest = f32::NEG_INFINITY;
            for leaf in leaves {
                let centers = self.centers(leaf);
                for (k, (&x, &y)) in centers.xs.iter().zip(centers.ys).enumerate() {
                    let here = self.layout.place(x, y);
                    let [low, high] = self.drift.strips([here.strip; 2]);
                    let [first, last] = self.drift.blocks([here.block(); 2]);
                    let is_near = (low..=high).contains(&leaf.strip)
                        && (first..=last).contains(&leaf.block)
                        && self.drift.before(furthest).is_none_or(|before| before <= x);
                    ensure(is_near, || {
                        let row = centers.row(k);
                        format!(
                            "row {row} lies in {here:?}, farther from {leaf:?} than {:?}",
                            self.drift
                        )
                    })?;
                    furthest = furthest.max(x);
                }
            }
        }
        Ok(())
    }

    /// What is known without looking at all leaves.
    fn validate_upkeep(&self) -> Result<(), String> {
        ensure(self.bounds == Bounds::of_leaves(&self.leaves), || {
            format!("{:?} are not the bounds of all", self.bounds)
        })?;
        let Some(upkeep) = &self.upkeep else {
            return Ok(());
        };
        let outside = |leaf: &Leaf| {
            let centers = self.centers(leaf);
            let place = |k: usize| self.layout.place(centers.xs[k], centers.ys[k]);
            (0..centers.len())
                .filter(|&k| place(k).is_outside())
                .count()
        };
        let outside = self.leaves.iter().map(outside).sum();
        let counted = Upkeep::new(&self.leaves, upkeep.free, outside);
        ensure(
            (counted.squares, outside) == (upkeep.squares, upkeep.outside),
            || format!("{upkeep:?} instead of {counted:?}"),
        )
    }

    fn validate_leaf(&self, leaf: &Leaf) -> Result<(), String> {
        let centers = self.centers(leaf);
        ensure(leaf.len > 0, || format!("an empty leaf {leaf:?}"))?;
        let place = |k: usize| self.layout.place(centers.xs[k], centers.ys[k]);
        let key = |k: usize| (place(k).column, centers.row(k));
        let sorted = !self.drift.is_none() || (1..centers.len()).all(|k| key(k - 1) < key(k));
        ensure(sorted, || {
            format!("rows of {leaf:?} do not ascend by column, then row")
        })?;
        ensure(Bounds::of(centers.xs, centers.ys) == leaf.bounds, || {
            format!("bounds of {leaf:?} are not tight")
        })
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
