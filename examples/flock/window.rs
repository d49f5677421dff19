//! The flock in a window: it flees from the mouse, Escape ends.

use std::{cell::Cell, error::Error, rc::Rc, time::Instant};

use minifb::{InputCallback, Key, MouseMode, Window};

use crate::canvas::Canvas;
use crate::display;
use crate::draw::{self, View};
use crate::flock::Flock;

/// How many frames the time in the title is a mean of.
const TITLE_EVERY: u32 = 30;

/// Opens the window, or says why there is none.
pub fn open() -> Result<Window, String> {
    display::open("flock", draw::SIZE)
}

/// Runs until the window is closed, or for the frames that were asked for.
pub fn run(
    mut window: Window,
    flock: &mut Flock,
    frames: Option<u32>,
) -> Result<(), Box<dyn Error>> {
    let escaped = Rc::new(Cell::new(false));
    window.set_input_callback(Box::new(Escape(escaped.clone())));
    let mut canvas = Canvas::new(draw::SIZE);
    let mut milliseconds = 0.0;
    while window.is_open() && !escaped.get() && frames.is_none_or(|frames| flock.frames < frames) {
        let size = <[usize; 2]>::from(window.get_size()).map(|side| side.max(16));
        if size != [canvas.width, canvas.height] {
            canvas = Canvas::new(size);
        }
        let view = View::of(&canvas, flock);
        let mouse = window.get_mouse_pos(MouseMode::Discard);
        flock.around.predator = mouse.map(|(x, y)| view.place([x, y]));

        let started = Instant::now();
        flock.frame()?;
        milliseconds += 1e3 * started.elapsed().as_secs_f64();
        if flock.frames.is_multiple_of(TITLE_EVERY) {
            let mean = milliseconds / f64::from(TITLE_EVERY);
            window.set_title(&format!(
                "flock: {} boids, {mean:.2} ms a frame, {:.1} neighbors each",
                flock.boids.len(),
                flock.mean_neighbors()
            ));
            milliseconds = 0.0;
        }
        draw::draw(&mut canvas, flock);
        window.update_with_buffer(&canvas.pixels, canvas.width, canvas.height)?;
    }
    Ok(())
}

/// Remembers that Escape was pressed: asking which keys are down misses one that is let go within a slow frame.
struct Escape(Rc<Cell<bool>>);

impl InputCallback for Escape {
    fn add_char(&mut self, _: u32) {}

    fn set_key_state(&mut self, key: Key, down: bool) {
        self.0.set(self.0.get() || key == Key::Escape && down);
    }
}
