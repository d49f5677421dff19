//! A window, where there is a display.

use std::env;

use minifb::{ScaleMode, Window, WindowOptions};

/// Frames a second to aim for.
const FRAME_RATE: usize = 60;

/// Opens a window, or says why there is none.
pub fn open(title: &str, [width, height]: [usize; 2]) -> Result<Window, String> {
    if cfg!(all(unix, not(target_os = "macos"))) {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        if !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
            return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned());
        }
    }
    let options = WindowOptions {
        resize: true,
        scale_mode: ScaleMode::UpperLeft,
        ..WindowOptions::default()
    };
    let mut window = Window::new(title, width, height, options)
        .map_err(|error| error.to_string().replace('\n', " "))?;
    window.set_target_fps(FRAME_RATE);
    Ok(window)
}
