//! The battle in a window: the mouse picks, Escape ends.

use std::error::Error;

use minifb::{Key, MouseMode, Window};

use crate::canvas::Canvas;
use crate::display;
use crate::draw;
use crate::engine::Engine;
use crate::eyes::under;

/// Opens the window, or says why there is none.
pub fn open() -> Result<Window, String> {
    display::open("embed_custom", draw::SIZE)
}

/// Runs until the window is closed.
pub fn run(mut window: Window, engine: &mut Engine) -> Result<(), Box<dyn Error>> {
    let mut canvas = Canvas::new(draw::SIZE);
    let mut hits = Vec::new();
    while window.is_open() && !window.is_key_down(Key::Escape) {
        engine.frame()?;
        let size = <[usize; 2]>::from(window.get_size()).map(|side| side.max(16));
        if size != [canvas.width, canvas.height] {
            canvas = Canvas::new(size);
        }
        let scale = draw::scale(&canvas);
        let mouse = window
            .get_mouse_pos(MouseMode::Discard)
            .map(|(x, y)| [x / scale, y / scale]);
        let picked = match mouse {
            Some(point) => under(&engine.world, point, &mut hits)?,
            None => None,
        };
        draw::draw(&mut canvas, engine, picked.as_ref())?;
        window.update_with_buffer(&canvas.pixels, canvas.width, canvas.height)?;
    }
    Ok(())
}
