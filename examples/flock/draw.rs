//! The flock as a picture: a stroke for each boid, coloured by where it flies.

use std::{error::Error, path::Path};

use crate::canvas::{Canvas, Colour};
use crate::flock::Flock;
use crate::rules::FEAR;

/// The size of a picture in pixels.
pub const SIZE: [usize; 2] = [900, 900];
const SKY: Colour = 0x000a_0c12;
const PREDATOR: Colour = 0x00ff_ffff;
/// How long a stroke is: seconds of flight.
const TAIL: f32 = 0.12;

/// Where the flock is in a picture.
pub struct View {
    scale: f32,
    corner: [f32; 2],
}

impl View {
    /// All of it, as large as there is room.
    pub fn of(canvas: &Canvas, flock: &Flock) -> Self {
        let size = [canvas.width as f32, canvas.height as f32];
        let scale = size[0].min(size[1]) / flock.around.side;
        let corner = size.map(|size| 0.5 * (size - scale * flock.around.side));
        Self { scale, corner }
    }

    pub fn pixel(&self, place: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| self.corner[axis] + self.scale * place[axis])
    }

    pub fn place(&self, pixel: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| (pixel[axis] - self.corner[axis]) / self.scale)
    }
}

/// Draws all boids, and a ring around the predator.
pub fn draw(canvas: &mut Canvas, flock: &Flock) {
    canvas.pixels.fill(SKY);
    let view = View::of(canvas, flock);
    for row in 0..flock.boids.len() {
        let boid = flock.boids.boid(row as u32);
        let head = view.pixel(boid.center);
        let tail = boid.velocity.map(|speed| speed * TAIL * view.scale);
        let colour = colour(boid.velocity);
        let pixels = tail[0].abs().max(tail[1].abs()).max(1.0);
        for pixel in 0..pixels as u32 {
            let back = pixel as f32 / pixels;
            let [x, y] = [0, 1].map(|axis| (head[axis] - back * tail[axis]).floor() as i64);
            let strength = 256 - (192.0 * back) as u32;
            canvas.fill([x, y], [x + 1, y + 1], colour, strength);
        }
    }
    if let Some(predator) = flock.around.predator {
        canvas.ring(view.pixel(predator), FEAR * view.scale, PREDATOR, 0.5);
    }
}

/// Red to the right, and around the circle of colours.
fn colour([vx, vy]: [f32; 2]) -> Colour {
    let speed = vx.hypot(vy).max(f32::MIN_POSITIVE);
    let [cosine, sine] = [vx / speed, vy / speed];
    // The cosines of the angles to three directions a third of a turn apart.
    let third = 0.75_f32.sqrt();
    let parts = [
        cosine,
        -0.5 * cosine + third * sine,
        -0.5 * cosine - third * sine,
    ];
    parts.into_iter().fold(0, |colour, part| {
        colour << 8 | (148.0 + 107.0 * part) as Colour
    })
}

/// Writes the flock as it is.
pub fn write_png(path: &Path, flock: &Flock) -> Result<(), Box<dyn Error>> {
    let mut canvas = Canvas::new(SIZE);
    draw(&mut canvas, flock);
    canvas
        .write_png(path)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    println!("The flock is drawn in {}", path.display());
    Ok(())
}
