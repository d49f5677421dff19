//! The current each kind of unit swims in: slow whirls that never lead out of the world.
//!
//! The stream function is a sum of products of waves that vanish on the border of the world, so the
//! current runs along the walls, and has no sources or sinks in which the swarm would pile up. Only
//! additions and multiplications are used: the same bits on every machine.

/// Whirls along the longer side of the world, and how much each counts, for each of the two layers.
const LAYERS: [(f32, f32); 2] = [(2.0, 0.6), (5.0, 0.4)];
/// Seconds for a layer to turn from one direction to the other.
const TURN: [f32; 2] = [19.0, 31.0];

/// The current for one kind of unit at one moment.
#[derive(Clone, Copy)]
pub struct Flow {
    layers: [Layer; 2],
}

#[derive(Clone, Copy)]
struct Layer {
    /// Half waves per unit of length, along each axis.
    waves: [f32; 2],
    strength: f32,
}

impl Flow {
    /// The current in a world of this size, for kind number `kind`, `seconds` after the start.
    pub fn new(size: [f32; 2], kind: usize, seconds: f32) -> Self {
        let longer = size[0].max(size[1]);
        let layer = |index: usize| {
            let (whirls, weight) = LAYERS[index];
            // Kinds swim in different whirls, or they would never meet.
            let whirls = whirls + (kind % 3) as f32;
            let along = |axis: usize| (whirls * size[axis] / longer).round().max(1.0) / size[axis];
            let phase = kind as f32 * 0.7 + index as f32 * 0.5 + 0.5;
            Layer {
                waves: [along(0), along(1)],
                strength: weight * wave(seconds / TURN[index] + phase),
            }
        };
        Self {
            layers: [layer(0), layer(1)],
        }
    }

    /// The current of one of the big, for body number `body`: each goes its own way, or they would gather where the
    /// current leads them all.
    pub fn of_one(size: [f32; 2], body: u32, seconds: f32) -> Self {
        // A golden ratio apart, so that no two numbers near each other give the same.
        let own = (body as f32 * 0.618_034).fract();
        let turned = |layer: usize| 2.0 * own + 0.5 * layer as f32 + seconds / TURN[layer];
        let layer = |index: usize| Layer {
            waves: [0, 1].map(|axis| ((body + index as u32) % 2 + 1) as f32 / size[axis]),
            strength: 0.6 * wave(turned(index)),
        };
        Self {
            layers: [layer(0), layer(1)],
        }
    }

    /// The direction and strength, about 1 at the most, at a point.
    #[inline(always)]
    pub fn at(&self, x: f32, y: f32) -> [f32; 2] {
        let mut current = [0.0; 2];
        for layer in &self.layers {
            let (u, v) = (layer.waves[0] * x, layer.waves[1] * y);
            current[0] += layer.strength * wave(u) * wave(v + 0.5);
            current[1] -= layer.strength * wave(u + 0.5) * wave(v);
        }
        current
    }
}

/// A parabola's idea of `sin(pi * t)`: period 2, zero at whole numbers, 1 at one half.
#[inline(always)]
fn wave(t: f32) -> f32 {
    /// Adding and taking away 1.5 * 2^23 rounds to a whole number without a branch.
    const ROUND: f32 = 12_582_912.0;
    let t = t - 2.0 * ((0.5 * t + ROUND) - ROUND);
    4.0 * t * (1.0 - t.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wave_is_close_to_a_sine() {
        for step in -400..400 {
            let t = step as f32 * 0.01;
            let sine = (std::f32::consts::PI * t).sin();
            assert!((wave(t) - sine).abs() < 0.06, "{t}: {} {sine}", wave(t));
        }
    }

    #[test]
    fn nothing_is_carried_through_a_wall() {
        let size = [320.0, 200.0];
        for kind in 0..4 {
            let flow = Flow::new(size, kind, 12.3);
            for step in 0..=100 {
                let along = step as f32 * 0.01;
                assert!(flow.at(0.0, along * size[1])[0].abs() < 1e-4);
                assert!(flow.at(size[0], along * size[1])[0].abs() < 1e-4);
                assert!(flow.at(along * size[0], 0.0)[1].abs() < 1e-4);
                assert!(flow.at(along * size[0], size[1])[1].abs() < 1e-4);
            }
        }
    }
}
