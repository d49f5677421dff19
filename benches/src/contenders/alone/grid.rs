//! The point grid.

use throng::SimdLevel;
use throng_core::{Arena, Executor};
use throng_grid::{GridConfig, PointGrid, Points};

use super::Structure;
use crate::Population;

/// A grid that reads the engine's own arrays.
pub(super) struct Grid(PointGrid);

impl Grid {
    pub(super) fn new(half_extents: [f32; 2], simd: Option<SimdLevel>) -> Self {
        let mut config = GridConfig::new(half_extents);
        config.simd = simd;
        Self(PointGrid::new(config).expect("a sound bound and an instruction set there is"))
    }
}

impl Structure for Grid {
    fn name(&self) -> &'static str {
        "grid alone"
    }

    fn prepare(&mut self, _population: &Population) {}

    fn update(&mut self, population: &Population, executor: &dyn Executor) {
        let scene = population.only();
        let points = Points::new(&scene.xs, &scene.ys);
        self.0
            .build(points, executor)
            .expect("columns of one length");
    }

    fn chunks(&self) -> usize {
        self.0.chunks()
    }

    fn chunk_scratch_bytes(&self) -> usize {
        self.0.chunk_scratch_bytes()
    }

    fn pairs_in_chunk(&self, chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])) {
        self.0.pairs_in_chunk(chunk, None, arena, visit);
    }

    fn memory(&self) -> Vec<(&'static str, usize)> {
        let memory = self.0.memory();
        vec![
            ("sorted records", memory.records),
            ("leaves", memory.leaves),
            ("scratch of the build", memory.scratch),
        ]
    }
}
