//! The battle in a window: the mouse picks, Escape ends.

use std::{env, error::Error};

use minifb::{Key, MouseMode, ScaleMode, Window, WindowOptions};

use crate::canvas::Canvas;
use crate::draw;
use crate::engine::Engine;
use crate::eyes::under;

/// Opens the window, or says why there is none.
pub fn open() -> Result<Window, String> {
    let unix = cfg!(all(unix, not(target_os = "macos")));
    if unix && env::var_os("DISPLAY").is_none() && env::var_os("WAYLAND_DISPLAY").is_none() {
        return Err("there is no display".to_owned());
    }
    let options = WindowOptions {
        resize: true,
        scale_mode: ScaleMode::UpperLeft,
        ..WindowOptions::default()
    };
    let [width, height] = draw::SIZE;
    let mut window =
        Window::new("embed_custom", width, height, options).map_err(|error| error.to_string())?;
    window.set_target_fps(60);
    Ok(window)
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
