//! The ground, and the walls that stand on it, with light from the upper left.

use rayon::prelude::*;
use throng::Aabb;

use super::{BACKGROUND, GROUND};
use crate::{
    bodies::Kind,
    colour::{Colour, mix},
    terrain::Terrain,
    view::View,
};

/// The top of a wall.
const WALL: Colour = 0x002b_3950;
/// An edge of a wall that the light falls on, and how strong it is, of 256.
const LIT: Colour = 0x006f_86a8;
const LIT_STRENGTH: f32 = 170.0;
/// How dark it is beside a wall, of 256, and how many pixels wide.
const SHADOW_STRENGTH: f32 = 190.0;
const SHADOW_WIDTH: usize = 2;

/// The picture without anyone in it.
pub fn ground(
    terrain: &Terrain,
    kinds: &[Kind],
    view: &View,
    [width, height]: [usize; 2],
) -> Vec<Colour> {
    let mut inside = vec![0.0; width * height];
    cover(&mut inside, width, view, [terrain.bounds()]);
    let mut walls = vec![0.0; width * height];
    cover(
        &mut walls,
        width,
        view,
        kinds.iter().flat_map(|kind| &kind.walls),
    );
    let cover_at = |column: Option<usize>, line: Option<usize>| match (column, line) {
        (Some(column), Some(line)) => walls[line * width + column].min(1.0),
        _ => 0.0,
    };
    let of_pixel = |index: usize| {
        let (column, line) = (index % width, index / width);
        let before = |by: usize| cover_at(column.checked_sub(by), line.checked_sub(by));
        let here = cover_at(Some(column), Some(line));
        let lit = (here - before(1)).max(0.0) * LIT_STRENGTH;
        let in_shadow = (before(1).max(before(SHADOW_WIDTH)) - here).max(0.0) * SHADOW_STRENGTH;
        let ground = mix(GROUND, BACKGROUND, in_shadow as u32);
        let wall = mix(WALL, LIT, lit as u32);
        let both = mix(ground, wall, (256.0 * here) as u32);
        mix(BACKGROUND, both, (256.0 * inside[index].min(1.0)) as u32)
    };
    (0..width * height).into_par_iter().map(of_pixel).collect()
}

/// Adds to each pixel how much of it each box covers: boxes side by side leave no seam, wherever their sides are.
fn cover<'a>(
    pixels: &mut [f32],
    width: usize,
    view: &View,
    boxes: impl IntoIterator<Item = &'a Aabb>,
) {
    let height = pixels.len() / width;
    for aabb in boxes {
        let [low, high] = [aabb.min(), aabb.max()].map(|[x, y]| view.pixel(x, y));
        let columns = Span::of(low[0], high[0], width);
        let lines = Span::of(low[1], high[1], height);
        for line in lines.range() {
            let covered = lines.covered(line);
            let pixels = &mut pixels[line * width..][..width];
            for column in columns.range() {
                pixels[column] += covered * columns.covered(column);
            }
        }
    }
}

/// A stretch of a line, or of a column, of pixels.
struct Span {
    from: f32,
    to: f32,
}

impl Span {
    /// The part that lies on a picture so many pixels wide.
    fn of(from: f32, to: f32, pixels: usize) -> Self {
        let [from, to] = [from, to].map(|side| side.clamp(0.0, pixels as f32));
        Self { from, to }
    }

    /// The pixels that have a part in it.
    fn range(&self) -> std::ops::Range<usize> {
        self.from as usize..self.to.ceil() as usize
    }

    /// How much of one of them.
    #[inline(always)]
    fn covered(&self, pixel: usize) -> f32 {
        self.to.min(pixel as f32 + 1.0) - self.from.max(pixel as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_what_they_cover_and_leave_no_seams() {
        let view = View {
            scale: 2.0,
            offset: [1.0, 0.0],
        };
        let aabb = |min, max| Aabb::new(min, max).expect("a box");
        let everything = aabb([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
        let mut pixels = vec![0.0; 12];
        cover(&mut pixels, 4, &view, [&everything]);
        assert_eq!(pixels, [1.0; 12]);

        let mut pixels = vec![0.0; 12];
        let (left, right) = (aabb([0.25, 0.5], [0.7, 1.0]), aabb([0.7, 0.5], [1.5, 1.0]));
        cover(&mut pixels, 4, &view, [&left, &right]);
        let lines: Vec<&[f32]> = pixels.chunks(4).collect();
        assert_eq!([lines[0], lines[2]], [[0.0; 4]; 2]);
        for (covered, expected) in lines[1].iter().zip([0.0, 0.5, 1.0, 1.0]) {
            assert!((covered - expected).abs() < 1e-6, "{:?}", lines[1]);
        }
    }

    #[test]
    fn walls_smaller_than_a_pixel_cover_their_part_of_it() {
        let tiny = |index: usize| {
            let corner = [index % 200, index / 200].map(|side| side as f32 * 0.5);
            Aabb::new(corner, corner.map(|side| side + 0.5)).expect("a box")
        };
        let walls: Vec<Aabb> = (0..40_000).map(tiny).collect();
        let view = View::whole([100.0; 2], [100, 100], [0, 0]);
        let mut pixels = vec![0.0; 10_000];
        cover(&mut pixels, 100, &view, &walls);
        let covered: f32 = pixels.iter().sum();
        let expected = (100.0 * view.scale).powi(2);
        assert!(
            (covered / expected - 1.0).abs() < 1e-3,
            "{covered} {expected}"
        );
    }
}
