//! A body of many pixels: a dark hide, a bright rim, and eyes that look where it goes.

use super::{BACKGROUND, Band, FLASH, GROUND};
use crate::colour::{Colour, mix};

/// How much of its colour the hide shows in the middle and near the rim, of 256.
const HIDE: [f32; 2] = [46.0, 120.0];
/// The width of the rim, of the radius, and at least so many pixels.
const RIM: f32 = 0.06;
const THINNEST_RIM: f32 = 1.5;
/// Where the eyes are, ahead and aside, and how large they are, of the radius.
const EYES: [f32; 2] = [0.62, 0.2];
const EYE: f32 = 0.085;
/// How much of the flash shows when it is hit as hard as can be, of 256.
const FELT: u32 = 160;

/// How one giant is drawn.
pub struct Giant {
    /// Its middle, in pixels.
    pub centre: [f32; 2],
    /// Its radius, in pixels.
    pub radius: f32,
    /// The colour of its kind.
    pub colour: Colour,
    /// The direction it goes in; any length.
    pub heading: [f32; 2],
    /// How hard it was hit lately.
    pub glow: u8,
}

impl Giant {
    /// Draws the part of it that lies in a band.
    pub(super) fn draw(&self, band: &mut Band<'_>) {
        let Self { centre, radius, .. } = *self;
        let rim = (RIM * radius).max(THINNEST_RIM);
        let rim_colour = mix(self.colour, FLASH, FELT * u32::from(self.glow) / 256);
        band.cover(centre, radius, |from_centre, under| {
            let inward = (from_centre / (radius - rim).max(1.0)).min(1.0);
            let hide = HIDE[0] + (HIDE[1] - HIDE[0]) * inward * inward * inward;
            let hide = mix(GROUND, self.colour, hide as u32);
            // The rim begins softly, and ends as softly in what is under it.
            let rim_cover = (from_centre - (radius - rim) + 0.5).clamp(0.0, 1.0);
            let cover = (radius + 0.5 - from_centre).clamp(0.0, 1.0);
            let colour = mix(hide, rim_colour, (256.0 * rim_cover) as u32);
            mix(under, colour, (256.0 * cover) as u32)
        });
        let eye = EYE * radius;
        let pace = self.heading[0].hypot(self.heading[1]);
        if eye < 1.0 || pace < f32::MIN_POSITIVE {
            return;
        }
        let [ahead, aside] = EYES.map(|part| part * radius / pace);
        for side in [-1.0, 1.0] {
            let [hx, hy] = self.heading;
            let at = [
                centre[0] + hx * ahead - hy * aside * side,
                centre[1] + hy * ahead + hx * aside * side,
            ];
            for (size, colour) in [(eye, rim_colour), (0.45 * eye, BACKGROUND)] {
                band.cover(at, size, |from_centre, under| {
                    let cover = (size + 0.5 - from_centre).clamp(0.0, 1.0);
                    mix(under, colour, (256.0 * cover) as u32)
                });
            }
        }
    }
}
