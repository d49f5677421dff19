//! The battlefield as a picture.

use std::{error::Error, path::Path};

use throng::{Aabb, QueryHit};

use crate::bodies::HEALTH;
use crate::canvas::{Canvas, Colour, mix};
use crate::engine::{DRAGONS, Engine, FIELD, FIRES, SHRINES, WALLS};
use crate::eyes::camera;

/// The size of a picture in pixels.
pub const SIZE: [usize; 2] = [1120, 700];
const GROUND: Colour = 0x0010_1810;
const WALL: Colour = 0x0080_7868;
const FIRE: Colour = 0x00b0_4818;
const SHRINE: Colour = 0x0038_a060;
const DRAGON: Colour = 0x00ff_5020;
const TEAMS: [Colour; 2] = [0x0060_a0ff, 0x00ff_d040];
/// Of 256: how bright those are whom the camera does not see.
const UNSEEN: u32 = 90;

/// Pixels to a unit of length.
pub fn scale(canvas: &Canvas) -> f32 {
    (canvas.width as f32 / FIELD[0]).min(canvas.height as f32 / FIELD[1])
}

/// Draws whatever the world finds on the field, brighter where the camera sees it.
pub fn draw(
    canvas: &mut Canvas,
    engine: &Engine,
    picked: Option<&QueryHit>,
) -> Result<(), Box<dyn Error>> {
    canvas.pixels.fill(GROUND);
    let mut hits = Vec::new();
    engine
        .world
        .query()
        .find_in_aabb(&Aabb::new([0.0; 2], FIELD)?, &mut hits)?;
    let camera = camera(engine.frames)?;
    for hit in &hits {
        let bright = if camera.touches(&hit.aabb) {
            256
        } else {
            UNSEEN
        };
        draw_hit(canvas, engine, hit, bright);
    }
    if let Some(hit) = picked {
        let (min, max) = pixels(canvas, &hit.aabb);
        let middle = [0, 1].map(|axis| 0.5 * (min[axis] + max[axis]));
        let radius = 0.5 * (max[0] - min[0]).max(max[1] - min[1]) + 4.0;
        canvas.ring(middle, radius, 0x00ff_ffff, 1.0);
        let name = engine.world.category_name(hit.category).unwrap_or_default();
        let line = format!(
            "{name}, row {} at {:.1}, {:.1}",
            hit.row, hit.center[0], hit.center[1]
        );
        canvas.panel([8, 8], &[line], 0x00ff_ffff);
    }
    Ok(())
}

fn draw_hit(canvas: &mut Canvas, engine: &Engine, hit: &QueryHit, bright: u32) {
    let (min, max) = pixels(canvas, &hit.aabb);
    if hit.category == DRAGONS {
        canvas.frame(min, max, DRAGON, bright);
    }
    let (colour, strength) = match hit.category {
        WALLS => (WALL, bright),
        DRAGONS => (DRAGON, bright / 3),
        FIRES => (FIRE, bright / 2),
        SHRINES => (SHRINE, bright / 2),
        _ => {
            let row = hit.row as usize;
            let (Some(team), Some(health)) = (
                engine.soldiers.teams.get(row),
                engine.soldiers.health.get(row),
            ) else {
                return;
            };
            let wounds = (256.0 * (1.0 - health / HEALTH).clamp(0.0, 1.0)) as u32;
            (mix(TEAMS[usize::from(*team)], 0x00a0_1010, wounds), bright)
        }
    };
    canvas.fill(
        min.map(|side| side as i64),
        max.map(|side| side as i64),
        colour,
        strength,
    );
}

fn pixels(canvas: &Canvas, aabb: &Aabb) -> ([f32; 2], [f32; 2]) {
    let scale = scale(canvas);
    (
        aabb.min().map(|side| side * scale),
        aabb.max().map(|side| side * scale),
    )
}

/// Writes the field as it is.
pub fn write_png(path: &Path, engine: &Engine) -> Result<(), Box<dyn Error>> {
    let mut canvas = Canvas::new(SIZE);
    draw(&mut canvas, engine, None)?;
    canvas.write_png(path)?;
    println!("The field is drawn in {}", path.display());
    Ok(())
}
