//! What is measured on.

use std::fmt;

use throng_benches::short;

/// Where those that move are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Anywhere among the others.
    Even,
    /// In one place, where four of five move.
    Bunch,
}

impl Layout {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Even, Self::Bunch];
}

/// So many boxes, of which a part moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scene {
    /// How many there are.
    pub agents: usize,
    /// Which part of them moves.
    pub share: f64,
    /// Where these are.
    pub layout: Layout,
}

impl Scene {
    /// How many move in each step: at least one.
    pub fn movers(&self) -> usize {
        let movers = (self.agents as f64 * self.share).round() as usize;
        movers.clamp(1, self.agents)
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = match self.layout {
            Layout::Even => "evenly spread",
            Layout::Bunch => "in one bunch",
        };
        let percent = (self.share * 1e6).round() / 1e4;
        write!(f, "{}, {percent} % move, {layout}", short(self.agents))
    }
}
