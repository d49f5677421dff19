//! A picture: how many there are of each size, with the bounds, and what a frame takes for one bound or another.

use std::{error::Error, path::Path};

use throng::{Aabb, BroadphaseConfig, CategoryConfig, CategoryKind};

use crate::{
    Configs,
    canvas::{Canvas, Colour, LETTER},
    crowd::Crowd,
    trial::{self, Trial},
};

const PICTURE: [usize; 2] = [960, 640];
/// Where the two diagrams are: left, top, right, bottom.
const SIZES: [i64; 4] = [70, 40, 930, 280];
const TIMES: [i64; 4] = [70, 350, 930, 590];
/// Bars in the diagram of sizes.
const BARS: usize = 64;
/// Bounds that are tried.
const BOUNDS: usize = 14;

const BAR: Colour = 0x0050_7090;
const AXIS: Colour = 0x0080_8080;
const TEXT: Colour = 0x00d0_d0d0;
const CURVE: Colour = 0x00f0_c060;
const ADVISED: Colour = 0x0060_d080;
const SUGGESTED: Colour = 0x00e0_70c0;

/// What a step takes if everybody up to a bound is in a uniform category and all others in an oversized one: bounds
/// and milliseconds.
pub fn sweep(crowd: &Crowd, rounds: usize) -> Result<Vec<[f32; 2]>, Box<dyn Error>> {
    let [least, most] = range(crowd);
    let mut trials = Vec::new();
    for step in 0..BOUNDS {
        let bound = least * (most / least).powf(step as f32 / (BOUNDS - 1) as f32);
        let mut config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("up to the bound", bound).coarse())
            .category(CategoryConfig::oversized("larger"));
        if !crowd.fixed.is_empty() {
            config = config.category(CategoryConfig::scenery("walls"));
        }
        trials.push((bound, Trial::new(crowd, config)?));
    }
    trial::by_turns(crowd, &mut trials, rounds)?;
    let times = trials
        .iter()
        .map(|(bound, trial)| [*bound, trial.median() as f32]);
    Ok(times.collect())
}

/// Draws both diagrams into a file.
pub fn write(
    path: &Path,
    crowd: &Crowd,
    configs: &Configs,
    times: &[[f32; 2]],
) -> Result<(), Box<dyn Error>> {
    let mut canvas = Canvas::new(PICTURE);
    let range = range(crowd);
    draw_sizes(&mut canvas, crowd, range);
    draw_times(&mut canvas, times, range);
    for (config, colour, line) in [
        (&configs.advised, ADVISED, 0),
        (&configs.suggested, SUGGESTED, 1),
    ] {
        draw_bounds(&mut canvas, config, colour, line, range);
    }
    canvas.write_png(path)?;
    Ok(())
}

fn draw_sizes(canvas: &mut Canvas, crowd: &Crowd, range: [f32; 2]) {
    let [left, top, right, bottom] = SIZES;
    let mut counts = [0_u32; BARS];
    for aabb in crowd.sample() {
        let bar = (along(size(&aabb), range) * BARS as f32) as usize;
        counts[bar.min(BARS - 1)] += 1;
    }
    let most = counts.iter().max().copied().unwrap_or(0).max(1) as f32;
    let width = (right - left) as f32 / BARS as f32;
    for (bar, count) in counts.into_iter().enumerate() {
        // By the square root, or the few could not be seen beside the many.
        let height = ((count as f32 / most).sqrt() * (bottom - top) as f32) as i64;
        let x = left + (bar as f32 * width) as i64;
        canvas.fill(
            [x, bottom - height],
            [x + width as i64 - 1, bottom],
            BAR,
            256,
        );
    }
    draw_axes(canvas, SIZES, range);
    label(
        canvas,
        [left, top - 34],
        "how many (as square roots) of each half extent",
        TEXT,
    );
}

