//! A scene in which everything moves every frame.

use throng_scenes::{Scene, step_motion};

/// How far a row gets from its home on each axis: a fifth of its half extent.
const REACH: f32 = 0.1;

/// A scene that moves for as long as is wanted without changing its character.
///
/// In every frame each row is somewhere else near its home, so that neither density nor storage order
/// drifts, however many frames a benchmark runs.
pub struct Moving {
    home: Scene,
    now: Scene,
    frame: u64,
}

impl Moving {
    /// Everything is at home.
    pub fn new(home: Scene) -> Self {
        let now = home.clone();
        Self {
            home,
            now,
            frame: 0,
        }
    }

    /// Moves everything and shows where it is now.
    pub fn advance(&mut self) -> &Scene {
        self.frame += 1;
        self.now.xs.copy_from_slice(&self.home.xs);
        self.now.ys.copy_from_slice(&self.home.ys);
        step_motion(&mut self.now, REACH, self.frame);
        &self.now
    }

    /// Where everything is now.
    pub fn scene(&self) -> &Scene {
        &self.now
    }
}

#[cfg(test)]
mod tests {
    use super::{Moving, REACH};
    use throng_scenes::uniform;

    #[test]
    fn everything_moves_and_nothing_leaves() {
        let home = uniform(300, 1.0, 1);
        let mut moving = Moving::new(home.clone());
        for _ in 0..50 {
            let before = moving.scene().xs.clone();
            let now = moving.advance();
            let moved = now
                .xs
                .iter()
                .zip(&before)
                .filter(|(now, then)| now != then)
                .count();
            assert!(moved > 290, "{moved} of 300 moved");
            let near = |(x, home): (&f32, &f32)| (x - home).abs() <= 1.001 * REACH;
            assert!(now.xs.iter().zip(&home.xs).all(near));
        }
    }
}
