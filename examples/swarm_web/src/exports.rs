//! The functions that the page calls.
//!
//! There is one page, so that no function takes an address. Functions that return one return that of the first byte of
//! their answer, which stays where it is until the next call; how long an answer is says [`length`], in bytes.
#![allow(
    unsafe_code,
    reason = "in WebAssembly, functions are exported by their names; nothing here is unsafe to call"
)]

use std::cell::RefCell;

use serde::Serialize;

use crate::{page::Page, wish::Sliders};

#[derive(Default)]
struct Exported {
    page: Option<Page>,
    text: String,
    length: usize,
}

thread_local! {
    static EXPORTED: RefCell<Exported> = RefCell::default();
}

impl Exported {
    fn say(&mut self, text: String) -> *const u8 {
        self.text = text;
        self.length = self.text.len();
        self.text.as_ptr()
    }

    fn json(&mut self, value: &impl Serialize) -> *const u8 {
        let text = serde_json::to_string(value);
        self.say(text.expect("numbers, strings and lists can be written as JSON"))
    }
}

/// Does something with the page, if it was started.
fn with<T: Default>(act: impl FnOnce(&mut Page) -> T) -> T {
    EXPORTED.with_borrow_mut(|exported| exported.page.as_mut().map(act).unwrap_or_default())
}

/// The length of the last answer, in bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn length() -> usize {
    EXPORTED.with_borrow(|exported| exported.length)
}

/// Starts a swarm in a picture of so many pixels, which shows the same part of the world as the last swarm's picture did. Answers
/// with nothing, or with what is wrong, as text: then the last swarm goes on.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
#[allow(clippy::too_many_arguments, reason = "the sliders, one by one")]
pub extern "C" fn start(
    agents: u32,
    spread: f32,
    crowding: f32,
    dragons: u32,
    dragon_size: f32,
    castle: u32,
    seed: u32,
    width: u32,
    height: u32,
) -> *const u8 {
    let sliders = Sliders {
        agents,
        spread,
        crowding,
        dragons,
        dragon_size,
        castle: castle != 0,
        seed,
    };
    EXPORTED.with_borrow_mut(|exported| {
        let problem = match Page::new(&sliders, [width, height]) {
            Ok(mut page) => {
                if let Some(last) = &exported.page {
                    page.look_at(last.look());
                }
                exported.page = Some(page);
                String::new()
            }
            Err(failure) => failure.to_string(),
        };
        exported.say(problem)
    })
}

/// Makes the picture of another size.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn resize(width: u32, height: u32) {
    with(|page| page.resize([width, height]));
}

/// Looks closer by a factor, around a pixel.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn zoom(factor: f32, x: f32, y: f32) {
    with(|page| page.zoom(factor, [x, y]));
}

/// Moves what is shown by so many pixels.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn pan(x: f32, y: f32) {
    with(|page| page.pan([x, y]));
}

/// Runs one frame of the swarm.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn frame() {
    with(Page::frame);
}

/// Drives everybody away from a pixel who is within a radius of it.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn push(x: f32, y: f32, radius: f32, strength: f32) {
    with(|page| page.push([x, y], radius, strength));
}

/// Draws the swarm; answers with the pixels, four bytes each.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn draw() -> *const u8 {
    answer(|page| {
        let pixels = page.draw();
        (pixels.as_ptr().cast(), size_of_val(pixels))
    })
}

/// Answers with the cells of all indices, six `f32` each: left, top, right and bottom in pixels, rows, number of the kind.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn cells() -> *const u8 {
    answer(|page| {
        let cells = page.cells();
        (cells.as_ptr().cast(), size_of_val(cells))
    })
}

/// Answers with an address, and how many bytes there are.
fn answer(give: impl FnOnce(&mut Page) -> (*const u8, usize)) -> *const u8 {
    EXPORTED.with_borrow_mut(|exported| {
        let given = exported.page.as_mut().map(give);
        let (address, length) = given.unwrap_or((std::ptr::null(), 0));
        exported.length = length;
        address
    })
}

/// Answers with the figures of the last frame, as JSON; `null` before the first start.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn report() -> *const u8 {
    json(|page| Some(page.report()))
}

/// Answers with who is under a pixel or nearest to it, as JSON; `null` if nobody is.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn pick(x: f32, y: f32) -> *const u8 {
    json(|page| page.pick([x, y]))
}

/// Answers with whoever was picked last, as JSON, wherever it is by now; `null` if nobody was.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn picked() -> *const u8 {
    json(|page| page.picked())
}

/// Answers with the name and the colour of each kind, as JSON.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn kinds() -> *const u8 {
    json(|page| {
        let names = page.names().into_iter().map(str::to_owned);
        Some(names.zip(page.colours()).collect::<Vec<_>>())
    })
}

fn json<T: Serialize>(give: impl FnOnce(&mut Page) -> Option<T>) -> *const u8 {
    EXPORTED.with_borrow_mut(|exported| {
        let given = exported.page.as_mut().and_then(give);
        exported.json(&given)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last answer, as the page would read it: kept as text.
    fn last_text() -> String {
        EXPORTED.with_borrow(|exported| {
            assert_eq!(exported.length, exported.text.len());
            exported.text.clone()
        })
    }

    #[test]
    fn a_page_that_was_not_started_answers_with_nothing() {
        frame();
        push(1.0, 2.0, 3.0, 4.0);
        assert!(draw().is_null() && length() == 0);
        for answer in [report(), kinds(), pick(1.0, 1.0), picked()] {
            assert!(!answer.is_null());
            assert_eq!(last_text(), "null");
        }
        // Threads of tests have pages of their own.
        start(0, 2.0, 1.0, 0, 1.0, 0, 1, 100, 100);
        assert_eq!(last_text(), "agents may be 1 to 1000000, not 0");
    }

    #[test]
    fn a_page_that_was_started_answers() {
        start(500, 2.0, 1.0, 2, 1.0, 1, 1, 200, 100);
        assert_eq!(last_text(), "");
        frame();
        report();
        let report: serde_json::Value = serde_json::from_str(&last_text()).expect("it is JSON");
        assert_eq!(
            (&report["agents"], &report["frames"]),
            (&500.into(), &1.into())
        );
        assert_eq!(report["stages"][4]["name"], "pairs");
        kinds();
        assert!(last_text().starts_with("[[\"pixies\","));
        assert!(!draw().is_null() && length() == 4 * 200 * 100);
        assert!(!cells().is_null() && length().is_multiple_of(24) && length() > 0);
    }

    #[test]
    fn the_next_swarm_is_looked_at_as_the_last_one_and_who_was_picked_is_told_again() {
        let start = || start(500, 2.0, 1.0, 2, 1.0, 0, 1, 200, 100);
        let picture = || {
            draw();
            with(|page| page.draw().to_vec())
        };
        start();
        let whole = picture();
        zoom(8.0, 50.0, 50.0);
        let near = picture();
        assert_ne!(near, whole);
        start();
        assert_eq!(picture(), near);
        zoom(0.01, 0.0, 0.0);
        frame();
        let told = (0..200).find_map(|x| {
            pick(x as f32, 50.0);
            Some(last_text()).filter(|text| text != "null")
        });
        picked();
        assert_eq!(Some(last_text()), told);
    }
}
