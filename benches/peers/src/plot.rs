//! What was measured, as pictures beside a document.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::Path;

use plotters::coord::combinators::IntoLogRange;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The folder of the pictures, beside the document.
const FOLDER: &str = "benchmarks";
const SIZE: (u32, u32) = (860, 460);

/// Somebody's times along x.
pub struct Series {
    /// Whose.
    pub name: &'static str,
    /// Whether it is throng's, and drawn bolder.
    pub is_ours: bool,
    /// Where along x, and how long.
    pub points: Vec<(f64, f64)>,
}

/// What a picture is about.
pub struct Picture<'p> {
    /// Its name in the folder.
    pub file: &'p str,
    /// What stands above.
    pub caption: &'p str,
    /// What x is.
    pub below: &'p str,
    /// What y is.
    pub beside: &'p str,
    /// What stands at 1, 2, 4 and so on along x, instead of numbers; none for numbers.
    pub names: &'p [String],
}

/// The lowest and the highest value of the plot, with some room.
fn room(values: impl Iterator<Item = f64> + Clone, factor: f64) -> Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(0.0, f64::max);
    low / factor..high * factor
}

impl Picture<'_> {
    /// Draws it, on logarithmic axes, and says where it is and what it shows.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn draw(&self, docs: &Path, all: &[Series]) -> Result<(String, String), Box<dyn Error>> {
        let Self {
            file,
            caption,
            below,
            beside,
            names,
        } = *self;
        fs::create_dir_all(docs.join(FOLDER))?;
        let points = all.iter().flat_map(|series| &series.points);
        let is_named = !names.is_empty();
        let xs = room(
            points.clone().map(|point| point.0),
            if is_named { 1.5 } else { 1.1 },
        );
        let ys = room(points.map(|point| point.1), 1.3);
        let bottom = ys.start;
        let path = docs.join(FOLDER).join(file);
        let area = SVGBackend::new(&path, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(caption, ("sans-serif", 18))
            .margin(10)
            .margin_right(170)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(xs.log_scale(), ys.log_scale())?;
        chart
            .configure_mesh()
            .x_desc(below)
            .y_desc(beside)
            .x_labels(if is_named { 0 } else { 8 })
            .light_line_style(BLACK.mix(0.05))
            .x_label_formatter(&|x| if is_named { String::new() } else { said(*x) })
            .y_label_formatter(&|y| said(*y))
            .draw()?;
        let drawn = all
            .iter()
            .enumerate()
            .filter(|(_, series)| !series.points.is_empty());
        for (row, (index, series)) in drawn.enumerate() {
            let is_ours = series.is_ours;
            let color = if is_ours {
                BLACK.to_rgba()
            } else {
                Palette99::pick(index).to_rgba()
            };
            let style = color.stroke_width(if is_ours { 3 } else { 1 });
            chart.draw_series(LineSeries::new(series.points.iter().copied(), style))?;
            chart.draw_series(
                series
                    .points
                    .iter()
                    .map(|&point| Circle::new(point, 3, color.filled())),
            )?;
            let (x, y) = (SIZE.0 as i32 - 168, 50 + 22 * row as i32);
            area.draw(&PathElement::new(vec![(x, y + 6), (x + 20, y + 6)], style))?;
            area.draw(&Text::new(series.name, (x + 26, y), ("sans-serif", 14)))?;
        }
        let centered = ("sans-serif", 14).into_text_style(&area);
        let centered = centered.pos(Pos::new(HPos::Center, VPos::Bottom));
        let places = (0..).zip(names).map(|(index, name)| {
            let at = ((1_u64 << index) as f64, bottom * 1.02);
            Text::new(name.clone(), at, centered.clone())
        });
        chart.draw_series(places)?;
        area.present()?;
        Ok((format!("{FOLDER}/{file}"), caption.to_owned()))
    }
}

/// A number as short as it can be.
fn said(number: f64) -> String {
    match number {
        _ if number >= 1e6 => format!("{}M", number / 1e6),
        _ if number >= 1e3 => format!("{}k", number / 1e3),
        _ => format!("{}", (number * 1e3).round() / 1e3),
    }
}
