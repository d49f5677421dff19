//! Bytes per agent, by part.

use throng_benches::{GridAlone, WholeStep};

/// What one agent takes in memory, in bytes as allocated, room to grow included.
pub struct Memory {
    /// The whole world's parts.
    pub world: Vec<(&'static str, f64)>,
    /// The parts of the grid alone.
    pub grid: Vec<(&'static str, f64)>,
}

impl Memory {
    /// Asks the world of one thread, and the grid of one thread.
    pub fn of(step: &WholeStep, grid: &GridAlone, agents: usize) -> Self {
        let per_agent = |(name, bytes): (&'static str, usize)| (name, bytes as f64 / agents as f64);
        let (memory, grid) = (step.memory(), grid.memory());
        let category = &memory.categories[0];
        let mut world = vec![
            ("centre", category.centers),
            ("handle", memory.slots),
            ("slot", category.slots),
            ("key", category.keys),
            ("masks", category.masks),
            ("index", category.index),
            ("scratch of the search", memory.arenas),
        ];
        let named: usize = world.iter().map(|(_, bytes)| bytes).sum();
        world.push(("other", memory.total() - named));
        let grid = [
            ("grid alone: sorted records", grid.records),
            ("grid alone: leaves", grid.leaves),
            ("grid alone: scratch of the build", grid.scratch),
        ];
        Self {
            world: world.into_iter().map(per_agent).collect(),
            grid: grid.into_iter().map(per_agent).collect(),
        }
    }

    /// All of the world's.
    pub fn total(&self) -> f64 {
        self.world.iter().map(|(_, bytes)| bytes).sum()
    }
}
