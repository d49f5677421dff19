//! Drawing the swarm, per pixel and straight from its columns.

mod giant;
mod ground;

use giant::Giant;
use ground::ground;
use rayon::prelude::*;
use throng::Broadphase;

use crate::{
    bodies::{Kind, Role},
    colour::{Colour, mix},
    swarm::Swarm,
    view::View,
};

/// What lies behind everything.
const BACKGROUND: Colour = 0x0008_0b12;
/// The ground units move on.
const GROUND: Colour = 0x0010_151f;
/// What a unit turns to when it is hit.
const FLASH: Colour = 0x00ff_ffff;
/// How much of its colour a unit shows when it stands still, of 256; the faster, the brighter.
const SLOW: u32 = 140;
/// How much of its colour a unit shows when it rests, of 256.
const DIM: u32 = 52;
/// Below this radius, in pixels, a unit is one pixel.
const SMALLEST_DISC: f32 = 0.75;
/// The least that a unit covers of its pixel, however small it is.
const FAINTEST: f32 = 0.5;
/// How much of the background shows at the edge of a disc, of 256.
const EDGE: f32 = 90.0;
/// Shades of speed, and of glow.
const SHADES: usize = 16;
/// One for each kind of agents, and round again.
const COLOURS: [Colour; 6] = [
    0x0032_b8e8,
    0x00f2_a33a,
    0x00e0_4468,
    0x007d_d35f,
    0x00b0_7cf0,
    0x00e8_dc5a,
];

/// One for each oversized kind, and round again.
const COLOURS_OF_BIG: [Colour; 3] = [0x0063_d29a, 0x009a_86f5, 0x00d9_9a5b];

/// Of walls, where they are told by a colour.
const COLOUR_OF_WALLS: Colour = 0x0084_97b5;

/// The colours of kinds of units, each after those of its sort.
pub fn colours(kinds: &[Kind]) -> Vec<Colour> {
    let (mut agents, mut big) = (COLOURS.iter().cycle(), COLOURS_OF_BIG.iter().cycle());
    let next = |kind: &Kind| match kind.role {
        Role::Agents => agents.next(),
        Role::Oversized(_) => big.next(),
        Role::Scenery => Some(&COLOUR_OF_WALLS),
    };
    kinds.iter().filter_map(next).copied().collect()
}

/// Draws the swarm; keeps the ground and its walls, which change only with the view.
#[derive(Default)]
pub struct Painter {
    ground: Vec<Colour>,
    ground_of: Option<(View, [usize; 2])>,
}

impl Painter {
    /// Draws ground and units all over a picture of this width, line by line from the top.
    pub fn draw(&mut self, pixels: &mut [Colour], width: usize, swarm: &Swarm, view: &View) {
        let (kinds, terrain, world) = (swarm.kinds(), swarm.terrain(), swarm.world());
        let height = pixels.len() / width;
        if self.ground_of != Some((*view, [width, height])) {
            self.ground = ground(terrain, kinds, view, [width, height]);
            self.ground_of = Some((*view, [width, height]));
        }
        // A band of lines per worker; each draws the units that reach into it, in the same order.
        let colours = kinds.iter().zip(colours(kinds));
        let moving = colours.filter(|(kind, _)| !kind.is_scenery());
        let painted: Vec<(&Kind, Brush)> = moving
            .map(|(kind, colour)| (kind, Brush::new(kind, colour, view)))
            .collect();
        let lines = height.div_ceil(rayon::current_num_threads()).max(1);
        let bands = pixels.par_chunks_mut(lines * width);
        let grounds = self.ground.par_chunks(lines * width);
        bands
            .zip(grounds)
            .enumerate()
            .for_each(|(number, (pixels, ground))| {
                pixels.copy_from_slice(ground);
                let mut band = Band {
                    width,
                    top: number * lines,
                    pixels,
                };
                // The small are drawn over the large, or they would not be seen.
                let painted = || painted.iter().rev();
                for (kind, brush) in painted().filter(|(kind, _)| kind.is_oversized()) {
                    band.giants(kind, brush, view, world);
                }
                for (kind, brush) in painted().filter(|(kind, _)| kind.is_of_agents()) {
                    band.units(kind, brush, view, world);
                }
            });
    }
}

/// Some lines of a picture.
struct Band<'a> {
    width: usize,
    top: usize,
    pixels: &'a mut [Colour],
}

