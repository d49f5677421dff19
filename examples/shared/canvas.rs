//! A picture in memory: pixels, and the few shapes that the examples draw with.

use std::{fs::File, io::BufWriter, path::Path};

use font8x8::legacy::BASIC_LEGACY;
use png::{ColorType, Compression, Encoder, EncodingError};

#[path = "colour.rs"]
mod colour;

pub use colour::{Colour, mix};

/// The width of a letter in pixels, and the height of a line of text.
pub const LETTER: [usize; 2] = [8, 18];

/// Pixels, line by line from the top.
pub struct Canvas {
    /// Pixels in a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// All pixels.
    pub pixels: Vec<Colour>,
}

impl Canvas {
    /// A black picture.
    pub fn new([width, height]: [usize; 2]) -> Self {
        Self {
            width,
            height,
            pixels: vec![0; width * height],
        }
    }

    /// Three bytes for each pixel, as picture files want them.
    pub fn to_rgb(&self) -> Vec<u8> {
        let rgb = |colour: &Colour| {
            let [_, red, green, blue] = colour.to_be_bytes();
            [red, green, blue]
        };
        self.pixels.iter().flat_map(rgb).collect()
    }

    /// Writes the picture to a file.
    pub fn write_png(&self, path: &Path) -> Result<(), EncodingError> {
        let file = BufWriter::new(File::create(path)?);
        let mut encoder = Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_compression(Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.to_rgb())?;
        writer.finish()
    }

    /// A straight line along one axis or the frame of a box, one pixel wide; what is outside the
    /// picture is left out.
    pub fn frame(&mut self, min: [f32; 2], max: [f32; 2], colour: Colour, strength: u32) {
        let [left, top] = min.map(|side| side.floor() as i64);
        let [right, bottom] = max.map(|side| side.floor() as i64);
        let (across, down) = (self.width as i64, self.height as i64);
        for x in left.max(0)..=right.min(across - 1) {
            self.blend(x, top, colour, strength);
            if bottom != top {
                self.blend(x, bottom, colour, strength);
            }
        }
        for y in (top + 1).max(0)..=(bottom - 1).min(down - 1) {
            self.blend(left, y, colour, strength);
            if right != left {
                self.blend(right, y, colour, strength);
            }
        }
    }

    /// Covers a box with a colour, `strength` of 256.
    pub fn fill(&mut self, min: [i64; 2], max: [i64; 2], colour: Colour, strength: u32) {
        for y in min[1].max(0)..max[1].min(self.height as i64) {
            for x in min[0].max(0)..max[0].min(self.width as i64) {
                self.blend(x, y, colour, strength);
            }
        }
    }

    /// A ring, about one pixel wide, fainter for a strength below 1.
    pub fn ring(&mut self, centre: [f32; 2], radius: f32, colour: Colour, strength: f32) {
        let low = centre.map(|side| (side - radius - 1.0).floor() as i64);
        let high = centre.map(|side| (side + radius + 1.0).ceil() as i64);
        for y in low[1].max(0)..=high[1].min(self.height as i64 - 1) {
            for x in low[0].max(0)..=high[0].min(self.width as i64 - 1) {
                let [dx, dy] = [x as f32 + 0.5 - centre[0], y as f32 + 0.5 - centre[1]];
                let from_ring = ((dx * dx + dy * dy).sqrt() - radius).abs();
                let cover = strength * (1.3 - from_ring).clamp(0.0, 1.0);
                self.blend(x, y, colour, (cover * 256.0) as u32);
            }
        }
    }

    /// Lines of text on a darkened panel, its upper left corner at a pixel.
    pub fn panel(&mut self, corner: [usize; 2], lines: &[String], colour: Colour) {
        let letters = lines
            .iter()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0);
        let [x, y] = corner.map(|side| side as i64);
        let width = (letters * LETTER[0] + 16) as i64;
        let height = (lines.len() * LETTER[1] + 10) as i64;
        self.fill([x, y], [x + width, y + height], 0x0006_080c, 200);
        for (number, line) in lines.iter().enumerate() {
            self.text(x + 8, y + 6 + (number * LETTER[1]) as i64, line, colour);
        }
    }

    /// A line of text, twice as high as wide; what the font does not have is a question mark.
    fn text(&mut self, x: i64, y: i64, text: &str, colour: Colour) {
        for (column, letter) in text.chars().enumerate() {
            let glyph = BASIC_LEGACY
                .get(letter as usize)
                .unwrap_or(&BASIC_LEGACY['?' as usize]);
            let left = x + (column * LETTER[0]) as i64;
            for (row, bits) in glyph.iter().enumerate() {
                for bit in 0..8 {
                    if bits >> bit & 1 == 1 {
                        let top = y + 2 * row as i64;
                        self.blend(left + bit, top, colour, 256);
                        self.blend(left + bit, top + 1, colour, 256);
                    }
                }
            }
        }
    }

    /// Mixes a colour into a pixel, if there is such a pixel.
    fn blend(&mut self, x: i64, y: i64, colour: Colour, strength: u32) {
        if (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y) {
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            *pixel = mix(*pixel, colour, strength);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_beyond_the_edge_are_cut_off() {
        let mut canvas = Canvas::new([20, 10]);
        canvas.frame([-50.0, -50.0], [1e9, 5.0], 0x00ff_ffff, 256);
        canvas.fill([-5, -5], [5, 500], 0x00ff_0000, 128);
        canvas.ring([19.0, 9.0], 30.0, 0x0000_ff00, 1.0);
        canvas.panel(
            [15, 5],
            &["across the edge: \u{e9}".to_owned()],
            0x00ff_ffff,
        );
        assert_eq!(canvas.pixels[5 * 20 + 12], 0x00ff_ffff);
    }
}