fn draw_times(canvas: &mut Canvas, times: &[[f32; 2]], range: [f32; 2]) {
    let [left, top, right, bottom] = TIMES;
    let all = times.iter().map(|time| time[1].max(1e-6));
    let least = all.clone().fold(f32::INFINITY, f32::min);
    // Twice the least at the top if there is little between them, so that noise does not look like a mountain.
    let most = all.fold(2.0 * least, f32::max);
    let place = |[bound, time]: [f32; 2]| {
        let x = left as f32 + along(bound, range) * (right - left) as f32;
        let y = bottom as f32 - along(time, [least, most]) * (bottom - top) as f32;
        [x, y]
    };
    for pair in times.windows(2) {
        let [from, to] = [place(pair[0]), place(pair[1])];
        let steps = (to[0] - from[0])
            .abs()
            .max((to[1] - from[1]).abs())
            .max(1.0);
        for step in 0..=steps as usize {
            let share = step as f32 / steps;
            let [x, y] = [0, 1].map(|axis| (from[axis] + share * (to[axis] - from[axis])) as i64);
            canvas.fill([x - 1, y - 1], [x + 1, y + 1], CURVE, 256);
        }
    }
    draw_axes(canvas, TIMES, range);
    let text = format!(
        "{least:.2} to {most:.2} ms per step (in proportion), by the bound of a uniform category; the larger are oversized"
    );
    label(canvas, [left, top - 34], &text, CURVE);
}

/// A line under a diagram, one at its left, and sizes along the lower one.
fn draw_axes(canvas: &mut Canvas, [left, top, right, bottom]: [i64; 4], [least, most]: [f32; 2]) {
    canvas.fill([left, bottom], [right, bottom + 1], AXIS, 256);
    canvas.fill([left - 1, top], [left, bottom], AXIS, 256);
    for quarter in 0..=4 {
        let share = quarter as f32 / 4.0;
        let x = left + (share * (right - left) as f32) as i64;
        canvas.fill([x, bottom], [x + 1, bottom + 6], AXIS, 256);
        let size = least * (most / least).powf(share);
        label(canvas, [x - 24, bottom + 6], &format!("{size:.2}"), TEXT);
    }
}

/// The bounds of a config as upright lines through both diagrams, and what they are in the margin.
fn draw_bounds(
    canvas: &mut Canvas,
    config: &BroadphaseConfig,
    colour: Colour,
    line: i64,
    range: [f32; 2],
) {
    let uniform = config.categories.iter();
    let uniform = uniform.filter(|category| category.kind == CategoryKind::Uniform);
    for category in uniform {
        let bound = category.half_extents[0].max(category.half_extents[1]);
        for [left, top, right, bottom] in [SIZES, TIMES] {
            let x = left + (along(bound, range) * (right - left) as f32) as i64 + 2 * line;
            canvas.fill([x, top], [x + 2, bottom], colour, 200);
        }
    }
    let text = ["bounds as advised", "bounds as suggested"][line as usize];
    label(canvas, [500 + line * 200, SIZES[1] - 34], text, colour);
}

fn label(canvas: &mut Canvas, [x, y]: [i64; 2], text: &str, colour: Colour) {
    let corner = [
        x.max(0) as usize,
        y.clamp(0, (PICTURE[1] - LETTER[1]) as i64) as usize,
    ];
    canvas.panel(corner, &[text.to_owned()], colour);
}

/// The larger half extent.
fn size(aabb: &Aabb) -> f32 {
    let [x, y] = aabb.half_extents();
    x.max(y)
}

/// The smallest and the largest size, none of them 0.
fn range(crowd: &Crowd) -> [f32; 2] {
    let sample = crowd.sample();
    let sizes = sample.iter().map(size).filter(|size| *size > 0.0);
    let least = sizes.fold(f32::INFINITY, f32::min);
    let [x, y] = crowd.largest();
    let most = x.max(y).max(f32::MIN_POSITIVE);
    [least.min(most / 2.0), most]
}

/// Where a size stands in a range, from 0 to 1, in proportion.
fn along(size: f32, [least, most]: [f32; 2]) -> f32 {
    ((size.max(least) / least).ln() / (most / least).ln()).clamp(0.0, 1.0)
}
