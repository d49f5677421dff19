//! Key presses, every one of them: asking a window which keys are down misses those that were
//! pressed and let go within one slow frame.

use std::sync::mpsc::{self, Receiver, Sender};

use minifb::{InputCallback, Key, Window};

/// What the escape key counts as.
pub const ESCAPE: char = '\u{1b}';

/// A letter that was typed, whatever keys that takes on this keyboard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// The letter.
    pub letter: char,
    /// Whether it comes from a key that is being held down.
    pub again: bool,
}

/// Listens to the keys of a window; presses arrive while the window is updated.
pub fn listen(window: &mut Window) -> Receiver<Press> {
    let (sender, receiver) = mpsc::channel();
    window.set_input_callback(Box::new(Listener {
        sender,
        held: Vec::new(),
        fresh: false,
    }));
    receiver
}

struct Listener {
    sender: Sender<Press>,
    held: Vec<Key>,
    /// Whether a key went down since the last letter.
    fresh: bool,
}

impl InputCallback for Listener {
    fn add_char(&mut self, letter: u32) {
        let again = !std::mem::take(&mut self.fresh);
        if let Some(letter) = char::from_u32(letter).filter(|letter| *letter != ESCAPE) {
            // Nobody listens any more once the window is about to close.
            let _ = self.sender.send(Press { letter, again });
        }
    }

    fn set_key_state(&mut self, key: Key, down: bool) {
        let held = self.held.contains(&key);
        match (down, held) {
            (true, false) => {
                self.held.push(key);
                self.fresh = true;
                if key == Key::Escape {
                    let _ = self.sender.send(Press {
                        letter: ESCAPE,
                        again: false,
                    });
                }
            }
            (false, true) => self.held.retain(|other| *other != key),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_keys_repeat_and_are_known_to() {
        let (sender, receiver) = mpsc::channel();
        let mut listener = Listener {
            sender,
            held: Vec::new(),
            fresh: false,
        };
        listener.set_key_state(Key::G, true);
        listener.add_char('g'.into());
        listener.set_key_state(Key::G, true);
        listener.add_char('g'.into());
        listener.set_key_state(Key::G, false);
        listener.set_key_state(Key::G, true);
        listener.add_char('g'.into());
        listener.set_key_state(Key::Escape, true);
        let presses: Vec<_> = receiver.try_iter().collect();
        let again: Vec<_> = presses.iter().map(|press| press.again).collect();
        assert_eq!(again, [false, true, false, false]);
        assert_eq!(presses[3].letter, ESCAPE);
    }
}
