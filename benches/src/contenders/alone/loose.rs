//! The structures for boxes of any size.

use throng::{DoubleGridConfig, LooseQuadtreeConfig, SimdLevel, StripsConfig};
use throng_core::{Arena, Executor};
use throng_loose::{AnyStructure, BoxStrips, DoubleGrid, LooseQuadtree};

use super::Structure;
use crate::{BoxColumns, Population};

/// A structure for boxes of any size, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loose {
    /// Sorted strips of boxes.
    Strips,
    /// The loose/tight double grid.
    DoubleGrid,
    /// The loose quadtree.
    Quadtree,
}

impl Loose {
    /// Every one.
    pub const ALL: [Loose; 3] = [Loose::Strips, Loose::DoubleGrid, Loose::Quadtree];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Loose::Strips => "strips alone",
            Loose::DoubleGrid => "double grid alone",
            Loose::Quadtree => "quadtree alone",
        }
    }

    /// An empty one, its sizes left to itself.
    ///
    /// # Panics
    ///
    /// If the machine lacks the instruction set.
    pub fn structure(self, simd: Option<SimdLevel>) -> AnyStructure {
        const SOUND: &str = "defaults are sound, and the instruction set is there";
        match self {
            Loose::Strips => AnyStructure::Strips(
                BoxStrips::new(StripsConfig {
                    simd,
                    ..StripsConfig::default()
                })
                .expect(SOUND),
            ),
            Loose::DoubleGrid => AnyStructure::DoubleGrid(
                DoubleGrid::new(DoubleGridConfig {
                    simd,
                    ..DoubleGridConfig::default()
                })
                .expect(SOUND),
            ),
            Loose::Quadtree => AnyStructure::Quadtree(
                LooseQuadtree::new(LooseQuadtreeConfig {
                    simd,
                    ..LooseQuadtreeConfig::default()
                })
                .expect(SOUND),
            ),
        }
    }
}

/// A structure and the columns of sides that it reads, which an engine that uses it alone would have itself.
pub(super) struct Boxes {
    loose: Loose,
    structure: AnyStructure,
    columns: BoxColumns,
}

impl Boxes {
    pub(super) fn new(loose: Loose, simd: Option<SimdLevel>) -> Self {
        Self {
            loose,
            structure: loose.structure(simd),
            columns: BoxColumns::default(),
        }
    }
}

impl Structure for Boxes {
    fn name(&self) -> &'static str {
        self.loose.name()
    }

    fn prepare(&mut self, population: &Population) {
        self.columns.fill_from(population);
    }

    fn update(&mut self, _population: &Population, executor: &dyn Executor) {
        let report = self
            .structure
            .update(self.columns.boxes(), executor)
            .expect("no more rows than it can hold");
        assert_eq!(report.rejected, 0, "scenes that are measured on are sound");
    }

    fn chunks(&self) -> usize {
        self.structure.chunks()
    }

    fn chunk_scratch_bytes(&self) -> usize {
        self.structure.chunk_scratch_bytes()
    }

    fn pairs_in_chunk(&self, chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])) {
        self.structure.pairs_in_chunk(chunk, None, arena, visit);
    }

    fn memory(&self) -> Vec<(&'static str, usize)> {
        vec![("all of it", self.structure.memory_bytes())]
    }
}
