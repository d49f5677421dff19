//! Where pairs have begun lately: with `--events`, a spark that grows and fades.

use std::collections::VecDeque;

use throng::Step;

use crate::{
    canvas::{Canvas, Colour},
    contacts::Found,
    view::View,
};

/// For how many frames a spark is seen.
const FRAMES: u64 = 10;
/// Its radius at first, in pixels, and how much larger it is a frame later.
const RADIUS: f32 = 1.5;
const GROWTH: f32 = 0.4;
const COLOUR: Colour = 0x00ff_f3a0;

/// The sparks of the latest frames.
#[derive(Default)]
pub struct Flashes {
    /// Each with the frame in which it began, the oldest first.
    sparks: VecDeque<(u64, [f32; 2])>,
    now: u64,
}

impl Flashes {
    /// Adds the pairs that began in a step, and forgets those that began long ago.
    pub fn note(&mut self, step: &Step<'_, Found>) {
        self.now += 1;
        let frame = self.now;
        while (self.sparks.front()).is_some_and(|(begin, _)| begin + FRAMES <= frame) {
            self.sparks.pop_front();
        }
        for pair in step.began() {
            let [a, b] = pair.ids.map(|id| step.world().get(id));
            let both = a.zip(b).map(|(a, b)| [a.aabb, b.aabb]);
            // In the middle of what the two boxes share.
            self.sparks.extend(both.map(|[a, b]| {
                let middle = |axis: usize| {
                    let low = a.min()[axis].max(b.min()[axis]);
                    let high = a.max()[axis].min(b.max()[axis]);
                    0.5 * (low + high)
                };
                (frame, [middle(0), middle(1)])
            }));
        }
    }

    /// Draws them over the swarm.
    pub fn draw(&self, canvas: &mut Canvas, view: &View) {
        for (begin, [x, y]) in &self.sparks {
            let age = (self.now - begin) as f32;
            let strength = 1.0 - age / FRAMES as f32;
            canvas.ring(view.pixel(*x, *y), RADIUS + GROWTH * age, COLOUR, strength);
        }
    }
}