impl Band<'_> {
    fn units(&mut self, kind: &Kind, brush: &Brush, view: &View, world: &Broadphase) {
        let low = self.top as f32 - brush.radius - 1.0;
        let high = (self.top + self.lines()) as f32 + brush.radius + 1.0;
        let bodies = &kind.bodies;
        for (row, (x, y)) in bodies.xs.iter().zip(&bodies.ys).enumerate() {
            let centre = view.pixel(*x, *y);
            if centre[1] > low && centre[1] < high {
                let colour = if rests(kind, row, world) {
                    brush.dim
                } else {
                    brush.colour(bodies.velocities[row], bodies.glow[row])
                };
                if brush.radius < SMALLEST_DISC {
                    self.dot(centre, colour, brush.dot_strength);
                } else {
                    self.disc(centre, brush.radius, colour);
                }
            }
        }
    }

    fn giants(&mut self, kind: &Kind, brush: &Brush, view: &View, world: &Broadphase) {
        let bodies = &kind.bodies;
        for (row, (x, y)) in bodies.xs.iter().zip(&bodies.ys).enumerate() {
            let colour = if rests(kind, row, world) {
                brush.dim
            } else {
                brush.full
            };
            let giant = Giant {
                centre: view.pixel(*x, *y),
                radius: bodies.radii.of(row) * view.scale,
                colour,
                heading: bodies.velocities[row],
                glow: bodies.glow[row],
            };
            giant.draw(self);
        }
    }

    fn lines(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// A unit smaller than a pixel.
    #[inline(always)]
    fn dot(&mut self, [x, y]: [f32; 2], colour: Colour, strength: u32) {
        let (low, high) = (self.top as f32, (self.top + self.lines()) as f32);
        if x >= 0.0 && x < self.width as f32 && y >= low && y < high {
            let index = (y as usize - self.top) * self.width + x as usize;
            self.pixels[index] = mix(self.pixels[index], colour, strength);
        }
    }

    /// A disc with a soft edge, darker towards it.
    fn disc(&mut self, centre: [f32; 2], radius: f32, colour: Colour) {
        let [outer, whole] = [(radius + 0.5) * (radius + 0.5), radius * radius];
        self.shade(centre, radius, |squared, under| {
            // In terms of squares, the edge falls off over about one pixel.
            let cover = ((outer - squared) / (2.0 * radius)).clamp(0.0, 1.0);
            let shade = (squared / whole).min(1.0) * EDGE;
            let colour = mix(colour, BACKGROUND, shade as u32);
            mix(under, colour, (256.0 * cover) as u32)
        });
    }

    /// Changes the pixels of a disc, and some around it, by their distance from its middle.
    fn cover(&mut self, centre: [f32; 2], radius: f32, change: impl Fn(f32, Colour) -> Colour) {
        let reach = (radius + 0.5) * (radius + 0.5);
        self.shade(centre, radius, |squared, under| {
            if squared < reach {
                change(squared.sqrt(), under)
            } else {
                under
            }
        });
    }

    /// Changes the pixels of the square around a disc, by the square of their distance from its middle.
    #[inline(always)]
    fn shade(&mut self, centre: [f32; 2], radius: f32, change: impl Fn(f32, Colour) -> Colour) {
        // What lies beyond the band may be far larger than the picture, seen from close by.
        let inside =
            |side: f32, low: usize, high: usize| side.clamp(low as f32, high as f32) as usize;
        let columns = inside(centre[0] - radius - 0.5, 0, self.width)
            ..inside(centre[0] + radius + 1.5, 0, self.width);
        let (top, bottom) = (self.top, self.top + self.lines());
        for row in inside(centre[1] - radius - 0.5, top, bottom)
            ..inside(centre[1] + radius + 1.5, top, bottom)
        {
            let dy = row as f32 + 0.5 - centre[1];
            let line = &mut self.pixels[(row - top) * self.width..][..self.width];
            for (column, pixel) in columns.clone().zip(&mut line[columns.clone()]) {
                let dx = column as f32 + 0.5 - centre[0];
                *pixel = change(dx * dx + dy * dy, *pixel);
            }
        }
    }
}

/// Whether a unit rests in the broadphase.
fn rests(kind: &Kind, row: usize, world: &Broadphase) -> bool {
    kind.rests && world.is_resting(kind.bodies.ids[row]) == Ok(true)
}

/// How the units of one kind are drawn.
struct Brush {
    /// The colour of the kind.
    full: Colour,
    /// That of those who rest.
    dim: Colour,
    /// Their radius, in pixels.
    radius: f32,
    /// How strong they are, of 256, if they are smaller than a pixel.
    dot_strength: u32,
    /// From a speed to a row of `shades`.
    shades_per_speed: f32,
    /// Their colours: a row for each speed, a column for each strength of glow.
    shades: Vec<Colour>,
}

impl Brush {
    fn new(kind: &Kind, colour: Colour, view: &View) -> Self {
        let radius = kind.radius * view.scale;
        let area = (2.0 * std::f32::consts::PI * radius * radius).clamp(FAINTEST, 1.0);
        let slow = mix(BACKGROUND, colour, SLOW);
        let of = |shade: u32| shade * 256 / (SHADES as u32 - 1);
        let shades = (0..SHADES as u32).flat_map(|speed| {
            let moving = mix(slow, colour, of(speed));
            (0..SHADES as u32).map(move |glow| mix(moving, FLASH, of(glow)))
        });
        Self {
            full: colour,
            dim: mix(BACKGROUND, colour, DIM),
            radius,
            dot_strength: (256.0 * area) as u32,
            shades_per_speed: SHADES as f32 / kind.cruise,
            shades: shades.collect(),
        }
    }

    #[inline(always)]
    fn colour(&self, [vx, vy]: [f32; 2], glow: u8) -> Colour {
        let speed = ((vx.abs() + vy.abs()) * self.shades_per_speed) as usize;
        self.shades[speed.min(SHADES - 1) * SHADES + glow as usize * SHADES / 256]
    }
}
